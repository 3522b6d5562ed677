"""A judge of its own for drains beside controllers: every state of a scenario, and fair rounds found by their definition."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import networkx

from schedcheck.checker.properties.behaviours import ENVIRONMENT, READING
from schedcheck.model.environment import Evict
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Snapshot

Instance = tuple[type, str]
Edge = tuple[int, Instance, int]
Holds = Callable[[Snapshot], bool]


@dataclass
class Space:
    """All states of a scenario as snapshots, the steps that change them, and what each state enables."""

    views: list[Snapshot] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    enabled: list[set[Instance]] = field(default_factory=list)


def space(scenario: Scenario, most: int, first: type | None = None) -> Space | None:
    """Every state of the scenario; None if there are more than `most`, or a decision is unknown.

    With `first` those after the only step of this kind from the initial state, which comes first in every behaviour.
    """
    machine = Reference(scenario, profile_of(scenario))
    machine.eager = False
    found, numbers = Space(), dict[State, int]()
    waiting = list(machine.initial_states())
    if first is not None:
        waiting = [after for action, after in machine.steps(waiting[0]) if type(action) is first]
    for state in waiting:
        numbers[state] = len(numbers)
    while waiting:
        state = waiting.pop(0)
        found.views.append(machine.view(state))
        found.enabled.append(set())
        for action, after in machine.steps(state):
            if type(action).__name__ == "Unknown":
                return None
            if after == state:
                continue
            if after not in numbers:
                numbers[after] = len(numbers)
                waiting.append(after)
            instance = (type(action), str(action))
            found.enabled[-1].add(instance)
            found.edges.append((numbers[state], instance, numbers[after]))
        if len(numbers) > most:
            return None
    return found


def weak(instance: Instance) -> bool:
    """Whether an action is taken in the end if it stays possible: all of the scheduler and of controllers but readings."""
    return instance[0] not in (*ENVIRONMENT, *READING)


def rounds(there: Space, states: Iterable[int], edges: Iterable[Edge]) -> Iterator[tuple[set[int], list[Edge]]]:
    """The greatest sets of states, with the steps between them, that a fair behaviour may visit forever."""
    inside, kept = set(states), list(edges)
    graph = networkx.DiGraph()
    graph.add_nodes_from(inside)
    graph.add_edges_from((start, end) for start, _, end in kept if {start, end} <= inside)
    for component in networkx.strongly_connected_components(graph):
        steps = [edge for edge in kept if edge[0] in component and edge[2] in component]
        taken = {instance for _, instance, _ in steps}
        lost = {
            number
            for number in component
            if any(each[0] is Evict and each not in taken for each in there.enabled[number])
        }
        if lost:
            yield from rounds(there, component - lost, steps)
            continue
        always = set.intersection(*(there.enabled[number] for number in component))
        if not any(weak(each) and each not in taken for each in always):
            yield component, steps


def _reaches(edges: Iterable[Edge], start: set[int], within: set[int]) -> set[int]:
    graph = networkx.DiGraph((one, other) for one, _, other in edges if {one, other} <= within)
    graph.add_nodes_from(within)
    first = start & within
    return first.union(*(networkx.descendants(graph, each) for each in first))


def eventually(there: Space, holds: Holds) -> bool:
    """Whether every fair behaviour reaches such a state."""
    outside = {number for number, view in enumerate(there.views) if not holds(view)}
    reached = _reaches(there.edges, {0}, outside)
    return not any(states & reached for states, _ in rounds(there, outside, there.edges))


def leads_to(there: Space, when: Holds, holds: Holds) -> bool:
    """Whether in every fair behaviour a state of the first kind is followed by one of the second."""
    outside = {number for number, view in enumerate(there.views) if not holds(view)}
    begun = {number for number in outside if when(there.views[number])}
    reached = _reaches(there.edges, begun, outside)
    return not any(states & reached for states, _ in rounds(there, outside, there.edges))


def comes_to_rest(there: Space) -> bool:
    """Whether the steps of the system end in every fair behaviour whose events end."""
    own = [edge for edge in there.edges if edge[1][0] not in ENVIRONMENT]
    return not any(steps for _, steps in rounds(there, range(len(there.views)), own))
