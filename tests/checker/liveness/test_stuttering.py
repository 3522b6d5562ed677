"""Stuttering steps in 4,000 random graphs: no engine counts them as steps of any action

The brute force tries every set of edges including the stuttering ones, and evaluates fairness from <<A>>_s. The checker
of modules is given the same graphs as modules, which TLC reads too (`tests.tla.temporal_parity`).
"""

import random

import numpy as np
import pytest

from schedcheck.checker.liveness.temporal import NotABehaviour, counterexample, run, shown
from schedcheck.checker.result import Verdict
from schedcheck.spec.properties.kinds import Ceases, Eventually, Fairness, InfinitelyOften, LeadsTo, Temporal
from tests.checker.language.modelling import explored
from tests.checker.liveness.labelled import ACTIONS, STATES, Event, Labelled, Strong, Weak
from tests.checker.liveness.stuttering import by_force, counting_stuttering_steps
from tests.tla.temporal_parity import any_edges, any_question, module

GRAPHS = 4000
MODULES = 60
FAIR = Fairness((Weak,), (Strong,))
EVERYWHERE = frozenset(range(STATES))


def drawn(seed: int) -> tuple[Labelled, Temporal, str]:
    """Up to seven edges, many of which change nothing, and a property, also in TLA+."""
    chance = random.Random(seed)
    return any_edges(chance, 7, 1 / 3), *any_question(chance)


def breaks(machine: Labelled, question: Temporal) -> bool:
    """Whether some fair behaviour violates the property, by brute force."""
    forbidden = "e" if question.meanwhile else ""
    match question:
        case Eventually():
            inside = EVERYWHERE - _where(question.holds)
            return by_force(
                machine, STATES, start=EVERYWHERE, inside=inside, often=EVERYWHERE, forbidden=forbidden, at_once=True
            )
        case LeadsTo():
            inside = EVERYWHERE - _where(question.holds)
            start = _where(question.when)
            return by_force(machine, STATES, start=start, inside=inside, often=EVERYWHERE, forbidden=forbidden)
        case InfinitelyOften():
            inside, often = EVERYWHERE - _where(question.holds), _where(question.when)
            return by_force(machine, STATES, start=EVERYWHERE, inside=inside, often=often, forbidden=forbidden)
        case Ceases():
            letters = "".join(letter for letter, action in ACTIONS.items() if type(action) in question.kinds)
            return by_force(
                machine,
                STATES,
                start=EVERYWHERE,
                inside=EVERYWHERE,
                often=EVERYWHERE,
                forbidden=forbidden,
                often_taken=letters,
            )
    raise AssertionError(question)


def _where(holds: object) -> frozenset[int]:
    return frozenset(state for state in range(STATES) if holds(state))  # type: ignore[operator]


def searched(machine: Labelled, question: Temporal) -> bool:
    """Whether the search finds a behaviour, which is then replayed and judged."""
    graph = machine.graph(STATES)
    found = counterexample(graph, question, lambda holds: np.array([holds(state) for state in range(STATES)]))  # type: ignore[arg-type]
    if found is None:
        return False
    shown(machine, question, run(machine, int, graph, found), len(found.prefix))
    return True


@pytest.mark.medium
def test_the_search_agrees_with_every_set_of_edges() -> None:
    differing, broken = [], 0
    for seed in range(GRAPHS):
        machine, question, _ = drawn(seed)
        answer = searched(machine, question)
        broken += answer
        if answer != breaks(machine, question):
            differing.append(seed)
    assert differing == []
    assert GRAPHS // 5 < broken < GRAPHS * 4 // 5, "neither verdict is rare"


def test_a_search_that_counts_stuttering_steps_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    counting_stuttering_steps(monkeypatch)
    noticed = 0
    for seed in range(400):
        machine, question, _ = drawn(seed)
        try:
            noticed += searched(machine, question) != breaks(machine, question)
        except NotABehaviour:
            noticed += 1
    assert noticed > 20


def test_the_checker_of_modules_agrees_with_the_search() -> None:
    for seed in range(MODULES):
        machine, question, said = drawn(seed)
        assert as_module(machine, said) == searched(machine, question), seed


def as_module(machine: Labelled, said: str) -> bool:
    """Whether the graph, as a module, violates the property."""
    made = module(machine, said)
    return explored(made["Labelled.tla"], made["Labelled.cfg"]).result.verdict is Verdict.VIOLATED


def test_an_action_is_an_edge_label_in_the_graph_and_a_relation_in_tla() -> None:
    """The step from 0 to 1 is only s in the graph; in TLA+, and for TLC, it is e as well, which must cease."""
    machine = Labelled(((0, "s", 1), (0, "e", 1), (1, "w", 0)))
    question = Ceases("q", "", (Weak,), FAIR, (Event,))
    assert searched(machine, question)
    assert breaks(machine, question)
    assert not as_module(machine, '<>[][~Do("e")]_s => <>[][~Do("w")]_s')
    assert as_module(Labelled(machine.edges[::2]), '<>[][~Do("e")]_s => <>[][~Do("w")]_s')
