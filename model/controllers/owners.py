"""The owners of pods: they create an absent pod again, under its name.

Not modelled: a pod that exists at the same time as its replacement. A ReplicaSet waits until the old pod has ended,
unless no kubelet will end it (`Replace`). `deployment`, `stateful_set` and `daemon_set` model workloads that change.
"""

from collections.abc import Iterator

from schedcheck.model.environment import PodEvent, newly_arrived
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.owners import FORMER

WORKLOADS = frozenset({"ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job"})
RECREATING = WORKLOADS | {former for former, kind in FORMER.items() if kind in WORKLOADS}
"""The kinds of owners that recreate a pod: those of Kubernetes, also by the groups and versions of earlier releases."""

REPLACING = RECREATING - {each for each in RECREATING if each.endswith(("StatefulSet", "DaemonSet"))}
"""The kinds of owners that create the next pod without waiting until the deleted one is gone."""


class Create(PodEvent):
    """The creation of an absent pod by its owner, for the first time or again."""


class Replace(PodEvent):
    """The replacement by its owner of a pod that is deleted on an unreachable node. The old object is forgotten."""


def created(origin: Pod, pod: Pod | None) -> Iterator[tuple[Create, Pod]]:
    """Yield the creation of an absent pod by its owner, if the owner is of a kind that recreates pods."""
    if pod is None and origin.owner[0] in RECREATING:
        yield Create(str(origin)), newly_arrived(origin)


def replaced_after_failure(pod: Pod) -> Iterator[tuple[Replace, Pod]]:
    """Yield the replacement of a failed pod by its owner. The old object is forgotten: it uses nothing.

    Differs: a StatefulSet or DaemonSet deletes the failed pod first, in a step of its own.
    """
    if pod.owner[0] in RECREATING and pod.phase == "Failed" and not pod.terminating:
        yield Replace(str(pod)), newly_arrived(pod)


def replaced(pod: Pod, node: Node) -> Iterator[tuple[Replace, Pod]]:
    """Yield the replacement of a pod that is deleted on an unreachable node, if its owner does not wait for its end."""
    if pod.owner[0] in REPLACING and pod.terminating and not completed(pod) and node.ready == "Unknown":
        yield Replace(str(pod)), newly_arrived(pod)
