"""The names in a registry, and the construction of a framework from a profile"""

from typing import Any

import pytest

from schedcheck.model.production.framework.framework import FrameworkError, built
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.registry import Registry, RegistryError
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Arguments, Plugins
from tests.model.production.framework.made_up import Made, factory, profile


def registry(*names: str) -> Registry:
    made = default_registry()
    for name in names:
        made.register(name, factory(Made(name)))
    return made


def test_a_plugin_name_can_be_registered_only_once() -> None:
    made = registry("A")
    with pytest.raises(RegistryError, match=r"^a plugin named A already exists$"):
        made.register("A", factory(Made("A")))


def test_only_a_registered_name_can_be_unregistered() -> None:
    made = registry("A")
    made.unregister("A")
    assert "A" not in made
    with pytest.raises(RegistryError, match=r"^no plugin named A exists$"):
        made.unregister("A")
    with pytest.raises(RegistryError, match=r"^no plugin named A exists$"):
        made.factory("A")


def test_registries_are_merged_completely_or_not_at_all() -> None:
    first, second = Registry(), Registry()
    first.register("A", factory(Made("A")))
    second.register("B", factory(Made("B")))
    second.register("A", factory(Made("A")))
    with pytest.raises(RegistryError, match=r"^a plugin named A already exists$"):
        first.merge(second)
    assert list(first) == ["A"]
    second.unregister("A")
    first.merge(second)
    assert list(first) == ["A", "B"]


def test_the_default_profile_can_be_built() -> None:
    framework = built(default_registry(), DEFAULT_PLUGINS, Handle())
    assert [plugin.name for plugin in framework.at("filter")] == list(DEFAULT_PLUGINS.at("filter"))
    assert framework.weights == dict(DEFAULT_PLUGINS.weights)


@pytest.mark.parametrize(
    ("plugins", "said"),
    [
        (profile({"filter": ["Unknown"]}), 'FilterPlugin "Unknown" does not exist'),
        (profile({"filter": ["PrioritySort"]}), 'plugin "PrioritySort" does not extend FilterPlugin plugin'),
        (profile({"score": ["NodeName"]}), 'plugin "NodeName" does not extend ScorePlugin plugin'),
        (profile({"filter": ["A", "A"]}), 'plugin "A" already registered as "FilterPlugin"'),
        (profile({"queueSort": []}), 'only one queue sort plugin required .* "default-scheduler", but got 0'),
        (profile({"queueSort": ["PrioritySort", "Sort"]}), "only one queue sort plugin required .*, but got 2"),
        (profile({"bind": []}), "at least one bind plugin is needed"),
        (profile({"score": ["A"]}, {"A": 2**63 // 100 + 1}), "total score of Score plugins could overflow"),
        (profile({"score": ["A", "B"]}, {"A": 2**62 // 100, "B": 2**62 // 100 + 1}), "could overflow"),
        (profile({"filters": ["A"]}), "no extension point named filters exists"),
    ],
)
def test_an_invalid_profile_is_rejected_with_a_message(plugins: Plugins, said: str) -> None:
    made = registry("A", "B")
    made.register("Sort", made.factory("PrioritySort"))
    with pytest.raises(FrameworkError, match=said):
        built(made, plugins, Handle())


def test_the_largest_weights_that_cannot_overflow_are_accepted() -> None:
    framework = built(registry("A", "B"), profile({"score": ["A", "B"]}, {"A": 2**63 // 100 - 1, "B": 1}), Handle())
    assert sum(framework.weights.values()) * 100 <= 2**63 - 1


def test_a_missing_or_zero_weight_is_1() -> None:
    framework = built(registry("A", "B", "C"), profile({"score": ["A", "B", "C"]}, {"B": 0, "C": 7}), Handle())
    assert framework.weights == {"A": 1, "B": 1, "C": 7}


def test_only_enabled_plugins_are_built_once_with_arguments_and_handle() -> None:
    asked: list[tuple[str, Arguments, Handle]] = []

    def noting(name: str) -> Any:
        def make(arguments: Arguments, handle: Handle) -> Made:
            asked.append((name, arguments, handle))
            return Made(name)

        return make

    made = default_registry()
    for name in ("A", "B"):
        made.register(name, noting(name))
    handle = Handle()
    plugins = profile({"filter": ["A"], "score": ["A"]})
    framework = built(made, plugins, handle)
    assert asked == [("A", plugins.arguments, handle)]
    assert asked[0][2] is handle
    assert framework.at("filter")[0] is framework.at("score")[0]


def test_an_error_of_a_plugin_factory_names_the_plugin() -> None:
    def failing(arguments: Arguments, handle: Handle) -> Made:
        raise ValueError("out of order")

    made = default_registry()
    made.register("A", failing)
    with pytest.raises(FrameworkError, match=r'^initializing plugin "A": out of order$'):
        built(made, profile({"filter": ["A"]}), Handle())
