"""Explanations by the published model: every filter, every score and every decision, evaluated by the specification."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from schedcheck.checker.exploring.memo import MOST_IN_JEOPARDY, beyond_one_node
from schedcheck.model.environment import unplaced
from schedcheck.spec.binding import completed, unbound
from schedcheck.spec.decisions import Bind, Decision, Preempt
from schedcheck.spec.importance import jeopardy
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.published.control_loop import decision
from schedcheck.spec.published.feasibility import FILTERS
from schedcheck.spec.published.operators import VictimSets
from schedcheck.spec.published.viability import RATINGS

MOST_SETS = 2**MOST_IN_JEOPARDY
"""The most sets of victims that are tried over all nodes: as many as one node alone may have."""


class TooMany(Exception):
    """An error: more sets of victims than can be tried."""


@dataclass(frozen=True)
class Considered:
    """A node: the filters' reasons to refuse the pod (None: admitted), and the scores if it is feasible."""

    node: Node
    reasons: dict[str, str | None]
    ratings: dict[str, int]
    viability: int | None

    @property
    def feasible(self) -> bool:
        """Whether every filter admits the pod."""
        return self.viability is not None


@dataclass(frozen=True)
class Explanation:
    """The possible decisions for `pod`, taken as pending; `stood` is the node that it is bound to in the input.

    `decisions` is None if there are too many sets of victims to try. `endangered` tells for each node how many pods of
    lower priority are on it, and whether the pod would fit without all of them. `ahead` are the pending pods of higher
    priority.
    """

    pod: Pod
    stood: str
    nodes: tuple[Considered, ...]
    decisions: tuple[Decision, ...] | None
    endangered: tuple[tuple[Node, int, bool], ...]
    ahead: tuple[Pod, ...]

    @property
    def best(self) -> tuple[Node, ...]:
        """The nodes that the pod may be bound to."""
        return tuple(each.node for each in self.decisions or () if isinstance(each, Bind))

    @property
    def evictions(self) -> tuple[Preempt, ...]:
        """The evictions that may be made for the pod."""
        return tuple(each for each in self.decisions or () if isinstance(each, Preempt))


def explanation(pod: Pod, snapshot: Snapshot, profile: Profile) -> Explanation | None:
    """Return the explanation for a pod of the snapshot, as if it were pending; None if it has ended."""
    if completed(pod):
        return None
    pending = unplaced(pod)
    others = Snapshot.of(
        [*(each for each in snapshot.pods if each != pod), pending], snapshot.nodes, snapshot.namespaces
    )
    ahead = [each for each in unbound(others, profile.faults) if each.priority > pod.priority]
    beside = _whole if beyond_one_node(others.pods) else _beside
    return Explanation(
        pod=pending,
        stood=pod.node_name,
        nodes=tuple(_considered(pending, node, beside(node, others), profile) for node in others.nodes),
        decisions=_decisions(pending, others, profile, beside),
        endangered=tuple(_endangered(pending, node, beside(node, others), profile) for node in others.nodes),
        ahead=tuple(sorted(ahead, key=lambda each: (-each.priority, each.key))),
    )


def _beside(node: Node, snapshot: Snapshot) -> Snapshot:
    """Return the part of the snapshot that decides about a node, if no pod has inter-pod affinity.

    On a real cluster the whole snapshot would take too long.
    """
    return Snapshot(snapshot.pods_by_node.get(node.name, ()), (node,), snapshot.namespaces)


def _whole(node: Node, snapshot: Snapshot) -> Snapshot:
    """Return the whole snapshot."""
    return snapshot


def _considered(pod: Pod, node: Node, snapshot: Snapshot, profile: Profile) -> Considered:
    """Return the answer of each filter for a node and, if all admit the pod, each score."""
    reasons = {filter_.name: filter_.reason(pod, node, snapshot, profile.faults) for filter_ in FILTERS}
    if not profile.feasibility(pod, node, snapshot):
        return Considered(node, reasons, {}, None)
    ratings = {
        rating.name: rating.value(pod, node, snapshot, profile.rated_resource, profile.faults) for rating in RATINGS
    }
    return Considered(node, reasons, ratings, profile.viability(pod, node, snapshot))


def _endangered(pod: Pod, node: Node, snapshot: Snapshot, profile: Profile) -> tuple[Node, int, bool]:
    """Return a node, the number of lower-priority pods on it, and whether the pod would fit without all of them."""
    victims = jeopardy(pod, node, snapshot, profile.faults)
    return node, len(victims), profile.feasibility(pod, node, snapshot - victims)


def _decisions(
    pod: Pod, snapshot: Snapshot, profile: Profile, beside: Callable[[Node, Snapshot], Snapshot]
) -> tuple[Decision, ...] | None:
    """Return the decisions in the order of their texts; None if there are too many sets of victims to try."""
    sets: dict[str, VictimSets] = {}
    tried = 0

    def limited(pod: Pod, node: Node, snapshot: Snapshot) -> VictimSets:
        nonlocal tried
        if node.name not in sets:
            tried += 2 ** len(jeopardy(pod, node, beside(node, snapshot), profile.faults))
            if tried > MOST_SETS + len(snapshot.nodes):
                raise TooMany
            sets[node.name] = profile.victim_sets(pod, node, beside(node, snapshot))
        return sets[node.name]

    looking = replace(
        profile,
        feasibility=lambda pod, node, snapshot: profile.feasibility(pod, node, beside(node, snapshot)),
        viability=lambda pod, node, snapshot: profile.viability(pod, node, beside(node, snapshot)),
        victim_sets=limited,
    )
    try:
        return tuple(sorted(decision(pod, snapshot, looking), key=str))
    except TooMany:
        return None
