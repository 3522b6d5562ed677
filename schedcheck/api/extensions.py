"""Out-of-tree plugins and rules that are given, named or installed: `extensions`.

A plugin of the profile is registered, and without a configuration enabled at every point that it has, after the default
ones. One of an installed package, from the entry-point group `schedcheck.plugins`, is registered and enabled where a
configuration names it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from frozendict import frozendict

from schedcheck.api.importing import module_of, named_by
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests.fields import nearest
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.framework.framework import FrameworkError
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.out_of_tree import OwnFactory, PluginError, own, raised
from schedcheck.model.production.framework.plugin import POINTS, implements
from schedcheck.model.production.framework.registry import Registry, RegistryError
from schedcheck.model.production.machine.api import Api, Choices
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.rule import Property, Written
from schedcheck.spec.kubernetes.out_of_tree import FilterRule, Rule, ScoreRule
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins

GROUP = "schedcheck.plugins"
"""The entry-point group of plugins; the name of an entry point is that of its plugin."""

EXPECTED_RULE = "expected functions under @filter, @score, @always, @sometimes or @step of schedcheck.rule"
TOGETHER = (("reserve", "unreserve"), ("add_pods", "remove_pods"), ("remembered", "recall"))
"""Methods of which a plugin has both or neither."""


@dataclass(frozen=True)
class OwnPlugin:
    """An out-of-tree plugin: its name, its factory and its extension points."""

    name: str
    factory: OwnFactory
    points: frozenset[str]


class Offered(Mapping[str, Collection[str]]):
    """The plugins that a configuration may name, with their points; an installed one is imported when it is named."""

    def __init__(self, given: Mapping[str, OwnPlugin], standing: Mapping[str, Collection[str]]) -> None:
        self._given, self._standing = given, standing
        self.imported: dict[str, OwnPlugin] = {}

    @cached_property
    def _installed(self) -> dict[str, EntryPoint]:
        """Those of installed packages. Raises: InputError for a name that is taken."""
        found: dict[str, EntryPoint] = {}
        for each in entry_points(group=GROUP):
            if each.name in found or each.name in default_registry():
                raise InputError(f"a plugin named {each.name} already exists", path=GROUP, value=each.value)
            found[each.name] = each
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._given, *self._standing, *self._installed)))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in self._given or name in self._standing or name in self._installed

    def __getitem__(self, name: str) -> Collection[str]:
        if name in self._given:
            return self._given[name].points
        if name in self._standing:
            return self._standing[name]
        if name not in self.imported:
            self.imported[name] = _installed(self._installed[name])
        return self.imported[name].points


@dataclass(frozen=True)
class Extensions:
    """The plugins that were given and those that may be named, and the rules: of cycles, and properties of the cluster.

    With `standing` a rule stands for a plugin that was not given, as where no production scheduler runs.
    """

    plugins: tuple[OwnPlugin, ...] = ()
    rules: tuple[Rule, ...] = ()
    properties: tuple[Property, ...] = ()
    standing: bool = False

    @cached_property
    def offered(self) -> Offered:
        """Return the plugins that a configuration may name; a given one comes before an installed one of its name."""
        given = {plugin.name: plugin for plugin in self.plugins}
        return Offered(given, self._standing)

    @cached_property
    def _standing(self) -> dict[str, frozenset[str]]:
        given = {plugin.name for plugin in self.plugins}
        names = [rule.plugin for rule in self.rules if rule.plugin not in given] if self.standing else []
        return {name: frozenset(_point(rule) for rule in self.rules if rule.plugin == name) for name in names}

    def enabled(self) -> Plugins:
        """Return the default plugins, and after them those that were given, at each of their points.

        Raises: InputError for one that sorts the queue, which only one plugin can.
        """
        there = {**{plugin.name: plugin.points for plugin in self.plugins}, **self._standing}
        for name, points in there.items():
            if "queueSort" in points:
                text = f"sorts the queue, as PrioritySort does; {parameter('profile.config')} must enable one of them"
                raise InputError(text, path=parameter("profile.plugins"), value=name)
        more = {point: tuple(name for name, own in there.items() if point in own) for point in POINTS}
        all_points = {point: names for point in POINTS if (names := (*DEFAULT_PLUGINS.at(point), *more[point]))}
        weights = {**DEFAULT_PLUGINS.weights, **dict.fromkeys(more["score"], 1)}
        return replace(DEFAULT_PLUGINS, points=frozendict(all_points), weights=frozendict(weights))

    def registry(self) -> Registry:
        """Return a registry of the plugins of kube-scheduler, those given, and those that a configuration names.

        Raises: InputError if two have one name.
        """
        made = default_registry()
        for plugin in (*self.plugins, *self.offered.imported.values()):
            try:
                made.register(plugin.name, own(plugin.name, plugin.factory))
            except RegistryError as error:
                raise InputError(str(error), path=parameter("profile.plugins"), value=plugin.name) from None
        return made

    def joined(self, profiles: Iterable[Plugins]) -> tuple[Plugins, ...]:
        """The profiles with the rules. Raises: InputError for a rule of a plugin that none of them enables."""
        made = tuple(replace(each, rules=self.rules) for each in profiles)
        for rule in self.rules:
            if not any(rule.plugin in each.at(_point(rule)) for each in made):
                names = sorted({name for each in made for name in each.at(_point(rule))} - {*default_registry()})
                there = f"no plugin of this name is enabled at {_point(rule)}{nearest(rule.plugin, names)}"
                raise InputError(there, path=parameter("profile.rules"), value=rule.plugin)
        return made

    def unruled(self, profiles: Iterable[Plugins]) -> Iterator[str]:
        """Yield a sentence for each plugin that filters or scores without a rule."""
        ruled = {(rule.plugin, _point(rule)) for rule in self.rules}
        enabled = {(name, point) for each in profiles for point in ("filter", "score") for name in each.at(point)}
        for name, point in sorted(enabled - ruled):
            if name not in default_registry():
                nothing = "refuses nothing" if point == "filter" else "adds nothing"
                yield f"{name} has no rule at {point}, so by the specification it {nothing} there"


def extensions(plugins: Iterable[Any], rules: Iterable[Any], *, standing: bool = False) -> Extensions:
    """Return the plugins and the rules, each given itself or by its name, `package.module:name`. Raises: InputError."""
    given: dict[str, OwnPlugin] = {}
    for each in dict.fromkeys(plugins):
        text = called(each)
        plugin = own_plugin(
            named_by(parameter("profile.plugins"), each) if isinstance(each, str) else each,
            parameter("profile.plugins"),
            text,
        )
        if plugin.name in given or plugin.name in default_registry():
            raise InputError(
                f"a plugin named {plugin.name} already exists", path=parameter("profile.plugins"), value=text
            )
        given[plugin.name] = plugin
    found = [(called(each), rule) for each in dict.fromkeys(rules) for rule in _rules(each)]
    _each_once(found)
    of_cycles = tuple(rule for _, rule in found if isinstance(rule, FilterRule | ScoreRule))
    properties = tuple(rule for _, rule in found if not isinstance(rule, FilterRule | ScoreRule))
    return Extensions(tuple(given.values()), of_cycles, properties, standing)


def build(registry: Callable[[], Registry], profiles: Iterable[Plugins]) -> None:
    """Make every plugin once, so that a failing factory is known before anything is tried.

    Raises: InputError.
    """
    try:
        Scheduler(registry(), tuple(profiles), Api({}, Choices(()), 0), lambda: 0.0, random=Choices(()))
    except (FrameworkError, PluginError) as error:
        raise InputError(str(error)) from None


def own_plugin(factory: Any, place: str, text: str) -> OwnPlugin:
    """Return the plugin of a factory; a factory without a name makes one without arguments, to tell it.

    Raises: InputError if it is no plugin.
    """
    if not callable(factory):
        raise InputError("expected a class or a function that makes a plugin", path=place, value=text)
    example = factory
    if not isinstance(getattr(factory, "name", None), str):
        try:
            example = factory(frozendict(), Handle())
        except Exception as error:
            without = "has no attribute name, and calling it without arguments"
            raise InputError(f"{without} raised {raised(error)}", path=place, value=text) from None
    name = getattr(example, "name", None)
    if not isinstance(name, str) or not name:
        raise InputError("makes a plugin without a name", path=place, value=text)
    for pair in TOGETHER:
        lacking = [method for method in pair if not hasattr(example, method)]
        if len(lacking) == 1:
            (there,) = set(pair) - set(lacking)
            raise InputError(f"plugin {name} has {there} without {lacking[0]}", path=place, value=text)
    if hasattr(example, "normalize") and not hasattr(example, "score"):
        raise InputError(f"plugin {name} has normalize without score", path=place, value=text)
    points = frozenset(point for point, (_, protocol) in POINTS.items() if implements(example, protocol))
    if not points:
        raise InputError(f"plugin {name} implements no extension point", path=place, value=text)
    return OwnPlugin(name, factory, points)


def _installed(entry: EntryPoint) -> OwnPlugin:
    """Return the plugin of an installed package."""
    plugin = own_plugin(named_by(GROUP, f"{entry.module}:{entry.attr}"), GROUP, entry.value)
    if plugin.name != entry.name:
        raise InputError(f"makes a plugin named {plugin.name}, expected {entry.name}", path=GROUP, value=entry.value)
    return plugin


def _point(rule: Rule) -> str:
    return "filter" if isinstance(rule, FilterRule) else "score"


def called(given: Any) -> str:
    """Return the name of a plugin or rule as a message quotes it."""
    return (
        given
        if isinstance(given, str)
        else f"{given.__module__}:{getattr(given, '__qualname__', type(given).__name__)}"
    )


def _rules(text: Any) -> Iterator[Rule | Property]:
    """The rule that is given or named, or all those of a module. Raises: InputError if it is none, or has none."""
    if not isinstance(text, str):
        if not isinstance(text, Written):
            raise InputError(f"is no rule; {EXPECTED_RULE}", path=parameter("profile.rules"), value=called(text))
        yield text.rule
        return
    if ":" not in text:
        written = {
            id(each): each
            for each in vars(module_of(parameter("profile.rules"), text)).values()
            if isinstance(each, Written)
        }
        if not written:
            raise InputError(f"has no rules; {EXPECTED_RULE}", path=parameter("profile.rules"), value=text)
        yield from (each.rule for each in written.values())
        return
    found = named_by(parameter("profile.rules"), text)
    if not isinstance(found, Written):
        raise InputError(f"is no rule; {EXPECTED_RULE}", path=parameter("profile.rules"), value=text)
    yield found.rule


def _each_once(found: Iterable[tuple[str, Rule | Property]]) -> None:
    """Raises: InputError for rules of which there may be one alone, and for those that are kube-scheduler's own matter."""
    seen: set[str] = set()
    for text, rule in found:
        match rule:
            case FilterRule():
                alone, name = "", rule.plugin
            case ScoreRule():
                alone, name = f"score of {rule.plugin}", rule.plugin
            case _:
                alone, name = f"property {rule.name}", ""
        if name in default_registry():
            text_of = f"is about {name}, which is kube-scheduler's, and which the specification defines"
            raise InputError(text_of, path=parameter("profile.rules"), value=text)
        if alone and alone in seen:
            raise InputError(f"is a second rule for the {alone}", path=parameter("profile.rules"), value=text)
        seen.add(alone)
