"""Karpenter as the records of tla/KarpenterPools.tla: `provisioner_constants`, `launchable`, `limited`."""

from collections.abc import Iterator, Mapping
from math import gcd

from frozendict import frozendict

from schedcheck.model.controllers.karpenter.asking import Asking, amounts, asking, relaxed
from schedcheck.model.controllers.karpenter.rules import Rule, rules
from schedcheck.model.provisioning import CHEAPEST, NODES, WHEN_EMPTY, Budget, InstanceType, Karpenter, Pool
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.owners import version_and_kind
from schedcheck.spec.terms import Requirement
from schedcheck.spec.values import Amounts
from schedcheck.tla_export.amounts import Scale, within
from schedcheck.tla_export.kubernetes_objects import kubernetes_node_record
from schedcheck.tla_export.objects import (
    labels_function,
    pod_term_record,
    requirement_record,
    selector_record,
    taint_record,
    toleration_record,
)
from schedcheck.tla_export.prices import Costs, costs_of
from schedcheck.tla_export.text import Function, NotExportable, Pairs, Record, Set, Value
from schedcheck.tla_export.values import evaluated

PREFERS_NOT = "PreferNoSchedule"


def launchable(scenario: Scenario) -> tuple[Node, ...]:
    """Return the nodes that Karpenter may launch, one of each kind of numbers and labels that they may have.

    Each has a name that its pool may give, or one that no node has.
    """
    given = scenario.karpenter
    if given is None:
        return ()
    there = {node.name for node in scenario.nodes}
    names = [node.name for node in given.slots(scenario.nodes) if node.name not in there]
    count = max(len(names), len(given.types), len(given.pools))
    names += [f"launched {number}" for number in range(len(names), count)]
    kinds = [(given.types[i % len(given.types)], given.pools[i % len(given.pools)]) for i in range(count)]
    return tuple(
        Node(name, frozendict(sorted({**pool.labels, **kind.labels}.items())), kind.allocatable)
        for name, (kind, pool) in zip(names, kinds, strict=True)
    )


def limited(scenario: Scenario) -> Mapping[str, int] | None:
    """Return the divisor of each resource that some pool limits; None without Karpenter. Raises: NotExportable."""
    given = scenario.karpenter
    if given is None:
        return None
    limits = [pool.limits for pool in given.pools if pool.limits is not None]
    had = [_had(node) for node in scenario.nodes] + [each.capacity or each.allocatable for each in given.types]
    names = sorted({name for each in limits for name in each} - {NODES})
    found = {name: gcd(*(each.get(name, 0) for each in (*limits, *had))) or 1 for name in names}
    count = len(given.slots(scenario.nodes))
    for name, divisor in found.items():
        most = max((abs(each.get(name, 0)) for each in (*limits, *had)), default=0)
        within((count + 1) * most // divisor, f"the {name} of all nodes")
    return found


def _had(node: Node) -> Amounts:
    """Return what a node counts towards the limits of its pool."""
    return node.capacity or node.allocatable


def provisioner_constants(scenario: Scenario, scaled: Scale, image_unit: int) -> dict[str, Value]:
    """Return the constants of tla/KubeProvisionedCluster.tla; none without Karpenter. Raises: NotExportable."""
    given, divisors = scenario.karpenter, limited(scenario)
    if given is None or divisors is None:
        return {}
    _refuse_alike(scenario.pods, given)
    costs = costs_of(scenario)
    slots = given.slots(scenario.nodes)
    return {
        "KarpenterPools": tuple(_pool(each, given, divisors) for each in given.pools),
        "InstanceTypes": Set(tuple(_type(each, scaled, image_unit, divisors, costs) for each in given.types)),
        "NodePlaces": Function({node.name: place for place, node in enumerate(slots, 1)}),
        "PlacementFacts": Pairs(tuple(_facts(scenario.pods, given, costs))),
        "ClaimHosts": tuple(f"new {number}" for number in range(1, len(scenario.pods) + 1)),
        "UndisruptedNodes": Set(tuple(sorted(given.kept & {node.name for node in slots}))),
        "EmptyCost": costs.empty,
        "LaunchesCheapest": given.launch == CHEAPEST,
    }


def _pool(pool: Pool, given: Karpenter, divisors: Mapping[str, int]) -> Record:
    limits = {name: number // divisors.get(name, 1) for name, number in (pool.limits or {}).items()}
    return Record(
        {
            "Name": pool.name,
            "Labels": labels_function(pool.labels),
            "NodeClass": pool.node_class,
            "Taints": Set(tuple(map(taint_record, pool.taints))),
            "StartupTaints": Set(tuple(map(taint_record, pool.startup_taints))),
            "Requirements": Set(tuple(map(requirement_record, pool.requirements))),
            "Limits": Function(dict(sorted(limits.items()))),
            "WhenEmpty": pool.policy == WHEN_EMPTY,
            "Consolidates": pool.consolidates,
            "Budgets": Set(tuple(map(_budget, dict.fromkeys(pool.budgets)))),
            "Names": given.names(pool),
        }
    )


def _budget(budget: Budget) -> Record:
    percent = isinstance(budget.nodes, str)
    return Record(
        {
            "Number": int(str(budget.nodes).removesuffix("%")),
            "Percent": percent,
            "Always": budget.reasons is None,
            "Reasons": Set(tuple(sorted(budget.reasons or ()))),
        }
    )


def _type(kind: InstanceType, scaled: Scale, image_unit: int, divisors: Mapping[str, int], costs: Costs) -> Record:
    if len({each[:2] for each in kind.offerings}) < len(kind.offerings):
        raise NotExportable(f"the instance type {kind.name} has two offerings of one zone and capacity type")
    fresh = Node("", allocatable=kind.allocatable, capacity=kind.capacity or kind.allocatable)
    offerings = (
        Record(
            {
                "Zone": each.zone,
                "CapacityType": each.capacity_type,
                "Price": costs.price(each.price),
                "Available": each.available,
            }
        )
        for each in kind.offerings
    )
    counted = {name: kind.capacity[name] // divisor for name, divisor in divisors.items() if name in kind.capacity}
    return Record(
        {
            "Name": kind.name,
            "Labels": labels_function(kind.labels),
            "Capacity": Function(counted),
            "Node": kubernetes_node_record(fresh, scaled, image_unit, divisors),
            "Offerings": Set(tuple(offerings)),
        }
    )


def _facts(pods: tuple[Pod, ...], given: Karpenter, costs: Costs) -> Iterator[tuple[Value, Value]]:
    """Yield the identity of each pod with its facts."""
    ranked = sorted(pods, key=lambda pod: _rank(pod, given))
    for pod in pods:
        facts, affinity = given.of(pod), pod.affinity
        preferred = sorted(affinity.node_preferred, key=lambda each: -each.weight)
        apart = sorted(affinity.anti_preferred, key=lambda each: -each.weight)
        record: dict[str, Value] = {
            "Rank": ranked.index(pod) + 1,
            "Kind": version_and_kind(pod.owner[0])[1],
            "DoNotDisrupt": facts.do_not_disrupt,
            "Critical": facts.critical,
            "Unschedulable": facts.unschedulable,
            "Cost": costs.of(pod),
            "Terms": tuple(_expressions(term.match_expressions) for term in affinity.node_required),
            "Preferred": tuple(_expressions(each.term.match_expressions) for each in preferred),
            "Apart": tuple(pod_term_record(each.term) for each in apart),
        }
        yield pod.key, Record(record)


def _rank(pod: Pod, given: Karpenter) -> tuple[int, int, str, str, tuple[str, str]]:
    """Return the place of a pod in the queue. Karpenter: byCPUAndMemoryDescending."""
    wanted, facts = amounts(pod), given.of(pod)
    return -wanted.get("cpu", 0), -wanted.get("memory", 0), facts.created, facts.uid, pod.key


def _expressions(given: tuple[Requirement, ...]) -> Set:
    return Set(tuple(map(requirement_record, given)))


def _refuse_alike(pods: tuple[Pod, ...], given: Karpenter) -> None:
    """Raises: NotExportable if two rules differ in nothing that their records show, as in the order of tolerations."""
    seen: dict[object, Rule] = {}
    soft = any(taint.effect == PREFERS_NOT for pool in given.pools for taint in pool.taints)
    for pod in pods:
        for asked in _levels(pod, soft):
            for rule in rules(asked):
                if seen.setdefault(_shown(rule), rule) != rule:
                    raise NotExportable(f"pod {pod} is spread by a constraint that differs from another in order alone")


def _levels(pod: Pod, soft: bool) -> Iterator[Asking]:
    """Yield a pod with fewer and fewer preferences."""
    asked: Asking | None = asking(pod)
    while asked is not None:
        yield asked
        asked = relaxed(asked, soft)


def _shown(rule: Rule) -> object:
    """Return what the record of a rule shows, as a value."""
    tolerations = frozenset(evaluated(toleration_record(each)) for each in rule.filter.tolerations)
    sees = rule.filter._replace(alternatives=(), tolerations=())
    alternatives = frozenset(frozenset(each) for each in rule.filter.alternatives)
    return (
        rule._replace(selector=None, filter=sees),
        evaluated(selector_record(rule.selector)),
        alternatives,
        tolerations,
    )
