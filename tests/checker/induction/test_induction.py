"""Inductions against the explorer, the specification's own steps, and broken twins."""

from collections import Counter
from dataclasses import replace

import pytest
import z3

from schedcheck.checker.check import asked_in, check
from schedcheck.checker.induction import induction
from schedcheck.checker.induction import vocabulary as words
from schedcheck.checker.induction.induction import Answer, Induction, Standing, induct
from schedcheck.checker.induction.states import State
from schedcheck.checker.induction.steps import _of_nodes
from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.result import Verdict
from schedcheck.model.profiles import judging, profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Container, Node, Pod, PodDisruptionBudget, Snapshot, Taint
from schedcheck.spec.published import preemption
from schedcheck.spec.terms import LabelSelector
from schedcheck.spec.values import Labels
from tests.examples.test_examples import example
from tests.tla.random_scenarios import random_scenario

BILLION = 10**9
NAMES = ("no_overcommit", "only_lower_priority_evicted", "budget_kept")


def web(name: str, **fields: object) -> Pod:
    fields = {"labels": Labels(app="web"), "containers": (Container(Labels(cpu=BILLION)),), **fields}
    return Pod(name, **fields)  # type: ignore[arg-type]


NODE = Node("n1", allocatable=Labels(cpu=1000, pods=10))
PODS = (web("high", priority=10), web("low"))
KEYS = tuple(pod.key for pod in PODS)
ROOM = Scenario("room", PODS, (NODE,), rules=(Rule("arrive", KEYS),), absent=frozenset(KEYS))


def answer(scenario: Scenario, text: str) -> Answer:
    questions = asked_in(text, scenario, judging(scenario))
    (found,) = induct(scenario, questions, Spent())
    return found


def budgeted(*rules: Rule, **fields: object) -> Scenario:
    """Two pods under a budget that demands one, and evictions through the API."""
    budget = PodDisruptionBudget("web", selector=LabelSelector(Labels(app="web")), min_available=1)
    bound = tuple(replace(pod, node_name="n1") for pod in PODS)
    rules = (Rule("evict", KEYS), *rules)
    scenario = replace(ROOM, pods=bound, absent=frozenset(), rules=rules, budgets=(budget,))
    return replace(scenario, nodes=(replace(NODE, allocatable=Labels(cpu=9000, pods=10)),), **fields)  # type: ignore[arg-type]


def numbers(about: Induction, snapshot: Snapshot) -> list[object]:
    """The formulas that the state before a step is this snapshot."""
    return _equal(about.symbols.state, _counted(about, snapshot), snapshot, about)


def _counted(about: Induction, snapshot: Snapshot) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]:
    vocabulary, kubelet = about.symbols.words, about.symbols.kubelet
    kinds = {pod.key: kind for kind, members in enumerate(vocabulary.members) for pod in members}
    ready: Counter[tuple[int, int]] = Counter()
    other: Counter[tuple[int, int]] = Counter()
    for number, node in enumerate(about.scenario.nodes):
        for pod in snapshot.pods:
            if pod.node_name == node.name and pod.phase not in ("Succeeded", "Failed"):
                fit = not pod.terminating and (pod.phase == "Running" or not kubelet)
                (ready if fit else other)[kinds[pod.key], number] += 1
    return ready, other


def _equal(
    state: State,
    counts: tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]],
    snapshot: Snapshot,
    about: Induction,
) -> list[object]:
    there = {node.name: node for node in snapshot.nodes}
    nodes = about.scenario.nodes
    forms = about.symbols.words.nodes
    return [
        *(state.ready[place] == counts[0][place] for place in state.ready),
        *(state.other[place] == counts[1][place] for place in state.other),
        *(state.form[n] == forms[n].index(there.get(node.name)) for n, node in enumerate(nodes)),
        *(state.allowed[n] == budget.disruptions_allowed for n, budget in enumerate(snapshot.budgets)),
    ]


def missed(scenario: Scenario, most: int = 60) -> list[str]:
    """The steps of the machine, from the first states that it reaches, that no formula of a step allows."""
    about = Induction(scenario, Spent())
    machine = Reference(scenario, profile_of(scenario))
    reached = list(dict.fromkeys(machine.initial_states()))
    found = []
    for state in reached:
        before = numbers(about, machine.view(state))
        for action, after in machine.steps(state):
            if after not in reached and len(reached) < most:
                reached.append(after)
            view = machine.view(after)
            counts = _counted(about, view)
            solver = z3.Solver()
            solver.add(*about.symbols.any_state(), *before)
            same = z3.And(*_equal(about.symbols.state, counts, view, about))
            moves = [z3.And(each.guard, *_equal(each.after, counts, view, about)) for each in about.steps]
            solver.add(z3.Or(same, *moves))
            if solver.check() != z3.sat:
                found.append(str(action))
    return found


@pytest.mark.parametrize("name", ["budget-broken", "node-failure", "label-removed", "toleration-seconds"])
def test_every_step_of_the_machine_is_a_step_of_the_formulas(name: str) -> None:
    assert missed(example(name), 12) == []


@pytest.mark.parametrize("name", ["budget-broken", "node-failure"])
def test_every_step_under_kube_scheduler_is_a_step_of_the_formulas(name: str) -> None:
    assert missed(replace(example(name), profile="kubernetes"), 12) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(6))
def test_every_step_of_a_random_scenario_is_a_step_of_the_formulas(seed: int) -> None:
    assert missed(replace(random_scenario(seed), constraints=()), 8) == []


def test_a_step_that_the_formulas_lack_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(induction, "steps", _of_nodes)
    assert any(action.startswith("Bind(") for action in missed(example("node-failure"), 12))


@pytest.mark.parametrize("seed", range(8))
def test_what_is_inductive_is_not_violated_in_any_reachable_state(seed: int) -> None:
    scenario = replace(random_scenario(seed), constraints=())
    for name in NAMES[:2]:
        found = answer(scenario, name)
        if found.standing is Standing.INDUCTIVE:
            assert check(replace(scenario, properties=(name,))).result.verdict is not Verdict.VIOLATED


@pytest.mark.parametrize("profile", ["corrected", "kubernetes"])
def test_the_resource_filter_keeps_nodes_from_being_overcommitted(profile: str) -> None:
    assert answer(replace(ROOM, profile=profile), "no_overcommit").standing is Standing.INDUCTIVE


def test_bound_pods_that_use_nothing_overcommit_a_node() -> None:
    found = answer(replace(ROOM, faults=frozenset({"bound-pods-ignored"})), "no_overcommit")
    assert found.standing is Standing.NOT_INDUCTIVE
    assert found.replay is not None
    assert len(found.replay.before.pods) == 2
    assert occupants(NODE, found.replay.after, NO_FAULTS) == frozenset(found.replay.after.pods)


def test_kube_scheduler_without_its_resource_filter_overcommits_a_node() -> None:
    points = DEFAULT_PLUGINS.points
    left = {point: tuple(name for name in names if name != "NodeResourcesFit") for point, names in points.items()}
    plugins = replace(DEFAULT_PLUGINS, points=type(points)(left))
    found = answer(replace(ROOM, profile="kubernetes", plugins=(plugins,)), "no_overcommit")
    assert found.standing is Standing.NOT_INDUCTIVE


def test_a_template_that_names_a_node_is_not_held_against_its_resources() -> None:
    pods = tuple(replace(pod, template_node_name="n1") for pod in PODS)
    found = answer(replace(ROOM, pods=pods), "no_overcommit")
    assert found.standing is Standing.NOT_INDUCTIVE
    assert found.replay is not None
    assert found.replay.steps[0].startswith("Arrive(")


def test_a_node_that_returns_needs_the_invariant_about_absent_nodes() -> None:
    rules = (*ROOM.rules, Rule("fail", nodes=("n1",)), Rule("return", nodes=("n1",)))
    found = answer(replace(ROOM, rules=rules), "no_overcommit")
    assert (found.standing, found.assumed) == (Standing.INDUCTIVE, "The pods of an absent node fit on it, too.")


def test_a_first_state_that_violates_is_not_inductive() -> None:
    pods = tuple(replace(pod, node_name="n1") for pod in PODS)
    assert answer(replace(ROOM, pods=pods, absent=frozenset()), "no_overcommit").standing is Standing.VIOLATED


def test_evicting_pods_of_equal_priority_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(ROOM, "only_lower_priority_evicted").standing is Standing.INDUCTIVE

    def equal_too(pod: Pod, node: Node, snapshot: Snapshot, faults: object) -> frozenset[Pod]:
        return frozenset(each for each in occupants(node, snapshot, NO_FAULTS) if each.priority <= pod.priority)

    monkeypatch.setattr(words, "jeopardy", equal_too)
    monkeypatch.setattr(preemption, "jeopardy", equal_too)
    found = answer(ROOM, "only_lower_priority_evicted")
    assert found.standing is Standing.NOT_INDUCTIVE
    assert found.replay is not None
    assert found.replay.steps[0].startswith("Preempt(")


def test_a_counterexample_that_the_specification_does_not_confirm_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "jeopardy", lambda pod, node, snapshot, faults: occupants(node, snapshot, NO_FAULTS))
    found = answer(ROOM, "only_lower_priority_evicted")
    assert found.standing is Standing.UNKNOWN
    assert "no step of the specification" in found.why


@pytest.mark.parametrize(
    ("fields", "rules", "expected"),
    [
        ({"profile": "kubernetes"}, (), Standing.NOT_INDUCTIVE),  # kube-scheduler evicts in spite of budgets
        ({"pods": tuple(replace(pod, node_name="n1", priority=0) for pod in PODS)}, (), Standing.INDUCTIVE),
        (
            {"pods": tuple(replace(pod, node_name="n1", priority=0) for pod in PODS)},
            (Rule("delete", KEYS),),
            Standing.NOT_INDUCTIVE,  # a deletion makes the status out of date
        ),
    ],
)
def test_a_budget_is_kept_by_induction_only_if_its_status_stays_up_to_date(
    fields: dict[str, object], rules: tuple[Rule, ...], expected: Standing
) -> None:
    found = answer(budgeted(*rules, **fields), "budget_kept(web)")
    assert found.standing is expected
    assert bool(found.assumed) == (expected is Standing.INDUCTIVE)


def test_a_label_that_changes_ends_what_a_selector_ensured() -> None:
    text = "stays_on(app=web, disk=ssd)"
    nodes = (replace(NODE, labels=Labels(disk="ssd")), replace(NODE, name="n2"))
    pods = tuple(replace(pod, node_selector=Labels(disk="ssd")) for pod in PODS)
    scenario = replace(ROOM, nodes=nodes, pods=pods)
    assert answer(scenario, text).standing is Standing.INDUCTIVE
    assert answer(replace(scenario, pods=PODS), text).standing is Standing.NOT_INDUCTIVE
    label = Rule("label", nodes=("n1",), label_key="disk", label_values=(None,))
    assert answer(replace(scenario, rules=(*ROOM.rules, label)), text).standing is Standing.NOT_INDUCTIVE


def test_a_taint_that_is_removed_ends_what_it_ensured() -> None:
    text, taint = "stays_on(app=web, !gpu)", Taint("gpu", "NoSchedule")
    nodes = (NODE, replace(NODE, name="n2", labels=Labels(gpu="yes"), taints=(taint,)))
    scenario = replace(ROOM, nodes=nodes)
    assert answer(scenario, text).standing is Standing.INDUCTIVE
    untaint = Rule("untaint", nodes=("n2",), taint=taint)
    assert answer(replace(scenario, rules=(*ROOM.rules, untaint)), text).standing is Standing.NOT_INDUCTIVE


@pytest.mark.parametrize(
    ("scenario", "why"),
    [
        (replace(ROOM, profile="classic"), "not modelled: the scheduler of the profile classic"),
        (replace(ROOM, rules=(Rule("shutdown", nodes=("n1",)),)), "not modelled: the event shutdown"),
    ],
)
def test_what_is_not_modelled_is_unknown_by_name(scenario: Scenario, why: str) -> None:
    found = answer(scenario, "no_overcommit")
    assert (found.standing, found.why) == (Standing.UNKNOWN, why)


def test_a_property_without_formulas_is_unknown() -> None:
    assert answer(ROOM, "type_correct").why == "the property is not modelled"
