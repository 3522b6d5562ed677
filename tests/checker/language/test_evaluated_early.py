"""Arguments evaluated before a call, memos of one state, and branches that are not entered: the results stay the same."""

import pytest

from schedcheck.checker.language.evaluation.demand import needs
from schedcheck.checker.language.evaluation.evaluator import Session
from schedcheck.checker.language.syntax.errors import TlaError, Unevaluable
from schedcheck.checker.language.values.showing import shown
from tests.checker.language.modelling import broken, counts, explored

CONFIGURATION = "INIT Init\nNEXT Next\nINVARIANT Fine\nCHECK_DEADLOCK FALSE"


def module(body: str) -> str:
    return f"""---- MODULE M ----
EXTENDS Integers, Sequences, FiniteSets
VARIABLE x
{body}
===="""


def defined(text: str) -> Session:
    session = Session({}, None)
    session.define(text)
    return session


@pytest.mark.parametrize(
    ("definition", "needed"),
    [
        ("Op(a, b) == a = b", (True, True)),
        ("Op(a, b) == IF a = 1 THEN b ELSE 0", (True, False)),
        ("Op(a, b) == IF a = 1 THEN b ELSE b + 1", (True, True)),
        ("Op(a, b) == a = 1 /\\ b = 1", (True, False)),
        ("Op(a, b) == {y \\in a : y = b}", (True, False)),
        ("Op(a, b) == [y \\in a |-> b]", (True, False)),
        ("In(c, d) == c + 1\nOp(a, b) == In(a, b)", (True, False)),
        ("RECURSIVE Op(_, _)\nOp(a, b) == IF a = 0 THEN 0 ELSE Op(a - 1, b)", (True, False)),
        ("Op(a, b) == LET y == a IN b", (False, False)),
    ],
)
def test_needs_of_a_definition_are_what_its_body_always_evaluates(definition: str, needed: tuple[bool, bool]) -> None:
    operator = defined(definition).universe.root.find("Op")
    assert (needs(operator, 0), needs(operator, 1)) == needed


@pytest.mark.parametrize(
    ("definition", "asked", "value"),
    [
        ("Op(a, b) == IF a = 1 THEN b ELSE 0", "Op(2, CHOOSE y \\in {} : TRUE)", "0"),
        ("Op(a, b) == a = 1 /\\ b = 1", "Op(2, 1 + <<>>)", "FALSE"),
        ("Op(a) == FALSE /\\ a", "Op(1 = {2}.f)", "FALSE"),
        ("Op(F(_), a) == F(a)", "Op(LAMBDA y : 3, 1 + <<>>)", "3"),
        ("G(y) == y\nOp(F(_)) == <<F(1), F(<<1>>), G(1), G(<<1>>)>>", "Op(G)", "<<1, <<1>>, 1, <<1>>>>"),
    ],
)
def test_an_argument_that_fails_counts_only_where_it_is_evaluated(definition: str, asked: str, value: str) -> None:
    assert shown(defined(definition).value(asked)) == value


def test_the_error_of_a_needed_argument_comes_in_the_order_of_the_body() -> None:
    session = defined("Op(a, b) == (1 \\in 2) \\/ a = b")
    with pytest.raises(Unevaluable, match="2 is no set"):
        session.value("Op(CHOOSE y \\in {} : TRUE, 1)")


def test_nested_arguments_that_fail_are_evaluated_once() -> None:
    session = defined("RECURSIVE Deep(_)\nUp(a) == a + 1\nDeep(n) == IF n = 0 THEN 1 + {} ELSE Up(Deep(n - 1))")
    with pytest.raises(TlaError, match="no integer"):
        session.value("Deep(60)")  # twice a level would take 2^60 evaluations


@pytest.mark.parametrize("passing", ["LAMBDA y : F(y)", "F"])
def test_an_operator_that_is_passed_on_may_prime_its_argument(passing: str) -> None:
    body = f"""Init == x = 0
Keep(a) == a' = a + 1
Twice(F(_), y) == F(y)
Over(F(_)) == Twice({passing}, x)
Next == x < 3 /\\ x' \\in 0 .. 5 /\\ Over(Keep)
Fine == x <= 3"""
    # TLC generates 4 states, 4 of them distinct, and finds depth 4.
    assert counts(explored(module(body), CONFIGURATION)) == (4, 4, 4)


@pytest.mark.parametrize("parts", ["Op(x), x", "x, Op(x)"])
def test_an_inner_definition_may_prime_its_argument_by_an_operator_of_the_outer_one(parts: str) -> None:
    body = f"""VARIABLE s
Init == x = 1 /\\ s = {{}}
Over(Op(_)) == LET G(x_) == {{{parts.replace("x", "x_")}}} IN G(x * 2)
Primed(y) == y'
Next == x < 3 /\\ x' = x + 1 /\\ s' = Over(Primed)
Fine == (x = 2 => s = {{4, 2}}) /\\ (x = 3 => s = {{6, 4}})"""
    result = explored(module(body), CONFIGURATION)
    assert (counts(result), broken(result)) == ((3, 3, 3), [])


def test_an_argument_that_branches_as_an_action_branches_still() -> None:
    body = """Init == x = 0
Op(P) == P /\\ TRUE
Next == x < 2 /\\ Op(\\E y \\in {1, 2} : y > 0) /\\ x' = x + 1
Fine == TRUE"""
    assert counts(explored(module(body), CONFIGURATION)) == (3, 5, 3)


def test_a_constant_argument_branches_as_tlc_counts() -> None:
    body = """Init == x = 0
Coin == \\E y \\in {1, 2} : TRUE
Op(P) == P /\\ TRUE
Next == x < 2 /\\ Op(Coin) /\\ x' = x + 1
Fine == TRUE"""
    # TLC generates 5 states, 3 of them distinct, and finds depth 3.
    assert counts(explored(module(body), CONFIGURATION)) == (3, 5, 3)


def test_a_memo_of_a_state_is_left_with_the_state() -> None:
    body = """Init == x = 0
Plus(n) == x + n
Next == x < 3 /\\ x' = Plus(1)
Moves == Plus(1) = x + 1 /\\ Plus(1)' = x' + 1 /\\ Plus(1) = x + 1
Always == [][Moves]_x
Fine == Plus(1) = x + 1"""
    result = explored(module(body), CONFIGURATION + "\nPROPERTY Always")
    assert (counts(result), broken(result)) == ((4, 4, 4), [])


def test_a_gate_closes_only_branches_without_a_step() -> None:
    body = """Init == x = 0
Rules == <<[Kind |-> "up", By |-> 1], [Kind |-> "down", By |-> 1], [Kind |-> "up", By |-> 2], [By |-> 0, Kind |-> "no"]>>
Is(r, k) == r.Kind = k
Up(r) == /\\ Is(r, "up")
         /\\ x + r.By <= 3
         /\\ x' = x + r.By
Down(r) == Is(r, "down") /\\ x >= r.By /\\ x' = x - r.By
Next == \\E i \\in DOMAIN Rules : Up(Rules[i]) \\/ Down(Rules[i])
Fine == x \\in 0 .. 3"""
    # By hand: 0 -> 1, 2; 1 -> 2, 0, 3; 2 -> 3, 1; 3 -> 2; and the initial state.
    assert counts(explored(module(body), CONFIGURATION)) == (4, 9, 3)


def test_a_gate_that_fails_leaves_the_error_to_the_action() -> None:
    body = """Init == x = 0
Step(r) == r.Missing = 1 /\\ x' = 1
Next == \\E r \\in {[By |-> 1]} : Step(r) \\/ FALSE
Fine == TRUE"""
    with pytest.raises(TlaError, match="has no field Missing"):
        explored(module(body), CONFIGURATION)


def test_a_gate_behind_a_condition_of_the_state_is_not_evaluated_before_it() -> None:
    body = """Init == x = 0
Step(r) == x > 5 /\\ r.Missing = 1 /\\ x' = 1
Next == \\E r \\in {[By |-> 1]} : Step(r)
Fine == x = 0"""
    found = explored(module(body), CONFIGURATION)
    assert (counts(found), broken(found)) == ((1, 1, 1), [])
