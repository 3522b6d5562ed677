"""Domains that nodes may have: `universe`, `type_requirements`; and what a node has: `taints_of`, `in_flight`.

Karpenter 1.15: pkg/controllers/provisioning/scheduling/topology.go, buildDomainGroups, and topologydomaingroup.go.
"""

from collections.abc import Mapping

from schedcheck.model.controllers.karpenter.requirements import (
    NOTHING,
    Values,
    joined,
    of_expressions,
    of_labels,
    one_of,
)
from schedcheck.model.provisioning import (
    CAPACITY_TYPE,
    INITIALIZED,
    INSTANCE_TYPE,
    NODE_POOL,
    ZONE,
    InstanceType,
    Karpenter,
)
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Taint, Toleration
from schedcheck.spec.tolerations import CORDON, match

Universe = Mapping[str, Mapping[str, tuple[tuple[Taint, ...], ...]]]
"""The domains of each label that nodes of pools may have, each with the taints of those pools."""


def universe(given: Karpenter) -> Universe:
    """Return the domains that nodes of pools may have. Karpenter: buildDomainGroups and TopologyDomainGroup.Insert."""
    made: dict[str, dict[str, list[tuple[Taint, ...]]]] = {}
    for pool in given.pools:
        own = joined(of_expressions(pool.requirements), of_labels(pool.labels))
        stated = {key: values for key, values in own.items() if not values.complement}
        # Of NotIn upstream takes the values that are excluded for domains.
        for part in (*(joined(own, type_requirements(each, given)) for each in given.types), stated):
            for key, values in part.items():
                for domain in values.named:
                    made.setdefault(key, {}).setdefault(domain, []).append(pool.taints)
    return {
        key: {domain: tuple(() if () in sets else each for each in sets) for domain, sets in domains.items()}
        for key, domains in made.items()
    }


def type_requirements(each: InstanceType, given: Karpenter) -> dict[str, Values]:
    """Return the labels that a node of an instance type may have."""
    there = [offering for offering in each.offerings if offering.available]
    return joined(
        {key: NOTHING for key in given.provider_labels if key not in each.labels},
        of_labels(each.labels),
        {
            INSTANCE_TYPE: one_of(each.name),
            ZONE: one_of(*(offering.zone for offering in there)),
            CAPACITY_TYPE: one_of(*(offering.capacity_type for offering in there)),
        },
    )


def taints_of(node: Node) -> tuple[Taint, ...]:
    """Return the taints of a node, with the one that a cordoned node has."""
    return (*node.taints, CORDON) if node.unschedulable and CORDON not in node.taints else node.taints


def in_flight(node: Node) -> bool:
    """Whether a node of a pool has been launched, and has not initialized."""
    return NODE_POOL in node.labels and node.labels.get(INITIALIZED) != "true"


def tolerated(taints: tuple[Taint, ...], tolerations: tuple[Toleration, ...]) -> bool:
    """Whether each taint is tolerated, whatever its effect."""
    return all(any(match(each, taint, NO_FAULTS) for each in tolerations) for taint in taints)
