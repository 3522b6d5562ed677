"""The empty nodes that go at once are those that some order of equal nodes gives; every order is tried here."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from random import Random

import pytest

from schedcheck.model.controllers.karpenter import choosing
from schedcheck.model.controllers.karpenter.candidates import Candidate, candidates, spare
from schedcheck.model.controllers.karpenter.choosing import every
from schedcheck.model.controllers.karpenter.consolidation import Disrupting
from schedcheck.model.provisioning import EMPTY, NODE_POOL, Budget, Karpenter, Pool
from schedcheck.spec.objects import Snapshot
from tests.model.controllers.karpenter.test_steps import ONLY, SMALL, managed, type_

DEAR = type_("dear", 2, 1.5)


def drawn(seed: int) -> tuple[Karpenter, Snapshot]:
    """One pool or two, and up to five empty nodes of two prices, of which some may be away."""
    chance = Random(seed)
    pools = tuple(
        Pool(name, requirements=(ONLY,), budgets=(Budget(chance.choice((0, 1, 2, "34%", "50%", "100%"))),))
        for name in "pq"[: chance.choice((1, 2))]
    )
    nodes = tuple(
        replace(
            managed(f"n{number}", chance.choice((SMALL, SMALL, DEAR)), labels={NODE_POOL: chance.choice(pools).name}),
            ready=chance.choice(("True", "True", "True", "False")),
        )
        for number in range(chance.randint(0, 5))
    )
    return Karpenter(pools, (SMALL, DEAR), 5), Snapshot((), nodes)


def greedily(line: Sequence[Candidate], left: dict[str, int]) -> tuple[str, ...]:
    """The nodes that the budgets allow, taken in this order."""
    gone = []
    for each in line:
        left = {**left, each.pool.name: left[each.pool.name] - 1}
        gone += [each.node.name] if left[each.pool.name] >= 0 else []
    return tuple(sorted(gone))


def in_every_order(given: Karpenter, snapshot: Snapshot) -> set[tuple[str, ...]]:
    """What the budgets leave of every order in which no node comes before a dearer one."""
    there = tuple(candidates(snapshot, given, frozenset()))
    lines = (line for line in permutations(there) if [*line] == sorted(line, key=lambda each: -each.price))
    return {greedily(line, spare(snapshot, given, EMPTY)) for line in lines}


def chosen(given: Karpenter, snapshot: Snapshot) -> list[tuple[str, ...]]:
    there = tuple(candidates(snapshot, given, frozenset()))
    found = every(lambda choices: Disrupting(given, snapshot, (), choices)._emptiness(there))
    return [() if command is None else command.nodes for command in found]


def test_the_empty_nodes_that_go_are_those_of_every_order() -> None:
    for given, snapshot in map(drawn, range(120)):
        assert set(chosen(given, snapshot)) == in_every_order(given, snapshot)


def test_taking_the_first_of_equal_nodes_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing.Choices, "some", lambda self, things, number: things[:number])
    with pytest.raises(AssertionError):
        test_the_empty_nodes_that_go_are_those_of_every_order()


def test_equal_nodes_that_all_go_are_looked_at_once() -> None:
    nodes = tuple(managed(f"n{number:02}") for number in range(12))
    given = Karpenter((Pool("p", budgets=(Budget("100%"),)),), (SMALL,), 12)
    assert chosen(given, Snapshot((), nodes)) == [tuple(node.name for node in nodes)]
