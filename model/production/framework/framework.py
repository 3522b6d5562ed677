"""The plugins of a profile, built and validated: `Framework`, `built`.

Kubernetes 1.34: NewFramework in pkg/scheduler/framework/runtime/framework.go.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import (
    HIGHEST_SCORE,
    POINTS,
    CeilingsPlugin,
    ElsewhereExtension,
    NormalizeScorePlugin,
    Plugin,
    PreFilterExtensions,
    SteadyPlugin,
    implements,
)
from schedcheck.model.production.framework.registry import Registry
from schedcheck.spec.kubernetes.plugins import Plugins

GREATEST_TOTAL = 2**63 - 1
"""The greatest sum of weighted scores that fits into 64 bits."""


class FrameworkError(ValueError):
    """A profile from which no framework can be built."""


@dataclass(frozen=True)
class Framework:
    """The plugins at each extension point, in their order, and the weights of the Score plugins."""

    points: Mapping[str, tuple[Any, ...]]
    weights: Mapping[str, int]
    handle: Handle
    profile: str = "default-scheduler"
    percentage_of_nodes_to_score: int = 0
    """How many nodes are searched; 0 leaves it to the scheduler."""
    _by_name: Mapping[str, Plugin] = field(default_factory=dict)

    @cached_property
    def extended(self) -> tuple[Any, ...]:
        """Return the PreFilter plugins that implement AddPod and RemovePod."""
        return tuple(plugin for plugin in self.at("preFilter") if implements(plugin, PreFilterExtensions))

    @cached_property
    def extended_elsewhere(self) -> tuple[Any, ...]:
        """Return those whose state depends on the pods of other nodes than the one that is tried."""
        return tuple(plugin for plugin in self.extended if implements(plugin, ElsewhereExtension))

    @cached_property
    def moved_by_pods(self) -> tuple[Any, ...]:
        """Return the filters that look at the pods on a node, or do not say that they do not."""
        return tuple(each for each in self.at("filter") if each not in self.steady)

    @cached_property
    def steady(self) -> tuple[Any, ...]:
        """Return the filters that do not look at the pods on a node."""
        return tuple(each for each in self.at("filter") if implements(each, SteadyPlugin))

    @cached_property
    def with_ceilings(self) -> frozenset[str]:
        """Return the names of the filters that look at nothing but the amounts that the pods on a node take.

        Their PreFilter runs too, which the ceilings may be read from.
        """
        both = (each for each in self.at("filter") if each in self.at("preFilter"))
        return frozenset(each.name for each in both if implements(each, CeilingsPlugin))

    @cached_property
    def normalizing(self) -> frozenset[str]:
        """Return the names of the plugins with NormalizeScore."""
        return frozenset(each.name for each in self.at("score") if implements(each, NormalizeScorePlugin))

    def at(self, point: str) -> tuple[Any, ...]:
        """Return the plugins at an extension point."""
        return self.points.get(point, ())

    def plugin(self, name: str) -> Any:
        """Return the plugin of this name."""
        return self._by_name[name]

    def plugins(self) -> tuple[Plugin, ...]:
        """Return every plugin once, in the order in which they were built."""
        return tuple(self._by_name.values())


def built(registry: Registry, plugins: Plugins, handle: Handle) -> Framework:
    """Return the framework of a profile; each enabled plugin is made once, from the arguments and the handle.

    Raises: FrameworkError.
    """
    for point in plugins.points:
        if point not in POINTS:
            raise FrameworkError(f"no extension point named {point} exists")
    made = _made(registry, plugins, handle)
    points = {point: _at(point, plugins.at(point), made) for point in POINTS}
    if len(points["queueSort"]) != 1:
        raise FrameworkError(
            f'only one queue sort plugin required for profile with scheduler name "{plugins.scheduler_name}",'
            f" but got {len(points['queueSort'])}"
        )
    if not points["bind"]:
        raise FrameworkError(
            f'at least one bind plugin is needed for profile with scheduler name "{plugins.scheduler_name}"'
        )
    weights = _weights(plugins.at("score"), plugins.weights)
    framework = Framework(
        points, weights, handle, plugins.scheduler_name, plugins.percentage_of_nodes_to_score, made
    )  # fmt: skip
    handle.frameworks[framework.profile] = framework
    return framework


def _made(registry: Registry, plugins: Plugins, handle: Handle) -> dict[str, Plugin]:
    """Return the plugins that are enabled at some point, by name, each made once."""
    made: dict[str, Plugin] = {}
    for point in POINTS:
        for name in plugins.at(point):
            if name in made or name not in registry:
                continue
            try:
                made[name] = registry.factory(name)(plugins.arguments, handle)
            except Exception as error:
                raise FrameworkError(f'initializing plugin "{name}": {error}') from error
    return made


def _at(point: str, names: tuple[str, ...], made: Mapping[str, Plugin]) -> tuple[Any, ...]:
    kind, protocol = POINTS[point]
    for place, name in enumerate(names):
        if name not in made:
            raise FrameworkError(f'{kind} "{name}" does not exist')
        if not implements(made[name], protocol):
            raise FrameworkError(f'plugin "{name}" does not extend {kind} plugin')
        if name in names[:place]:
            raise FrameworkError(f'plugin "{name}" already registered as "{kind}"')
    return tuple(made[name] for name in names)


def _weights(names: tuple[str, ...], given: Mapping[str, int]) -> dict[str, int]:
    """Return the weight of each Score plugin, 1 if none is given or it is 0."""
    weights = {name: given.get(name) or 1 for name in names}
    if sum(weights.values()) * HIGHEST_SCORE > GREATEST_TOTAL:
        raise FrameworkError("total score of Score plugins could overflow")
    return weights
