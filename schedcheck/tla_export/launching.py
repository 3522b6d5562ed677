"""The nodes that Karpenter may launch, as instances of its steps: `launchable_kinds`, `open_label`, `changes_of_nodes`.

`FairProvisionedCluster` tells launched nodes apart by name, instance type, zone, capacity type and the labels for which their pool lists
several values.
"""

from collections.abc import Iterator
from math import prod

from schedcheck.model.controllers.karpenter.hosts import compatible_offerings, template
from schedcheck.model.provisioning import (
    CAPACITY_TYPE,
    HOSTNAME,
    INSTANCE_TYPE,
    NODE_POOL,
    ZONE,
    InstanceType,
    Karpenter,
    Pool,
)
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod

TOLD = frozenset({CAPACITY_TYPE, HOSTNAME, INSTANCE_TYPE, NODE_POOL, ZONE})
"""The labels of a launched node that its instance names."""


def open_label(scenario: Scenario) -> str:
    """Return what a pod may fix of the nodes that are launched and no pool lists, as a reason; an empty text if nothing."""
    given = scenario.karpenter
    if given is None:
        return ""
    asked = sorted({key for pod in scenario.pods for key in _asked(pod)} - TOLD)
    for pool in given.pools:
        stated = template(pool)
        for key in asked:
            listed = key in stated and not stated[key].complement
            of_types = all(key in each.labels for each in given.types)
            if not listed and not of_types and (key in stated or key in given.well_known):
                return f"the label {key} of nodes of the NodePool {pool.name} may have any value that a pod asks for"
    return ""


def changes_of_nodes(scenario: Scenario) -> int:
    """Return the number of instances of the steps that change several nodes."""
    given = scenario.karpenter
    assert given is not None
    sets = 1 << len(given.slots(scenario.nodes))
    kinds = [launchable_kinds(pool, given) for pool in given.pools for _ in given.names(pool)]
    return _sets(kinds, len(scenario.pods)) + 2 * sets + sets * sum(kinds)


def launchable_kinds(pool: Pool, given: Karpenter) -> int:
    """Return the number of nodes of one name that a pool may launch."""
    stated = template(pool)
    return sum(
        sum(offering.available for offering in compatible_offerings(each, stated, given)) * _choices(pool, each)
        for each in given.types
    )


def _choices(pool: Pool, kind: InstanceType) -> int:
    """Return the number of what the labels may be for which a pool lists several values; any of them may be absent."""
    others = ((key, values) for key, values in template(pool).items() if key not in {*kind.labels, *TOLD})
    return prod(1 + len(values.named) for _, values in others if not values.complement and len(values.named) > 1)


def _sets(kinds: list[int], most: int) -> int:
    """Return the number of sets of at most so many nodes of different names, of each of which there are so many kinds."""
    counts = [1] + [0] * most
    for number in kinds:
        for size in range(most, 0, -1):
            counts[size] += number * counts[size - 1]
    return sum(counts)


def _asked(pod: Pod) -> Iterator[str]:
    """Yield the labels that a pod asks of its node, or counts pods by."""
    yield from pod.node_selector
    for term in pod.affinity.node_terms:
        yield from (each.key for each in term.match_expressions)
    yield from (each.topology_key for each in pod.affinity.pod_terms)
    yield from (each.topology_key for each in pod.spread)
