"""Plugins that look at the statuses of pods: what counts of a status, and what becomes of pods that have ended"""

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.model.controllers.descheduler import descheduling
from schedcheck.model.controllers.descheduler.life_time import Ageing
from schedcheck.model.controllers.descheduler.plan import Work
from schedcheck.model.controllers.descheduler.plugins import works
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import (
    Arguments,
    Condition,
    ConditionFilter,
    Descheduler,
    Facts,
    PodLifeTime,
    RemoveFailedPods,
    Run,
    Status,
)
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod
from tests.support.building import node, pod, scenario, snapshot

FAILED = Status(
    "Failed", "Evicted", frozenset({"OOMKilled"}), frozenset({"Error"}), frozenset({"ImagePullBackOff"}), frozenset({137}),
    frozenset({1}), (Condition("Ready", "False", "PodFailed", True), Condition("Initialized", "True")), 7,
)  # fmt: skip
AGED = ConditionFilter(aged=True)


def chosen(arguments: Arguments, seen: Pod, status: Status | None = FAILED) -> str:
    """Whether the plugin evicts the pod: surely, perhaps or never."""
    given = Descheduler((), facts={seen.key: Facts((("ReplicaSet", "web", "u"),), status=status)})
    view = View(snapshot(node("n1", 4), node("n2", 4), seen), given)
    found = [work for _, work in works(arguments, view, lambda each: True, lambda each: True, lambda each: 0, ())]
    if not any(found):
        return "never"
    return "surely" if len(found) == 1 and all(isinstance(each, Ageing) and each.sure for each in found) else "perhaps"


def ageing(**fields: Any) -> PodLifeTime:
    return PodLifeTime(**{"aged": False, "ended": True, **fields})


def states(*names: str, **fields: Any) -> PodLifeTime:
    return ageing(states=frozenset(names), **fields)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (states("Failed"), "surely"),
        (states("Succeeded", "Running"), "never"),
        (states("Succeeded", "Failed"), "surely"),
        (states("Evicted"), "surely"),
        (states("OOMKilled"), "surely"),
        (states("Error"), "never"),
        (states("Error", with_init_containers=True), "surely"),
        (states("ImagePullBackOff"), "never"),
        (states("ImagePullBackOff", with_ephemeral_containers=True), "surely"),
        (states("Failed", aged=True), "perhaps"),
        (states("Failed", owner_kinds=frozenset({"Job"})), "never"),
        (states("Failed", exclude_owner_kinds=frozenset({"ReplicaSet"})), "never"),
        (states("Failed", ended=False), "never"),
        (ageing(exit_codes=frozenset({137})), "surely"),
        (ageing(exit_codes=frozenset({1})), "never"),
        (ageing(exit_codes=frozenset({1}), with_init_containers=True), "surely"),
        (ageing(conditions=(ConditionFilter("Ready"),)), "surely"),
        (ageing(conditions=(ConditionFilter("Ready", "True"),)), "never"),
        (ageing(conditions=(ConditionFilter(reason="PodFailed"),)), "surely"),
        (ageing(conditions=(ConditionFilter("Ready", aged=True),)), "perhaps"),
        (ageing(conditions=(ConditionFilter("Initialized", aged=True),)), "never"),
        (ageing(conditions=(AGED, ConditionFilter("Initialized"))), "surely"),
        (states("Failed", exit_codes=frozenset({1})), "never"),
        (RemoveFailedPods(), "surely"),
        (RemoveFailedPods(aged=True), "perhaps"),
        (RemoveFailedPods(reasons=frozenset({"OOMKilled"})), "surely"),
        (RemoveFailedPods(reasons=frozenset({"Evicted"})), "surely"),
        (RemoveFailedPods(reasons=frozenset({"Error"})), "never"),
        (RemoveFailedPods(reasons=frozenset({"Error"}), with_init_containers=True), "surely"),
        (RemoveFailedPods(exit_codes=frozenset({0})), "never"),
        (RemoveFailedPods(exclude_owner_kinds=frozenset({"ReplicaSet"})), "never"),
    ],
)
def test_a_status_is_read_as_the_plugin_reads_it(arguments: Arguments, found: str) -> None:
    assert chosen(arguments, pod("p", on="n1", phase="Failed", start_time=7)) == found


def test_another_pod_of_the_same_name_has_its_phase_alone() -> None:
    later = pod("p", on="n1", phase="Failed", start_time=8)
    assert (
        chosen(states("OOMKilled"), later)
        == chosen(RemoveFailedPods(reasons=frozenset({"OOMKilled"})), later)
        == "never"
    )
    assert chosen(states("Failed"), later) == "surely"
    changed = pod("p", on="n1", phase="Succeeded", start_time=7)
    assert chosen(states("OOMKilled"), changed) == "never"
    assert chosen(states("Completed"), changed) == chosen(ageing(exit_codes=frozenset({0})), changed) == "surely"


def ends(work: Work) -> set[tuple[int, ...]]:
    """The evictions of a run, in every order and number."""
    if not work:
        return {()}
    return {(slot, *after) for slot, left, _ in work.next() for after in ends(left)}


def test_sure_evictions_happen_in_any_order_and_the_others_perhaps() -> None:
    assert ends(Ageing(sure=(0, 1))) == {*permutations((0, 1))}
    expected = {each for number in (1, 2, 3) for each in permutations((0, 1, 2), number) if 2 in each}
    assert ends(Ageing((0, 1), (2,))) == expected
    assert not Ageing(sure=(1,)).kept(lambda slot: False)


def with_ended(owner: tuple[str, str], *properties: str) -> Scenario:
    ended = pod("p", on="n1", phase="Failed", owner=owner, start_time=7)
    made = scenario(ended, node("n1", 4), node("n2", 4), profile="kubernetes", properties=properties)
    given = Descheduler(
        (Run("RemoveFailedPods", RemoveFailedPods()),), facts={ended.key: Facts(((*owner, "u"),), status=FAILED)}
    )
    return replace(made, descheduler=given, controllers=frozenset({"owners"}))


@pytest.mark.parametrize(("kind", "again"), [("ReplicaSet", False), ("Job", False), ("StatefulSet", True)])
def test_a_pod_that_had_ended_is_created_again_only_under_its_name(kind: str, again: bool) -> None:
    found = check(replace(with_ended((kind, "web"), "comes_to_rest"), controllers=frozenset({"owners"}))).result
    assert found.verdict is Verdict.HOLDS
    assert (found.coverage["Create"] > 0) is again and found.coverage["EvictDescheduled"] == 1


def test_a_pod_that_is_created_for_one_that_had_ended_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descheduling, "_removed", lambda pod: None)
    assert check(with_ended(("ReplicaSet", "web"), "comes_to_rest")).result.coverage["Create"] > 0
