"""Cached properties are filled in before they are read, and nothing else is."""

from dataclasses import dataclass
from functools import cached_property

import pytest

from schedcheck.checker.derived import given


@dataclass(frozen=True)
class Square:
    side: int

    @cached_property
    def area(self) -> int:
        return self.side**2

    @property
    def corners(self) -> int:
        return 4


def test_a_given_property_is_read_and_not_computed() -> None:
    assert Square(3).area == 9
    assert given(Square(3), area=8).area == 8


@pytest.mark.parametrize("name", ["side", "corners", "volume"])
def test_an_attribute_that_is_not_cached_is_refused(name: str) -> None:
    square = Square(3)
    with pytest.raises(TypeError, match=f"Square has no cached property {name}"):
        given(square, **{name: 1})
    assert vars(square) == {"side": 3}
