"""The strongly connected components of a graph of states: by networkx where it is small, by scipy where it is large."""

import numpy as np

from schedcheck.checker.liveness.graph import Numbers

SMALL = 2_000
"""Up to how many states networkx answers, before scipy would be loaded."""


def components(offsets: Numbers, targets: Numbers) -> tuple[int, Numbers]:
    """How many components there are, and in which each state lies: a number from 0, in no order that means anything.

    The edges from state s lead to `targets[offsets[s]:offsets[s + 1]]`, none of them outside.
    """
    return by_networkx(offsets, targets) if len(offsets) - 1 <= SMALL else by_scipy(offsets, targets)


def by_networkx(offsets: Numbers, targets: Numbers) -> tuple[int, Numbers]:
    """As `components`, with an object for each state and edge."""
    import networkx

    states = len(offsets) - 1
    made: networkx.DiGraph[int] = networkx.DiGraph()
    made.add_nodes_from(range(states))
    made.add_edges_from(zip(np.repeat(np.arange(states), np.diff(offsets)).tolist(), targets.tolist(), strict=True))
    labels = np.zeros(states, dtype=np.int32)
    number = 0
    for number, members in enumerate(networkx.strongly_connected_components(made), 1):
        labels[list(members)] = number - 1
    return number, labels


def by_scipy(offsets: Numbers, targets: Numbers) -> tuple[int, Numbers]:
    """As `components`, in arrays.

    scipy's answer is wrong, and takes for ever, where an edge is there twice (1.17), so that each is made one first.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    states = len(offsets) - 1
    edges = np.ones(len(targets), dtype=np.bool_)
    matrix = csr_array((edges, targets.astype(np.int32), offsets.astype(np.int32)), shape=(states, states))
    matrix.sum_duplicates()
    # Weights do not matter, and would be copied as 64-bit numbers: here all are one number.
    matrix.data = np.broadcast_to(np.float64(1), matrix.indices.shape)
    count, labels = connected_components(matrix, directed=True, connection="strong")
    return int(count), labels
