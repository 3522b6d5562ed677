"""The first thing in which two schedulers differ on a pod: `because`, `Because`, and what each says: `Side`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from schedcheck.api.explain import Explanation
from schedcheck.api.told import NodeExplanation
from schedcheck.spec.decisions import Decision

Stage = Literal["seen", "filter", "score", "preemption", "choice", "group", "untold"]


@dataclass(frozen=True)
class Side:
    """What one of the two says of a pod.

    unseen
        Why this scheduler does not take the pod up; empty if it does.
    decisions
        Everything that it may do with the pod; empty if it does not take the pod up.
    event
        The text of the event of a pod that cannot be placed.
    nodes
        Every node, with its refusals and scores.
    group
        What happens to the gang of the pod, in words; empty without one.
    """

    unseen: str
    decisions: tuple[Decision, ...]
    event: str
    nodes: Mapping[str, NodeExplanation] = field(repr=False)
    group: str = ""


@dataclass(frozen=True)
class Because:
    """The first thing in which the two differ: the stage, the plugin (or predicate, or priority), and the nodes.

    stage
        "seen": only one takes the pod up; "filter"; "score"; "preemption": who is evicted; "choice": the rest;
        "group": what becomes of the other pods of its gang;
        "untold": the replies of programs tell no difference but that of the decisions.
    plugin
        Empty where none can be named, as between the scores of different schedulers.
    """

    stage: Stage
    plugin: str
    nodes: tuple[str, ...]


Told = tuple[Side, Explanation | None]


def changed(name: str, first: Side, second: Side) -> bool:
    """Whether the verdict on a node, its refusals or its sum of scores differ."""
    one, other = first.nodes.get(name), second.nodes.get(name)
    if one is None or other is None:
        return one is not other
    return (one.feasible, one.total) != (other.feasible, other.total) or (
        not one.feasible and one.refusals != other.refusals
    )


def because(one: Told, other: Told) -> Because:
    """Return the first stage, plugin and nodes in which the two differ."""
    first, second = one[0], other[0]
    if one[1] is None or other[1] is None or "gated" in (one[1].kind, other[1].kind):
        return Because("seen", "", ())
    feasible = [name for name in first.nodes if first.nodes[name].feasible != second.nodes[name].feasible]
    if feasible:
        return _by_filter(one, other, feasible)
    if any(each.feasible for each in first.nodes.values()):
        return _by_score(first, second) or Because("choice", "", ())
    codes = [name for name in first.nodes if _hopeless(first.nodes[name]) != _hopeless(second.nodes[name])]
    return _by_filter(one, other, codes) if codes else Because("preemption", "", ())


def _hopeless(node: NodeExplanation) -> bool:
    """Whether the first refusal is one that no eviction resolves."""
    return bool(node.refusals) and node.refusals[0].code == "UnschedulableAndUnresolvable"


def _by_filter(one: Told, other: Told, names: list[str]) -> Because:
    """Return the first filter of these nodes that only one of the two has refuse them, in the order of filters."""
    order = [name for _, found in (one, other) if found is not None for name in found.told.filters]
    blamed: dict[str, list[str]] = {}
    for name in names:
        first, second = (each[0].nodes[name].refusals for each in (one, other))
        differing = [each.plugin or "" for each in (*first, *second) if (each in first) != (each in second)]
        found = min(differing, key=lambda each: order.index(each) if each in order else len(order), default="")
        blamed.setdefault(found, []).append(name)
    plugin = min(blamed, key=lambda each: order.index(each) if each in order else len(order))
    return Because("filter", plugin, tuple(blamed[plugin]))


def _by_score(first: Side, second: Side) -> Because | None:
    """Return the first score that differs on a feasible node; without a plugin if the schedulers have other scores."""
    names = [name for name, each in first.nodes.items() if each.scores is not None]
    scores = {name: (first.nodes[name].scores or {}, second.nodes[name].scores or {}) for name in names}
    plugins = dict.fromkeys(plugin for each in scores.values() for side in each for plugin in side)
    shared = [plugin for plugin in plugins if all(plugin in side for each in scores.values() for side in each)]
    for plugin in plugins if shared else ():
        differing = tuple(name for name, (one, other) in scores.items() if one.get(plugin) != other.get(plugin))
        if differing:
            return Because("score", plugin, differing)
    totals = tuple(name for name in names if first.nodes[name].total != second.nodes[name].total)
    return Because("score", "", totals) if totals else None
