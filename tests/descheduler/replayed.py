"""Whether the model allows a cycle of the descheduler: `why_not`."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import schedcheck
from schedcheck.api.preparing import prepared
from schedcheck.api.values import SILENT, as_profile
from schedcheck.manifests.descheduler_policy import descheduler_policy
from schedcheck.model.controllers import EvictDescheduled
from schedcheck.model.controllers.descheduler import ANEW
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario

Json = dict[str, Any]
Evictions = list[Json]
MOST = 20_000
"""The most states that are looked at for one eviction."""


SCENARIO: Json = {
    "apiVersion": "schedcheck/v1alpha1",
    "kind": "Scenario",
    "metadata": {"name": "ended"},
    "spec": {"controllers": []},
}


class Phase(Enum):
    """Where a cycle is: no plugin has begun, one has, or all is over."""

    BEFORE, WITHIN, OVER = range(3)


Place = tuple[State, Phase]


def scenario_of(case: Json) -> Scenario:
    """Return the cluster of a case with the descheduler as its only controller. Raises: InputError."""
    with TemporaryDirectory() as folder:
        cluster, policy = Path(folder) / "cluster.json", Path(folder) / "policy.json"
        # Without a scenario pods that have ended are left out.
        objects = [*case["objects"], *([SCENARIO] if case.get("ended") else [])]
        cluster.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        policy.write_text(json.dumps(case["policy"]))
        read = schedcheck.read(cluster, whole=True)
        made = prepared(read, as_profile("kubernetes"), SILENT).scenario
        given = descheduler_policy(policy, read, made.pods)
    return replace(made, descheduler=given, controllers=frozenset(), absent=frozenset(), rules=())


def steps(machine: Reference, place: Place) -> Iterator[tuple[Any, Place]]:
    """Yield what the descheduler may do in its one cycle."""
    state, phase = place
    given = machine._descheduling
    assert given is not None
    if phase is Phase.OVER:
        return
    if state.cycle is None or not state.cycle.due:
        for begun, plugin in given.ways(state.cycle or ANEW, state.pods, machine.view(state))[0]:
            yield plugin, (state._replace(cycle=begun), Phase.WITHIN)
        return
    for action, reached in machine._settled(state, machine._descheduled(given, state)):
        yield action, (reached, Phase.OVER if reached.cycle is None else Phase.WITHIN)


def quietly(machine: Reference, places: Iterable[Place]) -> set[Place]:
    """Return the places that are reached without an eviction that changes something."""
    found, left = set(places), list(places)
    while left:
        for action, reached in steps(machine, left.pop()):
            if not isinstance(action, EvictDescheduled) and reached not in found:
                found.add(reached)
                left.append(reached)
                assert len(found) <= MOST, "too many states"
    return found


def why_not(scenario: Scenario, cycle: Evictions) -> str:
    """Return what the model does not allow of a cycle; empty if it allows the whole of it."""
    machine = Reference(scenario, profile_of(scenario))
    places = quietly(machine, [(state, Phase.BEFORE) for state in machine.initial_states()])
    for number, each in enumerate(each for each in cycle if each["allowed"]):
        further = [(action, reached) for place in places for action, reached in steps(machine, place)]
        asked = [action for action, _ in further if isinstance(action, EvictDescheduled)]
        name = each["pod"].removeprefix("default/")
        places = quietly(machine, {reached for action, reached in further if action in asked and action.pod == name})
        if not places:
            return f"eviction {number} of {name}: the model allows {sorted({action.pod for action in asked})}"
    if any(ended(machine, place) for place in places):
        return ""
    more = {
        action.pod for place in places for action, _ in steps(machine, place) if isinstance(action, EvictDescheduled)
    }
    return f"the cycle ends: the model goes on with {sorted(more)}"


def ended(machine: Reference, place: Place) -> bool:
    """Whether the cycle may end here."""
    state, phase = place
    assert machine._descheduling is not None
    if phase is Phase.OVER:
        return True
    if state.cycle is not None and state.cycle.due:
        return False
    return machine._descheduling.ways(state.cycle or ANEW, state.pods, machine.view(state))[1]
