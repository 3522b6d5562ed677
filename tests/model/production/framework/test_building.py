"""How a registry keeps names, and how a framework is built from a profile or refused."""

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


def test_a_name_is_registered_once() -> None:
    made = registry("A")
    with pytest.raises(RegistryError, match=r"^a plugin named A already exists$"):
        made.register("A", factory(Made("A")))


def test_a_name_that_is_not_there_is_not_unregistered() -> None:
    made = registry("A")
    made.unregister("A")
    assert "A" not in made
    with pytest.raises(RegistryError, match=r"^no plugin named A exists$"):
        made.unregister("A")
    with pytest.raises(RegistryError, match=r"^no plugin named A exists$"):
        made.factory("A")


def test_registries_are_merged_whole_or_not_at_all() -> None:
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


def test_the_default_profile_is_built() -> None:
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
def test_a_profile_that_cannot_be_built_is_refused(plugins: Plugins, said: str) -> None:
    made = registry("A", "B")
    made.register("Sort", made.factory("PrioritySort"))
    with pytest.raises(FrameworkError, match=said):
        built(made, plugins, Handle())


def test_the_greatest_weights_that_cannot_overflow_are_allowed() -> None:
    framework = built(registry("A", "B"), profile({"score": ["A", "B"]}, {"A": 2**63 // 100 - 1, "B": 1}), Handle())
    assert sum(framework.weights.values()) * 100 <= 2**63 - 1


def test_a_weight_that_is_not_given_or_zero_is_one() -> None:
    framework = built(registry("A", "B", "C"), profile({"score": ["A", "B", "C"]}, {"B": 0, "C": 7}), Handle())
    assert framework.weights == {"A": 1, "B": 1, "C": 7}


def test_only_what_is_enabled_is_built_once_with_arguments_and_handle() -> None:
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


def test_an_error_of_a_factory_names_the_plugin() -> None:
    def failing(arguments: Arguments, handle: Handle) -> Made:
        raise ValueError("out of order")

    made = default_registry()
    made.register("A", failing)
    with pytest.raises(FrameworkError, match=r'^initializing plugin "A": out of order$'):
        built(made, profile({"filter": ["A"]}), Handle())
