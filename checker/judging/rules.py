"""Rules of a user on what a decision does: `broken`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from schedcheck.checker.judging.reply import Reply
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.properties.kinds import Always, Step

Rule = Always | Step


def broken(rules: Sequence[Rule], pod: Pod, reply: Reply, snapshot: Snapshot) -> str:
    """Return the first rule that the decision breaks, with its claim; empty if it breaks none.

    An invariant is broken by a decision after which it is false and before which it was true.
    """
    before = snapshot
    for after in _changes(pod, reply, snapshot):
        for rule in rules:
            if isinstance(rule, Always) and rule.holds(before) and not rule.holds(after):
                return f"{rule.name}: {rule.claim}"
            if isinstance(rule, Step) and not rule.holds(before, None, after):
                return f"{rule.name}: {rule.claim}"
        before = after
    return ""


def _changes(pod: Pod, reply: Reply, snapshot: Snapshot) -> Iterator[Snapshot]:
    """Yield the snapshots that follow: the pod bound or nominated, then its victims terminating, then gone."""
    now = snapshot
    if reply.kind == "bind":
        yield _with(now, {pod: replace(pod, node_name=reply.node, nominated_node_name="")})
        return
    if reply.kind == "nominate":
        now = _with(now, {pod: replace(pod, nominated_node_name=reply.node)})
        yield now
    elif reply.unnominated:
        yield _with(now, {pod: replace(pod, nominated_node_name="")})
        return
    victims = [each for each in now.pods if reply.victims and each.key in reply.victims]
    if victims:
        ending = {each: replace(each, terminating=True, preempted=True) for each in victims}
        now = _with(now, ending)
        yield now
        yield now - frozenset(ending.values())


def _with(snapshot: Snapshot, changed: dict[Pod, Pod]) -> Snapshot:
    return replace(snapshot, pods=tuple(changed.get(each, each) for each in snapshot.pods))
