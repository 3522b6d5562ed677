"""Pods in the middle of a resize: a production scheduler that counts them wrongly is found on random pods"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.model.production.snapshot import requests
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.kubernetes.scores.node_resources_fit import rated_occupation
from schedcheck.spec.kubernetes.versions import VERSIONS

Patch = Callable[[pytest.MonkeyPatch], None]
taken = requests.taken


def by_the_spec(patch: pytest.MonkeyPatch) -> None:
    """The status is not looked at."""
    patch.setattr(requests, "has_status", lambda pod: False)


def by_departures(changed: Callable[[Departures], Departures]) -> Patch:
    """The amounts are those of other departures."""
    return lambda patch: patch.setattr(
        requests, "taken", lambda pod, departures, *rest: taken(pod, changed(departures), *rest)
    )


def although_infeasible(patch: pytest.MonkeyPatch) -> None:
    """What an infeasible resize asks for counts all the same."""
    patch.setattr(
        requests,
        "taken",
        lambda pod, departures, *rest: taken(replace(pod, resize_infeasible=False), departures, *rest),
    )


TWINS: dict[str, Patch] = {
    "by the spec": by_the_spec,
    "by each container in every version": by_departures(lambda own: own | {Departure.GREATEST_OF_EACH_CONTAINER}),
    "by the greatest sum in every version": by_departures(lambda own: own - {Departure.GREATEST_OF_EACH_CONTAINER}),
    "without the pod as a whole in every version": by_departures(
        lambda own: own | {Departure.POD_LEVEL_STATUS_IGNORED}
    ),
    "with the pod as a whole in every version": by_departures(lambda own: own - {Departure.POD_LEVEL_STATUS_IGNORED}),
    "although infeasible": although_infeasible,
}


def agree(question: Question) -> None:
    """The amounts that each pod takes, and those by which it is scored, are those of the specification."""
    _, snapshot, _ = question
    for version in VERSIONS.values():
        departures = version.departures
        for pod in snapshot.pods:
            assert given_amounts(requests.occupied(pod, departures)) == given_amounts(occupied(pod, departures))
            rated = tuple(rated_occupation(pod, name, departures) for name in ("cpu", "memory"))
            assert requests.occupied_when_rated(pod, departures) == rated


def given_amounts(amounts: Mapping[str, int]) -> dict[str, int]:
    return {name: size for name, size in amounts.items() if size}


def drawn(number: int) -> None:
    @seed(5)
    @settings(max_examples=number, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(FAMILIES["resizing"])
    def each(question: Question) -> None:
        agree(question)

    each()


@pytest.mark.medium
def test_resized_pods_take_the_same_in_specification_and_production() -> None:
    drawn(300)


@pytest.mark.parametrize("twin", TWINS)
def test_wrong_requests_of_resized_pods_are_found(twin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    TWINS[twin](monkeypatch)
    with pytest.raises(AssertionError):
        drawn(100)
