"""Records of the production scheduler pass, and mistakes planted in them are found at their step"""

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import schedcheck
from benchmarks.planting import PLANTED, first
from benchmarks.replaying import started
from benchmarks.traces import as_audit, record, write
from schedcheck.model.simulation.simulation import Simulation

SIZE = 20, 350
DECISIONS = 400
Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Lines]:
    """The folder with the cluster, and the lines of a record."""
    folder = tmp_path_factory.mktemp("run")
    return folder, list(record(Simulation(started(folder, *SIZE)), 0, DECISIONS))


@cache
def cluster(folder: Path) -> schedcheck.Cluster:
    return schedcheck.read(folder / "cluster.json", whole=False)


def items(folder: Path) -> Lines:
    found: Lines = json.loads((folder / "cluster.json").read_text())["items"]
    return found


def replayed(folder: Path, lines: Lines, **options: Any) -> schedcheck.Replayed:
    write(lines, folder / "trace.jsonl")
    return schedcheck.replay(folder / "trace.jsonl", cluster(folder), **options)


def test_untouched_record_is_allowed(run: tuple[Path, Lines]) -> None:
    folder, lines = run
    found = replayed(folder, lines)
    assert found.verdicts["allowed"] == found.decisions == DECISIONS
    assert {line["decision"]["kind"] for line in lines if "decision" in line} == {"bind", "nominate", "unschedulable"}
    assert first(items(folder), lines) is None


def test_untouched_record_is_allowed_with_its_messages(run: tuple[Path, Lines]) -> None:
    folder, lines = run
    assert replayed(folder, lines, strictness="exact").verdicts["allowed"] == DECISIONS


def test_untouched_run_is_allowed_as_an_audit_log_whose_bindings_come_late(run: tuple[Path, Lines]) -> None:
    folder, lines = run
    log = list(as_audit(lines))
    found = replayed(folder, log)
    decided = sum("decision" in line for line in lines)
    assert found.form == "audit"
    assert decided - 5 <= found.verdicts["allowed"] == found.decisions <= decided
    assert found.outcome.explained >= 5


@pytest.mark.parametrize("seed", range(1, 4))
def test_binding_that_is_moved_in_an_audit_log_is_found(seed: int, run: tuple[Path, Lines]) -> None:
    """A log lists bindings as they are called; of these three none is overtaken by the next pod's."""
    folder, lines = run
    made = PLANTED["moved"](items(folder), lines, Random(f"audit {seed}"))
    log = list(as_audit(made.lines))
    pod = made.lines[made.place]["pod"]
    found = replayed(folder, log).first
    assert found is not None
    assert ("/".join(found.decided.pod), found.judged.clause) == (pod, "filters")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("seed", range(3))
def test_planted_mistake_is_found_at_its_step(name: str, seed: int, run: tuple[Path, Lines]) -> None:
    folder, lines = run
    made = PLANTED[name](items(folder), lines, Random(f"{name} {seed}"))
    found = replayed(folder, made.lines).first
    assert found is not None
    assert made.place <= found.decided.line - 1 <= made.found
    if made.exact:
        assert (found.decided.line - 1, found.judged.clause) == (made.place, "filters")


def test_swap_that_changes_nothing_judged_is_no_mistake(run: tuple[Path, Lines]) -> None:
    folder, lines = run
    places = [place for place, line in enumerate(lines) if line.get("event") == "add"]
    pairs = [(place, place + 1) for place in places if place + 1 in places]
    assert len(pairs) >= 5
    made = list(lines)
    for one, other in pairs[::2]:
        made[one], made[other] = made[other] | {"time": made[one]["time"]}, made[one] | {"time": made[other]["time"]}
    assert replayed(folder, made).verdicts["refused"] == 0
