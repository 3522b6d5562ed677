"""Going on after a violation, judging what is explored so far, constraints as TLC treats them, random behaviours"""

import pytest

from schedcheck.checker.language.checking.breaking import NotSupported
from schedcheck.checker.language.checking.checking import Checked, check
from schedcheck.checker.language.checking.module_search import ModuleSearch
from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.result import Bounds, Verdict
from tests.checker.language.modelling import broken, counts, model

GRID = r"""
---- MODULE Grid ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Right == x < 3 /\ x' = x + 1 /\ y' = y
Up == y < 3 /\ y' = y + 1 /\ x' = x
Back == x = 3 /\ x' = 0 /\ y' = y
Next == Right \/ Up \/ Back
Spec == Init /\ [][Next]_<<x, y>>
A == x + y < 5
B == x < 3
C == y < 9
Rises == [][x' >= x]_<<x, y>>
====
"""

LINE = r"""
---- MODULE Line ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Up == x' = x + 1
Rest == x = 1 /\ x' = x
Next == Up \/ Rest
Spec == Init /\ [][Next]_x
Fair == Spec /\ WF_x(Up)
Small == x < 5
Top == <>(x = 3)
Never == []<>(x = 0)
Bounded == x < 90
====
"""


def checked(text: str, configuration: str, search: ModuleSearch, bounds: Bounds | None = None) -> Checked:
    return check(model(text, configuration), bounds or Bounds(seconds=60), search=search)


def test_a_search_that_goes_on_reports_every_violated_property() -> None:
    asked = "SPECIFICATION Spec INVARIANTS A B C PROPERTY Rises CHECK_DEADLOCK FALSE"
    found = checked(GRID, asked, ModuleSearch(proceed=True))
    # TLC's counts with -continue, and its numbers of violations of A and of Rises. B does not hold where x is 3.
    assert counts(found) == (16, 29, 7)
    assert sorted(broken(found)) == ["A", "B", "Rises"]
    assert found.exploration.times == {"A": 3, "B": 4, "Rises": 4}
    assert {each.name: len(each.trace) for each in found.found} == {"A": 6, "B": 4, "Rises": 5}


FAR = r"""
---- MODULE Far ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 120 /\ x' = x + 1
Spec == Init /\ [][Next]_x
Soon == <>(x = 3)
Late == (x = 100) ~> (x = 0)
Kept == (x = 100) ~> (x >= 100)
====
"""


def test_a_search_that_goes_on_judges_every_temporal_property_on_the_whole_graph() -> None:
    # Soon is violated in the part that is judged first, before a state is known in which x is 100.
    asked = "SPECIFICATION Spec PROPERTIES Soon Late Kept CHECK_DEADLOCK FALSE"
    found = checked(FAR, asked, ModuleSearch(proceed=True))
    assert sorted(broken(found)) == ["Late", "Soon"]
    assert found.result.undecided == ()
    assert found.result.distinct == 121


def test_a_search_that_does_not_go_on_ends_with_the_level_of_the_first_violation() -> None:
    found = checked(GRID, "SPECIFICATION Spec INVARIANTS A B C CHECK_DEADLOCK FALSE", ModuleSearch())
    assert broken(found) == ["B"]
    assert found.result.depth == 4


@pytest.mark.parametrize(
    ("specification", "asked", "bounds", "violated"),
    [
        ("Spec", "Top", Bounds(seconds=60), True),
        ("Fair", "Never", Bounds(depth=9), False),
        ("Spec", "Top", Bounds(depth=3), True),
        ("Spec", "Top", Bounds(max_states=3), True),
        ("Fair", "Top", Bounds(depth=3), False),
    ],
)
def test_a_temporal_property_is_judged_on_the_explored_part(
    specification: str, asked: str, bounds: Bounds, violated: bool
) -> None:
    found = checked(LINE, f"SPECIFICATION {specification} PROPERTY {asked}", ModuleSearch(), bounds)
    assert found.result.verdict is (Verdict.VIOLATED if violated else Verdict.GAVE_UP)
    assert broken(found) == ([asked] if violated else [])


@pytest.mark.parametrize(
    ("specification", "asked", "verdict"),
    # TLC says so of the same configurations.
    [("Fair", "Top", Verdict.HOLDS), ("Fair", "Never", Verdict.HOLDS), ("Spec", "Top", Verdict.VIOLATED)],
)
def test_within_the_constraints_the_verdict_is_that_of_tlc(specification: str, asked: str, verdict: Verdict) -> None:
    configuration = f"SPECIFICATION {specification} PROPERTY {asked} CONSTRAINT Small"
    found = checked(LINE, configuration, ModuleSearch(within_constraints=True))
    assert found.result.verdict is verdict
    assert counts(found) == (5, 7, 5)
    without = checked(LINE, configuration, ModuleSearch())
    assert without.result.verdict is (Verdict.VIOLATED if verdict is Verdict.VIOLATED else Verdict.GAVE_UP)


def test_random_behaviours_find_a_violation_and_prove_nothing() -> None:
    found = checked(LINE, "SPECIFICATION Spec INVARIANT Bounded", ModuleSearch(behaviours=20, seed=1))
    assert found.result.verdict is Verdict.VIOLATED
    assert [stage.state for stage in found.found[0].trace] == [(number,) for number in range(91)]
    held = checked(LINE, "SPECIFICATION Spec INVARIANT Bounded", ModuleSearch(behaviours=20), Bounds(depth=20))
    assert held.result.verdict is Verdict.GAVE_UP
    assert held.result.stopped == "20 random behaviours were followed, of at most 20 states"


def test_random_behaviours_are_those_of_their_seed() -> None:
    wide = GRID.replace("< 3", "< 40").replace("x = 3", "x = 40")
    runs = [
        checked(wide, "SPECIFICATION Spec", ModuleSearch(behaviours=2, seed=seed), Bounds(depth=30)).exploration.states
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_a_temporal_property_can_fail_on_a_random_behaviour() -> None:
    found = checked(LINE, "SPECIFICATION Spec PROPERTY Top", ModuleSearch(behaviours=1), Bounds(depth=5))
    assert broken(found) == ["Top"]


POSSIBLE = r"""
---- MODULE Possible ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 5 /\ x' = x + 1
Spec == Init /\ [][Next]_x
Inside == x < 3
Short == x' < 3
Zero == x = 0
Three == x = 3
Four == x = 4
ToTwo == x = 1 /\ x' = 2
ToThree == x = 2 /\ x' = 3
Nine == x = 9
Once == <>(x = 9)
====
"""


@pytest.mark.parametrize(
    ("constraint", "missing"),
    # What TLC does not find is a violation. A state that a constraint cuts off does not count.
    [
        ("", ["Nine"]),
        ("CONSTRAINT Inside", ["Three", "Four", "ToThree", "Nine"]),
        ("ACTION_CONSTRAINT Short", ["Four", "ToThree", "Nine"]),
    ],
)
def test_what_must_be_possible_is_true_in_some_state_or_of_some_step(constraint: str, missing: list[str]) -> None:
    asked = f"SPECIFICATION Spec {constraint} _POSSIBLE Zero Three Four ToTwo ToThree Nine CHECK_DEADLOCK FALSE"
    found = checked(POSSIBLE, asked, ModuleSearch())
    assert broken(found) == missing
    assert found.result.verdict is Verdict.VIOLATED


def test_what_was_not_seen_within_the_bounds_is_undecided() -> None:
    found = checked(
        POSSIBLE, "SPECIFICATION Spec _POSSIBLE Zero Nine CHECK_DEADLOCK FALSE", ModuleSearch(), Bounds(depth=2)
    )
    assert found.result.verdict is Verdict.GAVE_UP
    assert found.result.undecided == ("Nine",)


def test_a_temporal_formula_cannot_be_asked_to_be_possible() -> None:
    with pytest.raises(Misread, match="Once is a temporal formula: expected a formula of a state or of a step"):
        checked(POSSIBLE, "SPECIFICATION Spec _POSSIBLE Once", ModuleSearch())


def test_an_unsupported_temporal_property_is_refused_only_where_it_would_decide() -> None:
    text = GRID.replace("Rises ==", "Odd == <>([](x = 1) /\\ <>([](y = 1) /\\ <>(x = 3)))\nRises ==")
    asked = "SPECIFICATION Spec PROPERTY Odd CHECK_DEADLOCK FALSE"
    assert checked(text, asked, ModuleSearch(), Bounds(depth=3)).result.verdict is Verdict.GAVE_UP
    with pytest.raises(NotSupported):
        checked(text, asked, ModuleSearch())
