"""The operators of KubeExtenders with their twins: `TWINS`; extenders with fixed answers: `settings`"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from frozendict import frozendict

from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extender_configuration import ManagedResource
from schedcheck.spec.extenders import Extender, Failed, Filtered, MetaVictims, Nodes, Offered, Victims, interested
from schedcheck.spec.importance import by_importance
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.extenders import EXTENDER_UNIT, Kept, agreed, kept, points
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate
from schedcheck.spec.objects import Node, Pod, Snapshot
from tests.tla.operators.asking import Setting
from tests.tla.operators.cases import Case
from tests.tla.operators.settings import kubernetes
from tests.tla.operators.told import Fields, told
from tests.tla.operators.twin import Twin

MENDED = DEFAULT_PLUGINS.departing(DEFAULT_PLUGINS.departures - {Departure.NEEDLESS_PREEMPTION_FAILS})
WAITS = {"Pod": Case.waits}
Key = tuple[str, str]


@dataclass(frozen=True)
class Table:
    """The answers of an extender about a pod, by node name."""

    down: bool
    failed: frozenset[str]
    unresolvable: frozenset[str]
    points: Mapping[str, int]
    victims: Mapping[str, frozenset[Key] | None]
    """The victims that the extender names in place of those offered; None if it keeps those offered."""

    def told(self) -> Fields:
        return Fields(
            {
                "Down": self.down,
                "Failed": self.failed,
                "Unresolvable": self.unresolvable,
                "Points": self.points,
                "Victims": self.victims,
            }
        )


def drawn_table(random: Random, nodes: tuple[str, ...], pods: tuple[Key, ...]) -> Table:
    def some() -> frozenset[str]:
        return frozenset(name for name in nodes if random.random() < 0.3)

    def named() -> frozenset[Key] | None:
        number = random.choice((None, None, 0, 1, 1))
        return None if number is None else frozenset(random.sample(pods, number))

    victims = {name: named() for name in nodes}
    return Table(
        random.random() < 0.25,
        some(),
        some(),
        {name: random.randint(0, 10) for name in nodes},
        {name: keys for name, keys in victims.items() if random.random() < 0.8},
    )


def drawn_offer(random: Random) -> Offer:
    def verb() -> str:
        return random.choice(("verb", "verb", ""))

    managed = random.choice(((), (), (ManagedResource("cpu"),), (ManagedResource("example.com/none"),)))
    return Offer(
        "http://extender", verb(), verb(), verb(), weight=random.randint(1, 3), managed_resources=managed,
        ignorable=random.random() < 0.5,
    )  # fmt: skip


def by_table(offer: Offer, tables: Mapping[Key, Table]) -> Extender:
    """The extender with this configuration and these answers about each pod."""

    def filtered(pod: Pod, nodes: Nodes) -> Filtered | Failed:
        said = tables[pod.key]
        refused = said.failed | said.unresolvable
        return Failed("down") if said.down else Filtered(
            frozenset(node.name for node in nodes) - refused,
            frozendict(dict.fromkeys(said.failed & {node.name for node in nodes}, "x")),
            frozendict(dict.fromkeys(said.unresolvable & {node.name for node in nodes}, "x")),
        )  # fmt: skip

    def chosen(pod: Pod, offered: Offered) -> Mapping[str, MetaVictims] | Failed:
        said = tables[pod.key]
        as_offered = {name: frozenset(one.key for one in each.pods) for name, each in offered.items()}
        named = {
            name: as_offered[name] if keys is None else keys for name, keys in said.victims.items() if name in offered
        }
        return Failed("down") if said.down else {
            name: MetaVictims(tuple(sorted(keys)), offered[name].violations) for name, keys in named.items()
        }  # fmt: skip

    return Extender(
        offer, filtered, lambda pod, nodes: Failed("down") if tables[pod.key].down else tables[pod.key].points, chosen
    )


def record(offer: Offer, tables: Mapping[Key, Table]) -> Fields:
    return Fields(
        {
            "Manages": frozenset(each.name for each in offer.managed_resources),
            "Ignorable": offer.ignorable,
            "Weight": offer.weight,
            "Filters": offer.filter_verb != "",
            "Prioritizes": offer.prioritize_verb != "",
            "Preempts": offer.preempt_verb != "",
            "Answers": {key: each.told() for key, each in tables.items()},
        }
    )


def setting(number: int, seeds: Iterable[int], *, refusing: bool = False) -> Setting:
    """Some snapshots, and one or two extenders that are asked about their pods; `refusing` ones refuse every node for now."""
    base = MENDED if number % 3 == 2 else DEFAULT_PLUGINS
    made = kubernetes(f"extenders {number}", seeds, base)
    random = Random(number)
    snapshots = [case.snapshot for case in made.cases.values()]
    pods = tuple(sorted({pod.key for each in snapshots for pod in each.pods}))
    nodes = tuple(sorted({node.name for each in snapshots for node in each.nodes}))
    known = [
        (drawn_offer(random), {key: drawn_table(random, nodes, pods) for key in pods})
        for _ in range(random.choice((1, 2)))
    ]
    if refusing:
        known = [refusing_all(offer, tables, nodes) for offer, tables in known]
    plugins = replace(base, extenders=tuple(by_table(offer, tables) for offer, tables in known))
    cases = {name: replace(case, plugins=plugins) for name, case in made.cases.items()}
    records = next(iter(cases.values())).records
    value = told(tuple(record(offer, tables) for offer, tables in known), records)
    return Setting(made.name, cases, {**made.constants, "Extenders": value}, ("KubeExtenders",))


def refusing_all(offer: Offer, tables: Mapping[Key, Table], nodes: tuple[str, ...]) -> tuple[Offer, dict[Key, Table]]:
    """The extender that is asked about every pod, and refuses all nodes in a way that evictions may resolve."""
    failed = frozenset(nodes)
    return replace(offer, filter_verb="verb", managed_resources=()), {
        key: replace(each, down=False, failed=failed, unresolvable=frozenset()) for key, each in tables.items()
    }


def settings(numbers: Iterable[int], of_each: int) -> Iterator[Setting]:
    for number in numbers:
        yield setting(number, range(of_each * number, of_each * (number + 1)))


def left_over(case: Case) -> frozenset[Node]:
    return frozenset(case.nodes())


def ordered(nodes: frozenset[Node]) -> Nodes:
    return tuple(sorted(nodes, key=lambda node: node.name))


def first(case: Case) -> int:
    return case.random.randint(1, len(case.plugins.extenders) + 1)


def said_of(left: Kept) -> Fields:
    def refused(code: str) -> frozenset[str]:
        return frozenset(name for name, each in left.refused.items() if each.code == code)

    return Fields(
        {
            "Nodes": frozenset(left.nodes),
            "Failed": refused("Unschedulable"),
            "Unresolvable": refused("UnschedulableAndUnresolvable"),
            "Error": left.error is not None,
        }
    )


def kept_from(case: Case, i: int, pod: Pod, left: frozenset[Node]) -> Fields:
    said = said_of(kept(pod, ordered(left), case.plugins.extenders[i - 1 :]))
    by_name = {node.name: node for node in left}
    values: dict[str, Any] = dict(said.values)
    for field in ("Failed", "Unresolvable"):
        values[field] = frozenset(by_name[name] for name in values[field])
    return Fields(values)


def points_of(case: Case, pod: Pod, left: frozenset[Node]) -> dict[Node, int]:
    found = points(pod, ordered(left), case.plugins.extenders)
    return {node: found[node.name] for node in left}


def candidates(case: Case, pod: Pod) -> frozenset[Candidate]:
    """Candidates of preemption on some nodes, some without victims."""
    found = []
    for node in case.nodes():
        there = [other for other in case.snapshot.pods if other.node_name == node.name and other.key != pod.key]
        victims = case.random.sample(there, case.random.randint(0, min(2, len(there))))
        found.append(Candidate(node, by_importance(victims), case.random.randint(0, 1)))
    return frozenset(found)


def agreed_from(case: Case, i: int, pod: Pod, offered: frozenset[Candidate], snapshot: Snapshot) -> Fields:
    by_name = {each.node.name: each for each in offered}
    whole = {name: Victims(each.victims, each.violations) for name, each in sorted(by_name.items())}
    said = agreed(pod, whole, snapshot, case.plugins.extenders[i - 1 :])
    if isinstance(said, Failed):
        return Fields({"Candidates": frozenset(), "Error": True})
    left = frozenset(Candidate(by_name[name].node, each.pods, each.violations) for name, each in said.items())
    return Fields({"Candidates": left, "Error": False})


def decisions(case: Case, pod: Pod) -> frozenset[Any]:
    return decision(pod, case.snapshot, case.plugins)


def of_an_extender(case: Case) -> Fields:
    return OfAnExtender.of(case.one(case.plugins.extenders).offer)


class OfAnExtender(Fields):
    """The configuration of an extender."""

    offer: Offer

    @classmethod
    def of(cls, offer: Offer) -> "OfAnExtender":
        made = cls(record(offer, {}).values)
        object.__setattr__(made, "offer", offer)
        return made


TWINS = (
    Twin("ExtenderUnit", lambda: EXTENDER_UNIT),
    Twin("Interested", lambda extender, pod: interested(extender.offer, pod), {"Extender": of_an_extender}),
    Twin("KeptFrom", kept_from, WAITS | {"i": first, "Left": left_over}),
    Twin("ExtenderPoints", points_of, WAITS | {"Left": left_over}),
    Twin("AgreedFrom", agreed_from, WAITS | {"i": first, "Offered": candidates}),
    Twin("ExtendedDecisions", decisions, WAITS),
)  # fmt: skip
