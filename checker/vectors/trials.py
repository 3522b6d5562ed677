"""The results of evictions on every node, by successive trials: `Run`, `permitted_nominations`.

A filter that reads no pod of the node is evaluated once for a node, and NodeResourcesFit once for all on which the same
resources are short. The potential victims are the same for all preemptors of one priority.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import factorial, prod

from frozendict import frozendict

from schedcheck.checker.vectors.counting import Counting
from schedcheck.checker.vectors.tallied import Emptied, Tallied
from schedcheck.spec.decisions import Decision, Nominate
from schedcheck.spec.fit_error import NO_NODES, fit_error, histogram
from schedcheck.spec.importance import by_importance, importance, kind
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.filter import FILTERS, Verdict, with_nominated
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.preemption.choice import Casualty, casualty, selected
from schedcheck.spec.kubernetes.preemption.disruption import violating, violations
from schedcheck.spec.kubernetes.preemption.dry_run import NO_VICTIMS, Candidate, DryRun
from schedcheck.spec.kubernetes.preemption.post_filter import PostFiltered, post_filter
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.kubernetes.preemption.ties import permitted
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.refusal import Refusal

OF_NO_PODS = frozenset(
    {"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "VolumeBinding", "VolumeZone"}
)
"""The filters that read no pod on the node."""

ORDERS = 10_000
"""The most orders of reprieve that are tried."""


class TooManyOrders(Exception):
    """Equally important potential victims can be reprieved in too many orders to try."""


class Trials:
    """The filters of a `prepared` profile, evaluated on single nodes without some of their pods."""

    def __init__(self, cycle: Counting) -> None:
        self.cycle = cycle
        departures = cycle.plugins.departures
        self._every_plugin = Departure.SKIPPED_SEES_NO_NOMINATED not in departures
        self._names = tuple(name for name in cycle.plugins.at("filter") if name in FILTERS)
        self._wants = [each for each in looked_for(cycle.pod, cycle.plugins.arguments).items() if each[1] > 0]
        self._known: dict[Hashable, Refusal | None] = {}

    def filtered(self, info: NodeInfo) -> Refusal | None:
        """Return the first refusal of the node with the pods nominated to it, or else of the node without them."""
        crowded = with_nominated(self.cycle, info)
        refused = self._first(crowded) if crowded is not None else None
        return refused or self._first(info)

    def _first(self, info: NodeInfo) -> Refusal | None:
        every_plugin = self._every_plugin and info.changes != ()
        for name in self._names:
            if every_plugin or name not in self.cycle.skipped:
                refused = self._said(name, info)
                if refused is not None:
                    return refused
        return None

    def _said(self, name: str, info: NodeInfo) -> Refusal | None:
        if name not in OF_NO_PODS and name != "NodeResourcesFit":
            return FILTERS[name](self.cycle, info)
        key = name, self._shortage(info) if name == "NodeResourcesFit" else info.node.name
        if key not in self._known:
            self._known[key] = FILTERS[name](self.cycle, info)
        return self._known[key]

    def _shortage(self, info: NodeInfo) -> Hashable:
        """Return which resources are short on the node, and which even if it were empty."""
        has, taken = info.node.allocatable, info.requested(self.cycle.plugins.departures)
        crowded = len(info.pods) + 1 > has.get("pods", 0)
        return crowded, tuple(
            (size > has.get(name, 0) - taken.get(name, 0), size > has.get(name, 0)) for name, size in self._wants
        )

    def tried(self, info: Tallied) -> Candidate | Refusal:
        """Return the result of evictions on the node."""
        departures, empty = self.cycle.plugins.departures, emptied(self.cycle, info)
        if empty.order == ():
            return NO_VICTIMS
        refused = self.filtered(empty.node)
        if refused is not None:
            return refused
        left, spared = empty.node, set()
        for pod in empty.put_back:
            more = left.added(pod)
            if self.filtered(more) is None:
                left = more
                spared.add(pod)
            else:
                left = more.removed(pod, departures)
        victims = by_importance(pod for pod in empty.put_back if pod not in spared)
        return Candidate(info.node, victims, violations(empty.order, frozenset(victims), empty.budgets, departures))


def emptied(cycle: Counting, info: Tallied) -> Emptied:
    """Return the node without the potential victims of the pod, computed once for all preemptors of its priority."""
    key = info.node.name, cycle.pod.priority, cycle.plugins.departures
    known = cycle.there.emptied.get(key)
    if known is None:
        known = cycle.there.emptied[key] = _emptied(cycle, info)
    return known


def _emptied(cycle: Counting, info: Tallied) -> Emptied:
    departures, order = cycle.plugins.departures, by_importance(potential_victims(cycle.pod, info))
    budgets = cycle.there.guarding(order)
    violators = violating(order, budgets, departures)
    put_back = tuple(sorted(order, key=lambda pod: pod not in violators))
    return Emptied(info.emptied(order, departures), order, put_back, budgets)


@dataclass(frozen=True)
class Run(DryRun):
    """The result of a cycle with these verdicts, and the result of preemption."""

    cycle: Counting
    found: frozendict[str, Verdict]
    potential: tuple[Tallied, ...]

    @cached_property
    def potential_nodes(self) -> tuple[Tallied, ...]:
        """The nodes whose refusal evictions may change."""
        return self.potential

    @cached_property
    def said(self) -> PostFiltered:
        """The cached result of PostFilter."""
        return post_filter(self)

    @property
    def message(self) -> str:
        """The message about the pod: why no node is feasible, and what PostFilter says."""
        nodes, rejection = len(self.cycle.infos), self.cycle.rejection
        if nodes == 0:
            return NO_NODES
        refusals = (verdict.refusal for verdict in self.found.values() if verdict.refusal is not None)
        why = ", ".join(rejection.reasons) if rejection is not None else histogram(refusals)
        return fit_error(nodes, why, self.said.message)

    @cached_property
    def verdicts(self) -> frozendict[str, Verdict]:
        """The verdicts of the filters on every node."""
        return self.found

    @cached_property
    def outcomes(self) -> frozendict[str, Candidate | Refusal]:
        """The result of evictions on each potential node, with equally important pods in the order of its pods."""
        trials = Trials(self.cycle)
        return frozendict({info.node.name: trials.tried(info) for info in self.potential_nodes})


def permitted_nominations(run: Run, made: frozenset[Decision]) -> frozenset[Decision]:
    """Return `made` if it is a permitted nomination, else at least one other permitted nomination.

    Raises: TooManyOrders.
    """
    pod = run.cycle.pod
    if len(made) == 1 and all(isinstance(each, Nominate) and _shown(run, each) for each in made):
        return made
    if sum(_orders(run, info) for info in run.potential_nodes) <= ORDERS and run.listings:
        return frozenset(Nominate(pod, each.node, frozenset(each.victims)) for each in permitted(run))
    if any(isinstance(each, Nominate) for each in made):
        raise TooManyOrders
    return frozenset(Nominate(pod, each.node, frozenset(each.victims)) for each in selected(run.candidates))


def _shown(run: Run, made: Nominate) -> bool:
    """Whether one order of the potential victims on each node shows that the nomination is permitted.

    On the nominated node such victims result, and on no other node do victims of less casualty.
    """
    own = run.outcomes.get(made.node.name)
    if made.pod != run.cycle.pod or not isinstance(own, Candidate) or own.node != made.node:
        return False
    least = min(map(casualty, run.candidates))
    return renames(own, made.victims, run) and _no_more(casualty(own), least)


def _no_more(own: Casualty, least: Casualty) -> bool:
    return own <= least


def renames(own: Candidate, victims: Iterable[Pod], run: Run) -> bool:
    """Whether these are potential victims of the candidate's node, as many of each kind as its victims."""
    info = next(each for each in run.cycle.infos if each.node == own.node)
    victims, potential = frozenset(victims), frozenset(potential_victims(run.cycle.pod, info))
    budgets = run.cycle.snapshot.budgets
    return victims <= potential and _kinds(victims, budgets) == _kinds(own.victims, budgets)


def _kinds(pods: Iterable[Pod], budgets: tuple[PodDisruptionBudget, ...]) -> Counter[object]:
    return Counter(kind(pod, budgets) for pod in pods)


def _orders(run: Run, info: NodeInfo) -> int:
    """Return the number of orders in which the potential victims of a node may be reprieved."""
    pods = by_importance(potential_victims(run.cycle.pod, info))
    groups = (_kinds(group, run.cycle.snapshot.budgets) for _, group in groupby(pods, key=importance))
    return prod(factorial(each.total()) // prod(map(factorial, each.values())) for each in groups)
