r"""The score PodTopologySpread: the fewer pods like it are in a node's domains, the better.

It looks at the constraints with whenUnsatisfiable ScheduleAnyway; a pod without any constraints is spread as the arguments
list, or over hosts and zones, together with what its services and its owner select.
"""

import math
from collections import Counter
from dataclasses import dataclass

from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.feasibility.default_spread import constrained, with_selector
from schedcheck.spec.feasibility.pod_topology_spread import there
from schedcheck.spec.feasibility.required_node_affinity import required_node_affinity
from schedcheck.spec.feasibility.taint_toleration import taint_toleration
from schedcheck.spec.footprints import looks_at, of_its_namespace
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.plugins import DEFAULT_ARGUMENTS, Arguments, Plugins
from schedcheck.spec.viability.arithmetic import HIGHEST, Scores, quotient, rounded

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
SYSTEM_DEFAULTS = (SpreadConstraint(3, HOSTNAME, required=False), SpreadConstraint(5, ZONE, required=False))
"""The constraints that a pod has if it names none and the arguments list none."""


def soft_constraints(
    pod: Pod, snapshot: Snapshot, arguments: Arguments = DEFAULT_ARGUMENTS
) -> tuple[SpreadConstraint, ...]:
    """The constraints that the score looks at, with their selectors in full.

    Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/common.go, buildDefaultConstraints.
    """
    if pod.spread or arguments.default_constraints is not None:
        return tuple(each for each in constrained(pod, snapshot, arguments).spread if not each.required)
    return with_selector(SYSTEM_DEFAULTS, pod, snapshot)


def topology_spread_skipped(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether there is no constraint to look at."""
    return soft_constraints(pod, snapshot, plugins.arguments) == ()


def left_out(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether `node` lacks the key of a constraint of `pod`. By the system's defaults no node is left out."""
    return bool(pod.spread) and any(
        constraint.topology_key not in node.labels for constraint in soft_constraints(pod, snapshot)
    )


def included(constraint: SpreadConstraint, pod: Pod, node: Node) -> bool:
    """Whether the constraint counts the pods of `node`, by its nodeAffinityPolicy and its nodeTaintsPolicy.

    Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/common.go, matchNodeInclusionPolicies.
    """
    return (not constraint.affinity_honored or required_node_affinity(pod, node)) and (
        not constraint.taints_honored or taint_toleration(pod, node)
    )


def alike(constraint: SpreadConstraint, pod: Pod, node: Node, snapshot: Snapshot) -> int:
    """How many pods on `node` the constraint counts."""
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
    """The domains of the constraint among `nodes`, those to choose from that are not left out.

    A node without the key lies in the domain of the empty value. A pod weighs ln(domains + 2). For hosts it is the
    nodes that are counted, and their own pods, whatever the policies are.
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
    """The raw score: the weighted pods in the domains of each node, rounded; the fewer, the better. 0 if left out.

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
    """100 for the least of the scores, the less the nearer to the greatest; 0 for a node that is left out.

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
