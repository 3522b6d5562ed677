"""How many orders in which units are put back are told apart

With budgets that guard one pod together, the pods of a unit are charged in any order, and the budgets in any.
"""

from math import factorial

import pytest

from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.preemption.units import MOST_ORDERS, Unit, put_back_orders
from schedcheck.spec.objects import PodDisruptionBudget
from schedcheck.spec.terms import LabelSelector
from tests.support.building import pod

CHARGED = frozenset({Departure.LATER_BUDGETS_UNCHARGED})


@pytest.mark.parametrize(("pods", "budgets"), [(3, 4), (5, 3), (5, 4), (6, 2), (6, 4), (7, 2)])
def test_orders_of_pods_and_of_shared_budgets_multiply(pods: int, budgets: int) -> None:
    unit = Unit(frozenset(pod(f"p{number}", on="n") for number in range(pods)), 0, grouped=True)
    guarding = tuple(PodDisruptionBudget(f"b{number}", selector=LabelSelector()) for number in range(budgets))
    known = factorial(pods) * factorial(budgets) <= MOST_ORDERS
    assert put_back_orders(frozenset({unit}), guarding, CHARGED) == (frozenset({(unit,)}) if known else None)
