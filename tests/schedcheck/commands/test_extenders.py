"""Commands with extenders in the configuration: certain answers are given, others are unknown or obtained by asking"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.extender import answering
from schedcheck.cli import main
from tests.model.production.extenders.serving import Asked, server

EXAMPLE = Path(__file__).parents[3] / "examples" / "extender"
CLUSTER, CONFIG = str(EXAMPLE / "cluster.yaml"), str(EXAMPLE / "configuration.yaml")
CONFIGURATION = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- urlPrefix: {url}
"""
FULL = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "1", pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: low, namespace: default}
spec: {nodeName: n1, priority: 1, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: high, namespace: default}
spec: {priority: 9, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
"""

AFFINE = """priority: 9, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
  {matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]}}},"""


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def url() -> Iterator[str]:
    with answering(0) as address:
        yield address


def configured(folder: Path, url: str, text: str | None = None) -> str:
    """Write the configuration of the example, or another text, with this address."""
    file = folder / "configuration.yaml"
    known = text or Path(CONFIG).read_text().replace("http://127.0.0.1:18321/licences", "{url}")
    file.write_text(known.replace("{url}", url))
    return str(file)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(arguments)
    return code, capsys.readouterr().out


def in_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    code, text = said(capsys, *arguments, "--format", "json")
    return code, json.loads(text)


def test_explain_reports_unknown_if_an_extender_was_not_asked(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = said(capsys, "explain", "render", CLUSTER, "--config", CONFIG)
    assert code == 2
    assert "Unknown: extender http://127.0.0.1:18321/licences was not asked; --ask-extenders asks." in text
    assert "By its answer render would be bound to n1 or n2 or n3, or wait." in text
    assert "no plugin refuses the node; extender http://127.0.0.1:18321/licences was not asked" in text
    assert "best" not in text
    assert "feasible" not in text


def test_explain_keeps_the_rejections_of_plugins(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = in_json(capsys, "explain", "render", CLUSTER, "--config", CONFIG)
    nodes = {each["node"]: each["feasible"] for each in found["nodes"]}
    assert nodes == {"n1": "unknown", "n2": "unknown", "n3": "unknown", "small": False}
    assert found["choice"]["kind"] == "unknown"
    assert found["extenders"]["unknown"] == ["http://127.0.0.1:18321/licences"]
    assert found["extenders"]["possible"] == [
        "Bind(render, n1)",
        "Bind(render, n2)",
        "Bind(render, n3)",
        "Wait(render)",
    ]


def test_explain_is_certain_about_a_pod_of_no_interest_to_extenders(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = in_json(capsys, "explain", "batch", CLUSTER, "--config", CONFIG)
    assert code == 0
    assert found["choice"] == {"kind": "scheduled", "mode": "scored", "nodes": ["n1", "n2"], "error": None}


def test_explain_is_certain_about_a_pod_that_plugins_reject_everywhere(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = configured(tmp_path, "http://127.0.0.1:1", CONFIGURATION + "  filterVerb: filter\n")
    cluster = tmp_path / "full.yaml"
    cluster.write_text(FULL)
    code, found = in_json(capsys, "explain", "high", str(cluster), "--config", file)
    assert code == 0
    assert found["preemption"]["selected"] == ["n1"]
    preempting = configured(tmp_path, "http://127.0.0.1:1", CONFIGURATION + "  preemptVerb: preempt\n")
    code, found = in_json(capsys, "explain", "high", str(cluster), "--config", preempting)
    assert code == 2
    assert found["extenders"]["possible"] == ["Nominate(high, n1, {low})", "Wait(high)"]


def test_explain_asks_the_extender(capsys: pytest.CaptureFixture[str], url: str, tmp_path: Path) -> None:
    arguments = "explain", "render", CLUSTER, "--config", configured(tmp_path, url), "--ask-extenders"
    code, found = in_json(capsys, *arguments)
    assert code == 0
    assert found["choice"] == {"kind": "scheduled", "mode": "scored", "nodes": ["n2"], "error": None}
    assert found["extenders"]["refused"] == {
        "n1": {"plugin": None, "code": "Unschedulable", "reasons": ["no licence left"]}
    }
    # 7 and 2 licences left, times the weight of 2, times 10.
    assert found["extenders"]["points"] == {"n2": 140, "n3": 40}
    _, text = said(capsys, *arguments)
    assert "Of the sum, from extenders: n2 +140, n3 +40." in text
    assert "render would be bound to n2." in text


def test_an_unreachable_extender_ends_the_cycle_in_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = configured(tmp_path, "http://127.0.0.1:1/licences")
    code, found = in_json(capsys, "explain", "render", CLUSTER, "--config", file, "--ask-extenders")
    assert code == 0
    assert found["choice"]["kind"] == "error"
    assert found["choice"]["error"].startswith("http://127.0.0.1:1/licences/filter: ")
    ignorable = configured(
        tmp_path, "http://127.0.0.1:1/l", CONFIGURATION + "  filterVerb: filter\n  ignorable: true\n"
    )
    code, found = in_json(capsys, "explain", "batch", CLUSTER, "--config", ignorable, "--ask-extenders")
    assert found["choice"]["nodes"] == ["n1", "n2"]


def test_an_extender_with_inconsistent_answers_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked: Asked = []
    counts = iter(range(100))
    with server(200, lambda: json.dumps({"NodeNames": ["n1", "n2"][: next(counts)]}), asked) as address:
        config = configured(tmp_path, address, CONFIGURATION + "  filterVerb: filter\n  nodeCacheCapable: true\n")
        code = main(["explain", "batch", CLUSTER, "--config", config, "--ask-extenders"])
    assert code == 3
    assert f"{address}/filter answers the same question about default/batch in two ways" in capsys.readouterr().err


def test_each_question_is_sent_twice_and_never_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked: Asked = []
    with server(200, json.dumps({"NodeNames": ["n1"]}), asked) as address:
        config = configured(tmp_path, address, CONFIGURATION + "  filterVerb: filter\n  nodeCacheCapable: true\n")
        code, text = said(capsys, "diff", CLUSTER, "--config", config, "--ask-extenders")
    assert code == 0
    assert "2 pending pods compared, 0 differing" in text
    names = [message["Pod"]["metadata"]["name"] for _, _, message in asked]
    assert names == ["batch", "batch"]


def test_diff_never_reports_agreement_on_what_an_extender_decides(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = in_json(capsys, "diff", CLUSTER, "--config", CONFIG)
    assert code == 2
    assert [each["pod"] for each in found["agreed"]] == ["batch"]
    assert found["unknown"] == [
        {"pod": "render", "why": "extender http://127.0.0.1:18321/licences was not asked"}
    ]  # fmt: skip
    code, text = said(capsys, "diff", CLUSTER, "--config", CONFIG)
    assert "render: unknown: extender http://127.0.0.1:18321/licences was not asked" in text
    assert "1 pending pod compared, 0 differing, 1 unknown" in text


def test_diff_compares_both_using_the_answers_of_the_extender(
    capsys: pytest.CaptureFixture[str], url: str, tmp_path: Path
) -> None:
    code, found = in_json(capsys, "diff", CLUSTER, "--config", configured(tmp_path, url), "--ask-extenders")
    assert code == 0
    assert found["unknown"] == []
    assert {"pod": "render", "decisions": ["Bind(render, n2)"]} in found["agreed"]


def test_diff_does_not_explore_with_extenders(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", CLUSTER, "--config", CONFIG, "--explore"]) == 3
    assert "--config: expected a configuration without extenders" in capsys.readouterr().err


def test_victims_are_unknown_if_an_extender_may_reject_the_node(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = said(capsys, "victims", "render", CLUSTER, "--config", CONFIG)
    assert code == 2
    assert "render fits on n1 without evictions." in text
    assert "Unknown: extender http://127.0.0.1:18321/licences was not asked" in text
    assert "licence must be freed" not in text
    code, text = said(capsys, "victims", "batch", CLUSTER, "--config", CONFIG)
    assert (code, "Unknown" in text) == (0, False)


def test_victims_are_not_searched_on_a_node_that_the_extender_rejects(
    capsys: pytest.CaptureFixture[str], url: str, tmp_path: Path
) -> None:
    code, found = in_json(
        capsys, "victims", "render", CLUSTER, "--config", configured(tmp_path, url), "--ask-extenders"
    )  # fmt: skip
    assert code == 0
    assert [each["node"] for each in found["nodes"]] == ["n2", "n3", "small"]
    assert found["extenders"]["refused"] == {"n1": ["no licence left"]}


def test_victims_are_those_named_by_a_preempting_extender(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cluster = tmp_path / "full.yaml"
    cluster.write_text(FULL)
    answer = {"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "default/low"}], "NumPDBViolations": 0}}}
    text = CONFIGURATION + "  preemptVerb: preempt\n  nodeCacheCapable: true\n"
    with server(200, json.dumps(answer), []) as address:
        config = configured(tmp_path, address, text)
        code, out = said(capsys, "victims", "high", str(cluster), "--config", config, "--ask-extenders")
    assert code == 0
    assert "Of the candidates by reprieve the extenders keep n1 with low." in out
    with server(200, json.dumps({"NodeNameToMetaVictims": {}}), []) as address:
        config = configured(tmp_path, address, text)
        code, out = said(capsys, "victims", "high", str(cluster), "--config", config, "--ask-extenders")
        assert "Of the candidates by reprieve the extenders keep none." in out
        _, found = in_json(capsys, "explain", "high", str(cluster), "--config", config, "--ask-extenders")
    assert found["preemption"]["selected"] == []
    assert found["preemption"]["event"].endswith("preemption: no candidate node for preemption")


def test_the_optimum_is_unknown_if_an_extender_has_influence(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = in_json(capsys, "optimum", CLUSTER, "--config", CONFIG)
    assert code == 2
    assert found["unknown"] == ["http://127.0.0.1:18321/licences"]


def test_check_reports_unknown_for_what_extenders_decide(capsys: pytest.CaptureFixture[str]) -> None:
    asking = "check", CLUSTER, "--config", CONFIG, "--quiet", "--property", "no_overcommit"
    code, found = in_json(capsys, *asking, "--property", "never_evicted(web)")
    assert (code, found["verdict"]) == (2, "unknown")
    verdicts = {each["name"]: each["verdict"] for each in found["properties"]}
    assert verdicts == {"no_overcommit": "unknown", "never_evicted(web)": "holds, vacuously"}
    assert found["properties"][0]["unknown"] == "extender http://127.0.0.1:18321/licences was not asked"
    assert found["scenario"]["extenders"].startswith(
        "extender http://127.0.0.1:18321/licences was not asked; in each cycle"
    )
    assert found["scenario"]["uncounted"].startswith("example.com/licence")
    code, text = said(capsys, *asking)
    assert "UNKNOWN" in text


def test_check_asks_the_extender(capsys: pytest.CaptureFixture[str], url: str, tmp_path: Path) -> None:
    config = configured(tmp_path, url)
    asking = "check", CLUSTER, "--config", config, "--ask-extenders", "--quiet"
    code, found = in_json(
        capsys, *asking, "--property", "no_overcommit", "--property", "pod_can_still_be_bound(render)"
    )
    assert (code, found["verdict"]) == (0, "holds")
    assert found["scenario"]["extenders"] == f"asked, each question once: {url}"
    # Without the extender the pod may also be bound to n1, which has no licence left.
    there = '[]~(\\E Pod \\in Pods(Objects) : Pod.Name = "render" /\\ Pod.Spec.NodeName = "n1")'
    assert in_json(capsys, *asking, "--property", there)[1]["verdict"] == "holds"
    assert (
        in_json(capsys, "check", CLUSTER, "--config", config, "--quiet", "--property", there)[1]["verdict"]
        == "violated"
    )


def test_check_names_the_nodes_that_an_extender_rejects_for_a_waiting_pod(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    nobody = {"NodeNames": [], "FailedNodes": dict.fromkeys(("n1", "n2", "n3"), "no licence left")}
    with server(200, json.dumps(nobody), []) as address:
        config = configured(tmp_path, address)
        asking = "check", CLUSTER, "--config", config, "--ask-extenders", "--quiet"
        code, text = said(capsys, *asking, "--property", "pod_can_still_be_bound(render)")
    assert code == 1
    assert "n1 n2 n3  an extender: no licence left" in text
    assert "small     NodeResourcesFit: Insufficient cpu" in text


def test_only_rejections_by_extenders_are_attributed_to_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    named = tmp_path / "named.yaml"
    named.write_text(FULL.replace("priority: 9,", AFFINE))
    config = configured(tmp_path, "http://127.0.0.1:1", CONFIGURATION + "  filterVerb: filter\n  ignorable: true\n")
    code, text = said(capsys, "explain", "high", str(named), "--config", config, "--ask-extenders")
    assert code == 0
    assert "didn't satisfy plugin(s) [NodeAffinity]" in text
    assert "an extender" not in text


def test_check_of_a_part_refuses_preempting_extenders(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = configured(tmp_path, "http://127.0.0.1:1", CONFIGURATION + "  preemptVerb: preempt\n")
    assert main(["check", CLUSTER, "--config", config, "--ask-extenders", "--pod", "render"]) == 3
    assert "extender http://127.0.0.1:1 is asked about victims" in capsys.readouterr().err


def test_ask_extenders_requires_a_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "render", CLUSTER, "--ask-extenders"]) == 3
    assert "--ask-extenders: belongs to --config" in capsys.readouterr().err


def test_an_export_to_tla_refuses_extenders_by_name(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    profile = "--profile", "kubernetes"
    assert main(["tla", "export", CLUSTER, "--config", CONFIG, *profile, "--output", str(tmp_path)]) == 3
    assert "extender http://127.0.0.1:18321/licences" in capsys.readouterr().err
