"""The plugin RemovePodsViolatingTopologySpreadConstraint: it moves pods from full domains to empty ones.

Each constraint of a namespace is judged alone, on the pods that the evictor admits; minDomains is ignored. The number of
pods that leave a domain follows from the sizes of all domains. Which pods leave follows from an order of the pods of the
domain; of equal ones any order is possible, but the same for all constraints.

descheduler 0.36: pkg/framework/plugins/removepodsviolatingtopologyspreadconstraint/topologyspreadconstraint.go, Balance.

Differs: the evictor judges the chosen pods when the run begins, not before each eviction.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import combinations, groupby, product
from typing import Any

from schedcheck.model.controllers.descheduler.listing import Slot, considered
from schedcheck.model.controllers.descheduler.node_fit import fits_another
from schedcheck.model.controllers.descheduler.plan import WHOLE, Done, Listed, Stage, Work
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import TopologySpread
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.filters.node_affinity import required_node_affinity
from schedcheck.spec.objects import Node, Pod, SpreadConstraint
from schedcheck.spec.selectors import selects
from schedcheck.spec.tolerations import untolerated

Admits = Callable[[Pod], bool]


@dataclass(frozen=True)
class Move:
    """The pods that are evicted for one constraint, and the pairs of a later and an earlier pod that this requires."""

    evicted: frozenset[Pod]
    later: frozenset[tuple[Pod, Pod]]


NOTHING = Move(frozenset(), frozenset())


def spread(
    arguments: TopologySpread, view: View, filtered: Admits, evictable: Admits, slot: Slot, done: Done
) -> Iterator[tuple[Stage, Work]]:
    """Yield each possible choice of the pods that leave, for all constraints of all namespaces."""
    if done:
        return
    namespaces: dict[str, list[Pod]] = {}
    for pod in (pod for node in view.nodes for pod in view.pods_on(node)):
        if considered(pod, arguments.namespaces, arguments.selector) and filtered(pod):
            namespaces.setdefault(pod.namespace, []).append(pod)
    moves = [
        tuple(dict.fromkeys(_moves(constraint, owner, pods, arguments, view)))
        for _, pods in sorted(namespaces.items())
        for constraint, owner in _constraints(pods, arguments)
    ]
    for chosen in product(*moves):
        if _in_one_order(chosen):
            pods = frozenset[Pod]().union(*(move.evicted for move in chosen))
            slots = tuple(sorted(slot(pod) for pod in pods if evictable(pod)))
            yield WHOLE, Listed((slots,) if slots else ())


def _constraints(pods: Sequence[Pod], arguments: TopologySpread) -> tuple[tuple[SpreadConstraint, Pod], ...]:
    """Return the distinct constraints of the pods, each with a pod that has it.

    Constraints are distinct also by the node affinity and the tolerations of their pods, if the constraint honours these.
    """
    found: dict[object, tuple[SpreadConstraint, Pod]] = {}
    for pod in pods:
        for each in pod.spread:
            if ("DoNotSchedule" if each.required else "ScheduleAnyway") not in arguments.actions:
                continue
            found.setdefault(judged_as(each, pod), (each, pod))
    return tuple(found.values())


def judged_as(constraint: SpreadConstraint, owner: Pod) -> Hashable:
    """Return what constraints have in common that are judged as one."""
    affinity = (owner.node_selector, owner.affinity.node_required) if constraint.affinity_honored else ()
    tolerations = owner.tolerations if constraint.taints_honored else ()
    inclusion = constraint.affinity_honored, constraint.taints_honored
    return constraint.max_skew, constraint.topology_key, constraint.selector, inclusion, affinity, tolerations


def _moves(
    constraint: SpreadConstraint, owner: Pod, pods: Sequence[Pod], arguments: TopologySpread, view: View
) -> Iterator[Move]:
    """Yield the choices of the pods that leave for one constraint; `pods` are those of its namespace."""
    key = constraint.topology_key
    eligible = [node for node in view.nodes if _eligible(node, constraint, owner)]
    domains: dict[str, list[Pod]] = {node.labels[key]: [] for node in eligible if key in node.labels}
    labels = {node.name: node.labels for node in view.nodes}
    for pod in pods:
        if not pod.terminating and selects(constraint.selector, pod.labels, NO_FAULTS) and key in labels[pod.node_name]:
            domains.setdefault(labels[pod.node_name][key], []).append(pod)
    sizes = sorted(map(len, domains.values()))
    if not sizes or sizes[-1] - sizes[0] <= constraint.max_skew:
        yield NOTHING
        return
    average = sum(sizes) / len(sizes)
    below = tuple(node for node in eligible if key in node.labels and len(domains[node.labels[key]]) < average)
    for numbers in _leaving(domains, constraint.max_skew, average):
        for chosen in product(*(tuple(_last(domains[name], number, below, view)) for name, number in numbers.items())):
            leaving = frozenset[Pod]().union(*(each for each, _ in chosen))
            later = frozenset[tuple[Pod, Pod]]().union(*(pairs for _, pairs in chosen))
            fits = arguments.node_fit
            gone = frozenset(pod for pod in leaving if not fits or fits_another(pod, below, view))
            yield Move(gone, later)


def _eligible(node: Node, constraint: SpreadConstraint, owner: Pod) -> bool:
    """Whether the inclusion policies of the constraint count the node.

    descheduler 0.36: topologyspreadconstraint.go, matchNodeInclusionPolicies.
    """
    return (not constraint.affinity_honored or required_node_affinity(owner, node)) and (
        not constraint.taints_honored or not untolerated(owner, node)
    )


def _leaving(domains: Mapping[str, Sequence[Pod]], max_skew: int, average: float) -> Iterator[dict[str, int]]:
    """Yield how many pods leave each domain; domains of one size may be in any order.

    descheduler 0.36: topologyspreadconstraint.go, balanceDomains.
    """
    ordered = sorted(domains, key=lambda name: (len(domains[name]), name))
    moved = _balanced([len(domains[name]) for name in ordered], max_skew, average)
    tiers = [
        [place for place, _ in tier]
        for _, tier in groupby(enumerate(ordered), key=lambda each: len(domains[each[1]]))
    ]  # fmt: skip
    for arranged in product(*(tuple(_arrangements([moved[place] for place in tier])) for tier in tiers)):
        numbers = [number for tier in arranged for number in tier]
        yield {name: number for name, number in zip(ordered, numbers, strict=True) if number}


def _balanced(sizes: list[int], max_skew: int, average: float) -> list[int]:
    """Return how many pods leave the domains of these ascending sizes, with the descheduler's arithmetic."""
    moved, low, high = [0] * len(sizes), 0, len(sizes) - 1
    while low < high:
        if sizes[high] <= average:
            high -= 1
        skew = sizes[high] - sizes[low]
        most = min(math.ceil(sizes[high] - average), math.ceil(average - sizes[low]), math.ceil((skew - max_skew) / 2))
        if skew <= max_skew or most <= 0:
            low += 1
            continue
        sizes[high] -= most
        sizes[low] += most
        moved[high] += most
    return moved


def _arrangements(numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the distinct orders of the numbers."""
    if not numbers:
        yield ()
    for number in Counter(numbers):
        rest = list(numbers)
        rest.remove(number)
        yield from ((number, *others) for others in _arrangements(rest))


def _last(
    pods: Sequence[Pod], number: int, below: tuple[Node, ...], view: View
) -> Iterator[tuple[frozenset[Pod], frozenset[tuple[Pod, Pod]]]]:
    """Yield each set of so many pods that may be last, with the pairs of a later and an earlier pod that it requires.

    Pods that fit on a node that needs some come last, of those the ones without nodeSelector and node affinity, and
    of those the ones of the highest priority.

    descheduler 0.36: topologyspreadconstraint.go, sortDomains and balanceDomains.
    """

    def rank(pod: Pod) -> Any:
        chooses = bool(pod.node_selector or pod.empty_node_selector)
        chooses = chooses or bool(pod.affinity.node_required or pod.affinity.node_preferred)
        return fits_another(pod, below, view), not chooses, pod.priority

    left, chosen = number, frozenset[Pod]()
    for _, tier in groupby(sorted(pods, key=rank, reverse=True), key=rank):
        equal = tuple(tier)
        if len(equal) > left:
            for some in combinations(equal, left):
                others = [pod for pod in equal if pod not in some]
                yield chosen | {*some}, frozenset((late, early) for late in some for early in others)
            return
        chosen, left = chosen | {*equal}, left - len(equal)
    yield chosen, frozenset()


def _in_one_order(moves: Sequence[Move]) -> bool:
    """Whether one order of the pods gives all these choices."""
    after: dict[Pod, set[Pod]] = {}
    for late, early in (pair for move in moves for pair in move.later):
        after.setdefault(late, set()).add(early)
    try:
        TopologicalSorter(after).prepare()
    except CycleError:
        return False
    return True
