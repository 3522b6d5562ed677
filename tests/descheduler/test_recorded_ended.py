"""The recorded evictions of pods that have ended are those that the model allows; a broken model is detected

`0.36.0-ended.jsonl.gz` has clusters of `drawn_ended`, whose policies have PodLifeTime, RemoveFailedPods or both.
"""

import gzip
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schedcheck.model.controllers.descheduler import descheduling, failed_pods, life_time, statuses
from schedcheck.model.controllers.descheduler import plugins as by_plugin
from schedcheck.model.controllers.descheduler.statuses import SURELY
from schedcheck.model.descheduling import Status
from schedcheck.model.scenario import Scenario
from tests.descheduler.ended import ENDED, drawn_ended
from tests.descheduler.replayed import scenario_of, why_not

Json = dict[str, Any]
FILE = Path(__file__).parents[1] / "data" / "descheduler" / "0.36.0-ended.jsonl.gz"
CASES: list[Json] = [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).splitlines()]
STATUS_OF = statuses.status_of


@cache
def scenario(number: int) -> Scenario:
    return scenario_of(CASES[number])


def first_difference() -> str:
    """What the model does not allow of the recorded cycles, if anything."""
    for number, case in enumerate(CASES):
        for cycle in case["cycles"]:
            if found := why_not(scenario(number), cycle):
                return f"{case['id']}: {found}"
    return ""


def test_the_model_allows_every_recorded_eviction_of_pods_that_have_ended() -> None:
    assert first_difference() == ""


def test_the_records_are_of_the_clusters_that_are_drawn() -> None:
    for case in CASES:
        again = drawn_ended(int(case["id"].removeprefix("ended-")))
        assert (again["objects"], again["policy"]) == (case["objects"], case["policy"])


def test_pods_that_have_ended_are_evicted_by_each_plugin_in_some_record() -> None:
    busy = set()
    for case in CASES:
        phases = {
            f"{each['metadata']['namespace']}/{each['metadata']['name']}": each["status"]["phase"]
            for each in case["objects"]
            if each["kind"] == "Pod"
        }
        evicted = {phases[each["pod"]] for cycle in case["cycles"] for each in cycle if each["allowed"]}
        names = [each["name"] for each in case["policy"]["profiles"][0]["pluginConfig"] if each["name"] in ENDED]
        busy |= {(name, phase) for name in names if len(names) == 1 for phase in evicted}
    assert busy >= {("PodLifeTime", "Failed"), ("PodLifeTime", "Succeeded"), ("RemoveFailedPods", "Failed")}
    assert {phase for name, phase in busy if name == "RemoveFailedPods"} == {"Failed"}


def without_reasons(pod: Any, view: Any) -> Status:
    """A status without the reasons of containers."""
    return Status(STATUS_OF(pod, view).phase)


def replaced(patch: pytest.MonkeyPatch, name: str, instead: Any) -> None:
    """Replace what both plugins read of statuses."""
    for module in (statuses, failed_pods, life_time):
        patch.setattr(module, name, instead, raising=False)


BROKEN: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "exit codes": lambda patch: replaced(patch, "has_exit_code", lambda *given: True),
    "states": lambda patch: patch.setattr(life_time, "in_states", lambda *given: True),
    "conditions": lambda patch: patch.setattr(life_time, "meets_conditions", lambda *given: SURELY),
    "statuses": lambda patch: replaced(patch, "status_of", without_reasons),
    "kinds of owners": lambda patch: patch.setattr(life_time, "_owned", lambda *given: True),
    "failed pods": lambda patch: patch.setattr(by_plugin, "failed_pods", lambda *given: iter(())),
    "life time": lambda patch: patch.setattr(by_plugin, "life_time", lambda *given: iter(())),
    "ended pods": lambda patch: patch.setattr(descheduling, "considers_ended", lambda run: False),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_model_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BROKEN[broken](monkeypatch)
    assert first_difference()
