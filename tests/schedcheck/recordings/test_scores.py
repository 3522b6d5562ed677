"""The recorded scores of kube-scheduler that depend on a departure, or on how often a pod was read"""

from pathlib import Path

import pytest

from schedcheck.recordings.conformance import Difference, conformance
from schedcheck.recordings.recorded import recorded
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, Departure, Departures
from tests.support.recorded import RECORDING_PLUGINS

RECORDED = Path(__file__).parents[2] / "data" / "conformance"
DEPENDS_ON_READINGS = "quirk-podlevel-overhead-mutates"


def differences(family: str, departures: Departures) -> tuple[Difference, ...]:
    return conformance(
        recorded(str(RECORDED / f"{family}.jsonl.gz")), RECORDING_PLUGINS.departing(departures)
    ).differences


def test_a_pod_changed_by_reading_it_is_scored_as_documented() -> None:
    """By the documentation 1.75Gi are requested; kube-scheduler scores 2.5Gi, having added the overhead four times."""
    made = conformance(recorded(str(RECORDED / "quirks.jsonl.gz")), RECORDING_PLUGINS)
    found = {
        each.compared.place: (each.compared.recorded, each.compared.said)
        for each in made.doubtful
        if each.id == DEPENDS_ON_READINGS
    }
    rated = {}
    for name in ("n2", "n3"):
        theirs, ours = found[f"nodes.{name}.raw"]
        assert isinstance(theirs, dict) and isinstance(ours, dict)
        balanced = "NodeResourcesBalancedAllocation"
        rated[name] = theirs.pop(balanced), ours.pop(balanced)
        assert theirs == ours
    assert rated == {"n2": (50, 61), "n3": (84, 89)}
    assert "decision" not in found


@pytest.mark.parametrize(
    ("departure", "family", "where"),
    [
        (Departure.NAMESPACE_SELECTOR_ON_NO_LABELS, "interpod", {"interpod-00953"}),
        (Departure.POD_LEVEL_UNRATED, "quirks", {"quirk-fit-podlevel"}),
        (Departure.POD_LEVEL_UNRATED, "resources", {"resources-00082", "resources-00292", "resources-00478"}),
    ],
)
def test_disabling_a_departure_is_detected_in_the_scores(departure: Departure, family: str, where: set[str]) -> None:
    found = differences(family, ALL_DEPARTURES - {departure})
    assert where <= {each.id for each in found if each.compared.field == "nodes.total"}
