"""Random small clusters in numbers of every magnitude: `magnitude`

The vocabularies count to ten. Here the amounts, priorities, starts, weights, sizes of images and label values of a case are
those of real clusters, or at the ends of what the API accepts. Now and then one is off by one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from frozendict import frozendict

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.objects import Container, Node, Pod, Snapshot
from schedcheck.spec.terms import PreferredNodeTerm, Requirement
from schedcheck.spec.values import Amounts
from tests.checker.differential.enumeration.spaces import Change, Feature
from tests.checker.differential.enumeration.vocabulary import GPU, NAMED, fitting, labelled, where
from tests.checker.differential.search import singles, small, ties

NUMERALS = (
    "0", "1", "007", "99", "126", "127", "128", "255", "256", "1000", "32768", "65536", "2147483647", "2147483648", "4294967296",
    "9007199254740992", "9007199254740993", "9223372036854775806", "9223372036854775807", "9223372036854775808",
    "18446744073709551616", "0000000000000000000000128", "1e3", "0x10", "1.5", "1_000", "v2", "",
)  # fmt: skip
"""Label values: numbers that fit into 64 bits, numbers that do not, and what is no number."""
SIZES: tuple[Change, ...] = tuple(labelled(size=each) for each in NUMERALS)


def _compared(operator: str, value: str) -> tuple[Change, ...]:
    term = where(Requirement("size", operator, (value,)))
    return fitting(node_required=(term,)), fitting(node_preferred=(PreferredNodeTerm(5, term),))


NUMBERS = Feature(
    "numbers", tuple(change for operator in ("Gt", "Lt") for value in NUMERALS for change in _compared(operator, value)), nodes=SIZES
)  # fmt: skip
FACTORS: Mapping[str, tuple[int, ...]] = {
    "cpu": (1, 3, 64, 1000, 10**6),
    "memory": (1, 1000, 2**20),
    GPU: (1, 128, 10**9),
    "ephemeral-storage": (1, 1000, 2**20),
}
PRIORITIES = (-(2**31), -(10**9), -1000, -1, 0, 1, 2, 100, 1000, 10**6, 10**9, 2 * 10**9, 2 * 10**9 + 1000, 2**31 - 1)
CONTENDED = ("preemption", "budgets", "room for pods", "waits for victims", "nominations")
LATEST = 1_800_000_000_000_000
"""The start of a pod of some year, in microseconds."""


@dataclass(frozen=True)
class Scale:
    """What the small numbers of a case stand for: a factor for each resource, a priority for each, and a start."""

    factors: Mapping[str, int]
    priorities: Mapping[int, int]
    since: int
    apart: int
    weight: int
    bytes: int


def scale(chance: Chance, there: Snapshot, asked: Pod) -> Scale:
    """Return a random scale that keeps the order of priorities and starts."""
    known = sorted({each.priority for each in (*there.pods, asked)})
    others = sorted(chance.sample(PRIORITIES, len(known))) if chance.often(0.5) else known
    return Scale(
        {name: chance.choice(factors) for name, factors in FACTORS.items()},
        dict(zip(known, others, strict=True)),
        chance.one(0, 0, LATEST),
        chance.one(1, 1, 60, 10**6, 86_400 * 10**6),
        chance.one(1, 1, 3, 10),
        chance.one(1, 1, 3, 1000),
    )


def amounts(chance: Chance, of: Scale, some: Amounts) -> Amounts:
    """Return scaled amounts; now and then one of them is one more or less, which is a thousandth in a request."""
    found = {name: amount * of.factors.get(name, 1) for name, amount in some.items()}
    name = chance.choice(sorted(found)) if found and chance.often(0.15) else ""
    return frozendict({key: max(0, each + chance.one(-1, 1)) if key == name else each for key, each in found.items()})


def container(chance: Chance, of: Scale, one: Container) -> Container:
    """Return a scaled container."""
    told = {name: amounts(chance, of, getattr(one, name)) for name in ("requests", "allocated")}
    return replace(one, **told, actual=None if one.actual is None else amounts(chance, of, one.actual))


def pod(chance: Chance, of: Scale, one: Pod) -> Pod:
    """Return a scaled pod."""
    lists: dict[str, Any] = {
        name: tuple(container(chance, of, each) for each in getattr(one, name))
        for name in ("containers", "init_containers")
    }
    told = {name: amounts(chance, of, getattr(one, name)) for name in ("overhead", "pod_requests", "pod_allocated")}
    preferred = {
        name: tuple(replace(each, weight=min(100, each.weight * of.weight)) for each in getattr(one.affinity, name))
        for name in ("node_preferred", "pod_preferred", "anti_preferred")
    }
    return replace(
        one,
        **lists,
        **told,
        pod_actual=None if one.pod_actual is None else amounts(chance, of, one.pod_actual),
        priority=of.priorities[one.priority],
        start_time=None if one.start_time is None else of.since + of.apart * one.start_time,
        affinity=replace(one.affinity, **preferred),
    )


def node(chance: Chance, of: Scale, one: Node) -> Node:
    """Return a scaled node; an image has one size everywhere."""
    images = tuple(replace(each, size=each.size * of.bytes) for each in one.images)
    return replace(one, allocatable=amounts(chance, of, one.allocatable), images=images)


def plain(chance: Chance) -> Question:
    """Return a small question whose numbers are small: of numbers in labels, of contended nodes, of nodes that nearly tie, or any."""
    match chance.randrange(5):
        case 0:
            more = chance.some(("node affinity", "node preferences"), 0, 1)
            return small.question(chance, (NUMBERS, *(NAMED[each] for each in more)))
        case 1:
            return small.question(chance, tuple(NAMED[each] for each in chance.some(CONTENDED, 1, 2)))
        case 2:
            return ties.question(chance)
        case 3:
            return ties.guarded_question(chance)
        case _:
            return small.question(chance, small.features(chance))


def magnitude(start: str) -> None:
    """Judge a small cluster in other numbers, and what the cycle begins."""
    chance = Chance(f"magnitude {start}")
    asked, there, plugins = plain(chance)
    of = scale(chance, there, asked)
    pods = tuple(pod(chance, of, each) for each in there.pods)
    nodes = tuple(node(chance, of, each) for each in there.nodes)
    singles.shown((pod(chance, of, asked), replace(there, pods=pods, nodes=nodes), plugins))
