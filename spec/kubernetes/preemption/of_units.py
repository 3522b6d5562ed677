"""What a pod without a group evicts where pods of PodGroups may be victims: `in_units`, `endangered`, `unit_outcome`.

What a node holds is evicted in units (`units`). A unit with a pod on the node and a lower priority than the preemptor is
taken away as a whole: on other nodes too, where topology spread, pod affinity and ReadWriteOncePod claims no longer
count its pods. If the pod fits then, the units are put back one by one, as single pods are.

Kubernetes 1.37: GetVictimsOnNode in pkg/scheduler/framework/preemption/preemption.go; SelectVictimsOnNode and
PodEligibleToPreemptOthers in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.

Not modelled: `miscounts`; more than 5,000 orders of units; extenders. TLA+ has no twin.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain, permutations, product
from math import factorial, prod

from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.filter import filtered
from schedcheck.spec.kubernetes.filters import inter_pod_affinity
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import Near
from schedcheck.spec.kubernetes.filters.pod_topology_spread import Counts, changed, in_scope, required, spread_with
from schedcheck.spec.kubernetes.filters.volume_restrictions import in_use_after
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_group_members import in_one_cycle
from schedcheck.spec.kubernetes.preemption.disruption import Listing, overlapping, violating, violations
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.kubernetes.preemption.units import (
    MOST_ORDERS,
    Unit,
    any_alike,
    by_rank,
    importance,
    number,
    orders,
    pods_of,
    unit_of,
    violators_first,
    within,
)
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal, failed

Units = frozenset[Unit]

TOO_MANY_ORDERS = (
    "the decision depends on the order of equally important victims of pod groups; there are too many orders"
)
"""The reason given for such a decision."""

MISCOUNTED = "not modelled: spread constraints over three domains or more, from several of which a pod group's pods go"
"""The reason given for such a decision."""

KEPT_DOMAINS = 2
"""The number of domains of which kube-scheduler keeps the counts that may be the least."""


@dataclass(frozen=True)
class Evicted:
    """The victims on a node, first the one whose own priority counts first, and how many of them violate a budget."""

    victims: tuple[Pod, ...]
    violations: int


def in_units(cycle: Cycle) -> bool:
    """Whether pods are evicted in units in this cycle."""
    return units_on(cycle.infos, cycle.plugins)


def units_on(infos: Iterable[NodeInfo], plugins: Plugins) -> bool:
    """Whether pods are evicted in units: a pod on some node names a group, and PodGroups are tried in one cycle.

    By departure "members-preempt" they are evicted like other pods.
    """
    if not in_one_cycle(plugins) or Departure.MEMBERS_PREEMPT in plugins.departures:
        return False
    return any(pod.scheduling_group for info in infos for pod in info.pods)


def endangered(cycle: Cycle, info: NodeInfo) -> tuple[Pod, ...]:
    """Return the pods on the node that the pod may evict, each by the priority of its unit."""
    if not in_units(cycle):
        return potential_victims(cycle.pod, info)
    return tuple(pod for pod in info.pods if unit_of(pod, cycle.snapshot).priority < cycle.pod.priority)


def potential_units(cycle: Cycle, info: NodeInfo) -> Units:
    """Return the units of lower priority with a pod on the node."""
    return frozenset(unit_of(pod, cycle.snapshot) for pod in endangered(cycle, info))


@dataclass(frozen=True)
class Elsewhere(Cycle):
    """A cycle that goes on while pods of other nodes are thought away: `others` has these nodes, with the changes."""

    before: Cycle
    others: tuple[NodeInfo, ...]

    @cached_property
    def skipped(self) -> frozenset[str]:
        """The plugins that are left out of the cycle."""
        return self.before.skipped

    @cached_property
    def spread(self) -> tuple[Counts, ...]:
        """The counts of matching pods in each domain."""
        departures = self.plugins.departures
        return tuple(
            reduce(lambda now, info: changed(now, constraint, self.spreading, info, departures), self.others, counted)
            for constraint, counted in zip(required(self.spreading), self.before.spread, strict=True)
        )

    @cached_property
    def around(self) -> Near:
        """The counts of InterPodAffinity."""
        departures = self.plugins.departures
        return reduce(
            lambda now, info: inter_pod_affinity.after(now, self.pod, info, self.snapshot, departures),
            self.others,
            self.before.around,
        )

    @cached_property
    def in_use(self) -> int:
        """The number of the pod's ReadWriteOncePod claims that are in use."""
        departures = self.plugins.departures
        return reduce(
            lambda used, info: in_use_after(self.pod, info, used, self.storage, departures),
            self.others,
            self.before.in_use,
        )


def on(node: NodeInfo, some: Iterable[Unit]) -> list[Pod]:
    """Return the pods of these units on the node."""
    return sorted((pod for pod in pods_of(some) if pod.node_name == node.node.name), key=_key)


def without(info: NodeInfo, some: Iterable[Unit], cycle: Cycle) -> NodeInfo:
    """Return the node without the pods of these units."""
    return reduce(lambda left, pod: left.removed(pod, cycle.plugins.departures), on(info, some), info)


def fits(cycle: Cycle, info: NodeInfo, gone: Units) -> Refusal | None:
    """Return the refusal of the node, whose pods are those of `info`, while these units are gone; None if there is none."""
    others = (without(other, gone, cycle) for other in cycle.infos if other.node != info.node)
    moved = tuple(other for other in others if other.changes)
    now = Elsewhere(cycle.pod, cycle.snapshot, cycle.plugins, cycle.infos, cycle.cluster, cycle, moved)
    return filtered(now, info)


def spared(cycle: Cycle, info: NodeInfo, order: tuple[Unit, ...]) -> Units:
    """Return the units that are spared if they are put back in this order."""
    every = frozenset(order)

    def with_next(so_far: tuple[NodeInfo, Units], unit: Unit) -> tuple[NodeInfo, Units]:
        left, kept = so_far
        more = reduce(NodeInfo.added, on(info, {unit}), left)
        if fits(cycle, more, every - kept - {unit}) is None:
            return more, kept | {unit}
        return without(more, {unit}, cycle), kept

    return reduce(with_next, order, (without(info, every, cycle), Units()))[1]


def refused(cycle: Cycle, info: NodeInfo, some: Units) -> Refusal | None:
    """Return the refusal of the node without these units: evictions do not help there, or fail."""
    there = {each.node.name for each in cycle.infos}
    missing = min((pod.node_name for pod in pods_of(some) if pod.node_name not in there), default=None)
    if missing is not None:
        return failed("", f'failed to get node info for node "{missing}" from snapshot')
    return fits(cycle, without(info, some, cycle), some)


def evictions(cycle: Cycle, info: NodeInfo, listing: Listing) -> frozenset[Evicted]:
    """Return what may be evicted on the node, with the budgets in this order; nothing if that does not help.

    Equally important units are put back in any order. The pods of a unit are charged to the budgets in any order.
    """
    some = potential_units(cycle, info)
    if not some or refused(cycle, info, some) is not None:
        return frozenset()
    return frozenset(
        each
        for order in orders(some, listing)
        for pods in product(*(within(unit, several=_shared(cycle, some) != ()) for unit in order))
        for each in evicted(cycle, info, order, (tuple(chain(*pods)), listing))
    )


def evicted(cycle: Cycle, info: NodeInfo, order: tuple[Unit, ...], charged: tuple[tuple[Pod, ...], Listing]) -> Iterator[Evicted]:  # fmt: skip
    """Yield what is evicted if these units are put back in this order, and their pods charged to budgets in that order.

    The most important victim leads: kube-scheduler takes its priority for the highest. In a unit that may be any pod.
    Nothing is evicted on a node that only an extender has refused.
    """
    pods, listing = charged
    departures = cycle.plugins.departures
    put_back = violators_first(order, violating(pods, listing, departures))
    kept = spared(cycle, info, put_back)
    lost = [unit for unit in put_back if unit not in kept]
    number_of = violations(pods, pods_of(lost), listing, departures)
    if not lost:
        yield Evicted((), number_of)
        return
    first = min(lost, key=importance)
    leading = {pod.priority: pod for pod in sorted(first.pods, key=_key, reverse=True)}
    for one in leading.values():
        for victims in any_alike(lost, order, listing):
            yield Evicted(_led_by(one, victims), number_of)


def _led_by(one: Pod, victims: frozenset[Pod]) -> tuple[Pod, ...]:
    """Return the victims, first one with the priority of this pod."""
    return tuple(sorted(victims, key=lambda pod: (pod.priority != one.priority, pod.key)))


def unit_outcome(cycle: Cycle, info: NodeInfo) -> Evicted | Refusal | None:
    """Return what is evicted on the node, equally important units by name, or why nothing is; None without any unit."""
    some, budgets = potential_units(cycle, info), cycle.snapshot.budgets
    order = by_rank(some)
    if not some:
        return None
    pods = tuple(chain(*(sorted(unit.pods, key=_key) for unit in order)))
    return refused(cycle, info, some) or next(evicted(cycle, info, order, (pods, budgets)))


def unit_listings(cycle: Cycle, infos: Iterable[NodeInfo]) -> tuple[Listing, ...]:
    """Return the orders of the budgets that matter for the units of these nodes."""
    some = frozenset(unit for info in infos for unit in potential_units(cycle, info))
    shared = _shared(cycle, some)
    others = tuple(each for each in cycle.snapshot.budgets if each not in shared)
    return tuple((*first, *others) for first in permutations(shared))


def _shared(cycle: Cycle, some: Units) -> Listing:
    """Return the budgets whose order matters for these units: those that guard some pod together with another one."""
    if Departure.LATER_BUDGETS_UNCHARGED not in cycle.plugins.departures:
        return ()
    found = overlapping(cycle.snapshot.budgets, pods_of(some), cycle.plugins.departures)
    return tuple(each for each in cycle.snapshot.budgets if each in found)


def unclear(cycle: Cycle, infos: Iterable[NodeInfo]) -> str:
    """Return why it is not known what is evicted on these nodes; empty if it is."""
    by_node = [some for info in infos if (some := potential_units(cycle, info))]
    shared = _shared(cycle, Units().union(*by_node))
    ways = sum(number(some, cycle.snapshot.budgets) * (_inside(some) if shared else 1) for some in by_node)
    if ways * factorial(len(shared)) > MOST_ORDERS:
        return TOO_MANY_ORDERS
    return MISCOUNTED if any(miscounts(cycle, pods_of(some)) for some in by_node) else ""


def _inside(some: Units) -> int:
    return prod(factorial(len(unit.pods)) for unit in some)


def miscounts(cycle: Cycle, moving: Iterable[Pod]) -> bool:
    """Whether kube-scheduler may mistake the least count of a spread constraint while these pods go and come back.

    It keeps the counts of two domains, and looks for the least one in those. Once pods of one of them and of another
    have moved, a third one may have the least count.

    Kubernetes 1.37: criticalPaths in pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
    """
    pod, where = cycle.spreading, {info.node.name: info.node for info in cycle.infos}
    there = [(other, where[other.node_name]) for other in moving if other.node_name in where]
    return any(
        len(counted) > KEPT_DOMAINS
        and len(
            {
                node.labels[constraint.topology_key]
                for other, node in there
                if in_scope(constraint, pod, node) and spread_with(constraint, pod, other)
            }
        )
        > 1
        for constraint, counted in zip(required(pod), cycle.spread, strict=True)
    )


def _key(pod: Pod) -> tuple[str, str]:
    return pod.key
