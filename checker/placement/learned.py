"""Lessons about placements from the specification: that a pod is refused next to others, or a bound of its node's
score.

A lesson about feasibility is general if an antitone filter refuses; one about viability, if more pods never raise it. A
general lesson holds of every placement that contains this one, and names a minimal set of other pods. Any other lesson
holds only of this exact placement.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

from schedcheck.checker.victims.profile_judge import judge
from schedcheck.spec.classic.priorities.scale import HIGHEST
from schedcheck.spec.faults import Fault
from schedcheck.spec.kubernetes.filters import pod_topology_spread
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.placement import Placement, around
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler

SPREADING = (pod_topology_spread.NAME, "EvenPodsSpread")
"""The filters of topology spread, of kube-scheduler and of the early scheduler."""

BEST_SCORE = 100
"""The highest score of a kube-scheduler plugin."""


@dataclass(frozen=True)
class Lesson:
    """A fact about `pod` on `node` with `others` placed so; if `general`, also with more pods.

    `most` is an upper bound of the viability; None if the node is not feasible.
    """

    pod: Pod
    node: Node
    others: Placement
    general: bool
    most: int | None

    def holds(self, snapshot: Snapshot, profile: Profile) -> bool:
        """Whether the specification confirms the lesson."""
        meets = around(self.pod, self.others.set(self.pod, self.node), snapshot)
        if self.most is None:
            refused = not profile.feasibility(self.pod, self.node, meets)
            return refused and (not self.general or for_good(self.pod, self.node, meets, profile))
        return profile.viability(self.pod, self.node, meets) <= self.most


def for_good(pod: Pod, node: Node, snapshot: Snapshot, profile: Profile) -> bool:
    """Whether the pod is refused however many more pods are placed on any nodes.

    Topology spread is not antitone in this sense: more pods elsewhere reduce the skew of the node's own domain. Nor is the
    refusal for a pod that is nominated to the node: it may be placed elsewhere.
    """
    if profile.nominates:
        others = (replace(each, nominated_node_name="") if not each.node_name else each for each in snapshot.pods)
        snapshot = replace(snapshot, pods=tuple(others))
    objections = judge(pod, profile).objections(pod, node, snapshot)
    return any(each.antitone and each.filter not in SPREADING for each in objections)


def refusals(placement: Placement, snapshot: Snapshot, profile: Profile) -> Iterator[Lesson]:
    """Yield a lesson for each pod that is refused on its node in the placement."""
    for pod, node in placement.items():
        if profile.feasibility(pod, node, around(pod, placement, snapshot)):
            continue

        def refused(others: Placement, pod: Pod = pod, node: Node = node) -> bool:
            return for_good(pod, node, around(pod, others.set(pod, node), snapshot), profile)

        others = placement.delete(pod)
        general = refused(others)
        yield Lesson(pod, node, fewest(others, refused) if general else others, general, None)


def ratings(placement: Placement, snapshot: Snapshot, profile: Profile) -> Iterator[Lesson]:
    """Yield a lesson on the viability of each pod's node in the placement."""
    for pod, node in placement.items():

        def viability(others: Placement, pod: Pod = pod, node: Node = node) -> int:
            return profile.viability(pod, node, around(pod, others.set(pod, node), snapshot))

        others = placement.delete(pod)
        most = viability(others)
        general = not profile.nominates and slack(pod, profile) == 0
        named = fewest(others, lambda fewer, v=viability, m=most: v(fewer) <= m) if general else others  # type: ignore[misc]
        yield Lesson(pod, node, named, general, most)


def highest(pod: Pod, node: Node, snapshot: Snapshot, profile: Profile) -> int:
    """Return an upper bound of the node's viability for `pod`, whichever other pods are placed."""
    return BOUNDS[profile.scheduler](pod, node, snapshot, profile)


def _published(pod: Pod, node: Node, snapshot: Snapshot, profile: Profile) -> int:
    return profile.viability(pod, node, around(pod, frozendict({pod: node}), snapshot)) + slack(pod, profile)


def _kubernetes(pod: Pod, node: Node, snapshot: Snapshot, profile: Profile) -> int:
    return BEST_SCORE * sum(by_scheduler_name(pod, profile.plugins).weights.values())


def _classic(pod: Pod, node: Node, snapshot: Snapshot, profile: Profile) -> int:
    return max(HIGHEST * sum(each.weight for each in profile.policy.priorities), 1)


BOUNDS: Mapping[Scheduler, Callable[[Pod, Node, Snapshot, Profile], int]] = frozendict(
    {PUBLISHED: _published, KUBERNETES: _kubernetes, CLASSIC: _classic}
)
"""The upper bound of a node's viability under each scheduler."""


def slack(pod: Pod, profile: Profile) -> int:
    """Return how much other pods may raise a node's score in the published model: the weights of preferred affinity."""
    raising = list(pod.affinity.pod_preferred)
    if Fault.ANTI_AFFINITY_ADDED in profile.faults:
        raising += pod.affinity.anti_preferred
    return sum(preferred.weight for preferred in raising)


def fewest(others: Placement, holds: Callable[[Placement], bool]) -> Placement:
    """Return a minimal part of `others` for which the predicate still holds."""
    for pod in others:
        fewer = others.delete(pod)
        if holds(fewer):
            others = fewer
    return others
