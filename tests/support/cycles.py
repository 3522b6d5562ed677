"""Cycles with other plugins than the default ones"""

from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.filter import verdicts
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.scores.scored import Scored, scored
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import Refusal
from schedcheck.spec.terms import Requirement
from tests.support.building import HOSTNAME, node, node_term

ZONE = "topology.kubernetes.io/zone"
NODES = (
    node("a", 10, labels={HOSTNAME: "a", ZONE: "x", "pool": "blue"}),
    node("b", 10, labels={HOSTNAME: "b", ZONE: "y"}),
)
BLUE = node_term(Requirement("pool", "In", ("blue",)))


def arguing(**arguments: Any) -> Plugins:
    """The default plugins with these arguments."""
    return replace(DEFAULT_PLUGINS, arguments=replace(DEFAULT_PLUGINS.arguments, **arguments))


def at(plugins: Plugins = DEFAULT_PLUGINS, **points: tuple[str, ...]) -> Plugins:
    """The plugins with others at these points."""
    return replace(plugins, points=frozendict({**plugins.points, **points}))


def without(name: str, *points: str) -> Plugins:
    """The default plugins without this one at these points."""
    return at(**{point: tuple(each for each in DEFAULT_PLUGINS.at(point) if each != name) for point in points})


def asked(one: Pod, there: Snapshot, plugins: Plugins) -> Cycle:
    return cycle(one, there, plugins)


def refusal(one: Pod, there: Snapshot, plugins: Plugins, on: str) -> Refusal | None:
    return verdicts(cycle(one, there, plugins))[on].refusal


def scores(one: Pod, there: Snapshot, plugins: Plugins) -> Scored:
    return scored(one, there.nodes, there, plugins)
