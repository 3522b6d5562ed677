"""The constants of tla/ClassicCluster.tla for a scenario, and its objects: `classic_parts`.

A scenario that the modules cannot express, or TLC cannot compute, is refused with the reason.
"""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product

from schedcheck.model.scenario import Scenario
from schedcheck.spec.classic.policy import DEFAULT, Classic
from schedcheck.spec.classic.predicates.pod_fits_resources import room
from schedcheck.spec.classic.priorities.balanced_resource_allocation import balance, share
from schedcheck.spec.classic.priorities.scale import HIGHEST, UNSAID, nonzero
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.requests import counted
from schedcheck.spec.selectors import numeral
from schedcheck.spec.terms import NO_AFFINITY
from schedcheck.tla_export.amounts import Scale, scale, within
from schedcheck.tla_export.kubernetes_constants import Share, priority_offset
from schedcheck.tla_export.kubernetes_objects import (
    budget_record,
    controller_record,
    kubernetes_node_record,
    kubernetes_pod_record,
    service_record,
)
from schedcheck.tla_export.objects import namespace_record
from schedcheck.tla_export.text import Function, NotExportable, Record, Set, Value

CONDITIONS = frozenset({"OutOfDisk", "NetworkUnavailable", "MemoryPressure", "DiskPressure", "PIDPressure"})
"""The types of node conditions that a predicate reads, besides Ready."""

MOST_SUMS = 100_000
"""The most sums of pod requests that are searched for floating-point rounding errors."""

MOST_PODS = 20
"""The most pods for which SelectorSpreadPriority, computed in 32 bits, is exact."""


def classic_parts(scenario: Scenario, pods: Iterable[Pod]) -> tuple[Scale, dict[str, Value], dict[str, Value]]:
    """Return the divisors, the objects by their names in the module, and the constants except those of the rules.

    `pods` are the scenario's pods without irrelevant tolerations. Raises: NotExportable.
    """
    _refuse(scenario)
    # The divisor must also divide the capacities, which the record holds besides the allocatable amounts.
    capacities = tuple(replace(node, allocatable=node.capacity) for node in scenario.nodes if node.capacity)
    rated = replace(scenario, nodes=(*scenario.nodes, *capacities))
    scaled = scale(rated, ("cpu", "memory"), UNSAID)
    return scaled, _objects(scenario, tuple(pods), scaled), _constants(scenario, scaled)


def _refuse(scenario: Scenario) -> None:
    """Raises: NotExportable for a scenario that no module of tla/ can express."""
    policy = scenario.policy
    if policy.extenders or policy.unasked:
        raise NotExportable("the Policy has extenders, which answer by tables in tla/ClassicExtenders.tla alone")
    if replace(policy, by_allocatable=DEFAULT.by_allocatable, most_volumes=DEFAULT.most_volumes) != DEFAULT:
        raise NotExportable("the Policy names other predicates and priorities than the default ones, which tla/ has")
    if len(scenario.pods) > MOST_PODS:
        raise NotExportable(
            f"{len(scenario.pods)} pods, more than the {MOST_PODS} for which SelectorSpreadPriority is exact"
        )
    for pod in scenario.pods:
        if pod.annotated_affinity != NO_AFFINITY:
            raise NotExportable(f"pod {pod} has its affinity in an annotation, which no module of tla/ knows")


def _objects(scenario: Scenario, pods: tuple[Pod, ...], scaled: Scale) -> dict[str, Value]:
    starts = sorted({pod.start_time for pod in pods if pod.start_time is not None})
    made: dict[str, list[Record]] = {
        "Pod": [kubernetes_pod_record(pod, scaled, starts) for pod in pods],
        "Node": [classic_node_record(node, scaled) for node in scenario.nodes],
        "Namespace": [namespace_record(each) for each in scenario.namespaces],
        "Budget": [budget_record(each) for each in scenario.budgets],
        "Service": [service_record(each) for each in scenario.services],
        "Controller": [controller_record(each) for each in scenario.owners],
    }
    return {f"{kind}{number}": record for kind, records in made.items() for number, record in enumerate(records, 1)}


def classic_node_record(node: Node, scaled: Scale) -> Record:
    """Return a node's record, with its capacity and its conditions."""
    record = kubernetes_node_record(replace(node, images=()), scaled, 1)
    status = record.fields["Status"]
    assert isinstance(status, Record)
    capacity = room(node, by_allocatable=False)
    matter = [name for name in capacity if name in scaled.divisors or name == "pods"]
    more: dict[str, Value] = {
        "Capacity": Function({name: scaled.allocatable(name, capacity) for name in matter}),
        "Conditions": Function({kind: said for kind, said in node.conditions.items() if kind in CONDITIONS}),
    }
    return Record({**record.fields, "Status": Record({**status.fields, **more})})


def _constants(scenario: Scenario, scaled: Scale) -> dict[str, Value]:
    policy, texts = scenario.policy, sorted(_texts(scenario))
    offset = priority_offset(scenario.pods, scaled)
    within(2 * (len(scenario.pods) + 1) * offset, "the sum of the priorities of victims")
    return {
        "Faults": Set(()),
        "Numeral": Function({text: number for text in texts if (number := numeral(text)) is not None}),
        "ResourceNames": Set(scaled.resources),
        "RatedResource": scenario.rated_resource,
        "ByAllocatable": policy.by_allocatable,
        "CountedResources": Set(tuple(name for name in scaled.resources if counted(name))),
        "DefaultRequests": Function({name: UNSAID[name] // scaled.divisors[name] for name in UNSAID}),
        "BalanceFallsShort": _balance_falls_short(scenario, policy, scaled),
        "PriorityOffset": offset,
        "Now": len({pod.start_time for pod in scenario.pods} - {None}),
    }


def _texts(scenario: Scenario) -> set[str]:
    """Return every value that Gt and Lt may compare on nodes."""
    texts = {value for node in scenario.nodes for value in (node.name, *node.labels.values())}
    texts |= {value for rule in scenario.rules for value in rule.label_values if value is not None}
    terms = [term for pod in scenario.pods for term in pod.affinity.node_terms]
    requirements = [each for term in terms for each in (*term.match_expressions, *term.match_fields)]
    return texts | {value for each in requirements for value in each.values}


def _balance_falls_short(scenario: Scenario, policy: Classic, scaled: Scale) -> Set:
    """Return the reachable pairs of shares whose balance is one less in floating point than exactly."""
    names = "cpu", "memory"
    sums = {(0, 0)}
    for pod in scenario.pods:
        one, other = (sum(nonzero(each, name) for each in pod.containers) for name in names)
        sums |= {(given + one, taken + other) for given, taken in sums}
        if len(sums) > MOST_SUMS:
            raise NotExportable(f"the pods make more than {MOST_SUMS} different sums of cpu and memory")
    wholes = {tuple(room(node, policy.by_allocatable).get(name, 0) for name in names) for node in scenario.nodes}
    short: set[tuple[Share, Share]] = set()
    for (given, taken), (cpu, memory) in product(sums, wholes):
        if not (given < cpu and taken < memory):
            continue
        exact = int(HIGHEST - HIGHEST * abs(Fraction(given, cpu) - Fraction(taken, memory)))
        shares = tuple(
            (part // scaled.divisors[name], whole // scaled.divisors[name])
            for part, whole, name in ((given, cpu, "cpu"), (taken, memory, "memory"))
        )
        within(2 * HIGHEST * shares[0][1] * shares[1][1], "ten times the cpu by the memory of a node")
        floating = balance(share(given, cpu), share(taken, memory))
        if floating != exact:
            _one_less(floating, exact, f"the balance of {given}/{cpu} and {taken}/{memory}")
            short.add((shares[0], shares[1]))
    return Set(tuple(sorted(short)))


def _one_less(floating: int, exact: int, what: str) -> None:
    """Raises: NotExportable unless the floating-point result is one less than the exact one."""
    if floating != exact - 1:
        raise NotExportable(f"{what} is {floating} in floating point, and {exact} exactly")
