"""The score PodTopologySpread: the fewer matching pods in the domains of a node, the better.

It considers ScheduleAnyway constraints. A pod without any constraints gets the default ones, those of the arguments or
else of the system (hosts and zones), with the selectors of its services and its owner.
"""

import math
from collections import Counter
from dataclasses import dataclass

from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at, of_its_namespace
from schedcheck.spec.kubernetes.default_spread import constrained, with_selector
from schedcheck.spec.kubernetes.filters.node_affinity import required_node_affinity
from schedcheck.spec.kubernetes.filters.pod_topology_spread import there
from schedcheck.spec.kubernetes.filters.taint_toleration import taint_toleration
from schedcheck.spec.kubernetes.plugins import DEFAULT_ARGUMENTS, Arguments, Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST, Scores, quotient, rounded
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint

HOSTNAME = "kubernetes.io/hostname"
"""The topology key whose domains are the nodes themselves.

TLA+: Hostname == "kubernetes.io/hostname"
"""

ZONE = "topology.kubernetes.io/zone"
SYSTEM_DEFAULTS = (SpreadConstraint(3, HOSTNAME, required=False), SpreadConstraint(5, ZONE, required=False))
"""The system's default constraints, for a pod without constraints if the arguments give none.

TLA+: SystemDefaults ==
        LET Default(Key, MaxSkew) ==
              [MaxSkew |-> MaxSkew, TopologyKey |-> Key, Required |-> FALSE, Selector |-> Null,
               MinDomains |-> 1, AffinityHonored |-> TRUE, TaintsHonored |-> FALSE]
        IN <<Default(Hostname, 3), Default("topology.kubernetes.io/zone", 5)>>
"""


def soft_constraints(
    pod: Pod, snapshot: Snapshot, arguments: Arguments = DEFAULT_ARGUMENTS
) -> tuple[SpreadConstraint, ...]:
    r"""Return the ScheduleAnyway constraints of the pod, or the default ones, with complete selectors.

    TLA+: SoftConstraints(Pod, Snapshot) ==
            IF Pod.Spec.TopologySpread # <<>> \/ DefaultConstraints # Null
            THEN SelectSeq(Constrained(Pod, Snapshot).Spec.TopologySpread, LAMBDA Constraint : ~Constraint.Required)
            ELSE WithSelector(SystemDefaults, Pod, Snapshot)
    Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/common.go, buildDefaultConstraints.
    """
    if pod.spread or arguments.default_constraints is not None:
        return tuple(each for each in constrained(pod, snapshot, arguments).spread if not each.required)
    return with_selector(SYSTEM_DEFAULTS, pod, snapshot)


def topology_spread_skipped(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether the pod has no ScheduleAnyway constraint.

    TLA+: TopologySpreadSkipped(Pod, Snapshot) == SoftConstraints(Pod, Snapshot) = <<>>
    """
    return soft_constraints(pod, snapshot, plugins.arguments) == ()


def left_out(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    r"""Whether `node` lacks the topology key of a constraint of `pod`. The system's defaults leave out no node.

    TLA+: LeftOut(Pod, Node, Snapshot) ==
            /\ Pod.Spec.TopologySpread # <<>>
            /\ \E i \in DOMAIN SoftConstraints(Pod, Snapshot) :
                 SoftConstraints(Pod, Snapshot)[i].TopologyKey \notin DOMAIN Node.Labels
    """
    return bool(pod.spread) and any(
        constraint.topology_key not in node.labels for constraint in soft_constraints(pod, snapshot)
    )


def included(constraint: SpreadConstraint, pod: Pod, node: Node) -> bool:
    r"""Whether the constraint counts the pods of `node`, by its nodeAffinityPolicy and nodeTaintsPolicy.

    TLA+: Included(Constraint, Pod, Node) ==
            /\ Constraint.AffinityHonored => RequiredNodeAffinity(Pod, Node)
            /\ Constraint.TaintsHonored => TaintToleration(Pod, Node)
    Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/common.go, matchNodeInclusionPolicies.
    """
    return (not constraint.affinity_honored or required_node_affinity(pod, node)) and (
        not constraint.taints_honored or taint_toleration(pod, node)
    )


def alike(constraint: SpreadConstraint, pod: Pod, node: Node, snapshot: Snapshot) -> int:
    r"""Return the number of pods on `node` that the constraint counts.

    TLA+: Alike(Constraint, Pod, Node, Snapshot) ==
            Cardinality({Other \in Occupants(Node, Snapshot) : There(Constraint, Pod, Other)})
    """
    return sum(there(constraint, pod, other) for other in occupants(node, snapshot, NO_FAULTS))


@dataclass(frozen=True)
class Domains:
    """The counts of a constraint by topology value (for hostname by node), and the weight of one pod."""

    constraint: SpreadConstraint
    counts: Counter[str]
    weight: float

    def score(self, node: Node) -> float:
        """Return the constraint's share of the score of `node`, which must have the topology key."""
        by_node = self.constraint.topology_key == HOSTNAME
        count = self.counts[node.name if by_node else node.labels[self.constraint.topology_key]]
        return float(count) * self.weight + float(self.constraint.max_skew - 1)


def domains(constraint: SpreadConstraint, pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot) -> Domains:
    r"""Return the counts of the constraint; `nodes` are the candidates that are not left out.

    A node without the key is in the domain of the empty value. The weight of a pod is ln(number of domains + 2). For
    hostname the number is that of the nodes, and each node's own pods count whatever the policies are.

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


@looks_at(
    "candidates.name", "nodes.labels", "nodes.taints", "pods.labels", "pods.terminating", "services", "controllers",
    who=of_its_namespace,
)  # fmt: skip
def topology_spread_score(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> Scores:
    r"""Return the raw score: the weighted counts of each node's domains, rounded; fewer is better. Left out: 0.

    TLA+: TopologySpreadScore(Pod, Among, Snapshot) ==
            LET Spreading == Constrained(Pod, Snapshot)
                Chosen == {Node \in Among : ~LeftOut(Spreading, Node, Snapshot)}
                Constraints == SoftConstraints(Spreading, Snapshot)
                Millionths(Node) == Sum([i \in DOMAIN Constraints |->
                  IF Constraints[i].TopologyKey \in DOMAIN Node.Labels
                  THEN DomainScore(Constraints[i], Spreading, Node, Chosen, Snapshot) ELSE 0])
            IN [Node \in Among |-> IF Node \in Chosen THEN Rounded(Millionths(Node), Million) ELSE 0]

    TLA+: Million == 1000000
    Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go, Score.
    """
    spreading = constrained(pod, snapshot, plugins.arguments)
    chosen = tuple(node for node in nodes if not left_out(spreading, node, snapshot))
    constraints = soft_constraints(spreading, snapshot, plugins.arguments)
    counted = [domains(constraint, spreading, chosen, snapshot) for constraint in constraints]
    scores = {node.name: 0 for node in nodes}
    for node in chosen:
        score = 0.0
        for each in counted:
            if each.constraint.topology_key in node.labels:
                score += each.score(node)
        scores[node.name] = rounded(score)
    return scores


@looks_at("scores", "candidates.labels", "services", "controllers")
def normalised_topology_spread(
    scores: Scores, pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins
) -> Scores:
    r"""Return the scores in reverse: 100 for the least, less for a greater one; 0 for a node that is left out.

    TLA+: NormalisedTopologySpread(Scores, Pod, Snapshot) ==
            LET Outside == {Node \in DOMAIN Scores : LeftOut(Constrained(Pod, Snapshot), Node, Snapshot)}
                Inside == {Scores[Node] : Node \in DOMAIN Scores \ Outside}
            IN [Node \in DOMAIN Scores |->
                 IF Node \in Outside THEN 0
                 ELSE IF Max(Inside) = 0 THEN Highest
                 ELSE Quotient(Highest * (Max(Inside) + Min(Inside) - Scores[Node]), Max(Inside))]
    Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go, NormalizeScore.
    """
    spreading = constrained(pod, snapshot, plugins.arguments)
    outside = {node.name for node in nodes if left_out(spreading, node, snapshot)}
    inside = [score for name, score in scores.items() if name not in outside]
    least, greatest = min(inside, default=0), max(inside, default=0)

    def normalised(name: str, score: int) -> int:
        if name in outside:
            return 0
        return HIGHEST if greatest == 0 else quotient(HIGHEST * (greatest + least - score), greatest)

    return {name: normalised(name, score) for name, score in scores.items()}
