"""The result of calling several extenders in turn, by Kubernetes 1.17: `kept`, `points`, `agreed`.

Kubernetes 1.17: findNodesThatFit, PrioritizeNodes and processPreemptionWithExtenders in
pkg/scheduler/core/generic_scheduler.go; pkg/scheduler/core/extender.go; getBinderFunc in pkg/scheduler/factory.go.
Differs from 1.34: evictions may resolve every refusal of an extender, even one without a reason; an extender may leave
a candidate without victims; the violations of budgets are forgotten; scores are not scaled, as priorities end at 10.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from frozendict import frozendict

from schedcheck.spec.classic.failures import Failure
from schedcheck.spec.extenders import (
    Extender,
    Extenders,
    Failed,
    Nodes,
    Offered,
    Victims,
    interested,
    preempting,
    victims_named,
)
from schedcheck.spec.objects import Pod, Snapshot

Refused = Mapping[str, tuple[Failure, ...]]
"""The nodes that an extender refuses, by name, each with its reason, or without any."""

NO_REFUSALS: Final[frozendict[str, tuple[Failure, ...]]] = frozendict()


@dataclass(frozen=True)
class Kept:
    """The nodes that all extenders keep, the refusals of the others by name, and the error if one ends the cycle."""

    nodes: Nodes
    refused: frozendict[str, tuple[Failure, ...]] = NO_REFUSALS
    error: Failed | None = None


def kept(pod: Pod, nodes: Nodes, extenders: Extenders) -> Kept:
    r"""Return the nodes that remain after the extenders are called in turn, each on the nodes left so far.

    An error of an extender that is not ignorable ends the cycle. Differs: 1.17 does not read
    failedAndUnresolvableNodes, so that a node that is only there is refused without a reason.

    TLA+: EarlyKeptFrom(i, Pod, Some) ==
            IF i > Len(Extenders) \/ Some = {} THEN [Nodes |-> Some, Error |-> FALSE]
            ELSE LET Said == AnswerOf(i, Pod)
                     Rest == {Node \in Some : Node.Name \notin Said.Failed \union Said.Unresolvable}
                 IN IF ~(Extenders[i].Filters /\ Interested(Extenders[i], Pod)) THEN EarlyKeptFrom(i + 1, Pod, Some)
                    ELSE IF ~Said.Down THEN EarlyKeptFrom(i + 1, Pod, Rest)
                    ELSE IF Extenders[i].Ignorable THEN EarlyKeptFrom(i + 1, Pod, Some)
                    ELSE [Nodes |-> {}, Error |-> TRUE]
    """
    if extenders == () or nodes == ():
        return Kept(nodes)
    first, others = extenders[0], extenders[1:]
    if not (first.offer.filter_verb and interested(first.offer, pod)):
        return kept(pod, nodes, others)
    said = first.filter(pod, nodes)
    if isinstance(said, Failed):
        return kept(pod, nodes, others) if first.offer.ignorable else Kept((), error=said)
    rest = kept(pod, tuple(node for node in nodes if node.name in said.kept), others)
    dropped = {node.name: refusal(said.failed.get(node.name)) for node in nodes if node.name not in said.kept}
    return replace(rest, refused=frozendict(dropped) | rest.refused)


def refusal(reason: str | None) -> tuple[Failure, ...]:
    """Return the failure of a node that an extender refuses with this reason; empty without one."""
    return () if reason is None else (Failure(reason, reason),)


def points(pod: Pod, nodes: Nodes, extenders: Extenders) -> frozendict[str, int]:
    r"""Return the points that the extenders add to the priorities of each node; an extender that fails adds none.

    TLA+: EarlyPoints(Pod, Some) ==
            LET Raters == {i \in DOMAIN Extenders :
                            /\ Extenders[i].Prioritizes
                            /\ Interested(Extenders[i], Pod)
                            /\ ~AnswerOf(i, Pod).Down}
            IN [Node \in Some |-> Sum([i \in Raters |-> AnswerOf(i, Pod).Points[Node.Name] * Extenders[i].Weight])]
    """
    answers = [
        (extender.offer.weight, extender.prioritize(pod, nodes))
        for extender in extenders
        if extender.offer.prioritize_verb and interested(extender.offer, pod)
    ]
    return frozendict(
        {
            node.name: sum(said.get(node.name, 0) * weight for weight, said in answers if not isinstance(said, Failed))
            for node in nodes
        }
    )


def agreed(pod: Pod, offered: Offered, snapshot: Snapshot, extenders: Extenders) -> Offered | Failed:
    r"""Return the candidates that all extenders keep, each with the victims that the last extender names.

    Differs: 1.17 crashes if an extender names a node that does not exist; here, as in 1.18, that is an error.

    TLA+: EarlyAgreedFrom(i, Pod, Offered, Snapshot) ==
            IF i > Len(Extenders) \/ Offered = {} THEN [Candidates |-> Offered, Error |-> FALSE]
            ELSE LET Said == AnswerOf(i, Pod)
                     Kept == {Each \in Offered : Each.Node.Name \in DOMAIN Said.Victims}
                     Renamed == {Each \in Kept : Said.Victims[Each.Node.Name] # Null}
                     OnNode(Node) == {Other \in Pods(Snapshot) : Other.Spec.NodeName = Node.Name}
                     Unknown == {Each \in Renamed : ~(Said.Victims[Each.Node.Name] \subseteq {Identity(Other) : Other \in OnNode(Each.Node)})}
                     Named(Each) == {Other \in OnNode(Each.Node) : Identity(Other) \in Said.Victims[Each.Node.Name]}
                     Answered(Each) ==
                       IF Each \notin Renamed THEN [Each EXCEPT !.Violations = 0]
                       ELSE [Node |-> Each.Node, Victims |-> Named(Each), Violations |-> 0, First |-> HighestOf(Named(Each))]
                 IN IF ~(Extenders[i].Preempts /\ Interested(Extenders[i], Pod)) THEN EarlyAgreedFrom(i + 1, Pod, Offered, Snapshot)
                    ELSE IF ~Said.Down /\ Unknown = {} THEN EarlyAgreedFrom(i + 1, Pod, {Answered(Each) : Each \in Kept}, Snapshot)
                    ELSE IF Extenders[i].Ignorable THEN EarlyAgreedFrom(i + 1, Pod, Offered, Snapshot)
                    ELSE [Candidates |-> {}, Error |-> TRUE]
    """
    asked = preempting(pod, extenders)
    if asked == () or not offered:
        return offered
    first, others = asked[0], asked[1:]
    named = answered(first, pod, offered, snapshot)
    if isinstance(named, Failed):
        return agreed(pod, offered, snapshot, others) if first.offer.ignorable else named
    return agreed(pod, named, snapshot, others)


def answered(extender: Extender, pod: Pod, offered: Offered, snapshot: Snapshot) -> Offered | Failed:
    """Return the candidates that one extender keeps, with the victims that it names and without violations.

    Kubernetes 1.17: an extender with nodeCacheCapable is not told the violations either.
    """
    told = {name: forgotten(each) for name, each in offered.items()} if extender.offer.node_cache_capable else offered
    said = extender.preempt(pod, told)
    if isinstance(said, Failed):
        return said
    missing = set(said) - {node.name for node in snapshot.nodes}
    if missing:
        return Failed(
            f"extender: {extender.offer.url_prefix} claims to preempt on node: {min(missing)}, which is not found"
        )
    named = victims_named(extender, said, offered, snapshot)
    return named if isinstance(named, Failed) else {name: forgotten(each) for name, each in named.items()}


def forgotten(victims: Victims) -> Victims:
    """Return the victims without the number of violated budgets."""
    return replace(victims, violations=0)
