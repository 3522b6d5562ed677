"""Temporal properties on small random graphs, compared with the semantics on every short lasso"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.result import Verdict
from tests.checker.language.modelling import explored

STATES = (1, 2, 3)
LONGEST = 6
Edge = tuple[int, int]


class Drawn(NamedTuple):
    """A graph: initial states, steps, the steps of an action A and of an action B, and two sets of states."""

    first: frozenset[int]
    steps: frozenset[Edge]
    a: frozenset[Edge]
    b: frozenset[Edge]
    p: frozenset[int]
    q: frozenset[int]


class Behaviour(NamedTuple):
    """A lasso: a sequence of states that continues at `loop` after the last one."""

    states: tuple[int, ...]
    loop: int

    def after(self, position: int) -> int:
        return position + 1 if position + 1 < len(self.states) else self.loop

    def later(self, position: int) -> list[int]:
        """The positions from this one on."""
        return list(range(min(position, self.loop), len(self.states)))

    def around(self) -> range:
        return range(self.loop, len(self.states))

    def step(self, position: int) -> Edge:
        return self.states[position], self.states[self.after(position)]


Formula = Callable[[Drawn, Behaviour, int], bool]


def always(part: Formula) -> Formula:
    return lambda drawn, behaviour, at: all(part(drawn, behaviour, each) for each in behaviour.later(at))


def eventually(part: Formula) -> Formula:
    return lambda drawn, behaviour, at: any(part(drawn, behaviour, each) for each in behaviour.later(at))


def implies(left: Formula, right: Formula) -> Formula:
    return lambda drawn, behaviour, at: not left(drawn, behaviour, at) or right(drawn, behaviour, at)


def weakly_fair(actions: Callable[[Drawn], frozenset[Edge]]) -> Formula:
    def fair(drawn: Drawn, behaviour: Behaviour, at: int) -> bool:
        changing = {(one, two) for one, two in actions(drawn) if one != two}
        able = all(any(one == behaviour.states[each] for one, _ in changing) for each in behaviour.around())
        return not able or any(behaviour.step(each) in changing for each in behaviour.around())

    return fair


def strongly_fair(actions: Callable[[Drawn], frozenset[Edge]]) -> Formula:
    def fair(drawn: Drawn, behaviour: Behaviour, at: int) -> bool:
        changing = {(one, two) for one, two in actions(drawn) if one != two}
        able = any(any(one == behaviour.states[each] for one, _ in changing) for each in behaviour.around())
        return not able or any(behaviour.step(each) in changing for each in behaviour.around())

    return fair


def p(drawn: Drawn, behaviour: Behaviour, at: int) -> bool:
    return behaviour.states[at] in drawn.p


def q(drawn: Drawn, behaviour: Behaviour, at: int) -> bool:
    return behaviour.states[at] in drawn.q


def only_b(drawn: Drawn, behaviour: Behaviour, at: int) -> bool:
    one, two = behaviour.step(at)
    return one == two or (one, two) in drawn.b


def nothing(drawn: Drawn, behaviour: Behaviour, at: int) -> bool:
    return False


FORMULAS: dict[str, Formula] = {
    "[]P": always(p),
    "<>P": eventually(p),
    "[]<>P": always(eventually(p)),
    "<>[]P": eventually(always(p)),
    "P ~> Q": always(implies(p, eventually(q))),
    "[](P => <>Q)": always(implies(p, eventually(q))),
    "[](P => []Q)": always(implies(p, always(q))),
    "[]<>P => []<>Q": implies(always(eventually(p)), always(eventually(q))),
    "<>[]P => <>[]Q": implies(eventually(always(p)), eventually(always(q))),
    "<>P \\/ <>[]Q": lambda *of: eventually(p)(*of) or eventually(always(q))(*of),
    "P => <>Q": implies(p, eventually(q)),
    "~[]<>P": lambda *of: not always(eventually(p))(*of),
    "WF_x(B)": weakly_fair(lambda drawn: drawn.b),
    "SF_x(B)": strongly_fair(lambda drawn: drawn.b),
    "[][B]_x": always(only_b),
    "<>[][B]_x": eventually(always(only_b)),
    "[]<><<B>>_x => []<>P": implies(
        lambda drawn, behaviour, at: any(
            behaviour.step(each) in drawn.b and len(set(behaviour.step(each))) == 2 for each in behaviour.around()
        ),
        always(eventually(p)),
    ),
    "\\A n \\in {1, 2} : []<>(x # n)": lambda drawn, behaviour, at: all(
        any(behaviour.states[each] != n for each in behaviour.around()) for n in (1, 2)
    ),
    "[][B]_x => <>P": implies(always(only_b), eventually(p)),
    "[][B]_x => []P": implies(always(only_b), always(p)),
    "[][B]_x => (P ~> Q)": implies(always(only_b), always(implies(p, eventually(q)))),
    "[][B]_x => []<>P": implies(always(only_b), always(eventually(p))),
    "<>P => []Q": implies(eventually(p), always(q)),
    "[]P \\/ []Q": implies(eventually(implies(p, nothing)), always(q)),
    "<>P => [][B]_x": implies(eventually(p), always(only_b)),
    "[]P \\/ []Q \\/ [][B]_x": lambda *of: always(p)(*of) or always(q)(*of) or always(only_b)(*of),
    "[](P => []Q) \\/ []Q": lambda *of: always(implies(p, always(q)))(*of) or always(q)(*of),
    "<>P => (P ~> Q)": implies(eventually(p), always(implies(p, eventually(q)))),
}

FAIRNESS: dict[str, Formula] = {
    "TRUE": lambda drawn, behaviour, at: True,
    "WF_x(A)": weakly_fair(lambda drawn: drawn.a),
    "SF_x(A)": strongly_fair(lambda drawn: drawn.a),
    "WF_x(Next)": weakly_fair(lambda drawn: drawn.steps),
}


def written(elements: frozenset[int] | frozenset[Edge]) -> str:
    shown = [f"<<{each[0]}, {each[1]}>>" if isinstance(each, tuple) else str(each) for each in sorted(elements)]
    return f"{{{', '.join(shown)}}}"


def module(drawn: Drawn, fairness: str, asked: str) -> str:
    return f"""
---- MODULE Drawn ----
EXTENDS Naturals
VARIABLE x
Among(S) == \\E e \\in S : x = e[1] /\\ x' = e[2]
A == Among({written(drawn.a)})
B == Among({written(drawn.b)})
Next == Among({written(drawn.steps)})
P == x \\in {written(drawn.p)}
Q == x \\in {written(drawn.q)}
Spec == x \\in {written(drawn.first)} /\\ [][Next]_x /\\ {fairness}
Asked == {asked}
====
"""


def behaviours(drawn: Drawn) -> Iterator[Behaviour]:
    """Every behaviour with at most `LONGEST` states before its cycle, including stuttering."""

    def extended(path: tuple[int, ...]) -> Iterator[Behaviour]:
        for loop, state in enumerate(path):
            if (path[-1], state) in drawn.steps or path[-1] == state:
                yield Behaviour(path, loop)
        if len(path) < LONGEST:
            for state in STATES:
                if (path[-1], state) in drawn.steps:
                    yield from extended((*path, state))

    for first in drawn.first:
        yield from extended((first,))


EDGES = some.frozensets(some.tuples(some.sampled_from(STATES), some.sampled_from(STATES)), max_size=6)


@some.composite
def graphs(draw: some.DrawFn) -> Drawn:
    steps = draw(EDGES)
    sets = some.frozensets(some.sampled_from(STATES), max_size=2)
    of_steps = some.frozensets(some.sampled_from(sorted(steps)), max_size=3) if steps else some.just(frozenset())
    first = draw(some.frozensets(some.sampled_from(STATES), min_size=1, max_size=2))
    return Drawn(first, steps, draw(of_steps), draw(of_steps), draw(sets), draw(sets))


@pytest.mark.sampled(24)
@settings(max_examples=10)
@given(graphs())
@pytest.mark.parametrize(("fairness", "asked"), list(product(FAIRNESS, FORMULAS)))
def test_a_property_holds_if_no_fair_behaviour_violates_it(fairness: str, asked: str, drawn: Drawn) -> None:
    configuration = "SPECIFICATION Spec PROPERTY Asked CHECK_DEADLOCK FALSE"
    checked = explored(module(drawn, fairness, asked), configuration)
    breaking = (
        each for each in behaviours(drawn) if FAIRNESS[fairness](drawn, each, 0) and not FORMULAS[asked](drawn, each, 0)
    )
    expected = Verdict.HOLDS if next(breaking, None) is None else Verdict.VIOLATED
    assert checked.result.verdict is expected
    for found in checked.found:
        if found.loop is not None:
            shown = Behaviour(
                tuple(stage.state[0] for stage in found.trace[: max(found.loop + 1, len(found.trace) - 1)]), found.loop
            )
            assert FAIRNESS[fairness](drawn, shown, 0)
            assert not FORMULAS[asked](drawn, shown, 0)


@pytest.mark.parametrize("asked", ["[](P => <>(Q /\\ []P))", "\\EE y : []P", "<>(P /\\ <>(Q /\\ <>P)) => <>[]P"])
def test_an_unsupported_form_of_property_is_refused_by_name(asked: str) -> None:
    drawn = Drawn(frozenset({1}), frozenset({(1, 2), (2, 1)}), frozenset(), frozenset(), frozenset({1}), frozenset({2}))
    with pytest.raises(Unevaluable, match="not supported"):
        explored(module(drawn, "WF_x(Next)", asked), "SPECIFICATION Spec PROPERTY Asked")
