"""The specification gives the answers that kube-scheduler gave, in every field that it has an answer to."""

import gzip
import json
import re
from pathlib import Path

import pytest

from schedcheck.cli import main
from schedcheck.oracle.conformance import conformance
from schedcheck.oracle.recorded import question, recorded
from schedcheck.spec.departures import ALL_DEPARTURES, Departure
from schedcheck.spec.feasibility import (
    inter_pod_affinity,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    pod_topology_spread,
    required_node_affinity,
    taint_toleration,
)
from schedcheck.spec.feasibility.cycle import cycle
from schedcheck.spec.plugins import DEFAULT_PLUGINS

FILES = sorted(Path(__file__).parent.glob("*.jsonl.gz"))
FAMILIES = {
    "affinity", "images", "interpod", "mixed", "ports", "preemption", "quantities", "quirks", "resources", "spread",
    "taints",
}  # fmt: skip
DEPENDS_ON_READINGS = "quirk-podlevel-overhead-mutates"
"""What kube-scheduler answers depends on how often it has read the pod; its note says what the specification answers."""

FIELDS = {"priority", "gated", "preFilter", "feasible"} | {
    f"nodes.{field}" for field in ("feasible", "first", "source", "all", "allNominated")
}
FIELDS |= {f"preemption.{field}" for field in ("eligible", "potentialNodes", "candidates", "nodeStatuses", "selected")}
FIELDS |= {"real.message", "skipScore", "scoreError", "decision"} | {
    f"nodes.{field}" for field in ("raw", "norm", "weighted", "total")
}


def test_every_family_is_there() -> None:
    assert {file.name.removesuffix(".jsonl.gz") for file in FILES} == FAMILIES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_recorded_answer_is_ours(file: Path) -> None:
    made = conformance(recorded(str(file)), DEFAULT_PLUGINS)
    assert made.differences == ()
    assert {each.id for each in made.doubtful} <= {DEPENDS_ON_READINGS}
    assert made.not_compared == {}
    assert sum(made.compared.values()) > 200
    if "quantities" not in file.name:
        assert {field for _, field in made.compared} >= FIELDS


def test_what_depends_on_how_often_a_pod_was_read_is_answered_as_documented() -> None:
    (quirk,) = (each for file in FILES for each in recorded(str(file)) if each.id == DEPENDS_ON_READINGS)
    made = conformance([quirk], DEFAULT_PLUGINS)
    assert "NOT GROUND TRUTH" in quirk.note and "1.75Gi" in quirk.note
    assert [each.compared.said for each in made.doubtful if each.compared.field == "feasible"] == [["n1", "n2", "n3"]]


def test_without_its_switch_a_departure_is_seen() -> None:
    for departure, family, where in (
        (Departure.NAMESPACE_SELECTOR_ON_NO_LABELS, "quirks", "quirk-nssel-notin"),
        (Departure.FIRST_OF_GROUP_BY_PAIRS, "interpod", "interpod-00527"),
        (Departure.SKIPPED_SEES_NO_NOMINATED, "preemption", "preemption-00389"),
    ):
        made = conformance(
            recorded(str(FILES[0].parent / f"{family}.jsonl.gz")),
            DEFAULT_PLUGINS.departing(ALL_DEPARTURES - {departure}),
        )
        assert where in {each.id for each in made.differences}, departure


@pytest.mark.parametrize("file", [file for file in FILES if "quantities" not in file.name], ids=lambda file: file.name)
def test_a_filter_admits_where_it_gives_no_refusal(file: Path) -> None:
    for record in recorded(str(file)):
        assert record.case is not None
        asked = question(record.case)
        made = cycle(asked.pod, asked.snapshot, DEFAULT_PLUGINS)
        spread, around = made.spread, made.around
        for info in made.infos:
            pod, node = asked.pod, info.node
            near = (pod, info, around, asked.snapshot, ALL_DEPARTURES)
            for admits, refusal in (
                (node_unschedulable.node_unschedulable(pod, node), node_unschedulable.refusal(pod, node)),
                (taint_toleration.taint_toleration(pod, node), taint_toleration.refusal(pod, node)),
                (required_node_affinity.required_node_affinity(pod, node), required_node_affinity.refusal(pod, node)),
                (node_ports.node_ports(pod, info), node_ports.refusal(pod, info)),
                (node_resources_fit.node_resources_fit(pod, info), node_resources_fit.refusal(pod, info)),
                (
                    pod_topology_spread.pod_topology_spread(pod, info, spread, ALL_DEPARTURES),
                    pod_topology_spread.refusal(pod, info, spread, ALL_DEPARTURES),
                ),
                (inter_pod_affinity.inter_pod_affinity(*near), inter_pod_affinity.refusal(*near)),
            ):
                assert admits == (refusal is None)


def test_a_disagreement_is_told_and_exits_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with gzip.open(FILES[0].parent / "quirks.jsonl.gz", "rt", encoding="utf-8") as lines:
        value = json.loads(next(iter(lines)))
    value["expected"]["invented"] = 1
    right = tmp_path / "right.jsonl"
    right.write_text(json.dumps(value))
    assert main(["conformance", str(right)]) == 0
    assert re.search(r"^all \d+ values agree$", capsys.readouterr().out, re.MULTILINE)
    value["expected"]["nodes"]["n1"]["feasible"] = True
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(json.dumps(value))
    assert main(["conformance", str(right), str(wrong)]) == 1
    told = capsys.readouterr().out
    assert "quirk-affinity-empty-term: nodes.n1.feasible\n" in told
    assert "  recorded  true\n  here      false\n" in told
    assert "not compared yet: invented (2 records)\n" in told
    assert re.search(r"^\d+ of \d+ values agree$", told, re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "expected a map"),
        ("{}", "id: expected the id of a case"),
        ('\n{"id": "a", "case": 1, "expected": {}}', "document 2: case: 1: expected a map"),
        (
            '{"id": "a", "expected": {}, "case": {"pod": {"spec": {"topologySpreadConstraints": [{}]}}}}',
            "case.pod.spec.topologySpreadConstraints[0].whenUnsatisfiable: expected DoNotSchedule or ScheduleAnyway",
        ),
    ],
)
def test_what_is_no_record_is_one_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(text)
    assert main(["conformance", str(file)]) == 3
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_a_file_that_is_cut_off_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "in.jsonl.gz"
    file.write_bytes(FILES[0].read_bytes()[:1000])
    assert main(["conformance", str(file)]) == 3
    assert "not gzip" in capsys.readouterr().err
