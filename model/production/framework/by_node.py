"""Filter and Score of many nodes from functions of one node: `refusals`, `ratings`.

For plugins whose speed does not matter: they loop over the nodes where others use arrays.
"""

from collections.abc import Callable

import numpy as np

from schedcheck.model.production.framework.status import Status
from schedcheck.model.production.framework.verdicts import CODES, Verdicts
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.objects import Node, Pod

Pods = tuple[Pod, ...]


def refusals(nodes: Nodes, says: Callable[[Node, Pods], Status | None]) -> Verdicts:
    """Return the result of Filter. `says` judges one node with the pods on it; None lets the node pass."""
    said = [says(node, pods) or Status() for node, pods in _each(nodes)]
    distinct = list(dict.fromkeys(said))
    codes = np.array([CODES.index(each.code) for each in said], np.int8)
    return Verdicts(codes, np.array([distinct.index(each) for each in said], np.int64), lambda n: distinct[n].reasons)


def ratings(nodes: Nodes, rates: Callable[[Node, Pods], int]) -> Numbers:
    """Return the result of Score. `rates` gives an integer for one node with the pods on it."""
    return np.array([rates(node, pods) for node, pods in _each(nodes)], np.int64)


def _each(nodes: Nodes) -> list[tuple[Node, Pods]]:
    return [
        (nodes.table.node(int(row)), tuple(info.pod for info in nodes.pods(place)))
        for place, row in enumerate(nodes.rows)
    ]
