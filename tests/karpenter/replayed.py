"""Whether the model allows a run of Karpenter: `why_not`."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import schedcheck
from schedcheck.api.preparing import prepared
from schedcheck.api.values import SILENT, as_profile
from schedcheck.manifests.karpenter import karpenter
from schedcheck.manifests.karpenter_facts import unmodelled
from schedcheck.model.controllers.karpenter.choosing import Choices, every
from schedcheck.model.controllers.karpenter.consolidation import Command, Disrupting
from schedcheck.model.controllers.karpenter.requirements import EXISTS
from schedcheck.model.controllers.karpenter.solving import Claim, Solution
from schedcheck.model.profiles import profile_of
from schedcheck.model.provisioning import CAPACITY_TYPE, ZONE
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod

Json = dict[str, Any]
MOST = 20_000
"""The most ways that are looked at."""
FEW = 60
"""The number of ways from which a case is not recorded."""


def scenario_of(case: Json, most: int = 9) -> Scenario:
    """Return the cluster of a case with Karpenter as its only controller; each pool has at most so many nodes.

    Raises: InputError.
    """
    catalogue = {"apiVersion": "schedcheck/v1alpha1", "kind": "InstanceTypes", "mostNodes": most}
    catalogue["instanceTypes"] = case["catalogue"]
    with TemporaryDirectory() as folder:
        cluster, pools = Path(folder) / "cluster.json", Path(folder) / "karpenter.yaml"
        cluster.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": case["objects"]}))
        pools.write_text("\n---\n".join(json.dumps(each) for each in (*case["pools"], catalogue)))
        read = schedcheck.read(cluster, whole=True)
        made = prepared(read, as_profile("kubernetes"), SILENT).scenario
        given = karpenter(pools, read, made.pods)
    made = replace(made, karpenter=given, controllers=frozenset(), absent=frozenset(), rules=())
    assert unmodelled(made) == "", unmodelled(made)
    return made


class Looks:
    """The looks at the first state of a scenario, one for each way in which choices are made."""

    def __init__(self, scenario: Scenario) -> None:
        machine = Reference(scenario, profile_of(scenario))
        (state,) = machine.initial_states()
        assert machine._provisioning is not None
        self._at = machine._provisioning, machine.view(state), state.progress

    def look(self, choices: Choices) -> Disrupting:
        """Return the look with these choices."""
        provisioning, view, progress = self._at
        return provisioning.disrupting(view, progress, choices)

    def solutions(self) -> Iterator[Json]:
        """Yield what the provisioner may decide."""
        yield from bounded(every(lambda choices: solution_json(self.look(choices).simulated(()))))

    def commands(self, nominated: frozenset[str]) -> Iterator[Json | None]:
        """Yield what the disruption methods may decide."""
        yield from bounded(every(lambda choices: command_json(self.look(choices).after(nominated))))


def few(case: Json) -> bool:
    """Whether a case has so few ways that a test can look at all of them."""
    looks = Looks(scenario_of(case))
    placed = frozenset(case["cycles"][0]["placed"])
    return all(len(list(islice(ways, FEW))) < FEW for ways in (looks.solutions(), looks.commands(placed)))


def bounded(ways: Iterator[Any]) -> Iterator[Any]:
    """Yield the ways, no more than there may be."""
    for number, each in enumerate(ways):
        assert number < MOST, "too many ways"
        yield each


def ordered(claim: Json) -> str:
    """Return the text by which claims are ordered."""
    return json.dumps(claim, sort_keys=True)


def names(pods: tuple[Pod, ...]) -> list[str]:
    """Return the names of pods, sorted."""
    return sorted("/".join(pod.key) for pod in pods)


def claim_json(claim: Claim) -> Json:
    """Return a claim in the form of the adapter."""

    def values(key: str) -> list[str] | None:
        found = claim.requirements.get(key, EXISTS)
        return sorted(found.named) if found.named and not found.complement else None

    return {
        "pool": claim.pool.name,
        "types": sorted(each.name for each in claim.types),
        "zones": values(ZONE),
        "capacityTypes": values(CAPACITY_TYPE),
        "pods": names(claim.pods),
    }


def solution_json(solution: Solution) -> Json:
    """Return the result of a simulation in the form of the adapter."""
    return {
        "claims": sorted(map(claim_json, solution.claims), key=ordered),
        "placed": {node.name: names(pods) for node, pods in solution.placed},
        "failed": names(solution.failed),
    }


def command_json(command: Command | None) -> Json | None:
    """Return a command in the form of the adapter."""
    if command is None:
        return None
    replacement = None if command.replacement is None else claim_json(command.replacement)
    return {"reason": command.reason, "nodes": [*command.nodes], "replacement": replacement}


def why_not(looks: Looks, cycle: Json) -> str:
    """Return what the model does not allow of a run; empty if it allows the whole of it."""
    told = {**{key: cycle[key] for key in ("placed", "failed")}, "claims": sorted(cycle["claims"], key=ordered)}
    allowed = []
    for each in looks.solutions():
        if each == told:
            break
        allowed.append(each)
    else:
        return f"provisions {json.dumps(told)}: the model allows {json.dumps(allowed[:3])}"
    commands = []
    for command in looks.commands(frozenset(cycle["placed"])):
        if command == cycle["command"]:
            return ""
        if command not in commands:
            commands.append(command)
    return f"disrupts {json.dumps(cycle['command'])}: the model allows {json.dumps(commands[:3])}"
