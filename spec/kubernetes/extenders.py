"""The result of calling several extenders in turn, by kube-scheduler 1.34: `kept`, `points`, `agreed`.

Kubernetes 1.34: pkg/scheduler/extender.go; findNodesThatPassExtenders and prioritizeNodes in
pkg/scheduler/schedule_one.go; callExtenders in pkg/scheduler/framework/preemption/preemption.go.

Not modelled: that nodes returned as objects look empty to the scores (kubernetes#141781).
"""

from dataclasses import dataclass, replace

from frozendict import frozendict

from schedcheck.spec.extenders import Extenders, Failed, Filtered, Nodes, Offered, interested, preempting, victims_named
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import Refusal, unresolvable, unschedulable

EXTENDER_UNIT = 10
"""The factor that scales an extender's scores, from 0 to 10, to those of plugins, from 0 to 100; before its weight.

TLA+: ExtenderUnit == 10
"""

NO_REFUSALS: frozendict[str, Refusal] = frozendict()


@dataclass(frozen=True)
class Kept:
    """The nodes that all extenders keep, the refusals of the others by name, and the error if one ends the cycle."""

    nodes: Nodes
    refused: frozendict[str, Refusal] = NO_REFUSALS
    error: Failed | None = None


def kept(pod: Pod, nodes: Nodes, extenders: Extenders) -> Kept:
    r"""Return the nodes that remain after the extenders are called in turn, each on the nodes left so far.

    An error of an extender that is not ignorable ends the cycle.

    TLA+: KeptFrom(i, Pod, Left) ==
            IF i > Len(Extenders) \/ Left = {} THEN Surviving(Left)
            ELSE LET Said == AnswerOf(i, Pod)
                     ForGood == {Node \in Left : Node.Name \in Said.Unresolvable}
                     ForNow == {Node \in Left : Node.Name \in Said.Failed} \ ForGood
                     Rest == KeptFrom(i + 1, Pod, Left \ (ForGood \union ForNow))
                 IN IF ~(Extenders[i].Filters /\ Interested(Extenders[i], Pod)) THEN KeptFrom(i + 1, Pod, Left)
                    ELSE IF ~Said.Down THEN [Rest EXCEPT !.Failed = @ \union ForNow, !.Unresolvable = @ \union ForGood]
                    ELSE IF Extenders[i].Ignorable THEN KeptFrom(i + 1, Pod, Left)
                    ELSE [Surviving({}) EXCEPT !.Error = TRUE]
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
    return replace(rest, refused=refusals(said, nodes) | rest.refused)


def refusals(said: Filtered, nodes: Nodes) -> frozendict[str, Refusal]:
    """Return the refusals in an answer about these nodes: unresolvable if listed there, or if no reason is given."""
    dropped = {node.name: unresolvable("") for node in nodes if node.name not in said.kept}
    return frozendict(
        dropped
        | {name: unschedulable("", reason) for name, reason in said.failed.items()}
        | {name: unresolvable("", reason) for name, reason in said.unresolvable.items()}
    )


def points(pod: Pod, nodes: Nodes, extenders: Extenders) -> frozendict[str, int]:
    r"""Return the points that the extenders add to the plugins' score of each node; an extender that fails adds none.

    TLA+: ExtenderPoints(Pod, Left) ==
            LET Raters == {i \in DOMAIN Extenders :
                            /\ Extenders[i].Prioritizes
                            /\ Interested(Extenders[i], Pod)
                            /\ ~AnswerOf(i, Pod).Down}
            IN [Node \in Left |->
                 Sum([i \in Raters |-> AnswerOf(i, Pod).Points[Node.Name] * Extenders[i].Weight * ExtenderUnit])]
    """
    answers = [
        (extender.offer.weight, extender.prioritize(pod, nodes))
        for extender in extenders
        if extender.offer.prioritize_verb and interested(extender.offer, pod)
    ]
    return frozendict(
        {
            node.name: sum(
                said.get(node.name, 0) * weight * EXTENDER_UNIT
                for weight, said in answers
                if not isinstance(said, Failed)
            )
            for node in nodes
        }
    )


def agreed(pod: Pod, offered: Offered, snapshot: Snapshot, extenders: Extenders) -> Offered | Failed:
    r"""Return the candidates that all extenders keep, each with the victims that the last extender names.

    A candidate that is offered without victims may be returned without any. Returning no victims for any other node is
    an error; if the extender is ignorable, that node is dropped instead. A candidate for which no extender names a
    victim is dropped at the end.

    Kubernetes 1.34: callExtenders replaces the victims of every candidate by those that the extender returns.
    TLA+: AgreedFrom(i, Pod, Offered, Snapshot) ==
            IF i > Len(Extenders) \/ Offered = {} THEN [Candidates |-> {Each \in Offered : Each.Victims # {}}, Error |-> FALSE]
            ELSE LET Said == AnswerOf(i, Pod)
                     Kept == {Each \in Offered : Each.Node.Name \in DOMAIN Said.Victims}
                     Renamed == {Each \in Kept : Said.Victims[Each.Node.Name] # Null}
                     OnNode(Node) == {Other \in Pods(Snapshot) : Other.Spec.NodeName = Node.Name}
                     Unknown == {Each \in Renamed : ~(Said.Victims[Each.Node.Name] \subseteq {Identity(Other) : Other \in OnNode(Each.Node)})}
                     Chosen(Each) ==
                       IF Each \notin Renamed THEN Each.Victims
                       ELSE {Other \in OnNode(Each.Node) : Identity(Other) \in Said.Victims[Each.Node.Name]}
                     Emptied == {Each \in Kept : Each.Victims # {} /\ Chosen(Each) = {}}
                     Left == {[Each EXCEPT !.Victims = Chosen(Each)] : Each \in Kept \ Emptied}
                 IN IF ~(Extenders[i].Preempts /\ Interested(Extenders[i], Pod)) THEN AgreedFrom(i + 1, Pod, Offered, Snapshot)
                    ELSE IF Said.Down \/ Unknown # {}
                         THEN IF Extenders[i].Ignorable THEN AgreedFrom(i + 1, Pod, Offered, Snapshot)
                              ELSE [Candidates |-> {}, Error |-> TRUE]
                    ELSE IF Emptied # {} /\ ~Extenders[i].Ignorable THEN [Candidates |-> {}, Error |-> TRUE]
                    ELSE AgreedFrom(i + 1, Pod, Left, Snapshot)
    """
    asked = preempting(pod, extenders)
    if asked == () or not offered:
        return {name: each for name, each in offered.items() if each.pods}
    first, others = asked[0], asked[1:]
    said = first.preempt(pod, offered)
    named = said if isinstance(said, Failed) else victims_named(first, said, offered, snapshot)
    if isinstance(named, Failed):
        return agreed(pod, offered, snapshot, others) if first.offer.ignorable else named
    lost = {name for name, each in named.items() if not each.pods and (name not in offered or offered[name].pods)}
    if lost and not first.offer.ignorable:
        return Failed(f'expected at least one victim pod on node "{min(lost)}"')
    return agreed(pod, {name: each for name, each in named.items() if name not in lost}, snapshot, others)
