"""The arguments of the plugins in a KubeSchedulerConfiguration: `ARGUMENTS`, a reader for each plugin that has any.

Every reader takes the arguments read before and the field `args`, and returns the arguments with its own filled in.
Kubernetes 1.34: pkg/scheduler/apis/config/validation/validation_pluginargs.go,
pkg/scheduler/apis/config/v1/defaults.go.

Differs: a term of addedAffinity may use no field but metadata.name, as in a pod.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from frozendict import frozendict

from schedcheck.manifests.affinity import PREFERRED, REQUIRED, node_term
from schedcheck.manifests.durations import duration
from schedcheck.manifests.fields import Field
from schedcheck.spec.kubernetes.label_values import unreadable
from schedcheck.spec.kubernetes.plugins import CPU_AND_MEMORY, AddedAffinity, Arguments, ScoringStrategy, Weights
from schedcheck.spec.names import qualified_name
from schedcheck.spec.objects import SpreadConstraint
from schedcheck.spec.terms import NodeSelectorTerm, PreferredNodeTerm

Reader = Callable[[Arguments, Field], Arguments]

TYPE_META: Final = ("apiVersion", "kind")
INT64: Final = 2**63
STRATEGIES: Final = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
DEFAULTING: Final = ("System", "List")
ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")
INCLUSION: Final = ("Honor", "Ignore")


def node_affinity(arguments: Arguments, args: Field) -> Arguments:
    """Read the arguments of NodeAffinity: addedAffinity."""
    args.only(*TYPE_META, "addedAffinity")
    added = args["addedAffinity"]
    added.only(REQUIRED, PREFERRED)
    required = added[REQUIRED]
    required.only("nodeSelectorTerms")
    terms = tuple(_node_term(item) for item in required["nodeSelectorTerms"].items())
    preferred = tuple(_preferred(item) for item in added[PREFERRED].items())
    return replace(arguments, added_affinity=AddedAffinity(terms if required else None, preferred))


def _preferred(field: Field) -> PreferredNodeTerm:
    """Return a preferred term. Its weight has no bounds, unlike that of a pod's term; weight 0 has no effect."""
    field.only("weight", "preference")
    weight = field["weight"].integer() if field["weight"] else 0
    return PreferredNodeTerm(weight, _node_term(field["preference"]) if weight else NodeSelectorTerm())


def _node_term(field: Field) -> NodeSelectorTerm:
    field.only("matchExpressions", "matchFields")
    for item in (*field["matchExpressions"].items(), *field["matchFields"].items()):
        item.only("key", "operator", "values")
    term = node_term(field)
    for item, requirement in zip(field["matchExpressions"].items(), term.match_expressions, strict=True):
        if not qualified_name(requirement.key):
            raise item["key"].error("expected a label key")
        for fault in unreadable(requirement):
            raise item["values"].error(fault)
    return term


def node_resources_fit(arguments: Arguments, args: Field) -> Arguments:
    """Read the arguments of NodeResourcesFit: ignoredResources, ignoredResourceGroups, scoringStrategy."""
    args.only(*TYPE_META, "ignoredResources", "ignoredResourceGroups", "scoringStrategy")
    for item in args["ignoredResources"].items():
        _named(item)
    for item in args["ignoredResourceGroups"].items():
        if "/" in _named(item):
            raise item.error("expected a resource group, which has no slash")
    strategy = args["scoringStrategy"]
    return replace(
        arguments,
        ignored_resources=frozenset(args["ignoredResources"].texts()),
        ignored_groups=frozenset(args["ignoredResourceGroups"].texts()),
        scoring_strategy=_strategy(strategy) if strategy else ScoringStrategy(),
    )


def _named(field: Field) -> str:
    text = field.text()
    if not qualified_name(text):
        raise field.error("expected a name, such as example.com/device")
    return text


def _strategy(field: Field) -> ScoringStrategy:
    field.only("type", "resources", "requestedToCapacityRatio")
    kind, ratio = field["type"].text(), field["requestedToCapacityRatio"]
    if kind not in STRATEGIES:
        raise field["type"].error(f"expected one of {', '.join(STRATEGIES)}")
    ratio.only("shape")
    points = shape(ratio["shape"]) if ratio or kind == "RequestedToCapacityRatio" else ()
    return ScoringStrategy(
        kind, weighted_resources(field["resources"]), points if kind == "RequestedToCapacityRatio" else ()
    )


def weighted_resources(field: Field) -> Weights:
    """Return resources with weights from 1 to 100; an absent weight or 0 is 1; an absent list is cpu and memory."""
    return tuple(_weighted(item, 100) for item in field.items()) or CPU_AND_MEMORY


def _weighted(field: Field, highest: int) -> tuple[str, int]:
    field.only("name", "weight")
    weight = field["weight"]
    return field["name"].text(), weight.integer(0, highest) or 1 if weight else 1


def shape(field: Field) -> tuple[tuple[int, int], ...]:
    """Return points of utilization, 0 to 100 and ascending, and score, 0 to 10."""
    points = field.items()
    if not points:
        raise field.error("expected at least one point of utilization and score")
    for point in points:
        point.only("utilization", "score")
    read = tuple((_amount(point["utilization"], 100), _amount(point["score"], 10)) for point in points)
    for (left, right), point in zip(pairwise(read), points[1:], strict=True):
        if left[0] >= right[0]:
            raise point["utilization"].error("expected utilizations in increasing order")
    return read


def _amount(field: Field, highest: int) -> int:
    return field.integer(0, highest) if field else 0


def balanced_allocation(arguments: Arguments, args: Field) -> Arguments:
    """Read the arguments of NodeResourcesBalancedAllocation: resources, each once and of weight 1."""
    args.only(*TYPE_META, "resources")
    items = args["resources"].items()
    names = [_weighted(item, 1)[0] for item in items]
    for place, item in enumerate(items):
        if names[place] in names[:place]:
            raise item["name"].error("expected each resource once")
    return replace(arguments, balanced=tuple(names) or tuple(name for name, _ in CPU_AND_MEMORY))


def pod_topology_spread(arguments: Arguments, args: Field, listed: bool = False) -> Arguments:
    """Read the arguments of PodTopologySpread: defaultConstraints, and defaultingType, System if absent.

    `listed`: an absent defaultingType is List if there are constraints, as in v1beta1.
    """
    args.only(*TYPE_META, "defaultConstraints", "defaultingType")
    items = args["defaultConstraints"].items()
    kind = args["defaultingType"].one_of(DEFAULTING, "List" if listed and items else "System")
    if kind == "System" and items:
        raise args["defaultingType"].error("expected List, as there are defaultConstraints")
    constraints = [_constraint(item) for item in items]
    _each_constraint_once(items, constraints)
    return replace(arguments, default_constraints=tuple(constraints) if kind == "List" else None)


def _constraint(field: Field) -> SpreadConstraint:
    field.only(
        "maxSkew", "topologyKey", "whenUnsatisfiable", "labelSelector", "minDomains", "nodeAffinityPolicy",
        "nodeTaintsPolicy", "matchLabelKeys",
    )  # fmt: skip
    if not qualified_name(field["topologyKey"].required("a label key")):
        raise field["topologyKey"].error("expected a label key")
    action = field["whenUnsatisfiable"].one_of(ACTIONS)
    if not action:
        raise field["whenUnsatisfiable"].error(f"expected one of {', '.join(ACTIONS)}")
    if field["labelSelector"]:
        raise field["labelSelector"].error("expected no selector, as it is deduced for each pod")
    field["matchLabelKeys"].texts()
    return SpreadConstraint(
        max_skew=field["maxSkew"].integer(1),
        topology_key=field["topologyKey"].text(),
        required=action == "DoNotSchedule",
        min_domains=field["minDomains"].integer() if field["minDomains"] else 1,
        affinity_honored=field["nodeAffinityPolicy"].one_of(INCLUSION, "Honor") == "Honor",
        taints_honored=field["nodeTaintsPolicy"].one_of(INCLUSION, "Ignore") == "Honor",
    )


def _each_constraint_once(items: Sequence[Field], constraints: Sequence[SpreadConstraint]) -> None:
    seen = [(each.topology_key, each.required) for each in constraints]
    for place, item in enumerate(items):
        if seen[place] in seen[:place]:
            raise item["topologyKey"].error("expected each topologyKey once for each whenUnsatisfiable")


def inter_pod_affinity(arguments: Arguments, args: Field) -> Arguments:
    """Read the arguments of InterPodAffinity: hardPodAffinityWeight, ignorePreferredTermsOfExistingPods."""
    args.only(*TYPE_META, "hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods")
    weight = args["hardPodAffinityWeight"]
    return replace(
        arguments,
        hard_pod_affinity_weight=weight.integer(0, 100) if weight else 1,
        ignore_preferred_terms_of_existing_pods=args["ignorePreferredTermsOfExistingPods"].boolean(),
    )


def default_preemption(arguments: Arguments, args: Field) -> Arguments:
    """Read the arguments of DefaultPreemption: minCandidateNodesPercentage, minCandidateNodesAbsolute, not both 0."""
    args.only(*TYPE_META, "minCandidateNodesPercentage", "minCandidateNodesAbsolute")
    percentage, absolute = args["minCandidateNodesPercentage"], args["minCandidateNodesAbsolute"]
    read = replace(
        arguments,
        min_candidate_nodes_percentage=percentage.integer(0, 100) if percentage else 10,
        min_candidate_nodes_absolute=absolute.integer(0) if absolute else 100,
    )
    if read.min_candidate_nodes_percentage == 0 == read.min_candidate_nodes_absolute:
        raise percentage.error("expected more than 0, as minCandidateNodesAbsolute is 0")
    return read


def volume_binding(arguments: Arguments, args: Field) -> Arguments:
    """Read the arguments of VolumeBinding: the shape of its scores. No decision depends on bindTimeoutSeconds."""
    args.only(*TYPE_META, "bindTimeoutSeconds", "shape")
    if args["bindTimeoutSeconds"]:
        args["bindTimeoutSeconds"].integer(0, INT64 - 1)
    return replace(arguments, storage_shape=shape(args["shape"])) if args["shape"].items() else arguments


def dynamic_resources(arguments: Arguments, args: Field) -> Arguments:
    """Validate the arguments of DynamicResources: filterTimeout, which affects no decision."""
    args.only(*TYPE_META, "filterTimeout")
    if duration(args["filterTimeout"]) < 0:
        raise args["filterTimeout"].error("expected a duration that is not negative")
    return arguments


ARGUMENTS: Final[frozendict[str, Reader]] = frozendict(
    {
        "NodeAffinity": node_affinity,
        "NodeResourcesFit": node_resources_fit,
        "NodeResourcesBalancedAllocation": balanced_allocation,
        "PodTopologySpread": pod_topology_spread,
        "InterPodAffinity": inter_pod_affinity,
        "DefaultPreemption": default_preemption,
        "VolumeBinding": volume_binding,
        "DynamicResources": dynamic_resources,
    }
)
