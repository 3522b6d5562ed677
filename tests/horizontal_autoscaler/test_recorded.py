"""The recorded synchronizations of the horizontal autoscaler are those of the model; a broken model is detected"""

import gzip
import json
import math
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schedcheck.manifests import autoscaler_metrics, autoscalers
from schedcheck.model.controllers.autoscaler import autoscaling, reading, replicas
from schedcheck.model.scenario import Scenario
from tests.horizontal_autoscaler import __main__ as comparing
from tests.horizontal_autoscaler import replayed
from tests.horizontal_autoscaler.drawn import FIELDS
from tests.horizontal_autoscaler.replayed import differences, metrics, outcomes, scenario_of

Json = dict[str, Any]
FILE = Path(__file__).parents[1] / "data" / "horizontal-autoscaler" / "1.37.2.jsonl.gz"
CASES: list[Json] = [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).splitlines()]


@cache
def scenario(number: int) -> Scenario:
    return scenario_of(CASES[number])


def first_difference(made: Callable[[int], Scenario] = scenario) -> str:
    """The first difference between the recorded synchronizations and the model, if there is one."""
    for number, case in enumerate(CASES):
        if found := differences(case, made(number)):
            return f"{case['id']}: {found[0]}"
    return ""


def test_the_model_says_the_same_of_every_recorded_synchronization() -> None:
    assert first_difference() == ""


def test_the_records_put_every_metric_and_many_scalings_to_the_test() -> None:
    alone = {
        each[0]["type"] for case in CASES if len(each := metrics(case)) == 1 and any(t["scaled"] for t in case["told"])
    }
    assert alone == {*FIELDS}
    assert sum(told["scaled"] for case in CASES for told in case["told"]) >= 300
    compared = [each for number, case in enumerate(CASES) for each in outcomes(case, scenario(number)) if each.compared]
    assert len(compared) >= 500


def without_behavior(number: int) -> Scenario:
    made = scenario(number)
    return replace(made, autoscalers=tuple(replace(each, behavior=None) for each in made.autoscalers))


def counting(name: str, broken: Callable[..., Any]) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(replicas, name, broken)


PROPOSED, JOINED, STABLE, LIMITED = replicas.proposed, replicas.joined, replicas.stabilized, replicas.limited
BROKEN: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "tolerances are exclusive": counting("within", lambda ratio, both: 1.0 - both[0] < ratio < 1.0 + both[1]),
    "the tolerance of scaling down counts for both": counting(
        "within", lambda ratio, both: 1.0 - both[0] <= ratio <= 1.0 + both[0]
    ),
    "averages are rounded up": counting("average", lambda pods: -(-sum(pods) // len(pods))),
    "pods without metrics use their whole request, whatever the target": counting(
        "full", lambda metric: 100 if metric.aim == "Utilization" else metric.target
    ),
    "pods without metrics use twice the target": counting(
        "full", lambda metric: max(100, metric.target) if metric.aim == "Utilization" else 2 * metric.target
    ),
    "pods without metrics are left out": counting("_assumed", lambda *given: ()),
    "unready pods are left out": counting("proposed", lambda c, m, s, lacking, left, t: PROPOSED(c, m, s, lacking, 0, t)),
    "the least of several metrics counts": counting(
        "joined", lambda now, each: min([one for one in each if one is not None], default=None)
    ),
    "invalid metrics are passed over": counting("joined", lambda now, each: JOINED(now, [one for one in each if one is not None])),
    "a value needs no ready pods": counting("by_value", lambda now, target, value, ready, t: math.ceil(value / target * now)),
    "a share has no tolerance": counting("by_share", lambda status, target, value, t: math.ceil(value / target)),
    "the newest recommendation decides": counting("stabilized", lambda a, now, wanted, high, low: wanted),
    "behavior stabilizes like none": counting(
        "stabilized", lambda a, now, wanted, high, low: STABLE(replace(a, behavior=None), now, wanted, high, low)
    ),
    "steps have no limit": counting("limited", lambda a, now, wanted, changes=None: max(a.least, min(wanted, a.most))),
    "earlier steps do not count": counting("limited", lambda a, now, wanted, changes=None: LIMITED(a, now, wanted)),
    "steps of the autoscaler have no limit": lambda patch: patch.setattr(
        autoscaling, "limited", lambda a, now, wanted: max(a.least, min(wanted, a.most))
    ),
    "steps know no earlier recommendation": lambda patch: patch.setattr(
        autoscaling, "stabilized", lambda a, now, wanted, high, low: wanted
    ),
    "a reading leaves no pod out": lambda patch: patch.setattr(
        reading, "proposed", lambda c, m, s, lacking, left, t: PROPOSED(c, m, s, lacking, 0, t)
    ),
    "a reading passes leaving pods over": lambda patch: patch.setattr(
        replayed, "Counts", lambda **kinds: reading.Counts(**{**kinds, "leaving": 0})
    ),
}  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_model_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BROKEN[broken](monkeypatch)
    assert first_difference()


READ: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "tolerances are rounded otherwise": lambda patch: patch.setattr(autoscalers, "_float", lambda given: given / 10**9),
    "requests of 0 are measured": lambda patch: patch.setattr(
        autoscaler_metrics, "_requested", lambda pod, name: REQUESTED(pod, name) or 100
    ),
    "the whole pod is measured for a container": lambda patch: patch.setattr(
        autoscaler_metrics, "_of_container", lambda pod, name, container, template: REQUESTED(pod, name)
    ),
}
REQUESTED = autoscaler_metrics._requested


@pytest.mark.parametrize("broken", READ)
def test_a_broken_reading_of_manifests_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    READ[broken](monkeypatch)
    assert first_difference(lambda number: scenario_of(CASES[number]))


def test_behavior_matters() -> None:
    assert first_difference(without_behavior)


PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    told = [{"replicas": asked["replicas"], "scaled": False} for _ in asked["syncs"]]
    print(json.dumps({"id": asked["id"], "syncs": told}), flush=True)
"""


def run(argv: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.chdir(folder)
    return comparing.main(argv)


def test_the_comparison_finds_a_program_that_never_scales(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "idle.py"
    program.write_text(PROGRAM)
    argv = ["--seed", "0", "--count", "20", "--witness", f"{sys.executable} {program}", "--record", "told.gz"]
    assert run(argv, tmp_path, monkeypatch) == 1
    assert "20 cases, " in capsys.readouterr().out
    assert list((tmp_path / ".live").glob("horizontal-autoscaler-*.json"))


def test_a_program_that_ends_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["--count", "2", "--witness", f"{sys.executable} -c raise(SystemExit('no'))"]
    assert run(argv, tmp_path, monkeypatch) == 3
    assert capsys.readouterr().err.startswith("make horizontal-autoscaler: 0: no")


def test_without_go_the_run_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.horizontal_autoscaler.building.up_to_date", lambda: False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert comparing.main([]) == 3
    assert "there is no go on the path" in capsys.readouterr().err
