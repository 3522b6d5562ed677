"""Steps that change nothing, in 4,000 random graphs: no engine takes them for steps, of whichever action they are.

The witness tries every set of edges with the stuttering ones among it, and reads fairness off <<A>>_s. The checker of
modules is asked about the same graphs as modules, which TLC reads too (`tests.tla.temporal_parity`).
"""

import random

import numpy as np
import pytest

from schedcheck.checker.exploring.result import Verdict
from schedcheck.checker.liveness.temporal import NotABehaviour, counterexample, run, shown
from schedcheck.spec.properties import Ceases, Eventually, Fairness, InfinitelyOften, LeadsTo, Temporal
from tests.checker.language.modelling import explored
from tests.checker.liveness.labelled import ACTIONS, STATES, Event, Labelled, Strong, Weak
from tests.checker.liveness.stuttering import by_force, counting_stuttering_steps
from tests.tla.temporal_parity import any_edges, any_question, module

GRAPHS = 4000
MODULES = 60
FAIR = Fairness((Weak,), (Strong,))
EVERYWHERE = frozenset(range(STATES))


def drawn(seed: int) -> tuple[Labelled, Temporal, str]:
    """Up to seven edges, many of which change nothing, and a property, which is given in TLA+ too."""
    chance = random.Random(seed)
    return any_edges(chance, 7, 1 / 3), *any_question(chance)


def breaks(machine: Labelled, question: Temporal) -> bool:
    """Whether some fair behaviour breaks the property, by trying all."""
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
    """Whether the search finds a behaviour, which is then run and judged on the machine."""
    graph = machine.graph(STATES)
    found = counterexample(graph, question, lambda holds: np.array([holds(state) for state in range(STATES)]))  # type: ignore[arg-type]
    if found is None:
        return False
    shown(machine, question, run(machine, int, graph, found), len(found.prefix))
    return True


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


def test_a_search_that_takes_stuttering_steps_for_steps_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    counting_stuttering_steps(monkeypatch)
    noticed = 0
    for seed in range(400):
        machine, question, _ = drawn(seed)
        try:
            noticed += searched(machine, question) != breaks(machine, question)
        except NotABehaviour:
            noticed += 1
    assert noticed > 20


def test_the_checker_of_modules_agrees() -> None:
    for seed in range(MODULES):
        machine, question, said = drawn(seed)
        assert as_module(machine, said) == searched(machine, question), seed


def as_module(machine: Labelled, said: str) -> bool:
    """Whether the graph, as a module, breaks what is said."""
    made = module(machine, said)
    return explored(made["Labelled.tla"], made["Labelled.cfg"]).result.verdict is Verdict.VIOLATED


def test_an_action_is_a_label_of_the_graph_and_a_relation_of_states_in_tla() -> None:
    """The step from 0 to 1 is s alone in the graph; in TLA+, and to TLC, it is e as well, which has come to an end."""
    machine = Labelled(((0, "s", 1), (0, "e", 1), (1, "w", 0)))
    question = Ceases("q", "", (Weak,), FAIR, (Event,))
    assert searched(machine, question)
    assert breaks(machine, question)
    assert not as_module(machine, '<>[][~Do("e")]_s => <>[][~Do("w")]_s')
    assert as_module(Labelled(machine.edges[::2]), '<>[][~Do("e")]_s => <>[][~Do("w")]_s')
