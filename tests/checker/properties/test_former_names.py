"""Former names of properties: each leads to a property that exists"""

import pytest

from schedcheck.checker.differential.properties import properties
from schedcheck.checker.properties.by_name import NAMES
from schedcheck.checker.properties.former_names import FORMER, suggestion
from tests.checker.differential.scenarios import SCENARIOS, machine


def present() -> set[str]:
    of_production = properties(machine(next(iter(SCENARIOS.values()))[0]))
    return {*NAMES, *(each.name for each in of_production)}


def test_every_former_name_leads_to_a_present_one_and_is_none_itself() -> None:
    assert set(FORMER.values()) <= present()
    assert present().isdisjoint(FORMER)


@pytest.mark.parametrize(
    ("name", "names", "said"),
    [
        ("nobody_evicted", ["no_eviction", "nobody_evict"], "; did you mean no_eviction?"),
        ("nobody_evicted", ["nobody_evict"], "; did you mean nobody_evict?"),
        ("no_evicton", ["no_eviction"], "; did you mean no_eviction?"),
        ("nonsense", ["no_eviction"], ""),
    ],
)
def test_a_suggestion_is_the_present_name_of_a_former_one_or_else_a_similar_name(
    name: str, names: list[str], said: str
) -> None:
    assert suggestion(name, names) == said
