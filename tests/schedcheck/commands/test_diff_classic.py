"""`schedcheck diff --profile classic`: its output, its exit codes, and the options that belong to it"""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import schedcheck
from schedcheck.cli import main
from schedcheck.model.classic import preemption, prioritizing, scheduler
from schedcheck.model.classic.priorities.rating import only
from tests.schedcheck.api.test_schemas import schema
from tests.schedcheck.commands.test_victims import node, pod, written

CLASSIC = ("--profile", "classic")


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["diff", *CLASSIC, *arguments]) == code
    return capsys.readouterr().out


def answer(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    found = json.loads(said(capsys, *arguments, "--format", "json", code=code))
    assert list(Draft202012Validator(schema("diff")).iter_errors(found)) == []
    return found


def policy(folder: Path, **fields: Any) -> tuple[str, str]:
    (folder / "policy.json").write_text(json.dumps({"kind": "Policy", "apiVersion": "v1", **fields}))
    return "--policy", str(folder / "policy.json")


def test_pods_on_which_both_agree_are_listed_with_the_decision(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cluster = written(
        tmp_path, node("n1", "2"), pod("fits", "1", 0), pod("too-large", "3", 0), pod("runs", "1", 0, "n1")
    )
    assert said(capsys, cluster) == (
        "fits: agree\n"
        "  both           Bind(fits, n1)\n"
        "too-large: agree\n"
        "  both           Wait(too-large): 0/1 nodes are available: 1 Insufficient cpu.\n"
        "2 pending pods compared, 0 differing\n"
    )


def test_a_wrong_score_is_a_difference_and_exits_with_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = written(tmp_path, node("n1", "2"), node("n2", "4"), pod("p", "1", 0))
    monkeypatch.setitem(prioritizing.PRIORITIES, "EqualPriority", only(lambda rating, node: 2))
    options = policy(tmp_path, priorities=[{"name": "EqualPriority", "weight": 3}])
    assert said(capsys, cluster, *options, code=1) == (
        "p: DIFFER\n"
        "  production     Bind(p, n1)\n"
        "  production     Bind(p, n2)\n"
        "  specification  Bind(p, n1)\n"
        "  specification  Bind(p, n2)\n"
        "  of EqualPriority on n1, production says 2, the specification 1\n"
        "  of EqualPriority on n2, production says 2, the specification 1\n"
        "  of the sum on n1, production says 6, the specification 3\n"
        "  of the sum on n2, production says 6, the specification 3\n"
        "1 pending pod compared, 1 differing\n"
    )
    (found,) = answer(capsys, cluster, *options, code=1)["differences"]
    assert found["details"][0] == {"what": "EqualPriority on n1", "production": "2", "specification": "1"}
    assert "when" not in found


def test_wrong_victims_are_a_difference(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = written(tmp_path, node("n1", "2"), pod("a", "1", 0, "n1"), pod("b", "1", 1, "n1"), pod("p", "1", 9))
    assert "both           Nominate(p, n1, {a})\n" in said(capsys, cluster)
    fits, calls = preemption.fits, [0]

    def only_without_any(*given: Any) -> bool:
        calls[0] += 1
        return calls[0] % 3 == 1 and fits(*given)

    monkeypatch.setattr(preemption, "fits", only_without_any)
    text = said(capsys, cluster, code=1)
    assert "  of the victims on n1, production says {a, b}, the specification {a}\n" in text


def test_a_difference_only_when_stopping_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = scheduler.fit_error
    monkeypatch.setattr(
        scheduler, "fit_error", lambda failed: error(failed).replace("1 Insufficient cpu.", "1 Insufficient cpus.")
    )
    tainted = node("n1", "1") | {"spec": {"taints": [{"key": "t", "effect": "NoSchedule"}]}}
    cluster = written(tmp_path, tainted, pod("p", "2", 0))
    text = said(capsys, cluster, code=1)
    assert text.startswith("p: DIFFER, where each node's predicates are evaluated up to the first that fails\n")
    (found,) = answer(capsys, cluster, code=1)["differences"]
    assert found["when"] == "where each node's predicates are evaluated up to the first that fails"


def test_a_decision_that_follows_from_stopping_is_excused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    tainted = node("n1", "1") | {"spec": {"taints": [{"key": "t", "effect": "NoSchedule"}]}}
    hopeless = pod("p", "2", 1) | {"status": {"nominatedNodeName": "n1"}}
    text = said(capsys, written(tmp_path, tainted, pod("v", "1", 0, "n1"), hopeless))
    assert text.startswith("p: excused by stops-at-the-first-failure\n")
    assert text.endswith("1 pending pod compared, 0 differing, 1 excused by stops-at-the-first-failure\n")


def test_the_policy_and_the_environment_count(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = {"name": "d", "awsElasticBlockStore": {"volumeID": "vol-1"}}
    other = {"name": "e", "awsElasticBlockStore": {"volumeID": "vol-2"}}
    cluster = written(tmp_path, node("n1", "4"), pod("p", "1", 0, volumes=[disk, other]))
    assert "Bind(p, n1)" in said(capsys, cluster)
    monkeypatch.setenv("KUBE_MAX_PD_VOLS", "1")
    assert "1 node(s) exceed max volume count" in said(capsys, cluster)
    assert "Bind(p, n1)" in said(capsys, cluster, *policy(tmp_path, predicates=[{"name": "HostName"}]))


def test_requests_are_compared_with_allocatable_amounts_if_asked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    large = node("n1", "1")
    large["status"]["capacity"] = {"cpu": "4", "pods": "110"}
    cluster = written(tmp_path, large, pod("p", "2", 0))
    assert "Bind(p, n1)" in said(capsys, cluster)
    assert "Insufficient cpu" in said(capsys, cluster, "--by-allocatable")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--profile", "kubernetes", "--policy", "p.json"), "--policy: belongs to --profile classic"),
        (("--profile", "kubernetes", "--by-allocatable"), "--by-allocatable: belongs to --profile classic"),
        ((*CLASSIC, "--explore"), "--profile"),
        ((*CLASSIC, "--config", "c.yaml"), "c.yaml"),
        ((*CLASSIC, "--policy", "no-such.json"), "no-such.json"),
    ],
)
def test_an_option_of_another_profile_is_refused_in_one_line(
    arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["diff", written(tmp_path, node("n1", "1"), pod("p", "1", 0)), *arguments]) == 3
    line = capsys.readouterr().err
    assert told in line and line.count("\n") == 1


def test_a_wrong_policy_names_its_field(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = policy(tmp_path, predicates=[{"name": "PodFitsResource"}])
    cluster = written(tmp_path, node("n1", "1"))
    assert main(["diff", *CLASSIC, cluster, *options]) == 3
    line = capsys.readouterr().err
    assert "policy.json: document 1: predicates[0].name" in line and line.count("\n") == 1


def test_an_interrupt_leaves_pods_and_exits_with_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = written(tmp_path, node("n1", "4"), pod("a", "1", 0), pod("b", "1", 0), pod("c", "1", 0))
    schedule, calls = scheduler.Scheduler.schedule, [0]

    def interrupted(self: Any, asked: Any) -> Any:
        calls[0] += 1
        if calls[0] > 2:
            raise KeyboardInterrupt
        return schedule(self, asked)

    monkeypatch.setattr(scheduler.Scheduler, "schedule", interrupted)
    text = said(capsys, cluster, code=2)
    assert text.endswith("1 pending pod compared, 0 differing; 2 more were not compared (interrupted)\n")
    found = answer(capsys, cluster, code=2)
    assert (found["agreed"], found["notCompared"]) == ([], 3)


def test_python_compares_the_early_scheduler_with_a_policy(tmp_path: Path) -> None:
    cluster = schedcheck.read(written(tmp_path, node("n1", "1"), pod("p", "1", 0)))
    _, file = policy(tmp_path, priorities=[])
    found = schedcheck.diff(cluster, profile=schedcheck.classic(policy=file))
    assert [str(pod) for pod, _ in found.agreed] == ["p"] and found.exit_code == 0
    with pytest.raises(schedcheck.InputError):
        schedcheck.diff(cluster, profile="corrected")
