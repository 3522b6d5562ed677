"""Reachability of goals: the states of an explored graph from which no goal can be reached any more."""

from array import array
from collections.abc import Iterable, Sequence


def predecessors_of(edges: Sequence[Iterable[int]]) -> list["array[int]"]:
    """Return the numbers of each state's predecessors.

    `edges` holds the numbers of each state's successors; negative ones lie outside the graph and are left out.
    """
    predecessors: list[array[int]] = [array("q") for _ in edges]
    for number, successors in enumerate(edges):
        for successor in successors:
            if successor >= 0:
                predecessors[successor].append(number)
    return predecessors


def hopeless(predecessors: Sequence[Iterable[int]], goals: Sequence[bool]) -> list[bool]:
    """Return for each state whether no path leads from it to one of `goals`."""
    hope = list(goals)
    frontier = [number for number, reached in enumerate(goals) if reached]
    while frontier:
        for number in predecessors[frontier.pop()]:
            if not hope[number]:
                hope[number] = True
                frontier.append(number)
    return [not hoped for hoped in hope]
