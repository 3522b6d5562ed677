"""A constrained run that is stopped or killed and resumed reports on states beyond as an uninterrupted one does"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.search import explorer, resuming
from schedcheck.model.scenario import Scenario
from schedcheck.rule import always
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Always
from tests.checker.tabulated.crowds import crowd
from tests.checker.tabulated.resumed import kept, spilled, summary
from tests.checker.tabulated.test_faults import FULL, Killed, failing, small
from tests.support.building import five_pods, replays
from tests.tla.random_scenarios import random_scenario

LIMITS = ("at_most_present(3)", "at_most_bound(1)", "at_most_unbound(2)")
ASKED = ("pod_can_still_be_bound(p5)", "pod_sometimes_bound", "eventually_bound(p5)", "evictions_end", "no_overcommit")


def cut(limit: str) -> Scenario:
    """Five pods with a constraint on how many may be present, bound or unbound."""
    return replace(five_pods(), constraints=(limit,), properties=ASKED)


def drawn(seed: int) -> Scenario:
    """A scenario with many features and a constraint that some of its states violate."""
    made = crowd(seed) if seed % 2 else random_scenario(seed)
    absent = frozenset(each.key for each in made.pods)
    limit = ("at_most_present(2)", "at_most_bound(1)", "at_most_unbound(1)")[seed % 3]
    return replace(made, absent=absent, constraints=(limit,), properties=("all_pods_bound", "pod_can_still_be_bound"))


@pytest.mark.parametrize("spill", [False, True])
@pytest.mark.parametrize("limit", LIMITS)
def test_a_constrained_run_resumed_at_any_level_ends_like_an_uninterrupted_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, spill: bool
) -> None:
    whole = kept(cut(limit), None)
    if spill:
        spilled(monkeypatch, room=3)
    for depth in range(1, 12, 4):
        kept(cut(limit), tmp_path, Bounds(depth=depth))
    before = {path: path.read_bytes() for path in tmp_path.glob("level-*")}
    assert kept(cut(limit), tmp_path) == kept(cut(limit), tmp_path) == whole
    assert all(path.read_bytes() == was for path, was in before.items()), "older levels are not written again"
    direct = check(cut(limit), engine="direct", symmetry=False).result
    assert summary(direct)[:5] == whole[:5]


def test_random_constrained_scenarios_stopped_at_each_level_end_alike(tmp_path: Path) -> None:
    cut_off = 0
    for seed in range(5):
        scene = drawn(seed)
        whole = check(scene, symmetry=False, bounds=Bounds(max_states=1500)).result
        if whole.stopped.startswith("limits.states"):
            continue
        for depth in range(1, whole.depth):
            kept(scene, tmp_path / str(seed), Bounds(depth=depth))
        assert summary(whole)[:5] == kept(scene, tmp_path / str(seed))[:5]
        cut_off += whole.stopped.startswith("the constraints cut off")
    assert cut_off > 0


@always
def two_at_most(snapshot: Snapshot) -> bool:
    """No more than two pods are there."""
    return len(snapshot.pods) <= 2


def test_a_resumed_run_reports_a_violation_beyond_the_constraint_with_its_trace(tmp_path: Path) -> None:
    scene = replace(five_pods(), constraints=("at_most_present(2)",), properties=("no_overcommit",))
    assert isinstance(two_at_most.rule, Always)
    rules = [two_at_most.rule]
    whole = check(scene, engine="tabulated", rules=rules).result
    for _ in range(2):
        checked = check(scene, engine="both", rules=rules, checkpoint=tmp_path)
        assert summary(checked.result) == summary(whole)
        (violation,) = checked.result.violations
        assert len(violation.trace) == 4
        assert replays(checked.machine, violation.trace)


@pytest.mark.parametrize("error", [FULL, Killed()])
def test_a_fault_at_any_call_of_a_constrained_run_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    scene = replace(small(), constraints=("at_most_bound(0)",), properties=("pod_can_still_be_bound(p2)",))
    whole = kept(scene, None)
    assert whole[4].startswith("the constraints cut off")
    with monkeypatch.context() as patched:
        calls = failing(patched, -1, error, before=False)
        assert kept(scene, tmp_path / "all") == whole
    for number in range(len(calls)):
        folder = tmp_path / str(number)
        with monkeypatch.context() as patched:
            failing(patched, number, error, before=False)
            with pytest.raises((Unusable, Killed)):
                kept(scene, folder)
        assert kept(scene, folder) == whole
        same = {path.name: path.read_bytes() for path in (tmp_path / "all").iterdir()}
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == same


def forgetful(named: str) -> Callable[[Any], dict[str, Any]]:
    """Counts that omit this entry."""
    whole = resuming.counts
    return lambda explorer: {**whole(explorer), named: False}


@pytest.mark.medium
def test_a_run_that_forgets_states_beyond_the_constraint_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once all three pods have arrived and completed no more arrive, so the last states say nothing about it."""
    scene = replace(five_pods(), constraints=("at_most_present(3)",), properties=ASKED)
    arriving = replace(scene, rules=tuple(replace(each, bound=4) for each in scene.rules if each.event != "complete"))
    whole = kept(arriving, None)
    assert whole[4].startswith("the constraints cut off")
    assert kept(arriving, tmp_path / "whole") == kept(arriving, tmp_path / "whole") == whole
    monkeypatch.setattr(explorer, "counts", forgetful("cut_off"))
    kept(arriving, tmp_path / "forgetful")
    assert kept(arriving, tmp_path / "forgetful") != whole
