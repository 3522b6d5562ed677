"""What a scheduler knows: the objects delivered to it, and its own decisions: `Knowledge`.

A pod that the scheduler has bound is on its node from the decision on, before the API server says so. A nomination
counts from the decision on, until a delivered change of the pod sets another one.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from schedcheck.checker.judging.reply import PodKey
from schedcheck.checker.replaying.records import Change, Decided
from schedcheck.checker.vectors.standing_judge import StandingJudge
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod, Snapshot

BEFORE = 0
"""The line of everything that was there before the record."""


@dataclass(frozen=True)
class Version:
    """A pod as it was delivered last, and the lines at which its nomination and its identity changed last."""

    pod: Pod | None
    nomination: int = BEFORE
    identity: int = BEFORE


@dataclass(frozen=True)
class Own:
    """A decision of the scheduler: the line, and the node; empty if it took a nomination back."""

    line: int
    node: str
    time: float | None = None


@dataclass(frozen=True)
class Delivered:
    """A change that was delivered, and what it replaced."""

    change: Change
    before: Version | Node | Snapshot | None


class Knowledge:
    """The objects that a scheduler knows, with a judge that is kept up to date."""

    def __init__(self, snapshot: Snapshot, schedulers: Collection[str]) -> None:
        self._schedulers = frozenset(schedulers)
        self.judge = StandingJudge(replace(snapshot, pods=tuple(filter(self._seen, snapshot.pods))))
        self.versions: dict[PodKey, Version] = {pod.key: Version(pod) for pod in snapshot.pods}
        self.nodes: dict[str, Node] = {node.name: node for node in snapshot.nodes}
        self.rest = replace(snapshot, pods=(), nodes=())
        self.bound: dict[PodKey, Own] = {}
        """The bindings that the scheduler has decided."""
        self.nominated: dict[PodKey, Own] = {}
        self.forgotten: set[PodKey] = set()
        """The pods whose bindings failed, as far as the scheduler knows, or are decided later."""

    def pod(self, key: PodKey) -> Pod | None:
        """Return a pod as the scheduler knows it, also one that has ended."""
        version, own = self.versions.get(key), self.bound.get(key)
        if version is None or version.pod is None:
            return None
        pod = version.pod
        if pod.node_name:
            forgotten = own is not None and key in self.forgotten and pod.node_name == own.node
            return replace(pod, node_name="") if forgotten else pod
        if own is not None and own.line > version.identity and key not in self.forgotten:
            return replace(pod, node_name=own.node, nominated_node_name="")
        own = self.nominated.get(key)
        if own is not None and own.line > max(version.identity, version.nomination):
            return replace(pod, nominated_node_name=own.node)
        return pod

    def assumed(self, key: PodKey) -> bool:
        """Whether a pod is bound by the scheduler's own decision alone."""
        version, pod = self.versions.get(key), self.pod(key)
        return (
            version is not None
            and version.pod is not None
            and pod is not None
            and bool(pod.node_name)
            and not version.pod.node_name
        )

    def refresh(self, key: PodKey) -> None:
        """Bring the judge up to date about a pod."""
        known, there = self.pod(key), self.judge.there.pods.get(key)
        if known is None or not self._seen(known):
            self.judge.remove(key)
        elif known != there:
            self.judge.put(known)

    def _seen(self, pod: Pod) -> bool:
        """Whether the scheduler sees a pod: a bound one, or one that it may schedule."""
        if completed(pod) or pod.node_name:
            return not completed(pod)
        return not pod.terminating and not pod.scheduling_gates and pod.scheduler_name in self._schedulers

    # The scheduler's own decisions.

    def decide(self, decided: Decided) -> None:
        """Take note of a decision. One more decision on a pod says that its binding has failed."""
        key, reply = decided.pod, decided.reply
        self.bound.pop(key, None)
        self.forgotten.discard(key)
        if reply.kind == "bind" and reply.node:
            self.bound[key] = Own(decided.line, reply.node, decided.time)
            self.nominated.pop(key, None)
        elif reply.kind == "nominate":
            self.nominated[key] = Own(decided.line, reply.node)
        elif reply.unnominated:
            self.nominated[key] = Own(decided.line, "")
        self.refresh(key)

    def revoke(self, decided: Decided) -> None:
        """Take back the last decision, a binding of a pod that had none."""
        self.bound.pop(decided.pod, None)
        self.refresh(decided.pod)

    def forget(self, key: PodKey) -> None:
        """Take a binding as failed, or as decided later."""
        self.forgotten.add(key)
        self.refresh(key)

    def remember(self, key: PodKey) -> None:
        """Take a binding as on its way again."""
        self.forgotten.discard(key)
        self.refresh(key)

    # Deliveries.

    def deliver(self, change: Change) -> Delivered | None:
        """Deliver a change; None if it changes nothing that a scheduler reads."""
        match change.after:
            case Snapshot() as rest:
                return self._rest(change, rest)
            case Node() | None if change.stream == "node":
                return self._node(change, change.after)
            case Pod() | None:
                return self._pod(change, change.after)
        raise TypeError(f"{change.stream}: {change.after}")

    def undo(self, delivered: Delivered) -> None:
        """Take back the last delivery of its stream, or the last one about its object."""
        change, before = delivered.change, delivered.before
        if change.stream == "pod":
            assert isinstance(before, Version)
            self.versions[change.key] = before
            self.refresh(change.key)
        elif change.stream == "node":
            assert before is None or isinstance(before, Node)
            self._put_node(change.key[1], before)
        else:
            assert isinstance(before, Snapshot)
            self.rest = before
            self.judge.put_rest(before)

    def settle(self, delivered: Delivered) -> None:
        """Forget what can no longer be taken back."""
        if delivered.change.stream != "pod":
            return
        key, after = delivered.change.key, delivered.change.after
        if after is None or (isinstance(after, Pod) and after.node_name):
            for own in (self.bound, self.nominated):
                if key in own and own[key].line < delivered.change.line:
                    del own[key]
        version = self.versions.get(key)
        if version is not None and version.pod is None and key not in self.bound and key not in self.nominated:
            del self.versions[key]

    def _pod(self, change: Change, after: Pod | None) -> Delivered | None:
        before = self.versions.get(change.key, Version(None))
        if before.pod == after:
            return None
        was, line = before.pod, change.line
        another = was is None or after is None or was.uid != after.uid or (was.node_name and not after.node_name)
        renominated = another or (
            was is not None and after is not None and was.nominated_node_name != after.nominated_node_name
        )
        self.versions[change.key] = Version(
            after, line if renominated else before.nomination, line if another else before.identity
        )
        self.refresh(change.key)
        return Delivered(change, before)

    def _node(self, change: Change, after: Node | None) -> Delivered | None:
        before = self.nodes.get(change.key[1])
        if before == after:
            return None
        self._put_node(change.key[1], after)
        return Delivered(change, before)

    def _put_node(self, name: str, node: Node | None) -> None:
        if node is None:
            self.nodes.pop(name, None)
            self.judge.remove_node(name)
        else:
            self.nodes[name] = node
            self.judge.put_node(node)

    def _rest(self, change: Change, after: Snapshot) -> Delivered | None:
        before = self.rest
        if before == after:
            return None
        self.rest = after
        self.judge.put_rest(after)
        return Delivered(change, before)
