"""Pods that may preempt once each, and what all others do meanwhile: `Evictors`, `evictors`.

All pods that ever preempt have the highest priority of the pods that wait. A nomination of such a pod lasts until it is
bound, so that each preempts once, on one node. The pods that it evicts wait for a place like all others. Each other pod
that could preempt finds a place even then, by counting, and so never does.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from schedcheck.checker.recovery.disturbances import OPENING, Disturbances, drawn_to_taints
from schedcheck.checker.relocation.counting import Counting, Place
from schedcheck.checker.relocation.others import Others
from schedcheck.checker.vectors.filtering import prepared
from schedcheck.model.environment import newly_arrived
from schedcheck.model.profiles import plugins_of
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import desired_healthy, healthy
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.terms import Affinity

Key = tuple[str, str]


@dataclass(frozen=True)
class Kept:
    """Why a budget can spare all that is evicted: `most` pods in all, of the `spare` that it can."""

    most: int
    spare: int


class Evictors:
    """The pods that preempt in a cluster, and the pods that they may evict.

    `times`: how often they preempt in all, at most, by the number of events that close nodes.
    """

    def __init__(
        self,
        scenario: Scenario,
        snapshot: Snapshot,
        disturbed: Disturbances,
        pods: Iterable[Pod],
        times: Sequence[int],
        counting: Counting,
        empty: Counting,
    ) -> None:
        self.scenario, self.snapshot, self.disturbed = scenario, snapshot, disturbed
        self.pods = tuple(pods)
        self.times = tuple(times)
        self._counting, self._empty = counting, empty
        self._places: dict[Pod, Place] = {}

    @cached_property
    def nodes(self) -> frozenset[str]:
        """The nodes that an evictor could be on if they were empty: it is nominated to no other one."""
        found: set[str] = set()
        for shape in {replace(alone(pod), name="evictor", uid="") for pod in self.pods}:
            found |= self._empty.judge.feasible(shape, plugins_of(shape, self.scenario))
        return frozenset(found)

    @cached_property
    def endangered(self) -> tuple[Pod, ...]:
        """The bound pods that an evictor may evict from the nodes on which they are at first."""
        priority = max(pod.priority for pod in self.pods)
        return tuple(pod for pod in self.snapshot.pods if pod.node_name in self.nodes and pod.priority < priority)

    @cached_property
    def displaced(self) -> tuple[Pod, ...]:
        """Those of the endangered pods that would not wait otherwise, in fresh form."""
        known = {each.key for each in (*self.disturbed.waiting, *self.disturbed.moving)}
        return tuple(newly_arrived(pod) for pod in self.endangered if pod.key not in known)

    def most(self, pods: Iterable[Pod], times: int) -> int:
        """Return how many of these bound pods can be evicted from their first nodes at most, by so many preemptions.

        A preemption is on one node, and a pod is evicted from its first node once.
        """
        on = Counter(pod.node_name for pod in pods)
        return sum(sorted(on.values(), reverse=True)[:times])

    @cached_property
    def _others(self) -> Others:
        disturbed = self.disturbed
        leaving = {*disturbed.leaving, *(each.key for each in (*disturbed.moving, *self.displaced))}
        return Others(
            (*disturbed.waiting, *disturbed.moving, *self.displaced),
            (pod for pod in self.snapshot.pods if pod.key in leaving),
            steady=not disturbed.closing,
            preempting=[pod.key for pod in self.pods],
            counted=self._at_most,
        )

    @cached_property
    def _staying(self) -> tuple[Pod, ...]:
        """The endangered pods that do not wait anyway.

        Pods that an event may move are among them: that events move few of them does not bound how many are evicted.
        """
        waiting = {each.key for each in self.disturbed.waiting}
        return tuple(pod for pod in self.endangered if pod.key not in waiting)

    @cached_property
    def _evicted(self) -> tuple[int, ...]:
        """How many pods other than those that wait anyway are evicted from their first nodes at most.

        By the number of events that close nodes, as in `times`.
        """
        return tuple(self.most(self._staying, times) for times in self.times)

    def _at_most(self, pods: Sequence[Pod]) -> int:
        """Return how many of these others are placed at most in a behaviour: they wait, events move them, or are evicted."""
        keys = {pod.key for pod in pods}
        evicted = [pod for pod in self._staying if pod.key in keys]
        return self.disturbed.placed(pods) + self.most(evicted, max(self.times))

    def place(self, pod: Pod) -> Place:
        """Return what is known of the place of a fresh pod of the cluster while it waits."""
        shape = _shape(pod)
        if shape not in self._places:
            waiting, leaving = len(self.disturbed.waiting), len(self.disturbed.leaving)
            cases = [
                replace(each, others=each.others + waiting + more, left=each.others + leaving + more)
                for each, more in zip(self.disturbed.cases, self._evicted, strict=True)
            ]
            plugins = plugins_of(pod, self.scenario)
            self._places[shape] = self._counting.place(pod, plugins, self._others, cases)
        return self._places[shape]

    def keeps(self, budget: PodDisruptionBudget) -> Kept | None:
        """Return the proof that the budget can spare each pod that is evicted; None without one."""
        well = healthy(budget, self.snapshot, kubelet=False)
        endangered = [pod for pod in self.endangered if pod in well]
        return kept(budget, self.snapshot, self.disturbed, [self.most(endangered, times) for times in self.times])

    def evicts(self, pods: Iterable[Pod]) -> bool:
        """Whether an evictor may evict one of these pods, wherever they are."""
        priority = max(pod.priority for pod in self.pods)
        return bool(self.nodes) and any(pod.priority < priority for pod in pods)


def evictors(
    scenario: Scenario,
    snapshot: Snapshot,
    disturbed: Disturbances,
    counting: Counting,
    empty: Counting,
    top: int,
    lasting: Callable[[Pod], bool],
    never_fits: Callable[[Pod], bool],
    placed: Callable[[Pod], bool],
) -> Evictors | None:
    """Return the pods that preempt once each, if no other pod ever preempts; None if that is not proved.

    top
        The highest priority of a pod that may preempt and fits on some node if that is empty.
    placed
        Whether a fresh pod finds a place unless a pod preempts.
    """
    if (
        any(rule.event in OPENING for rule in scenario.rules)
        or disturbed.unsettled
        or "kubelet" in scenario.controllers
        or any(not prepared(each) or each.extenders or each.unasked for each in scenario.plugins)
    ):
        return None
    able = (*disturbed.waiting, *disturbed.moving)
    lowest = min((pod.priority for pod in scenario.pods if not completed(pod)), default=0)
    if any(drawn_to_taints(pod, disturbed) for pod in {_shape(each): each for each in able}.values()):
        return None
    if any(pod.priority > top and not never_fits(pod) for pod in able):
        return None
    highest = [pod for pod in able if pod.priority == top and _preempts(pod, lowest) and not never_fits(pod)]
    found = [pod for pod in highest if not placed(pod)]
    if not found or not all(map(lasting, found)):
        return None
    times = _times(found, disturbed)
    if times is None:
        return None
    made = Evictors(scenario, snapshot, disturbed, found, times, counting, empty)
    preempting = {pod.key for pod in found}
    if any(drawn_to_taints(pod, disturbed) for pod in {_shape(each): each for each in made.displaced}.values()):
        return None
    if all(
        pod.key in preempting or not _preempts(pod, lowest) or never_fits(pod) or made.place(pod).proved
        for pod in (*able, *made.displaced)
    ):
        return made
    return None


def kept(
    budget: PodDisruptionBudget, snapshot: Snapshot, disturbed: Disturbances, evicted: Sequence[int]
) -> Kept | None:
    """Return the proof that the budget can spare each pod that is evicted, by whatever means; None without one.

    Before each eviction more pods are healthy than must stay so: those healthy at first that no eviction and no event
    takes from their nodes, and the victim itself.

    evicted
        How many of those healthy at first are evicted by preemption at most, by the number of events that close nodes.
    """
    well = healthy(budget, snapshot, kubelet=False)
    moving = {each.key for each in disturbed.moving}
    gone = sum(pod.key in disturbed.leaving for pod in well)
    moved = [pod for pod in well if pod.key in moving]
    by_events = (disturbed.moved(moved, case.lost) for case in disturbed.cases)
    most = gone + max(map(sum, zip(by_events, evicted, strict=True)))
    spare = len(well) - desired_healthy(budget)
    return Kept(most, spare) if most <= spare else None


def alone(pod: Pod) -> Pod:
    """Return the pod without what relates it to other pods."""
    return replace(pod, affinity=Affinity(node_required=pod.affinity.node_required), spread=(), nominated_node_name="")


def _preempts(pod: Pod, lowest: int) -> bool:
    return pod.priority > lowest and pod.preemption_policy != "Never"


def _times(found: Iterable[Pod], disturbed: Disturbances) -> tuple[int, ...] | None:
    """Return how often these pods preempt in all, at most: once at first, and once more after each event that befalls it.

    An event that closes a node befalls each pod there and each that is nominated to it. By the number of such events.
    """
    waiting = {pod.key for pod in disturbed.waiting}
    keys = {pod.key for pod in found}
    moved = bool(keys & disturbed.touched)
    if disturbed.most is None and (moved or disturbed.closing):
        return None
    most = disturbed.most or 0
    return tuple(
        len(keys & waiting) + moved * (most - case.lost) + len(keys) * case.lost for case in disturbed.cases
    )  # fmt: skip


def _shape(pod: Pod) -> Pod:
    return replace(pod, name="", uid="")
