"""A configuration names the plugins that its version of kube-scheduler has."""

from pathlib import Path

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests.configuration import configuration
from schedcheck.spec.kubernetes.versions import VERSIONS

NAME = "NodeDeclaredFeatures"
POINTS = ("preFilter", "filter")
TEXT = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {%s: {enabled: [{name: NodeDeclaredFeatures}]}}}]
"""


@pytest.mark.parametrize("point", ["multiPoint", "filter"])
@pytest.mark.parametrize("version", ["1.34", "1.34.1"])
def test_a_plugin_that_a_version_does_not_have_is_refused(version: str, point: str, tmp_path: Path) -> None:
    file = tmp_path / "configuration.yaml"
    file.write_text(TEXT % point)
    with pytest.raises(InputError, match=r"'NodeDeclaredFeatures': no plugin has this name before 1\.35"):
        configuration(file, departures=VERSIONS[version].departures)


@pytest.mark.parametrize("version", ["1.35", "1.36", "1.37"])
def test_a_plugin_that_a_version_has_is_taken_at_every_point(version: str, tmp_path: Path) -> None:
    file = tmp_path / "configuration.yaml"
    file.write_text(TEXT % "multiPoint")
    assert configuration(file, departures=VERSIONS[version].departures).profiles


@pytest.mark.parametrize(
    ("point", "at"), [("filter", ("filter",)), ("preFilter", ("preFilter",)), ("multiPoint", POINTS)]
)
def test_a_plugin_whose_gate_is_off_is_enabled_where_a_profile_says(
    point: str, at: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "configuration.yaml"
    file.write_text(TEXT % point)
    departures = VERSIONS["1.35"].departures
    (profile,) = configuration(file, departures=departures).profiles
    assert tuple(each for each in POINTS if NAME in profile.departing(departures).at(each)) == at


def test_a_plugin_whose_gate_is_off_is_not_enabled_by_default(tmp_path: Path) -> None:
    file = tmp_path / "configuration.yaml"
    file.write_text(TEXT.partition("profiles")[0])
    (profile,) = configuration(file, departures=VERSIONS["1.35"].departures).profiles
    assert not any(NAME in names for names in profile.points.values())


def test_a_plugin_whose_gate_is_off_has_no_other_points(tmp_path: Path) -> None:
    file = tmp_path / "configuration.yaml"
    file.write_text(TEXT % "score")
    with pytest.raises(InputError, match="'NodeDeclaredFeatures': the plugin is no ScorePlugin"):
        configuration(file, departures=VERSIONS["1.35"].departures)
