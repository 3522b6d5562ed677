"""What a plugin that kube-scheduler has not ought to do, as a part of the specification: `FilterRule`, `ScoreRule`.

A rule counts where the plugin of its name is enabled. A plugin without one refuses nothing, and adds nothing to the
scores.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import OwnArguments, Plugins
from schedcheck.spec.kubernetes.refusal import Refusal
from schedcheck.spec.kubernetes.scores.arithmetic import Scores, default_normalised
from schedcheck.spec.objects import Node, Pod, Snapshot


@dataclass(frozen=True)
class FilterRule:
    """Which nodes the filter of `plugin` ought to refuse, and why."""

    plugin: str
    refusal: Callable[[Pod, Node, Snapshot, OwnArguments], Refusal | None]


@dataclass(frozen=True)
class ScoreRule:
    """How `plugin` ought to rate a node: an integer. `normalised` makes it one from 0 to 100, by what all nodes have."""

    plugin: str
    rating: Callable[[Pod, Node, Snapshot, OwnArguments], int]
    normalised: Callable[[Scores], Scores]


Rule = FilterRule | ScoreRule
Kind = TypeVar("Kind", FilterRule, ScoreRule)


def unchanged(scores: Scores) -> Scores:
    """Of a plugin whose ratings are from 0 to 100 as they are."""
    return scores


def most_is_best(scores: Scores) -> Scores:
    """100 for the highest of the ratings, the others in proportion."""
    return default_normalised(scores, reverse=False)


def least_is_best(scores: Scores) -> Scores:
    """0 for the highest of the ratings, the others the more the lower they are."""
    return default_normalised(scores, reverse=True)


def rules_of(name: str, kind: type[Kind], plugins: Plugins) -> Iterator[Kind]:
    """The rules of this kind for the plugin of this name, in order."""
    return (rule for rule in plugins.rules if isinstance(rule, kind) and rule.plugin == name)


def ruled(name: str, pod: Pod, info: NodeInfo, snapshot: Snapshot, plugins: Plugins) -> Refusal | None:
    """Why the plugin of this name ought to refuse the node: what the first of its rules says that does not admit it."""
    rules, given = rules_of(name, FilterRule, plugins), plugins.arguments.of(name)
    said = (rule.refusal(pod, info.node, as_tried(info, snapshot), given) for rule in rules)
    return next((each for each in said if each is not None), None)


def as_tried(info: NodeInfo, snapshot: Snapshot) -> Snapshot:
    """The snapshot in which the pods on the node are those with which it is tried."""
    if info.changes == ():
        return snapshot
    on_it = {pod.key: replace(pod, node_name=info.node.name) for pod in info.pods}
    elsewhere = (pod for pod in snapshot.pods if pod.node_name != info.node.name and pod.key not in on_it)
    return replace(snapshot, pods=Snapshot.of([*elsewhere, *on_it.values()]).pods)
