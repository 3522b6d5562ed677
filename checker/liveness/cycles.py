"""What never comes to an end: a cycle in an explored graph that has a step of a kind, and none of others."""

from collections import deque
from collections.abc import Iterable, Sequence

Edge = tuple[int, int]


def recurring(edges: Sequence[Iterable[int]], marked: Iterable[Edge]) -> list[Edge]:
    """Those of the marked edges that lie on a cycle, in order; negative successors lie outside the graph."""
    import networkx

    graph = networkx.DiGraph((number, end) for number, ends in enumerate(edges) for end in ends if end >= 0)
    component = {
        number: index
        for index, members in enumerate(networkx.strongly_connected_components(graph))
        for number in members
    }
    return sorted(edge for edge in set(marked) if component[edge[0]] == component[edge[1]])


def shortest_path(edges: Sequence[Iterable[int]], start: int, end: int) -> list[int]:
    """The states of a shortest path from `start` to `end`, both included; there must be one."""
    origin = {start: -1}
    queue = deque([start])
    while end not in origin:
        number = queue.popleft()
        for successor in edges[number]:
            if successor >= 0 and successor not in origin:
                origin[successor] = number
                queue.append(successor)
    path = [end]
    while origin[path[-1]] >= 0:
        path.append(origin[path[-1]])
    return path[::-1]
