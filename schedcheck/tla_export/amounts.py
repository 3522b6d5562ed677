"""The numbers of a scenario, scaled to fit TLC's 32-bit integers without changing any decision.

The amounts of each resource, and the priorities, are divided by their greatest common divisor. That keeps every
comparison and every rounded quotient of two amounts, and so every decision.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import gcd
from types import MappingProxyType

from schedcheck.model.scenario import Scenario, grouping
from schedcheck.spec.objects import Pod
from schedcheck.spec.quantities import amount, quantity_text
from schedcheck.spec.requests import requested
from schedcheck.spec.values import Amounts
from schedcheck.tla_export.text import GREATEST, NotExportable

BILLION = 10**9


@dataclass(frozen=True)
class Scale:
    """The divisors of the amounts of each relevant resource, and of the priorities."""

    divisors: dict[str, int]
    priority: int

    @property
    def resources(self) -> tuple[str, ...]:
        """The resources that some pod requests, and the rated one."""
        return tuple(sorted(self.divisors))

    def request(self, resource: str, requests: Amounts) -> int:
        """Return a request, given in billionths, as the number in the module."""
        return amount(resource, requests.get(resource, 0)) // self.divisors[resource]

    def allocatable(self, resource: str, allocatable: Amounts) -> int:
        """Return an allocatable amount of a node, given in smallest units, as the number in the module."""
        return allocatable[resource] // self.divisors.get(resource, 1)


def scale(
    scenario: Scenario, rated: Iterable[str] | None = None, defaults: Mapping[str, int] = MappingProxyType({})
) -> Scale:
    """Return the greatest divisors. Raises: NotExportable if a sum or product in TLC still exceeds its integers.

    `rated` are the resources that are scored, by default the scenario's own. `defaults` are the default requests of
    containers that request none of a resource, in smallest units.
    """
    rates = frozenset({scenario.rated_resource} if rated is None else rated)
    resources = rates.union(*(named(pod) for pod in scenario.pods))
    divisors = {resource: _divisor(resource, scenario, defaults) for resource in sorted(resources)}
    for resource, divisor in divisors.items():
        greatest = _greatest(resource, scenario, resource in rates, defaults.get(resource, 0))
        within(greatest // divisor, f"the amounts of {resource}")
    of_groups = [group.priority for group in scenario.pod_groups if grouping(scenario)]
    priorities = [*(pod.priority for pod in scenario.pods), *of_groups]
    priority = gcd(*priorities) or 1
    within(sum(max(0, each) for each in priorities) // priority, "the sum of the priorities")
    within(max((-each // priority for each in priorities), default=0), "the lowest priority")
    for pod in scenario.pods:
        within(_weights(pod), f"the sum of the weights of {pod}")
    return Scale(divisors, priority)


def named(pod: Pod) -> frozenset[str]:
    """Return the resources that the pod requests, or that its status names."""
    return requested(pod).union(*told(pod))


def told(pod: Pod) -> tuple[Amounts, ...]:
    """Return all amounts that the status of the pod names, for itself and for its containers."""
    containers = (*pod.init_containers, *pod.containers)
    of_containers = (amounts for each in containers for amounts in (each.allocated, each.actual))
    return tuple(each for each in (pod.pod_allocated, pod.pod_actual, *of_containers) if each is not None)


def _divisor(resource: str, scenario: Scenario, defaults: Mapping[str, int]) -> int:
    # The filter counts the pods themselves under this name, so they are not scaled.
    if resource == "pods":
        return 1
    requests = [_whole(resource, each, pod) for pod in scenario.pods for each in _requests(resource, pod)]
    given = (node.allocatable.get(resource, 0) for node in scenario.nodes)
    return gcd(*requests, *given, defaults.get(resource, 0)) or 1


def _greatest(resource: str, scenario: Scenario, rated: bool, default: int) -> int:
    """Return a bound of every number that TLC computes for the resource."""
    capacity = max((node.allocatable.get(resource, 0) for node in scenario.nodes), default=0)
    requests = sum(_whole(resource, each, pod) for pod in scenario.pods for each in _requests(resource, pod))
    containers = sum(len(pod.init_containers) + len(pod.containers) for pod in scenario.pods)
    return max(capacity * (100 if rated else 1), capacity + requests + containers * default)


def _requests(resource: str, pod: Pod) -> Iterator[int]:
    """Yield every amount of the resource in the pod, in billionths."""
    containers = (*pod.init_containers, *pod.containers)
    given: Iterable[Amounts] = (
        *(container.requests for container in containers),
        *told(pod),
        pod.overhead,
        pod.pod_requests,
    )
    return (amounts.get(resource, 0) for amounts in given)


def whole(resource: str, pod: Pod) -> None:
    """Raises: NotExportable if an amount of the resource in the pod is negative or no whole number of smallest
    units.
    """
    for billionths in _requests(resource, pod):
        _whole(resource, billionths, pod)


def _whole(resource: str, billionths: int, pod: Pod) -> int:
    """Return a request in smallest units."""
    whole = amount(resource, billionths)
    if whole * (BILLION // 1000 if resource == "cpu" else BILLION) != billionths:
        raise NotExportable(
            f"pod {pod} requests {billionths} billionths of {resource}: no whole number of its smallest unit,"
            f" and {quantity_text(resource, whole)} only after rounding"
        )
    if whole < 0:
        raise NotExportable(f"pod {pod} requests a negative amount of {resource}: {quantity_text(resource, whole)}")
    return whole


def _weights(pod: Pod) -> int:
    """Return a bound of every sum of scores: all weights, and the 100 of LeastAllocated."""
    on_nodes = sum(abs(each.weight) for each in pod.affinity.node_preferred)
    return (
        100 + on_nodes + sum(abs(each.weight) for each in (*pod.affinity.pod_preferred, *pod.affinity.anti_preferred))
    )


def within(number: int, what: str) -> None:
    """Raises: NotExportable if the number exceeds TLC's integers."""
    if number > GREATEST:
        raise NotExportable(f"{what} would reach {number}, more than TLC's 32-bit integers hold")
