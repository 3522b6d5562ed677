"""The steps after a nomination: victims are evicted one by one, and each stays, terminating, until it has ended.

A due eviction is a pair of slots: that of the preemptor, or `NOBODY` once it no longer waits, and that of the victim.
The preemptor is not scheduled again before all its victims are evicted: kube-scheduler 1.34 keeps it out of the queue
until then. If the preemptor no longer waits, its victims are evicted all the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from schedcheck.model.environment import PodEvent, newly_arrived
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.kubernetes.gangs import has_a_place
from schedcheck.spec.objects import Pod

NOBODY = -1

ToEvict = tuple[tuple[int, int], ...]
"""Sorted pairs: the slot of a preemptor, and that of a victim which is to be evicted for it."""


class EvictVictim(PodEvent):
    """The deletion of a victim of a nomination."""


class Terminate(PodEvent):
    """The end of a deleted pod."""


class TimeOut(PodEvent):
    """The end of the time for which a pod waits on permit: it loses its place, and may be tried again."""


def due(to_evict: ToEvict, pods: Sequence[Pod | None]) -> ToEvict:
    """Return the evictions that are still due.

    Drop those whose victim is gone, bound no more, deleted or completed; replace preemptors that no longer wait by
    `NOBODY`.
    """

    def waiting(slot: int) -> int:
        pod = pods[slot] if slot != NOBODY else None
        return slot if pod is not None and not has_a_place(pod) and not pod.terminating else NOBODY

    return tuple(sorted({(waiting(for_whom), slot) for for_whom, slot in to_evict if evictable(pods[slot])}))


def evictable(pod: Pod | None) -> bool:
    """Whether the pod exists, has a place, bound or waiting on permit, and is neither terminating nor completed."""
    return pod is not None and has_a_place(pod) and not pod.terminating and not completed(pod)


def to_be_evicted(preemptor: int, victims: Iterable[int], before: ToEvict, pods: Sequence[Pod | None]) -> ToEvict:
    """Return the evictions that are due after this preemptor is nominated with these victims."""
    return due((*before, *((preemptor, victim) for victim in victims)), pods)


def evictions(to_evict: ToEvict, pods: Sequence[Pod | None]) -> Iterator[tuple[EvictVictim, int, Pod]]:
    """Yield each due eviction, the slot of the victim, and the victim after it: deleted, or no longer waiting on permit.

    Kubernetes 1.35: PreemptPod in pkg/scheduler/framework/preemption/preemption.go rejects a waiting pod.
    """
    for slot in sorted({victim for _, victim in to_evict}):
        pod = pods[slot]
        assert pod is not None, "what is due is there"
        gone = rejected(pod) if pod.waits_on else replace(pod, terminating=True, preempted=True)
        yield EvictVictim(str(pod)), slot, gone


def rejected(pod: Pod) -> Pod:
    """Return the pod that no longer waits on permit, and has lost its place."""
    return replace(pod, waits_on="")


def timed_out(pods: Sequence[Pod | None]) -> Iterator[tuple[TimeOut, int, Pod]]:
    r"""Yield the end of each wait on permit, the slot of the pod, and the pod after it.

    The pods of a gang share a deadline, but each has a timer of its own.

    TLA+: TimeOut(Pod) ==
            /\ Pod.Status.WaitsOn # ""
            /\ Objects' = {IF Object = Pod THEN [Pod EXCEPT !.Status.WaitsOn = ""] ELSE Object : Object \in Objects}

    Kubernetes 1.35: newWaitingPod in pkg/scheduler/framework/runtime/waiting_pods_map.go.
    """
    for slot, pod in enumerate(pods):
        if pod is not None and pod.waits_on:
            yield TimeOut(str(pod)), slot, rejected(pod)


def terminated(pod: Pod, scenario: Scenario) -> Pod | None:
    """Return what is left of a deleted pod that has ended. The scenario may let a victim be recreated at once."""
    return newly_arrived(pod) if pod.preempted and scenario.victims == "pending" else None
