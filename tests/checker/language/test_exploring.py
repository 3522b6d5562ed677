"""Explored modules: counts worked out by hand, violations with shortest traces, and broken twins"""

import pytest

from schedcheck.checker.language.checking.explored import Failed
from schedcheck.checker.language.syntax.errors import Misread, TlaError, Unevaluable
from schedcheck.checker.result import Bounds, Verdict
from tests.checker.language.modelling import broken, counts, explored, model

# Two jugs of three and five litres. Sixteen of the 24 fillings are reachable, as is known of this puzzle.
JUGS = r"""
---- MODULE Jugs ----
EXTENDS Naturals
VARIABLES small, large
Least(a, b) == IF a < b THEN a ELSE b
Init == small = 0 /\ large = 0
FillSmall == small' = 3 /\ UNCHANGED large
FillLarge == large' = 5 /\ UNCHANGED small
EmptySmall == small' = 0 /\ UNCHANGED large
EmptyLarge == large' = 0 /\ UNCHANGED small
ToLarge == LET poured == Least(small, 5 - large)
           IN  small' = small - poured /\ large' = large + poured
ToSmall == LET poured == Least(large, 3 - small)
           IN  /\ small' = small + poured
               /\ large' = large - poured
Next == FillSmall \/ FillLarge \/ EmptySmall \/ EmptyLarge \/ ToLarge \/ ToSmall
Spec == Init /\ [][Next]_<<small, large>>
Right == small \in 0..3 /\ large \in 0..5
NotFour == large # 4
====
"""

COUNTER = r"""
---- MODULE Counter ----
EXTENDS Naturals
CONSTANT N
VARIABLE x
Init == x = 0
Up == x < N /\ x' = x + 1
Around == x = N /\ x' = 0
Next == Up \/ Around
Spec == Init /\ [][Next]_x
Fair == Spec /\ WF_x(Next)
Small == x <= N
TooSmall == x < N
Rises == [][x' = x + 1 \/ x' = 0]_x
NeverFalls == [][x' > x]_x
Bound == x <= 2
Top == <>(x = N)
Again == []<>(x = 0)
Stays == <>[](x = N)
Leads == x = 1 ~> x = 0
====
"""


def test_the_jugs_reach_sixteen_fillings() -> None:
    checked = explored(JUGS, "SPECIFICATION Spec INVARIANT Right")
    assert checked.result.verdict is Verdict.HOLDS
    # Each of the 16 states has one step by each of the six actions, and there is one initial state.
    assert counts(checked) == (16, 1 + 16 * 6, 8)


def test_init_and_next_give_the_counts_of_the_specification() -> None:
    assert counts(explored(JUGS, "INIT Init NEXT Next")) == counts(explored(JUGS, "SPECIFICATION Spec"))


def test_four_litres_take_six_steps() -> None:
    checked = explored(JUGS, "SPECIFICATION Spec INVARIANTS Right NotFour")
    assert checked.result.verdict is Verdict.VIOLATED
    assert broken(checked) == ["NotFour"]
    trace = checked.found[0].trace
    assert len(trace) == 7
    assert trace[-1].state[1] == 4
    assert [str(stage.action) for stage in trace[1:]] == [
        "FillLarge",
        "ToSmall",
        "EmptySmall",
        "ToSmall",
        "FillLarge",
        "ToSmall",
    ]
    assert (trace[1].action.at.module, trace[1].action.at.line) == ("Jugs", 8)


@pytest.mark.parametrize("top", [1, 2, 7])
def test_a_counter_has_one_state_for_each_number(top: int) -> None:
    checked = explored(COUNTER, f"SPECIFICATION Spec CONSTANT N = {top} INVARIANT Small PROPERTY Rises")
    assert checked.result.verdict is Verdict.HOLDS
    assert counts(checked) == (top + 1, top + 2, top + 1)
    assert checked.result.coverage == {"Up": top, "Around": 1}


def test_violations_of_the_counter_have_shortest_traces() -> None:
    checked = explored(COUNTER, "SPECIFICATION Spec CONSTANT N = 3 INVARIANT TooSmall")
    assert [stage.state for stage in checked.found[0].trace] == [(0,), (1,), (2,), (3,)]
    checked = explored(COUNTER, "SPECIFICATION Spec CONSTANT N = 3 PROPERTY NeverFalls")
    assert [stage.state for stage in checked.found[0].trace] == [(0,), (1,), (2,), (3,), (0,)]


def test_a_state_outside_the_constraint_is_generated_but_not_stored() -> None:
    checked = explored(COUNTER, "SPECIFICATION Spec CONSTANT N = 7 CONSTRAINT Bound INVARIANT Small")
    # 0, 1 and 2 are stored; the step from 2 to 3 is generated.
    assert counts(checked) == (3, 4, 3)
    assert explored(COUNTER, "SPECIFICATION Spec CONSTANT N = 3 CONSTRAINT Bound INVARIANT TooSmall").found


STUCK = r"""
---- MODULE Stuck ----
EXTENDS Naturals
VARIABLE x
Init == x \in {0, 5}
Next == x < 2 /\ x' = x + 1
====
"""


def test_a_state_without_a_step_is_a_deadlock_unless_disabled() -> None:
    checked = explored(STUCK, "INIT Init NEXT Next")
    assert broken(checked) == ["deadlock"]
    assert [stage.state for stage in checked.found[0].trace] == [(5,)]
    checked = explored(STUCK, "INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    assert checked.result.verdict is Verdict.HOLDS
    assert counts(checked) == (4, 4, 3)
    assert checked.result.done == 2


# Both branches of a disjunction, and each witness of \E, count separately, as in TLC.
BRANCHES = r"""
---- MODULE Branches ----
EXTENDS Naturals
VARIABLES x, y
Init == x \in 1..2 /\ y \in {x, 3}
Swap == x' = y /\ y' = x
Choose == \E a, b \in 1..2 : x' = a /\ y' = b
Guarded == (\E a \in 1..3 : a > 1) /\ (x = 1 \/ x < 3) /\ UNCHANGED <<x, y>>
If == IF x = 1 THEN y' \in {1, 2} /\ x' = x ELSE UNCHANGED <<x, y>>
All == \A v \in {"x", "y"} : IF v = "x" THEN x' = 1 ELSE y' = 1
Case == CASE x = 1 -> x' = 2 /\ y' = 2 [] OTHER -> UNCHANGED y /\ x' = x
Let == LET new == x' IN x' \in {1, 2} /\ y' = new
Pass(a, b) == a' = b /\ UNCHANGED y
Test == x' = 1 /\ y' = 1 /\ x' \in {1, 2} /\ x' # 2
Known == x' = y /\ (x' = 1 \/ x' = 2) /\ y' = x'
====
"""


@pytest.mark.parametrize(
    ("action", "generated"),
    [
        ("Swap", 4),
        ("Choose", 16),
        # Two witnesses; x = 1 satisfies both branches, x = 2 one: 2 * 2 from each of two states, 2 from the others.
        ("Guarded", 2 * 2 * 2 + 2 * 1 * 2),
        ("If", 2 * 2 + 2),
        ("All", 4),
        ("Case", 4),
        ("Let", 8),
        ("Pass(x, 2)", 4),
        ("Test", 4),
        # y is 1 in <<1, 1>>, 2 in <<2, 2>> and 3 in the two others.
        ("Known", 2),
    ],
)
def test_each_way_to_make_an_action_true_is_counted(action: str, generated: int) -> None:
    made = model(BRANCHES.replace("====", f"Next == {action}\n===="), "INIT Init NEXT Next")
    first = made.system.initial()
    assert first == [(1, 1), (1, 3), (2, 2), (2, 3)]
    assert sum(len(made.system.successors(state)) for state in first) == generated


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ("x' = 1", "the action Next leaves the variable y without a value"),
        ("x' = y' /\\ y' = 1", "y' is read before it has a value"),
        ("x' = 1 /\\ y' = CHOOSE z \\in {1} : z > x'", "no element of the set can be chosen"),
        ("x' \\in Nat /\\ y' = 1", "the set Nat is infinite"),
        ("(x' = 1) \\cdot (y' = 1)", "an action of \\cdot leaves a variable without a value"),
        ("x' = 1 /\\ 5", "5 is neither TRUE nor FALSE"),
    ],
)
def test_an_action_that_cannot_be_evaluated_is_reported_with_the_trace(action: str, says: str) -> None:
    with pytest.raises(TlaError) as caught:
        explored(BRANCHES.replace("====", f"Next == {action}\n===="), "INIT Init NEXT Next")
    assert says in str(caught.value)
    if isinstance(caught.value, Failed):
        assert next(stage.state for stage in caught.value.trace) == (1, 1)


def test_an_initial_predicate_must_assign_every_variable() -> None:
    with pytest.raises(Unevaluable, match="the initial predicate leaves the variable y without a value"):
        explored(BRANCHES.replace("====", "OnlyX == x = 1\n===="), "INIT OnlyX NEXT Swap")


ALIKE = r"""
---- MODULE Alike ----
EXTENDS Naturals, FiniteSets, TLC
CONSTANT P
VARIABLE up
Init == up = {}
Next == \E p \in P : up' = up \cup {p}
Symmetry == Permutations(P)
View == Cardinality(up)
====
"""


def test_states_that_differ_by_a_permutation_are_one() -> None:
    constants = "CONSTANT P = {a, b, c} INIT Init NEXT Next"
    assert counts(explored(ALIKE, constants)) == (8, 1 + 8 * 3, 4)
    # One orbit for each size: 0, 1, 2, 3.
    assert counts(explored(ALIKE, f"{constants} SYMMETRY Symmetry")) == (4, 1 + 4 * 3, 4)
    assert counts(explored(ALIKE, f"{constants} VIEW View")) == (4, 1 + 4 * 3, 4)


def test_a_symmetry_of_values_that_are_not_model_values_is_refused() -> None:
    with pytest.raises(Unevaluable, match="permutes values that are no model values"):
        explored(ALIKE, "CONSTANT P = {1, 2} INIT Init NEXT Next SYMMETRY Symmetry")


CHANNEL = r"""
---- MODULE Channel ----
EXTENDS Naturals
CONSTANT Data
VARIABLE held
Init == held = {}
Send(d) == d \notin held /\ held' = held \cup {d}
Drop == held # {} /\ held' = {}
Next == Drop \/ \E d \in Data : Send(d)
Full == held = Data
====
"""

TWO_CHANNELS = r"""
---- MODULE TwoChannels ----
EXTENDS Naturals
VARIABLES left, right
Left == INSTANCE Channel WITH held <- left, Data <- {1, 2}
Right(D) == INSTANCE Channel WITH held <- right, Data <- D
Init == Left!Init /\ Right({3})!Init
Next == \/ Left!Next /\ UNCHANGED right
        \/ Right({3})!Next /\ UNCHANGED left
NeverBothFull == ~(Left!Full /\ Right({3})!Full)
====
"""


def test_instances_have_their_own_variables_and_constants() -> None:
    checked = explored(TWO_CHANNELS, "INIT Init NEXT Next", CHANNEL)
    # Four subsets on the left and two on the right.
    assert checked.result.distinct == 8
    # Left: 2, 2, 2 and 1 steps from {}, {1}, {2} and {1, 2}; right: one step from each.
    assert checked.result.generated == 1 + 2 * (2 + 2 + 2 + 1) + 4 * 2
    checked = explored(TWO_CHANNELS, "INIT Init NEXT Next INVARIANT NeverBothFull", CHANNEL)
    assert len(checked.found[0].trace) == 4


OVERRIDDEN = r"""
---- MODULE Overridden ----
EXTENDS Naturals
CONSTANTS N, Op(_), Null
VARIABLE x
ASSUME N > 0
MyNat == 0..3
Double(a) == 2 * a
Init == x = Null
Next == x' \in {Op(n) : n \in {m \in Nat : m < N}}
====
"""


def test_a_configuration_overrides_definitions_and_constants() -> None:
    configuration = "CONSTANTS N = 3 Op <- Double Null = Null Nat <- MyNat INIT Init NEXT Next"
    checked = explored(OVERRIDDEN, configuration)
    assert sorted(map(repr, checked.exploration.states)) == ["(0,)", "(2,)", "(4,)", "(Null,)"]
    tables = configuration.replace("Op <- Double", "Op(0) = 7 Op(1) = 8 Op(2) = 9")
    assert sorted(map(repr, explored(OVERRIDDEN, tables).exploration.states)) == ["(7,)", "(8,)", "(9,)", "(Null,)"]


@pytest.mark.parametrize(
    ("configuration", "says"),
    [
        ("CONSTANTS N = 0 Op <- Double Null = Null INIT Init NEXT Next", "Overridden:6:1: the assumption is false"),
        ("CONSTANTS N = 1 Null = Null INIT Init NEXT Next", "the constant Op has no value in the configuration"),
        ("CONSTANTS N = 1 Op <- Double Null = Null INIT Start NEXT Next", "Overridden does not define Start"),
        ("CONSTANTS N = 1 Op <- Double Null = Null INIT Init", "INIT and NEXT"),
    ],
)
def test_an_incomplete_configuration_is_refused(configuration: str, says: str) -> None:
    with pytest.raises((Misread, Unevaluable)) as caught:
        explored(OVERRIDDEN, configuration)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        (Bounds(depth=2), "limits.depth 2"),
        (Bounds(max_states=3), "limits.states 3"),
        (Bounds(seconds=1e-9), "limits.seconds 1e-09"),
    ],
)
def test_a_reached_bound_is_not_a_verdict(bounds: Bounds, why: str) -> None:
    checked = explored(COUNTER, "SPECIFICATION Spec CONSTANT N = 50 INVARIANT Small", bounds=bounds)
    assert checked.result.verdict is Verdict.GAVE_UP
    assert checked.result.stopped == why


def test_a_single_state_that_takes_too_long_is_ended() -> None:
    slow = COUNTER.replace("Up ==", "Up == Cardinality({s \\in SUBSET (1..22) : s = {x}}) = 1 /\\").replace(
        "EXTENDS Naturals", "EXTENDS Naturals, FiniteSets"
    )
    checked = explored(slow, "SPECIFICATION Spec CONSTANT N = 50", bounds=Bounds(seconds=0.3))
    assert checked.result.verdict is Verdict.GAVE_UP
    assert checked.result.seconds < 10


def test_assumptions_alone_can_be_checked() -> None:
    checked = explored("---- MODULE Plain ----\nEXTENDS Naturals\nASSUME 1 + 1 = 2\n====", "")
    assert checked.result.verdict is Verdict.HOLDS
    assert counts(checked) == (0, 0, 0)
    with pytest.raises(Unevaluable, match="Plain:3:1: the assumption Sum is false"):
        explored("---- MODULE Plain ----\nEXTENDS Naturals\nASSUME Sum == 1 + 1 = 3\n====", "")


def test_tlc_registers_and_the_level_are_those_of_the_search(capsys: pytest.CaptureFixture[str]) -> None:
    text = COUNTER.replace("EXTENDS Naturals", "EXTENDS Naturals, TLC").replace(
        "Small == x <= N", 'Small == TLCGet("level") = x + 1 /\\ TLCSet(1, x) /\\ TLCGet(1) = x /\\ PrintT(x)'
    )
    checked = explored(text, "INIT Init NEXT Up CONSTANT N = 2 INVARIANT Small CHECK_DEADLOCK FALSE")
    assert checked.result.verdict is Verdict.HOLDS
    assert capsys.readouterr().err == "0\n1\n2\n"


def test_a_step_is_named_after_the_definition_that_contains_all_of_it() -> None:
    text = BRANCHES.replace(
        "====", "Next == (Swap /\\ x < 3) \\/ \\E n \\in {1} : Only(n)\nOnly(n) == UNCHANGED <<x, y>>\n===="
    )
    made = model(text, "INIT Init NEXT Next")
    labels = [str(label) for label, _ in made.system.successors((1, 3))]
    assert labels == ["Next", "Only(1)"]


LAZY = r"""
---- MODULE Lazy ----
EXTENDS Naturals, FiniteSets
VARIABLE x
Init == x = {}
Known == {s \in SUBSET (1..12) : s = x \/ s = {12}}
Next == x' \in {s \in SUBSET (1..12) : Cardinality(s) = Cardinality(x) + 1 /\ s \subseteq 1..3}
Right == x \in Known
Later == [][x \notin (Known)' \/ x = {12}]_x
====
"""


def test_a_lazily_evaluated_set_uses_the_state_in_which_it_was_created() -> None:
    checked = explored(LAZY, "INIT Init NEXT Next INVARIANT Right PROPERTY Later CHECK_DEADLOCK FALSE")
    assert checked.result.verdict is Verdict.HOLDS
    # Each subset of 1..3; three steps from {}, three from each set of one, one from each set of two.
    assert counts(checked) == (8, 1 + 3 + 3 * 3 + 3 * 1, 4)
