"""What the descheduler reads of the status of a pod: `status_of`, `in_states`, `has_exit_code`, `meets_conditions`.

descheduler 0.36: pkg/framework/plugins/podlifetime/pod_lifetime.go, New, matchesAnyPodConditionFilter and matchesAnyExitCode;
pkg/descheduler/pod/pods.go, HasMatchingContainerWaitingState and HasMatchingContainerTerminatedState.

Not modelled: the statuses of containers and the conditions of pods that have changed since, or are created later. Such a pod has
its phase alone, and if it has completed, containers that have completed with exit code 0.
"""

from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import PodLifeTime, Status
from schedcheck.spec.objects import Pod

SURELY, PERHAPS, NEVER = "surely", "perhaps", "never"


def status_of(pod: Pod, view: View) -> Status:
    """Return the status of a pod: that of the input while it is the same pod in the same phase."""
    given = view.descheduler.of(pod).status
    if given is not None and (given.phase, given.started) == (pod.phase, pod.start_time):
        return given
    if pod.phase != "Succeeded":
        return Status(pod.phase)
    return Status(pod.phase, containers=frozenset({"Completed"}), exit_codes=frozenset({0}))


def in_states(status: Status, arguments: PodLifeTime) -> bool:
    """Whether the phase, the reason, or the state of a container is among the states of the plugin; True if it names none."""
    found = {status.phase, status.reason, *status.containers}
    found |= status.init_containers if arguments.with_init_containers else frozenset()
    found |= status.ephemeral_containers if arguments.with_ephemeral_containers else frozenset()
    return not arguments.states or not arguments.states.isdisjoint(found)


def has_exit_code(status: Status, codes: frozenset[int], with_init_containers: bool) -> bool:
    """Whether a container has ended with one of these exit codes; True if there are none."""
    found = status.exit_codes | (status.init_exit_codes if with_init_containers else frozenset())
    return not codes or not codes.isdisjoint(found)


def meets_conditions(status: Status, arguments: PodLifeTime) -> str:
    """Return whether a condition of the pod meets one of the plugin's: PERHAPS if that depends on how long it has been so."""
    if not arguments.conditions:
        return SURELY
    met = [
        (wanted.aged, condition.dated)
        for wanted in arguments.conditions
        for condition in status.conditions
        if wanted.type in ("", condition.type)
        and wanted.status in ("", condition.status)
        and wanted.reason in ("", condition.reason)
    ]
    if any(not aged for aged, _ in met):
        return SURELY
    return PERHAPS if any(dated for _, dated in met) else NEVER
