"""Recorded cycles of kube-scheduler in which an extender refuses nodes, and what a broken specification says of them"""

from typing import Any

import pytest

from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.extended_cycle import ExtendedRun
from schedcheck.spec.kubernetes.preemption.dry_run import NO_VICTIMS
from tests.live import extending
from tests.live.extending import NEEDLESS, RECORDED, differences, end, pairs

OF_VERSIONS = ("1.34.9", "1.35.8", "1.36.4", "1.37.2")


def differing(patch: str, few: int = RECORDED) -> list[str]:
    """What the specification or the production scheduler says otherwise in the first cases."""
    return [each for case, answer in pairs(patch)[:few] for each in differences(case, answer, patch)]


@pytest.mark.parametrize("patch", OF_VERSIONS)
def test_some_recorded_cycles_with_an_extender_end_as_specified(patch: str) -> None:
    assert differing(patch, 12) == []


@pytest.mark.slow
@pytest.mark.parametrize("patch", OF_VERSIONS)
def test_every_recorded_cycle_with_an_extender_ends_as_specified(patch: str) -> None:
    assert differing(patch) == []


@pytest.mark.parametrize("patch", OF_VERSIONS)
def test_the_recorded_cycles_with_an_extender_end_in_every_way(patch: str) -> None:
    ends = [end(answer) for _, answer in pairs(patch)]
    assert len(ends) == RECORDED
    assert {how for how, _ in ends} == {"bound", "nominated", "waits"}
    assert sum(NEEDLESS in str(what) for _, what in ends) >= 5


def needless(patch: str) -> list[Any]:
    """The recorded cases in which preemption fails, as no pod has to go."""
    return [each for each in pairs(patch) if NEEDLESS in str(end(each[1])[1])][:3]


def test_a_preemption_that_does_not_fail_without_victims_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExtendedRun, "needless", lambda run, node: NO_VICTIMS)
    cases = needless("1.37.2")
    assert all(any("the specification" in each for each in differences(*case, "1.37.2")) for case in cases)


def test_the_versions_without_the_departure_would_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = extending.profiles

    def mended(version: str) -> Any:
        return tuple(
            each.departing(each.departures - {Departure.NEEDLESS_PREEMPTION_FAILS}) for each in profiles(version)
        )

    monkeypatch.setattr(extending, "profiles", mended)
    assert all(len(list(differences(*case, "1.36.4"))) >= 2 for case in needless("1.36.4"))
