"""The nodes that a provider launches for claims: `launches`.

Karpenter 1.15: pkg/controllers/provisioning/scheduling/nodeclaimtemplate.go, ToNodeClaim; pkg/cloudprovider/fake and
kwok/cloudprovider, Create, which launch the cheapest.
Differs: every launch succeeds at once. Any offering of any instance type that is left may come, unless the catalogue says
that the cheapest does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from frozendict import frozendict

from schedcheck.model.controllers.karpenter.hosts import UNREGISTERED, compatible_offerings
from schedcheck.model.controllers.karpenter.solving import Claim
from schedcheck.model.environment import in_order
from schedcheck.model.provisioning import (
    CAPACITY_TYPE,
    CHEAPEST,
    HOSTNAME,
    INITIALIZED,
    INSTANCE_TYPE,
    NODE_POOL,
    REGISTERED,
    ZONE,
    InstanceType,
    Karpenter,
    Offering,
    Pool,
    with_labels,
)
from schedcheck.spec.objects import Node

Choice = tuple[InstanceType, Offering]


def launches(claims: Sequence[Claim], names: Sequence[str], given: Karpenter) -> Iterator[tuple[Node, ...]]:
    """Yield the nodes that may come for claims, which get these names."""
    for chosen in product(*(choices(claim, given) for claim in claims)):
        yield tuple(launched(claim, name, choice) for claim, name, choice in zip(claims, names, chosen, strict=True))


def choices(claim: Claim, given: Karpenter) -> list[Choice]:
    """Return the instance types and offerings of which a claim may become a node."""
    some = [
        (each, offering)
        for each in claim.types
        for offering in compatible_offerings(each, claim.requirements, given)
        if offering.available
    ]
    least = min((offering.price for _, offering in some), default=0.0)
    return [each for each in some if given.launch != CHEAPEST or each[1].price == least]


def launched(claim: Claim, name: str, choice: Choice) -> Node:
    """Return the node of a claim, which has not initialized."""
    type_, offering = choice
    fixed = {key: values.only for key, values in claim.requirements.items() if values.only is not None}
    labels = {key: value for key, value in fixed.items() if key not in (REGISTERED, INITIALIZED) and value is not None}
    labels |= {**type_.labels, INSTANCE_TYPE: type_.name, ZONE: offering.zone, CAPACITY_TYPE: offering.capacity_type}
    labels |= {HOSTNAME: name, NODE_POOL: claim.pool.name}
    taints = (*claim.pool.taints, *claim.pool.startup_taints, UNREGISTERED)
    capacity = type_.capacity if type_.capacity != type_.allocatable else type(type_.capacity)()
    return in_order(Node(name, frozendict(sorted(labels.items())), type_.allocatable, taints, capacity=capacity))


def initialized(node: Node, pool: Pool) -> Node:
    """Return the node once it has registered and initialized, without its startup taints.

    Karpenter 1.15: pkg/controllers/nodeclaim/lifecycle/registration.go and initialization.go.
    """
    going = {(taint.key, taint.effect) for taint in (*pool.startup_taints, UNREGISTERED)}
    taints = tuple(taint for taint in node.taints if (taint.key, taint.effect) not in going)
    return with_labels(replace(node, taints=taints), {REGISTERED: "true", INITIALIZED: "true"})
