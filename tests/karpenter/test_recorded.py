"""The recorded decisions of Karpenter are those that the model allows; a broken model, or a changed decision, is detected"""

import gzip
import json
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schedcheck.model.controllers.karpenter import candidates, consolidation, domains, hosts, solving, topology
from schedcheck.model.controllers.karpenter.consolidation import Disrupting
from tests.karpenter import __main__ as comparing
from tests.karpenter.replayed import Looks, scenario_of, why_not

Json = dict[str, Any]
FILE = Path(__file__).parents[1] / "data" / "karpenter" / "1.15.0.jsonl.gz"
CASES: list[Json] = [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).splitlines()]


@cache
def looks(number: int) -> Looks:
    return Looks(scenario_of(CASES[number]))


def first_difference(cases: range) -> str:
    """What the model does not allow of the recorded decisions, if anything."""
    for number in cases:
        for cycle in CASES[number]["cycles"]:
            if found := why_not(looks(number), cycle):
                return f"{CASES[number]['id']}: {found}"
    return ""


@pytest.mark.parametrize("part", range(8))
def test_the_model_allows_every_recorded_decision(part: int) -> None:
    assert first_difference(range(part, len(CASES), 8)) == ""


def test_every_kind_of_decision_is_recorded() -> None:
    found = {kind for case in CASES for kind in comparing.kinds(case)}
    assert found == {"provisioned", "empty", "consolidated", "replaced", "several"}
    assert any(cycle["failed"] for case in CASES for cycle in case["cycles"])
    assert any(cycle["placed"] for case in CASES for cycle in case["cycles"])


def test_a_changed_decision_is_refused() -> None:
    refused = {"no claim": 0, "other types": 0, "no command": 0, "another node": 0}
    for number, case in enumerate(CASES[:160]):
        cycle = case["cycles"][0]
        if cycle["claims"]:
            refused["no claim"] += bool(why_not(looks(number), {**cycle, "claims": cycle["claims"][1:]}))
            first = {**cycle["claims"][0], "types": [*cycle["claims"][0]["types"], "other"]}
            refused["other types"] += bool(why_not(looks(number), {**cycle, "claims": [first, *cycle["claims"][1:]]}))
        if cycle["command"]:
            refused["no command"] += bool(why_not(looks(number), {**cycle, "command": None}))
            other = {**cycle["command"], "nodes": ["other"]}
            refused["another node"] += bool(why_not(looks(number), {**cycle, "command": other}))
    # Validation may fail by other choices, so that nothing is done.
    assert min(refused.values()) >= 20, refused


def without_relaxation(patch: pytest.MonkeyPatch) -> None:
    """Preferences are never given up."""
    patch.setattr(solving, "relaxed", lambda asked, tolerate: None)


def by_name(patch: pytest.MonkeyPatch) -> None:
    """Existing nodes are tried in the opposite order."""
    patch.setattr(solving, "in_flight", lambda node: not domains.in_flight(node))


def of_all_domains(patch: pytest.MonkeyPatch) -> None:
    """Anti-affinity takes every domain for possible."""

    def broken(self: Any, rule: Any, asked: Any) -> Any:
        return iter(self._universe.get(rule.key, {}))

    patch.setattr(topology.Topology, "_open", broken)


def without(name: str) -> Callable[[pytest.MonkeyPatch], None]:
    """A method of disruption does nothing."""
    return lambda patch: patch.setattr(Disrupting, name, lambda self, there: None)


def at_any_price(patch: pytest.MonkeyPatch) -> None:
    """A replacement may cost as much as what it replaces."""
    patch.setattr(Disrupting, "_cheaper", lambda self, claim, limit: claim)


def spares_all(patch: pytest.MonkeyPatch) -> None:
    """Disruption budgets allow everything."""
    patch.setattr(consolidation, "spare", lambda snapshot, given, reason: {pool.name: 99 for pool in given.pools})


def protects_nothing(patch: pytest.MonkeyPatch) -> None:
    """Neither annotations nor PodDisruptionBudgets of pods keep a node."""
    patch.setattr(candidates, "_disruptable", lambda pod, snapshot, given: True)


BROKEN: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "relaxation": without_relaxation,
    "order of nodes": by_name,
    "domains of anti-affinity": of_all_domains,
    "emptiness": without("_emptiness"),
    "several nodes": without("_several"),
    "single nodes": without("_single"),
    "price": at_any_price,
    "budgets": spares_all,
    "protection": protects_nothing,
    "limits": lambda patch: patch.setattr(solving, "_remaining", lambda pool, given, nodes: {}),
    "startup taints": lambda patch: patch.setattr(hosts, "in_flight", lambda node: False),
    "negative amounts": lambda patch: patch.setattr(
        hosts, "fits", lambda wanted, there: all(number <= there.get(name, 0) for name, number in wanted.items())
    ),
    "same types": lambda patch: patch.setattr(Disrupting, "_other_types", lambda self, command, some: command),
    "fully blocking budgets": lambda patch: patch.setattr(candidates, "fully_blocking", lambda budget: False),
    "least domains": lambda patch: patch.setattr(topology.Group, "_fewest", lambda self, pods: 0),
    "pending pods": lambda patch: patch.setattr(Disrupting, "_unplaced", lambda self, result, some: False),
    "policy": lambda patch: patch.setattr(candidates, "WHEN_EMPTY", ""),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_model_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BROKEN[broken](monkeypatch)
    # The last cases were recorded as each is quick with some broken model.
    assert first_difference(range(len(CASES) - 1, -1, -1))


PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    cycle = {"claims": [], "placed": {}, "failed": [], "command": None}
    print(json.dumps({"id": asked["id"], "cycles": [cycle] * asked["times"]}), flush=True)
"""


def run(argv: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.chdir(folder)
    return comparing.main(argv)


def test_the_comparison_finds_a_program_that_never_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "idle.py"
    program.write_text(PROGRAM)
    argv = ["--seed", "0", "--clusters", "20", "--witness", f"{sys.executable} {program}", "--record", "told.gz"]
    assert run(argv, tmp_path, monkeypatch) == 1
    assert "20 clusters, 60 cycles, 0 provisioned" in capsys.readouterr().out
    assert list((tmp_path / ".live").glob("karpenter-*.json"))


def test_a_program_that_ends_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["--clusters", "2", "--witness", f"{sys.executable} -c raise(SystemExit('no'))"]
    assert run(argv, tmp_path, monkeypatch) == 3
    assert capsys.readouterr().err.startswith("make karpenter: 0: no")


def test_without_go_the_run_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.karpenter.building.up_to_date", lambda: False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert comparing.main([]) == 3
    assert "there is no go on the path" in capsys.readouterr().err


def test_an_interrupt_while_it_is_built_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(comparing, "built", interrupted)
    assert comparing.main([]) == 2
    assert capsys.readouterr().err == "make karpenter: interrupted while it was built\n"
