"""Whether a reply is a decision of the specification: `matches`."""

from schedcheck.checker.judging.reply import PodKey, Reply
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Wait
from schedcheck.spec.objects import Pod, Snapshot

EVICTING = ("nominate", "evict")
WAITING = ("unschedulable", "error")


def matches(reply: Reply, decided: Decision) -> bool:
    """Whether the reply is this decision, as far as it is told."""
    match decided:
        case Bind(_, node):
            return reply.kind == "bind" and reply.node == node.name
        case Nominate(_, node, victims) | Preempt(_, node, victims):
            return (
                reply.kind in EVICTING
                and reply.node in (node.name, "")
                and (reply.victims is None or reply.victims == frozenset(each.key for each in victims))
            )
        case Wait():
            return reply.kind in WAITING
    return False


def victims_of(reply: Reply, snapshot: Snapshot) -> frozenset[Pod] | None:
    """Return the victims that are in the snapshot; None if the reply does not tell them."""
    if reply.victims is None:
        return None
    return frozenset(each for each in snapshot.pods if each.key in reply.victims)


def unknown_names(reply: Reply, snapshot: Snapshot) -> tuple[str, ...]:
    """Return a sentence for each node and pod that the reply names and the snapshot lacks."""
    found = []
    if reply.node and all(each.name != reply.node for each in snapshot.nodes):
        found.append(f"there is no node {reply.node}")
    known = {each.key for each in snapshot.pods} if reply.victims else frozenset[PodKey]()
    found += [f"there is no pod {'/'.join(key)}" for key in sorted(reply.victims or ()) if key not in known]
    return tuple(found)
