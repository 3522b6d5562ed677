"""The decisions that kube-scheduler recorded are allowed, with all that it told; any other decision is refused."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.checker.judging.judge import judge
from schedcheck.checker.judging.judged import Judged
from schedcheck.checker.judging.reply import Reply, ToldRefusal
from schedcheck.recordings.recorded import Record, question, recorded
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import kubernetes
from tests.support.recorded import RECORDING_PLUGINS

FILES = sorted((Path(__file__).parents[2] / "data" / "conformance").glob("*.jsonl.gz"))
CASES = [file for file in FILES if "quantities" not in file.name]
PROFILE = kubernetes("kubernetes", (RECORDING_PLUGINS,))
EVERY = 4
"""One record of so many is judged, where there are many."""


def asked(record: Record) -> tuple[Pod, Snapshot]:
    """The pod of a record, and the cluster with it."""
    assert record.case is not None
    found = question(record.case)
    pods = tuple(sorted((*found.snapshot.pods, found.pod), key=lambda pod: pod.key))
    return found.pod, replace(found.snapshot, pods=pods)


def replies(record: Record) -> list[Reply]:
    """The decisions that the record holds, with the scores, refusals and texts that it tells."""
    said = record.expected
    firsts = {name: node["first"] for name, node in said["nodes"].items()}
    refusals = {
        name: ()
        if first["code"] == "Success"
        else (ToldRefusal(tuple(first["reasons"]), first.get("plugin", ""), first["code"]),)
        for name, first in firsts.items()
    }
    scores = {name: node["total"] for name, node in said["nodes"].items() if "total" in node}
    decision, preemption = said["decision"], said.get("preemption") or {}
    told = Reply("bind", refusals=refusals, scores=scores)
    if decision["kind"] == "scheduled":
        return [replace(told, node=host) for host in decision["hosts"]]
    if preemption.get("selected"):
        victims = {each["node"]: each["victims"] for each in preemption["candidates"]}
        return [
            replace(told, kind="nominate", node=node, victims=frozenset(tuple(each.split("/")) for each in victims[node]))
            for node in preemption["selected"]
        ]  # fmt: skip
    kind = "error" if decision["kind"] == "error" else "unschedulable"
    return [replace(told, kind=kind, message=said["real"]["message"], refusals=None if kind == "error" else refusals)]


def judged(record: Record, reply: Reply) -> Judged:
    pod, snapshot = asked(record)
    return judge(pod, snapshot, PROFILE, reply, "exact")


def some(file: Path) -> list[Record]:
    """Records of a file whose answer does not depend on chance, about pods without gates."""
    found = [each for each in recorded(str(file)) if each.truth and each.expected.get("gated") is None]
    return found[::EVERY] if len(found) > 100 else found


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.name)
def test_what_kube_scheduler_recorded_is_allowed(file: Path) -> None:
    number = 0
    for record in some(file):
        for reply in replies(record):
            found = judged(record, reply)
            assert (record.id, found.verdict, found.reasons) == (record.id, "allowed", ()), reply
            number += 1
    assert number > 10


@pytest.mark.sampled(2)
@pytest.mark.parametrize("file", CASES, ids=lambda file: file.name)
def test_any_other_decision_is_refused_by_the_clause_that_the_record_tells(file: Path) -> None:
    clauses: Counter[str] = Counter()
    for record in some(file):
        said, right = record.expected, replies(record)
        for name, node in said["nodes"].items():
            if any(each.kind == "bind" and each.node == name for each in right):
                continue
            found = judged(record, Reply("bind", name))
            assert found.verdict == "refused", (record.id, name)
            error = said["decision"]["kind"] == "error"
            expected = (
                {"filters"} if not node["feasible"] else {"cycleError"} if error else {"bestScore", "nominatedNode"}
            )
            assert found.clause in expected, (record.id, name, found)
            clauses[found.clause] += 1
        waiting = judged(record, Reply("unschedulable"))
        if said["decision"]["kind"] == "scheduled":
            assert (record.id, waiting.clause) == (record.id, "feasibleNode")
        elif right[0].kind == "nominate":
            assert (record.id, waiting.clause) == (record.id, "preempts")
    assert clauses["filters"] + clauses["bestScore"] > 10


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.name)
def test_a_telling_that_differs_is_refused_where_the_judgement_is_exact(file: Path) -> None:
    clauses: Counter[str] = Counter()
    for record in some(file):
        for reply in replies(record)[:1]:
            if record.expected["decision"]["mode"] == "scored":
                name = sorted(reply.scores or {})[0]
                wrong = replace(reply, scores={**(reply.scores or {}), name: (reply.scores or {})[name] + 1})
                assert judged(record, wrong).clause == "scores", record.id
                clauses["scores"] += 1
            refused = sorted(name for name, each in (reply.refusals or {}).items() if each)
            if refused:
                wrong = replace(reply, refusals={refused[0]: (ToldRefusal(("something else",)),)})
                assert judged(record, wrong).clause == "refusals", record.id
                wrong = replace(reply, refusals={refused[0]: ()})
                assert judged(record, wrong).clause == "refusals", record.id
                clauses["refusals"] += 1
            if reply.message is not None:
                assert judged(record, replace(reply, message=f"{reply.message}!")).clause == "event", record.id
                clauses["event"] += 1
    assert clauses.total() > 10
