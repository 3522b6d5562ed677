r"""The score PodTopologySpread: the fewer pods like it are in a node's domains, the better.

It looks at the constraints with whenUnsatisfiable ScheduleAnyway; a pod without any constraints is spread over hosts
and zones together with what its services and its owner select.
"""

import math
from collections import Counter
from dataclasses import dataclass

from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.feasibility.pod_topology_spread import there
from schedcheck.spec.feasibility.required_node_affinity import required_node_affinity
from schedcheck.spec.feasibility.taint_toleration import taint_toleration
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.plugins import Plugins
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector, Requirement
from schedcheck.spec.viability.arithmetic import HIGHEST, Scores, quotient, rounded

HOSTNAME = "kubernetes.io/hostname"
"""The topology key whose domains are the nodes themselves.

TLA+: Hostname == "kubernetes.io/hostname"
"""

ZONE = "topology.kubernetes.io/zone"
SYSTEM_DEFAULTS = ((HOSTNAME, 3), (ZONE, 5))
"""The topology keys, each with its maxSkew, of the constraints that a pod has if it names none.

TLA+: SystemDefaults == <<<<Hostname, 3>>, <<"topology.kubernetes.io/zone", 5>>>>
"""

EVERYTHING = LabelSelector()


def default_selector(pod: Pod, snapshot: Snapshot) -> LabelSelector:
    r"""What the services that select `pod`, and the controller that owns it, all ask for.

    The owner's selector counts whether or not it selects the pod.

    TLA+: DefaultSelector(Pod, Snapshot) ==
            LET Sending == {Service \in Services(Snapshot) :
                  /\ Service.Namespace = Pod.Namespace
                  /\ Service.Selector # NoLabels
                  /\ Selects([MatchLabels |-> Service.Selector, MatchExpressions |-> {}], Pod.Labels)}
                Owning == {Controller \in Controllers(Snapshot) :
                  /\ Controller.Namespace = Pod.Namespace
                  /\ <<Controller.Kind, Controller.Name>> = Pod.Owner
                  /\ Controller.Selector # Null}
                Equal(Labels) == {[Key |-> Key, Operator |-> "In", Values |-> {Labels[Key]}] : Key \in DOMAIN Labels}
            IN [MatchLabels |-> NoLabels,
                MatchExpressions |->
                  UNION {Equal(Service.Selector) : Service \in Sending}
                  \union UNION {Equal(Controller.Selector.MatchLabels) \union Controller.Selector.MatchExpressions :
                                 Controller \in Owning}]
    Kubernetes 1.34: pkg/scheduler/framework/plugins/helper/spread.go, DefaultSelector.
    """
    services = [
        LabelSelector(service.selector)
        for service in snapshot.services
        if service.namespace == pod.namespace
        and service.selector
        and selects(LabelSelector(service.selector), pod.labels, NO_FAULTS)
    ]
    owners = [
        controller.selector
        for controller in snapshot.controllers
        if controller.namespace == pod.namespace
        and (controller.kind, controller.name) == pod.owner
        and controller.selector is not None
    ]
    return LabelSelector(
        match_expressions=tuple(
            requirement
            for selector in (*services, *owners)
            for requirement in (
                *(Requirement(key, "In", (value,)) for key, value in sorted(selector.match_labels.items())),
                *selector.match_expressions,
            )
        )
    )


def soft_constraints(pod: Pod, snapshot: Snapshot) -> tuple[SpreadConstraint, ...]:
    r"""The constraints that the score looks at, with their selectors in full.

    TLA+: SoftConstraints(Pod, Snapshot) ==
            LET Selector == DefaultSelector(Pod, Snapshot)
            IN IF Pod.Spec.TopologySpread # <<>>
               THEN SelectSeq(Pod.Spec.TopologySpread, LAMBDA Constraint : ~Constraint.Required)
               ELSE IF Selector = Everything THEN <<>>
               ELSE [i \in DOMAIN SystemDefaults |->
                      [MaxSkew |-> SystemDefaults[i][2], TopologyKey |-> SystemDefaults[i][1], Required |-> FALSE,
                       Selector |-> Selector, MinDomains |-> 1, AffinityHonored |-> TRUE, TaintsHonored |-> FALSE]]
    Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/common.go, buildDefaultConstraints.
    """
    if pod.spread:
        return tuple(constraint for constraint in pod.spread if not constraint.required)
    selector = default_selector(pod, snapshot)
    if selector == EVERYTHING:
        return ()
    return tuple(
        SpreadConstraint(max_skew, key, required=False, selector=selector) for key, max_skew in SYSTEM_DEFAULTS
    )


def topology_spread_skipped(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether there is no constraint to look at.

    TLA+: TopologySpreadSkipped(Pod, Snapshot) == SoftConstraints(Pod, Snapshot) = <<>>
    """
    return soft_constraints(pod, snapshot) == ()


def left_out(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    r"""Whether `node` lacks the key of a constraint of `pod`. By the system's defaults no node is left out.

    TLA+: LeftOut(Pod, Node, Snapshot) ==
            /\ Pod.Spec.TopologySpread # <<>>
            /\ \E i \in DOMAIN SoftConstraints(Pod, Snapshot) :
                 SoftConstraints(Pod, Snapshot)[i].TopologyKey \notin DOMAIN Node.Labels
    """
    return bool(pod.spread) and any(
        constraint.topology_key not in node.labels for constraint in soft_constraints(pod, snapshot)
    )


def included(constraint: SpreadConstraint, pod: Pod, node: Node) -> bool:
    r"""Whether the constraint counts the pods of `node`, by its nodeAffinityPolicy and its nodeTaintsPolicy.

    TLA+: Included(Constraint, Pod, Node) ==
            /\ Constraint.AffinityHonored => RequiredNodeAffinity(Pod, Node)
            /\ Constraint.TaintsHonored => TaintToleration(Pod, Node)
    Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/common.go, matchNodeInclusionPolicies.
    """
    return (not constraint.affinity_honored or required_node_affinity(pod, node)) and (
        not constraint.taints_honored or taint_toleration(pod, node)
    )


def alike(constraint: SpreadConstraint, pod: Pod, node: Node, snapshot: Snapshot) -> int:
    r"""How many pods on `node` the constraint counts.

    TLA+: Alike(Constraint, Pod, Node, Snapshot) ==
            Cardinality({Other \in Occupants(Node, Snapshot) : There(Constraint, Pod, Other)})
    """
    return sum(there(constraint, pod, other) for other in occupants(node, snapshot, NO_FAULTS))


@dataclass(frozen=True)
class Domains:
    """What a constraint has counted: pods by the value of its key, or by node for hosts; and the weight of one pod."""

    constraint: SpreadConstraint
    counts: Counter[str]
    weight: float

    def score(self, node: Node) -> float:
        """What the constraint adds to the score of `node`, which has its key."""
        by_node = self.constraint.topology_key == HOSTNAME
        count = self.counts[node.name if by_node else node.labels[self.constraint.topology_key]]
        return float(count) * self.weight + float(self.constraint.max_skew - 1)


def domains(constraint: SpreadConstraint, pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot) -> Domains:
    r"""The domains of the constraint among `nodes`, those to choose from that are not left out.

    A node without the key lies in the domain of the empty value. A pod weighs ln(domains + 2). For hosts it is the
    nodes that are counted, and their own pods, whatever the policies are.

    TLA+: DomainScore(Constraint, Pod, Node, Chosen, Snapshot) ==
            LET Key == Constraint.TopologyKey
                Value(Each) == IF Key \in DOMAIN Each.Labels THEN Each.Labels[Key] ELSE ""
                Domain == {Each \in Nodes(Snapshot) :
                  /\ ~LeftOut(Pod, Each, Snapshot)
                  /\ Included(Constraint, Pod, Each)
                  /\ Value(Each) = Value(Node)}
                Number == IF Key = Hostname THEN Cardinality(Chosen) ELSE Cardinality({Value(Each) : Each \in Chosen})
                Count == IF Key = Hostname THEN Alike(Constraint, Pod, Node, Snapshot)
                         ELSE Sum([Each \in Domain |-> Alike(Constraint, Pod, Each, Snapshot)])
            IN Count * Logarithm[Number + 2] + (Constraint.MaxSkew - 1) * Million
    Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go, initPreScoreState, PreScore, Score.
    """
    key = constraint.topology_key
    counts: Counter[str] = Counter()
    if key == HOSTNAME:
        counts.update({node.name: alike(constraint, pod, node, snapshot) for node in nodes})
        return Domains(constraint, counts, math.log(float(len(nodes) + 2)))
    for node in snapshot.nodes:
        if not left_out(pod, node, snapshot) and included(constraint, pod, node):
            counts[node.labels.get(key, "")] += alike(constraint, pod, node, snapshot)
    return Domains(constraint, counts, math.log(float(len({node.labels.get(key, "") for node in nodes}) + 2)))


def topology_spread_score(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> Scores:
    r"""The raw score: the weighted pods in the domains of each node, rounded; the fewer, the better. 0 if left out.

    TLA+: TopologySpreadScore(Pod, Among, Snapshot) ==
            LET Chosen == {Node \in Among : ~LeftOut(Pod, Node, Snapshot)}
                Constraints == SoftConstraints(Pod, Snapshot)
                Millionths(Node) == Sum([i \in DOMAIN Constraints |->
                  IF Constraints[i].TopologyKey \in DOMAIN Node.Labels
                  THEN DomainScore(Constraints[i], Pod, Node, Chosen, Snapshot) ELSE 0])
            IN [Node \in Among |-> IF Node \in Chosen THEN Rounded(Millionths(Node), Million) ELSE 0]

    TLA+: Million == 1000000
    Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go, Score.
    """
    chosen = tuple(node for node in nodes if not left_out(pod, node, snapshot))
    counted = [domains(constraint, pod, chosen, snapshot) for constraint in soft_constraints(pod, snapshot)]
    scores = {node.name: 0 for node in nodes}
    for node in chosen:
        score = 0.0
        for each in counted:
            if each.constraint.topology_key in node.labels:
                score += each.score(node)
        scores[node.name] = rounded(score)
    return scores


def normalised_topology_spread(
    scores: Scores, pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins
) -> Scores:
    r"""100 for the least of the scores, the less the nearer to the greatest; 0 for a node that is left out.

    TLA+: NormalisedTopologySpread(Scores, Pod, Snapshot) ==
            LET Inside == {Scores[Node] : Node \in {Each \in DOMAIN Scores : ~LeftOut(Pod, Each, Snapshot)}}
            IN [Node \in DOMAIN Scores |->
                 IF LeftOut(Pod, Node, Snapshot) THEN 0
                 ELSE IF Max(Inside) = 0 THEN Highest
                 ELSE Quotient(Highest * (Max(Inside) + Min(Inside) - Scores[Node]), Max(Inside))]
    Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go, NormalizeScore.
    """
    outside = {node.name for node in nodes if left_out(pod, node, snapshot)}
    inside = [score for name, score in scores.items() if name not in outside]
    least, greatest = min(inside, default=0), max(inside, default=0)

    def normalised(name: str, score: int) -> int:
        if name in outside:
            return 0
        return HIGHEST if greatest == 0 else quotient(HIGHEST * (greatest + least - score), greatest)

    return {name: normalised(name, score) for name, score in scores.items()}
