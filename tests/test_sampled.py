"""The marker `sampled(n)`: `n` cases of a test stay quick, and every other case is medium."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.conftest import evenly, pytest_collection_modifyitems


@dataclass
class Case:
    nodeid: str
    marks: dict[str, pytest.Mark] = field(default_factory=dict)

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)

    def add_marker(self, marker: pytest.MarkDecorator) -> None:
        self.marks[marker.name] = marker.mark


def cases(name: str, count: int, *markers: pytest.MarkDecorator) -> list[Any]:
    return [Case(f"{name}[{each}]", {marker.name: marker.mark for marker in markers}) for each in range(count)]


def quick(items: list[Any]) -> list[str]:
    pytest_collection_modifyitems(items)
    return [each.nodeid for each in items if "slow" not in each.marks and "medium" not in each.marks]


@pytest.mark.parametrize(
    ("most", "length", "places"), [(1, 1, {0}), (1, 5, {0}), (2, 5, {0, 2}), (4, 5, {0, 1, 2, 3}), (5, 5, {*range(5)}), (9, 5, {*range(5)})]
)  # fmt: skip
def test_the_places_are_evenly_apart(most: int, length: int, places: set[int]) -> None:
    assert evenly(most, length) == places


def test_two_cases_of_each_sampled_test_are_quick_and_the_others_medium() -> None:
    marker = pytest.mark.sampled(2)
    items = [*cases("a", 4, marker), *cases("b", 6, marker), *cases("c", 3)]
    assert quick(items) == ["a[0]", "a[2]", "b[0]", "b[3]", "c[0]", "c[1]", "c[2]"]


def test_a_case_that_is_slow_already_is_not_one_of_the_sample() -> None:
    marker = pytest.mark.sampled(1)
    assert quick([*cases("a", 1, marker, pytest.mark.slow), *cases("a", 3, marker)[1:]]) == ["a[1]"]
