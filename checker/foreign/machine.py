"""A scenario in which another scheduler decides: `Driven`, the machine, and `decides_as_allowed`, the property of its steps.

The environment is that of the specification's machine. Only the decisions come from elsewhere.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from schedcheck.checker.judging.judged import Judged
from schedcheck.checker.judging.reply import Reply
from schedcheck.model.nominations import NOBODY, to_be_evicted
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Unknown, Wait
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.importance import jeopardy
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties.kinds import Step

Decides = Callable[[Pod, Snapshot], frozenset[Decision]]
"""What another scheduler does with a pod of a snapshot; Unknown if it did not answer."""


class Driven(Reference):
    """The machine of a scenario in which `decides` stands for the scheduler; `because` says why a decision is unknown."""

    def __init__(self, scenario: Scenario, profile: Profile, decides: Decides, because: Callable[[], str]) -> None:
        super().__init__(scenario, replace(profile, decision=lambda pod, snapshot, _: decides(pod, snapshot)))
        self.because = because

    def kinds(self) -> tuple[type, ...]:
        """Return the types of the events, and of all decisions."""
        return tuple(dict.fromkeys((*super().kinds(), Nominate, Preempt, Unknown)))

    def why_unknown(self) -> str:
        """Return why a decision is unknown."""
        return self.because()

    def carried_out(self, decision: Decision, state: State) -> State:
        """Return the state after the decision; victims without a nomination are evicted one by one too.

        Where the scenario's scheduler does not nominate, all victims are evicted at once.
        """
        if isinstance(decision, Preempt) and self.profile.nominates:
            slots = [self._slot[victim.key] for victim in decision.victims]
            return state._replace(to_evict=to_be_evicted(NOBODY, slots, state.to_evict, state.pods))
        if isinstance(decision, Nominate) and not self.profile.nominates:
            return super().carried_out(Preempt(decision.pod, decision.node, decision.victims), state)
        return super().carried_out(decision, state)


def decisions_of(reply: Reply, pod: Pod, snapshot: Snapshot, judged: Judged) -> frozenset[Decision]:
    """Return what the cluster does upon a reply: one decision, or several where the reply leaves its victims open.

    A reply that names what is not there changes nothing. What it leaves open is as in the allowed decisions.
    """
    nodes = {node.name: node for node in snapshot.nodes}
    if reply.kind == "bind":
        return frozenset({Bind(pod, nodes[reply.node]) if reply.node in nodes else Wait(pod)})
    if reply.kind in ("nominate", "evict"):
        return frozenset(_evictions(reply, pod, snapshot, judged, nodes)) or frozenset({Wait(pod)})
    waits = [each for each in judged.allowed if isinstance(each, Wait)]
    told = reply.unnominated
    lost = any(each.unnominated for each in waits) if told is None else told
    return frozenset({Wait(pod, reply.message or "", lost and pod.nominated_node_name != "")})


def _evictions(reply: Reply, pod: Pod, snapshot: Snapshot, judged: Judged, nodes: dict[str, Node]) -> set[Decision]:
    there = [each for each in snapshot.pods if each.key in (reply.victims or ()) and each.node_name]
    name = reply.node or next((each.node_name for each in there), "")
    if name not in nodes:
        return set()
    node = nodes[name]
    sets = [frozenset(there)]
    if reply.victims is None:
        allowed = [each for each in judged.allowed if isinstance(each, Nominate | Preempt) and each.node == node]
        sets = [each.victims for each in allowed] or [jeopardy(pod, node, snapshot, NO_FAULTS)]
    made = Nominate if reply.kind == "nominate" else Preempt
    return {made(pod, node, victims) for victims in sets}


def decides_as_allowed(judged: Callable[[Pod, Snapshot], Judged | None]) -> Step:
    """Return the property that no decision is refused by its judgement; None is not judged."""

    def holds(before: Snapshot, action: Any, after: Snapshot) -> bool:
        if not isinstance(action, Bind | Preempt | Nominate | Wait):
            return True
        found = judged(action.pod, before)
        return found is None or found.verdict != "refused"

    return Step(
        "decides_as_allowed",
        "Every decision of the scheduler is one that the specification allows.",
        (Bind, Preempt, Nominate, Wait),
        holds,
    )
