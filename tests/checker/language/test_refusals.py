"""Expressions without a value: each error is one line with the place, the expression and the bound variables"""

import time

import pytest

from schedcheck.checker.language.evaluation.evaluator import Session
from schedcheck.checker.language.syntax.errors import TlaError, Unevaluable
from schedcheck.checker.limits.timer import LimitReached, limited

REFUSED = [
    ("TRUE = 1", "input:1:1: the boolean TRUE and the integer 1 cannot be compared"),
    ('1 = "a"', 'the integer 1 and the string "a" cannot be compared'),
    ("{1} = 1", "the integer 1 and the set {1} cannot be compared"),
    ("<<1>> = <<TRUE>>", "cannot be compared"),
    ("{TRUE, 1}", "the boolean TRUE and the integer 1 cannot be compared"),
    ('{1, "a"}', "cannot be compared"),
    ('"a" \\in {1, 2}', "cannot be compared"),
    ("{1} = {TRUE}", "cannot be compared"),
    ('"a" \\in 1..2', "is no integer"),
    ("1 \\in Seq(Nat)", "is no function"),
    ('<<"a">> \\in Seq({1})', "cannot be compared"),
    ("LET f(x) == x IN f(1", "input:1:21"),
    ("IF 1 THEN 2 ELSE 3", "1 is neither TRUE nor FALSE"),
    ("1 /\\ TRUE", "1 is neither TRUE nor FALSE"),
    ("\\A x \\in {1} : x", "1 is neither TRUE nor FALSE"),
    ("{x \\in {1} : x}", "1 is neither TRUE nor FALSE"),
    ("CASE 1 = 2 -> 3", "no condition of the CASE is true"),
    ("CHOOSE x \\in {1, 2} : x > 2", "no element of the set can be chosen: CHOOSE x \\in {1, 2} : x > 2"),
    ("CHOOSE x : x > 2", "a CHOOSE without a set"),
    ("\\A x : TRUE", "no finite range"),
    ("\\E x \\in Nat : x > 2", "the set Nat is infinite"),
    ("{x + 1 : x \\in Nat}", "the set Nat is infinite"),
    ("Nat = Int", "cannot be compared"),
    ("Cardinality(Nat)", "infinite"),
    ("UNION {x : x \\in SUBSET (1..40)}", "has 1099511627776 elements; more than 10000000 are not enumerated"),
    ("\\E x \\in SUBSET (1..40) : FALSE", "has 1099511627776 elements"),
    ("\\E x \\in SUBSET (1..100000) : FALSE", "has at least 2^100000 elements; more than 10000000"),
    ("{SUBSET (1..21)}", "has 2097152 elements; more than 1000000 are not written out"),
    ("[1..7 -> 1..8] \\in {1}", "has 2097152 elements; more than 1000000 are not written out"),
    ("Cardinality(SUBSET (1..100000000))", "too many elements for their number, of 100000000 bits, to be worked out"),
    ("Cardinality([1..100000000 -> 1..2])", "too many elements for their number"),
    ("<<1, 2>>[3]", "3 is not in the domain of <<1, 2>>"),
    ("<<1, 2>>[0]", "0 is not in the domain"),
    ("[x \\in {TRUE} |-> 1][1]", "1 is not in the domain of (TRUE :> 1)"),
    ("[a |-> 1].b", "has no field b"),
    ("[a |-> 1, a |-> 2]", "the field a is given twice"),
    ("1 \\in [a : {1}, b : {1}, a : {2}]", "the field a is given twice"),
    ("5[1]", "5 is no function"),
    ("DOMAIN 5", "5 is no function"),
    ("Head(<<>>)", "the empty sequence has no Head"),
    ("SubSeq(<<1>>, 1, 2)", "which has 1 elements"),
    ("1 + TRUE", "TRUE is no integer"),
    ('"a" < "b"', '"a" is no integer'),
    ("1 \\div 0", "the divisor 0 is not positive"),
    ("1 % -1", "the divisor -1 is not positive"),
    ("2 ^ (-1)", "no integer"),
    ("2 ^ 100000000", "may have more than 1048576 bits"),
    ("UNION {1}", "1 is no set"),
    ("SUBSET 1", "1 is no set"),
    ("\\E <<x, y>> \\in {<<1>>} : TRUE", "<<1>> is no tuple of 2"),
    ('Assert(FALSE, "because")', "the assertion fails: because"),
    ('TLCGet("revision")', 'TLCGet("revision") is not supported'),
    ("Unknown", "unknown operator: Unknown"),
    ("Unknown(1)", "unknown operator: Unknown"),
    ("Len(1, 2)", "Len takes 1 arguments, not 2"),
    ("LET f(x) == x IN f(1, 2)", "f takes 1 arguments, not 2"),
    ("LET RECURSIVE f(_) f(n) == f(n) IN f(1)", "f calls itself more than 2500 deep"),
    ("LET RECURSIVE f(_) f(n) == f(n + 1) + 1 IN f(1)", "f calls itself more than 2500 deep"),
    ("LET f[n \\in Nat] == f[n + 1] IN f[0]", "f calls itself more than 2500 deep"),
    ("[](1 = 1)", "a formula about behaviours"),
    ("\\AA x : TRUE", "behaviours"),
    ("MapThenFoldSet(+, 0, LAMBDA x : x, LAMBDA s : 7, {1, 2})", "is no element of"),
    ("LET f(x) == CHOOSE y \\in {x} : FALSE IN f(3)", "where x = 3"),
    ("\\E x \\in 1..3 : (CHOOSE y \\in {} : TRUE) = x", "where x = 1"),
]


@pytest.fixture(scope="module")
def session() -> Session:
    return Session({}, None)


@pytest.mark.parametrize(("expression", "says"), REFUSED)
def test_an_expression_without_a_value_is_refused(session: Session, expression: str, says: str) -> None:
    with pytest.raises(TlaError) as caught:
        session.answer(expression)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("input:")


def test_a_deeply_nested_expression_is_evaluated_or_refused(session: Session) -> None:
    depth = 3_000
    assert session.answer("(" * depth + "1" + ")" * depth) == "1"
    assert session.answer("1 + (" * depth + "1" + ")" * depth) == str(depth + 1)
    assert session.answer("~" * depth + "TRUE") == "TRUE"
    assert session.answer("{" * depth + "}" * depth) == "{" * depth + "}" * depth
    assert session.answer(" + ".join(["1"] * depth)) == str(depth)
    with pytest.raises(Unevaluable, match="the expression is nested more than 4000 deep"):
        session.answer("{" * 2 * depth + "}" * 2 * depth)


def test_an_error_leaves_the_session_unchanged(session: Session) -> None:
    with pytest.raises(Unevaluable):
        session.answer("LET RECURSIVE f(_) f(n) == f(n) IN f(1)")
    assert session.answer("LET RECURSIVE f(_) f(n) == IF n = 0 THEN 0 ELSE 1 + f(n - 1) IN f(2000)") == "2000"


def test_an_evaluation_that_takes_too_long_is_ended(session: Session) -> None:
    began = time.monotonic()
    with pytest.raises(LimitReached), limited(0.2):
        session.answer("Cardinality({x \\in SUBSET (1..20) : Cardinality(x) = 10})")
    assert time.monotonic() - began < 5


def test_model_values_can_be_compared_with_anything(session: Session) -> None:
    session.define("Nobody == CHOOSE x : x \\notin Nat")
    assert session.answer('Nobody = 1 \\/ Nobody = "a" \\/ Nobody = {}') == "FALSE"
    assert session.answer("Nobody \\in {1, Nobody}") == "TRUE"
    assert session.answer("Cardinality({1, Nobody})") == "2"


def test_definitions_are_added_and_replaced() -> None:
    session = Session({}, None)
    assert session.answer("Double(x) == 2 * x") == ""
    assert session.answer("Double(4)") == "8"
    assert session.answer("Double(x) == 3 * x") == ""
    assert session.answer("Double(4)") == "12"
    with pytest.raises(TlaError):
        session.answer("Double(x) == ")
    assert session.answer("Double(1)") == "3"
