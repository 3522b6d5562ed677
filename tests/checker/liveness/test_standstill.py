"""Fair behaviours that stand still: the search compared with every set of edges of 4,000 random graphs

These graphs also contain stuttering steps under any name. The brute force includes them in its sets of edges, but they
neither enable a name nor take it, as in <<A>>_vars.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import networkx
import pytest

from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.liveness.temporal import NotABehaviour
from schedcheck.checker.result import Verdict, Violation
from schedcheck.spec.properties.kinds import Progresses
from tests.checker.liveness.stuttering import counting_stuttering_steps, nonempty_subsets

STATES = 4
GRAPHS = 4000

Edge = tuple[int, str, int]


@dataclass(frozen=True)
class Move:
    """A step with a name; one called "" need never be taken."""

    name: str

    def __str__(self) -> str:
        return f"Move({self.name})"


@dataclass(frozen=True)
class Moving:
    """A transition system on numbers with an output in each state; something is due wherever the output is not empty."""

    edges: tuple[Edge, ...]
    shows: tuple[str, ...]

    def initial_states(self) -> tuple[int, ...]:
        return (0,)

    def steps(self, state: int) -> Iterator[tuple[Move, int]]:
        yield from ((Move(name), end) for start, name, end in self.edges if start == state)

    def view(self, state: int) -> int:
        return state

    def unfinished(self, state: int) -> bool:
        return False

    def kinds(self) -> tuple[type, ...]:
        return (Move,)

    def question(self) -> Progresses:
        """The property that the output is empty infinitely often, or changes infinitely often."""
        shows = self.shows
        return Progresses(
            "progresses",
            "",
            lambda state: shows[state] != "",
            lambda state: shows[state],
            lambda action: action.name or None,
        )


def drawn(seed: int) -> Moving:
    """Up to seven edges among four states, every third of which changes nothing."""
    chance = random.Random(seed)
    edges = []
    for _ in range(chance.randint(2, 7)):
        start = chance.randrange(STATES)
        end = start if chance.random() < 1 / 3 else chance.randrange(STATES)
        edges.append((start, chance.choice(("", "a", "b")), end))
    return Moving(tuple(dict.fromkeys(edges)), tuple(chance.choice(("", "x", "x", "y")) for _ in range(STATES)))


def by_force(machine: Moving) -> int | None:
    """The length of the shortest prefix of a fair behaviour that stands still, by brute force; None if there is none."""
    graph = networkx.DiGraph((start, end) for start, _, end in machine.edges)
    graph.add_nodes_from(range(STATES))
    reached: dict[int, int] = networkx.single_source_shortest_path_length(graph, 0)
    rests = [((), (state,)) for state in range(STATES)]
    rounds = [(edges, {end for _, _, end in edges}) for edges in nonempty_subsets(machine.edges)]
    lengths = [
        min(reached[state] for state in states)
        for edges, states in (*rests, *rounds)
        if any(state in reached for state in states)
        and len({machine.shows[state] for state in states}) == 1
        and machine.shows[next(iter(states))]
        and _fair(machine, edges, states)
        and _closed(edges, states)
    ]
    return min(lengths, default=None)


def _fair(machine: Moving, edges: tuple[Edge, ...], states: object) -> bool:
    """Whether each name enabled by a changing step in one of the states is taken by a changing step."""
    possible = {name for start, name, end in machine.edges if name and end != start and start in states}  # type: ignore[operator]
    return possible <= {name for start, name, end in edges if end != start}


def _closed(edges: tuple[Edge, ...], states: object) -> bool:
    """Whether the edges, if there are any, form one cycle."""
    if not edges:
        return True
    made = networkx.DiGraph((start, end) for start, _, end in edges)
    return set(made) == states and networkx.is_strongly_connected(made)


def searched(machine: Moving) -> Violation | None:
    result = breadth_first(Exploration(machine, [machine.question()]))
    assert result.verdict is (Verdict.VIOLATED if result.violations else Verdict.HOLDS)
    return result.violations[0] if result.violations else None


def agrees(machine: Moving) -> bool:
    """Whether the search finds a behaviour if one exists, with the shortest prefix."""
    found = searched(machine)
    return (None if found is None else found.loop) == by_force(machine)


@pytest.mark.medium
def test_the_search_agrees_with_every_set_of_edges() -> None:
    assert [seed for seed in range(GRAPHS) if not agrees(drawn(seed))] == []
    broken = sum(searched(drawn(seed)) is not None for seed in range(200))
    assert 40 < broken < 160, "neither verdict is rare"


def test_a_search_that_counts_stuttering_steps_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    counting_stuttering_steps(monkeypatch)
    noticed = 0
    for seed in range(400):
        try:
            noticed += not agrees(drawn(seed))
        except NotABehaviour:
            noticed += 1
    assert noticed > 20


def still(edges: tuple[Edge, ...], shows: str) -> list[str] | None:
    """The steps of the found behaviour."""
    found = searched(Moving(edges, tuple(each.strip("-") for each in shows)))
    return None if found is None else [str(stage.action) for stage in found.trace[1:]]


def test_a_behaviour_may_stutter_in_a_state_without_steps() -> None:
    assert still(((0, "a", 1),), "xx") == ["Move(a)"]


def test_an_enabled_fair_step_that_leads_away_is_taken() -> None:
    there_and_back = ((0, "", 1), (1, "a", 0), (0, "b", 2))
    assert still(there_and_back, "xx-") is None
    assert still((*there_and_back[:2], (0, "", 2)), "xx-") == []


def test_a_stuttering_step_of_the_same_name_does_not_count_as_taken() -> None:
    assert still(((0, "a", 0), (0, "a", 1)), "x-") is None


def test_a_stuttering_step_is_not_required() -> None:
    assert still(((0, "a", 0),), "x") == []


def test_states_with_different_outputs_are_no_standstill() -> None:
    back_and_forth = ((0, "a", 1), (1, "a", 0))
    assert still(back_and_forth, "xy") is None
    assert still(back_and_forth, "xx") == ["Move(a)", "Move(a)"]
