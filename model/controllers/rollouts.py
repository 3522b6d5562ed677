"""The steps of the controllers of a workload that changes: `moves`, and the event and the timer beside them.

Not modelled: the duration of minReadySeconds (its timer may expire at any step). `model.controllers.autoscaler` changes the
replicas.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from schedcheck.model.controllers import daemon_set, stateful_set
from schedcheck.model.controllers.deployment import synced
from schedcheck.model.controllers.owners import Create
from schedcheck.model.controllers.replica_set import available, missing, surplus
from schedcheck.model.environment import PodEvent, newly_arrived
from schedcheck.model.rollouts import Key, Rollout, Scales
from schedcheck.spec.objects import Pod


class Remove(PodEvent):
    """The deletion of a pod by the controller of its workload."""


@dataclass(frozen=True)
class Scale:
    """A Deployment asks its ReplicaSets, of the former and of the present template, for these numbers of replicas."""

    workload: str
    former: int
    present: int

    def __str__(self) -> str:
        return f"Scale({self.workload}, {self.former} former, {self.present} present)"


@dataclass(frozen=True)
class ApplyManifest:
    """The event that a manifest is applied: from now on its workloads have another template, or other replicas."""

    manifest: str

    def __str__(self) -> str:
        return f"Apply({self.manifest})"


class BecomeAvailable(PodEvent):
    """The end of the minReadySeconds of a ready pod, from which on the controller of its workload counts it as available."""


Move = tuple[Create | Remove | Scale, Scales, Pod | None]
"""An action, the scales after it, and the pod that is created or that is to be deleted; None for `Scale`."""


def moves(
    rollout: Rollout, scales: Scales, pods: Mapping[Key, Pod], timed: Collection[Key] = ()
) -> Iterator[Move]:  # fmt: skip
    """Yield what the controllers of the workload may do next; `pods` are the pods of the cluster by key.

    `timed` are the ready pods that are not available yet.
    """
    if rollout.kind in BY_PODS:
        for pod, create in BY_PODS[rollout.kind](rollout, pods, timed):
            yield Create(str(pod)) if create else Remove(str(pod)), scales, newly_arrived(pod) if create else pod
        return
    own = [pods[key] for key in rollout.keys if key in pods]
    sides = ((rollout.former, scales[0]), (rollout.forms, scales[1]))
    for forms, number in sides:
        if form := missing(forms, pods, number):
            yield Create(str(form)), scales, newly_arrived(form)
    for forms, number in sides:
        for pod in surplus(forms, pods, number, own, rollout.costs):
            yield Remove(str(pod)), scales, pod
    former, present = ([pods[form.key] for form in forms if form.key in pods] for forms, _ in sides)
    numbers = sum(available(pod, timed) for pod in former), sum(available(pod, timed) for pod in present)
    after = synced(rollout, scales, numbers, bool(former))
    if rollout.kind == "Deployment" and after != scales:
        yield Scale(str(rollout), *after), after, None


def placed(rollout: Rollout, pods: Mapping[Key, Pod]) -> bool:
    """Whether every replica is there, follows the template that it is to follow, and is bound; and no other pod is left.

    A pod that is being deleted does not count.
    """
    there = [pods[key] for key in rollout.keys if key in pods and not pods[key].terminating]
    kept = {form.key for form in rollout.forms[: rollout.partition]}
    updated = all(rollout.updated(pod) or pod.key in kept for pod in there)
    return len(there) == rollout.replicas and updated and all(pod.node_name for pod in there)


BY_PODS = {"StatefulSet": stateful_set.steps, "DaemonSet": daemon_set.steps}
"""The controllers that manage their pods without ReplicaSets."""
