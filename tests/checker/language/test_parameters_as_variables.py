"""Parameters that stand for variables, in UNCHANGED and in instances: every count is that of TLC with one worker"""

import pytest

from tests.checker.language.modelling import broken, counts, explored

COUNTED = r"""
---- MODULE Counted ----
EXTENDS Naturals
VARIABLE c
Zero == c = 0
Up == c < 3 /\ c' = c + 1
Some == c' \in {c, 0}
Same == UNCHANGED c
Pair == UNCHANGED <<c>>
Able == ENABLED Up
====
"""

KEPT = r"""
---- MODULE Kept ----
EXTENDS Naturals
VARIABLES x, y, z
vars == <<x, y, z>>
Keep(v) == UNCHANGED v
Keep2(v) == Keep(v)
KeepBoth(v, w) == UNCHANGED <<v, w>>
IM(v) == INSTANCE Counted WITH c <- v
Set(v, n) == v' = n
Add(v, n) == v' = v + n
Pick(v, S) == v' \in S
Init == IM(x)!Zero /\ IM(y)!Zero /\ z = 0
A == IM(x)!Up /\ Keep(y) /\ IM(z)!Same
B == IM(y)!Up /\ KeepBoth(x, z)
C == Keep2(<<x, y>>) /\ Pick(z, {x, y})
D == IM(x)!Some /\ IM(y)!Pair /\ Keep(z)
E == Keep(vars)
F == Set(x, 0) /\ Keep(<<y, <<z>>>>) /\ x > 2
G == Add(z, 0) /\ \A v \in {1} : Keep(x) /\ IM(y)!Same
H == LET K(w) == UNCHANGED w IN K(x) /\ K(<<y, z>>)
I == LET J(w) == INSTANCE Counted WITH c <- w IN J(x)!Up /\ J(y)!Same /\ J(z)!Same
Next == A \/ B \/ C \/ D \/ E \/ F \/ G \/ H \/ I
Able == IM(x)!Able <=> x < 3
NeverThree == x < 3
Spec == Init /\ [][Next]_vars /\ WF_vars(A)
====
"""

PASSED_ON = r"""
---- MODULE PassedOn ----
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Keep(v) == UNCHANGED v
IM(v) == INSTANCE Counted WITH c <- v
Do(Op(_), v) == Op(v)
Init == x = 0 /\ y \in 0..1
A == Do(Keep, x) /\ y' = (y + 1) % 3
B == x' = (x + 1) % 3 /\ y' = 2 /\ (Do(Keep, x) \/ Do(LAMBDA w : w' = w + 1, x))
C == ENABLED IM(x)!Up /\ ~ENABLED IM(y + 3)!Up /\ IM(x)!Up /\ LET both == <<y>> IN UNCHANGED both
Next == A \/ B \/ C
Able == (IM(x)!Able /\ x < 3) \/ x = 3
Moves == [][IM(y)!Up \/ y' = 2 \/ y' = 0 \/ y' = y]_vars
Rises == [][IM(x)!Up]_x
Spec == Init /\ [][Next]_vars
====
"""


def test_parameters_that_stand_for_variables_are_assigned() -> None:
    checked = explored(KEPT, "SPECIFICATION Spec INVARIANT Able", COUNTED)
    assert counts(checked) == (64, 577, 10)
    assert not checked.found


def test_a_violation_through_a_parameter_is_found() -> None:
    checked = explored(KEPT, "SPECIFICATION Spec INVARIANT NeverThree", COUNTED)
    assert broken(checked) == ["NeverThree"]
    assert [stage.state[0] for stage in checked.found[0].trace] == [0, 1, 2, 3]


def test_operators_that_are_passed_may_assign_their_arguments() -> None:
    checked = explored(
        PASSED_ON, "SPECIFICATION Spec INVARIANT Able PROPERTIES Moves Rises CHECK_DEADLOCK FALSE", COUNTED
    )
    assert counts(checked) == (12, 29, 4)
    assert not checked.found


@pytest.mark.parametrize("again", ["Keep(x)", "Do(Keep, x)", "IM(x)!Same", "IM(x)!Pair", "IM(x)!Up /\\ IM(x)!Same"])
def test_an_assigned_variable_is_compared_when_a_parameter_keeps_it(again: str) -> None:
    text = PASSED_ON.replace("Next == A \\/ B \\/ C", f"Next == x' = x + 1 /\\ y' = y /\\ {again}")
    assert explored(text, "SPECIFICATION Spec CHECK_DEADLOCK FALSE", COUNTED).result.generated == 2


def test_unchanged_of_an_operator_keeps_its_arguments() -> None:
    text = PASSED_ON.replace("Next == A \\/ B \\/ C", "Next == UNCHANGED Both(x, y)\nBoth(a, b) == <<a, <<b>>>>")
    assert counts(explored(text, "SPECIFICATION Spec", COUNTED)) == (2, 4, 1)
