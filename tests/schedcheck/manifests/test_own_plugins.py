"""A configuration that names out-of-tree plugins: where they are enabled, and with which arguments"""

import json
from pathlib import Path
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests.configuration import configuration
from schedcheck.spec.kubernetes.configuration import Configuration
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS

OTHERS = {"Teams": ("filter", "score"), "Ledger": ("reserve",)}


def read(folder: Path, others: Any = OTHERS, **profile: Any) -> Configuration:
    document = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [profile],
    }
    file = folder / "in.json"
    file.write_text(json.dumps(document))
    return configuration(file, others=others)


def enabled(*names: Any) -> dict[str, Any]:
    return {"enabled": [name if isinstance(name, dict) else {"name": name} for name in names]}


def refused(folder: Path, others: Any = OTHERS, **profile: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, others, **profile)
    return str(caught.value).partition("profiles[0].")[2]


def test_a_plugin_that_is_not_named_is_not_enabled(tmp_path: Path) -> None:
    assert read(tmp_path).profiles == (DEFAULT_PLUGINS,)


def test_a_named_plugin_is_enabled_last_at_that_point(tmp_path: Path) -> None:
    (made,) = read(tmp_path, plugins={"filter": enabled("Teams"), "reserve": enabled("Ledger")}).profiles
    assert made.at("filter") == (*DEFAULT_PLUGINS.at("filter"), "Teams")
    assert made.at("reserve") == (*DEFAULT_PLUGINS.at("reserve"), "Ledger")
    assert made.at("score") == DEFAULT_PLUGINS.at("score")


def test_at_multi_point_a_plugin_is_enabled_at_every_point_it_implements(tmp_path: Path) -> None:
    (made,) = read(tmp_path, plugins={"multiPoint": enabled({"name": "Teams", "weight": 7}, "Ledger")}).profiles
    assert {point for point in made.points if "Teams" in made.at(point)} == {"filter", "score"}
    assert {point for point in made.points if "Ledger" in made.at(point)} == {"reserve"}
    assert made.weights["Teams"] == 7 and "Ledger" not in made.weights


def test_the_default_weight_of_a_plugin_is_1(tmp_path: Path) -> None:
    (made,) = read(tmp_path, plugins={"score": enabled("Teams")}).profiles
    assert made.weights == {**DEFAULT_PLUGINS.weights, "Teams": 1}


def test_the_arguments_of_a_plugin_are_immutable_plain_data(tmp_path: Path) -> None:
    given = {"most": 2, "names": ["a", {"b": None}], "on": True, "kind": "TeamsArgs"}
    (made,) = read(tmp_path, pluginConfig=[{"name": "Teams", "args": given}, {"name": "Ledger"}]).profiles
    assert made.arguments.of("Teams") == {**given, "names": ("a", {"b": None})}
    assert made.arguments.of("Ledger") == made.arguments.of("Other") == frozendict()
    hash(made)


def test_only_unknown_plugins_are_noted(tmp_path: Path) -> None:
    profile = {
        "plugins": {"score": {"disabled": [{"name": "Teams"}]}},
        "pluginConfig": [{"name": "Teams", "args": {}}],
    }
    assert read(tmp_path, **profile).notes == ()
    assert len(read(tmp_path, {}, **profile).notes) == 2


def test_an_impossible_plugin_entry_is_refused_with_its_place(tmp_path: Path) -> None:
    assert refused(tmp_path, plugins={"permit": enabled("Teams")}) == (
        "plugins.permit.enabled[0].name: 'Teams': the plugin is no PermitPlugin"
    )
    assert "did you mean 'Teams'?" in refused(tmp_path, plugins={"filter": enabled("Taems")})
    assert "no plugin has this name" in refused(tmp_path, {}, plugins={"filter": enabled("Teams")})
    assert "expected each plugin once" in refused(tmp_path, plugins={"filter": enabled("Teams", "Teams")})
    assert "args: a list: expected a map" in refused(tmp_path, pluginConfig=[{"name": "Teams", "args": ["x"]}])
