"""What a question sees of a state: `Sight`, `of_everything`.

A sight puts each value that another pod or a node may have into a class, or leaves it out. Pods of one class are counted,
so that a question is asked once for all states that show it as many of each class. What is left out is not shown to the
specification, which ends in OutsideFootprint if it looks at it all the same.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

from schedcheck.spec.objects import Node, Pod

OfPod = Callable[[Pod], Hashable]
OfNode = Callable[[Node | None], Hashable]


def unseen(thing: Any) -> Hashable:
    """The class of what is left out."""
    return None


@dataclass(frozen=True)
class Sight:
    """What a question sees, by classes: of the pods that point at its node, of those that do at any, of its node, of all.

    `budgets`: it sees what budgets allow. `named`: nodes that are alike are told apart. `everyone`: it sees every pod as it is,
    also who waits, and who is not there. None is the class of whatever is not seen.
    """

    near: OfPod = unseen
    far: OfPod = unseen
    node: OfNode = unseen
    nodes: OfNode = unseen
    budgets: bool = False
    named: bool = True
    everyone: bool = False


def of_everything(exact: bool) -> Sight:
    """The sight of all there is; pods that differ in nothing but their names are told apart if `exact`."""
    return Sight(lambda pod: _whole(pod, exact), lambda pod: _whole(pod, False), lambda n: (n,), lambda n: (n,), True)


def of_everyone() -> Sight:
    """The sight of all that a snapshot holds, whoever waits included: what a rule of one's own may look at."""
    return Sight(node=lambda node: (node,), nodes=lambda node: (node,), budgets=True, everyone=True)


def _whole(pod: Pod, exact: bool) -> Hashable:
    """The pod wherever it is, if it is one of several whose names matter with its name."""
    own = pod if pod.volumes or exact else replace(pod, name="")
    return replace(own, node_name=str(bool(pod.node_name)), nominated_node_name=str(bool(pod.nominated_node_name)))


def nameless(pod: Pod) -> Pod:
    """The pod without what it is called, and where it is or waits."""
    return replace(pod, name="", node_name="", nominated_node_name="")
