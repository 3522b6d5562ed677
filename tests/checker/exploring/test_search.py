"""The explorer on known graphs: TLC's counts, shortest traces, bounds, and the report when it gives up"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.exploring import exploration as exploring
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first, depth_first, random_walks
from schedcheck.checker.result import Bounds, Progress, Result, Verdict
from schedcheck.spec.properties.kinds import Always, Can, Property, Sometimes, Step
from tests.support.building import replays


@dataclass(frozen=True)
class Go:
    """The step to a state."""

    to: Any

    def __str__(self) -> str:
        return f"Go({self.to})"


@dataclass(frozen=True)
class Jump(Go):
    """A kind of step that no graph here has."""


class Graph:
    """A transition system given by its edges; in the `waiting` states something is left to do."""

    def __init__(
        self, edges: Mapping[Any, Sequence[Any]], initial: Sequence[Any] = (0,), waiting: Sequence[Any] = ()
    ) -> None:
        self.edges, self.initial, self.waiting = edges, initial, waiting

    def initial_states(self) -> Sequence[Any]:
        return self.initial

    def steps(self, state: Any) -> Iterator[tuple[Go, Any]]:
        return ((Go(after), after) for after in self.edges.get(state, ()))

    def view(self, state: Any) -> Any:
        return state

    def unfinished(self, state: Any) -> bool:
        return state in self.waiting

    def kinds(self) -> tuple[type, ...]:
        return Go, Jump


COUNTER = Graph({0: [1], 1: [2], 2: [3], 3: [4]})
RING = Graph({0: [1], 1: [2], 2: [3], 3: [0]})
DIAMOND = Graph({0: [1, 2], 1: [3], 2: [3]})
TWO_INITIAL = Graph({0: [2], 1: [2]}, initial=(0, 1))
LOOPS = Graph({0: [0, 0, 1], 1: [1]}, waiting=(1,))


def explored(
    machine: Graph,
    *properties: Property,
    search: Callable[[Exploration[Any]], Result] = breadth_first,
    constraint: Callable[[Any], bool] | None = None,
    **bounds: Any,
) -> Result:
    """The result of `search`, after replaying every trace in it."""
    found = search(Exploration(machine, properties, bounds=Bounds(**bounds), constraint=constraint))
    assert all(not each.trace or replays(machine, each.trace) for each in found.violations)
    return found


def states(found: Result, number: int = 0) -> list[Any]:
    """The states of a trace."""
    return [stage.state for stage in found.violations[number].trace]


def never(*bad: Any) -> Always:
    return Always("never", "", lambda state: state not in bad)


def walking(walks: int = 20, length: int = 10, seed: int = 0) -> Callable[[Exploration[Any]], Result]:
    return lambda exploration: random_walks(exploration, walks, length, seed)


SEARCHES = {"breadth": breadth_first, "depth": depth_first, "walks": walking()}


@pytest.mark.parametrize(
    ("machine", "distinct", "generated", "depth"),
    [
        (COUNTER, 5, 5, 5),
        (RING, 4, 5, 4),
        (DIAMOND, 4, 5, 3),
        (TWO_INITIAL, 3, 4, 2),
        (LOOPS, 2, 5, 2),
        (Graph({}, initial=(0, 0)), 1, 2, 1),
        (Graph({}), 1, 1, 1),
    ],
    ids=["counter", "ring", "diamond", "two initial states", "loops", "one state twice", "one state"],
)
def test_counts_are_those_of_tlc(machine: Graph, distinct: int, generated: int, depth: int) -> None:
    found = explored(machine)
    assert (found.distinct, found.generated, found.depth) == (distinct, generated, depth)
    assert (found.verdict, found.queue, found.stopped, found.orbits) == (Verdict.HOLDS, 0, "", False)


def test_done_and_stuck_states_are_distinguished() -> None:
    """State 2 has no step, 3 only one to itself and something pending there; 1 moves on, and is neither."""
    found = explored(Graph({0: [1, 2, 3], 1: [1, 0], 3: [3]}, waiting=(1, 3)))
    assert (found.done, found.stuck) == (1, 1)


def test_coverage_counts_every_step_and_names_the_kinds_never_taken() -> None:
    assert explored(LOOPS).coverage == {"Go": 4, "Jump": 0}


# Violations.


def test_an_initial_state_may_be_the_violation() -> None:
    found = explored(TWO_INITIAL, never(1))
    assert (found.verdict, states(found), found.generated) == (Verdict.VIOLATED, [1], 2)


def test_the_shortest_trace_is_shown() -> None:
    found = explored(Graph({0: [1, 5], 1: [2], 2: [9], 5: [9]}), never(9))
    assert states(found) == [0, 5, 9]
    assert [str(stage.action) for stage in found.violations[0].trace] == ["None", "Go(5)", "Go(9)"]


def test_the_level_is_finished_and_its_least_violation_is_shown() -> None:
    """State 9 is met first, 8 on the same level: 1, 2 and 3 are all expanded, and 4, which is then found, is not."""
    found = explored(Graph({0: [1, 2, 3], 1: [9], 2: [8], 3: [4], 4: [5]}), never(8, 9))
    assert states(found) == [0, 2, 8]
    assert (found.distinct, found.generated, found.depth, found.queue) == (7, 7, 3, 3)


def test_states_behind_a_violation_are_not_explored() -> None:
    found = explored(COUNTER, Always("near", "", lambda s: s != 2), Always("far", "", lambda s: s != 4))
    assert (states(found), [each.property.name for each in found.violations], found.distinct) == (
        [0, 1, 2],
        ["near"],
        3,
    )


def test_each_property_violated_on_the_level_has_its_trace() -> None:
    first, second = Always("first", "", lambda state: state != 1), Always("second", "", lambda state: state != 2)
    found = explored(DIAMOND, second, first)
    assert [each.property.name for each in found.violations] == ["second", "first"]
    assert [states(found, 0), states(found, 1)] == [[0, 2], [0, 1]]


def test_a_step_property_judges_the_steps_of_its_kinds() -> None:
    falling = Step("falling", "", (Go,), lambda before, action, after: after <= before + 1)
    other = Step("other", "", (Jump,), lambda *_: False)
    assert explored(RING, falling, other).verdict is Verdict.HOLDS
    rising = Step("rising", "", (Go,), lambda before, action, after: after > before)
    found = explored(RING, rising)
    assert (states(found), found.violations[0].trace[-1].action) == ([0, 1, 2, 3, 0], Go(0))


def test_a_step_to_a_known_state_is_judged() -> None:
    found = explored(LOOPS, Step("moves", "", (Go,), lambda before, action, after: before != after))
    assert states(found) == [0, 0]


def test_a_witness_is_found_or_reported_missing() -> None:
    there, missing = Sometimes("there", "", lambda s: s == 3), Sometimes("missing", "", lambda s: s == 7)
    assert explored(DIAMOND, there).verdict is Verdict.HOLDS
    found = explored(DIAMOND, there, missing)
    assert [(each.property.name, each.trace) for each in found.violations] == [("missing", ())]


def test_an_initial_state_may_be_the_witness() -> None:
    assert explored(COUNTER, Sometimes("begins", "", lambda s: s == 0)).verdict is Verdict.HOLDS


HOME = Can("home", "", lambda state: True, lambda state: state == 0)


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_a_possibility_property_holds_on_a_ring(search: Callable[..., Result]) -> None:
    found = explored(RING, HOME, search=search)
    assert (found.verdict, found.undecided) == (Verdict.HOLDS, ())


@pytest.mark.parametrize("search", [breadth_first, depth_first])
def test_the_shortest_trace_into_a_trap_is_shown(search: Callable[..., Result]) -> None:
    """From 7 and 8 the goal is unreachable, and 7 is nearer; 1 to 3 lead back."""
    trap = Graph({0: [1, 2], 1: [0, 3], 2: [0, 7], 3: [8, 0], 7: [8], 8: [8]})
    found = explored(trap, HOME, search=search)
    assert states(found) == [0, 2, 7]


def test_a_trap_counts_only_where_the_premise_holds() -> None:
    trap = Graph({0: [1], 1: [2], 2: [2]})
    found = explored(trap, Can("home", "", lambda state: state == 2, lambda state: state == 0))
    assert states(found) == [0, 1, 2]
    assert explored(trap, Can("home", "", lambda state: state == 9, lambda _: False)).verdict is Verdict.HOLDS


def test_undecided_properties_are_named() -> None:
    missing = Sometimes("missing", "", lambda s: s == 4)
    found = explored(COUNTER, HOME, missing, never(9), depth=2)
    assert (found.verdict, found.undecided, found.violations) == (Verdict.GAVE_UP, ("home", "missing"), ())
    found = explored(COUNTER, HOME, missing, never(2))
    assert (found.verdict, found.undecided) == (Verdict.VIOLATED, ("home", "missing"))


# Constraints.


def test_a_state_outside_the_constraint_is_generated_but_not_stored() -> None:
    found = explored(COUNTER, constraint=lambda state: state < 3)
    assert (found.distinct, found.generated, found.depth, found.verdict) == (3, 4, 3, Verdict.HOLDS)


def test_a_state_outside_the_constraint_is_judged() -> None:
    found = explored(COUNTER, never(3), constraint=lambda state: state < 3)
    assert states(found) == [0, 1, 2, 3]
    assert explored(COUNTER, never(4), constraint=lambda state: state < 3).verdict is Verdict.HOLDS


def test_a_state_outside_the_constraint_may_be_a_witness() -> None:
    outside = Sometimes("outside", "", lambda s: s == 3)
    assert explored(COUNTER, outside, constraint=lambda state: state < 3).verdict is Verdict.HOLDS


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_an_initial_state_outside_the_constraint_ends_the_search(search: Callable[..., Result]) -> None:
    found = explored(COUNTER, search=search, constraint=lambda state: state > 0)
    assert (found.distinct, found.generated, found.verdict) == (0, 1, Verdict.HOLDS)


def test_a_goal_cut_off_by_the_constraint_is_not_reported_as_unreachable() -> None:
    """State 0 leads to 2 through 1, which is outside: what follows it is unknown, so nothing is violated."""
    found = explored(
        Graph({0: [1], 1: [2], 2: [0]}, initial=(0,)),
        Can("two", "", lambda state: state == 0, lambda state: state == 2),
        constraint=lambda state: state != 1,
    )
    assert (found.verdict, found.undecided) == (Verdict.GAVE_UP, ("two",))
    assert found.stopped == "the constraints cut off states that decide two"


def test_a_state_that_cannot_reach_the_goal_in_any_case_is_a_violation() -> None:
    """State 0 leads to 1, a dead end, and to 2, which is outside: from 1 no path leads anywhere."""
    found = explored(
        Graph({0: [1, 2], 1: [], 2: [0]}, initial=(0,)),
        Can("two", "", lambda state: True, lambda state: state == 3),
        constraint=lambda state: state != 2,
    )
    assert (found.verdict, states(found)) == (Verdict.VIOLATED, [0, 1])


def test_a_witness_beyond_the_constraint_leaves_the_property_undecided() -> None:
    found = explored(
        Graph({0: [1], 1: [2], 2: [0]}, initial=(0,)),
        Sometimes("two", "", lambda state: state == 2),
        constraint=lambda state: state != 1,
    )
    assert (found.verdict, found.undecided) == (Verdict.GAVE_UP, ("two",))


# Bounds.


@pytest.mark.parametrize("search", [breadth_first, depth_first])
@pytest.mark.parametrize("depth", range(1, 6))
def test_depth_bounds_the_number_of_levels(search: Callable[..., Result], depth: int) -> None:
    found = explored(COUNTER, search=search, depth=depth)
    assert (found.distinct, found.depth) == (depth, depth)
    assert (found.verdict, found.stopped) == (Verdict.GAVE_UP, f"limits.depth {depth}")


@pytest.mark.parametrize("search", [breadth_first, depth_first])
def test_a_depth_that_is_never_reached_has_no_effect(search: Callable[..., Result]) -> None:
    assert (explored(COUNTER, search=search, depth=6).verdict) is Verdict.HOLDS


def test_a_violation_takes_precedence_over_a_bound() -> None:
    found = explored(COUNTER, never(1), depth=2)
    assert (found.verdict, found.stopped) == (Verdict.VIOLATED, "")


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        ({"max_states": 3}, "limits.states 3"),
        ({"seconds": 0}, "limits.seconds 0"),
        ({"memory": 0}, "limits.memory 0"),
    ],
    ids=["states", "time", "memory"],
)
def test_a_reached_bound_is_named(search: Callable[..., Result], bounds: dict[str, Any], why: str) -> None:
    found = explored(RING, HOME, search=search, **bounds)
    assert (found.verdict, found.stopped, found.undecided) == (Verdict.GAVE_UP, why, ("home",))
    assert found.distinct == (3 if "max_states" in bounds else 1)


class Interrupted(Graph):
    """A ring in which the user presses Ctrl-C once, at one state."""

    pressed = False

    def steps(self, state: Any) -> Iterator[tuple[Go, Any]]:
        yield from super().steps(state)
        if state == 2 and not self.pressed:
            self.pressed = True
            raise KeyboardInterrupt


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_an_interrupt_gives_a_partial_result(search: Callable[..., Result]) -> None:
    found = explored(Interrupted(RING.edges), HOME, search=search)
    assert (found.verdict, found.stopped, found.undecided) == (Verdict.GAVE_UP, "interrupted", ("home",))
    assert (found.distinct, found.generated) == (4, 4)


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_a_violation_found_before_an_interrupt_is_shown(search: Callable[..., Result]) -> None:
    found = explored(Interrupted(RING.edges), never(3), search=search)
    assert (found.verdict, found.stopped, states(found)) == (Verdict.VIOLATED, "interrupted", [0, 1, 2, 3])


def test_progress_is_reported_repeatedly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "SECONDS_BETWEEN_REPORTS", 0)
    monkeypatch.setattr(exploring, "STATES_BETWEEN_LOOKS", 2)
    reported: list[Progress] = []
    breadth_first(Exploration(COUNTER, (), report=reported.append))
    assert [(each.distinct, each.generated, each.depth, each.queue) for each in reported] == [
        (1, 1, 1, 1),
        (3, 3, 3, 1),
        (5, 5, 5, 1),
    ]


# Other orders.


def test_depth_first_expands_a_state_again_when_met_at_a_smaller_depth() -> None:
    """The edges are 0-1-2-3-4 and 0-3: within three levels 4 is reached, though 3 is met first on the fourth."""
    machine = Graph({0: [1, 3], 1: [2], 2: [3], 3: [4], 4: [5]})
    found = explored(machine, search=depth_first, depth=3)
    assert (found.distinct, found.stopped) == (5, "limits.depth 3")
    assert states(explored(machine, never(4), search=depth_first, depth=3)) == [0, 3, 4]


def test_depth_first_stops_at_the_first_violation_and_names_no_bound() -> None:
    found = explored(Graph({0: [1, 2], 1: [3], 2: [9]}), never(3, 9), search=depth_first)
    assert (found.verdict, states(found), found.stopped, found.generated) == (Verdict.VIOLATED, [0, 1, 3], "", 4)


@pytest.mark.parametrize("number", range(20))
def test_walks_with_the_same_seed_are_the_same(number: int) -> None:
    chance = random.Random(number)
    machine = Graph({state: [chance.randrange(30) for _ in range(3)] for state in range(30)})
    bad = never(chance.randrange(1, 30))
    one, again = (explored(machine, bad, search=walking(5, 8, number)) for _ in range(2))
    assert (one.violations, one.distinct, one.generated) == (again.violations, again.distinct, again.generated)


def test_walks_with_another_seed_are_different() -> None:
    machine = Graph({state: [2 * state + 1, 2 * state + 2] for state in range(2**12)})
    counts = {explored(machine, never(-1), search=walking(3, 10, seed)).distinct for seed in range(10)}
    assert len(counts) > 1


def test_walks_have_their_given_length_and_report_their_parameters() -> None:
    found = explored(Graph({state: [state + 1] for state in range(50)}), search=walking(2, 7))
    assert (found.distinct, found.depth, found.verdict) == (8, 8, Verdict.GAVE_UP)
    assert found.stopped == "2 walks of 7 steps"


# Any graph.

STATES = st.integers(0, 7)
GRAPHS = st.builds(
    Graph,
    st.dictionaries(STATES, st.lists(STATES, max_size=4)),
    st.lists(STATES, min_size=1, max_size=2),
    st.sets(STATES),
)


def distances(machine: Graph) -> dict[Any, int]:
    """The level of every reachable state, computed by networkx."""
    graph = nx.DiGraph([(state, after) for state, ends in machine.edges.items() for after in ends])
    graph.add_edges_from(("start", state) for state in machine.initial)
    levels = dict(nx.single_source_shortest_path_length(graph, "start"))
    del levels["start"]
    return levels


@given(GRAPHS)
def test_every_graph_is_explored_as_by_networkx(machine: Graph) -> None:
    levels = distances(machine)
    out = {state: machine.edges.get(state, ()) for state in levels}
    still = {state for state, ends in out.items() if set(ends) <= {state}}
    for search in (breadth_first, depth_first):
        found = explored(machine, search=search)
        assert found.distinct == len(levels)
        assert found.generated == len(machine.initial) + sum(map(len, out.values()))
        assert found.done == len(still - set(machine.waiting))
        assert found.stuck == len(still & set(machine.waiting))
        assert found.verdict is Verdict.HOLDS
    assert explored(machine).depth == max(levels.values())


@given(GRAPHS, st.integers(1, 5))
def test_within_a_bound_depth_first_finds_the_states_of_breadth_first(machine: Graph, depth: int) -> None:
    within = {state for state, level in distances(machine).items() if level <= depth}
    for search in (breadth_first, depth_first):
        exploration: Exploration[Any] = Exploration(machine, (), bounds=Bounds(depth=depth))
        found = search(exploration)
        assert set(exploration.states) == within
        assert found.depth <= depth


@given(GRAPHS, STATES)
def test_a_violation_is_found_if_it_exists_with_the_shortest_trace(machine: Graph, bad: int) -> None:
    levels = distances(machine)
    broad, deep = explored(machine, never(bad)), explored(machine, never(bad), search=depth_first)
    assert (bad in levels) == (broad.verdict is Verdict.VIOLATED) == (deep.verdict is Verdict.VIOLATED)
    if bad in levels:
        assert len(states(broad)) == levels[bad] <= len(states(deep))
        assert states(broad)[-1] == states(deep)[-1] == bad
        assert broad.depth == levels[bad]


@given(GRAPHS, st.sets(STATES), st.sets(STATES))
def test_possibility_properties_agree_with_networkx(machine: Graph, asked: set[int], goals: set[int]) -> None:
    levels = distances(machine)
    graph = nx.DiGraph([(state, after) for state, ends in machine.edges.items() for after in ends])
    graph.add_nodes_from(levels)
    lost = [
        level
        for state, level in levels.items()
        if state in asked and not goals & {state, *nx.descendants(graph, state)}
    ]
    question = Can("can", "", lambda state: state in asked, lambda state: state in goals)
    for search in (breadth_first, depth_first):
        found = explored(machine, question, search=search)
        assert (found.verdict is Verdict.VIOLATED) == bool(lost)
        assert not lost or len(states(found)) == min(lost)
