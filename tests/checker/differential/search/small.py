"""Random small clusters over the vocabularies of a few features: `question`, `small`, and their pods and nodes

Drawing from all features seldom brings those of one definition together. Here a case has one to three features, whose
values are all interesting, and at most three nodes and five pods.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from tests.checker.differential.enumeration.spaces import BASES, NODES, OTHERS, Feature
from tests.checker.differential.enumeration.vocabulary import FEATURES, NAMED, THEMES
from tests.checker.differential.search import singles

Features = Sequence[Feature]
ARGUED = ("resources", "extended resources", "pod preferences", "affinity", "node affinity", "node preferences")
"""Features of pods and nodes that are judged by plugins with arguments."""


def features(chance: Chance, offered: Features = FEATURES) -> tuple[Feature, ...]:
    """Return one to three features, usually of one theme."""
    names = {each.name for each in offered}
    theme = [name for name in chance.choice(THEMES) if name in names] if chance.often(0.8) else []
    listed = theme or sorted(names)
    return tuple(NAMED[name] for name in chance.sample(listed, min(len(listed), chance.one(1, 2, 2, 3))))


def of(chance: Chance, chosen: Features, part: str, thing: Any) -> Any:
    """Return the object with a value of each feature."""
    for each in chosen:
        thing = chance.choice(getattr(each, part))(thing)
    return thing


def node(chance: Chance, chosen: Features, name: str) -> Node:
    """Return a node of this name."""
    base = BASES["nodes"]
    made: Node = of(chance, chosen, "nodes", replace(base, name=name, labels=base.labels.set(HOSTNAME, name)))
    return made


def pod(chance: Chance, chosen: Features, name: str, on: str = "") -> Pod:
    """Return a pod on a node, or one that waits, which may be like one that is asked about, or like another."""
    made: Pod = replace(BASES["others"], name=name, node_name=on)
    for each in chosen:
        made = chance.choice(each.others if on or chance.often(0.4) else each.asked)(made)
    return made if on else replace(made, phase="Pending", start_time=None, terminating=False, preempted=False)


def plugins(chance: Chance, chosen: Features) -> Plugins:
    """Return the default profile with arguments if these are a feature."""
    made: Plugins = of(chance, chosen, "plugins", DEFAULT_PLUGINS)
    return made


def beside(chance: Chance, chosen: Features) -> Snapshot:
    """Return all that is neither a pod nor a node."""
    made: Snapshot = of(chance, chosen, "beside", BASES["beside"])
    return made


def nodes(chance: Chance, chosen: Features, most: int = 3) -> list[Node]:
    """Return one to `most` nodes, usually two."""
    return [node(chance, chosen, name) for name in NODES[: min(most, chance.one(1, 2, 2, 2, 3))]]


def question(chance: Chance, chosen: Features, most_nodes: int = 3) -> Question:
    """Return a small question."""
    there = nodes(chance, chosen, most_nodes)
    others: list[Pod] = []
    for name in OTHERS[: chance.one(0, 1, 2, 2, 3, 3, 4)]:
        on = chance.choice(there).name
        if others and chance.often(0.2):
            others.append(replace(chance.choice(others), name=name))
        else:
            others.append(of(chance, chosen, "others", replace(BASES["others"], name=name, node_name=on)))
    rest = beside(chance, chosen)
    made = Snapshot.of(others, there, rest.namespaces)
    whole = replace(rest, pods=made.pods, nodes=made.nodes, namespaces=made.namespaces)
    return of(chance, chosen, "asked", BASES["asked"]), whole, plugins(chance, chosen)


def small(start: str) -> None:
    """Judge a small cluster, and what the cycle begins."""
    chance = Chance(start)
    singles.shown(question(chance, features(chance)))


def small_extended(start: str) -> None:
    """Judge a small cluster with an extender."""
    chance = Chance(start)
    names = ("preemption", *chance.some(("budgets", "nominations", "taints", "images"), 0, 2))
    asked = question(chance, tuple(NAMED[each] for each in names) if chance.often(0.7) else features(chance))
    singles.asked_outside(chance, asked)


def small_argued(start: str) -> None:
    """Judge a small cluster under other arguments of plugins that read its features."""
    chance = Chance(start)
    names = ("arguments", *chance.some(ARGUED, 1, 2))
    singles.shown(question(chance, tuple(NAMED[each] for each in names)))
