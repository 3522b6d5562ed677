"""The explorer in Python: steps by number and text, explanations, changed objects, saved tests and scenarios, errors"""

import json
from pathlib import Path
from typing import Any

import pytest

import schedcheck

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
NODE = "{apiVersion: v1, kind: Node, metadata: {name: node-9}, status: {allocatable: {cpu: '64', memory: 64Gi, pods: '9'}}}"


def test_steps_are_taken_by_number_and_by_text() -> None:
    with schedcheck.explore(EXAMPLES / "node-pools-zone-lost") as explorer:
        by_text = explorer.start.take("ScaleDown(b-1)").take("Fail(a-1)")
        by_number = explorer.place(by_text.path)
        assert by_number.actions == ("ScaleDown(b-1)", "Fail(a-1)")
        assert by_number.snapshot == by_text.snapshot
        assert [node.name for node in by_text.snapshot.nodes] == ["b-1"]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("Fail(b-2)", "no step that is possible here has this text"),
        (7, "7 is not one of the 2 steps"),
        (-1, "-1 is not one"),
    ],
)
def test_a_step_that_there_is_not_is_an_error(step: int | str, message: str) -> None:
    with (
        schedcheck.explore(EXAMPLES / "node-pools-zone-lost") as explorer,
        pytest.raises(schedcheck.InputError) as told,
    ):
        explorer.start.take(step)
    assert message in str(told.value)


def test_a_pod_is_explained_where_it_is() -> None:
    with schedcheck.explore(EXAMPLES / "node-pools-zone-lost") as explorer:
        place = explorer.start.take("ScaleDown(b-1)").take("EvictForScaleDown(web-2)").take("Create(web-2)")
        found = place.explain("web-2")
        assert {name: node.feasible for name, node in found.nodes.items()} == {"a-1": True, "b-1": False}
        assert [option.action for option in place.options if option.by] == ["Bind(web-2, a-1)"]
        assert found.to_json()["choice"]["nodes"] == ["a-1"]


def test_a_changed_cluster_has_another_digest_and_the_same_again_the_same() -> None:
    with schedcheck.explore(EXAMPLES / "gpu-small") as explorer:
        more = explorer.edited(NODE)
        before = [node.name for node in explorer.start.snapshot.nodes]
        assert [node.name for node in more.start.snapshot.nodes] == [*before, "node-9"]
        less = more.edited(removed=[("Node", "", "node-9")])
        assert more.digest != explorer.digest == less.digest
        assert less.start.snapshot == explorer.start.snapshot
        smaller = more.edited(NODE.replace("'64'", "'1'"))
        amounts = {node.name: node.allocatable["cpu"] for node in smaller.start.snapshot.nodes}
        assert amounts["node-9"] == 1000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the changes"),
        ("[1]", "the changes: document 1"),
        ("{kind: Pod, metadata: {name: p}, spec: {priority: x}}", "the changes: document 1: spec.priority"),
        ("{kind: Pod}", "metadata.name: expected a name"),
    ],
)
def test_changes_that_cannot_be_read_name_their_place(text: str, message: str) -> None:
    with schedcheck.explore(EXAMPLES / "gpu-small") as explorer, pytest.raises(schedcheck.InputError) as told:
        explorer.edited(text)
    assert message in str(told.value)


def test_a_saved_test_passes_and_fails_on_another_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with schedcheck.explore(EXAMPLES / "ties") as explorer:
        place = explorer.start
        while moving := [each for each in place.options if not each.same]:
            place = place.take(moving[-1].number)
        assert place.bound
        (tmp_path / "scenario.yaml").write_text(explorer.scenario())
        text = place.test()
    node = next(iter(place.bound.values()))
    monkeypatch.chdir(tmp_path)
    run(text)
    with pytest.raises(AssertionError):
        run(text.replace(f'"{node}"', '"nowhere"'))
    with pytest.raises(schedcheck.InputError, match="no step that is possible here"):
        run(text.replace("Bind(", "Wait("))


def run(text: str) -> None:
    """Run a saved test."""
    there: dict[str, Any] = {}
    exec(text, there)
    there["test_behaviour"]()


def test_a_saved_scenario_is_the_same_cluster(tmp_path: Path) -> None:
    with schedcheck.explore(EXAMPLES / "budget-broken") as explorer:
        file = tmp_path / "scenario.yaml"
        file.write_text(explorer.scenario())
        with schedcheck.explore(file) as again:
            assert again.digest == explorer.digest
            assert again.start.to_json() == explorer.start.to_json()
        assert schedcheck.check(schedcheck.read(file)).verdict == explorer.check().verdict


def test_a_list_is_taken_apart(tmp_path: Path) -> None:
    file = tmp_path / "nodes.json"
    items = [{"metadata": {"name": name}, "status": {"allocatable": {"cpu": "1", "pods": "1"}}} for name in ("a", "b")]
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "NodeList", "items": items}))
    with schedcheck.explore(file) as explorer:
        left = explorer.edited(removed=[("Node", "", "a")])
        assert [node.name for node in left.start.snapshot.nodes] == ["b"]


def test_arguments_are_kept_in_a_saved_test() -> None:
    with schedcheck.explore(EXAMPLES / "gpu-small", profile="kubernetes-1.34", controllers=["owners"]) as explorer:
        assert "name='kubernetes-1.34'" in explorer.start.test() and "controllers=['owners']" in explorer.start.test()


def test_each_note_on_the_input_is_given_once() -> None:
    heard: list[str] = []
    found = schedcheck.explore(EXAMPLES / "dump", observer=schedcheck.Observer(note=heard.append))
    assert found.notes == tuple(heard) and len(set(heard)) == len(heard)
    assert "not read: 1 CustomResourceDefinition, 1 Job, 2 Tenant" in heard
