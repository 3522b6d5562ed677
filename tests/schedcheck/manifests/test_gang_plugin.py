"""A configuration that names GangScheduling: taken since 1.35, without effect while the gate is off, and at its points with it

What kube-scheduler takes is in its interfaces and in `applyGangScheduling`, which appends the plugin to multiPoint.
"""

from pathlib import Path

import pytest

import schedcheck
from schedcheck.errors import InputError
from schedcheck.manifests.configuration import configuration
from schedcheck.manifests.feature_gates import BY_PERMIT, IN_ONE_CYCLE, ONE_BY_ONE
from schedcheck.spec.kubernetes.configuration import Configuration
from schedcheck.spec.kubernetes.versions import VERSIONS
from tests.support.gangs import GANGS
from tests.support.pod_groups import GROUPED, IN_1_36

ROOT = Path(__file__).parents[3]
NAME = "GangScheduling"
TEXT = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: %s}]
"""
NAMED = "{%s: {enabled: [{name: GangScheduling}]}}"
POINTS = {"1.35": ONE_BY_ONE, "1.36": BY_PERMIT, "1.37": IN_ONE_CYCLE}
DEFAULTS = {"1.35": GANGS, "1.36": IN_1_36, "1.37": GROUPED}


def made(plugins: str, version: str, folder: Path, *gangs: str) -> Configuration:
    file = folder / "configuration.yaml"
    file.write_text(TEXT % plugins)
    return configuration(file, departures=VERSIONS[version].departures, gangs=gangs)


@pytest.mark.parametrize("version", ["1.35", "1.36", "1.37"])
@pytest.mark.parametrize("point", ["multiPoint", "preEnqueue"])
def test_without_the_gate_it_is_taken_and_does_nothing(version: str, point: str, tmp_path: Path) -> None:
    assert made(NAMED % point, version, tmp_path).profiles == made("{}", version, tmp_path).profiles


def test_it_is_taken_at_the_points_of_the_version(tmp_path: Path) -> None:
    for version, points in (("1.35", ONE_BY_ONE), ("1.36", BY_PERMIT), ("1.37", BY_PERMIT)):
        for point in points:
            assert made(NAMED % point, version, tmp_path).profiles
    for version, point in (("1.36", "reserve"), ("1.37", "reserve"), ("1.35", "filter")):
        with pytest.raises(InputError, match=f"the plugin is no {point.title()}Plugin"):
            made(NAMED % point, version, tmp_path)


@pytest.mark.parametrize("version", ["1.34", "1.34.1"])
def test_before_1_35_there_is_no_such_plugin(version: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'GangScheduling': no plugin has this name before 1\.35"):
        made(NAMED % "permit", version, tmp_path)


@pytest.mark.parametrize("version", ["1.35", "1.36", "1.37"])
@pytest.mark.parametrize("plugins", ["{}", NAMED % "multiPoint", "{score: {disabled: [{name: ImageLocality}]}}"])
def test_with_the_gate_it_is_where_a_profile_without_configuration_has_it(
    version: str, plugins: str, tmp_path: Path
) -> None:
    (profile,) = made(plugins, version, tmp_path, *POINTS[version]).profiles
    wanted = DEFAULTS[version]
    assert {point for point, names in profile.points.items() if NAME in names} == set(POINTS[version])
    for point in (*POINTS[version], "filter"):
        assert profile.at(point) == wanted.at(point)


def test_with_the_gate_a_profile_without_the_plugin_is_one_without_gangs_in_1_35_alone(tmp_path: Path) -> None:
    off = "{multiPoint: {disabled: [{name: GangScheduling}]}}"
    (profile,) = made(off, "1.35", tmp_path, *ONE_BY_ONE).profiles
    assert not any(NAME in names for names in profile.points.values())
    for version in ("1.36", "1.37"):
        with pytest.raises(InputError, match=r"that GangScheduling is not enabled at preEnqueue.* is not modelled"):
            made(off, version, tmp_path, *POINTS[version])
    with pytest.raises(InputError, match="that GangScheduling is not enabled at permit is not modelled"):
        made("{permit: {disabled: [{name: GangScheduling}]}}", "1.35", tmp_path, *ONE_BY_ONE)


def test_a_group_is_explained_with_a_configuration(tmp_path: Path) -> None:
    """The profile that packs puts the pod that comes first on the node that has a pod."""
    file = tmp_path / "configuration.yaml"
    file.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{pluginConfig: "
        "[{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}}]}]\n"
    )
    cluster = schedcheck.read(ROOT / "examples" / "pod-groups")
    profile = schedcheck.Profile(config=str(file), feature_gates=("GenericWorkload=true",))
    found = schedcheck.explain(cluster, "red-1", profile=profile)
    assert found.group is not None and found.group.verdict == "placed"


def test_extenders_with_gangs_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "configuration.yaml"
    file.write_text(TEXT % "{}" + "extenders: [{urlPrefix: 'http://localhost:1', filterVerb: filter}]\n")
    cluster = schedcheck.read(ROOT / "examples" / "pod-groups")
    profile = schedcheck.Profile(config=str(file), feature_gates=("GenericWorkload=true",))
    with pytest.raises(InputError, match="is not modelled together with the extenders of"):
        schedcheck.explain(cluster, "red-1", profile=profile)
