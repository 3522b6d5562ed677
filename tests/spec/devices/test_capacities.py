"""What an allocation may consume of a capacity, by hand from kube-scheduler's allocator

Kubernetes 1.37: violatesPolicy and useMilli in
k8s.io/dynamic-resource-allocation/structured/internal/incubating/consumable_capacity.go.
"""

import pytest

from schedcheck.spec.device_objects import Policy
from schedcheck.spec.devices.capacities import allowed, fine

THOUSANDTH = 10**6
"""Amounts are billionths."""


@pytest.mark.parametrize(
    ("policy", "amounts"),
    [
        (Policy(), {1, 4, 5, 6, 7, 8, 9}),
        (Policy(values=(4, 8)), {4, 8}),
        (Policy(default=5, values=(4, 8)), {4, 5, 8}),
        (Policy(minimum=4), {1, 4, 5, 6, 7, 8, 9}),
        (Policy(minimum=4, maximum=8), {1, 4, 5, 6, 7, 8}),
        (Policy(minimum=4, maximum=8, step=2), {4, 6, 8}),
        (Policy(minimum=4, step=2), {4, 6, 8}),
        (Policy(default=9, minimum=4, maximum=8, step=2), {4, 6, 8, 9}),
    ],
)
def test_a_policy_allows_its_default_its_values_or_the_steps_of_its_range(policy: Policy, amounts: set[int]) -> None:
    """An amount below the minimum is rounded up before, and violateValidRange does not compare it."""
    assert {amount for amount in (1, 4, 5, 6, 7, 8, 9) if allowed(amount, policy)} == amounts


@pytest.mark.parametrize("field", ["minimum", "maximum", "step"])
def test_a_range_is_fine_if_one_of_its_amounts_is_no_whole_number_of_thousandths(field: str) -> None:
    coarse = {"minimum": THOUSANDTH, "maximum": 5 * THOUSANDTH, "step": 2 * THOUSANDTH}
    assert not fine(Policy(**coarse))
    assert not fine(Policy(**{field: coarse[field]}))
    assert fine(Policy(**{**coarse, field: coarse[field] + 1}))
    assert not fine(Policy(default=1, values=(1,)))
