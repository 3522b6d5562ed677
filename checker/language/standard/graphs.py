"""Graphs and UndirectedGraphs, where TLC has its own code as well: paths are searched, not enumerated."""

from schedcheck.checker.language.standard.arguments import Table, operator
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.ordering import listed
from schedcheck.checker.language.values.values import Function, Value, finite_set, short, truth

DIRECTED: Table = {}
UNDIRECTED: Table = {}

Neighbours = dict[Value, list[Value]]


def _neighbours(graph: Value, both: bool) -> Neighbours:
    """Return the successors of each node; `both`: edges lead both ways."""
    if type(graph) is not Function or graph.keys() != {"node", "edge"}:
        raise Unevaluable(f"{short(graph)} is no graph: expected [node |-> ..., edge |-> ...]")
    found: Neighbours = {each: [] for each in listed(graph["node"])}
    for edge in listed(graph["edge"]):
        ends = tuple(listed(edge)) if both else edge
        for source, target in [(ends[0], ends[-1]), (ends[-1], ends[0])] if both else [ends]:
            if source in found and target in found:
                found[source].append(target)
    return found


def _reached(neighbours: Neighbours, start: Value) -> set[Value]:
    """Return the nodes reachable from the start, which is included."""
    seen = {start} if start in neighbours else set()
    waiting = list(seen)
    while waiting:
        for each in neighbours[waiting.pop()]:
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return seen


@operator(DIRECTED, "AreConnectedIn", 3)
def connected(source: Value, target: Value, graph: Value) -> Value:
    """Whether a path leads from `source` to `target`."""
    return truth(target in _reached(_neighbours(graph, both=False), source))


@operator(DIRECTED, "IsStronglyConnected", 1)
def strongly_connected(graph: Value) -> Value:
    """Whether a path leads from every node to every other."""
    neighbours = _neighbours(graph, both=False)
    return truth(all(len(_reached(neighbours, each)) == len(neighbours) for each in neighbours))


@operator(UNDIRECTED, "AreConnectedIn", 3)
def joined(one: Value, other: Value, graph: Value) -> Value:
    """Whether a path connects the two nodes."""
    return truth(other in _reached(_neighbours(graph, both=True), one))


@operator(UNDIRECTED, "ConnectedComponents", 1)
def components(graph: Value) -> Value:
    """Return the connected components, as sets of nodes."""
    neighbours = _neighbours(graph, both=True)
    return finite_set(finite_set(_reached(neighbours, each)) for each in neighbours)


def _simple_paths(neighbours: Neighbours) -> Value:
    """Return all paths that visit no node twice."""
    found: list[tuple[Value, ...]] = []
    waiting: list[tuple[Value, ...]] = [(each,) for each in neighbours]
    while waiting:
        path = waiting.pop()
        found.append(path)
        waiting += [(*path, each) for each in neighbours[path[-1]] if each not in path]
    return finite_set(found)


@operator(DIRECTED, "SimplePath", 1)
def simple_paths(graph: Value) -> Value:
    """Return the paths of a directed graph that visit no node twice."""
    return _simple_paths(_neighbours(graph, both=False))


@operator(UNDIRECTED, "SimplePath", 1)
def simple_undirected_paths(graph: Value) -> Value:
    """Return the paths of an undirected graph that visit no node twice."""
    return _simple_paths(_neighbours(graph, both=True))
