"""Pods that take, share and compete for volumes: broken twins of the production scheduler are detected"""

import pytest

from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.result import Verdict
from schedcheck.model.production.machine.actions import Try
from schedcheck.spec.storage import GCEPersistentDisk, Volume
from tests.checker.differential import broken_volumes as broken
from tests.checker.differential.broken_volumes import Twin
from tests.checker.differential.scenarios import SCENARIOS
from tests.checker.differential.test_exploring import explored
from tests.support.building import node, on_pods, pod, replays, scenario

TWINS: tuple[tuple[Twin, str, str, int], ...] = (
    (broken.never_given_back, "take_volumes", "assumes_and_releases_volumes", 5),
    (broken.all_given_back, "take_volumes", "reserved_volumes_are_assumed", 8),
    (broken.never_set_aside, "take_volumes", "assumes_and_releases_volumes", 2),
    (broken.never_set_aside, "share_a_claim", "assumes_and_releases_volumes", 2),
    (broken.blind_to_what_is_assumed, "take_volumes", "decides_as_allowed", 3),
    (broken.released_volumes_wake_no_pod, "take_volumes", "no_lost_wakeup", 6),
    (broken.one_too_many, "last_place", "decides_as_allowed", 2),
    (broken.one_too_many, "makes_a_place", "decides_as_allowed", 2),
    (broken.trials_without_volumes, "makes_a_place", "decides_as_allowed", 2),
    (broken.detachments_are_ignored, "last_place", "no_lost_wakeup", 9),
    (broken.removals_from_claims_are_ignored, "claim_for_one", "decides_as_allowed", 2),
    (broken.freed_volumes_are_ignored, "claim_for_one", "no_lost_wakeup", 7),
)
"""Each twin with a scenario, the property that it violates there, and the length of the shortest trace."""


@pytest.mark.parametrize("place", range(len(TWINS)), ids=lambda place: f"{TWINS[place][0].__name__}-{place}")
def test_a_broken_twin_of_volume_handling_is_detected_by_exploration(
    place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin, of, name, length = TWINS[place]
    twin(monkeypatch)
    met = explored(*SCENARIOS[of], lambda each: each.name == name)
    result = breadth_first(met)
    assert [violation.property.name for violation in result.violations] == [name]
    assert len(result.violations[0].trace) == length
    assert replays(met.machine, result.violations[0].trace)


def test_a_disk_freed_by_a_pod_of_another_namespace_does_not_wake_the_pod() -> None:
    """As in kube-scheduler, whose hint only considers pods of the same namespace, although disks belong to none."""
    disk = (Volume("v", GCEPersistentDisk("d")),)
    there = pod("a", on="n1", volumes=disk)
    for namespace, verdict in (("default", Verdict.HOLDS), ("other", Verdict.VIOLATED)):
        wants = pod("b", namespace=namespace, volumes=disk)
        met = explored(scenario(node("n1", 1), there, wants, rules=[on_pods("delete", "a", 1)]))
        result = breadth_first(met)
        assert result.verdict == verdict
        assert {each.property.name for each in result.violations} <= {"no_lost_wakeup"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("of", "kind"), [("share_a_claim", "claims"), ("take_volumes", "volumes")])
def test_volumes_are_assumed_released_and_kept_in_some_state(of: str, kind: str) -> None:
    """Otherwise the properties about them would hold vacuously."""
    met = explored(*SCENARIOS[of], lambda _: False)
    breadth_first(met)
    given_back = kept = False
    for state in met.states:
        for action, after in met.machine.steps(state):
            before, now = getattr(state.memory, kind), getattr(after.memory, kind)
            given_back |= len(now) < len(before)
            kept |= isinstance(action, Try) and len(before) > 0 and not state.memory.bindings
        if given_back and kept:
            break
    assert given_back and kept
