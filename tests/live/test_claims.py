"""The answers of 1.35.8 and 1.36.4 about devices with counters and capacities, against specification and production"""

from collections import Counter
from typing import Any

import pytest

from schedcheck.spec.devices import claims
from schedcheck.spec.kubernetes.departures import Departure
from tests.live import comparing, versions
from tests.live.claims import KEPT, PATCHES, told
from tests.live.comparing import Difference, examined

Json = dict[str, Any]


def of_some_node(answer: Json, difference: Difference) -> bool:
    """Whether the text is the error of another node: kube-scheduler reports whichever of its workers fails first."""
    errors = [each["first"] for each in answer["nodes"].values() if each["first"].get("code") == "Error"]
    reasons = [reason for each in errors for reason in each["reasons"]]
    return difference.field == "real.message" and any(str(difference.said).endswith(reason) for reason in reasons)


def differing(version: str) -> dict[str, list[str]]:
    """Return what differs in each case."""
    found: dict[str, list[str]] = {}
    for case, answer in told(version):
        for each in examined(case, answer, version).differences:
            if not of_some_node(answer, each):
                found.setdefault(case["id"], []).append(str(each))
    return found


@pytest.mark.parametrize("version", PATCHES)
def test_specification_and_production_answer_as_the_version_does(version: str) -> None:
    assert differing(version) == {}


@pytest.mark.parametrize("version", PATCHES)
def test_the_cases_are_known_and_of_every_end(version: str) -> None:
    ends = Counter(answer["decision"]["kind"] for _, answer in told(version))
    known = sum(not examined(case, answer, version).unknown for case, answer in told(version))
    assert sum(ends.values()) == KEPT
    assert min(ends["scheduled"], ends["unschedulable"], ends["error"]) >= 20
    assert known >= 110
    assert all(answer["k8s"] == f"v{version}" and "selfCheck" not in answer for _, answer in told(version))


@pytest.mark.parametrize(
    ("version", "without"),
    [("1.35.8", Departure.PARTITIONABLE_DEVICES_UNUSED), ("1.36.4", Departure.INCOMPLETE_POOLS_SERVE)],
)
def test_a_departure_of_another_version_is_noticed(
    version: str, without: Departure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken twin: one departure too few or too many."""
    changed = {**versions.DEPARTURES, version: versions.DEPARTURES[version] ^ {without}}
    monkeypatch.setattr(versions, "DEPARTURES", changed)
    assert comparing.profiles is versions.profiles
    assert differing(version)


def test_distinct_attributes_of_several_devices_of_a_request_differ_in_1_36(monkeypatch: pytest.MonkeyPatch) -> None:
    """The case is unknown for this reason: kube-scheduler keeps the last device of each request alone."""
    monkeypatch.setattr(claims, "_forgotten", lambda claim: iter(()))
    claims.unmodelled.cache_clear()
    found = differing("1.36.4")
    claims.unmodelled.cache_clear()
    assert found.keys() == {"claims-39"}
