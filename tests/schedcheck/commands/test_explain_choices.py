"""`schedcheck explain` names every choice of victims that kube-scheduler may make"""

import json
from pathlib import Path

import pytest

from schedcheck.cli import main
from tests.schedcheck.commands.test_defaults import node, pod, written


def test_every_allowed_choice_of_victims_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    objects = [node("n1", zone="a"), pod("new", ports=80, priority=1)]
    objects += [node("n2", zone="b"), pod("a", "n1", ports=80), pod("b", "n2", ports=80)]
    cluster = written(tmp_path, *objects)
    assert main(["explain", "new", cluster]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "in one of these ways, any of which may be chosen" in text
    assert "n1, evicting a n2, evicting b" in text
    assert main(["explain", "new", cluster, "--format", "json"]) == 0
    preemption = json.loads(capsys.readouterr().out)["preemption"]
    chosen = [(each["node"], [victim["name"] for victim in each["victims"]]) for each in preemption["allowed"]]
    assert (chosen, preemption["allAllowed"]) == ([("n1", ["a"]), ("n2", ["b"])], True)


def test_equally_important_pods_on_one_node_are_alternative_victims(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cluster = written(tmp_path, node("n1"), *(pod(name, "n1") for name in "abcd"), pod("new", priority=1))
    assert main(["explain", "new", cluster, "--format", "json"]) == 0
    preemption = json.loads(capsys.readouterr().out)["preemption"]
    assert [[victim["name"] for victim in each["victims"]] for each in preemption["allowed"]] == [
        ["a"], ["b"], ["c"], ["d"],
    ]  # fmt: skip
    assert preemption["selected"] == ["n1"]
