"""What the scheduler saw at each decision of a behaviour: the choice of the machine is among the best, and rows are bounded"""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.api import decided
from schedcheck.api.answer import Answer
from schedcheck.api.decided import with_decisions
from schedcheck.model.scenario import Scenario
from schedcheck.report.text.changes import Step
from schedcheck.spec.decisions import Bind
from tests.schedcheck.api.test_schemas import errors
from tests.support.building import node, pod, scenario, snapshot

EXAMPLES = Path(__file__).parents[3] / "examples"
CHECKED = ("budget-broken", "pod-stranded", "evicted-twice", "turns", "gpu-small-without-taints")


def decisions(trace: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each action that is a decision, with what was seen."""
    for step in trace:
        if "decision" in step:
            yield step["action"], step["decision"]


def traces(answer: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Every behaviour of an answer."""
    for each in (answer, *answer.get("cases", ())):
        yield from (violation["trace"] for violation in each.get("violations", ()))
        if each.get("stuck"):
            yield each["stuck"]["trace"]


@pytest.mark.parametrize("example", CHECKED)
def test_what_the_machine_chose_is_among_the_best(example: str) -> None:
    found = schedcheck.check(schedcheck.read(EXAMPLES / example))
    answer = json.loads(json.dumps(found.detailed()))
    assert errors(answer, "check") == []
    shown = [each for trace in traces(answer) for each in decisions(trace)]
    taken = [
        step for trace in traces(answer) for step in trace if step["action"] and step["action"]["kind"] in ("Bind", "Nominate", "Preempt")
    ]  # fmt: skip
    assert len(shown) >= len(taken) > 0
    for action, seen in shown:
        (chosen,) = [row for row in seen["nodes"] if row["chosen"]] or [None]
        assert seen["pod"]["name"] == action["pod"].split("/")[-1]
        if action["kind"] == "Bind":
            assert (
                chosen["nodes"] == [action["node"]] and chosen["best"] and chosen["feasible"] and not chosen["refusals"]
            )
        if action["kind"] in ("Nominate", "Preempt"):
            assert chosen["nodes"] == [action["node"]] and chosen["refusals"]


def test_the_text_of_an_answer_has_no_decisions() -> None:
    found = schedcheck.check(schedcheck.read(EXAMPLES / "budget-broken"))
    assert not [each for trace in traces(found.to_json()) for each in decisions(trace)]


def test_weighted_scores_add_up_to_the_total_and_the_best_has_the_highest() -> None:
    found = schedcheck.deploy(EXAMPLES / "deploy" / "release.yaml", onto=EXAMPLES / "deploy" / "cluster.yaml")
    answer = json.loads(json.dumps(found.detailed()))
    assert errors(answer, "deploy") == []
    seen = [each for action, each in decisions(answer["bad"]["trace"]) if action["kind"] == "Bind"]
    assert seen
    for each in seen:
        scored = [row for row in each["nodes"] if row["scores"]]
        for row in scored:
            assert row["total"] == sum(score["weighted"] for score in row["scores"].values())
            for name, score in row["scores"].items():
                assert 0 <= score["normalised"] <= 100
                assert score["weighted"] == score["normalised"] * each["weights"][name]
        assert {row["total"] for row in scored if row["best"]} == {max(row["total"] for row in scored)}


def test_the_last_cluster_of_a_deployed_behaviour_is_its_end() -> None:
    found = schedcheck.deploy(EXAMPLES / "deploy" / "release.yaml", onto=EXAMPLES / "deploy" / "cluster.yaml")
    bad = found.found.bad
    assert bad is not None
    (_, first), *rest = bad.trail()
    assert [str(action) for action, _ in rest] == list(bad.actions)
    assert rest[-1][1] == bad.end and first != bad.end


def many(number: int) -> tuple[list[dict[str, Any]], list[Step], Scenario]:
    """A behaviour that binds a pod, on many nodes of which every second one is full."""
    nodes = [node(f"n{each:03}", 2 * (each % 2)) for each in range(number)]
    here = pod("p", 1)
    before = snapshot(here, *nodes)
    steps = [Step(0, None, (), before), Step(1, Bind(here, nodes[1]), (), before)]
    trace: list[dict[str, Any]] = [{"step": 0, "action": None, "changes": []}, {"step": 1, "action": {}, "changes": []}]
    return trace, steps, scenario(here, *nodes, profile="kubernetes")


def test_many_nodes_are_few_rows() -> None:
    trace, steps, around = many(300)
    seen = with_decisions(trace, steps, around, time.monotonic() + 60)[1]["decision"]
    assert [(row["count"], row["chosen"], row["feasible"]) for row in seen["nodes"]] == [
        (1, True, True), (149, False, True), (150, False, False),
    ]  # fmt: skip
    assert all(len(row["nodes"]) <= decided.MOST_NAMES for row in seen["nodes"])
    assert seen["nodesLeft"] == 0 and len(json.dumps(seen)) < 8000


def test_rows_beyond_the_most_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decided, "MOST_ROWS", 2)
    trace, steps, around = many(20)
    seen = with_decisions(trace, steps, around, time.monotonic() + 60)[1]["decision"]
    assert (len(seen["nodes"]), seen["nodesLeft"]) == (2, 10)


def test_after_the_time_is_over_no_decision_is_explained() -> None:
    trace, steps, around = many(4)
    assert with_decisions(trace, steps, around, time.monotonic() - 1) == trace


def test_a_decision_that_is_not_allowed_is_not_among_the_best() -> None:
    trace, steps, around = many(4)
    full = steps[1].snapshot.nodes[0]
    wrong = [steps[0], Step(1, Bind(pod("p", 1), full), (), steps[1].snapshot)]
    seen = with_decisions(trace, wrong, around, time.monotonic() + 60)[1]["decision"]
    (chosen,) = [row for row in seen["nodes"] if row["chosen"]]
    assert (chosen["best"], chosen["feasible"]) == (False, False)


def test_details_that_take_too_long_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Answer):
        def to_json(self) -> dict[str, Any]:
            return {"format": 2, "schedcheck": "x", "exitCode": 0, "short": "plain"}

        def detailed(self) -> dict[str, Any]:
            while True:
                time.sleep(0.01)

    from schedcheck.api import answer

    monkeypatch.setattr(answer, "SECONDS_OF_DETAILS", 0.1)
    assert "plain" in Slow().to_html()
