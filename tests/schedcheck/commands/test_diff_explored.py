"""`schedcheck diff --explore`: its output and its exit codes"""

import json
import re
from pathlib import Path

import pytest

from schedcheck.checker.differential import exploration as exploration_module
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.cli import main
from tests.schedcheck.commands.test_victims import node, pod, written

FOLDER = Path(__file__).parents[3] / "examples" / "plugins"
CLUSTER = str(FOLDER / "cluster")
RULES = ("--rule", "examples.plugins.team_rules")
TEAMS = ("--plugin", "examples.plugins.teams:Teams", *RULES)
DEAF = ("--plugin", "examples.plugins.deaf:Teams", *RULES, "--config", str(FOLDER / "one-each.yaml"))


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["diff", "--explore", *arguments]) == code
    return capsys.readouterr().out


def test_diff_explore_exits_with_0_if_everything_holds(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, CLUSTER, *TEAMS)
    assert "\nHOLDS\nEvery state of the scenario was explored: 3 pods, 3 nodes, delete at most once.\n" in text
    assert re.search("among_themselves +always +holds", text)
    assert "\nBind" not in text and "\nTry " in text


def test_a_defect_is_shown_with_its_shortest_trace_and_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, CLUSTER, *DEAF, code=1)
    assert "   3  Try(web-2)               web-2 waits for an event, refused by Teams\n" in text
    assert text.endswith("Why  no_lost_wakeup\nweb-2, refused by Teams, is schedulable, and no event has moved it\n")


def test_a_difference_is_shown_as_for_a_single_pod(capsys: pytest.CaptureFixture[str]) -> None:
    """Without the rule for the filter, the node of another team scores best."""
    rule = ("--rule", "examples.plugins.team_rules:fewest_first")
    text = said(capsys, CLUSTER, "--plugin", "examples.plugins.teams:Teams", *rule, code=1)
    assert "Why  decides_as_allowed\n  production     Bind(" in text and "\n  specification  Bind(" in text


def test_the_json_is_that_of_check_with_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(said(capsys, CLUSTER, *DEAF, "--format", "json", code=1))
    assert (found["verdict"], found["exitCode"], found["counts"]["depth"]) == ("violated", 1, 9)
    (violation,) = found["violations"]
    assert violation["why"].startswith("web-2, refused by Teams")
    rule = ("--rule", "examples.plugins.team_rules:fewest_first")
    differing = ("--plugin", "examples.plugins.teams:Teams", *rule, "--format", "json")
    violations = {
        each["property"]: each for each in json.loads(said(capsys, CLUSTER, *differing, code=1))["violations"]
    }
    violation = violations["decides_as_allowed"]
    assert {"production", "specification", "refusals"} <= set(violation["why"])


@pytest.mark.parametrize("bound", [("--depth", "3"), ("--max-states", "20")])
def test_a_reached_bound_of_diff_explore_exits_with_2(
    bound: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"GAVE UP\nGave up at {bound[0]}" in said(capsys, CLUSTER, *TEAMS, *bound, code=2)


@pytest.mark.parametrize("limit", ["--time", "--memory"])
def test_a_limit_of_diff_explore_exits_with_2(limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It ends the search, or what is done before it if that takes longer than a tenth of a second."""
    assert main(["diff", "--explore", CLUSTER, *TEAMS, limit, "0.000001"]) == 2
    text = capsys.readouterr()
    assert f"gave up at {limit}" in (text.out + text.err).replace("Gave up", "gave up")


def test_an_interrupt_of_diff_explore_exits_with_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(exploration: exploration_module.Exploration[exploration_module.State]) -> exploration_module.Any:
        expand, left = exploration.expand, [5]

        def few(number: int) -> list[int]:
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt
            return expand(number)

        monkeypatch.setattr(exploration, "expand", few)
        return breadth_first(exploration)

    monkeypatch.setattr(exploration_module, "breadth_first", interrupted)
    assert "GAVE UP\nInterrupted: " in said(capsys, CLUSTER, *TEAMS, code=2)


def test_only_the_requested_properties_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(
        capsys, CLUSTER, *TEAMS, "--property", "among_themselves", "--property", "pod_can_still_be_bound(web-1)"
    )
    assert [line.split()[0] for line in text.splitlines()[-2:]] == ["among_themselves", "pod_can_still_be_bound(web-1)"]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--property", "nothing"), "--property: nothing: no such property"),
        (("--profile", "kubernetes-documented"), "--explore: belongs to --profile kubernetes"),
    ],
)
def test_an_unsupported_option_of_diff_explore_exits_with_3(
    options: tuple[str, str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", "--explore", CLUSTER, *options]) == 3
    assert line in capsys.readouterr().err


def test_pods_with_volumes_are_explored(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    claims = [pod(name, "1", 0) for name in ("a", "b")]
    for each in claims:
        each["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "default"},
             "spec": {"accessModes": ["ReadWriteOncePod"], "storageClassName": "made"}}  # fmt: skip
    made = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "made"},
            "provisioner": "csi.example.com", "volumeBindingMode": "WaitForFirstConsumer"}  # fmt: skip
    cluster = written(tmp_path, node("n1", "2"), *claims, claim, made)
    assert main(["diff", "--explore", cluster]) == 0
    assert "assumes_and_releases_volumes" in capsys.readouterr().out


def test_diff_explore_can_make_api_calls_fail(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cluster = written(tmp_path, node("n1", "2"), pod("a", "1", 0), {
        "apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "metadata": {"name": "x"},
        "spec": {"profile": "kubernetes", "events": []},
    })  # fmt: skip
    without, lost = (
        json.loads(said(capsys, cluster, "--format", "json", *calls)) for calls in ((), ("--lost-calls", "1"))
    )
    assert without["counts"]["distinct"] < lost["counts"]["distinct"]
