"""The graph of few states: the states and steps of the exploration, the counterexample in it, each state at a place of its own"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.report.html.state_graph import ACROSS, drawing
from schedcheck.report.json import state_graph
from tests.schedcheck.api.test_schemas import errors
from tests.schedcheck.report.html.read import read

EXAMPLES = Path(__file__).parents[4] / "examples"


def detailed(example: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(schedcheck.check(schedcheck.read(EXAMPLES / example)).detailed()))
    return found


@pytest.mark.parametrize("example", ["descheduler-duplicates", "multi-step"])
def test_the_graph_is_that_of_the_exploration(example: str) -> None:
    kept = schedcheck.check(schedcheck.read(EXAMPLES / example), storage=schedcheck.Storage(graph=True)).checked.graph
    assert kept is not None
    graph = detailed(example)["graph"]
    assert graph["whole"]
    assert (len(graph["states"]), len(graph["steps"])) == (kept.graph.states, kept.graph.edges)
    assert graph["initial"] == kept.graph.initial.tolist()


def test_beyond_the_most_states_the_levels_up_to_the_violation_are_drawn() -> None:
    answer = detailed("budget-broken")
    graph = answer["graph"]
    assert errors(answer, "check") == []
    # docs/../budget-broken/README.md has 22 states and 4 levels without symmetry.
    assert (graph["whole"], len(graph["states"]), max(each["level"] for each in graph["states"])) == (False, 22, 3)


@pytest.mark.parametrize("example", ["budget-broken", "descheduler-duplicates"])
def test_the_counterexample_is_a_way_through_the_graph(example: str) -> None:
    answer = detailed(example)
    (violation,) = answer["violations"]
    (way,) = answer["graph"]["ways"]
    actions = [step["action"]["text"] for step in violation["trace"][1:]]
    steps = [(each["from"], each["to"], each["action"]) for each in answer["graph"]["steps"]]
    assert len(way) == len(actions) + 1
    assert all((one, other, action) in steps for (one, other), action in zip(pairwise(way), actions, strict=True))
    marked = {spot.number for spot in drawing(answer["graph"]).spots if spot.way}
    assert marked == set(way)


def test_there_is_no_graph_of_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_graph, "MOST_STATES", 7)
    assert detailed("descheduler-duplicates")["graph"] is None
    monkeypatch.setattr(state_graph, "MOST_STATES", 8)
    assert len(detailed("descheduler-duplicates")["graph"]["states"]) == 8


def test_each_state_has_a_place_of_its_own_and_layers_are_levels() -> None:
    graph = detailed("budget-broken")["graph"]
    drawn = drawing(graph)
    places = {(spot.x, spot.y) for spot in drawn.spots}
    assert len(places) == len(drawn.spots)
    for level in range(4):
        row = sorted(
            spot.x for spot, state in zip(drawn.spots, graph["states"], strict=True) if state["level"] == level
        )
        assert (
            len({spot.y for spot, state in zip(drawn.spots, graph["states"], strict=True) if state["level"] == level})
            == 1
        )
        assert all(after - before >= ACROSS - 0.1 for before, after in pairwise(row))
    assert all(0 <= spot.x <= drawn.width and 0 <= spot.y <= drawn.height for spot in drawn.spots)


def test_layers_are_ordered_so_that_parallel_ways_do_not_cross() -> None:
    steps = [(0, 1), (0, 2), (1, 4), (2, 3)]
    graph = {
        "states": [{"level": level, "text": ""} for level in (0, 1, 1, 2, 2)],
        "initial": [0],
        "whole": True,
        "steps": [{"from": one, "to": other, "action": "a"} for one, other in steps],
        "ways": [],
    }
    spots = drawing(graph).spots
    assert (spots[1].x < spots[2].x) == (spots[4].x < spots[3].x)


def test_hostile_words_of_a_state_are_text() -> None:
    answer = detailed("descheduler-duplicates")
    for state in answer["graph"]["states"]:
        state["text"] = "<script>alert(1)</script>"
    from schedcheck.report.html.page import page

    tree = read(page(answer, "CheckResult"))
    assert [each.attributes.get("type", "") for each in tree.all("script")] == ["application/json", ""]
    assert "alert(1)" in tree.text
