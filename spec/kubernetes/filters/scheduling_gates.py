"""The plugin SchedulingGates: a pod with gates is not in the queue.

Kubernetes 1.34: pkg/scheduler/framework/plugins/schedulinggates.
"""

from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.refusal import Refusal, unresolvable
from schedcheck.spec.objects import Pod

NAME = "SchedulingGates"


def scheduling_gates(pod: Pod) -> bool:
    """Whether no gate keeps `pod` out of the queue.

    TLA+: SchedulingGates(Pod) == Pod.Spec.SchedulingGates = {}
    """
    return pod.scheduling_gates == ()


def refusal(pod: Pod, plugins: Plugins = DEFAULT_PLUGINS) -> Refusal | None:
    r"""Why `pod` is not in the queue, None where it is, or where nobody looks at its gates.

    TLA+: SchedulingGatesRefusal(Pod) ==
            IF SchedulingGates(Pod) \/ ~Listed("SchedulingGates", Enabled.preEnqueue) THEN Null
            ELSE Unresolvable("SchedulingGates")
    """
    if scheduling_gates(pod) or NAME not in plugins.at("preEnqueue"):
        return None
    return unresolvable(NAME, f"waiting for scheduling gates: [{' '.join(pod.scheduling_gates)}]")
