"""Older versions of KubeSchedulerConfiguration, read as v1 with one note"""

import json
from pathlib import Path
from typing import Any

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests.configuration import configuration
from schedcheck.spec.extender_configuration import Extender, ManagedResource
from schedcheck.spec.kubernetes.configuration import Configuration
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, ScoringStrategy
from schedcheck.spec.objects import SpreadConstraint

SAMPLE = """
apiVersion: kubescheduler.config.k8s.io/v1beta1
kind: KubeSchedulerConfiguration
extenders:
- urlPrefix: "http://127.0.0.1:12345/api/scheduler"
  filterVerb: "filter"
  preemptVerb: "preempt"
  prioritizeVerb: "prioritize"
  bindVerb: "bind"
  enableHttps: false
  nodeCacheCapable: false
  managedResources:
  - name: opaqueFooResource
    ignoredByScheduler: true
  ignorable: false
"""
"""The sample of KEP-1819, scheduler extenders."""

OLD_WEIGHTS = {**dict.fromkeys(DEFAULT_PLUGINS.weights, 1), "PodTopologySpread": 2}


@pytest.fixture(autouse=True)
def here(folder: Path) -> Path:
    return folder


def read(version: str, **profile: Any) -> Configuration:
    document = {
        "apiVersion": f"kubescheduler.config.k8s.io/{version}",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [profile],
    }
    Path("in.json").write_text(json.dumps(document))
    return configuration("in.json")


def refused(version: str, **profile: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(version, **profile)
    _, _, message = str(caught.value).partition("profiles[0].")
    return message


def named(*names: str) -> list[dict[str, str]]:
    return [{"name": name} for name in names]


def test_the_sample_with_extenders_loads_with_one_note() -> None:
    Path("in.yaml").write_text(SAMPLE)
    said = configuration("in.yaml")
    assert said.extenders == (
        Extender(
            "http://127.0.0.1:12345/api/scheduler", "filter", "preempt", "prioritize", "bind", weight=1,
            managed_resources=(ManagedResource("opaqueFooResource", True),),
        ),
    )  # fmt: skip
    assert said.notes == (
        "in.yaml: document 1: apiVersion: 'kubescheduler.config.k8s.io/v1beta1': is converted to v1;"
        " extenders[0].enableHttps is enableHTTPS; extenders[0].weight is 1;"
        " extenders[0].managedResources[0].name is no extended resource",
    )


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2", "v1beta3"])
def test_an_older_version_is_converted_with_one_note(version: str) -> None:
    said = read(version)
    assert said.notes == (
        f"in.json: document 1: apiVersion: 'kubescheduler.config.k8s.io/{version}': is converted to v1",
    )
    assert said.profiles[0].points == DEFAULT_PLUGINS.points


@pytest.mark.parametrize(
    ("version", "weights"),
    [("v1beta1", OLD_WEIGHTS), ("v1beta2", OLD_WEIGHTS), ("v1beta3", DEFAULT_PLUGINS.weights)],
)
def test_each_version_has_its_own_default_weights(version: str, weights: dict[str, int]) -> None:
    assert read(version).profiles[0].weights == weights


def test_before_multi_point_an_enabled_default_plugin_keeps_its_place() -> None:
    sets = {"filter": {"enabled": named("InterPodAffinity", "NodeName")}}
    assert read("v1beta2", plugins=sets).profiles[0].at("filter") == DEFAULT_PLUGINS.at("filter")
    assert read("v1beta3", plugins=sets).profiles[0].at("filter")[:2] == ("InterPodAffinity", "NodeName")


def test_the_old_most_allocated_plugin_becomes_a_scoring_strategy() -> None:
    said = read(
        "v1beta1",
        plugins={
            "score": {
                "disabled": named("NodeResourcesLeastAllocated"),
                "enabled": [{"name": "NodeResourcesMostAllocated", "weight": 5}],
            }
        },
        pluginConfig=[{"name": "NodeResourcesMostAllocated", "args": {"resources": [{"name": "cpu", "weight": 2}]}}],
    ).profiles[0]
    assert said.arguments.scoring_strategy == ScoringStrategy("MostAllocated", (("cpu", 2),))
    assert said.weights["NodeResourcesFit"] == 5
    assert said.at("score")[-1] == "NodeResourcesFit"


def test_the_old_capacity_ratio_plugin_becomes_a_scoring_strategy() -> None:
    args = {"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]}
    said = read(
        "v1beta1",
        plugins={"score": {"disabled": named("*"), "enabled": named("RequestedToCapacityRatio")}},
        pluginConfig=[{"name": "RequestedToCapacityRatio", "args": args}],
    ).profiles[0]
    assert said.arguments.scoring_strategy == ScoringStrategy("RequestedToCapacityRatio", shape=((0, 0), (100, 10)))
    assert said.at("score") == ("NodeResourcesFit",)


def test_the_old_volume_limit_plugins_are_dropped_with_a_note() -> None:
    sets = {"filter": {"disabled": named("*"), "enabled": named("EBSLimits", "NodeVolumeLimits", "GCEPDLimits")}}
    said = read("v1beta2", plugins=sets)
    assert said.profiles[0].at("filter") == ("NodeVolumeLimits",)
    (note,) = said.notes
    assert note.endswith(
        "is converted to v1;"
        " profiles[0].plugins.filter.enabled[0] is left out, as NodeVolumeLimits counts what EBSLimits did;"
        " profiles[0].plugins.filter.enabled[2] is left out, as NodeVolumeLimits counts what GCEPDLimits did"
    )


def test_a_removed_plugin_may_be_disabled() -> None:
    sets = {"score": {"disabled": named("NodePreferAvoidPods", "SelectorSpread")}}
    said = read("v1beta1", plugins=sets)
    assert said.profiles[0].points == DEFAULT_PLUGINS.points
    assert len(said.notes) == 1


@pytest.mark.parametrize("name", ["NodeLabel", "ServiceAffinity", "SelectorSpread", "NodePreferAvoidPods"])
@pytest.mark.parametrize("version", ["v1beta1", "v1beta2", "v1beta3", "v1"])
def test_a_removed_plugin_without_equivalent_is_refused_by_name(version: str, name: str) -> None:
    message = refused(version, plugins={"score": {"enabled": named(name)}})
    assert message.startswith(f"plugins.score.enabled[0].name: '{name}': has no equivalent in v1; the nearest is ")
    assert refused(version, pluginConfig=named(name)).startswith(
        f"pluginConfig[0].name: '{name}': has no equivalent in v1"
    )


def test_two_old_scoring_strategies_at_once_are_refused() -> None:
    message = refused("v1beta1", plugins={"score": {"enabled": named("NodeResourcesMostAllocated")}})
    assert message == (
        "plugins.score.enabled[0].name: 'NodeResourcesMostAllocated':"
        " has no equivalent in v1 together with NodeResourcesLeastAllocated, as NodeResourcesFit has one strategy"
    )


def test_default_constraints_of_v1beta1_imply_list_defaulting() -> None:
    args = {"defaultConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]}
    config = [{"name": "PodTopologySpread", "args": args}]
    listed = (SpreadConstraint(1, "zone", False),)
    assert read("v1beta1", pluginConfig=config).profiles[0].arguments.default_constraints == listed
    assert refused("v1beta2", pluginConfig=config).startswith("pluginConfig[0].args.defaultingType: expected List")


def test_bind_addresses_are_accepted_only_in_old_versions() -> None:
    text = "apiVersion: kubescheduler.config.k8s.io/%s\nkind: KubeSchedulerConfiguration\nhealthzBindAddress: ''\n"
    Path("old.yaml").write_text(text % "v1beta2")
    assert configuration("old.yaml").parallelism == 16
    Path("new.yaml").write_text(text % "v1beta3")
    with pytest.raises(InputError, match="healthzBindAddress: unknown field"):
        configuration("new.yaml")
