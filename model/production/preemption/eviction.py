"""Evictions after the scheduling cycle that decided them: `Evictions`, one `Eviction` for each preemptor.

kube-scheduler runs each in the background. Here each is a list of steps that the caller takes, at once or interleaved
with anything else.

Kubernetes 1.34: prepareCandidateAsync in pkg/scheduler/framework/preemption/preemption.go.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from schedcheck.model.production.framework.handle import ClientError, Handle, Identity
from schedcheck.spec.objects import Pod

PREEMPTED = "preempted"


@dataclass
class Eviction:
    """A preemptor, its node, the victims still to be evicted, and the pods whose nomination is cleared first.

    When only one victim is left, `last` becomes its identity. When none is left, only the news that this one is
    terminating is awaited. `others` are the other pods of a PodGroup that preempts; they wait with the preemptor.
    """

    preemptor: Pod
    node: str
    victims: list[Pod]
    losers: list[Pod] = field(default_factory=list)
    last: Identity | None = None
    faulty: bool = False
    """Whether a nomination could not be cleared; that does not end the eviction."""
    others: tuple[Pod, ...] = ()

    def __post_init__(self) -> None:
        """Record an only victim as the last."""
        self.name_the_last()

    def name_the_last(self) -> None:
        """Record the last victim once it is the only one left."""
        if len(self.victims) == 1 and not self.losers:
            self.last = self.victims[0].identity


class Evictions:
    """The running evictions, by the identity of the preemptor: a new pod of its name has none."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self.running: dict[Identity, Eviction] = {}
        handle.background.append(self)

    def start(self, preemptor: Pod, node: str, victims: Sequence[Pod]) -> None:
        """Start the eviction of the victims that are not terminating already; do nothing if there are none."""
        alive = [victim for victim in victims if not victim.terminating]
        if alive:
            losers = [info.pod for info in self._handle.nominated(node) if info.pod.priority < preemptor.priority]
            self.running[preemptor.identity] = Eviction(preemptor, node, alive, losers)

    def start_for_group(self, pods: Sequence[Pod], victims: Sequence[Pod]) -> None:
        """Start the eviction of the victims of a PodGroup, whose pods wait for it; no other pod loses its nomination."""
        alive = [victim for victim in victims if not victim.terminating]
        if alive:
            first, *others = pods
            self.running[first.identity] = Eviction(first, "", alive, others=tuple(others))

    def gates(self, pod: Pod) -> bool:
        """Whether the pod must stay out of the activeQ: its last victim is not known to be terminating or gone."""
        eviction = self.running.get(pod.identity) or self._with(pod)
        if eviction is None:
            return False
        victim = self._last(eviction)
        return eviction.last is None or (victim is not None and not victim.terminating)

    def _with(self, pod: Pod) -> Eviction | None:
        """Return the eviction for the PodGroup of the pod; None if there is none."""
        return next(
            (each for each in self.running.values() if any(other.identity == pod.identity for other in each.others)),
            None,
        )

    def _last(self, eviction: Eviction) -> Pod | None:
        """Return the last victim as it was delivered, None if it is not determined yet or gone."""
        namespace, name, *_ = eviction.last or ("", "")
        known = self._handle.listers.pods.get((namespace, name))
        return known if known is not None and known.identity == eviction.last else None

    def step(self, preemptor: Identity) -> None:
        """Take the next step: clear all nominations of lower priority, then evict victim after victim.

        A failing eviction ends it. After any failed call the preemptor is activated. Once the last victim is deleted,
        the eviction ends, at the latest when the victim is known to be terminating. If the last victim was only
        rejected on Permit, the next step ends it.
        """
        eviction = self.running[preemptor]
        if not eviction.victims:
            self._end(eviction)
            return
        if eviction.losers:
            cleared = [clear_nomination(self._handle, loser) for loser in eviction.losers]
            eviction.faulty, eviction.losers = not all(cleared), []
            eviction.name_the_last()
            return
        try:
            called = evict(self._handle, eviction.victims[0], eviction.preemptor, eviction.node)
        except ClientError:
            eviction.faulty = True
            self._end(eviction)
            return
        del eviction.victims[0]
        eviction.name_the_last()
        if not eviction.victims and called and not self.awaits(eviction):
            self._end(eviction)

    def awaits(self, eviction: Eviction) -> bool:
        """Whether only the news that the last victim, a bound pod, is terminating is awaited."""
        victim = self._last(eviction)
        return not eviction.victims and victim is not None and bool(victim.node_name) and not victim.terminating

    def told(self, pod: Pod) -> None:
        """Handle a changed or deleted pod: end the evictions that waited for it to terminate."""
        for eviction in list(self.running.values()):
            if eviction.last == pod.identity and not eviction.victims and not self.awaits(eviction):
                self._end(eviction)

    def _end(self, eviction: Eviction) -> None:
        """End an eviction: activate the preemptor after a failure, else requeue it."""
        del self.running[eviction.preemptor.identity]
        for pod in (eviction.preemptor, *eviction.others):
            (self._handle.activate if eviction.faulty else self._handle.let_in)(pod)

    def finish(self, preemptor: Identity) -> None:
        """Take all remaining steps, up to a wait for an informer event."""
        while preemptor in self.running and not self.awaits(self.running[preemptor]):
            self.step(preemptor)


def evictions_of(handle: Handle) -> Evictions:
    """Return the evictions of a scheduler, which its profiles share."""
    known = (each for each in handle.background if isinstance(each, Evictions))
    return next(known, None) or Evictions(handle)


def evict(handle: Handle, victim: Pod, preemptor: Pod, node: str) -> bool:
    """Reject the victim if it waits on Permit, else delete it; record the event. Return whether it was deleted.

    The rejection names no plugin, so the victim waits for its backoff only, not for an event.

    Raises: ClientError if the call fails.
    """
    waiting = handle.waiting.get(victim)
    if waiting is not None:
        waiting.reject("", PREEMPTED)
    elif handle.client is not None:
        handle.client.evict(victim, preemptor)
    handle.record(victim, "Preempted", f"Preempted by pod {'/'.join(preemptor.key)} on node {node}")
    return waiting is None


def clear_nomination(handle: Handle, pod: Pod) -> bool:
    """Clear the nomination of a pod; return whether the call succeeded. A failure does no harm."""
    if handle.client is not None:
        try:
            handle.client.nominate(pod, "")
        except ClientError:
            return False
    return True
