"""Swarm testing of random questions: a run draws with a random subset of the kinds of feature, and at the edges of nodes.

A feature can hide the defect of another: of twenty pods with ports and taints hardly one reaches the score of a third
feature. So `some_kinds` draws the kinds of a run, and `only` removes all others from its questions. `at_the_edge`
changes sizes: nodes become copies of one node, so that scores tie, and get room for the pod up to one unit.

Groce, Zhang, Eide, Chen and Regehr, "Swarm testing", ISSTA 2012.
"""

from collections.abc import Collection
from dataclasses import replace
from random import Random

from frozendict import frozendict
from hypothesis import strategies as st

from schedcheck.checker.drawing.kinds import IMPLIED, KINDS, WITHOUT, with_implied
from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.requests import request, requested, used

LEAST = 2
"""The least number of kinds of a run."""
UNITS = (-1, 0, 0, 1)
"""How much more than the pod requests a tight node has left, in the unit of the resource."""


def some_kinds(chance: Random) -> frozenset[str]:
    """Return the kinds of a run: each with a chance of one half, at least two, and those that they imply.

    Every fourth run has all kinds.
    """
    if chance.randrange(4) == 0:
        return frozenset(KINDS)
    names = sorted(KINDS)
    found = {name for name in names if chance.random() < 0.5} | {*chance.sample(names, LEAST)}
    return with_implied(found)


def only(question: Question, kinds: Collection[str]) -> Question:
    """Return the question without the features of all other kinds; the pod stays outside of the snapshot."""
    pod, snapshot, plugins = question
    there = replace(snapshot, pods=Snapshot.of([*(each for each in snapshot.pods if each.key != pod.key), pod]).pods)
    for kind, without in WITHOUT.items():
        if kind not in kinds and not any(kind in IMPLIED.get(each, ()) for each in kinds):
            there = without(there, pod.key)
    asked = next(each for each in there.pods if each.key == pod.key)
    return asked, replace(there, pods=tuple(each for each in there.pods if each.key != pod.key)), plugins


@st.composite
def at_the_edge(draw: st.DrawFn, asked: st.SearchStrategy[Question], kinds: frozenset[str]) -> Question:
    """A question of these kinds. Half of them are unchanged; in the others nodes are alike, or nearly full, or both."""
    pod, snapshot, plugins = only(draw(asked), kinds)
    change = draw(st.sampled_from(("none", "none", "none", "alike", "tight", "both")))
    if change in ("alike", "both") and snapshot.nodes:
        snapshot = replace(snapshot, nodes=_alike(snapshot.nodes))
    if change in ("tight", "both") and "resources" in kinds:
        nodes = tuple(_tight(each, pod, snapshot, draw) for each in snapshot.nodes)
        snapshot = replace(snapshot, nodes=nodes)
    return pod, snapshot, plugins


def _alike(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the nodes as copies of the first, each with its own name and hostname label."""
    first = nodes[0]

    def copy(node: Node) -> Node:
        labels = first.labels.set(HOSTNAME, node.name) if HOSTNAME in first.labels else first.labels
        return replace(first, name=node.name, labels=labels)

    return tuple(map(copy, nodes))


def _tight(node: Node, pod: Pod, snapshot: Snapshot, draw: st.DrawFn) -> Node:
    """Return the node with room for the pod beside the others, more or less by one unit of a resource, or with none."""
    room = dict(node.allocatable)
    for resource in sorted({*requested(pod)} & {"cpu", "memory", "example.com/gpu"}):
        if draw(st.booleans()):
            taken = used(node, snapshot, resource, NO_FAULTS) + request(pod, resource, NO_FAULTS)
            room[resource] = max(0, taken + draw(st.sampled_from(UNITS)))
    return replace(node, allocatable=frozendict(room))
