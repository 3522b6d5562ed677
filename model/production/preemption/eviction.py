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
PREEMPTED = "preempted"


@dataclass
class Eviction:
    """A preemptor, the node, the victims that are still to be evicted, and the pods that lose their nomination first.

    The last victim is evicted alone; while that call is under way `last` names it. `faulty` if a nomination could not be
    cleared, which ends nothing.
    """

    preemptor: Pod
    node: str
    victims: list[Pod]
    losers: list[Pod] = field(default_factory=list)
    last: Key | None = None
    faulty: bool = False


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
        victim = None if eviction.last is None else self._handle.listers.pods.get(eviction.last)
        return eviction.last is None or (victim is not None and not victim.terminating)

    def step(self, preemptor: Key) -> None:
        """Take the next step: first all lower nominations are cleared, then victim after victim is evicted.

        An eviction that fails ends it. After any call that failed the preemptor is tried again.
        """
        eviction = self.running[preemptor]
        if eviction.losers:
            cleared = [clear_nomination(self._handle, loser) for loser in eviction.losers]
            eviction.faulty, eviction.losers = not all(cleared), []
            return
        victim = eviction.victims.pop(0)
        eviction.last = None if eviction.victims else victim.key
        try:
            evict(self._handle, victim, eviction.preemptor, eviction.node)
        except ClientError:
            eviction.faulty, eviction.victims = True, []
        if not eviction.victims:
            del self.running[preemptor]
            if eviction.faulty:
                self._handle.activate(eviction.preemptor)

    def finish(self, preemptor: Key) -> None:
        """Take all steps that are left."""
        while preemptor in self.running:
            self.step(preemptor)


def evictions_of(handle: Handle) -> Evictions:
    """The evictions of a scheduler, which its profiles share."""
    known = (each for each in handle.background if isinstance(each, Evictions))
    return next(known, None) or Evictions(handle)


def evict(handle: Handle, victim: Pod, preemptor: Pod, node: str) -> None:
    """Reject the victim if it waits for a permit, else delete it; and tell of it, by the UID of the preemptor.

    No plugin is said to have rejected it, so that it waits for its time only and not for an event.

    Raises: ClientError if the call fails.
    """
    waiting = handle.waiting.get(victim)
    if waiting is not None:
        waiting.reject("", PREEMPTED)
    elif handle.client is not None:
        handle.client.evict(victim, preemptor)
    handle.record(victim, "Preempted", f"Preempted by pod {'/'.join(preemptor.key)} on node {node}")


def clear_nomination(handle: Handle, pod: Pod) -> bool:
    """Take the nomination from a pod; if the call fails it keeps it, which does no harm. Whether it did not fail."""
    if handle.client is not None:
        try:
            handle.client.nominate(pod, "")
        except ClientError:
            return False
    return True
