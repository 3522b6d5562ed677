"""The resource claim that PostFilter of DynamicResources deallocates: `freed_by`.

Kubernetes 1.37: PostFilter in pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go.
"""

from schedcheck.spec.device_objects import ResourceClaim
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.post_filter import deallocatable
from schedcheck.spec.kubernetes.select_host import choice
from schedcheck.spec.objects import Pod, Snapshot


def freed_by(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> tuple[ResourceClaim, ...]:
    r"""Return the claims of `pod`, for which no node is feasible, of which PostFilter deallocates one; empty if none.

    TLA+: FreedBy(Pod, Snapshot) ==
            IF /\ PodClaims(Pod) # <<>>
               /\ Listed("DynamicResources", Enabled.postFilter)
               /\ Listed("DynamicResources", Asked(Pod, Seen(Snapshot)))
               /\ Choice(Pod, Seen(Snapshot)).Kind = "unschedulable"
            THEN Deallocatable(Pod, Seen(Snapshot)) ELSE {}
    """
    if not pod.resource_claims or "DynamicResources" not in plugins.at("postFilter"):
        return ()
    made = taken_up(pod, snapshot, plugins)
    if "DynamicResources" not in made.asked or choice(made).kind != "unschedulable":
        return ()
    return deallocatable(DryRun(made))
