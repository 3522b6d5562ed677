"""The specification gives the recorded answers of kube-scheduler in every field that it determines"""

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.cli import main
from schedcheck.recordings.conformance import conformance
from schedcheck.recordings.recorded import Record, question, recorded
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, Departure
from schedcheck.spec.kubernetes.filters import (
    inter_pod_affinity,
    node_affinity,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    pod_topology_spread,
    taint_toleration,
)
from tests.support.recorded import DEPARTURES, RECORDING_PLUGINS

FILES = sorted((Path(__file__).parents[2] / "data" / "conformance").glob("*.jsonl.gz"))
FAMILIES = {
    "affinity", "images", "interpod", "mixed", "ports", "preemption", "quantities", "quirks", "resources", "spread",
    "taints",
}  # fmt: skip
DEPENDS_ON_READINGS = "quirk-podlevel-overhead-mutates"
"""kube-scheduler's answer depends on how often it has read the pod; the note states the answer of the specification."""

FIELDS = {"priority", "gated", "preFilter", "feasible"} | {
    f"nodes.{field}" for field in ("feasible", "first", "source", "all", "allNominated")
}
FIELDS |= {f"preemption.{field}" for field in ("eligible", "potentialNodes", "candidates", "nodeStatuses", "selected")}
FIELDS |= {"real.message", "skipScore", "scoreError", "decision"} | {
    f"nodes.{field}" for field in ("raw", "norm", "weighted", "total")
}


def test_every_family_of_records_is_present() -> None:
    assert {file.name.removesuffix(".jsonl.gz") for file in FILES} == FAMILIES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_recorded_answer_is_reproduced(file: Path) -> None:
    made = conformance(recorded(str(file)), RECORDING_PLUGINS)
    assert made.differences == ()
    assert {each.id for each in made.doubtful} <= {DEPENDS_ON_READINGS}
    assert made.not_compared == {}
    assert sum(made.compared.values()) > 200
    if "quantities" not in file.name:
        assert {field for _, field in made.compared} >= FIELDS


def test_an_answer_that_depends_on_repeated_reads_is_given_as_documented() -> None:
    (quirk,) = (each for file in FILES for each in recorded(str(file)) if each.id == DEPENDS_ON_READINGS)
    made = conformance([quirk], RECORDING_PLUGINS)
    assert "NOT GROUND TRUTH" in quirk.note and "1.75Gi" in quirk.note
    assert [each.compared.said for each in made.doubtful if each.compared.field == "feasible"] == [["n1", "n2", "n3"]]


@pytest.mark.medium
def test_disabling_a_departure_is_detected() -> None:
    for departure, family, where in (
        (Departure.NAMESPACE_SELECTOR_ON_NO_LABELS, "quirks", "quirk-nssel-notin"),
        (Departure.FIRST_OF_GROUP_BY_PAIRS, "interpod", "interpod-00527"),
        (Departure.SKIPPED_SEES_NO_NOMINATED, "preemption", "preemption-00389"),
    ):
        made = conformance(
            recorded(str(FILES[0].parent / f"{family}.jsonl.gz")),
            RECORDING_PLUGINS.departing(DEPARTURES - {departure}),
        )
        assert where in {each.id for each in made.differences}, departure


@pytest.mark.parametrize("file", [file for file in FILES if "quantities" not in file.name], ids=lambda file: file.name)
def test_a_filter_admits_exactly_where_it_gives_no_rejection(file: Path) -> None:
    for record in recorded(str(file)):
        assert record.case is not None
        asked = question(record.case)
        made = cycle(asked.pod, asked.snapshot, RECORDING_PLUGINS)
        spread, around = made.spread, made.around
        for info in made.infos:
            pod, node = asked.pod, info.node
            near = (pod, info, around, asked.snapshot, ALL_DEPARTURES)
            for admits, refusal in (
                (node_unschedulable.node_unschedulable(pod, node), node_unschedulable.refusal(pod, node)),
                (taint_toleration.taint_toleration(pod, node), taint_toleration.refusal(pod, node, ALL_DEPARTURES)),
                (node_affinity.required_node_affinity(pod, node), node_affinity.refusal(pod, node)),
                (node_ports.node_ports(pod, info), node_ports.refusal(pod, info)),
                (node_resources_fit.node_resources_fit(pod, info), node_resources_fit.refusal(pod, info)),
                (
                    pod_topology_spread.pod_topology_spread(pod, info, spread, ALL_DEPARTURES),
                    pod_topology_spread.refusal(pod, info, spread, ALL_DEPARTURES),
                ),
                (inter_pod_affinity.inter_pod_affinity(*near), inter_pod_affinity.refusal(*near)),
            ):
                assert admits == (refusal is None)


def test_a_disagreement_is_reported_and_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with gzip.open(FILES[0].parent / "quirks.jsonl.gz", "rt", encoding="utf-8") as lines:
        value = json.loads(next(iter(lines)))
    value["expected"]["invented"] = 1
    right = tmp_path / "right.jsonl"
    right.write_text(json.dumps(value))
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(right)]) == 2
    assert re.search(r"^all \d+ values that were compared agree$", capsys.readouterr().out, re.MULTILINE)
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(right), "--format", "json"]) == 2
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], said["differences"], said["notCompared"]["fields"]) == ("unknown", [], {"invented": 1})
    value["expected"]["nodes"]["n1"]["feasible"] = True
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(json.dumps(value))
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(right), str(wrong)]) == 1
    told = capsys.readouterr().out
    assert "quirk-affinity-empty-term: nodes.n1.feasible\n" in told
    assert "  recorded  true\n  here      false\n" in told
    assert "not compared yet: invented (2 records)\n" in told
    assert re.search(r"^\d+ of \d+ values that were compared agree$", told, re.MULTILINE)
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(right), str(wrong), "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], said["exitCode"], said["records"]) == ("violated", 1, 2)
    assert said["notCompared"] == {"records": [], "fields": {"invented": 2}}
    (found,) = (each for each in said["differences"] if each["place"] == "nodes.n1.feasible")
    assert (found["recorded"], found["said"], found["field"]) == (True, False, "nodes.feasible")
    differing = {each["field"]: each["differing"] for each in said["compared"]}
    assert (differing["nodes.feasible"], differing["feasible"]) == (1, 0)


def test_a_conformance_report_in_json_has_the_counts_of_the_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    file = FILES[0].parent / "quirks.jsonl.gz"
    made = conformance(recorded(str(file)), RECORDING_PLUGINS)
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(file), "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], said["exitCode"], said["stopped"]) == ("holds", 0, None)
    assert sum(each["values"] for each in said["compared"]) == sum(made.compared.values())
    assert {each["id"] for each in said["noTruth"]} == {"quirk-podlevel-overhead-mutates"}
    assert said["notCompared"] == {"records": [], "fields": {}}


WRONG = {"feasible": ["nowhere"]}
"""A wrong recorded value for each field, unless null."""


def preempting() -> Record:
    """A record of a pod that preempts."""
    records = recorded(str(FILES[0].parent / "preemption.jsonl.gz"))
    return next(each for each in records if (each.expected["preemption"] or {}).get("candidates"))


def only(record: Record, *keys: str) -> Record:
    """The record with only these answers."""
    return replace(record, expected={key: record.expected[key] for key in keys})


@pytest.mark.parametrize("key", ["priority", "preFilter", "nodes", "feasible", "skipScore", "decision", "preemption"])
def test_a_record_of_one_field_is_compared_only_in_that_field(key: str) -> None:
    record = preempting()
    made = conformance([only(record, key)], RECORDING_PLUGINS)
    assert made.differences == ()
    fields = {field for _, field in made.compared}
    assert fields and all(field.partition(".")[0] in (key, "gated", "scoreError") for field in fields)
    wrong = conformance([replace(record, expected={key: WRONG.get(key)})], RECORDING_PLUGINS)
    assert {each.compared.field.partition(".")[0] for each in wrong.differences} == {key}


def test_what_records_do_not_tell_is_counted_by_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = preempting()
    made = conformance([only(record, "decision"), only(record, "decision", "feasible"), record], RECORDING_PLUGINS)
    assert made.differences == () and made.whole
    assert (made.not_told["feasible"], made.not_told["priority"], made.not_told["preemption.candidates"]) == (1, 2, 2)
    assert "decision" not in made.not_told
    assert record.case is not None
    line = {"id": record.id, "case": record.case.value, "expected": {"decision": record.expected["decision"]}}
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps(line))
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(file)]) == 0
    told = capsys.readouterr().out
    assert "all 1 values agree" in told
    assert re.search(r"^not told by the records: feasible \(1 record\), ", told, re.MULTILINE)
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(file), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["notTold"]["feasible"] == 1


def test_a_node_with_some_fields_is_compared_only_in_these() -> None:
    record = preempting()
    nodes = {name: {"feasible": node["feasible"]} for name, node in record.expected["nodes"].items()}
    made = conformance([replace(record, expected={"nodes": nodes})], RECORDING_PLUGINS)
    assert made.differences == () and {field for _, field in made.compared} == {"nodes.feasible"}
    opposite = {name: {"feasible": not node["feasible"]} for name, node in nodes.items()}
    wrong = conformance([replace(record, expected={"nodes": opposite})], RECORDING_PLUGINS)
    assert len(wrong.differences) == len(nodes)


def test_in_a_full_record_a_missing_error_or_node_means_there_is_none() -> None:
    record = preempting()
    reason = {**record.expected["preemption"], "eligible": False}
    made = conformance([replace(record, expected={**record.expected, "preemption": reason})], RECORDING_PLUGINS)
    assert [each.compared.field for each in made.differences] == ["preemption.eligible"]
    some = dict(list(record.expected["nodes"].items())[1:])
    missing = conformance([replace(record, expected={**record.expected, "nodes": some})], RECORDING_PLUGINS)
    assert {each.compared.field for each in missing.differences} >= {"nodes.feasible", "nodes.first"}


def test_differences_beyond_the_first_fifty_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with gzip.open(FILES[0].parent / "quirks.jsonl.gz", "rt", encoding="utf-8") as lines:
        value = json.loads(next(iter(lines)))
    value["expected"] = {"priority": 12345}
    file = tmp_path / "in.jsonl"
    file.write_text("\n".join(json.dumps(value) for _ in range(53)))
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(file)]) == 1
    told = capsys.readouterr().out
    assert told.count("  recorded  12345\n") == 50
    assert "and 3 differences more\n0 of 53 values agree\n" in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "expected a map"),
        ("{}", "id: expected the id of a case"),
        ('\n{"id": "a", "case": 1, "expected": {}}', "line 2: case: 1: expected a map"),
        ('\n{"id": "a", "case": {}, "expected": {"preemption": 5}}', "line 2: expected.preemption: 5: expected a map"),
        ('{"id": "a", "case": {}, "expected": {"nodes": [1]}}', "line 1: expected.nodes: a list: expected a map"),
        ('{"id": "a", "case": {}, "expected": {"nodes": {"n1": "x"}}}', "expected.nodes.n1: 'x': expected a map"),
        ('{"id": "a", "case": {}, "expected": {"feasible": [1]}}', "expected.feasible[0]: 1: expected a string"),
        ('{"id": "a", "case": {}, "expected": {"real": "x"}}', "line 1: expected.real: 'x': expected a map"),
        ('{"id": "a", "case": {}, "expected": {"preFilter": 1}}', "line 1: expected.preFilter: 1: expected a map"),
        (
            '{"id": "a", "case": {}, "expected": {"preemption": {"candidates": [5]}}}',
            "line 1: expected.preemption.candidates[0]: 5: expected a map",
        ),
        (
            '{"id": "a", "case": {}, "expected": {"preemption": {"candidates": [{"victims": []}]}}}',
            "line 1: expected.preemption.candidates[0].node: expected the name of a node",
        ),
        (
            '{"id": "a", "expected": {}, "case": {"pod": {"spec": {"topologySpreadConstraints": [{}]}}}}',
            "case.pod.spec.topologySpreadConstraints[0].whenUnsatisfiable: expected DoNotSchedule or ScheduleAnyway",
        ),
    ],
)
def test_an_invalid_record_is_reported_in_one_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(text)
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(file)]) == 3
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_a_truncated_file_is_reported_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "in.jsonl.gz"
    file.write_bytes(FILES[0].read_bytes()[:1000])
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(file)]) == 3
    assert "not gzip" in capsys.readouterr().err
