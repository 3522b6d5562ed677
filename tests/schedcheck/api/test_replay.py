"""`schedcheck.replay`: records read from files, their verdicts, and wrong input"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import schedcheck
from schedcheck.checker.replaying.records import Decided
from schedcheck.checker.replaying.replay import Replay
from schedcheck.cli import main
from tests.schedcheck.api.test_schemas import schema

ROOT = Path(__file__).parents[3]
TRACE = ROOT / "examples" / "replay" / "trace.jsonl"
CLUSTER = ROOT / "examples" / "replay" / "cluster.json"
LINES = TRACE.read_text().splitlines()
WRONG = 20
"""The line of the wrong decision."""


def before() -> schedcheck.Cluster:
    return schedcheck.read(CLUSTER)


def written(tmp_path: Path, *lines: Any) -> Path:
    file = tmp_path / "trace.jsonl"
    file.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return file


def test_record_is_allowed_up_to_its_wrong_decision(tmp_path: Path) -> None:
    right = schedcheck.replay(written(tmp_path, *LINES[: WRONG - 1]), before())
    assert (right.exit_code, right.first, right.decisions) == (0, None, 5)
    wrong = schedcheck.replay(TRACE, before())
    assert wrong.exit_code == 1
    assert wrong.first is not None and wrong.first.decided.line == WRONG


def test_gzipped_record_gives_the_same_answer(tmp_path: Path) -> None:
    packed = tmp_path / "trace.gz"
    packed.write_bytes(gzip.compress(TRACE.read_bytes()))
    assert schedcheck.replay(packed, before()).to_json() == schedcheck.replay(TRACE, before()).to_json()


def test_cluster_may_be_in_the_record_itself(tmp_path: Path) -> None:
    items = json.loads(CLUSTER.read_text())["items"]
    events = [{"time": 0, "event": "add", "object": each} for each in items]
    found = schedcheck.replay(written(tmp_path, LINES[0], *events, *LINES[1:]))
    assert found.verdicts == schedcheck.replay(TRACE, before()).verdicts


def test_times_may_be_texts_and_the_header_left_out(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in LINES[1:]]
    texts = [line | {"time": f"2026-01-01T00:00:{line['time']:05.2f}Z"} for line in lines]
    assert schedcheck.replay(written(tmp_path, *texts), before()).verdicts["allowed"] == 5


def test_lag_decides_whether_an_unknown_change_explains_a_decision() -> None:
    found = schedcheck.replay(TRACE, before(), lag="5ms", profile="kubernetes-1.34")
    assert found.first is not None and found.first.decided.line < WRONG
    assert schedcheck.replay(TRACE, before(), lag=0.5, profile="kubernetes-1.34").outcome.explained == 1


def test_kinds_that_are_not_read_are_counted(tmp_path: Path) -> None:
    lease = {"event": "add", "object": {"kind": "Lease", "metadata": {"name": "x"}}}
    assert schedcheck.replay(written(tmp_path, lease, *LINES[1:]), before()).notes == ("not read: 1 Lease",)


def test_budgets_services_controllers_and_storage_are_read(tmp_path: Path) -> None:
    def add(kind: str, name: str, **fields: Any) -> dict[str, Any]:
        return {"event": "add", "object": {"kind": kind, "metadata": {"name": name, "namespace": "shop"}, **fields}}

    others = [
        add("PodDisruptionBudget", "b", spec={"minAvailable": 1}),
        add("Service", "s", spec={"selector": {"app": "a"}}),
        add("ReplicaSet", "r", spec={"selector": {"matchLabels": {"app": "a"}}}),
        add("PersistentVolumeClaim", "c", spec={"accessModes": ["ReadWriteOnce"]}),
        add("StorageClass", "fast", provisioner="p"),
        add("Namespace", "shop"),
    ]
    gone = [each | {"event": "delete"} for each in others]
    found = schedcheck.replay(written(tmp_path, *others, *gone, *LINES[1:]), before())
    assert found.notes == ()
    assert found.outcome.changes == 14 + 12


def test_every_line_of_the_example_is_what_the_schema_says() -> None:
    lines = Draft202012Validator(schema("trace"))
    for line in LINES:
        assert list(lines.iter_errors(json.loads(line))) == []
    assert list(lines.iter_errors({"event": "add"})) != []


BAD: dict[str, tuple[Any, str]] = {
    "no JSON": ("{", "line 2: not JSON"),
    "a list": ([], "line 2: [] expected a map"),
    "an event of another kind": ({"event": "create", "object": {}}, "line 2: event: 'create': expected one of add, update, delete"),
    "no object": ({"event": "add"}, "line 2: object: expected a Kubernetes object"),
    "no kind": ({"event": "add", "object": {}}, "line 2: object.kind: expected the kind"),
    "no pod": ({"decision": {"kind": "unschedulable"}}, "line 2: pod: expected namespace/name"),
    "a wrong decision": ({"decision": {"kind": "maybe"}, "pod": "a/b"}, "line 2: decision.kind: 'maybe': expected one of bind"),
    "an unknown field": ({"decision": {"kind": "unschedulable"}, "pod": "a/b", "x": 1}, "line 2: x: unknown field"),
    "a wrong time": ({"time": "soon", "decision": {"kind": "unschedulable"}, "pod": "a/b"}, "line 2: time: 'soon': expected seconds"),
    "an endless time": ({"time": 10**400, "decision": {"kind": "unschedulable"}, "pod": "a/b"}, "expected seconds"),
    "nothing": ({}, "line 2: {}: expected an event or a decision"),
    "another version": ({"apiVersion": "schedcheck/v2", "kind": "Trace"}, "line 2: apiVersion: 'schedcheck/v2': expected"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_wrong_line_is_one_error_that_names_its_place(name: str, tmp_path: Path) -> None:
    line, said = BAD[name]
    file = written(tmp_path, LINES[0], line)
    with pytest.raises(schedcheck.InputError) as error:
        schedcheck.replay(file, before())
    assert said.replace("[] ", "[]: ") in str(error.value)
    assert str(file) in str(error.value)


def test_wrong_files_and_parameters_are_errors(tmp_path: Path) -> None:
    later = {"time": 5, "decision": {"kind": "unschedulable"}, "pod": "a/b"}
    truncated = tmp_path / "cut.gz"
    truncated.write_bytes(gzip.compress(TRACE.read_bytes())[:-20])
    cases = [
        (written(tmp_path), {}, "expected a record"),
        (tmp_path / "absent", {}, "No such file"),
        (truncated, {}, "not gzip"),
        (TRACE, {"lag": "soon"}, "lag: 'soon': expected a duration"),
        (TRACE, {"tries": 0}, "tries: 0: expected a number of at least 1"),
        (TRACE, {"profile": "classic"}, "'classic': expected kubernetes or"),
        (TRACE, {"strictness": "loose"}, "'loose': expected one of feasible"),
    ]
    for file, parameters, said in cases:
        with pytest.raises(schedcheck.InputError) as error:
            schedcheck.replay(file, before(), **parameters)
        assert said in str(error.value)
    file = tmp_path / "order.jsonl"
    file.write_text(f"{json.dumps(later)}\n{json.dumps(later | {'time': 4})}\n")
    with pytest.raises(schedcheck.InputError, match="not before that of an earlier line"):
        schedcheck.replay(file)
    (tmp_path / "events.jsonl").write_text(f"{LINES[1]}\n")
    with pytest.raises(schedcheck.InputError, match="expected a decision of the scheduler"):
        schedcheck.replay(tmp_path / "events.jsonl", before())


def test_unknown_decision_has_exit_code_2(tmp_path: Path) -> None:
    nobody = {"time": 1, "decision": {"kind": "bind", "node": "n1"}, "pod": "shop/nobody"}
    found = schedcheck.replay(written(tmp_path, nobody), before())
    assert (found.exit_code, found.verdicts["unknown"]) == (2, 1)


def test_command_shows_the_first_refused_decision(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(TRACE), "--onto", str(CLUSTER)]) == 1
    shown = capsys.readouterr().out
    assert "The first refused decision is number 6 (line 20, 25.01 s)" in shown
    assert "n1 is refused by NodeResourcesFit: Insufficient cpu" in shown
    assert main(["replay", str(TRACE), "--onto", str(CLUSTER), "--lag", "oops"]) == 3
    assert "--lag: 'oops'" in capsys.readouterr().err


def test_interrupted_replay_says_what_it_came_to(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Replay._judge

    def interrupted(made: Replay, decided: Decided, ahead: Any) -> None:
        if made.outcome.decisions == 3:
            raise KeyboardInterrupt
        judge(made, decided, ahead)

    monkeypatch.setattr(Replay, "_judge", interrupted)
    found = schedcheck.replay(TRACE, before())
    assert (found.stopped, found.decisions, found.exit_code) == ("interrupted", 3, 2)
