"""`schedcheck.kubernetes`: each version, its feature gates, and values that are refused"""

from typing import Any

import pytest

import schedcheck
from schedcheck.api.values import VERSIONS as NAMED
from schedcheck.spec.kubernetes.versions import NEWEST, VERSIONS

TAINTED = "examples/versions/untolerated-taint-named"
DRIVERS = "examples/versions/missing-drivers-ignored"


def said(profile: schedcheck.Profile) -> str:
    found = schedcheck.explain(schedcheck.read(TAINTED), "pending", profile=profile)
    return found.nodes["node-1"].refusals[0].reasons[0]


def kind(**given: Any) -> str:
    return schedcheck.explain(schedcheck.read(DRIVERS), "pending", profile=schedcheck.kubernetes(**given)).kind


def test_every_specified_version_has_a_profile() -> None:
    assert set(NAMED) == set(VERSIONS)
    assert [schedcheck.kubernetes(version=each).name for each in NAMED] == [f"kubernetes-{each}" for each in NAMED]
    assert schedcheck.kubernetes().name == "kubernetes"
    assert NAMED[0] == NEWEST.name


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("1.34.1", "node(s) had untolerated taint {dedicated: }"),
        *((version, "node(s) had untolerated taint(s)") for version in ("1.34", "1.35", "1.36", "1.37", None)),
    ],
)
def test_a_version_decides_what_the_event_says(version: str | None, words: str) -> None:
    """Kubernetes: tainttoleration/taint_toleration.go, Filter, of 1.34.1 and of the others."""
    assert said(schedcheck.kubernetes(version=version)) == words


@pytest.mark.parametrize(
    "version", ["1.33", "1.38", "1.34.9", "v1.36", "1.36.4", "", "newest", " 1.36", "kubernetes-1.36"]
)
def test_other_versions_are_refused_by_name(version: str) -> None:
    with pytest.raises(
        schedcheck.InputError, match=rf"^version: '{version}': expected one of 1.37, 1.36, 1.35, 1.34, 1.34.1$"
    ):
        schedcheck.kubernetes(version=version)


def test_a_version_is_not_what_its_documentation_says() -> None:
    with pytest.raises(schedcheck.InputError, match=r"^version: belongs to kube-scheduler as it is$"):
        schedcheck.kubernetes(version="1.36", documented=True)


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ({"version": "1.36"}, "scheduled"),
        ({"version": "1.37"}, "unschedulable"),
        ({"version": "1.36", "feature_gates": {"VolumeLimitScaling": True}}, "unschedulable"),
        ({"version": "1.36", "feature_gates": ["VolumeLimitScaling=true"]}, "unschedulable"),
        ({"version": "1.36", "feature_gates": "VolumeLimitScaling=true"}, "unschedulable"),
        ({"version": "1.37", "feature_gates": {"VolumeLimitScaling": False}}, "scheduled"),
        ({"feature_gates": {"VolumeLimitScaling": False, "StorageCapacityScoring": False}}, "scheduled"),
        ({"feature_gates": ["VolumeLimitScaling=false", "VolumeLimitScaling=true"]}, "unschedulable"),
        ({"feature_gates": {}}, "unschedulable"),
    ],
)
def test_feature_gates_are_a_map_or_texts(given: dict[str, Any], outcome: str) -> None:
    """The node lacks the driver, which counts exactly with the gate, on by default from 1.37."""
    assert kind(**given) == outcome


@pytest.mark.parametrize("value", ["true", 1, None])
def test_a_value_that_is_no_truth_value_is_refused(value: object) -> None:
    with pytest.raises(
        schedcheck.InputError, match=r"^feature_gates\['VolumeLimitScaling'\]: .*expected True or False"
    ):
        schedcheck.kubernetes(feature_gates={"VolumeLimitScaling": value})  # type: ignore[dict-item]


def test_gates_of_another_version_are_refused_when_the_question_is_asked() -> None:
    with pytest.raises(
        schedcheck.InputError, match=r"^profile.feature_gates: 'VolumeLimitScaling': kube-scheduler 1.34 has no"
    ):
        kind(version="1.34", feature_gates={"VolumeLimitScaling": True})
