r"""Formulas about whole behaviours: what the search finds, every small behaviour has, and the forms that have names of their own."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from schedcheck.checker.check import check
from schedcheck.checker.exploring.result import Bounds, Stage, Verdict
from schedcheck.checker.language.checking.meeting import Meeting
from schedcheck.checker.liveness.temporal import Around, NotABehaviour, breaks
from schedcheck.manifests import InputError
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Taint
from schedcheck.spec.properties import Behaves, Temporal
from schedcheck.tla_export.behaviours import Search
from schedcheck.tla_export.formulas import Vocabulary
from tests.support.building import node, on_nodes, on_pods, pod, scenario

ARRIVING = [on_pods("arrive", "p"), on_pods("complete", "p", 1)]
SCENES = {
    "once": scenario(pod("p", 1), node("n", 1), absent="*", rules=ARRIVING),
    "again": scenario(pod("p", 1), node("n", 1), absent="*", rules=[on_pods("arrive", "p"), on_pods("complete", "p")]),
    "cordoned": scenario(pod("p", 1), node("n", 1), rules=[on_nodes("cordon", "n"), on_nodes("uncordon", "n")]),
    "stuttering": scenario(
        pod("p", 1), node("n", 1), absent="*", rules=ARRIVING, faults=frozenset({Fault.OVERLAPPING_CASE})
    ),
}
"""In the last the scheduler may preempt nobody, which changes nothing."""
SOMEBODY_BOUND = r'(\E p \in Pods : p.Spec.NodeName # "")'
FORMULAS = [
    "<>[](Turn = {})",
    "<>[](Turn # {})",
    f"<>[]{SOMEBODY_BOUND}",
    "[]<>(Turn = {}) /\\ []<>(Pods # {})",
    "[]<>(Turn # {}) => []<>(Turn = {})",
    f"WF_Objects(Scheduler) => <>{SOMEBODY_BOUND}",
    f"SF_Objects(Scheduler) => <>{SOMEBODY_BOUND}",
    f"SF_Objects(Scheduler) /\\ []<>(Turn # {{}}) => <>{SOMEBODY_BOUND}",
    "WF_Objects(Scheduler) => ((Turn # {}) ~> (Turn = {}))",
    "[]<><<Unbound' # Unbound>>_Objects",
    "<>[][Unbound' = Unbound]_Objects",
    "<>(Turn # {}) => <>[](Turn = {})",
]
BINDS = "[][Turn = {} => Turn' = {}]_Objects"
JOINED = [
    f"{BINDS} => (Turn = {{}} => [](Turn = {{}}))",
    f"{BINDS} => [](Turn = {{}})",
    "[][Turn # {} => Turn' # {}]_Objects => [](Turn # {} => Cardinality(Turn) = 1)",
    f"[][Turn # {{}} => Turn' # {{}}]_Objects => ~<>{SOMEBODY_BOUND}",
    f"[][Turn # {{}} => Turn' # {{}}]_Objects => []~{SOMEBODY_BOUND} \\/ <>(Turn = {{}})",
    "[]<>(Turn # {}) => [](Turn = {})",
    f"<>{SOMEBODY_BOUND} => [](Turn = {{}})",
    "[](Turn = {}) \\/ [](Turn # {})",
    f"[](Turn = {{}}) \\/ []~{SOMEBODY_BOUND}",
    f"[](Pods = {{}}) \\/ []~{SOMEBODY_BOUND} \\/ [](Turn = {{}})",
    "<>(Turn # {}) /\\ <>(Turn = {}) => [](Pods = {}) \\/ <>[](Turn # {})",
    "WF_Objects(Scheduler) => [][Turn # {} => Turn' # {}]_Objects",
    f"[]<>(Turn = {{}}) => {BINDS}",
    f"{BINDS} \\/ [][Turn # {{}} => Turn' # {{}}]_Objects",
    f"{BINDS} => [][Objects' = Objects]_Objects",
    f"[]<><<Turn' # Turn>>_Objects => <>{SOMEBODY_BOUND} /\\ <>(Turn # {{}})",
]


def asked(text: str, scene: Scenario) -> Temporal:
    """The property that the formula is."""
    found = Vocabulary(scene).property_of(text)
    assert isinstance(found, Temporal)
    return found


def behaviours(machine: Reference, steps: int) -> Iterator[tuple[Sequence[Stage], int]]:
    """Every behaviour of at most so many steps until it goes round, with the place where it goes on."""

    def walks(stages: list[Stage]) -> Iterator[tuple[Sequence[Stage], int]]:
        here = stages[-1].state
        yield from ((stages, loop) for loop, each in enumerate(stages) if each.state == here)
        if len(stages) <= steps:
            for action, after in machine.steps(here):
                if after != here:
                    yield from walks([*stages, Stage(action, after)])

    for state in machine.initial_states():
        yield from walks([Stage(None, state)])


@pytest.mark.parametrize("fairness", ["none", "weak", "strong"])
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("formulas", [FORMULAS, JOINED], ids=["formulas", "joined"])
def test_what_is_found_is_what_some_small_behaviour_shows(name: str, fairness: str, formulas: list[str]) -> None:
    """No behaviour of so small a machine needs more steps than these to come to a round and go round it."""
    scene = replace(SCENES[name], fairness=fairness)
    for text in formulas:
        question = asked(text, scene)
        checked = check(scene, rules=(question,), alone=True, engine="both")
        machine: Any = checked.machine
        fair = (
            (stages, loop)
            for stages, loop in behaviours(machine, 7)
            if Around.of(machine, stages[loop:]).fair(question.fairness)
        )
        shown = any(breaks(machine, question, stages, loop) for stages, loop in fair)
        assert (checked.result.verdict is Verdict.VIOLATED) is shown, text


def test_some_formulas_hold_and_some_are_broken() -> None:
    scene = SCENES["again"]
    verdicts = [check(scene, rules=(asked(text, scene),), alone=True).result.verdict for text in FORMULAS]
    assert {*verdicts} == {Verdict.HOLDS, Verdict.VIOLATED}


SAME = [
    ("<>(Turn # {})", "<>(Turn # {}) /\\ TRUE"),
    ("[]<>(Turn = {})", "[]<>(Turn = {}) /\\ TRUE"),
    ("(Turn # {}) ~> (Turn = {})", "((Turn # {}) ~> (Turn = {})) /\\ TRUE"),
]


@pytest.mark.parametrize(("named", "other"), SAME)
@pytest.mark.parametrize("fairness", ["none", "weak", "strong"])
def test_a_form_with_a_search_of_its_own_is_decided_alike(named: str, other: str, fairness: str) -> None:
    for scene in SCENES.values():
        fair = replace(scene, fairness=fairness)
        questions = asked(named, fair), asked(other, fair)
        assert [isinstance(each, Behaves) for each in questions] == [False, True]
        results = [check(fair, rules=(each,), alone=True).result for each in questions]
        assert results[0].verdict is results[1].verdict
        loops = [[each.loop for each in result.violations] for result in results]
        assert loops[0] == loops[1], "the way to the round is as short"


@pytest.mark.parametrize("fairness", ["none", "weak", "strong"])
@pytest.mark.parametrize("engine", ["direct", "tabulated"])
def test_steps_come_to_an_end_in_a_formula_exactly_if_they_do_in_the_property(engine: str, fairness: str) -> None:
    """A preemption of nobody, which changes nothing, is a step to neither; evictions by a taint go round for both."""
    nobody = replace(SCENES["stuttering"], absent=frozenset(), rules=(), fairness=fairness)
    web = pod("web", 1, on="n", owner=("ReplicaSet", "web"), template_node_name="n")
    driven = scenario(
        web,
        node("n", 1, taints=(Taint("gone", "NoExecute"),)),
        profile="kubernetes",
        controllers=frozenset({"owners", "lifecycle", "kubelet"}),
    )
    for scene, ends in ((nobody, True), (replace(driven, fairness=fairness), False)):
        formula = check(scene, rules=(asked("<>[][FALSE]_Objects", scene),), alone=True, engine=engine).result
        named = check(replace(scene, properties=("comes_to_rest",)), engine=engine).result
        assert [each.verdict is Verdict.HOLDS for each in (formula, named)] == [ends, ends]
    taken = check(replace(nobody, properties=("comes_to_rest",))).result.coverage
    assert taken["Preempt"] > 0


def test_what_the_formula_supposes_is_what_makes_it_hold() -> None:
    """Nobody is fair; a pod that waits, and will not go, is bound if the scheduler does in the end what it always can."""
    scene = replace(SCENES["once"], fairness="none")
    claim = "((Turn # {}) ~> (Turn = {}))"
    supposed = [f"TRUE => {claim}", f"WF_Objects(Scheduler) => {claim}", f"SF_Objects(Scheduler) => {claim}"]
    verdicts = [check(scene, rules=(asked(text, scene),), alone=True).result.verdict for text in supposed]
    assert verdicts == [Verdict.VIOLATED, Verdict.HOLDS, Verdict.HOLDS]


def test_strong_fairness_is_needed_where_the_action_is_possible_only_now_and_then() -> None:
    scene = replace(SCENES["cordoned"], fairness="none")
    again = r"[]<>(\A n \in Nodes : ~n.Spec.Unschedulable) => ((Turn # {}) ~> (Turn = {}))"
    supposed = [f"{kind}_Objects(Scheduler) /\\ TRUE => ({again})" for kind in ("WF", "SF")]
    verdicts = [check(scene, rules=(asked(text, scene),), alone=True).result.verdict for text in supposed]
    assert verdicts == [Verdict.VIOLATED, Verdict.HOLDS]


def test_a_search_that_forgets_who_is_fair_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = SCENES["once"]
    question = asked("((Turn # {}) ~> (Turn = {})) /\\ TRUE", scene)
    assert check(scene, rules=(question,), alone=True).result.verdict is Verdict.HOLDS
    monkeypatch.setattr(Search, "_fair", lambda self, graph: iter(()))
    with pytest.raises(NotABehaviour, match="not fair"):
        check(scene, rules=(question,), alone=True)


def test_states_beyond_a_constraint_leave_it_undecided() -> None:
    scene = replace(SCENES["again"], constraints=("at_most_bound(0)",))
    found = check(scene, rules=(asked("<>[](Turn = {}) \\/ []<>(Turn = {})", scene),), alone=True, engine="both").result
    assert found.verdict is Verdict.GAVE_UP
    assert found.stopped.startswith("the constraints cut off")


def test_too_little_memory_for_the_graph_is_said() -> None:
    scene = SCENES["again"]
    question = asked("<>[](Turn = {})", scene)
    found = check(scene, rules=(question,), alone=True, bounds=Bounds(graph=1e-7)).result
    assert found.verdict is Verdict.GAVE_UP
    assert found.stopped.startswith("--graph-memory 1e-07")


def test_an_action_without_a_next_state_is_refused_in_one_line() -> None:
    scene = SCENES["once"]
    with pytest.raises(InputError, match="--property: ") as error:
        check(scene, rules=(asked("WF_Objects(Turn' = Turn) => <>(Turn # {})", scene),), alone=True)
    assert "\n" not in str(error.value)


def test_joined_formulas_have_the_verdicts_that_are_found_by_hand() -> None:
    """By hand: where every arrival is forbidden nobody ever waits, and without that premise somebody does."""
    scene = SCENES["again"]
    by_hand = {
        f"{BINDS} => [](Turn = {{}})": Verdict.HOLDS,
        "[][Objects' # Objects]_Objects => [](Turn = {})": Verdict.VIOLATED,
        # Who stays in the turn for ever is never bound; and who may leave it is.
        f"[][Turn # {{}} => Turn' # {{}}]_Objects => []~{SOMEBODY_BOUND}": Verdict.HOLDS,
        f"[][Turn # {{}} => Turn' = {{}}]_Objects => []~{SOMEBODY_BOUND}": Verdict.VIOLATED,
        # One behaviour shows both: the pod waits, and is bound later.
        f"[](Turn = {{}}) \\/ []~{SOMEBODY_BOUND}": Verdict.VIOLATED,
        # Nobody is bound who did not wait before.
        f"[](Turn = {{}}) => []~{SOMEBODY_BOUND}": Verdict.HOLDS,
        f"WF_Objects(Scheduler) => {BINDS}": Verdict.VIOLATED,
        f"[](Turn = {{}}) => {BINDS}": Verdict.HOLDS,
    }
    for text, verdict in by_hand.items():
        assert check(scene, rules=(asked(text, scene),), alone=True, engine="both").result.verdict is verdict, text


def test_a_search_that_forgets_the_steps_that_are_supposed_is_found_out() -> None:
    scene = SCENES["again"]
    question = asked(f"{BINDS} => [](Turn = {{}})", scene)
    question.search.ways[:] = [replace(way, along=()) for way in question.search.ways]  # type: ignore[union-attr]
    with pytest.raises(NotABehaviour, match="keeps the property"):
        check(scene, rules=(question,), alone=True)


def test_a_search_that_forgets_what_is_to_be_met_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = replace(SCENES["again"], fairness="none")
    monkeypatch.setattr(Meeting, "everything_met", lambda self: self.in_each(np.ones(self.graph.states, np.bool_)))
    with pytest.raises(NotABehaviour, match="keeps the property"):
        check(scene, rules=(asked(f"[](Turn = {{}}) \\/ []~{SOMEBODY_BOUND}", scene),), alone=True)
