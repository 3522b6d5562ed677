"""Prices of instance types and costs of pods as whole numbers: `costs_of`.

Karpenter computes with floats. A scenario whose floats could be ordered otherwise than the whole numbers is refused.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import gcd, lcm

from schedcheck.model.controllers.karpenter.candidates import BASE, cost
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod
from schedcheck.tla_export.amounts import within
from schedcheck.tla_export.text import NotExportable

MOST_SUMS = 20_000
"""The most sums of prices, and of costs, of which rounding is tried."""
MOST_ORDERS = 6
"""The most prices whose sum is tried in every order."""


@dataclass(frozen=True)
class Costs:
    """The units of prices and of costs."""

    of_price: Fraction
    of_cost: Fraction
    empty: int
    """The cost of disrupting a node without pods."""

    def price(self, price: float) -> int:
        """Return a price as a whole number."""
        return int(_exact(price) / self.of_price)

    def of(self, pod: Pod) -> int:
        """Return what a pod adds to the cost of its node."""
        return int(_added(pod) / self.of_cost)


def costs_of(scenario: Scenario) -> Costs:
    """Return the units. Raises: NotExportable if floats and whole numbers might be ordered otherwise."""
    given = scenario.karpenter
    assert given is not None
    prices = sorted({each.price for kind in given.types for each in kind.offerings} | {0.0})
    added = [_added(pod) for pod in scenario.pods]
    costs = Costs(_unit([_exact(each) for each in prices]), _unit([*added, Fraction(BASE)]), 0)
    costs = Costs(costs.of_price, costs.of_cost, int(Fraction(BASE) / costs.of_cost))
    nodes = len(given.slots(scenario.nodes))
    most = costs.empty + sum(costs.of(pod) for pod in scenario.pods)
    within(max(nodes, most) * costs.price(prices[-1]), "the price of a node by its cost")
    _refuse_ratios(prices, added)
    _refuse_sums(prices, nodes)
    return costs


def _exact(price: float) -> Fraction:
    """Return a price as it is written."""
    return Fraction(str(price))


def _added(pod: Pod) -> Fraction:
    return Fraction(cost((pod,))) - Fraction(BASE)


def _unit(numbers: Sequence[Fraction]) -> Fraction:
    """Return the greatest number of which all of these are multiples."""
    below = lcm(*(each.denominator for each in numbers))
    return Fraction(gcd(*(int(each * below) for each in numbers)) or 1, below)


def _refuse_ratios(prices: Sequence[float], added: Sequence[Fraction]) -> None:
    """Raises: NotExportable if prices by costs are ordered otherwise as floats."""
    sums = {Fraction(BASE)}
    for each in added:
        sums |= {total + each for total in sums}
        if len(sums) > MOST_SUMS // len(prices):
            raise NotExportable("the pods have too many different costs to be sure of their rounding")
    floats: dict[Fraction, set[float]] = {}
    for price, total in product(prices, sums):
        floats.setdefault(_exact(price) / total, set()).add(price / float(total))
    ordered = [floats[exact] for exact in sorted(floats)]
    if any(len(each) > 1 for each in ordered) or any(max(low) >= min(high) for low, high in pairwise(ordered)):
        raise NotExportable("the prices of nodes by their costs are rounded as floats")


def _refuse_sums(prices: Sequence[float], most: int) -> None:
    """Raises: NotExportable if a sum of prices that equals another price is rounded as a float."""
    exact = {_exact(each): each for each in prices}
    for number, some in enumerate(_sums([each for each in prices if each > 0], most, _exact(prices[-1]), ())):
        if number > MOST_SUMS:
            raise NotExportable("the instance types have too many prices to be sure of the rounding of sums")
        equal = exact.get(sum(map(_exact, some), Fraction(0)))
        if equal is None or len(some) < 2 or all(Fraction(each) == _exact(each) for each in (*some, equal)):
            continue
        if len(some) > MOST_ORDERS or any(sum(each) != equal for each in permutations(some)):
            raise NotExportable(f"the sum of the prices {', '.join(map(str, some))} is rounded as a float")


def _sums(prices: Sequence[float], most: int, limit: Fraction, some: tuple[float, ...]) -> Iterator[tuple[float, ...]]:
    """Yield every choice of at most so many prices, with repetition, whose sum does not exceed the limit."""
    yield some
    for place, each in enumerate(prices if len(some) < most else ()):
        if _exact(each) <= limit:
            yield from _sums(prices[place:], most, limit - _exact(each), (*some, each))
