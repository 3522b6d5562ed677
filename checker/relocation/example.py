"""One of the behaviours of a drain of nodes one after another: `example`.

Any behaviour would do where all end well. This one takes the first step of the first kind that changes the cluster:
decisions first, then controllers, then evictions, so that each pod is bound before the next is evicted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from schedcheck.checker.limits.clock import Clock
from schedcheck.checker.relocation.leaving import drained
from schedcheck.model.environment import Cordon, Evict, Uncordon
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario, snapshot_of
from schedcheck.spec.decisions import Decision
from schedcheck.spec.objects import Snapshot

MOST_STEPS = 200
"""The most steps of an example."""

Taken = tuple[Any, Snapshot]
"""An action, None at first, and the cluster after it."""


def example(scenario: Scenario, order: Sequence[str], clock: Clock) -> tuple[Taken, ...] | None:
    """Return the actions of a drain of the nodes in this order, each with the cluster after it; None if it has too many.

    Raises: OutOfTime.
    """
    taken: list[Taken] = [(None, _cluster(scenario))]
    for name in order:
        for each in _turn(scenario, name, clock):
            taken.append(each)
            if len(taken) > MOST_STEPS:
                return None
        scenario = _after(scenario, taken[-1][1])
    return tuple(taken)


def _turn(scenario: Scenario, name: str, clock: Clock) -> Iterator[Taken]:
    """Yield the drain of a node, from its cordon on until it is uncordoned."""
    now = drained(scenario, (name,)).scenario
    if not all(node.unschedulable for node in scenario.nodes if node.name == name):
        yield Cordon(name), _cluster(now)
    machine = Reference(now, profile_of(now))
    (state,) = machine.initial_states()
    while (found := _next(machine, state)) is not None:
        clock.look()
        action, state = found
        yield action, machine.view(state)
    last = machine.view(state)
    back = tuple(replace(each, unschedulable=False) if each.name == name else each for each in last.nodes)
    yield Uncordon(name), replace(last, nodes=back)


def _next(machine: Reference, state: State) -> tuple[Any, State] | None:
    """Return the step that is taken; None if no step changes the cluster."""
    changing = [(action, after) for action, after in machine.steps(state) if after != state]
    return min(changing, key=lambda each: (_rank(each[0]), str(each[0])), default=None)


def _rank(action: Any) -> int:
    return 0 if isinstance(action, Decision) else 2 if isinstance(action, Evict) else 1


def _cluster(scenario: Scenario) -> Snapshot:
    there = tuple(pod for pod in scenario.pods if pod.key not in scenario.absent)
    return snapshot_of(scenario, there, scenario.nodes, scenario.budgets)


def _after(scenario: Scenario, last: Snapshot) -> Scenario:
    """Return the scenario that begins with this cluster."""
    return replace(scenario, pods=last.pods, nodes=last.nodes, budgets=last.budgets, absent=frozenset())
