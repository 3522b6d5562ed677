"""Input that an answer does not consider is reported in the answer itself, as text and as JSON"""

import json
from pathlib import Path
from typing import Any

import pytest

from schedcheck.cli import main
from tests.schedcheck.commands.test_defaults import SPREAD, Manifest, node, pod, written

COMMANDS = {
    "check": ("check", "--quiet"),
    "explain": ("explain", "web"),
    "victims": ("victims", "web"),
    "optimum": ("optimum",),
    "diff": ("diff",),
}
PORT = {"field": "Pod.spec.containers[*].ports[*].hostPort", "objects": 1, "first": ["web"]}
TWO = {"field": "Pod.spec.topologySpreadConstraints", "objects": 1, "first": ["web"]}


def answers(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, Any]:
    """The text of a command in one line, and its JSON; of `check` the part about the scenario."""
    main([*words])
    text = " ".join(capsys.readouterr().out.split())
    main([*words, "--format", "json"])
    answer = json.loads(capsys.readouterr().out)
    return text, answer.get("scenario", answer)


@pytest.mark.parametrize("command", ["check", "explain", "victims", "optimum"])
def test_ignored_fields_are_named_in_text_and_json(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cluster = written(tmp_path, node("n1", zone="a"), pod("web", ports=80, topologySpreadConstraints=SPREAD))
    text, answer = answers(capsys, *COMMANDS[command], cluster, "--profile", "corrected")
    assert answer["fieldsNotLookedAt"] == [PORT, TWO]
    assert "the profile corrected ignores these fields, which could change the answer:" in text
    assert "Pod.spec.topologySpreadConstraints (1: web)" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_named_if_the_profile_uses_every_field(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cluster = written(tmp_path, node("n1", zone="a"), pod("web", ports=80, topologySpreadConstraints=SPREAD))
    text, answer = answers(capsys, *COMMANDS[command], cluster)
    assert "fieldsNotLookedAt" not in answer
    assert "onMissingNodes" not in answer
    assert "ignores these fields" not in text


def gone() -> list[Manifest]:
    """A pending pod, and three pods on two nodes that are not in the input."""
    return [node("n1"), pod("web"), pod("a", "pool-1"), pod("b", "pool-1"), pod("c", "pool-2")]


@pytest.mark.parametrize("command", COMMANDS)
def test_pods_on_missing_nodes_are_reported_in_the_answer(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text, answer = answers(capsys, *COMMANDS[command], written(tmp_path, *gone()))
    assert answer["onMissingNodes"] == [{"node": "pool-1", "pods": ["a", "b"]}, {"node": "pool-2", "pods": ["c"]}]
    assert "3 pods on 2 nodes that the input lacks (pool-1, pool-2): a, b, c; they occupy no node" in text


@pytest.mark.parametrize("kinds", [["ConfigMap"], ["ConfigMap", "Secret"], ["Namespace"], ["PodDisruptionBudget"]])
@pytest.mark.parametrize("command", ["check", "optimum", "diff"])
def test_an_input_without_anything_to_schedule_is_refused(
    command: str, kinds: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    objects = [{"kind": kind, "metadata": {"name": "a"}, "spec": {"selector": {}, "minAvailable": 1}} for kind in kinds]
    assert main([*COMMANDS[command], written(tmp_path, *objects)]) == 3
    assert capsys.readouterr().err.splitlines()[-1] == (
        "schedcheck: expected pods, nodes, or workloads that make pods; the input has none of these, only "
        + " and ".join(kinds)
    )


def test_an_empty_list_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["check", written(tmp_path, {"apiVersion": "v1", "kind": "List", "items": []})]) == 3
    assert capsys.readouterr().err.endswith("or workloads that make pods; the input has none of these\n")


@pytest.mark.parametrize("profile", ["kubernetes", "corrected", "classic"])
def test_nodes_without_pods_get_an_answer(profile: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["check", "--quiet", written(tmp_path, node("n1")), "--profile", profile, "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["counts"]["distinct"], answer["scenario"]["pods"]) == (1, [])


def test_a_deployment_of_an_old_api_group_creates_its_pods_with_a_note(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    deployment = {
        "apiVersion": "extensions/v1beta1",
        "kind": "Deployment",
        "metadata": {"name": "old"},
        "spec": {
            "replicas": 2,
            "template": {"metadata": {"labels": {"app": "old"}}, "spec": pod("old")["spec"]},
        },
    }
    main(["check", "--quiet", written(tmp_path, node("n1"), deployment), "--format", "json"])
    said = capsys.readouterr()
    assert [each["name"] for each in json.loads(said.out)["scenario"]["pods"]] == ["old-0", "old-1"]
    assert "note: read as apps/v1: 1 of extensions/v1beta1, which no API server serves" in said.err
