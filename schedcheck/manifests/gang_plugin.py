"""The plugin GangScheduling in a KubeSchedulerConfiguration: `named`, `with_default`, `settled`.

Since 1.35 every profile may name it. Without its feature gate it does nothing, as no pod then names a group. With the gate
multiPoint enables it by default, as the last plugin.

Kubernetes 1.35, 1.36, 1.37: New and the interfaces in pkg/scheduler/framework/plugins/gangscheduling; applyGangScheduling in
pkg/scheduler/apis/config/v1/default_plugins.go; NewFramework in pkg/scheduler/framework/runtime/framework.go.
"""

from collections import ChainMap
from collections.abc import Collection, Mapping, MutableMapping
from dataclasses import replace
from typing import cast

from frozendict import frozendict

from schedcheck.manifests.feature_gates import BY_PERMIT, ONE_BY_ONE, with_gangs
from schedcheck.manifests.fields import Field
from schedcheck.manifests.plugin_sets import MULTI_POINT, NOTHING, Enabled, Others, PluginSet, Sets
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.gangs import NAME
from schedcheck.spec.kubernetes.plugins import Plugins


def points_in(departures: Departures) -> tuple[str, ...]:
    """Return the extension points of the plugin in the version with these departures; none before 1.35.

    Since 1.37 it also judges placements, which no configuration says.
    """
    if Departure.INCOMPLETE_POOLS_SERVE in departures:
        return ()
    return ONE_BY_ONE if Departure.BALANCED_WITH_THE_POD_ALONE in departures else BY_PERMIT


def named(others: Others, departures: Departures) -> Others:
    """Return the plugins that a configuration may name beside the default ones, with this one."""
    points = points_in(departures)
    if NAME in others or not points:
        return others
    # The other plugins are loaded only where they are named, so they are not copied.
    return ChainMap({NAME: points}, cast(MutableMapping[str, Collection[str]], others))


def with_default(sets: Sets) -> Sets:
    """Return the default plugin sets while the feature gate is on."""
    every = sets.get(MULTI_POINT, NOTHING)
    return {**sets, MULTI_POINT: PluginSet((*every.enabled, Enabled(NAME)), every.disabled)}


def settled(made: Plugins, gangs: tuple[str, ...], field: Field) -> Plugins:
    """Return the profile with the plugin at the points `gangs` that it has while the gate is on; without it otherwise.

    Raises: InputError for a profile that enables it at some points only, or from 1.36 on at none, while the gate is on.
    """
    has = points_in(made.departures)
    at = tuple(point for point in has if NAME in made.at(point))
    kept: Mapping[str, tuple[str, ...]] = {
        point: tuple(name for name in names if name != NAME or point not in has) for point, names in made.points.items()
    }
    without = replace(made, points=frozendict({point: names for point, names in kept.items() if names}))
    if not gangs or (not at and has == ONE_BY_ONE):
        return without
    if at != has:
        missing = ", ".join(point for point in has if point not in at)
        raise field.error(f"with gang scheduling on, that {NAME} is not enabled at {missing} is not modelled")
    return with_gangs(without, gangs)
