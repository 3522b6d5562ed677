"""The plugin NodeResourcesFit: the node must have enough left for the pod's requests; every shortage is reported.

Kubernetes 1.34: pkg/scheduler/framework/plugins/noderesources/fit.go.
"""

from frozendict import frozendict

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import DEFAULT_ARGUMENTS, Arguments
from schedcheck.spec.kubernetes.requests import OCCUPIED, wanted
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.names import extended_resource
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal, unresolvable, unschedulable
from schedcheck.spec.requests import allocatable
from schedcheck.spec.values import Amounts

NAME = "NodeResourcesFit"


def too_many_pods(info: NodeInfo) -> bool:
    """Whether the node already has as many pods as it admits.

    TLA+: TooManyPods(Info) == Cardinality(Info.Pods) + 1 > Allocatable(Info.Node, "pods")
    """
    return len(info.pods) + 1 > allocatable(info.node, "pods")


def short(wants: Amounts, info: NodeInfo, departures: Departures) -> tuple[str, ...]:
    r"""Return the names of the resources of which less is left than requested. A request of 0 is always met.

    TLA+: Short(Wants, Info) ==
            {Resource \in DOMAIN Wants :
              /\ Wants[Resource] > 0
              /\ Wants[Resource] > Allocatable(Info.Node, Resource) - TakenThere(Info, Resource)}
    """
    taken = info.requested(departures)
    return tuple(
        resource
        for resource, amount in sorted(wants.items())
        if amount > 0 and amount > allocatable(info.node, resource) - taken.get(resource, 0)
    )


def ignored(resource: str, arguments: Arguments) -> bool:
    """Whether the arguments let the filter ignore the extended resource, by its name or its prefix."""
    named = resource in arguments.ignored_resources or resource.partition("/")[0] in arguments.ignored_groups
    return named and extended_resource(resource)


def looked_for(pod: Pod, arguments: Arguments) -> Amounts:
    r"""Return the requests of `pod` for the resources that the filter checks.

    TLA+: LookedFor(Pod) ==
            [Resource \in DOMAIN Wanted(Pod) \ IgnoredResources |-> Wanted(Pod)[Resource]]
    """
    return frozendict(
        {resource: amount for resource, amount in wanted(pod).items() if not ignored(resource, arguments)}
    )


def node_resources_fit(
    pod: Pod, info: NodeInfo, arguments: Arguments = DEFAULT_ARGUMENTS, departures: Departures = NEWEST.departures
) -> bool:
    r"""Whether the node admits one more pod and has enough left for the requests of `pod`.

    TLA+: NodeResourcesFit(Pod, Info) ==
            ~TooManyPods(Info) /\ Short(LookedFor(Pod), Info) = {}
    """
    return not too_many_pods(info) and short(looked_for(pod, arguments), info, departures) == ()


@looks_at("node.allocatable", *OCCUPIED)
def refusal(
    pod: Pod, info: NodeInfo, arguments: Arguments = DEFAULT_ARGUMENTS, departures: Departures = NEWEST.departures
) -> Refusal | None:
    r"""Return the refusal of the node by NodeResourcesFit; None if it passes.

    No eviction helps if even the empty node would have too little of a resource that is short.

    TLA+: NodeResourcesFitRefusal(Pod, Info) ==
            LET Wants == LookedFor(Pod)
            IN IF NodeResourcesFit(Pod, Info) THEN Null
               ELSE IF \E Resource \in Short(Wants, Info) : Wants[Resource] > Allocatable(Info.Node, Resource)
               THEN Unresolvable("NodeResourcesFit")
               ELSE Unschedulable("NodeResourcesFit")
    """
    if node_resources_fit(pod, info, arguments, departures):
        return None
    wants = looked_for(pod, arguments)
    lacking = short(wants, info, departures)
    crowded = ("Too many pods",) if too_many_pods(info) else ()
    reasons = (*crowded, *(f"Insufficient {resource}" for resource in lacking))
    hopeless = any(wants[resource] > allocatable(info.node, resource) for resource in lacking)
    return unresolvable(NAME, *reasons) if hopeless else unschedulable(NAME, *reasons)
