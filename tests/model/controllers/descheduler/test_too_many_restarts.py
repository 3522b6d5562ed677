"""RemovePodsHavingTooManyRestarts: pods at the threshold are evicted, from the most restarts on; the event `restart`"""

from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.model.controllers.descheduler.plugins import works
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import Descheduler, Facts, Namespaces, Run, TooManyRestarts
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import RESTART, Rule, Scenario
from schedcheck.spec.objects import Pod
from tests.support.building import node, pod, selector, snapshot

PLUGIN = "RemovePodsHavingTooManyRestarts"
NODES = (node("n1", 2), node("n2", 2))


def plans(arguments: TooManyRestarts, *pods: Pod, able: bool = True, most: int | None = None) -> dict[str, Any]:
    """The groups of pods that a run evicts, by node."""
    seen = snapshot(*NODES, *pods)
    given = Descheduler((), most_restarts=most)
    slots = {each.key: place for place, each in enumerate(seen.pods)}
    found = works(arguments, View(seen, given), lambda each: True, lambda each: able, lambda each: slots[each.key], ())
    return {
        stage[1]: [[seen.pods[slot].name for slot in group] for group in work.plan]  # type: ignore[attr-defined]
        for stage, work in found
    }


def restarted(name: str, containers: int, init: int = 0, on: str = "n1", **fields: Any) -> Pod:
    return pod(name, on=on, restarts=(containers, init), **fields)


@pytest.mark.parametrize(("restarts", "found"), [(2, False), (3, True), (4, True)])
def test_a_pod_is_evicted_from_the_threshold_on(restarts: int, found: bool) -> None:
    assert bool(plans(TooManyRestarts(3), restarted("a", restarts))) == found
    assert not plans(TooManyRestarts(3), restarted("a", restarts), able=False)


def test_restarts_of_init_containers_count_if_the_arguments_say_so() -> None:
    assert not plans(TooManyRestarts(3), restarted("a", 2, 1))
    assert plans(TooManyRestarts(3, with_init_containers=True), restarted("a", 2, 1))


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (TooManyRestarts(1, Namespaces(include=frozenset({"default"}))), True),
        (TooManyRestarts(1, Namespaces(exclude=frozenset({"default"}))), False),
        (TooManyRestarts(1, selector=selector(app="web")), True),
        (TooManyRestarts(1, selector=selector(app="db")), False),
    ],
)
def test_pods_of_the_namespaces_and_labels_are_considered(arguments: TooManyRestarts, found: bool) -> None:
    assert bool(plans(arguments, restarted("a", 1, labels={"app": "web"}))) == found


def test_pods_of_a_node_go_from_the_most_restarts_on_and_nodes_in_any_order() -> None:
    pods = (restarted("a", 2), restarted("b", 5), restarted("c", 2), restarted("d", 1), restarted("e", 9, on="n2"))
    assert plans(TooManyRestarts(2), *pods) == {"n1": [["b"], ["a", "c"]], "n2": [["e"]]}
    assert plans(TooManyRestarts(2), *pods, most=2) == {"n1": [["a", "b", "c"]], "n2": [["e"]]}


def restarting(threshold: int, *, dumped: int = 0, bound: int | None = None, rule: bool = True) -> Scenario:
    """A pod that its owner recreates, on either of two nodes, beside a descheduler."""
    web = pod("web", 1, on="n1", owner=("ReplicaSet", "web"))
    facts = {web.key: Facts((("ReplicaSet", "web", "u"),), restarts=(dumped, 0))}
    return Scenario(
        "s",
        (web,),
        NODES,
        rules=(Rule(RESTART, pods=(web.key,), bound=bound),) if rule else (),
        profile="kubernetes",
        controllers=frozenset({"owners"}),
        descheduler=Descheduler((Run(PLUGIN, TooManyRestarts(threshold)),), facts=facts),
        properties=("never_evicted(web)",),
    )


@pytest.mark.parametrize(("dumped", "bound", "evicted"), [(0, 1, False), (0, 2, True), (1, 1, True), (2, 0, True), (1, 0, False)])  # fmt: skip
def test_restarts_of_the_dump_and_of_events_add_up(dumped: int, bound: int, evicted: bool) -> None:
    result = check(restarting(2, dumped=dumped, bound=bound)).result
    assert (result.verdict is Verdict.VIOLATED) == evicted


def test_the_states_are_counted_by_hand() -> None:
    """The pod is on n1 or n2 with 0, 1 or 2 restarts; with 2 also decided on; or it is gone, or waits: 6 + 2 + 2."""
    result = check(replace(restarting(2), properties=("type_correct",))).result
    assert result.distinct == 10


def test_a_recreated_pod_has_not_restarted() -> None:
    made = restarting(1, dumped=3, rule=False)
    result = check(replace(made, properties=("comes_to_rest", "evictions_end"))).result
    assert result.verdict is Verdict.HOLDS
    assert result.coverage["EvictDescheduled"] == 1


def test_without_a_plugin_that_counts_them_pods_do_not_restart() -> None:
    made = replace(restarting(1), descheduler=None)
    machine = Reference(made, profile_of(made))
    (first,) = machine.initial_states()
    assert not list(machine._by_rules(first))
