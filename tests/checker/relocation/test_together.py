"""The bound on how many nodes pods can close is held against every way to place them."""

from itertools import product
from random import Random
from typing import Any

import pytest

from schedcheck.checker.relocation.counting import Counting
from schedcheck.checker.relocation.others import Blocking, Others
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Node, Pod
from tests.support.building import container, node, pod, snapshot

RESOURCES = ("cpu", "memory")


def drawn(seed: int) -> tuple[Pod, list[Pod], list[Node], int]:
    """A pod, the others, nodes that admit it while they are empty, and how many of the others are placed."""
    chance = Random(seed)
    asked = sized("asked", chance.randint(0, 2), chance.randint(0, 2))
    others = [sized(f"p{each}", chance.choice((0, 1, 1, 5)), chance.choice((0, 1, 1, 5))) for each in range(5)]
    nodes = []
    for place in range(chance.randint(1, 4)):
        memory = {"allocatable": {"memory": 2 + chance.randint(0, 5)}}
        nodes.append(node(f"n{place}", cpu=2 + chance.randint(0, 5), pods=chance.randint(1, 4), **memory))
    return asked, others, nodes, chance.randint(0, 5)


def sized(name: str, cpu: int, memory: int) -> Pod:
    """A pod that requests so much."""
    return pod(name, containers=(container(cpu=cpu, memory=memory),))


def closed(asked: Pod, others: list[Pod], nodes: list[Node], number: int) -> int:
    """The most nodes that are closed by what pods occupy, among all ways to place so many of the others."""
    wants = {name: size for name, size in requests(asked).items() if size}

    def is_closed(each: Node, there: list[Pod]) -> bool:
        free = {name: each.allocatable.get(name, 0) - sum(requests(other)[name] for other in there) for name in wants}
        return len(there) >= each.allocatable["pods"] or any(free[name] < size for name, size in wants.items())

    most = 0
    for ways in product(range(-1, len(nodes)), repeat=len(others)):
        if sum(place >= 0 for place in ways) <= number:
            there = [
                [other for other, at in zip(others, ways, strict=True) if at == each] for each in range(len(nodes))
            ]
            most = max(most, sum(map(is_closed, nodes, there)))
    return most


def requests(asked: Pod) -> dict[str, int]:
    """What a pod requests, in the units of nodes."""
    found = looked_for(asked, DEFAULT_PLUGINS.arguments)
    return {name: found.get(name, 0) for name in RESOURCES}


def bound(asked: Pod, others: list[Pod], nodes: list[Node], number: int, harmless: int) -> int:
    """What counting says."""
    counting = Counting(snapshot(*nodes), ())
    blocking = Blocking(asked, DEFAULT_PLUGINS, Others(others), counting.snapshot.storage)
    return blocking.closable(counting.judge.there.infos, number, harmless)


def compare(seeds: range) -> int:
    """Hold the bound against all placements; return how often counting resources together makes it lower."""
    lower = 0
    for seed in seeds:
        asked, others, nodes, number = drawn(seed)
        most = closed(asked, others, nodes, number)
        together, apart = (bound(asked, others, nodes, number, harmless) for harmless in (-1, 99))
        assert most <= min(together, len(nodes)) and together <= apart, seed
        lower += together < min(apart, len(nodes))
    return lower


def test_no_placement_closes_more_nodes_than_the_bound() -> None:
    assert compare(range(60)) >= 5


@pytest.mark.parametrize("broken", ["worths", "costs"])
def test_a_wrong_bound_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if broken == "worths":
        original = Others.worths

        def cheapest(self: Others, asked: Pod, arguments: Any, prices: dict[str, int], least: int) -> list[int]:
            return original(self, asked, arguments, {}, least)

        monkeypatch.setattr(Others, "worths", cheapest)
    else:
        dear = Blocking._left
        monkeypatch.setattr(Blocking, "_left", lambda self, info, name: 2 * dear(self, info, name))
    with pytest.raises(AssertionError):
        compare(range(60))
