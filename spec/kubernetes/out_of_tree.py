"""The specified behaviour of out-of-tree plugins: `FilterRule`, `ScoreRule`.

A rule applies where the plugin that it names is enabled. A plugin without rules rejects nothing and adds nothing to the
scores.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import OwnArguments, Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import Scores, default_normalised
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.refusal import Refusal


@dataclass(frozen=True)
class FilterRule:
    """The nodes that the filter of `plugin` must reject, and the refusal."""

    plugin: str
    refusal: Callable[[Pod, Node, Snapshot, OwnArguments], Refusal | None]


@dataclass(frozen=True)
class ScoreRule:
    """The score that `plugin` must give a node: an integer, which `normalised` maps to 0 to 100 over all nodes."""

    plugin: str
    rating: Callable[[Pod, Node, Snapshot, OwnArguments], int]
    normalised: Callable[[Scores], Scores]


Rule = FilterRule | ScoreRule
Kind = TypeVar("Kind", FilterRule, ScoreRule)


def unchanged(scores: Scores) -> Scores:
    """Return the scores as they are: for a plugin whose scores already lie between 0 and 100."""
    return scores


def most_is_best(scores: Scores) -> Scores:
    """Normalise the scores: 100 for the highest, the others in proportion."""
    return default_normalised(scores, reverse=False)


def least_is_best(scores: Scores) -> Scores:
    """Normalise the scores in reverse: 0 for the highest, and the more the lower a score is."""
    return default_normalised(scores, reverse=True)


def rules_of(name: str, kind: type[Kind], plugins: Plugins) -> Iterator[Kind]:
    """Yield the rules of this kind for the plugin of this name, in order."""
    return (rule for rule in plugins.rules if isinstance(rule, kind) and rule.plugin == name)


def ruled(name: str, pod: Pod, info: NodeInfo, snapshot: Snapshot, plugins: Plugins) -> Refusal | None:
    """Return the refusal that the plugin of this name must give: that of its first rule to reject the node, or None."""
    rules, given = rules_of(name, FilterRule, plugins), plugins.arguments.of(name)
    said = (rule.refusal(pod, info.node, as_tried(info, snapshot), given) for rule in rules)
    return next((each for each in said if each is not None), None)


def as_tried(info: NodeInfo, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot in which the node has exactly the pods with which it is tried."""
    if info.changes == ():
        return snapshot
    on_it = {pod.key: replace(pod, node_name=info.node.name) for pod in info.pods}
    elsewhere = (pod for pod in snapshot.pods if pod.node_name != info.node.name and pod.key not in on_it)
    return replace(snapshot, pods=Snapshot.of([*elsewhere, *on_it.values()]).pods)
