"""Graphs and UndirectedGraphs, as far as TLC has code of its own for them: paths are searched, not listed."""

from schedcheck.checker.language.standard.arguments import Table, operator
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.ordering import listed
from schedcheck.checker.language.values.showing import short
from schedcheck.checker.language.values.values import Function, Value, finite_set, truth

DIRECTED: Table = {}
UNDIRECTED: Table = {}

Neighbours = dict[Value, list[Value]]


def _neighbours(graph: Value, both: bool) -> Neighbours:
    """The nodes that an edge leads to, by node."""
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
    """The nodes that a path leads to, the first one too."""
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
    """Whether a path leads from one node to another."""
    return truth(target in _reached(_neighbours(graph, both=False), source))


@operator(DIRECTED, "IsStronglyConnected", 1)
def strongly_connected(graph: Value) -> Value:
    """Whether a path leads from each node to each."""
    neighbours = _neighbours(graph, both=False)
    return truth(all(len(_reached(neighbours, each)) == len(neighbours) for each in neighbours))


@operator(UNDIRECTED, "AreConnectedIn", 3)
def joined(one: Value, other: Value, graph: Value) -> Value:
    """Whether a path leads from one node to the other."""
    return truth(other in _reached(_neighbours(graph, both=True), one))


@operator(UNDIRECTED, "ConnectedComponents", 1)
def components(graph: Value) -> Value:
    """The sets of nodes that are connected with each other."""
    neighbours = _neighbours(graph, both=True)
    return finite_set(finite_set(_reached(neighbours, each)) for each in neighbours)


def _simple_paths(neighbours: Neighbours) -> Value:
    """All paths on which no node comes twice."""
    found: list[tuple[Value, ...]] = []
    waiting: list[tuple[Value, ...]] = [(each,) for each in neighbours]
    while waiting:
        path = waiting.pop()
        found.append(path)
        waiting += [(*path, each) for each in neighbours[path[-1]] if each not in path]
    return finite_set(found)


@operator(DIRECTED, "SimplePath", 1)
def simple_paths(graph: Value) -> Value:
    """The paths on which no node comes twice."""
    return _simple_paths(_neighbours(graph, both=False))


@operator(UNDIRECTED, "SimplePath", 1)
def simple_undirected_paths(graph: Value) -> Value:
    """The same where an edge leads both ways."""
    return _simple_paths(_neighbours(graph, both=True))
