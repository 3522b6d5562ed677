"""The plugin SchedulingGates: a pod with scheduling gates does not enter the queue.

Kubernetes 1.34: pkg/scheduler/framework/plugins/schedulinggates.
"""

from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal, unresolvable

NAME = "SchedulingGates"


def scheduling_gates(pod: Pod) -> bool:
    """Whether `pod` has no scheduling gates.

    TLA+: SchedulingGates(Pod) == Pod.Spec.SchedulingGates = {}
    """
    return pod.scheduling_gates == ()


def refusal(pod: Pod, plugins: Plugins = DEFAULT_PLUGINS) -> Refusal | None:
    r"""Return the refusal that keeps `pod` out of the queue; None if it has no gates, or if the plugin is not enabled.

    TLA+: SchedulingGatesRefusal(Pod) ==
            IF SchedulingGates(Pod) \/ ~Listed("SchedulingGates", Enabled.preEnqueue) THEN Null
            ELSE Unresolvable("SchedulingGates")
    """
    if scheduling_gates(pod) or NAME not in plugins.at("preEnqueue"):
        return None
    return unresolvable(NAME, f"waiting for scheduling gates: [{' '.join(pod.scheduling_gates)}]")
