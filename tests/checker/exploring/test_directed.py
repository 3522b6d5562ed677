"""The search directed at loops: brute force on random graphs, loops that breadth first does not reach, broken definitions"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedcheck.checker import check as checking
from schedcheck.checker.check import Checked, Search, check
from schedcheck.checker.exploring import directed as searching
from schedcheck.checker.exploring.directed import Part, news, values
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.exploring.shortening import Links, shortened
from schedcheck.checker.liveness.graph import Explored, instance
from schedcheck.checker.liveness.repetitions import repetition
from schedcheck.checker.liveness.temporal import NotABehaviour, shown
from schedcheck.checker.result import Bounds, Result, Stage, Verdict, Violation
from schedcheck.model.machine import Machine
from schedcheck.model.scenario import Scenario
from schedcheck.report.text import statement
from schedcheck.spec.objects import Taint, Toleration
from schedcheck.spec.properties.kinds import Ceases, Eventually, Fairness, LeadsTo, Once, Temporal
from tests.checker.liveness.labelled import ACTIONS, MACHINES, SOME, STATES, Do, Event, Labelled, Strong, Weak, by_force
from tests.support.building import node, on_nodes, pod, replays, scenario

FAIR = Fairness((Weak,), (Strong,))
ALL = frozenset(range(STATES))
HOT = Taint("hot", "NoExecute")


def among(states: frozenset[int]) -> Callable[[int], bool]:
    return lambda state: state in states


def searched(machine: Machine[int], question: Temporal, directed_at: int | None = 1, most: int | None = None) -> Result:
    """The result of a search that is directed at once; -1 lies beyond the constraint."""
    exploration = Exploration(
        machine, (question,), constraint=lambda state: state >= 0, bounds=Bounds(max_states=most), directed_at=directed_at
    )  # fmt: skip
    return breadth_first(exploration)


def agrees(machine: Labelled, question: Temporal, length: int | None) -> None:
    """Assert that there is a counterexample as brute force says, and that it is one by its definition."""
    result = searched(machine, question)
    assert (result.verdict is Verdict.VIOLATED) == (length is not None)
    for violation in result.violations:
        assert replays(machine, violation.trace)
        assert violation.loop is not None
        assert shown(machine, question, violation.trace, violation.loop) == violation  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(MACHINES, SOME, SOME, st.booleans())
def test_leads_to_is_decided_as_by_brute_force(
    machine: Labelled, when: frozenset[int], holds: frozenset[int], rests: bool
) -> None:
    question = LeadsTo("q", "Q.", among(when), among(holds), FAIR, (Event,) if rests else ())
    forbidden = "e" if rests else ""
    agrees(
        machine, question, by_force(machine, STATES, start=when, inside=ALL - holds, often=ALL, forbidden=forbidden)
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(MACHINES, SOME)
def test_eventually_is_decided_as_by_brute_force(machine: Labelled, holds: frozenset[int]) -> None:
    question = Eventually("q", "Q.", among(holds), FAIR, (Event,))
    length = by_force(machine, STATES, start=ALL, inside=ALL - holds, often=ALL, forbidden="e", at_once=True)
    agrees(machine, question, length)


@settings(max_examples=60, deadline=None)
@given(MACHINES, st.sets(st.sampled_from("wso"), min_size=1))
def test_ceases_is_decided_as_by_brute_force(machine: Labelled, letters: set[str]) -> None:
    kinds = tuple(type(ACTIONS[letter]) for letter in sorted(letters))
    question = Ceases("q", "Q.", kinds, FAIR, (Event,))
    of_kinds = "".join(letter for letter, action in ACTIONS.items() if type(action) in kinds)
    length = by_force(machine, STATES, start=ALL, inside=ALL, often=ALL, forbidden="e", often_taken=of_kinds)
    agrees(machine, question, length)


class Wide:
    """Thirty steps on each of which a counter may be raised, and then a cycle: states are 1000 * step + counter."""

    def initial_states(self) -> tuple[int, ...]:
        return (0,)

    def steps(self, state: int) -> Iterator[tuple[Do, int]]:
        step, counter = divmod(state, 1000)
        yield Weak("on"), ((step + 1) % 30 or 20) * 1000 + counter
        if counter < 900:
            yield Weak("raise"), state + 1

    def view(self, state: int) -> int:
        return state

    def unfinished(self, state: int) -> bool:
        return False

    def kinds(self) -> tuple[type, ...]:
        return (Weak,)


ENDS = Ceases("ends", "Steps end.", (Weak,), Fairness(strong=(Strong,)))


def test_a_loop_beyond_many_states_is_found_before_they_are_explored() -> None:
    """Breadth first reaches 300 states long before a cycle; behaviours reach it in some steps."""
    assert searched(Wide(), ENDS, None, 300).verdict is Verdict.GAVE_UP
    found = searched(Wide(), ENDS, 100, 300)
    assert found.verdict is Verdict.VIOLATED
    assert found.directed is not None
    assert found.directed > 0
    assert found.queue > 0
    (violation,) = found.violations
    assert replays(Wide(), violation.trace)
    assert violation.loop is not None
    assert len(violation.trace) - 1 - violation.loop == 10


def test_the_same_search_gives_the_same_trace() -> None:
    first, second = searched(Wide(), ENDS, 100), searched(Wide(), ENDS, 100)
    assert first.violations == second.violations
    assert first.coverage == second.coverage


def test_what_is_possible_is_known_of_expanded_states_alone() -> None:
    """Also after the exploration counts those of the part: no behaviour took the step to 2, which has a lower number than 3."""
    machine = Labelled(((0, "w", 1), (0, "o", 2), (1, "w", 3), (3, "w", 0)))
    begun = Exploration(machine, (ENDS,), directed_at=1)
    begun.begin()
    part = Part(begun)
    for state in (0, 1, 3):
        assert part.moves(part.numbers[state], 10)
    possible = part.possible()
    searching._take_over(begun, part)
    assert part.numbers[2] < begun.expanded == 3
    waits, others = instance(ACTIONS["w"]), instance(ACTIONS["o"])
    assert [possible(state) for state in range(4)] == [{waits, others}, {waits}, None, {waits}]


def test_a_property_that_holds_holds_after_all_states() -> None:
    machine = Labelled(tuple((number, "w", number + 1) for number in range(40)))
    question = Ceases("ends", "Steps end.", (Weak,), FAIR)
    plain, tried = searched(machine, question, None), searched(machine, question)
    assert tried.verdict is plain.verdict is Verdict.HOLDS
    assert (tried.distinct, tried.generated, tried.depth, tried.coverage, tried.directed) == (
        *(plain.distinct, plain.generated, plain.depth, plain.coverage), None,
    )  # fmt: skip


def test_a_part_that_takes_unexpanded_states_for_ends_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The state after the first step is known and not expanded: a behaviour must not seem to rest there."""
    machine = Labelled((*((number, "w", number + 1) for number in range(40)),))
    question = Eventually("reached", "40 is reached.", lambda state: state == 40, FAIR)
    assert searched(machine, question).verdict is Verdict.HOLDS

    def whole(part: "Part[int]") -> Explored:
        assert part.recorder is not None
        return Explored(part.recorder.graph(len(part.states)), part.states)

    monkeypatch.setattr(Part, "explored", whole)
    monkeypatch.setattr(searching, "LONGEST", 3)
    with pytest.raises(NotABehaviour):
        searched(machine, question)


def test_steps_out_of_a_part_enable_their_actions() -> None:
    """The cycle 0, 1 always enables a fair action that leads on: not to know what follows must not make it unfair."""
    machine = Labelled(((0, "o", 1), (1, "o", 0), (0, "w", 2), (1, "w", 2)))
    question = Eventually("reached", "2 is reached.", lambda state: state == 2, FAIR)
    part = Part(Exploration(machine, (question,), directed_at=1))
    part.begun.begin()
    part = Part(part.begun)
    for number in (0, 1):
        assert part.moves(number, 9) is not None
    assert part.violations() == []
    unfair = Exploration(machine, (replace(question, fairness=Fairness()),), directed_at=1)
    unfair.begin()
    part = Part(unfair)
    part.moves(0, 9)
    part.moves(1, 9)
    assert len(part.violations()) == 1


RETURNING = scenario(
    pod("web", 1, owner=("ReplicaSet", "web"), tolerations=(Toleration("hot", "Exists", seconds=9),)),
    pod("other", 1),
    node("n", 2, taints=(HOT,)),
    node("m", 1),
    controllers=frozenset({"owners", "lifecycle"}),
    profile="kubernetes",
)
"""A taint evicts one pod whenever it is bound to n; the other pod is bound once."""


def asking(each: Scenario, *properties: str, directed: bool = True) -> Checked:
    return check(replace(each, properties=properties), search=Search(directed=directed))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "DIRECTED", 2)


@pytest.mark.parametrize("name", ["comes_to_rest", "evictions_end", "no_pod_evicted_twice_for_one_reason"])
@pytest.mark.parametrize("event", [False, True])
@pytest.mark.usefixtures("at_once")
def test_controllers_that_chase_each_other_are_found(name: str, event: bool) -> None:
    """Also if an event has to happen first: a node is tainted at most once."""
    rules = (on_nodes("taint", "n", 1, taint=HOT), on_nodes("taint", "m", 1, taint=HOT))
    bare = tuple(replace(each, taints=()) for each in RETURNING.nodes)
    found = asking(replace(RETURNING, rules=rules, nodes=bare) if event else RETURNING, name)
    assert found.result.verdict is Verdict.VIOLATED
    assert found.result.directed is not None
    (violation,) = found.result.violations
    assert replays(found.machine, violation.trace)
    actions = [str(stage.action) for stage in violation.trace[1:]]
    assert actions.count("TaintEvict(web)") >= (2 if isinstance(violation.property, Once) else 1)
    if isinstance(violation.property, Once):
        assert repetition(violation.property, violation.trace) is not None


@pytest.mark.usefixtures("at_once")
def test_a_repaired_cluster_holds_with_the_same_counts() -> None:
    kept = replace(
        RETURNING, pods=tuple(replace(each, tolerations=(Toleration("hot", "Exists"),)) for each in RETURNING.pods)
    )
    tried, plain = asking(kept, "comes_to_rest"), asking(kept, "comes_to_rest", directed=False)
    assert tried.result.verdict is plain.result.verdict is Verdict.HOLDS
    assert replace(tried.result, seconds=0) == replace(plain.result, seconds=0)


def test_a_loop_among_the_explored_states_ends_the_search_too() -> None:
    """The behaviours may add no state; that not all were explored is said nevertheless."""
    machine = Labelled(
        (*((number, "w", (number + 1) % 3) for number in range(3)), *((2, "o", number) for number in range(3, 9)))
    )
    found = searched(machine, replace(ENDS, fairness=Fairness()), 4)
    assert found.verdict is Verdict.VIOLATED
    assert found.directed == 0
    assert found.queue > 0
    assert not statement.complete(found)


def test_nothing_is_directed_unless_it_is_wanted() -> None:
    assert asking(RETURNING, "comes_to_rest", directed=False).result.directed is None


def test_what_does_not_matter_is_left_out_of_a_trace() -> None:
    """The binding of the other pod, which is fair to take once, is taken before the cycle; a repeated round is not needed."""
    machine = Labelled(((0, "o", 1), (1, "o", 2), (2, "o", 1), (1, "e", 3), (3, "e", 1)))
    question = Ceases("ends", "Steps end.", (type(ACTIONS["o"]),), FAIR)
    begun = Exploration(machine, (question,))
    o, e = ACTIONS["o"], ACTIONS["e"]
    trace = (Stage(None, 0), *(Stage(*each) for each in ((o, 1), (e, 3), (e, 1), (o, 2), (o, 1), (e, 3), (e, 1))))
    found = shortened(begun, shown(machine, question, trace, 3))
    assert [(str(each.action), each.state) for each in found.trace[1:]] == [
        ("Other(o)", 1),
        ("Other(o)", 2),
        ("Other(o)", 1),
    ]
    assert found.loop == 1


class Chain:
    """Ten steps, each of which makes the next possible, and then a cycle of three; how often a state was looked at."""

    def __init__(self) -> None:
        self.looks = Counter[int]()

    def initial_states(self) -> tuple[int, ...]:
        return (0,)

    def steps(self, state: int) -> Iterator[tuple[Do, int]]:
        self.looks[state] += 1
        yield Weak(str(state)), 10 if state == 12 else state + 1

    def view(self, state: int) -> int:
        return state

    def unfinished(self, state: int) -> bool:
        return False

    def kinds(self) -> tuple[type, ...]:
        return (Weak,)


def test_a_step_that_makes_a_later_one_possible_is_not_left_out() -> None:
    """What is known to be possible is not looked at again; only the last step may be left out, and that needs no other."""
    machine = Chain()
    stages = [Stage(None, 0), *(Stage(Weak(str(state)), state + 1) for state in range(12)), Stage(Weak("12"), 10)]
    found = shown(machine, ENDS, tuple(stages), 10)
    machine.looks.clear()
    possible = {state: {instance(Weak(str(state)))} for state in range(13)}
    assert shortened(Exploration(machine, (ENDS,)), found, possible.get) == found
    assert not machine.looks
    assert shortened(Exploration(machine, (ENDS,)), found) == found
    assert set(machine.looks.values()) == {1}


def test_links_are_the_steps_without_which_a_later_one_is_not_possible() -> None:
    """0 -o-> 1 -e-> 3 -e-> 1 -w-> 2: the step to 1 makes e and w possible, and e only lets w be possible again."""
    machine = Labelled(((0, "o", 1), (1, "e", 3), (3, "e", 1), (1, "w", 2)))
    o, e, w = (ACTIONS[each] for each in "oew")
    trace = [Stage(None, 0), Stage(o, 1), Stage(e, 3), Stage(e, 1), Stage(w, 2)]
    links = Links(Exploration(machine, ()), lambda state: None, trace)
    across = {(first, size) for size in (1, 2, 3) for first in range(1, 6 - size) if links.across(first, size)}
    needed = {(1, 1), (1, 2), (1, 3), (3, 1)}
    assert across == needed


def test_a_shortest_trace_is_not_shortened() -> None:
    machine = Labelled(((0, "o", 1), (1, "o", 0)))
    question = Ceases("ends", "Steps end.", (type(ACTIONS["o"]),), FAIR)
    found = Violation(
        question, tuple(Stage(action, state) for action, state in ((None, 0), (ACTIONS["o"], 1), (ACTIONS["o"], 0))), 0
    )
    assert shortened(Exploration(machine, (question,)), found) == found


def test_the_values_of_a_state_have_their_places() -> None:
    assert values(3) == {3}
    assert values((1, ("a", "a"))) == {(0, -1, 1), (1, 0, "a"), (1, 1, "a")}


VALUES = st.integers(0, 2) | st.tuples(st.integers(0, 2)) | st.tuples(st.integers(0, 2), st.sampled_from(["a", "b"]))
STATES_OF_VALUES = st.integers(0, 2) | st.lists(VALUES, max_size=3).map(tuple)


@given(STATES_OF_VALUES, STATES_OF_VALUES, st.data())
def test_news_are_the_values_of_a_state_that_were_not_seen(before: object, after: object, data: st.DataObject) -> None:
    more = data.draw(st.sets(st.sampled_from(sorted(values(after), key=str)))) if values(after) else set()
    seen = values(before) | more
    assert news(before, after, seen) == len(values(after) - seen)


def test_a_bound_ends_the_behaviours_too() -> None:
    exploration = Exploration(Wide(), (ENDS,), bounds=Bounds(seconds=0.0), directed_at=1)
    exploration.begin()
    found, states = searching.directed(exploration, 1)
    assert (found, states) == ([], 0)
    assert exploration.stopped.endswith(" 0")
