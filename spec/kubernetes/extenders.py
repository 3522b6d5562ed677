"""Scheduler extenders as values: their configuration, their answers, and the result of calling several in turn.

An `Extender` is its configuration and four functions. `filter` maps a pod and nodes to the nodes that it keeps, and
`prioritize` to scores. `preempt` maps the candidates of preemption to those that it keeps, with their victims. `bind`
binds a pod to a node. Each may answer `Failed` instead. Operators: `interested`, `kept`, `points`, `agreed`, `binder`.

Kubernetes 1.34: pkg/scheduler/extender.go; findNodesThatPassExtenders and prioritizeNodes in
pkg/scheduler/schedule_one.go; callExtenders in pkg/scheduler/framework/preemption/preemption.go.

Not modelled: side effects of an extender; that nodes returned as objects look empty to the scores (kubernetes#141781).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from frozendict import frozendict

from schedcheck.spec.kubernetes import configuration
from schedcheck.spec.kubernetes.refusal import Refusal, unresolvable, unschedulable
from schedcheck.spec.objects import Node, Pod, Snapshot

EXTENDER_UNIT = 10
"""The factor that scales an extender's scores, from 0 to 10, to those of plugins, from 0 to 100; before its weight.

TLA+: ExtenderUnit == 10
"""

Nodes = tuple[Node, ...]
Key = tuple[str, str]
"""The key of a pod, in place of its UID: namespace and name."""


NO_REASONS: frozendict[str, str] = frozendict()
NO_REFUSALS: frozendict[str, Refusal] = frozendict()


@dataclass(frozen=True)
class Failed:
    """An error returned by an extender instead of an answer."""

    reason: str


@dataclass(frozen=True)
class Filtered:
    """An extender's answer to filter: the names of the nodes that it keeps, and its reasons against others.

    Evictions may resolve a refusal in `failed`, but none in `unresolvable`, which takes precedence for a node in both.
    A node in none of the three is refused without a reason, as unresolvable.
    """

    kept: frozenset[str]
    failed: frozendict[str, str] = NO_REASONS
    unresolvable: frozendict[str, str] = NO_REASONS


@dataclass(frozen=True)
class MetaVictims:
    """The keys of the victims on a node, and how many of them violate a disruption budget."""

    pods: tuple[Key, ...]
    violations: int = 0


@dataclass(frozen=True)
class Victims:
    """The victims on a node, the most important first, and how many of them violate a disruption budget."""

    pods: tuple[Pod, ...]
    violations: int = 0


Offered = Mapping[str, Victims]
"""The candidates of preemption, by node name."""


def _all(pod: Pod, nodes: Nodes) -> Filtered | Failed:
    return Filtered(frozenset(node.name for node in nodes))


def _none(pod: Pod, nodes: Nodes) -> Mapping[str, int] | Failed:
    return frozendict()


def _as_offered(pod: Pod, offered: Offered) -> Mapping[str, MetaVictims] | Failed:
    return {
        name: MetaVictims(tuple(victim.key for victim in each.pods), each.violations) for name, each in offered.items()
    }  # fmt: skip


def _bound(pod: Pod, node: str) -> Failed | None:
    return None


@dataclass(frozen=True)
class Extender:
    """An extender: `offer` is its configuration, the functions are its answers.

    A function whose verb the configuration leaves empty is never called.
    """

    offer: configuration.Extender
    filter: Callable[[Pod, Nodes], Filtered | Failed] = _all
    prioritize: Callable[[Pod, Nodes], Mapping[str, int] | Failed] = _none
    preempt: Callable[[Pod, Offered], Mapping[str, MetaVictims] | Failed] = _as_offered
    bind: Callable[[Pod, str], Failed | None] = _bound


Extenders = tuple[Extender, ...]


def interested(offer: configuration.Extender, pod: Pod) -> bool:
    r"""Whether the extender is called for `pod`: it manages no resource, or a container requests one that it manages.

    TLA+: Interested(Extender, Pod) ==
            LET Containers == Pod.Spec.InitContainers \o Pod.Spec.Containers
            IN \/ Extender.Manages = {}
               \/ \E i \in DOMAIN Containers : Extender.Manages \intersect DOMAIN Containers[i].Requests # {}
    """
    managed = {each.name for each in offer.managed_resources}
    return managed == set() or any(
        managed & set(container.requests) for container in (*pod.containers, *pod.init_containers)
    )


def ignored(offers: Sequence[configuration.Extender]) -> frozenset[str]:
    """Return the resources that NodeResourcesFit ignores because an extender manages them with ignoredByScheduler."""
    return frozenset(each.name for offer in offers for each in offer.managed_resources if each.ignored)


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


def preempting(pod: Pod, extenders: Extenders) -> Extenders:
    """Return the extenders that are called about the victims for `pod`."""
    return tuple(each for each in extenders if each.offer.preempt_verb and interested(each.offer, pod))


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


def victims_named(
    extender: Extender, said: Mapping[str, MetaVictims], offered: Offered, snapshot: Snapshot
) -> Offered | Failed:
    """Return the pods that an extender's answer names as victims; an error if one of them is not on its node."""
    there = {
        name: {pod.key: pod for pod in (*snapshot.pods_by_node.get(name, ()), *_pods(offered, name))} for name in said
    }
    unknown = [(name, key) for name, each in said.items() for key in each.pods if key not in there[name]]
    if unknown:
        name, key = unknown[0]
        return Failed(
            f"extender: {extender.offer.url_prefix} claims to preempt pod (UID: {'/'.join(key)}) on node: {name},"
            " but the pod is not found on that node"
        )
    return {
        name: Victims(tuple(there[name][key] for key in each.pods), each.violations) for name, each in said.items()
    }  # fmt: skip


def _pods(offered: Offered, name: str) -> tuple[Pod, ...]:
    return offered[name].pods if name in offered else ()


def binder(pod: Pod, extenders: Extenders) -> Extender | None:
    """Return the extender that binds `pod` instead of the scheduler: the first interested with a bind verb, or None."""
    return next((each for each in extenders if each.offer.bind_verb and interested(each.offer, pod)), None)
