"""Commands with extenders in a Policy: certain answers are given, others are unknown or obtained by asking"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from docs.extender import answering
from schedcheck.cli import main
from schedcheck.errors import InputError
from tests.model.production.extenders.serving import server
from tests.schedcheck.commands.test_extenders import CLUSTER, FULL, in_json, said

URL = "http://127.0.0.1:18321/licences"
NOT_ASKED = f"extender {URL} was not asked"
LICENCES = {
    "urlPrefix": URL, "filterVerb": "filter", "prioritizeVerb": "prioritize", "weight": 2, "nodeCacheCapable": True,
    "managedResources": [{"name": "example.com/licence", "ignoredByScheduler": True}],
}  # fmt: skip


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def url() -> Iterator[str]:
    with answering(0) as address:
        yield address


def policy(folder: Path, **extender: Any) -> tuple[str, ...]:
    """The options for a Policy with this extender."""
    file = folder / "policy.json"
    file.write_text(json.dumps({"kind": "Policy", "apiVersion": "v1", "extenders": [extender]}))
    return "--profile", "classic", "--policy", str(file)


def full(folder: Path) -> str:
    (folder / "full.yaml").write_text(FULL)
    return str(folder / "full.yaml")


def test_explain_reports_unknown_if_an_extender_was_not_asked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    options = policy(tmp_path, **LICENCES)
    code, text = said(capsys, "explain", "render", CLUSTER, *options)
    assert code == 2
    assert f"Unknown: {NOT_ASKED}; --ask-extenders asks." in text
    assert f"n1 n2 n3  unknown  all                          no predicate fails; {NOT_ASKED}" in text
    assert "small     fails    GeneralPredicates  may help  Insufficient cpu" in text
    assert "best" not in text and "passes" not in text
    code, found = in_json(capsys, "explain", "render", CLUSTER, *options)
    assert (code, found["choice"]["kind"], found["decisions"]) == (2, "unknown", None)
    assert {each["node"]: each["feasible"] for each in found["nodes"]} == {
        "n1": "unknown", "n2": "unknown", "n3": "unknown", "small": False,
    }  # fmt: skip
    names = ("n1", "n2", "n3")
    possible = [f"Bind(render, {name})" for name in names] + [f"Nominate(render, {name}, {{}})" for name in names]
    assert found["extenders"]["possible"] == [*possible, "Wait(render)"]
    assert (found["extenders"]["unknown"], found["extenders"]["complete"]) == ([URL], True)


def test_explain_is_certain_about_a_pod_of_no_interest_to_extenders(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, found = in_json(capsys, "explain", "batch", CLUSTER, *policy(tmp_path, **LICENCES))
    assert (code, found["choice"]["kind"]) == (0, "scheduled")
    assert found["extenders"]["unknown"] == []


def test_explain_asks_the_extender(capsys: pytest.CaptureFixture[str], url: str, tmp_path: Path) -> None:
    """7 and 2 licences are left, times the weight of 2; n1 has none."""
    options = (*policy(tmp_path, **LICENCES | {"urlPrefix": url}), "--ask-extenders")
    code, found = in_json(capsys, "explain", "render", CLUSTER, *options)
    assert (code, found["choice"]["nodes"]) == (0, ["n2"])
    nodes = {each["node"]: each for each in found["nodes"]}
    assert nodes["n1"]["refusals"] == [{"plugin": None, "code": "Unschedulable", "reasons": ["no licence left"]}]
    assert (nodes["n1"]["feasible"], nodes["n2"]["feasible"]) == (False, True)
    assert found["extenders"]["points"] == {"n2": 14, "n3": 4}
    scores = {name: sum(each["weighted"] for each in nodes[name]["scores"].values()) for name in ("n2", "n3")}
    assert nodes["n2"]["total"] - scores["n2"] == 14 and nodes["n3"]["total"] - scores["n3"] == 4
    _, text = said(capsys, "explain", "render", CLUSTER, *options)
    assert "n1     fails    an extender        may help  no licence left" in text
    assert "Of the sum, from extenders: n2 +14, n3 +4." in text
    assert text.rstrip().endswith("render would be bound to n2.")


def test_a_resource_is_counted_by_its_extender_alone_or_also_by_the_scheduler(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    counted = LICENCES | {"managedResources": [{"name": "example.com/licence"}]}
    code, found = in_json(capsys, "explain", "render", CLUSTER, *policy(tmp_path, **counted))
    reasons = {reason for node in found["nodes"] for each in node["refusals"] for reason in each["reasons"]}
    assert "Insufficient example.com/licence" in reasons
    assert (code, found["choice"]["kind"]) == (0, "unschedulable")


def test_an_unreachable_extender_ends_the_cycle_in_an_error_unless_it_is_ignorable(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    down = {"urlPrefix": "http://127.0.0.1:1/l", "filterVerb": "filter"}
    code, found = in_json(capsys, "explain", "batch", CLUSTER, *policy(tmp_path, **down), "--ask-extenders")
    assert (code, found["choice"]["kind"], found["choice"]["nodes"]) == (0, "error", [])
    assert found["choice"]["error"].startswith("http://127.0.0.1:1/l/filter: ")
    assert {each["feasible"] for each in found["nodes"] if each["refusals"] == []} == {"unknown"}
    _, text = said(capsys, "explain", "batch", CLUSTER, *policy(tmp_path, **down), "--ask-extenders")
    assert "The cycle of batch ends in an error, and it waits: http://127.0.0.1:1/l/filter" in text
    tolerated = policy(tmp_path, **down, ignorable=True)
    _, found = in_json(capsys, "explain", "batch", CLUSTER, *tolerated, "--ask-extenders")
    assert found["choice"]["kind"] == "scheduled"


def test_a_node_that_only_an_extender_refuses_is_nominated_without_victims(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with server(200, json.dumps({"NodeNames": []}), []) as address:
        options = policy(tmp_path, urlPrefix=address, filterVerb="filter", nodeCacheCapable=True)
        code, text = said(capsys, "explain", "batch", CLUSTER, *options, "--ask-extenders")
        assert code == 0
        assert "n1 n2     fails    an extender        may help  no reason is given" in text
        where = "batch would be nominated to n1 or n2, and no pod evicted: only an extender refuses it there."
        assert text.rstrip().endswith(where)
        _, found = in_json(capsys, "explain", "batch", CLUSTER, *options, "--ask-extenders")
    assert found["preemption"]["allowed"] == [{"node": name, "victims": []} for name in ("n1", "n2")]
    assert found["choice"]["kind"] == "unschedulable" and found["message"] is None


def test_the_extender_that_binds_the_pod_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = policy(tmp_path, urlPrefix=URL, bindVerb="bind")
    code, found = in_json(capsys, "explain", "batch", CLUSTER, *options)
    assert (code, found["extenders"]["binder"], found["choice"]["kind"]) == (0, URL, "scheduled")
    assert f"Extender {URL} binds batch, in place of the scheduler." in said(
        capsys, "explain", "batch", CLUSTER, *options
    )[1]  # fmt: skip


def test_preemption_is_unknown_if_an_extender_is_called_about_victims(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    preempting = policy(tmp_path, urlPrefix=URL, preemptVerb="preempt")
    code, found = in_json(capsys, "explain", "high", full(tmp_path), *preempting)
    assert code == 2
    assert found["extenders"]["possible"] == ["Nominate(high, n1, {low})", "Wait(high)"]
    filtering = policy(tmp_path, urlPrefix=URL, filterVerb="filter")
    code, found = in_json(capsys, "explain", "high", full(tmp_path), *filtering)
    assert (code, found["preemption"]["selected"]) == (0, ["n1"])


def test_victims_are_unknown_or_those_that_the_asked_extender_names(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cluster = full(tmp_path)
    code, text = said(capsys, "victims", "high", cluster, *policy(tmp_path, urlPrefix=URL, preemptVerb="preempt"))
    assert (code, f"Unknown: {NOT_ASKED}" in text) == (2, True)
    answer = {"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "default/low"}]}}}
    with server(200, json.dumps(answer), []) as address:
        options = policy(tmp_path, urlPrefix=address, preemptVerb="preempt", nodeCacheCapable=True)
        code, text = said(capsys, "victims", "high", cluster, *options, "--ask-extenders")
    assert (code, "Of the candidates by reprieve the extenders keep n1 with low." in text) == (0, True)


def test_victims_are_not_searched_on_a_node_that_the_extender_refuses(
    capsys: pytest.CaptureFixture[str], url: str, tmp_path: Path
) -> None:
    options = (*policy(tmp_path, **LICENCES | {"urlPrefix": url}), "--ask-extenders")
    code, found = in_json(capsys, "victims", "render", CLUSTER, *options)
    assert code == 0
    assert [each["node"] for each in found["nodes"]] == ["n2", "n3", "small"]
    assert found["extenders"]["refused"] == {"n1": ["no licence left"]}


def test_the_optimum_is_unknown_if_an_extender_has_influence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, found = in_json(capsys, "optimum", CLUSTER, *policy(tmp_path, **LICENCES))
    assert (code, found["unknown"]) == (2, [URL])
    text = said(capsys, "optimum", CLUSTER, *policy(tmp_path, **LICENCES))[1]
    assert "that of the predicates and priorities alone" in text


def test_no_optimum_is_proved_with_the_scores_of_an_asked_extender(url: str, tmp_path: Path) -> None:
    *_, file = policy(tmp_path, **LICENCES | {"urlPrefix": url})
    asking = schedcheck.classic(policy=file, ask_extenders=True)
    with pytest.raises(InputError, match="scores of extenders have no bound"):
        schedcheck.optimum(schedcheck.read(CLUSTER), profile=asking)


def test_check_explores_every_answer_and_names_the_one_assumed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asking = ("check", CLUSTER, *policy(tmp_path, **LICENCES), "--quiet")
    code, found = in_json(capsys, *asking, "--property", "no_overcommit", "--property", "never_evicted(web)")
    assert (code, found["verdict"]) == (2, "unknown")
    assert {each["name"]: each["verdict"] for each in found["properties"]} == {
        "no_overcommit": "unknown", "never_evicted(web)": "holds, vacuously",
    }  # fmt: skip
    assert found["scenario"]["extenders"] == (
        f"{NOT_ASKED}; in each cycle it may keep any of the nodes that pass every predicate, and refuse the others;"
        " score each node from 0 to 10; or fail"
    )
    assert found["scenario"]["uncounted"].startswith("example.com/licence")
    code, text = said(capsys, *asking, "--property", "preemption_has_victims")
    assert (code, f"assumed: {URL} refuses every node" in text) == (1, True)
    for name in ("no_wait_while_feasible", "pod_can_still_be_bound(render)"):
        assert in_json(capsys, *asking, "--property", name)[1]["properties"][0]["verdict"] == "unknown"


def test_check_asks_the_extender(capsys: pytest.CaptureFixture[str], url: str, tmp_path: Path) -> None:
    options = policy(tmp_path, **LICENCES | {"urlPrefix": url})
    asking = "check", CLUSTER, *options, "--quiet"
    there = '[]~(\\E Pod \\in Pods(Objects) : Pod.Name = "render" /\\ Pod.Spec.NodeName = "n1")'
    code, found = in_json(capsys, *asking, "--ask-extenders", "--property", there)
    assert (code, found["verdict"]) == (0, "holds")
    assert found["scenario"]["extenders"] == f"asked, each question once: {url}"
    assert in_json(capsys, *asking, "--property", there)[1]["verdict"] == "violated"


def test_extenders_are_not_tabulated_and_other_pods_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asking = ("check", CLUSTER, "--quiet", "--engine", "tabulated", "--property", "type_correct")
    assert main([*asking, *policy(tmp_path, **LICENCES)]) == 3
    assert "there are extenders, whose answers are not tabulated" in capsys.readouterr().err
    uninterested = LICENCES | {"managedResources": [{"name": "example.com/other"}]}
    counts = [
        in_json(capsys, "check", CLUSTER, "--quiet", "--engine", engine, *policy(tmp_path, **uninterested))[1]["counts"]
        for engine in ("tabulated", "direct")
    ]
    assert counts[0]["distinct"] == counts[1]["distinct"] and counts[0]["generated"] == counts[1]["generated"]


def test_symmetry_is_off_with_extenders_and_changes_no_verdict(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asking = ("check", CLUSTER, "--quiet", *policy(tmp_path, **LICENCES), "--property", "bind_feasible")
    reduced, whole = in_json(capsys, *asking)[1], in_json(capsys, *asking, "--no-symmetry")[1]
    assert reduced["counts"]["distinct"] == whole["counts"]["distinct"]


def test_check_of_a_part_refuses_preempting_extenders(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = policy(tmp_path, urlPrefix="http://127.0.0.1:1", preemptVerb="preempt")
    assert main(["check", CLUSTER, *options, "--ask-extenders", "--pod", "render"]) == 3
    assert "extender http://127.0.0.1:1 is asked about victims" in capsys.readouterr().err
