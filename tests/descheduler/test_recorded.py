"""The recorded cycles of the descheduler are those that the model allows; a broken model, or a changed cycle, is detected"""

import gzip
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schedcheck.model.controllers.descheduler import descheduling, evictor
from schedcheck.model.controllers.descheduler import plugins as by_plugin
from schedcheck.model.controllers.descheduler import too_many_restarts as restarting
from schedcheck.model.scenario import Scenario
from tests.descheduler import __main__ as comparing
from tests.descheduler.drawn import PLUGINS
from tests.descheduler.replayed import scenario_of, why_not

Json = dict[str, Any]
FILE = Path(__file__).parents[1] / "data" / "descheduler" / "0.36.0.jsonl.gz"
RESTARTS = restarting.restarts
CASES: list[Json] = [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).splitlines()]


@cache
def scenario(number: int) -> Scenario:
    return scenario_of(CASES[number])


def first_difference(cases: range) -> str:
    """What the model does not allow of the recorded cycles, if anything."""
    for number in cases:
        for cycle in CASES[number]["cycles"]:
            if found := why_not(scenario(number), cycle):
                return f"{CASES[number]['id']}: {found}"
    return ""


@pytest.mark.parametrize("part", range(8))
def test_the_model_allows_every_recorded_cycle(part: int) -> None:
    assert first_difference(range(part, len(CASES), 8)) == ""


def test_every_plugin_evicts_in_some_record() -> None:
    """A plugin that is alone in a policy evicts, so that the records put it to the test."""
    busy = set()
    for case in CASES:
        names = [each["name"] for each in case["policy"]["profiles"][0]["pluginConfig"] if each["name"] in PLUGINS]
        if len(names) == 1 and any(each["allowed"] for cycle in case["cycles"] for each in cycle):
            busy.add(names[0])
    assert busy == {*PLUGINS}
    assert any(not each["allowed"] for case in CASES for cycle in case["cycles"] for each in cycle)


def test_a_changed_cycle_is_refused() -> None:
    refused = {"one less": 0, "one more": 0, "another": 0}
    for number, case in enumerate(CASES[:120]):
        cycle = [each for each in case["cycles"][0] if each["allowed"]]
        evicted = {each["pod"] for each in cycle}
        others = [
            f"{each['metadata']['namespace']}/{each['metadata']['name']}"
            for each in case["objects"]
            if each["kind"] == "Pod"
        ]
        more = [{"pod": other, "allowed": True} for other in others if other not in evicted]
        refused["one less"] += bool(cycle) and bool(why_not(scenario(number), cycle[:-1]))
        refused["one more"] += any(why_not(scenario(number), [*cycle, each]) for each in more)
        refused["another"] += bool(cycle) and any(why_not(scenario(number), [*cycle[:-1], each]) for each in more)
    # A cycle of PodLifeTime may be shorter, and another order of hash tables may choose another pod.
    assert min(refused.values()) >= 40, refused


def without_late_judgement(patch: pytest.MonkeyPatch) -> None:
    """The evictor judges every pod when a run begins."""
    patch.setattr(evictor, "judged_late", lambda run: False)


def without_budgets(patch: pytest.MonkeyPatch) -> None:
    """The protection of pods without a budget protects none."""
    protected = evictor.protected

    def broken(pod: Any, given: Any, view: Any) -> bool:
        return bool(protected(pod, replace(given, protections=given.protections - {"PodsWithoutPDB"}), view))

    patch.setattr(evictor, "protected", broken)


def without(plugin: str) -> Callable[[pytest.MonkeyPatch], None]:
    """A plugin does nothing."""
    return lambda patch: patch.setattr(by_plugin, plugin, lambda *given: iter(()))


def fewest_first(pod: Any, arguments: Any, view: Any) -> int:
    """Pods at the threshold count the less the more they restarted."""
    number = RESTARTS(pod, arguments, view)
    return number if number < arguments.threshold else 1_000 - number


BROKEN: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "late judgement": without_late_judgement,
    "budgets": without_budgets,
    "node fit": lambda patch: patch.setattr(evictor, "fits_another", lambda *given: True),
    "replicas": lambda patch: patch.setattr(evictor, "too_few", lambda *given: False),
    "order of restarts": lambda patch: patch.setattr(restarting, "restarts", fewest_first),
    "limits": lambda patch: patch.setattr(descheduling.Descheduling, "_limits", {}),
    **{
        name: without(name)
        for name in (
            "plans",
            "node_affinity",
            "node_taints",
            "anti_affinity",
            "spread",
            "utilization",
            "too_many_restarts",
        )
    },
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_model_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BROKEN[broken](monkeypatch)
    assert first_difference(range(len(CASES)))


PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], "cycles": [[]] * asked["times"]}), flush=True)
"""


def run(argv: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.chdir(folder)
    return comparing.main(argv)


def test_the_comparison_finds_a_program_that_never_evicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "idle.py"
    program.write_text(PROGRAM)
    argv = ["--seed", "0", "--count", "20", "--witness", f"{sys.executable} {program}", "--record", "told.gz"]
    assert run(argv, tmp_path, monkeypatch) == 1
    assert "20 clusters, 60 cycles, 0 evictions" in capsys.readouterr().out
    assert list((tmp_path / ".live").glob("descheduler-*.json"))


def test_a_program_that_ends_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["--count", "2", "--witness", f"{sys.executable} -c raise(SystemExit('no'))"]
    assert run(argv, tmp_path, monkeypatch) == 3
    assert capsys.readouterr().err.startswith("make descheduler: 0: no")


def test_without_go_the_run_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.descheduler.building.up_to_date", lambda: False)
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
    assert capsys.readouterr().err == "make descheduler: interrupted while it was built\n"
