"""Random clusters with volumes: broken twins are detected, and assumed volumes follow the definitions and are released"""

import pytest
from hypothesis import Phase, given, seed, settings

from schedcheck.checker.differential.assumed_volumes import SetAside, set_aside
from schedcheck.checker.differential.decisions import cycled
from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.model.production.framework import binding
from schedcheck.model.production.volumes.assumed import AssumedVolumes
from tests.checker.differential import broken_volumes as broken
from tests.checker.differential.broken_volumes import Twin
from tests.checker.differential.test_random import SLOW, agree

TWINS: tuple[tuple[Twin, str], ...] = (
    (broken.one_too_many, "contested"),
    (broken.trials_without_volumes, "contested"),
    (broken.mounted_twice, "contested"),
    (broken.removals_from_claims_are_ignored, "contested"),
    (broken.additions_to_claims_are_ignored, "contested"),
    (broken.claims_of_all_worlds, "contested"),
    (broken.out_of_all_reach, "contested"),
    (broken.everywhere_in_zone, "contested"),
    (broken.made_anywhere, "contested"),
    (broken.room_for_all, "stored"),
    (broken.devices_for_all, "stored"),
)
SOON = 0
"""A seed whose first few hundred clusters show every twin; other seeds draw up to thousands."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("place", range(len(TWINS)), ids=lambda place: TWINS[place][0].__name__)
def test_a_broken_twin_of_volume_handling_is_detected_on_random_clusters(
    place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin, kind = TWINS[place]
    twin(monkeypatch)
    with pytest.raises(AssertionError):
        seed(SOON)(at_first_sight(5000)(given(FAMILIES[kind])(agree)))()


def at_first_sight(examples: int) -> settings:
    return settings(
        max_examples=examples, suppress_health_check=SLOW, report_multiple_bugs=False, phases=[Phase.generate],
        database=None,
    )  # fmt: skip


def aside(assumed: AssumedVolumes) -> SetAside:
    return SetAside(frozenset(assumed.volumes.values()), frozenset(assumed.claims.values()))


def sets_aside(question: Question) -> bool:
    """Whether volumes are assumed; fail if they are the wrong ones, or are not released."""
    pod, snapshot, plugins = question
    scheduler, bound = cycled(pod, snapshot, plugins)
    assumed = scheduler.handle.assumed
    if bound is None:
        assert aside(assumed) == SetAside()
        return False
    (node,) = (node for node in snapshot.nodes if node.name == bound.node)
    expected = set_aside(pod, node, snapshot.storage)
    assert aside(assumed) == expected
    framework = scheduler.frameworks[pod.scheduler_name]
    for _ in range(2):
        binding.unreserved(framework, bound.state, bound.pod, bound.node)
        assert aside(assumed) == SetAside()
    return expected != SetAside()


@pytest.mark.medium
def test_assumed_volumes_are_those_the_claims_take_and_are_released() -> None:
    found = []

    @settings(max_examples=300, suppress_health_check=SLOW)
    @given(FAMILIES["contested"] | FAMILIES["stored"])
    def asked(question: Question) -> None:
        found.append(sets_aside(question))

    asked()
    assert sum(found) >= 10


@pytest.mark.parametrize(
    "twin", [broken.never_given_back, broken.never_set_aside, broken.largest_first], ids=lambda twin: twin.__name__
)
def test_a_twin_that_assumes_other_volumes_is_detected(twin: Twin, monkeypatch: pytest.MonkeyPatch) -> None:
    twin(monkeypatch)
    with pytest.raises(AssertionError):
        at_first_sight(5000)(given(FAMILIES["contested"] | FAMILIES["stored"])(sets_aside))()
