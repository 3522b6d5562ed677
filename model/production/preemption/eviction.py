"""Evictions that go on after the cycle that decided them: `Evictions`, one `Eviction` a preemptor.

kube-scheduler runs each in the background. Here each is a list of steps that somebody takes: at once, or with anything
else in between.

Kubernetes 1.34: prepareCandidateAsync in pkg/scheduler/framework/preemption/preemption.go.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from schedcheck.model.production.framework.handle import ClientError, Handle
from schedcheck.spec.objects import Pod

Key = tuple[str, str]
Identity = tuple[str, ...]
PREEMPTED = "preempted"


@dataclass
class Eviction:
    """A preemptor, the node, the victims that are still to be evicted, and the pods that lose their nomination first.

    The last victim is evicted alone; from when only that is left `last` is its identity. Without victims all is done but to hear
    that this one is leaving. `faulty` if a nomination could not be cleared, which ends nothing.
    """

    preemptor: Pod
    node: str
    victims: list[Pod]
    losers: list[Pod] = field(default_factory=list)
    last: Identity | None = None
    faulty: bool = False
    """Whether a nomination could not be cleared; that does not end the eviction."""

    def __post_init__(self) -> None:
        """The only victim is the last."""
        self.name_the_last()

    def name_the_last(self) -> None:
        """Note the last victim when it is the only one left."""
        if len(self.victims) == 1 and not self.losers:
            self.last = self.victims[0].identity


class Evictions:
    """The evictions that are under way, by preemptor."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self.running: dict[Key, Eviction] = {}
        handle.background.append(self)

    def start(self, preemptor: Pod, node: str, victims: Sequence[Pod]) -> None:
        """Begin; who is being deleted already is left alone, and if that is everybody there is nothing to do."""
        alive = [victim for victim in victims if not victim.terminating]
        if alive:
            losers = [info.pod for info in self._handle.nominated(node) if info.pod.priority < preemptor.priority]
            self.running[preemptor.key] = Eviction(preemptor, node, alive, losers)

    def gates(self, pod: Pod) -> bool:
        """Whether the pod must not be tried yet: it preempts, and the deletion of its last victim is not known yet."""
        eviction = self.running.get(pod.key)
        if eviction is None:
            return False
        victim = self._last(eviction)
        return eviction.last is None or (victim is not None and not victim.terminating)

    def _last(self, eviction: Eviction) -> Pod | None:
        """The last victim as it was delivered, if it is known which that is, and it has not gone."""
        namespace, name, *_ = eviction.last or ("", "")
        known = self._handle.listers.pods.get((namespace, name))
        return known if known is not None and known.identity == eviction.last else None

    def step(self, preemptor: Key) -> None:
        """Take the next step: first all lower nominations are cleared, then victim after victim is evicted.

        An eviction that fails ends it. After any call that failed the preemptor is tried again. A last victim that was only
        told to go may have gone before this ends.
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
        """Whether nothing is left to do but to hear that the last victim is leaving, of whom it is known where it is."""
        victim = self._last(eviction)
        return not eviction.victims and victim is not None and bool(victim.node_name) and not victim.terminating

    def told(self, pod: Pod) -> None:
        """A pod was changed or is gone: evictions end that have waited to hear that it leaves."""
        for eviction in list(self.running.values()):
            if eviction.last == pod.identity and not eviction.victims and not self.awaits(eviction):
                self._end(eviction)

    def _end(self, eviction: Eviction) -> None:
        """It is over; if it failed, or if anything happened meanwhile that may be of use, the preemptor is tried now."""
        del self.running[eviction.preemptor.key]
        (self._handle.activate if eviction.faulty else self._handle.let_in)(eviction.preemptor)

    def finish(self, preemptor: Key) -> None:
        """Take all steps that are left, up to what has to be heard."""
        while preemptor in self.running and not self.awaits(self.running[preemptor]):
            self.step(preemptor)


def evictions_of(handle: Handle) -> Evictions:
    """The evictions of a scheduler, which its profiles share."""
    known = (each for each in handle.background if isinstance(each, Evictions))
    return next(known, None) or Evictions(handle)


def evict(handle: Handle, victim: Pod, preemptor: Pod, node: str) -> bool:
    """Reject the victim if it waits for a permit, else delete it; and tell of it, by the UID of the preemptor.

    No plugin is said to have rejected it, so that it waits for its time only and not for an event. Whether it was deleted.

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
    """Take the nomination from a pod; if the call fails it keeps it, which does no harm. Whether it did not fail."""
    if handle.client is not None:
        try:
            handle.client.nominate(pod, "")
        except ClientError:
            return False
    return True
