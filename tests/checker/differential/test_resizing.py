"""Pods in the middle of a resize: a production scheduler that counts them wrongly is found on random pods"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.model.production.snapshot import requests
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.kubernetes.scores.node_resources_fit import rated_occupation
from schedcheck.spec.kubernetes.versions import VERSIONS

Patch = Callable[[pytest.MonkeyPatch], None]
taken = requests.taken


def by_the_spec(patch: pytest.MonkeyPatch) -> None:
    """The status is not looked at."""
    patch.setattr(requests, "has_status", lambda pod: False)


def by_each_container(patch: pytest.MonkeyPatch) -> None:
    """Every version sums the greatest amounts of each container."""
    each = frozenset({Departure.GREATEST_OF_EACH_CONTAINER})
    patch.setattr(requests, "taken", lambda pod, departures, *rest: taken(pod, departures | each, *rest))


def by_the_greatest_sum(patch: pytest.MonkeyPatch) -> None:
    """Every version takes the greatest sum over the pod."""
    each = frozenset({Departure.GREATEST_OF_EACH_CONTAINER})
    patch.setattr(requests, "taken", lambda pod, departures, *rest: taken(pod, departures - each, *rest))


def by_containers_alone(patch: pytest.MonkeyPatch) -> None:
    """The status of the pod as a whole is looked at in no version."""
    ignored = frozenset({Departure.POD_LEVEL_STATUS_IGNORED})
    patch.setattr(requests, "taken", lambda pod, departures, *rest: taken(pod, departures | ignored, *rest))


def with_pods_as_a_whole(patch: pytest.MonkeyPatch) -> None:
    """The status of the pod as a whole is looked at in every version."""
    ignored = frozenset({Departure.POD_LEVEL_STATUS_IGNORED})
    patch.setattr(requests, "taken", lambda pod, departures, *rest: taken(pod, departures - ignored, *rest))


def although_infeasible(patch: pytest.MonkeyPatch) -> None:
    """What an infeasible resize asks for counts all the same."""
    patch.setattr(
        requests,
        "taken",
        lambda pod, departures, *rest: taken(replace(pod, resize_infeasible=False), departures, *rest),
    )


TWINS = (
    by_the_spec,
    by_each_container,
    by_the_greatest_sum,
    by_containers_alone,
    with_pods_as_a_whole,
    although_infeasible,
)


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


def test_resized_pods_take_the_same_in_specification_and_production() -> None:
    drawn(300)


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: str(twin.__name__))
def test_wrong_requests_of_resized_pods_are_found(twin: Patch, monkeypatch: pytest.MonkeyPatch) -> None:
    twin(monkeypatch)
    with pytest.raises(AssertionError):
        drawn(100)
