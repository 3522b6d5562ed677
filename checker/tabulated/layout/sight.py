"""The part of a state that a question depends on, its projection: `Sight`, `of_everything`.

A sight puts each value of the other pods and the nodes into a class, or leaves it out. Pods of one class are only
counted, so states with the same number of pods in each class share one answer. A value that is left out is not shown to
the specification. If the specification looks at it all the same, it raises OutsideFootprint.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

from schedcheck.spec.objects import Node, Pod

OfPod = Callable[[Pod], Hashable]
OfNode = Callable[[Node | None], Hashable]


def unseen(thing: Any) -> Hashable:
    """Return None, the class of things that are not seen."""
    return None


@dataclass(frozen=True)
class Sight:
    """The part of a state that a question sees, as classes of pods and nodes; the class None means not seen.

    - `near`: pods that point at the question's node
    - `far`: pods that point at any node
    - `node`: the question's node
    - `nodes`: every node
    - `budgets`: whether it sees what budgets allow
    - `named`: whether similar nodes are told apart
    - `everyone`: whether it sees every pod as it is, also a waiting or an absent one
    """

    near: OfPod = unseen
    far: OfPod = unseen
    node: OfNode = unseen
    nodes: OfNode = unseen
    budgets: bool = False
    named: bool = True
    everyone: bool = False


def of_everything(exact: bool) -> Sight:
    """Return the sight of everything; if `exact`, pods that differ only in their names are told apart."""
    return Sight(lambda pod: _whole(pod, exact), lambda pod: _whole(pod, False), lambda n: (n,), lambda n: (n,), True)


def of_all_pods() -> Sight:
    """Return the sight of a whole snapshot, waiting pods included; a user's own rule may look at all of it."""
    return Sight(node=lambda node: (node,), nodes=lambda node: (node,), budgets=True, everyone=True)


def _whole(pod: Pod, exact: bool) -> Hashable:
    """Return the pod without its place, and without its name unless `exact` or the pod has volumes."""
    own = pod if pod.volumes or exact else replace(pod, name="")
    return replace(own, node_name=str(bool(pod.node_name)), nominated_node_name=str(bool(pod.nominated_node_name)))


def nameless(pod: Pod) -> Pod:
    """Return the pod without its name, its node and its nominated node."""
    return replace(pod, name="", node_name="", nominated_node_name="")
