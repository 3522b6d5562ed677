"""What of nodes is little or much used, as the records of tla/DeschedulerUtilization.tla: `utilization_fields`.

The descheduler computes shares and targets with floats. What depends on them is computed here.
"""

from collections.abc import Mapping

from schedcheck.model.controllers.descheduler.utilization import capacity_of, capped
from schedcheck.model.descheduling import Thresholds, Utilization
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node
from schedcheck.spec.requests import request
from schedcheck.tla_export.amounts import Scale, within
from schedcheck.tla_export.text import GREATEST, Function, Record, Set, Value

UNREQUESTED = 2**20
"""The unit of a resource that no pod requests."""


def utilization_fields(arguments: Utilization, scenario: Scenario, scaled: Scale) -> dict[str, Value]:
    """Return the fields of a run that only the plugins of utilization have. Raises: NotExportable."""
    resources = resources_of(arguments)
    units = units_of(resources, scaled)
    requested = {name: by for name, by in units.items() if name in scaled.divisors or name == "pods"}
    heavy = max(sorted(requested), key=lambda name: requested[name])
    weights = {name: unit for name, unit in requested.items() if name != heavy}
    _countable(weights, scenario)
    return {
        "Number": arguments.number,
        "OnlyThresholding": arguments.only_thresholding,
        "Thresholds": Set(tuple(arguments.thresholds)),
        "Most": arguments.most,
        "Resources": Set(resources),
        "Units": Function(dict(units)),
        "Heavy": heavy,
        "Weights": Function(dict(weights)),
        "Offers": Function({node.name: _offer(node, arguments, units) for node in scenario.nodes}),
    }


def resources_of(arguments: Utilization) -> tuple[str, ...]:
    """Return the resources that a run counts, in order."""
    return tuple(sorted({"cpu", "memory", "pods", *arguments.thresholds}))


def units_of(resources: tuple[str, ...], scaled: Scale) -> dict[str, int]:
    """Return the unit of each resource in the module."""
    return {name: 1 if name == "pods" else scaled.divisors.get(name, UNREQUESTED) for name in resources}


def _countable(weights: Mapping[str, int], scenario: Scenario) -> None:
    """Raises: NotExportable if the requests of all pods, in smallest units, exceed TLC's integers."""
    requests = (request(pod, name, NO_FAULTS) for name in weights for pod in scenario.pods)
    within(len(scenario.pods) + sum(requests), f"what the pods request of {' and '.join(sorted(weights))}")


def _offer(node: Node, arguments: Utilization, units: Mapping[str, int]) -> Record:
    highest = dict.fromkeys(arguments.thresholds, 100.0) if arguments.empties else arguments.targets
    room = zip(units, capped(node, tuple(units), highest), strict=True)
    return Record(
        {
            "Low": _limits(node, arguments.thresholds, units),
            "High": _limits(node, arguments.targets, units),
            "Room": Function({name: told_room(amount, units[name]) for name, amount in room}),
        }
    )


def told_room(amount: int, unit: int) -> Record:
    """Return an amount as whole units, and what is left."""
    return Record({"Whole": amount // unit, "Part": amount % unit})


def _limits(node: Node, thresholds: Thresholds, units: Mapping[str, int]) -> Function:
    """Return for each resource the greatest number of units whose share of the node is not above the threshold."""
    offered = capacity_of(node)
    return Function({name: _most(offered.get(name, 0), units[name], most) for name, most in thresholds.items()})


def _most(offered: int, unit: int, threshold: float) -> int:
    if offered <= 0:
        return GREATEST
    found = int(threshold * offered / 100) // unit + 2
    while float(found * unit) / float(offered) * 100 > threshold:
        found -= 1
    return min(found, GREATEST)
