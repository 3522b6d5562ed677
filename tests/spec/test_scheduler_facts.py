"""The facts in which the generations of the scheduler differ, by their history"""

from collections.abc import Callable

import pytest

from schedcheck.spec.schedulers import VARIANTS, Scheduler, profiles_where

OURS = {name for name in VARIANTS if name.startswith("kubernetes")}


@pytest.mark.parametrize(
    ("fact", "profiles"),
    [
        # A Policy configures the scheduler up to 1.22; nothing configures the published model.
        (lambda each: each.has_policy, {"classic"}),
        (lambda each: each.has_plugins, OURS),
        # Claims come with 1.26; of those that are not modelled nothing is known.
        (lambda each: each.claims_unmodelled, OURS),
        # Nominations come with 1.9.
        (lambda each: each.nominates, {"classic", *OURS}),
        (lambda each: each.surroundings, {"classic", *OURS}),
        (lambda each: each.has_faults, {"article", "corrected"}),
    ],
)
def test_a_fact_is_true_of_the_generations_since_which_it_is(
    fact: Callable[[Scheduler], bool], profiles: set[str]
) -> None:
    assert set(profiles_where(fact)) == profiles
