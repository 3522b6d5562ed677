"""What the specification allows the early scheduler for one pod: `Judgement`, `judged`.

The definitions evaluate every predicate on every node, as 1.6 does and 1.17 with alwaysCheckAllPredicates. Otherwise 1.17
stops on a node at the first predicate that fails, in a fixed order. The judgement of that is made here of the same
definitions: a node fails for its first failing predicate alone. Later predicates are then neither an error nor a reason
not to try evictions.

Kubernetes 1.12: predicatesOrdering in pkg/scheduler/algorithm/predicates/predicates.go; 1.17: podFitsOnNode and
nodesWherePreemptionMightHelp in pkg/scheduler/core/generic_scheduler.go.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from schedcheck.spec.classic.decision import decision, message
from schedcheck.spec.classic.failures import Failure
from schedcheck.spec.classic.filtering import Failures
from schedcheck.spec.classic.filtering import judged as failing
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.classic.preemption import Candidate, candidates, damage, eligible
from schedcheck.spec.classic.priorities.scale import Scores
from schedcheck.spec.classic.ranking import by_priority, totals
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.fit_error import NO_NODES, fit_error, histogram
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.refusal import unschedulable

ORDER = (
    "CheckNodeCondition", "CheckNodeUnschedulable", "GeneralPredicates", "HostName", "PodFitsHostPorts", "PodFitsPorts",
    "MatchNodeSelector", "PodFitsResources", "NoDiskConflict", "PodToleratesNodeTaints",
    "PodToleratesNodeNoExecuteTaints", "CheckNodeLabelPresence", "CheckServiceAffinity", "MaxEBSVolumeCount", "MaxGCEPDVolumeCount",
    "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount", "CheckVolumeBinding", "NoVolumeZoneConflict", "NoVolumeNodeConflict",
    "CheckNodeMemoryPressure", "CheckNodePIDPressure", "CheckNodeDiskPressure", "MatchInterPodAffinity",
)  # fmt: skip
"""The order of the predicates. PodFitsPorts and NoVolumeNodeConflict are not in the list of 1.12, MaxCinderVolumeCount came later."""

ByPredicate = Mapping[str, Failures]
"""The failing predicates of a node, in order, with their failures."""


@dataclass(frozen=True)
class Judgement:
    """What is allowed for `pod`: the decisions, and on each node the failing predicates, scores and candidates.

    A node with an error has only that. Scores are given where the pod fits on a node, candidates where it fits on none.
    """

    pod: Pod
    decisions: frozenset[Decision]
    failures: Mapping[str, ByPredicate]
    scores: Mapping[str, Scores] = field(default_factory=dict)
    totals: Scores = field(default_factory=dict)
    candidates: Mapping[str, frozenset[Candidate]] = field(default_factory=dict)


def judged(pod: Pod, snapshot: Snapshot, classic: Classic) -> tuple[Judgement, Judgement]:
    """Return what is allowed if all predicates are evaluated, and if each node's evaluation stops at a failure."""
    found = {node: in_order(failing(pod, node, snapshot, classic), classic) for node in snapshot.nodes}
    first = {node: dict(list(each.items())[:1]) for node, each in found.items()}
    nodes = tuple(node for node in snapshot.nodes if not found[node])
    rated = by_priority(pod, nodes, snapshot, classic) if nodes else {}
    sums = totals(pod, nodes, snapshot, classic) if nodes else {}
    tried = _tried(pod, snapshot, classic, first) if not nodes else {}

    def made(which: Mapping[Node, ByPredicate], decisions: frozenset[Decision]) -> Judgement:
        known = {node.name: _of_node(which[node]) for node in snapshot.nodes if which[node]}
        if any(_error(each) for each in which.values()):
            return Judgement(pod, decisions, known)
        helped = {node.name: tried[node] for node in tried if tried[node] and _may_help(which[node])}
        return Judgement(pod, decisions, known, rated, sums, helped)

    everything = _with_message(decision(pod, snapshot, classic), _message(pod, snapshot, classic, found))
    stopping = _stopping(pod, snapshot, first, nodes, sums, tried)
    return made(found, everything), made(first, _with_message(stopping, _message(pod, snapshot, None, first)))


def in_order(found: ByPredicate, classic: Classic) -> dict[str, Failures]:
    """Return the predicates that fail, in the order in which 1.17 evaluates them."""
    kinds = {each.name: "CheckNodeLabelPresence" for each in classic.label_presence}
    kinds |= {each.name: "CheckServiceAffinity" for each in classic.service_affinity}

    def place(name: str) -> int:
        return ORDER.index(kinds.get(name, name))

    return {name: found[name] for name in sorted(found, key=place) if found[name]}


def _error(found: ByPredicate) -> Failure | None:
    """Return the first failure that is an error."""
    return next((failure for each in found.values() for failure in each if failure.error), None)


def _of_node(found: ByPredicate) -> ByPredicate:
    """Return what is known of a node: an error hides the other failures."""
    wrong = {name: tuple(each for each in failures if each.error)[:1] for name, failures in found.items()}
    return dict([(name, each) for name, each in wrong.items() if each][:1]) or found


def _may_help(found: ByPredicate) -> bool:
    """Whether evictions may resolve these failures."""
    return all(failure.resolvable for each in found.values() for failure in each)


def _tried(
    pod: Pod, snapshot: Snapshot, classic: Classic, first: Mapping[Node, ByPredicate]
) -> dict[Node, frozenset[Candidate]]:  # fmt: skip
    """Return the candidates on each node that may be tried; none if no node is."""
    if any(_error(each) for each in first.values()) or not eligible(pod, snapshot):
        return {}
    return {node: candidates(pod, node, snapshot, classic) for node in snapshot.nodes if _may_help(first[node])}


def _stopping(
    pod: Pod,
    snapshot: Snapshot,
    first: Mapping[Node, ByPredicate],
    nodes: Iterable[Node],
    sums: Scores,
    tried: Mapping[Node, frozenset[Candidate]],
) -> frozenset[Decision]:
    """Return the decisions possible if a node fails for its first failing predicate alone."""
    if any(_error(each) for each in first.values()):
        return frozenset({Wait(pod)})
    if sums:
        return frozenset(Bind(pod, node) for node in nodes if sums[node.name] == max(sums.values()))
    if not snapshot.nodes or not eligible(pod, snapshot):
        return frozenset({Wait(pod)})
    worst = [max(map(damage, found)) for found in tried.values() if found]
    allowed = (each for found in tried.values() for each in found if all(damage(each) <= other for other in worst))
    return frozenset(
        Nominate(pod, each.node, frozenset(each.victims), clears_always=True) for each in allowed
    ) or frozenset({Wait(pod, unnominated=not tried and pod.nominated_node_name != "")})


def _message(pod: Pod, snapshot: Snapshot, classic: Classic | None, found: Mapping[Node, ByPredicate]) -> str:
    """Return the message about a pod that fits on no node; that of the definitions for a `classic`, but for errors."""
    wrong = next((error for each in found.values() if (error := _error(each)) is not None), None)
    if wrong is not None:
        return wrong.words
    if not snapshot.nodes:
        return NO_NODES
    if classic is not None:
        return message(pod, snapshot, classic)
    words = (unschedulable("", *(one.words for each in by.values() for one in each)) for by in found.values())
    return fit_error(len(found), histogram(words))


def _with_message(decisions: frozenset[Decision], told: str) -> frozenset[Decision]:
    return frozenset(replace(each, message=told) if isinstance(each, Wait) else each for each in decisions)
