"""What follows a nomination: its victims are evicted one by one, and each lingers until its node has ended it.

A victim that is to be evicted is the pair of two slots: of the preemptor, or `NOBODY` once that waits no longer, and
of the victim. The preemptor is not taken up again before all its victims are evicted, as kube-scheduler 1.34 keeps it
out of the queue for so long; the eviction goes on without it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from schedcheck.model.environment import PodEvent, newly_arrived
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod

NOBODY = -1

ToEvict = tuple[tuple[int, int], ...]
"""Pairs of the slots of a preemptor and of a victim that is to be evicted for it, sorted."""


class EvictVictim(PodEvent):
    """A victim of a nomination is deleted."""


class Terminate(PodEvent):
    """A pod that is deleted has ended."""


def due(to_evict: ToEvict, pods: Sequence[Pod | None]) -> ToEvict:
    """What is left to evict among these pods: not who is gone or deleted already; and for whom."""

    def waiting(slot: int) -> int:
        pod = pods[slot] if slot != NOBODY else None
        return slot if pod is not None and pod.node_name == "" and not pod.terminating else NOBODY

    return tuple(sorted({(waiting(for_whom), slot) for for_whom, slot in to_evict if evictable(pods[slot])}))


def evictable(pod: Pod | None) -> bool:
    """Whether the pod is there, and to be deleted yet."""
    return pod is not None and pod.node_name != "" and not pod.terminating and not completed(pod)


def to_be_evicted(preemptor: int, victims: Iterable[int], before: ToEvict, pods: Sequence[Pod | None]) -> ToEvict:
    """What is to be evicted once a preemptor is nominated at the cost of these victims."""
    return due((*before, *((preemptor, victim) for victim in victims)), pods)


def evictions(to_evict: ToEvict, pods: Sequence[Pod | None]) -> Iterator[tuple[EvictVictim, int, Pod]]:
    """Each eviction that is due, the slot of the victim, and what it becomes."""
    for slot in sorted({victim for _, victim in to_evict}):
        pod = pods[slot]
        assert pod is not None, "what is due is there"
        yield EvictVictim(str(pod)), slot, replace(pod, terminating=True, preempted=True)


def terminated(pod: Pod, scenario: Scenario) -> Pod | None:
    """What is left of a pod that was deleted and has ended; a victim may have an owner that makes it anew at once."""
    return newly_arrived(pod) if pod.preempted and scenario.victims == "pending" else None
