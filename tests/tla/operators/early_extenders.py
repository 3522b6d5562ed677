"""The operators of ClassicExtenders with their twins: `TWINS`; the early scheduler with such extenders: `settings`"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from schedcheck.spec.classic.decision import decision
from schedcheck.spec.classic.extenders import agreed, kept, points
from schedcheck.spec.classic.policy import DEFAULT, Classic
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extender, Failed, MetaVictims, Offered, Victims
from schedcheck.spec.importance import by_importance
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.tla_export.classic_model import classic_parts
from schedcheck.tla_export.values import NULL, evaluated
from tests.tla.operators.asking import Setting
from tests.tla.operators.cases import Case
from tests.tla.operators.extenders import Key, Table, by_table, drawn_offer, drawn_table, left_over, ordered, record
from tests.tla.operators.settings import ClassicRecords
from tests.tla.operators.told import EarlyCandidate, Fields, told
from tests.tla.operators.twin import Twin
from tests.tla.random_clusters import random_classic

WAITS = {"Pod": Case.waits}


@dataclass(frozen=True)
class EarlyCase(Case):
    """A snapshot of the early scheduler, with its policy."""

    classic: Classic = DEFAULT

    @property
    def extenders(self) -> tuple[Extender, ...]:
        return self.classic.extenders


def in_order(offer: Offer, tables: Mapping[Key, Table], there: Snapshot) -> Extender:
    """The extender with these answers; the victims that it names are told the most important first."""
    made = by_table(offer, tables)

    def chosen(pod: Pod, offered: Offered) -> Mapping[str, MetaVictims] | Failed:
        said, pods = tables[pod.key], {each.key: each for each in there.pods}
        if said.down:
            return Failed("down")
        found = {}
        for name, keys in said.victims.items():
            if name in offered:
                named = [] if keys is None else by_importance(pods[key] for key in keys if key in pods)
                unknown = () if keys is None else tuple(keys - set(pods))
                as_offered = tuple(each.key for each in offered[name].pods)
                found[name] = MetaVictims(as_offered if keys is None else (*(each.key for each in named), *unknown), 5)
        return found

    return replace(made, preempt=chosen)


def setting(number: int) -> Setting | None:
    """A snapshot of the early scheduler and one or two extenders; None if no pod is pending there."""
    scenario, random = random_classic(number), Random(number)
    snapshot = replace(
        Snapshot.of(scenario.pods, scenario.nodes, scenario.namespaces),
        budgets=scenario.budgets,
        services=scenario.services,
        controllers=scenario.owners,
    )
    if all(pod.node_name for pod in snapshot.pods):
        return None
    scaled, _, constants = classic_parts(scenario, scenario.pods)
    starts = sorted({pod.start_time for pod in scenario.pods if pod.start_time is not None})
    records = ClassicRecords(scaled, kubernetes=True, starts=starts)
    pods = tuple(sorted(pod.key for pod in snapshot.pods))
    nodes = tuple(sorted(node.name for node in snapshot.nodes))
    known = [
        (drawn_offer(random), {key: drawn_table(random, nodes, pods) for key in pods})
        for _ in range(random.choice((1, 2)))
    ]
    extenders = tuple(in_order(offer, tables, snapshot) for offer, tables in known)
    case = EarlyCase(snapshot, records, random, classic=replace(scenario.policy, extenders=extenders))
    value = told(tuple(record(offer, tables) for offer, tables in known), records)
    given = {name: evaluated(each) for name, each in constants.items()}
    return Setting(
        scenario.name, {str(number): case}, {**given, "Extenders": value, "Null": NULL}, ("ClassicExtenders",)
    )


def settings(numbers: Iterable[int]) -> Iterator[Setting]:
    yield from (made for number in numbers if (made := setting(number)) is not None)


def first(case: EarlyCase) -> int:
    return case.random.randint(1, len(case.extenders) + 1)


def kept_from(case: EarlyCase, i: int, pod: Pod, some: frozenset[Node]) -> Fields:
    said = kept(pod, ordered(some), case.extenders[i - 1 :])
    return Fields({"Nodes": frozenset(said.nodes), "Error": said.error is not None})


def points_of(case: EarlyCase, pod: Pod, some: frozenset[Node]) -> dict[Node, int]:
    found = points(pod, ordered(some), case.extenders)
    return {node: found[node.name] for node in some}


def offered(case: EarlyCase, pod: Pod) -> frozenset[EarlyCandidate]:
    """Candidates of preemption on some nodes, some without victims."""
    found = []
    for node in case.nodes():
        there = [other for other in case.snapshot.pods if other.node_name == node.name and other.key != pod.key]
        victims = case.random.sample(there, case.random.randint(0, min(2, len(there))))
        found.append(EarlyCandidate(node, tuple(victims), case.random.randint(0, 1)))
    return frozenset(found)


def agreed_from(case: EarlyCase, i: int, pod: Pod, given: frozenset[EarlyCandidate], snapshot: Snapshot) -> Fields:
    nodes = {each.node.name: each for each in given}
    whole = {name: Victims(each.victims, each.violations) for name, each in sorted(nodes.items())}
    said = agreed(pod, whole, snapshot, case.extenders[i - 1 :])
    if isinstance(said, Failed):
        return Fields({"Candidates": frozenset(), "Error": True})
    left = frozenset(EarlyCandidate(nodes[name].node, each.pods, each.violations) for name, each in said.items())
    return Fields({"Candidates": left, "Error": False})


def decisions(case: EarlyCase, pod: Pod) -> frozenset[Any]:
    return decision(pod, case.snapshot, case.classic)


TWINS = (
    Twin("EarlyKeptFrom", kept_from, WAITS | {"i": first, "Some": left_over}),
    Twin("EarlyPoints", points_of, WAITS | {"Some": left_over}),
    Twin("EarlyAgreedFrom", agreed_from, WAITS | {"i": first, "Offered": offered}),
    Twin("EarlyExtendedDecisions", decisions, WAITS),
)
