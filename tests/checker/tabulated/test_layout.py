"""Packing states into words and back"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedcheck.checker.tabulated.layout.layout import BITS, Layout, in_order

SIZES = st.lists(st.integers(1, 2**20), min_size=1, max_size=24)


def numbers(sizes: list[int]) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*(st.integers(0, size - 1) for size in sizes))


@pytest.mark.parametrize("sizes", [(1,), (2, 3), (5, 1, 4, 7), (3, 3, 3, 3, 3)])
def test_every_state_of_a_small_layout_is_unpacked_and_packed_uniquely(sizes: tuple[int, ...]) -> None:
    layout = Layout(sizes)
    every = list(product(*map(range, sizes)))
    assert [layout.unpack(layout.pack(each)) for each in every] == every
    assert len({layout.pack(each).tobytes() for each in every}) == len(every)


@settings(max_examples=300)
@given(st.data())
def test_a_packed_state_is_unpacked_and_never_all_ones(data: st.DataObject) -> None:
    layout = Layout(tuple(data.draw(SIZES)))
    given_numbers = data.draw(numbers(list(layout.sizes)))
    packed = layout.pack(given_numbers)
    assert layout.unpack(packed) == given_numbers
    assert all(int(word) >> BITS == 0 for word in packed)


@settings(max_examples=100)
@given(SIZES)
def test_no_two_fields_share_a_bit(sizes: list[int]) -> None:
    layout = Layout(tuple(sizes))
    masks = [
        layout.pack([size - 1 if field == each else 0 for each, size in enumerate(sizes)])
        for field in range(len(sizes))
    ]
    assert not any(np.any(one & other) for place, one in enumerate(masks) for other in masks[:place])


def test_a_value_too_large_for_its_field_is_refused() -> None:
    with pytest.raises(OverflowError, match="3 in a field of 3 values"):
        Layout((2, 3)).pack((0, 3))


def test_states_are_ordered_by_their_first_word_first() -> None:
    states = np.array([[2, 1], [1, 9], [1, 3]], np.uint64)
    assert in_order(states).tolist() == [[1, 3], [1, 9], [2, 1]]
