"""maxSurge and maxUnavailable: the defaults, and what the API server refuses"""

from typing import Any

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.update_limits import of_daemon_set, of_deployment


def field(value: dict[str, Any]) -> Field:
    return Field(Document("web.yaml", 1, value), value)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({}, ("25%", "25%")),
        ({"maxSurge": 0}, (0, "25%")),
        ({"maxUnavailable": 0}, ("25%", 0)),
        ({"maxSurge": "100%", "maxUnavailable": "0%"}, ("100%", "0%")),
        ({"maxSurge": "300%", "maxUnavailable": "100%"}, ("300%", "100%")),
        # 1% of few pods is rounded to 0, and accepted all the same.
        ({"maxSurge": 0, "maxUnavailable": "1%"}, (0, "1%")),
    ],
)
def test_a_deployment_may_have_these_limits(given: dict[str, Any], taken: tuple[int | str, int | str]) -> None:
    assert of_deployment(field(given)) == taken


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"maxSurge": 0, "maxUnavailable": 0}, "maxUnavailable: 0: the API server refuses 0 if maxSurge is 0 too"),
        ({"maxSurge": "0%", "maxUnavailable": 0}, "maxUnavailable: 0: the API server refuses 0"),
        ({"maxUnavailable": "101%"}, "maxUnavailable: '101%': the API server refuses more than 100%"),
        ({"maxSurge": "12.5%"}, "maxSurge: '12.5%': expected a number or a percentage"),
        ({"maxSurge": "٣%"}, "maxSurge: '٣%': expected a number or a percentage"),
        ({"maxSurge": "%"}, "maxSurge: '%': expected a number or a percentage"),
        ({"maxSurge": "3"}, "maxSurge: '3': expected a number or a percentage"),
        ({"maxSurge": -1}, "maxSurge: -1: expected an integer from 0"),
    ],
)
def test_a_deployment_may_not_have_others(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        of_deployment(field(given))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({}, (0, 1)),
        ({"maxUnavailable": "30%"}, (0, "30%")),
        ({"maxSurge": 1, "maxUnavailable": 0}, (1, 0)),
    ],
)
def test_a_daemon_set_may_have_these_limits(given: dict[str, Any], taken: tuple[int | str, int | str]) -> None:
    assert of_daemon_set(field(given)) == taken


@pytest.mark.parametrize(
    ("given", "said"),
    [
        # maxUnavailable is 1 by default.
        ({"maxSurge": 1}, "maxSurge: 1: the API server refuses it unless maxUnavailable is 0; it is 1"),
        ({"maxUnavailable": 0}, "maxUnavailable: 0: the API server refuses 0 unless maxSurge is more than 0"),
        ({"maxSurge": "200%", "maxUnavailable": 0}, "maxSurge: '200%': the API server refuses more than 100%"),
    ],
)
def test_a_daemon_set_may_not_have_others(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        of_daemon_set(field(given))
    assert said in str(refused.value)
