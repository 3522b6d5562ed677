"""A bound name must be new, as SANY demands: each case was given to it, and it refuses the same ones"""

import pytest

from schedcheck.checker.language.syntax.errors import Misread
from tests.checker.language.modelling import explored

HEAD = "EXTENDS Naturals, Sequences\nCONSTANT C\nVARIABLE v\nOp(a, b) == a + b\nOne == 1\nRec[n \\in 0..3] == n\n"

REFUSED = {
    "a parameter that is an operator": ("F(Op) == Op", "Op"),
    "a parameter that is a variable": ("F(v) == v", "v"),
    "a parameter that is a constant": ("F(a, C) == a", "C"),
    "a parameter of a standard module": ("F(Len) == Len", "Len"),
    "two parameters of one name": ("F(a, a) == a", "a"),
    "a quantifier of a defined name": ("F == \\A One \\in {1} : TRUE", "One"),
    "a quantifier within another": ("F == \\A x \\in {1} : \\E x \\in {2} : TRUE", "x"),
    "a quantifier of a parameter": ("F(x) == \\E x \\in {2} : TRUE", "x"),
    "one bound of two": ("F == \\A x \\in {1}, x \\in {2} : TRUE", "x"),
    "a tuple that binds a name twice": ("F == \\A <<x, x>> \\in {<<1, 2>>} : TRUE", "x"),
    "CHOOSE": ("F == CHOOSE v \\in {1} : TRUE", "v"),
    "CHOOSE without a set": ("F == CHOOSE One : One", "One"),
    "a filter": ("F == {Rec \\in {1} : TRUE}", "Rec"),
    "an image": ("F == {1 : One \\in {1}}", "One"),
    "a function": ("F == [C \\in {1} |-> 2]", "C"),
    "a function that is defined": ("F[Op \\in {1}] == 2", "Op"),
    "LAMBDA": ("G(P(_)) == P(1)\nF == G(LAMBDA One : One)", "One"),
    "a parameter of LET": ("F(x) == LET g(x) == 1 IN g(2)", "x"),
    "LET of a parameter": ("F(x) == LET x == 1 IN x", "x"),
    "LET of a bound name": ("F == \\A x \\in {1} : LET x == 1 IN TRUE", "x"),
    "what LET defines": ("F == LET y == 1 IN \\E y \\in {1} : TRUE", "y"),
    "what LET defines, in a later definition": ("F == LET y == 1\n         z == {y : y \\in {1}}\n     IN z", "y"),
    "an instance": ("M(One) == INSTANCE Sequences", "One"),
    "an argument": ("F == Op(1, CHOOSE v \\in {1} : TRUE)", "v"),
    "an EXCEPT": ("F == [Rec EXCEPT ![1] = CHOOSE v \\in {1} : TRUE]", "v"),
    "an ASSUME": ("ASSUME \\A One \\in {1} : TRUE", "One"),
}
ALLOWED = {
    "what is defined later": "F(Later) == Later\nLater == 2",
    "what another definition binds": "F(x) == x\nG(x) == \\A y \\in {x} : y = x\nH == \\A y \\in {1} : TRUE",
    "the same name one after the other": "F == (\\A x \\in {1} : TRUE) /\\ (\\E x \\in {2} : TRUE)",
    "a domain, which does not see the name": "F == \\A x \\in {x : x \\in {1}} : TRUE",
    "a field": "F == [One |-> 1, v |-> 2].One",
    "LET in LET": "F == LET y == 1 IN LET z == 2 IN y + z",
    "after LET": "F == (LET y == 1 IN y) + (CHOOSE y \\in {1} : TRUE)",
    "two bounds": "F == \\A x, y \\in {1}, <<z, w>> \\in {<<1, 2>>} : TRUE",
}


def module(text: str) -> str:
    return f"---- MODULE Bound ----\n{HEAD}{text}\nInit == v = 0\nNext == v' = v\n====\n"


CONFIGURATION = "INIT Init\nNEXT Next\nCONSTANT C = 1\n"


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_means_something_is_not_bound(name: str) -> None:
    text, bound = REFUSED[name]
    with pytest.raises(Misread) as told:
        explored(module(text), CONFIGURATION)
    assert told.value.says == f"{bound} is bound, and means something else already: a bound name must be new"
    assert told.value.at is not None and told.value.at.line >= 8


@pytest.mark.parametrize("name", ALLOWED)
def test_a_new_name_is_bound(name: str) -> None:
    assert explored(module(ALLOWED[name]), CONFIGURATION).result.distinct == 1


INNER = """---- MODULE A ----
Two == 2
---- MODULE B ----
F({0}) == {0}
====
B1 == INSTANCE B
G == B1!F(3)
====
A1 == INSTANCE A
ASSUME A1!G = 3"""


@pytest.mark.parametrize("name", ["One", "Two"])
def test_an_inner_module_does_not_bind_a_name_of_any_module_around_it(name: str) -> None:
    assert explored(module(INNER.format("new")), CONFIGURATION).result.distinct == 1
    with pytest.raises(Misread, match=f"{name} is bound, and means something else already"):
        explored(module(INNER.format(name)), CONFIGURATION)
