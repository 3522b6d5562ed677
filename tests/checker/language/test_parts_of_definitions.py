"""Parts of definitions selected by `!`: their expressions, their values, and refusals

Each of `PARTS` was also evaluated by TLC, which calls the same ones equal; each of `NOT_PARTS` is refused by SANY too.
"""

import pytest

from schedcheck.checker.language.evaluation.evaluator import Session
from schedcheck.checker.language.printing.printing import printed
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import TlaError
from schedcheck.checker.language.syntax.parser import parsed_expression
from schedcheck.checker.result import Verdict
from tests.checker.language.modelling import broken, counts, explored
from tests.checker.language.trees import AT, name, number, refusal, units

DEFINITIONS = r"""
CONSTANT Unused(_, _)
Twice(g(_), z) == g(g(z))
Pair == <<3, 4>>
Fields == [a |-> 10, b |-> {11, 12}]
All(a) == \A x \in {1, 2}, <<p, q>> \in {<<5, 6>>} : x + a < p * q
Whole(a) == LET y == a + 1
                Times(u) == u * y
            IN  /\ first :: y > 3
                /\ second :: \E k \in 1 .. y : third(k) :: Times(k) = 7
Choice == CHOOSE c \in {7, 8} : c > 7
Cases(b) == CASE b = 1 -> 20 [] b = 2 -> 21 [] OTHER -> 22
Square[n \in 1 .. 9] == n * n
Changed == [Square EXCEPT ![1] = 2]
Passing == Twice(LAMBDA v : v + 5, 1)
Guarded(d) == IF d > 2 THEN d ELSE -d
a ++ b == a - b
THEOREM Named == 1 + 1 = 2
OBVIOUS
THEOREM Proved == ASSUME NEW s PROVE s = s
OBVIOUS
"""

PARTS = [
    ("Pair!1", "3"),
    ("Pair!>>", "4"),
    ("Pair!<<", "3"),
    ("Fields!1", "10"),
    ("Fields!2!2", "12"),
    ("All(4)!1", "{1, 2}"),
    ("All(4)!2", "{<<5, 6>>}"),
    ("All(4)!(2, 5, 6)", "TRUE"),
    ("All(4)!(2, 1, 6)", "FALSE"),
    ("All(4)!(2, 5, 6)!1", "6"),
    ("All(4)!(2, 5, 6)!2!<<", "5"),
    ("Whole(2)!first", "FALSE"),
    ("Whole(3)!first", "TRUE"),
    ("Whole(6)!second", "TRUE"),
    ("Whole(6)!second!1", "1..7"),
    ("Whole(6)!second!(2)", "FALSE"),
    ("Whole(6)!second!third(1)", "TRUE"),
    ("Whole(6)!second!(3)!1", "21"),
    ("Whole(6)!1!1", "TRUE"),
    ("Whole(6)!1!1!1", "7"),
    ("Whole(6)!:!y", "7"),
    ("Whole(6)!:!Times(5)", "35"),
    ("Whole(6)!:!Times(5)!1", "5"),
    ("Choice!1", "{7, 8}"),
    ("Choice!(3)", "FALSE"),
    ("Cases(2)!2!2", "21"),
    ("Cases(2)!1!1", "FALSE"),
    ("Cases(2)!3!2", "22"),
    ("Square!1", "1..9"),
    ("Square!(12)", "144"),
    ("Changed!1[3]", "9"),
    ("Passing!1!(4)", "9"),
    ("Passing!2", "1"),
    ("Twice(Passing!1!@, 3)", "13"),
    ("Twice(Choice!@!1, 3)", "3"),
    ("Guarded(4)!3!1", "4"),
    ("++(7, 2)!2", "2"),
    ("Named!:", "TRUE"),
    ("Named!1!<<", "1"),
]

NOT_PARTS = [
    ("Pair!3", "input:1:6: `!3` selects nothing here: what it selects from has 2 operands"),
    ("Pair!0", "`!0` selects nothing here"),
    ("Fields!>>!1!1", "input:1:13: `!1` selects nothing here: what it selects from has 0 operands"),
    ("Guarded(4)!>>", "`!>>` selects nothing here: what it selects from has 3 operands"),
    ("Pair!(1)", "`!(...)` selects from an expression that binds names"),
    ("Pair!@", "`!@` selects from an expression that binds names"),
    ("All(4)!(1, 2)", "what is selected from binds 3 names: expected as many arguments, not 2"),
    ("All!1", "All!1 takes 1 arguments, not 0"),
    ("All(4)!@", "takes 4 arguments, not 1"),
    ("Whole(2)!fourth", "Whole has no label fourth: it has first, second"),
    ("Whole(2)!second!third", "takes 2 arguments, not 1"),
    ("Whole(2)!1!first", "first would have to be defined by a LET: this is none"),
    ("Whole(2)!1!2!first", "first would have to be defined by a LET: this is none"),
    ("Whole(2)!1!:", "`!:` stands only after a name"),
    ("Pair!:!1", "`!:` stands only after a name"),
    ("Cases(2)!1", "expected !1 or !2 after an arm of a CASE"),
    ("Cases(2)!3!1", "`!1` selects nothing here"),
    ("Changed!2", "`!2` selects nothing here"),
    ("Passing!1", "takes 1 arguments, not 0"),
    ("Nothing!1", "unknown operator: Nothing"),
    ("Len!1", "Len is no definition of a module"),
    ("Proved!:", "Proved is an ASSUME/PROVE: an expression is expected"),
    ("Twice(Pair!1, 3)", "input:1:7: Pair!1 takes 0 arguments: an operator of 1 is expected here"),
    ("LET e == e!1 IN e", "a part of e is selected within e itself"),
]

NOT_READ = [
    ("Op!", "expression:1:4: expected `(`, a name, a number, `<<`, `>>`, `@`, `:` or an operator, found the end of"),
    ("Op!()", "expression:1:5: expected an expression, found `)`"),
    ("Op!1(x)", "expression:1:5: expected an operator or the end, found `(`"),
    ("1!2", "expression:1:2: expected an operator or the end, found `!`"),
    ("[A]_Op!1", "expression:1:8: expected a name or an operator, found 1"),
    ("WF_v!1(A)", "expression:1:6: expected a name or an operator, found 1"),
    ("Op!1.5", "expression:1:4: expected `(`, a name, a number, `<<`, `>>`, `@`, `:` or an operator, found 1.5"),
    ("(x + 1) :: y", "expression:1:9: `::` follows no label"),
]


@pytest.fixture(scope="module")
def session() -> Session:
    made = Session({}, None)
    made.define(DEFINITIONS)
    return made


def step(selector: str, *arguments: tree.Expression) -> tree.Step:
    return tree.Step(selector, arguments, at=AT)


def test_a_selector_is_parsed_into_its_steps() -> None:
    steps = (step("I", name("a")), step("Op"), step("2"), step("", name("b"), number(1)), step("<<"), step("label"))
    assert parsed_expression("I(a)!Op!2!(b, 1)!<<!label") == tree.Selected(steps, at=AT)
    assert parsed_expression("Op!⟨") == tree.Selected((step("Op"), step("<<")), at=AT)
    assert parsed_expression("Op!007!@!:!>>").steps[1:] == (step("7"), step("@"), step(":"), step(">>"))


def test_a_label_is_kept() -> None:
    assert parsed_expression("here(x, y) :: a") == tree.Labelled("here", ("x", "y"), name("a"), at=AT)


def test_a_named_theorem_is_kept_without_its_proof() -> None:
    theorem = tree.Theorem("T", name("a"), at=AT)
    assert units("LEMMA T == a\n<1>1. b\n<1> QED BY <1>1") == (theorem,)
    assert units("THEOREM T == ASSUME a PROVE b") == (tree.Theorem("T", None, at=AT),)


@pytest.mark.parametrize("text", [text for text, _ in PARTS] + ["1 + (here(x) :: 2)", "(Op!1).a"])
def test_a_selector_is_printed_and_read_back(text: str) -> None:
    read = parsed_expression(text)
    assert parsed_expression(printed(read)) == read


@pytest.mark.parametrize(("text", "value"), PARTS)
def test_a_selected_part_has_the_value_of_its_expression(session: Session, text: str, value: str) -> None:
    assert session.answer(f"({text}) = ({value})") == "TRUE"


@pytest.mark.parametrize(("text", "says"), NOT_PARTS)
def test_a_selector_without_a_target_is_refused_with_its_place(session: Session, text: str, says: str) -> None:
    with pytest.raises(TlaError) as caught:
        session.answer(text)
    assert says in str(caught.value)
    assert str(caught.value).startswith("input:1:")


@pytest.mark.parametrize(("text", "says"), NOT_READ)
def test_an_invalid_selector_is_refused_with_its_place(text: str, says: str) -> None:
    assert refusal(text).startswith(says)


INNER = r"""---- MODULE Inner ----
EXTENDS Naturals
CONSTANT N
Between(k) == /\ low :: k > 0
              /\ k < N
===="""

MODEL = r"""---- MODULE M ----
EXTENDS Naturals
VARIABLES x, y
I(n) == INSTANCE Inner WITH N <- n
Init == /\ x = 1
        /\ y \in 1 .. 3
Next == \/ /\ I(4)!Between(x)!2
           /\ x' = x + 1
           /\ y' = Init!2!1
        \/ up :: x' = x - 1 /\ y' = 1
Start == Init!1 /\ y = 1
Up == Next!1 \/ UNCHANGED <<x, y>>
Both == Next!up \/ Next!1
Small == I(6)!Between(x)!2
Low == I(6)!Between(x)!low
===="""


def test_a_part_may_be_an_initial_predicate_or_an_action() -> None:
    assert counts(explored(MODEL, "INIT Start NEXT Up CHECK_DEADLOCK FALSE", INNER)) == (4, 8, 4)
    assert counts(explored(MODEL, "INIT Init NEXT Up CHECK_DEADLOCK FALSE", INNER)) == (12, 24, 4)


def test_a_part_of_an_instance_is_evaluated_as_an_invariant() -> None:
    holding = explored(MODEL, "INIT Start NEXT Up INVARIANT Small Low CHECK_DEADLOCK FALSE", INNER)
    assert holding.result.verdict is Verdict.HOLDS
    falling = explored(MODEL, "INIT Start NEXT Both INVARIANT Small Low CHECK_DEADLOCK FALSE", INNER)
    assert broken(falling) == ["Low"]
    assert len(falling.found[0].trace) == 2
