"""The recorded decisions of the cluster autoscaler are those that the model allows, and no more; a broken model is detected

`1.34.5.jsonl.gz` has clusters (`drawn`), each with the decisions that the code of cluster-autoscaler-1.34.5 made on it, as
`make cluster-autoscaler` asks it: StaticAutoscaler.RunOnce with the cloud provider of its tests, 60 times, and up to 1,800 times
more if it had reached less than the model allows. `python -m tests.node_pools --recorded --record FILE` asks it again.
"""

import gzip
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schedcheck.model.controllers.node_pools import draining, estimating, packing, removing, simulation
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod
from tests.node_pools.drawn import drawn, drawn_evenly, made
from tests.node_pools.replayed import allowed, difference, scenario_of

Json = dict[str, Any]
FILE = Path(__file__).parents[1] / "data" / "node_pools" / "1.34.5.jsonl.gz"
CASES: list[Json] = [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).splitlines()]
PARTS = 8
SUBSETS = removing.subsets


@cache
def scenario(number: int) -> Scenario:
    return scenario_of(CASES[number])


def first_difference(cases: range) -> str:
    """The first difference between recorded decisions and those that the model allows."""
    for number in cases:
        if found := difference(CASES[number], *allowed(scenario(number))):
            return f"{CASES[number]['id']}: {found}"
    return ""


@pytest.mark.parametrize("part", range(PARTS))
def test_the_model_allows_the_recorded_decisions_and_no_others(part: int) -> None:
    assert first_difference(range(part, len(CASES), PARTS)) == ""


def test_the_records_have_decisions_of_every_sort() -> None:
    decisions = [each for case in CASES for each in case["decisions"]]
    grown = [number for each in decisions for number in each.get("up", {}).values()]
    marked = [each["down"] for each in decisions if "down" in each]
    assert {1, 2, 3} <= {*grown}
    assert {0, 1, 2, 3} <= {len(each) for each in marked}
    # Chance decides what is done with the same cluster.
    assert sum(len(case["decisions"]) > 1 for case in CASES) >= 40


def test_the_records_are_of_the_clusters_that_are_drawn() -> None:
    by_hand = {each["id"]: each for each in made()}
    for case in (*CASES[:20], *CASES[-20:]):
        kind, _, seed = case["id"].rpartition("-")
        draw = drawn_evenly if kind == "even" else drawn
        again = by_hand.get(case["id"]) or draw(int(seed))
        assert (again["objects"], again["pools"]) == (case["objects"], case["pools"])


def lasting(things: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """The subsets of things, but of pods the empty one alone."""
    given = tuple(things)
    return iter([()]) if any(isinstance(each, Pod) for each in given) else SUBSETS(given)


BROKEN: dict[str, tuple[Any, str, Any]] = {
    "each pod alone": (estimating, "groups_of", lambda pods: tuple((pod,) for pod in pods[:1])),
    "no priorities": (packing, "first", lambda pods: pods),
    "no pods that leave": (packing, "leaving", lambda *_: ()),
    "sizes in any order": (estimating.Estimation, "_size", lambda *_: 0.0),
    "no old nodes": (estimating, "too_uneven", lambda *_: False),
    "no pods of DaemonSets on new nodes": (estimating, "_daemons", lambda *_: ()),
    "others in place": (removing, "interplay", lambda *_: False),
    "budgets untouched": (removing, "_less", lambda budget, _: budget),
    "no minimum": (removing.Removing, "_keeps", lambda *_: True),
    "two drains": (removing, "MOST_DRAINED", 2),
    "long terminating pods count": (removing, "subsets", lasting),
    "utilization": (removing, "utilization", lambda *_: 0.0),
    "every pod may move": (removing, "movable", lambda *_: True),
    "places for all": (removing, "moves", lambda pods, name, there, *_: iter((there,))),
    "no place on any node": (removing, "homeless", lambda *_: True),
    "a drained node that is gone": (simulation, "marked", lambda node: node),
    "no drain of a node without pods": (packing, "subsets", lambda _: iter([()])),
    "no facts": (draining, "blocks", lambda *_: False),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_model_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, instead = BROKEN[broken]
    monkeypatch.setattr(module, name, instead)
    assert first_difference(range(len(CASES)))
