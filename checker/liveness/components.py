"""The strongly connected components (SCCs) of a state graph: by networkx for a small graph, by scipy for a large
one.
"""

import numpy as np

from schedcheck.checker.liveness.graph import Numbers

SMALL = 2_000
"""The most states for which networkx is used, which saves loading scipy."""


def components(offsets: Numbers, targets: Numbers) -> tuple[int, Numbers]:
    """Return the number of SCCs, and the number of each state's SCC: from 0, in no particular order.

    The edges from state s lead to `targets[offsets[s]:offsets[s + 1]]`, none of them outside.
    """
    return by_networkx(offsets, targets) if len(offsets) - 1 <= SMALL else by_scipy(offsets, targets)


def by_networkx(offsets: Numbers, targets: Numbers) -> tuple[int, Numbers]:
    """Return the same as `components`, with an object for each state and edge."""
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
    """Return the same as `components`, in arrays.

    scipy 1.17 gives wrong answers, or none, for a graph with duplicate edges, so duplicates are merged first.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    states = len(offsets) - 1
    edges = np.ones(len(targets), dtype=np.bool_)
    matrix = csr_array((edges, targets.astype(np.int32), offsets.astype(np.int32)), shape=(states, states))
    matrix.sum_duplicates()
    # The weights do not matter. A broadcast of one number saves a copy as 64-bit numbers.
    matrix.data = np.broadcast_to(np.float64(1), matrix.indices.shape)
    count, labels = connected_components(matrix, directed=True, connection="strong")
    return int(count), labels
