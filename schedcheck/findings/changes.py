"""The smallest change of a node, or of a pod, by which an empty node takes the pod: `smallest_changes`.

A change consists of steps: make a node schedulable, tolerate the taints of one key, give a node one label or take one
away, request less of one resource (or offer more of it). The filters that the steps serve do not depend on each other,
so the fewest steps are those of each filter together. The specification judges every result.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from frozendict import frozendict

from schedcheck.findings.finding import Change
from schedcheck.spec.kubernetes.filters import (
    node_affinity,
    node_resources_fit,
    node_unschedulable,
    pod_topology_spread,
    taint_toleration,
)
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod, Taint
from schedcheck.spec.quantities import quantity_text
from schedcheck.spec.requests import allocatable
from schedcheck.spec.selectors import numeral
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from schedcheck.spec.tolerations import untolerated

UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
MOST_LABELS = 4
"""The most labels that a change gives or takes away."""

MOST = 3
"""The most changes of the same size that are given."""

ANY = "…"
"""Stands for any value of a label, where every value serves."""

Labels = Mapping[str, str | None]
"""The new value of each label that a change touches; None takes the label away."""


@dataclass(frozen=True)
class _Way:
    """The steps by which a node takes the pod, and the node as they leave it.

    `short` orders ways of equal length; `kind` is the steps without their amounts.
    """

    after: Node
    steps: tuple[str, ...]
    short: float
    kind: tuple[str, ...]


def smallest_changes(
    pod: Pod, nodes: Sequence[Node], admits: Callable[[Node], bool], plugins: Plugins
) -> tuple[Change, ...]:
    """Return the changes of the fewest steps after which one of the nodes, empty, takes the pod; empty if there is none.

    `admits` judges a node without other pods. Those that ask for the least amounts come first, and no more than `MOST`.
    """
    alike: dict[Hashable, list[Node]] = {}
    part = matters(pod, plugins)
    for node in nodes:
        alike.setdefault(part(node), []).append(node)
    found = [(way, same) for same in alike.values() for way in _ways(pod, same[0], plugins) if admits(way.after)]
    fewest = min((len(way.steps) for way, _ in found), default=0)
    best = sorted(
        (each for each in found if len(each[0].steps) == fewest), key=lambda each: (each[0].short, each[1][0].name)
    )
    least: dict[tuple[str, ...], _Way] = {}
    for way, _ in best:
        least.setdefault(way.kind, way)
    return tuple(
        Change(each.steps, tuple(sorted(node.name for way, same in best for node in same if way.steps == each.steps)))
        for each in list(least.values())[:MOST]
    )


def matters(pod: Pod, plugins: Plugins) -> Callable[[Node], Hashable]:
    """Return the function that gives what of a node matters for placing the pod there, if it has no other pod."""
    if plugins.rules:
        return lambda node: node
    wants = sorted({"pods", *node_resources_fit.looked_for(pod, plugins.arguments)})
    keys = sorted(_keys(pod, plugins).union(each.topology_key for each in plugins.arguments.default_constraints or ()))
    by_name = bool(pod.node_name) or any(term.match_fields for term in _terms(pod, plugins))

    def of(node: Node) -> Hashable:
        return (
            node.name if by_name else "",
            tuple(node.labels.get(key) for key in keys),
            node.taints,
            node.unschedulable,
            tuple(allocatable(node, name) for name in wants),
        )

    return of


def _ways(pod: Pod, node: Node, plugins: Plugins) -> Iterator[_Way]:
    """Yield the way of the fewest steps by which this node takes the pod, if there is one."""
    labels = _fewest_labels(pod, node, plugins)
    if labels is None:
        return
    at = plugins.at("filter")
    cordoned = (
        node.unschedulable and node_unschedulable.NAME in at and not node_unschedulable.node_unschedulable(pod, node)
    )
    kept = _without(UNSCHEDULABLE, node) if cordoned else node
    taints = untolerated(pod, kept) if taint_toleration.NAME in at else ()
    lacking = _lacking(pod, node, plugins)
    before = (
        *(("make the node schedulable again",) if cordoned else ()),
        *(f"let the pod tolerate the taint {said}" for said in _by_key(taints)),
        *(_label_step(key, value, pod) for key, value in labels.items()),
    )
    amounts = tuple(_amount_step(name, wants, allocatable(node, name)) for name, wants in lacking.items())
    short = sum(1 - allocatable(node, name) / wants for name, wants in lacking.items())
    yield _Way(_after(kept, taints, labels, lacking), (*before, *amounts), short, (*before, *lacking))


def _by_key(taints: Sequence[Taint]) -> Iterator[str]:
    """Yield what a toleration says: one toleration of a key tolerates all taints with it."""
    alike: dict[str, list[Taint]] = {}
    for taint in taints:
        alike.setdefault(taint.key, []).append(taint)
    for key, same in alike.items():
        yield str(same[0]) if len(same) == 1 else f"{key} with every value and effect"


def _without(key: str, node: Node) -> Node:
    return replace(node, unschedulable=False, taints=tuple(taint for taint in node.taints if taint.key != key))


def _after(node: Node, taints: Sequence[Taint], labels: Labels, amounts: Mapping[str, int]) -> Node:
    return replace(
        node,
        taints=tuple(taint for taint in node.taints if taint not in taints),
        labels=relabelled(node.labels, labels),
        allocatable=frozendict({**node.allocatable, **amounts}),
    )


def relabelled(labels: Mapping[str, str], changes: Labels) -> frozendict[str, str]:
    """Return the labels after the changes."""
    kept = {key: value for key, value in labels.items() if key not in changes}
    return frozendict({**kept, **{key: value for key, value in changes.items() if value is not None}})


def _lacking(pod: Pod, node: Node, plugins: Plugins) -> dict[str, int]:
    """Return the amounts that the node would need, for the resources of which it has too little in all."""
    if node_resources_fit.NAME not in plugins.at("filter"):
        return {}
    wants = {"pods": 1, **node_resources_fit.looked_for(pod, plugins.arguments)}
    return {name: wants[name] for name in sorted(wants) if wants[name] > allocatable(node, name)}


def _fewest_labels(pod: Pod, node: Node, plugins: Plugins) -> Labels | None:
    """Return the fewest changes of labels after which node affinity and spread constraints let the pod on the node."""
    choices = {key: _values(key, pod, node, plugins) for key in sorted(_keys(pod, plugins))}
    for number in range(MOST_LABELS + 1):
        for keys in combinations(choices, number):
            for values in product(*(choices[key] for key in keys)):
                changes = dict(zip(keys, values, strict=True))
                if _placed(pod, replace(node, labels=relabelled(node.labels, changes)), plugins):
                    return changes
    return None


def _placed(pod: Pod, node: Node, plugins: Plugins) -> bool:
    at = plugins.at("filter")
    affine = node_affinity.refusal(pod, node, plugins.arguments) is None
    keyed = all(each.topology_key in node.labels for each in pod_topology_spread.required(pod))
    return (affine or node_affinity.NAME not in at) and (keyed or pod_topology_spread.NAME not in at)


def _requirements(pod: Pod, plugins: Plugins) -> Iterator[Requirement]:
    """Yield every requirement that the pod, or the scheduler for it, has of the labels of a node."""
    yield from (Requirement(key, "In", (value,)) for key, value in pod.node_selector.items())
    for term in _terms(pod, plugins):
        yield from term.match_expressions


def _terms(pod: Pod, plugins: Plugins) -> tuple[NodeSelectorTerm, ...]:
    """Return the required terms of the pod, and those that the scheduler adds."""
    return (*pod.affinity.node_required, *(plugins.arguments.added_affinity.required or ()))


def _keys(pod: Pod, plugins: Plugins) -> set[str]:
    spread = {each.topology_key for each in pod_topology_spread.required(pod)}
    return spread.union(each.key for each in _requirements(pod, plugins))


def _values(key: str, pod: Pod, node: Node, plugins: Plugins) -> tuple[str | None, ...]:
    """Return every new value of a label that matters: those named, those beyond a bound, any other, and none."""
    found: dict[str | None, None] = {}
    barred = {value for each in _requirements(pod, plugins) if each.operator == "NotIn" for value in each.values}
    for each in _requirements(pod, plugins):
        if each.key == key:
            found |= dict.fromkeys(each.values if each.operator == "In" else ())
            found |= dict.fromkeys(_beyond(each, 1 + len(barred)))
    found |= {ANY: None, None: None}
    return tuple(value for value in found if value != node.labels.get(key))


def _beyond(requirement: Requirement, number: int) -> Iterator[str]:
    """Yield the nearest values that satisfy Gt or Lt, so many."""
    step = {"Gt": 1, "Lt": -1}.get(requirement.operator, 0)
    for value in requirement.values if step else ():
        bound = numeral(value)
        if bound is not None:
            yield from (str(bound + step * distance) for distance in range(1, number + 1))


def _label_step(key: str, value: str | None, pod: Pod) -> str:
    if value is None:
        return f"take the label {key} from the node"
    if value == ANY:
        return f"give the node the label {key}"
    selected = " (or take it out of the pod's nodeSelector)" if pod.node_selector.get(key) == value else ""
    return f"give the node the label {key}={value}{selected}"


def _amount_step(resource: str, wants: int, has: int) -> str:
    if resource == "pods":
        return "let the node admit pods"
    less = quantity_text(resource, wants - has)
    left = quantity_text(resource, has)
    return f"request {less} {resource} less ({left}), or give the node {less} more"
