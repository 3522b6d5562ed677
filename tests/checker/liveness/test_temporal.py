"""Temporal properties of labelled graphs compared with every behaviour, and cases that need the full algorithm"""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.liveness.lassos import Lasso
from schedcheck.checker.liveness.temporal import NotABehaviour, counterexample, needed, run, shown
from schedcheck.checker.result import Stage, Violation
from schedcheck.spec.properties.kinds import Ceases, Eventually, Fairness, InfinitelyOften, LeadsTo, Temporal
from tests.checker.liveness.labelled import (
    ACTIONS,
    MACHINES,
    SOME,
    STATES,
    Event,
    Labelled,
    Other,
    Strong,
    Weak,
    by_force,
    flags,
)

FAIR = Fairness((Weak,), (Strong,))
ALL = frozenset(range(STATES))


def found(machine: Labelled, question: Temporal, states: int = STATES) -> Lasso | None:
    return counterexample(
        machine.graph(states), question, lambda holds: np.array([holds(state) for state in range(states)])
    )


def violation(machine: Labelled, question: Temporal, states: int = STATES) -> Violation | None:
    """The counterexample, replayed on the transition system and judged there."""
    made = found(machine, question, states)
    if made is None:
        return None
    trace = run(machine, int, machine.graph(states), made)
    return shown(machine, question, trace, len(made.prefix))


def agree(made: Violation | None, length: int | None) -> None:
    """Assert that the existence of a counterexample and the length of its prefix agree with brute force."""
    assert (None if made is None else made.loop) == length


def among(states: frozenset[int]) -> Callable[[int], bool]:
    return lambda state: state in states


@settings(max_examples=400, deadline=None)
@given(MACHINES, SOME, st.booleans())
def test_eventually_agrees_with_brute_force(machine: Labelled, holds: frozenset[int], rests: bool) -> None:
    question = Eventually("q", "Q.", among(holds), FAIR, (Event,) if rests else ())
    forbidden = "e" if rests else ""
    inside = ALL - holds
    length = by_force(
        machine, STATES, start=ALL, inside=inside, often=ALL, forbidden=forbidden, at_once=True
    )  # fmt: skip
    agree(violation(machine, question), length)


@settings(max_examples=400, deadline=None)
@given(MACHINES, SOME, SOME, st.booleans())
def test_leads_to_agrees_with_brute_force(
    machine: Labelled, when: frozenset[int], holds: frozenset[int], rests: bool
) -> None:
    question = LeadsTo("q", "Q.", among(when), among(holds), FAIR, (Event,) if rests else ())
    forbidden = "e" if rests else ""
    length = by_force(machine, STATES, start=when, inside=ALL - holds, often=ALL, forbidden=forbidden)
    agree(violation(machine, question), length)


@settings(max_examples=400, deadline=None)
@given(MACHINES, SOME, SOME, st.booleans())
def test_infinitely_often_agrees_with_brute_force(
    machine: Labelled, when: frozenset[int], holds: frozenset[int], rests: bool
) -> None:
    question = InfinitelyOften("q", "Q.", among(holds), among(when), FAIR, (Event,) if rests else ())
    forbidden = "e" if rests else ""
    length = by_force(machine, STATES, start=ALL, inside=ALL - holds, often=when, forbidden=forbidden)
    agree(violation(machine, question), length)


@settings(max_examples=400, deadline=None)
@given(MACHINES, st.sets(st.sampled_from("wseo"), min_size=1), st.booleans())
def test_ceases_agrees_with_brute_force(machine: Labelled, letters: set[str], rests: bool) -> None:
    kinds = tuple(type(ACTIONS[letter]) for letter in sorted(letters))
    question = Ceases("q", "Q.", kinds, FAIR, (Event,) if rests else ())
    of_kinds = "".join(letter for letter, action in ACTIONS.items() if type(action) in kinds)
    forbidden = "e" if rests else ""
    length = by_force(
        machine, STATES, start=ALL, inside=ALL, often=ALL, forbidden=forbidden, often_taken=of_kinds
    )  # fmt: skip
    agree(violation(machine, question), length)


# Each case of the definition separately: what a simpler algorithm would get wrong.


def at(state: int) -> Callable[[int], bool]:
    return lambda each: each == state


REACHES_2 = Eventually("q", "Q.", at(2), FAIR)


def test_without_fairness_nothing_need_happen() -> None:
    made = violation(Labelled(((0, "o", 1), (1, "o", 2))), REACHES_2)
    assert made is not None
    assert (len(made.trace), made.loop) == (1, 0)


def test_a_weakly_fair_step_that_stays_enabled_is_taken() -> None:
    assert violation(Labelled(((0, "w", 1), (1, "v", 2))), REACHES_2) is None


def test_a_stuttering_step_is_neither_required_nor_a_cycle() -> None:
    made = violation(Labelled(((0, "w", 0),)), REACHES_2)
    assert made is not None
    assert (len(made.trace), made.loop) == (1, 0)
    assert violation(Labelled(((0, "w", 0),)), Ceases("q", "Q.", (Weak,), FAIR)) is None


def test_instances_of_one_kind_are_fair_separately() -> None:
    """Step w is taken infinitely often, which does not replace v, which stays enabled."""
    back_and_forth = ((0, "w", 1), (1, "o", 0), (0, "v", 2), (1, "v", 2))
    assert violation(Labelled(back_and_forth), REACHES_2) is None
    made = violation(Labelled(back_and_forth[:3]), REACHES_2)
    assert made is not None
    assert [str(stage.action) for stage in made.trace[1:]] == ["Weak(w)", "Other(o)"]


def test_an_intermittently_enabled_step_must_be_taken_only_under_strong_fairness() -> None:
    def on(letter: str) -> Labelled:
        return Labelled(((0, "o", 1), (1, "o", 0), (1, letter, 2)))

    question = InfinitelyOften("q", "Q.", at(2), at(1), FAIR)
    assert violation(on("w"), question) is not None
    assert violation(on("s"), question) is None


def test_a_smaller_cycle_may_be_fair_where_the_largest_is_not() -> None:
    """Step s is enabled only in 3: the cycle of 0 and 1 need not take it, though 3 lies on a larger cycle."""
    machine = Labelled(((0, "o", 1), (1, "o", 0), (1, "o", 3), (3, "o", 0), (3, "s", 2), (0, "w", 2)))
    made = violation(machine, REACHES_2)
    assert made is not None
    assert [stage.state for stage in made.trace] == [0, 1, 0]


def test_the_rest_of_an_scc_may_have_to_be_decomposed_again() -> None:
    """Without 2, where s is enabled, t is no longer taken in the rest; without 3, where t is enabled, 0 and 1 remain."""
    edges = ((0, "o", 1), (1, "o", 0), (1, "o", 3), (3, "o", 1), (3, "o", 2), (2, "t", 3), (2, "s", 4), (3, "t", 4))
    question = Eventually("q", "Q.", at(4), FAIR)
    made = violation(Labelled((*edges, (4, "o", 4), (0, "w", 4), (1, "v", 4))), question)
    assert made is not None
    assert {stage.state for stage in made.trace} == {0, 1}
    assert violation(Labelled((*edges, (0, "w", 4), (1, "w", 4))), question) is None


def test_a_cycle_takes_each_step_that_fairness_requires() -> None:
    edges = ((0, "o", 1), (1, "o", 0), (0, "s", 3), (3, "o", 0), (1, "t", 4), (4, "o", 1))
    made = violation(Labelled(edges), Ceases("q", "Q.", (Other,), FAIR))
    assert made is not None
    assert {"Strong(s)", "Strong(t)"} <= {str(stage.action) for stage in made.trace}


def test_a_meanwhile_step_may_come_before_the_cycle_but_not_in_it() -> None:
    question = LeadsTo("q", "Q.", at(1), at(2), FAIR, (Event,))
    made = violation(Labelled(((0, "e", 1), (1, "e", 3), (3, "o", 1), (1, "w", 2))), question)
    assert made is not None
    assert [stage.state for stage in made.trace] == [0, 1, 3]
    assert violation(Labelled(((0, "e", 1), (1, "e", 3), (3, "w", 1), (1, "w", 2))), question) is None


def test_a_step_that_leaves_the_graph_is_enabled_but_leads_nowhere() -> None:
    assert violation(Labelled(((0, "w", -1),)), REACHES_2) is None
    assert violation(Labelled(((0, "o", -1),)), REACHES_2) is not None


# Invalid counterexamples are refused when they are replayed.

UNFAIR = Labelled(((0, "w", 1), (1, "o", 0), (0, "v", 2), (1, "v", 2)))


def stages(*steps: tuple[str, int]) -> tuple[Stage, ...]:
    return (Stage(None, 0), *(Stage(ACTIONS[letter], state) for letter, state in steps))


@pytest.mark.parametrize(
    ("question", "trace", "loop", "message"),
    [
        (REACHES_2, stages(("w", 1)), 0, "does not lead back"),
        (REACHES_2, stages(("w", 1), ("o", 0)), 0, "not fair"),
        (REACHES_2, stages(("w", 1)), 1, "not fair"),
        (REACHES_2, stages(("v", 2)), 1, "keeps the property"),
        (InfinitelyOften("q", "Q.", at(2)), stages(("v", 2)), 1, "keeps the property"),
        (InfinitelyOften("q", "Q.", at(3), at(1)), stages(), 0, "keeps the property"),
        (LeadsTo("q", "Q.", at(1), at(2)), stages(("w", 1), ("v", 2)), 2, "keeps the property"),
        (LeadsTo("q", "Q.", at(1), at(2)), stages(), 0, "keeps the property"),
        (LeadsTo("q", "Q.", at(0), at(2), Fairness(), (Other,)), stages(("w", 1), ("o", 0)), 0, "come to an end"),
        (Ceases("q", "Q.", (Weak,)), stages(("w", 1)), 1, "keeps the property"),
    ],
)
def test_a_lasso_that_violates_nothing_is_refused(
    question: Temporal, trace: tuple[Stage, ...], loop: int, message: str
) -> None:
    with pytest.raises(NotABehaviour, match=message):
        shown(UNFAIR, question, trace, loop)


def test_a_lasso_of_another_transition_system_is_refused() -> None:
    machine = Labelled(((0, "o", 1), (1, "o", 0)))
    question = Ceases("q", "Q.", (Other,))
    made = found(machine, question)
    assert made is not None
    for other in (Labelled(((0, "o", 1), (1, "w", 0))), Labelled(((0, "o", 1), (1, "o", 2)))):
        with pytest.raises(NotABehaviour, match="no step"):
            run(other, int, machine.graph(STATES), made)
    with pytest.raises(NotABehaviour, match="not an initial state"):
        run(Labelled(machine.edges, (1,)), int, machine.graph(STATES), made)


def test_a_graph_that_needs_too_much_memory_is_given_up() -> None:
    graph = Labelled(((0, "o", 1), (1, "o", 0))).graph(STATES)
    with pytest.raises(Beyond, match=r"limits.graph .*: 5 states and 2 steps need"):
        counterexample(graph, REACHES_2, lambda holds: flags(()), gigabytes=needed(graph) / 2)
    assert counterexample(graph, REACHES_2, lambda holds: flags(()), gigabytes=needed(graph)) is not None
