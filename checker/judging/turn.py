"""Whether a pod is to be scheduled: `not_in_turn`."""

from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import Profile


def not_in_turn(pod: Pod, snapshot: Snapshot, profile: Profile) -> str:
    """Return why a pod of the snapshot is not to be scheduled; empty if the specification lets it be tried."""
    if pod in profile.turn(snapshot, profile):
        return ""
    if completed(pod):
        return f"{pod} has ended"
    if pod.node_name:
        return f"{pod} is bound to {pod.node_name}"
    if pod.terminating:
        return f"{pod} is terminating"
    if profile.plugins and all(pod.scheduler_name != each.scheduler_name for each in profile.plugins):
        return f"{pod} has the schedulerName {pod.scheduler_name}"
    if pod.scheduling_gates:
        return f"{pod} has scheduling gates: {', '.join(pod.scheduling_gates)}"
    return f"a pod of higher priority than {pod} is pending"
