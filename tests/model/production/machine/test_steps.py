"""Single steps of the machine: deliveries during an API call, a plugin that raises, and the timeout of Permit"""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from schedcheck.model.production.framework.out_of_tree import own
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import Code, Status
from schedcheck.model.production.machine.actions import PermitOver
from schedcheck.model.production.machine.api import Choices
from schedcheck.model.production.machine.machine import Production, _delivering
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.profiles import kubernetes
from tests.model.production.framework.made_up import Made, factory
from tests.model.production.machine.test_machine import KUBERNETES, reached
from tests.support.building import node, pod, scenario


@pytest.mark.parametrize("given", [(), (0, 0), (1, 0), (2, 1), (0, 2), (2, 2)])
def test_during_a_call_the_first_of_the_pending_changes_are_delivered_in_their_order(given: tuple[int, ...]) -> None:
    there = scenario(node("n1", 1), node("n2", 1), pod("a", 1), pod("b", 1))
    explored = Production(there, Reference(there, KUBERNETES))
    (start,) = explored.initial_states()
    choices = Choices(given)
    scheduler, api = explored._awake(start, choices)
    pods: list[Any] = [(None, each) for each in there.pods]
    nodes: list[Any] = [(None, each) for each in there.nodes]
    api.changes, api.node_changes = list(pods), list(nodes)
    _delivering(scheduler, api)()
    of_pods, of_nodes = given or (0, 0)
    assert choices.sizes == [3, 3]
    assert (api.changes, api.node_changes) == (pods[of_pods:], nodes[of_nodes:])
    assert list(scheduler.handle.listers.pods) == [each.key for _, each in pods[:of_pods]]
    assert list(scheduler.cache.nodes) == [each.name for _, each in nodes[:of_nodes]]


def test_without_pending_changes_nothing_is_drawn_during_a_call() -> None:
    there = scenario(node("n1", 1), pod("a", 1))
    explored = Production(there, Reference(there, KUBERNETES))
    (start,) = explored.initial_states()
    choices = Choices(())
    _delivering(*explored._awake(start, choices))()
    assert choices.sizes == []


def machine(point: str, plugin: Any) -> Production:
    """A machine with one node and one pod, whose scheduler has this plugin at this point."""

    def registry() -> Registry:
        made = default_registry()
        made.register("A", own("A", factory(plugin)))
        return made

    profile = replace(DEFAULT_PLUGINS, points=DEFAULT_PLUGINS.points.set(point, ("A", *DEFAULT_PLUGINS.at(point))))
    there: Scenario = replace(scenario(node("n1", 1), pod("a", 1)), plugins=(profile,))
    return Production(there, Reference(there, kubernetes("kubernetes", (profile,))), registry=registry)


@pytest.mark.parametrize(
    ("point", "told"),
    [("filter", "Try(a, a plugin fails)"), ("preBind", "Advance(a, preBind, a plugin fails)")],
)
def test_a_step_in_which_a_plugin_raises_names_its_pod_and_changes_nothing(point: str, told: str) -> None:
    def fail() -> None:
        raise ValueError("broken")

    explored = machine(point, Made("A", {point: fail}))
    failing = [
        (str(action), before == after)
        for before in reached(explored)
        for action, after in explored.steps(before)
        if action.raised
    ]
    assert failing == [(told, True)]


def test_a_pod_that_waits_on_permit_is_put_back_once_its_time_is_over() -> None:
    waits = Made("A", {"permit": lambda: (Status(Code.WAIT), 60.0)})
    explored = machine("permit", waits)
    kinds = Counter[type]()
    for state in reached(explored):
        for action, after in explored.steps(state):
            kinds[type(action)] += 1
            if isinstance(action, PermitOver):
                assert str(action) == "PermitOver(a, A)"
                (before,), (left,) = state.memory.permits, after.memory.permits
                assert before[2] is None and left[2] is not None and not left[2].success
    assert kinds[PermitOver] > 0
    assert not any(each.node_name for state in reached(explored) for each in state.objects.pods if each is not None)
