"""Single decisions on random clusters: the production scheduler decides as allowed, and its broken twins do not"""

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, Phase, assume, given, seed, settings

from schedcheck.checker.differential.decisions import concluded, difference
from schedcheck.checker.divergences.domains import DOMAINS
from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, VOLUME_PLUGINS
from tests.checker.differential.test_exploring import (
    from_the_worst_node,
    second_best,
    sparing_the_least_first,
    without_budgets,
    without_the_nominated,
)
from tests.checker.divergences.clusters import larger
from tests.support.sizes import on_examples, part_and_whole

SLOW = list(HealthCheck)


def agree(question: Question) -> None:
    pod, snapshot, plugins = question
    found = difference(concluded(pod, snapshot, plugins), snapshot, plugins)
    assert found is None, found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize("number", part_and_whole(70, 200))
def test_every_decision_on_random_clusters_is_allowed(kind: str, number: int) -> None:
    on_examples(number, FAMILIES[kind], agree)


def test_bindings_nominations_and_rejections_are_drawn() -> None:
    kinds: Counter[str] = Counter()

    @settings(max_examples=60, suppress_health_check=SLOW)
    @given(FAMILIES["contests"])
    def count(question: Question) -> None:
        made = concluded(*question)
        kinds["bind" if made.hosts else "nominate" if made.nominated else "wait"] += 1

    count()
    assert min(kinds["bind"], kinds["nominate"], kinds["wait"]) >= 5


@pytest.mark.medium
def test_every_volume_plugin_rejects_and_is_satisfied_by_evictions() -> None:
    refused: Counter[str] = Counter()
    made_room: Counter[str] = Counter()

    def count(question: Question) -> None:
        made = concluded(*question)
        told = {each.plugin for each in made.statuses.statuses} if made.statuses is not None else set()
        refused.update(told)
        made_room.update(told if made.nominated else ())

    def enough() -> bool:
        every = min(refused[name] for name in VOLUME_PLUGINS) >= 1
        return every and min(made_room[name] for name in ("VolumeRestrictions", "NodeVolumeLimits")) >= 3

    # VolumeZone refuses rarely, and which questions are drawn changes with any module of the project: draw until it has.
    often = settings(max_examples=100, derandomize=False, database=None, suppress_health_check=SLOW)
    for start in range(30):
        seed(start)(often(given(FAMILIES["contested"] | FAMILIES["stored"])(count)))()
        if enough():
            break
    assert enough()


TWINS: tuple[tuple[Callable[[pytest.MonkeyPatch], None], str], ...] = (
    (second_best, "questions"),
    (without_the_nominated, "contests"),
    (sparing_the_least_first, "contests"),
    (from_the_worst_node, "contests"),
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("place", range(len(TWINS)), ids=lambda place: TWINS[place][0].__name__)
def test_a_broken_twin_is_detected_on_random_clusters(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    twin, kind = TWINS[place]
    twin(monkeypatch)
    found = settings(
        max_examples=1000, suppress_health_check=SLOW, report_multiple_bugs=False, phases=[Phase.generate]
    )(given(FAMILIES[kind])(agree))
    with pytest.raises(AssertionError):
        found()


def guarded() -> Iterator[Question]:
    """Yield clusters beyond the domain in which budgets are charged."""
    for case in larger(DOMAINS[Departure.BUDGETS_CHARGED_FOR_ALL], 150):
        yield case.pod, case.snapshot, DEFAULT_PLUGINS


def test_decisions_under_budgets_are_allowed() -> None:
    for question in guarded():
        agree(question)


def test_a_twin_that_ignores_budgets_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    without_budgets(monkeypatch)
    with pytest.raises(AssertionError):
        for question in guarded():
            agree(question)


@pytest.mark.medium
def test_every_difference_from_the_documentation_is_excused_by_a_row() -> None:
    """The production scheduler follows the code, so it departs from the documentation exactly where the code does."""
    counted: Counter[str] = Counter()

    @settings(max_examples=400, suppress_health_check=SLOW)
    @given(FAMILIES["contests"])
    def excused(question: Question) -> None:
        _, snapshot, plugins = question
        assume(snapshot.nodes)
        found = difference(concluded(*question), snapshot, plugins.departing(NO_DEPARTURES))
        assert found is None or found.excused, found
        if found is not None:
            counted.update(found.rows)

    excused()
    assert {"budgets-charged-for-all", "ports-are-a-set"} <= set(counted)
