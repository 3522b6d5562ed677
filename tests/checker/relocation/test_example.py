"""One behaviour of a drain in turn: each step is one of the specification, and each node is empty when it is uncordoned"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.checker.limits.clock import Clock, OutOfTime
from schedcheck.checker.relocation import example as module
from schedcheck.checker.relocation.example import example
from schedcheck.checker.relocation.turns import in_turn
from schedcheck.checker.result import Verdict
from schedcheck.model.environment import Cordon, Evict, Uncordon
from schedcheck.model.profiles import plugins_of
from schedcheck.spec.decisions import Bind
from schedcheck.spec.kubernetes.control_loop import decision
from tests.checker.relocation.test_turns import drawn
from tests.schedcheck.api.test_schemas import errors

EXAMPLES = Path(__file__).parents[3] / "examples"


def in_turn_of(*nodes: str) -> dict[str, Any]:
    answer = schedcheck.drain(schedcheck.read(EXAMPLES / "drain"), nodes, in_turn=True).detailed()
    made: dict[str, Any] = json.loads(json.dumps(answer))
    assert errors(made, "relocation") == []
    return made


def test_random_examples_take_steps_of_the_specification_and_empty_each_node() -> None:
    shown = 0
    for seed in range(80):
        scene, names = drawn(seed)
        found = in_turn(scene, names)
        if found.verdict is not Verdict.HOLDS:
            continue
        taken = example(scene, found.order, Clock(None))
        assert taken is not None
        back = [action.node for action, _ in taken if isinstance(action, Uncordon)]
        assert back == list(found.order)
        for (_, before), (action, after) in pairwise(taken):
            if isinstance(action, Bind):
                assert action in decision(action.pod, before, plugins_of(action.pod, scene))
            if isinstance(action, Uncordon):
                name = action.node
                first = {each.key for each in scene.pods if each.node_name}
                assert all(each.node_name not in ("", name) for each in after.pods if each.key in first)
                assert [each.unschedulable for each in after.nodes if each.name == name] == [False]
            if isinstance(action, Evict):
                (pod,) = [each for each in before.pods if each.name == action.pod]
                (node,) = [each for each in before.nodes if each.name == pod.node_name]
                assert node.unschedulable
        shown += 1
    assert shown >= 10


def test_the_example_of_the_page_keeps_the_budgets() -> None:
    """The budgets want 3 pods of web and 1 of db; kubectl drain evicts no pod beyond that."""
    found = schedcheck.drain(schedcheck.read(EXAMPLES / "drain"), ["n2", "n3"], in_turn=True)
    assert found.turns is not None
    taken = example(found.scenario, found.turns.order, Clock(None))
    assert taken is not None
    for _, cluster in taken:
        running = [each.name.partition("-")[0] for each in cluster.pods if each.node_name]
        assert running.count("web") >= 3 and running.count("db") >= 1
    assert [str(action) for action, _ in taken if isinstance(action, Cordon | Uncordon)] == [
        "Cordon(n2)", "Uncordon(n2)", "Cordon(n3)", "Uncordon(n3)",
    ]  # fmt: skip


def test_a_page_has_the_filters_behind_each_decision_of_the_example() -> None:
    told = in_turn_of("n2", "n3")["inTurn"]["example"]
    binds = [step for step in told["trace"] if step["action"] and step["action"]["kind"] == "Bind"]
    assert len(binds) >= 4
    for step in binds:
        (chosen,) = [row for row in step["decision"]["nodes"] if row["chosen"]]
        assert chosen["nodes"] == [step["action"]["node"]] and chosen["best"] and chosen["feasible"]
        refused = [name for row in step["decision"]["nodes"] if row["feasible"] is False for name in row["nodes"]]
        assert refused, "the node that is drained refuses the pod"


def test_where_no_order_is_proved_there_is_no_example(tmp_path: Path) -> None:
    text = (EXAMPLES / "drain" / "cluster.yaml").read_text().replace("minAvailable: 3", "minAvailable: 4")
    blocked = tmp_path / "cluster.yaml"
    blocked.write_text(text.replace("{disruptionsAllowed: 1, currentHealthy: 4, desiredHealthy: 3", "{disruptionsAllowed: 0, currentHealthy: 4, desiredHealthy: 4"))  # fmt: skip
    found = schedcheck.drain(schedcheck.read(blocked), ["n2", "n3"], in_turn=True)
    assert found.verdict is Verdict.VIOLATED
    assert found.detailed()["inTurn"]["example"] is None


def test_a_long_example_is_left_out_and_the_time_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    found = schedcheck.drain(schedcheck.read(EXAMPLES / "drain"), ["n2"], in_turn=True)
    with pytest.raises(OutOfTime):
        example(found.scenario, ["n2"], Clock(0.0))
    monkeypatch.setattr(module, "MOST_STEPS", 5)
    assert found.detailed()["inTurn"]["example"] is None
