"""Pods that may preempt once each, and what all others do meanwhile: `Evictors`, `evictors`.

All pods that ever preempt have the highest priority of the pods that wait. A nomination of such a pod lasts until it is
bound, so that each preempts once, on one node. The pods that it evicts wait for a place like all others. Each other pod
that could preempt finds a place even then, by counting, and so never does.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from schedcheck.checker.alike import nameless
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

    `times`: how often they preempt in all, at most, by the number of events that close nodes. `comers`: the waiting pods
    that may be placed.
    """

    def __init__(
        self,
        scenario: Scenario,
        snapshot: Snapshot,
        disturbed: Disturbances,
        pods: Iterable[Pod],
        times: Sequence[int],
        comers: Sequence[Pod],
        counting: Counting,
        empty: Counting,
    ) -> None:
        self.scenario, self.snapshot, self.disturbed = scenario, snapshot, disturbed
        self.pods, self._comers = tuple(pods), tuple(comers)
        self.times = tuple(times)
        self._counting, self._empty = counting, empty
        self._places: dict[Pod, Place] = {}

    @cached_property
    def nodes(self) -> frozenset[str]:
        """The nodes that an evictor could be on if they were empty: it is nominated to no other one."""
        found: set[str] = set()
        for shape in {nameless(alone(pod)) for pod in self.pods}:
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
            (*self._comers, *disturbed.moving, *self.displaced),
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
    def _left(self) -> tuple[int, ...] | None:
        """How many nodes events close, or evictors preempt on, at most; None if this is not known.

        By the number of events that close nodes, as in `times`. An evictor leaves a node on which it preempted if events
        close this node, or after another event: one that befalls it, or that frees room elsewhere before it is bound. So
        it preempted on one node besides those closed, and on one more for each other event. A pod that leaves its node
        without an event would free room as well.
        """
        disturbed = self.disturbed
        if disturbed.most is None or disturbed.leaving:
            return None
        return tuple(case.lost + len(self.pods) * (1 + disturbed.most - case.lost) for case in disturbed.cases)

    def departures(self, pods: Iterable[Pod]) -> list[int]:
        """Return how many of these bound pods leave the nodes that they are on at first, at most: moved or evicted.

        By the number of events that close nodes. Pods that leave without an event are not counted.
        """
        disturbed, keys = self.disturbed, {pod.key for pod in pods}
        moved = [pod for pod in disturbed.bound if pod.key in keys]
        evicted = [pod for pod in self._staying if pod.key in keys]
        found = [self._apart(moved, evicted, place) for place in range(len(disturbed.cases))]
        if self._left is None or disturbed.most is None:
            return found
        either = {pod.key: pod for pod in (*moved, *evicted)}.values()
        alone = sum(pod.key in disturbed.touched for pod in moved)
        return [
            min(apart, self.most(either, nodes) + min(alone, disturbed.most - case.lost))
            for apart, case, nodes in zip(found, disturbed.cases, self._left, strict=True)
        ]

    def _apart(self, moved: Sequence[Pod], evicted: Sequence[Pod], place: int) -> int:
        """Return the most pods that events take from their first nodes, and evictors, in the case of this place.

        An event that befalls an evictor makes it preempt again, and moves no pod that is no evictor.
        """
        disturbed, closings, times = self.disturbed, self.disturbed.cases[place].lost, self.times[place]
        evicting = {pod.key for pod in self.pods}
        if disturbed.most is None or not evicting & disturbed.touched or any(pod.key in evicting for pod in moved):
            return disturbed.moved(moved, closings) + self.most(evicted, times)
        others = disturbed.most - closings
        return max(
            disturbed.moved(moved, closings, befalling) + self.most(evicted, times - others + befalling)
            for befalling in range(others + 1)
        )

    @cached_property
    def _departures(self) -> list[int]:
        """How many pods leave the nodes that they are on at first, at most."""
        return self.departures((*self.disturbed.bound, *self._staying))

    def _at_most(self, pods: Sequence[Pod]) -> int:
        """Return how many of these others are placed at most in a behaviour: they wait, events move them, or are evicted."""
        keys = {pod.key for pod in pods}
        return sum(pod.key in keys for pod in self.disturbed.waiting) + max(self.departures(pods), default=0)

    def place(self, pod: Pod) -> Place:
        """Return what is known of the place of a fresh pod of the cluster while it waits."""
        shape = nameless(pod)
        if shape not in self._places:
            waiting, leaving = len(self._comers), len(self.disturbed.leaving)
            cases = [
                replace(each, others=waiting + departing, left=leaving + departing)
                for each, departing in zip(self.disturbed.cases, self._departures, strict=True)
            ]
            plugins = plugins_of(pod, self.scenario)
            self._places[shape] = self._counting.place(pod, plugins, self._others, cases)
        return self._places[shape]

    def keeps(self, budget: PodDisruptionBudget) -> Kept | None:
        """Return the proof that the budget can spare each pod that is evicted; None without one."""
        return kept(budget, self.snapshot, self.disturbed, self.departures)

    def evicts(self, pods: Iterable[Pod]) -> bool:
        """Whether an evictor may evict one of these pods, wherever they are."""
        priority = max(pod.priority for pod in self.pods)
        return bool(self.nodes) and any(pod.priority < priority for pod in pods)


def evictors(
    scenario: Scenario,
    snapshot: Snapshot,
    disturbed: Disturbances,
    comers: Sequence[Pod],
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
    if any(drawn_to_taints(pod, disturbed) for pod in {nameless(each): each for each in able}.values()):
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
    made = Evictors(scenario, snapshot, disturbed, found, times, comers, counting, empty)
    preempting = {pod.key for pod in found}
    if any(drawn_to_taints(pod, disturbed) for pod in {nameless(each): each for each in made.displaced}.values()):
        return None
    if all(
        pod.key in preempting or not _preempts(pod, lowest) or never_fits(pod) or made.place(pod).proved
        for pod in (*able, *made.displaced)
    ):
        return made
    return None


def kept(
    budget: PodDisruptionBudget,
    snapshot: Snapshot,
    disturbed: Disturbances,
    departures: Callable[[Iterable[Pod]], Sequence[int]],
) -> Kept | None:
    """Return the proof that the budget can spare each pod that is evicted, by whatever means; None without one.

    Before each eviction more pods are healthy than must stay so: those healthy at first that no eviction and no event
    takes from their nodes, and the victim itself.

    departures
        How many of these pods events or evictions take from their nodes at most, by the number of events that close nodes.
    """
    well = healthy(budget, snapshot, kubelet=False)
    gone = sum(pod.key in disturbed.leaving for pod in well)
    most = gone + max(departures(well))
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
