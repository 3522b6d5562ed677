"""The plugins that a profile enables at each point, one test for each rule of kube-scheduler"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.errors import InputError
from schedcheck.manifests.configuration import configuration
from schedcheck.manifests.plugin_sets import DEFAULT_ORDER
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, POINTS, Plugins

Sets = dict[str, dict[str, list[Any]]]


def read(sets: Sets, version: str = "v1", **more: Any) -> Plugins:
    """The profile with these plugin sets."""
    document = {
        "apiVersion": f"kubescheduler.config.k8s.io/{version}",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": sets, **more}],
    }
    with TemporaryDirectory() as folder:
        path = Path(folder) / "in.json"
        path.write_text(json.dumps(document))
        return configuration(path).profiles[0]


def refused(sets: Sets) -> str:
    with pytest.raises(InputError) as caught:
        read(sets)
    _, _, message = str(caught.value).partition("profiles[0].plugins.")
    return message


def named(*names: str) -> list[Any]:
    return [{"name": name} for name in names]


ALL = named("*")


def test_the_default_order_expands_to_the_default_plugins() -> None:
    weighted = [{"name": name, "weight": DEFAULT_PLUGINS.weights.get(name, 0)} for name in DEFAULT_ORDER]
    assert read({"multiPoint": {"disabled": ALL, "enabled": weighted}}) == DEFAULT_PLUGINS


def test_the_default_plugins_listed_per_point_are_the_default_plugins() -> None:
    sets = {
        point: {
            "disabled": ALL,
            "enabled": [{"name": name, "weight": DEFAULT_PLUGINS.weights.get(name, 0)} for name in names],
        }
        for point, names in DEFAULT_PLUGINS.points.items()
    }
    assert read(sets) == DEFAULT_PLUGINS


def test_without_weights_every_plugin_has_weight_1() -> None:
    plugins = read({"multiPoint": {"disabled": ALL, "enabled": named(*DEFAULT_ORDER)}})
    assert plugins.points == DEFAULT_PLUGINS.points
    assert set(plugins.weights.values()) == {1}


def test_a_plugin_disabled_at_one_point_stays_at_the_others() -> None:
    plugins = read({"score": {"disabled": named("NodeResourcesFit")}})
    assert plugins.at("score") == tuple(n for n in DEFAULT_PLUGINS.at("score") if n != "NodeResourcesFit")
    assert plugins.at("filter") == DEFAULT_PLUGINS.at("filter")
    assert "NodeResourcesFit" not in plugins.weights


def test_a_plugin_disabled_at_multi_point_remains_only_where_a_point_enables_it() -> None:
    plugins = read({"multiPoint": {"disabled": named("NodeAffinity")}, "filter": {"enabled": named("NodeAffinity")}})
    assert [point for point in POINTS if "NodeAffinity" in plugins.at(point)] == ["filter"]
    assert plugins.at("filter")[-1] == "NodeAffinity"


def test_disabling_all_at_a_point_leaves_only_what_the_point_enables() -> None:
    plugins = read({"filter": {"disabled": ALL, "enabled": named("NodePorts", "NodeName")}})
    assert plugins.at("filter") == ("NodePorts", "NodeName")
    assert plugins.at("preFilter") == DEFAULT_PLUGINS.at("preFilter")


def test_plugins_that_override_multi_point_run_first_in_their_own_order() -> None:
    plugins = read({"filter": {"enabled": named("InterPodAffinity", "NodeName")}})
    rest = [name for name in DEFAULT_PLUGINS.at("filter") if name not in ("InterPodAffinity", "NodeName")]
    assert plugins.at("filter") == ("InterPodAffinity", "NodeName", *rest)


def test_plugins_enabled_only_at_the_point_run_after_multi_point() -> None:
    plugins = read(
        {
            "multiPoint": {"disabled": ALL, "enabled": named("PrioritySort", "NodePorts", "DefaultBinder")},
            "filter": {"enabled": named("NodeName", "NodePorts", "TaintToleration")},
        }
    )
    assert plugins.at("filter") == ("NodePorts", "NodeName", "TaintToleration")


def test_a_default_plugin_reenabled_at_multi_point_keeps_its_place_but_not_its_weight() -> None:
    plugins = read({"multiPoint": {"enabled": named("TaintToleration")}})
    assert plugins.points == DEFAULT_PLUGINS.points
    assert plugins.weights == {**DEFAULT_PLUGINS.weights, "TaintToleration": 1}


@pytest.mark.parametrize(("weight", "counts"), [(0, 1), (1, 1), (101, 101), (2**31 - 1, 2**31 - 1)])
def test_a_weight_at_score_overrides_that_at_multi_point(weight: int, counts: int) -> None:
    sets = {
        "multiPoint": {"enabled": [{"name": "ImageLocality", "weight": 7}]},
        "score": {"enabled": [{"name": "ImageLocality", "weight": weight}]},
    }
    assert read(sets).weights["ImageLocality"] == counts


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ({"filter": {"enabled": named("Magic")}}, "filter.enabled[0].name: 'Magic': no plugin has this name; expecte"),
        ({"multiPoint": {"enabled": named("NodePort")}}, "multiPoint.enabled[0].name: 'NodePort': no plugin has this"
         " name; did you mean 'NodePorts'?"),
        ({"score": {"enabled": named("NodeLabel")}}, "score.enabled[0].name: 'NodeLabel': has no equivalent in v1"),
        ({"filter": {"enabled": named("EBSLimits")}}, "filter.enabled[0].name: 'EBSLimits': has no equivalent in v1"),
        ({"filter": {"enabled": named("ImageLocality")}}, "filter.enabled[0].name: 'ImageLocality': the plugin is no "
         "FilterPlugin"),
        ({"permit": {"enabled": named("NodeName")}}, "permit.enabled[0].name: 'NodeName': the plugin is no PermitPlug"),
        ({"filter": {"enabled": named("NodeName", "NodeName")}}, "filter.enabled[1].name: 'NodeName': expected each"),
        ({"filter": {"enabled": named("")}}, "filter.enabled[0].name: '': no plugin has this name"),
        ({"multiPoint": {"enabled": named("NodeName", "NodeName")}}, "multiPoint.enabled[0].name: 'NodeName': expect"),
        ({"score": {"enabled": [{"name": "NodeAffinity", "weight": -1}]}}, "score.enabled[0].weight: -1: expected an "),
        ({"score": {"enabled": [{"name": "NodeAffinity", "weight": 2**31}]}}, "score.enabled[0].weight: 2147483648: ex"
         "pected an integer from 0 to 2147483647, so that the total score does not overflow"),
        ({"score": {"enabled": [{"name": "NodeAffinity", "wieght": 1}]}}, "score.enabled[0].wieght: unknown field"),
        ({"queueSort": {"disabled": ALL}}, "queueSort: a map: expected one plugin to sort the queue by"),
        ({"bind": {"disabled": named("DefaultBinder")}}, "bind: a map: expected at least one plugin to bind with"),
        ({"multiPoint": {"disabled": ALL}}, "queueSort: expected one plugin"),
        ({"filters": {}}, "filters: unknown field; did you mean 'filter'?"),
        ({"filter": {"enabled": "NodeName"}}, "filter.enabled: 'NodeName': expected a list"),
    ],
)  # fmt: skip
def test_an_invalid_plugin_set_is_refused_by_field(sets: Sets, message: str) -> None:
    assert refused(sets).startswith(message)


PLACES = st.sampled_from([(point, name) for point, names in DEFAULT_PLUGINS.points.items() for name in names])


@given(PLACES)
def test_disabling_and_enabling_a_plugin_moves_it_to_the_end(place: tuple[str, str]) -> None:
    point, name = place
    weighted = {"name": name, "weight": DEFAULT_PLUGINS.weights.get(name, 0)}
    plugins = read({point: {"disabled": named(name), "enabled": [weighted]}})
    others = tuple(each for each in DEFAULT_PLUGINS.at(point) if each != name)
    assert plugins.at(point) == (*others, name)
    assert plugins.weights == DEFAULT_PLUGINS.weights


@given(st.lists(st.sampled_from(DEFAULT_ORDER), unique=True), st.lists(PLACES, unique=True))
def test_enabled_plugins_occur_once_and_disabled_ones_never(off: list[str], on: list[tuple[str, str]]) -> None:
    sets: Sets = {"multiPoint": {"disabled": named(*off)}}
    for point, name in (*on, ("queueSort", "PrioritySort"), ("bind", "DefaultBinder")):
        enabled = sets.setdefault(point, {"enabled": []})["enabled"]
        enabled.extend(named(name) if {"name": name} not in enabled else [])
    plugins = read(sets)
    for point in POINTS:
        asked = {each["name"] for each in sets.get(point, {}).get("enabled", [])}
        assert set(plugins.at(point)) == (set(DEFAULT_PLUGINS.at(point)) - set(off)) | asked
        assert len(plugins.at(point)) == len(set(plugins.at(point)))
    assert set(plugins.weights) == set(plugins.at("score"))


def test_the_order_of_multi_point_is_not_always_the_order_at_a_point() -> None:
    """The broken twin sorts the names in the order of multiPoint, which is right only by default."""

    def twin(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in DEFAULT_ORDER if name in names)

    moved = read({"filter": {"enabled": named("InterPodAffinity")}}).at("filter")
    assert twin(DEFAULT_PLUGINS.at("filter")) == DEFAULT_PLUGINS.at("filter")
    assert twin(moved) != moved
