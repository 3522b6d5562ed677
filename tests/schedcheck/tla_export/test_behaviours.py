"""Formulas about whole behaviours: the search agrees with an enumeration, and equal forms have equal verdicts"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from schedcheck.checker.check import check
from schedcheck.checker.language.checking.meeting import Meeting
from schedcheck.checker.liveness.temporal import Around, NotABehaviour, breaks
from schedcheck.checker.result import Bounds, Stage, Verdict
from schedcheck.errors import InputError
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Taint
from schedcheck.spec.properties.kinds import Behaves, Temporal
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
"""In `stuttering` the scheduler may preempt without evicting a pod, which changes nothing."""
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
    """The property that the formula states."""
    found = Vocabulary(scene).property_of(text)
    assert isinstance(found, Temporal)
    return found


def behaviours(machine: Reference, steps: int) -> Iterator[tuple[Sequence[Stage], int]]:
    """Every behaviour of at most this many steps up to its cycle, with the index where the cycle starts."""

    def walks(stages: list[Stage]) -> Iterator[tuple[Sequence[Stage], int]]:
        here = stages[-1].state
        yield from ((stages, loop) for loop, each in enumerate(stages) if each.state == here)
        if len(stages) <= steps:
            for action, after in machine.steps(here):
                if after != here:
                    yield from walks([*stages, Stage(action, after)])

    for state in machine.initial_states():
        yield from walks([Stage(None, state)])


@pytest.mark.sampled(5)
@pytest.mark.parametrize("fairness", ["none", "weak", "strong"])
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("formulas", [FORMULAS, JOINED], ids=["formulas", "joined"])
def test_the_search_agrees_with_an_enumeration_of_small_behaviours(
    name: str, fairness: str, formulas: list[str]
) -> None:
    """In transition systems this small, every lasso has at most these many steps."""
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


def test_some_formulas_hold_and_some_are_violated() -> None:
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
def test_a_form_with_its_own_search_has_the_same_verdict(named: str, other: str, fairness: str) -> None:
    for scene in SCENES.values():
        fair = replace(scene, fairness=fairness)
        questions = asked(named, fair), asked(other, fair)
        assert [isinstance(each, Behaves) for each in questions] == [False, True]
        results = [check(fair, rules=(each,), alone=True).result for each in questions]
        assert results[0].verdict is results[1].verdict
        loops = [[each.loop for each in result.violations] for result in results]
        assert loops[0] == loops[1], "the path to the cycle has the same length"


@pytest.mark.parametrize("fairness", ["none", "weak", "strong"])
@pytest.mark.parametrize("engine", ["direct", "tabulated"])
def test_comes_to_rest_agrees_with_the_formula_that_steps_end(engine: str, fairness: str) -> None:
    """A preemption without victims changes nothing and is a step for neither; evictions by a taint cycle for both."""
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


def test_an_assumed_fairness_makes_the_formula_hold() -> None:
    """Without default fairness; the pending pod is bound if the scheduler eventually takes its always enabled step."""
    scene = replace(SCENES["once"], fairness="none")
    claim = "((Turn # {}) ~> (Turn = {}))"
    supposed = [f"TRUE => {claim}", f"WF_Objects(Scheduler) => {claim}", f"SF_Objects(Scheduler) => {claim}"]
    verdicts = [check(scene, rules=(asked(text, scene),), alone=True).result.verdict for text in supposed]
    assert verdicts == [Verdict.VIOLATED, Verdict.HOLDS, Verdict.HOLDS]


def test_strong_fairness_is_needed_for_an_intermittently_enabled_action() -> None:
    scene = replace(SCENES["cordoned"], fairness="none")
    again = r"[]<>(\A n \in Nodes : ~n.Spec.Unschedulable) => ((Turn # {}) ~> (Turn = {}))"
    supposed = [f"{kind}_Objects(Scheduler) /\\ TRUE => ({again})" for kind in ("WF", "SF")]
    verdicts = [check(scene, rules=(asked(text, scene),), alone=True).result.verdict for text in supposed]
    assert verdicts == [Verdict.VIOLATED, Verdict.HOLDS]


def test_a_search_that_ignores_fairness_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_too_little_memory_for_the_graph_is_reported() -> None:
    scene = SCENES["again"]
    question = asked("<>[](Turn = {})", scene)
    found = check(scene, rules=(question,), alone=True, bounds=Bounds(graph=1e-7)).result
    assert found.verdict is Verdict.GAVE_UP
    assert found.stopped.startswith("limits.graph 1e-07")


def test_an_action_without_a_next_state_is_refused_in_one_line() -> None:
    scene = SCENES["once"]
    with pytest.raises(InputError, match="properties: ") as error:
        check(scene, rules=(asked("WF_Objects(Turn' = Turn) => <>(Turn # {})", scene),), alone=True)
    assert "\n" not in str(error.value)


def test_compound_formulas_have_the_verdicts_derived_by_hand() -> None:
    """By hand: if every arrival is forbidden no pod is ever pending; without that premise some pod is."""
    scene = SCENES["again"]
    by_hand = {
        f"{BINDS} => [](Turn = {{}})": Verdict.HOLDS,
        "[][Objects' # Objects]_Objects => [](Turn = {})": Verdict.VIOLATED,
        # A pod that stays in the turn without end is never bound; one that may leave it is.
        f"[][Turn # {{}} => Turn' # {{}}]_Objects => []~{SOMEBODY_BOUND}": Verdict.HOLDS,
        f"[][Turn # {{}} => Turn' = {{}}]_Objects => []~{SOMEBODY_BOUND}": Verdict.VIOLATED,
        # One behaviour shows both: the pod is pending, and is bound later.
        f"[](Turn = {{}}) \\/ []~{SOMEBODY_BOUND}": Verdict.VIOLATED,
        # No pod is bound that was not pending before.
        f"[](Turn = {{}}) => []~{SOMEBODY_BOUND}": Verdict.HOLDS,
        f"WF_Objects(Scheduler) => {BINDS}": Verdict.VIOLATED,
        f"[](Turn = {{}}) => {BINDS}": Verdict.HOLDS,
    }
    for text, verdict in by_hand.items():
        assert check(scene, rules=(asked(text, scene),), alone=True, engine="both").result.verdict is verdict, text


def test_a_search_that_ignores_the_assumed_steps_is_detected() -> None:
    scene = SCENES["again"]
    question = asked(f"{BINDS} => [](Turn = {{}})", scene)
    question.search.ways[:] = [replace(way, along=()) for way in question.search.ways]  # type: ignore[union-attr]
    with pytest.raises(NotABehaviour, match="keeps the property"):
        check(scene, rules=(question,), alone=True)


def test_a_search_that_ignores_what_must_recur_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = replace(SCENES["again"], fairness="none")
    monkeypatch.setattr(Meeting, "everything_met", lambda self: self.in_each(np.ones(self.graph.states, np.bool_)))
    with pytest.raises(NotABehaviour, match="keeps the property"):
        check(scene, rules=(asked(f"[](Turn = {{}}) \\/ []~{SOMEBODY_BOUND}", scene),), alone=True)
