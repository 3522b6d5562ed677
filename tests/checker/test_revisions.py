"""A manifest that an event applies: what `deploy` says of it, beside other events, with timers and with symmetry"""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from schedcheck.checker.check import Checked, check
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.model.controllers import rolling as machine_of_rollouts
from schedcheck.model.controllers.replica_set import ready
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.rollouts import Revisions, Rollout, Scales
from schedcheck.model.scenario import APPLY, Rule, Scenario
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.values import Labels
from tests.checker.deploying.test_deployed import (
    KNOWN,
    answer,
    drawn,
    ends_well,
    form,
    hosts,
    rolling,
    running,
    updated,
)
from tests.support.building import node, on_nodes, pod

COMPLETES = "rollout_completes"

Asked = tuple[list[Node], int, int]
"""Nodes, maxSurge and maxUnavailable."""

Scaled = tuple[Scales, ...]


def revised(asked: Scenario, *rules: Rule, waits: bool = False, properties: tuple[str, ...] = (COMPLETES,)) -> Scenario:
    """The scenario in which an event makes the change that `deploy` is asked about."""
    (rollout,) = asked.rollouts
    former = rollout.former if rollout.rolling else rollout.forms
    there = [form for form in former if form.key not in asked.absent]
    replicas = len(there) if rollout.kind != "DaemonSet" or there else 0
    forms = tuple(there) if replicas else ()
    before = Rollout(
        rollout.kind, "web", "default", replicas, forms, ordered=rollout.ordered, costs=rollout.costs, waits=waits
    )
    event = Rule(APPLY, workloads=(str(rollout),), manifest="web.yaml", bound=1)
    return replace(
        asked, rules=(event, *rules), rollouts=(replace(rollout, before=before, waits=waits),), properties=properties,
        controllers=asked.controllers | {"owners", "kubelet"},
    )  # fmt: skip


def asked_of(scenario: Scenario, most: int = 4000) -> Checked:
    return check(scenario, bounds=Bounds(max_states=most))


def verdict(scenario: Scenario, most: int = 4000) -> Verdict | None:
    """The verdict of the whole space, None if it is larger."""
    found = asked_of(scenario, most).result
    return None if found.stopped else found.verdict


# The answers of `deploy`.


@pytest.mark.parametrize("name", KNOWN)
def test_an_event_gets_stuck_where_deploy_says_so_and_its_repair_completes(name: str) -> None:
    stuck, repaired = (revised(make().scenario) for make in KNOWN[name])
    assert verdict(stuck) is Verdict.VIOLATED
    assert verdict(repaired) in (Verdict.HOLDS, Verdict.VACUOUS)


def compared(seeds: range) -> list[tuple[str, bool]]:
    """Compare verdicts with those of `deploy`; return the kinds of workloads with the verdicts."""
    ways = []
    for seed in seeds:
        question = drawn(seed)
        (rollout,) = question.scenario.rollouts
        well = ends_well(question, 400, evicted=False)
        found = None if well is None else verdict(revised(question.scenario), 1500)
        if found is None or well is None:
            continue
        assert well or found is Verdict.VIOLATED, seed
        # A StatefulSet in order waits for a pod that it recreated by its former template, before its event.
        assert not well or found is not Verdict.VIOLATED or rollout.ordered, seed
        if answer(question).verdict is Verdict.HOLDS and not rollout.ordered:
            assert found is not Verdict.VIOLATED, seed
        ways.append((rollout.kind, well))
    return ways


def test_the_event_has_the_answers_of_deploy() -> None:
    ways = compared(range(11))
    assert {("Deployment", True), ("Deployment", False)} <= {*ways} and len(ways) > 5, ways


@pytest.mark.slow
def test_the_event_has_the_answers_of_deploy_on_more_workloads() -> None:
    ways = compared(range(11, 300))
    kinds = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
    assert {(kind, True) for kind in kinds} <= {*ways}
    assert {("Deployment", False), ("StatefulSet", False), ("DaemonSet", False)} <= {*ways}, ways


# The timer of minReadySeconds.


def states_of(scenario: Scenario) -> list[State]:
    machine = Reference(scenario, profile_of(scenario))
    found = list(machine.initial_states())
    seen = set(found)
    for state in found:
        for _, reached in machine.steps(state):
            if reached not in seen:
                seen.add(reached)
                found.append(reached)
    return found


@pytest.mark.parametrize(("number", "surge", "unavailable"), [(2, 1, 0), (2, 0, 1)])
def test_with_min_ready_seconds_the_available_pods_keep_the_limit_and_not_only_the_ready_ones(
    number: int, surge: int, unavailable: int
) -> None:
    states = states_of(revised(rolling(number, [node("n0", cpu=9)], surge, unavailable).scenario, waits=True))
    assert least_available(states) == number - unavailable
    assert any(timed(state) for state in states), "some pod is ready and not available"


def timed(state: State) -> tuple[int, ...]:
    assert state.revisions is not None
    return state.revisions.timed


def least_available(states: list[State]) -> int:
    return min(sum(ready(pod) and slot not in timed(state) for slot, pod in enumerate(state.pods)) for state in states)


def test_a_controller_that_counts_ready_pods_as_available_breaks_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = revised(rolling(2, [node("n0", cpu=9)], 1, 0).scenario, waits=True)
    monkeypatch.setattr(machine_of_rollouts.Rolling, "_timed", lambda *given: ())
    assert least_available(states_of(scenario)) < 2


def test_a_timer_that_never_expires_stops_a_rollout(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = revised(rolling(2, [node("n0", cpu=9)], 1, 0).scenario, waits=True)
    assert verdict(scenario) is Verdict.HOLDS
    monkeypatch.setattr(machine_of_rollouts.Rolling, "expirations", lambda *given: iter(()))
    assert verdict(scenario) is Verdict.VIOLATED


def test_timers_delay_a_rollout_and_do_not_change_how_it_ends() -> None:
    ways = set()
    for seed in range(9):
        question = drawn(seed)
        plain, timed = (verdict(revised(question.scenario, waits=waits), 1000) for waits in (False, True))
        if plain is None or timed is None:
            continue
        assert plain is timed, seed
        ways.add(plain)
    assert {Verdict.HOLDS, Verdict.VIOLATED} <= ways


# Other events beside it, and symmetry.


def test_a_manifest_that_is_never_applied_leaves_its_workload_as_it_is() -> None:
    scenario = revised(rolling(2, hosts(2), 1, 0).scenario, on_nodes("fail", "n0", bound=1))
    scenario = replace(scenario, rules=(replace(scenario.rules[0], bound=0), scenario.rules[1]))
    scenario = replace(scenario, controllers=scenario.controllers | {"podgc"})
    states = states_of(scenario)
    pods = [pod for state in states for pod in state.pods if pod is not None]
    assert not any(pod.uid == "new" for pod in pods)
    assert {pod.node_name for pod in pods} == {"n0", "n1", ""}, "its controller recreates pods of a lost node"
    assert verdict(scenario) is Verdict.VACUOUS


def test_interchangeable_objects_beside_a_rollout_are_those_of_a_count_by_hand() -> None:
    nodes = [node(name, cpu=2) for name in ("n0", "n1")]
    asked = rolling(1, nodes, 1, 0).scenario
    others = tuple(pod(f"x-{each}", cpu=1) for each in range(2))
    asked = replace(asked, pods=(*asked.pods, *others))
    scenario = revised(asked, waits=True, properties=("no_overcommit",))
    plain, symmetric = (check(scenario, symmetry=each) for each in (False, True))
    assert symmetric.symmetry == (("x-0", "x-1"), ("n0", "n1"))
    assert plain.result.verdict is symmetric.result.verdict is Verdict.HOLDS
    states = states_of(scenario)
    assert plain.result.distinct == len(states)
    assert symmetric.result.distinct == len({orbit(state) for state in states})


def orbit(state: object) -> object:
    """The least image of a state if x-0 and x-1, and n0 and n1, are exchanged in its text; they are in no order there."""
    text = repr(state)
    images = []
    for pods in (("x-0", "x-1"), ("x-1", "x-0")):
        for nodes in (("n0", "n1"), ("n1", "n0")):
            names = {"x-0": pods[0], "x-1": pods[1], "n0": nodes[0], "n1": nodes[1]}
            parts = text.removeprefix("State(").split(" | ")
            renamed = [" ".join(sorted(_renamed(part, names).split(" "))) for part in parts[:2]]
            images.append(" | ".join((*renamed, *parts[2:])))
    return min(images)


def _renamed(text: str, names: dict[str, str]) -> str:
    for place, name in enumerate(names):
        text = text.replace(name, f"<{place}>")
    for place, name in enumerate(names.values()):
        text = text.replace(f"<{place}>", name)
    return text


# Broken controllers.


def test_a_controller_without_room_for_its_surge_is_found_by_each_property() -> None:
    stuck = revised(KNOWN["no room for the surge"][0]().scenario, properties=(COMPLETES, "comes_to_rest"))
    found = {each.property.name for each in asked_of(stuck).result.violations}
    assert found == {"rollout_completes(deployment/web)"}, "it rests, and is not complete"


def test_an_event_that_leaves_the_scales_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = revised(rolling(2, [node("n0", cpu=9)], 1, 0).scenario, properties=("never_below(app=web, 2)",))
    scenario = replace(scenario, pods=labelled(scenario.pods), rollouts=tuple(map(of_web, scenario.rollouts)))
    assert verdict(scenario) is Verdict.HOLDS
    true = machine_of_rollouts.Rolling.applications

    def broken(self: machine_of_rollouts.Rolling, rule: Rule, scales: Scaled, revisions: Revisions) -> Iterator[Any]:
        for action, _, after in true(self, rule, scales, revisions):
            yield action, scales, after

    monkeypatch.setattr(machine_of_rollouts.Rolling, "applications", broken)
    assert verdict(scenario) is Verdict.VIOLATED


# The properties, each violated and kept.


def labelled(pods: tuple[Pod, ...]) -> tuple[Pod, ...]:
    return tuple(replace(each, labels=Labels({"app": "web"})) for each in pods)


def of_web(rollout: Rollout) -> Rollout:
    assert rollout.before is not None
    before = replace(rollout.before, forms=labelled(rollout.before.forms))
    return replace(rollout, forms=labelled(rollout.forms), former=labelled(rollout.former), before=before)


@pytest.mark.parametrize(
    ("text", "bad", "good"),
    [
        ("never_below(app=web, 2)", (hosts(2), 0, 1), (hosts(2), 1, 0)),
        ("replicas_reached(app=web, 2)", (hosts(2), 0, 1), (hosts(2, cpu=3), 0, 1)),
        ("rollout_completes(deployment/web)", (hosts(2, cpu=1), 1, 0), (hosts(2, cpu=1), 0, 1)),
    ],
)
def test_a_property_is_violated_by_one_rollout_and_kept_by_another(text: str, bad: Asked, good: Asked) -> None:
    new = 3 if text.startswith("replicas") else 1
    for (nodes, surge, unavailable), expected in ((bad, Verdict.VIOLATED), (good, Verdict.HOLDS)):
        old = [running(f"web-{each}", f"n{each}") for each in range(2)]
        question = updated(old, form(cpu=new), nodes, surge=surge, unavailable=unavailable)
        scenario = revised(question.scenario, properties=(text,))
        scenario = replace(scenario, pods=labelled(scenario.pods), rollouts=tuple(map(of_web, scenario.rollouts)))
        assert verdict(scenario) is expected, text


def test_random_scenarios_with_other_events_end_as_without_symmetry() -> None:
    for seed in range(6):
        chance = Random(seed)
        asked = drawn(seed).scenario
        names = [each.name for each in asked.nodes]
        event = on_nodes(chance.choice(("cordon", "unready", "fail")), chance.choice(names), bound=1)
        if asked.rollouts[0].kind == "DaemonSet":
            continue
        scenario = revised(asked, event, properties=("no_overcommit", "anti_affinity_kept"))
        plain, symmetric = (check(scenario, symmetry=each, bounds=Bounds(depth=6)) for each in (False, True))
        assert plain.result.verdict is symmetric.result.verdict, seed
