"""The victims that are offered to extenders, and the cost of computing them"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.victims.kubernetes_judge import of_kubernetes
from schedcheck.checker.victims.strategies import Ways, ways
from schedcheck.report.text import extended_victims
from schedcheck.report.text.extended_victims import Extended, extended
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extender, MetaVictims, Offered, Victims
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.extenders import Kept
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.preemption.disruption import guards
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.crowded import crowded
from tests.support.building import node, pod, snapshot

EVICT = Offer("http://a", preempt_verb="preempt")
WITHOUT = DEFAULT_PLUGINS


class Recording:
    """An extender that records what it is offered and agrees to all of it."""

    def __init__(self) -> None:
        self.offered: dict[str, Victims] = {}

    def preempt(self, pod: Pod, offered: Offered) -> Mapping[str, MetaVictims]:
        self.offered.update(offered)
        return {
            name: MetaVictims(tuple(other.key for other in each.pods), each.violations)
            for name, each in offered.items()
        }


@dataclass(frozen=True, eq=False)
class Counted(Snapshot):
    """A snapshot that counts how often all of its pods are scanned."""

    scans = 0

    def __getattribute__(self, name: str) -> object:
        if name == "pods":
            Counted.scans += 1
        return super().__getattribute__(name)


def found_in(new: Pod, there: Snapshot) -> tuple[Ways, ...]:
    return ways(new, there.nodes, there, of_kubernetes(WITHOUT), Spent())


def asked(new: Pod, there: Snapshot) -> Mapping[str, Victims]:
    extender = Recording()
    plugins = replace(WITHOUT, extenders=(Extender(EVICT, preempt=extender.preempt),))
    extended(new, Kept(there.nodes), found_in(new, there), there, plugins)
    return extender.offered


def charged(new: Pod, node: str, victims: frozenset[Pod], there: Snapshot) -> int:
    """By definition: the victims beyond what budgets allow, charged for all pods of lower priority."""
    lower = [each for each in there.pods if each.node_name == node and each.priority < new.priority]
    late = 10**18
    lower.sort(key=lambda each: (-each.priority, late if each.start_time is None else each.start_time))
    beyond: set[Pod] = set()
    for budget in there.budgets:
        guarded = [each for each in lower if guards(budget, each, WITHOUT.departures)]
        beyond |= set(guarded[max(0, budget.disruptions_allowed) :])
    return len(beyond & victims)


def candidates() -> Iterator[tuple[Pod, Snapshot, Mapping[str, Victims]]]:
    for seed in range(60):
        new, _, there = crowded(seed, 5)
        yield new, there - frozenset({new}), asked(new, there - frozenset({new}))


def test_extenders_are_offered_the_reprieve_victims_with_their_violations() -> None:
    assert Departure.BUDGETS_CHARGED_FOR_ALL in WITHOUT.departures
    violating = 0
    for new, there, offered in candidates():
        by_node = {each.node.name: each.reprieve for each in found_in(new, there) if each.reprieve}
        assert {name: frozenset(each.pods) for name, each in offered.items()} == by_node
        for name, each in offered.items():
            assert each.violations == charged(new, name, by_node[name], there)
            violating += each.violations > 0
    assert violating > 3


def test_equally_important_victims_are_offered_by_name() -> None:
    there = [pod(f"p{number}", 1, "n", priority=1) for number in range(6)]
    offered = asked(pod("new", 6, priority=2), snapshot(node("n", 6), *there))
    assert offered["n"].pods == tuple(there)


def test_nothing_is_computed_for_extenders_that_are_not_asked() -> None:
    there = snapshot(node("n", 1), pod("p", 1, "n", priority=1))
    new = pod("new", 1, priority=2)
    found = found_in(new, there)
    Counted.scans = 0
    assert extended(new, Kept(there.nodes), found, _counted(there), WITHOUT) == Extended((), Kept(there.nodes), None)
    assert Counted.scans == 0


def test_the_number_of_scans_does_not_grow_with_the_nodes() -> None:
    assert scans(1) == scans(12)


def scans(number: int) -> int:
    new = pod("new", 1, priority=2)
    nodes = [node(f"n{each:02}", 1) for each in range(number)]
    there = snapshot(*nodes, *(pod(f"p{each:02}", 1, f"n{each:02}", priority=1) for each in range(number)))
    found = found_in(new, there)
    assert len([each for each in found if each.reprieve]) == number
    Counted.scans = 0
    extended_victims._offered(new, found, _counted(there), WITHOUT)
    return Counted.scans


def _counted(there: Snapshot) -> Snapshot:
    return Counted(there.pods, there.nodes, there.namespaces, there.budgets)
