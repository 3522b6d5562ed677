"""The strongly connected components (SCCs) of a state graph: in lists for a small graph, by scipy for a large one."""

import numpy as np

from schedcheck.checker.liveness.graph import Numbers

SMALL = 200_000
"""The most states and edges together for which lists are used, which takes less time than loading scipy."""


def components(offsets: Numbers, targets: Numbers) -> tuple[int, Numbers]:
    """Return the number of SCCs, and the number of each state's SCC: from 0, in no particular order.

    The edges from state s lead to `targets[offsets[s]:offsets[s + 1]]`, none of them outside.
    """
    return by_lists(offsets, targets) if len(offsets) - 1 + len(targets) <= SMALL else by_scipy(offsets, targets)


def by_lists(offsets: Numbers, targets: Numbers) -> tuple[int, Numbers]:
    """Return the same as `components`, by a depth-first search state by state.

    R. Tarjan, Depth-first search and linear graph algorithms, 1972, with the lowest number alone for each state, as in D. Pearce,
    An improved algorithm for finding the strongly connected components of a directed graph, 2005.
    """
    following, to = offsets.tolist(), targets.tolist()
    states, ends, count, met = len(following) - 1, following[1:], 0, 0
    # 0 before a state is met; then the lowest number of those that it reaches; in the end the number of its SCC, above those.
    low, own, waiting = [0] * states, [0] * states, list[int]()
    for start in range(states):
        path = [] if low[start] else [start]
        while path:
            state = path[-1]
            if not low[state]:
                met += 1
                low[state] = own[state] = met
                waiting.append(state)
            edge = following[state]
            while edge < ends[state] and low[to[edge]]:
                low[state] = min(low[state], low[to[edge]])
                edge += 1
            following[state] = edge
            if edge < ends[state]:
                path.append(to[edge])
            elif low[path.pop()] == own[state]:
                while low[state] <= states:
                    low[waiting.pop()] = states + 1 + count
                count += 1
    return count, np.array(low, dtype=np.int32) - (states + 1)


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
