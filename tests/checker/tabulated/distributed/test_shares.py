"""Every state has one owner, and only repeated states are left out"""

import numpy as np

from schedcheck.checker.tabulated.distributed.shares import by_owner, nothing_sent, owner, sift

PARTS = 3


def sifted(states: np.ndarray, places: int) -> list[set[tuple[int, ...]]]:
    """The states that each part gets."""
    left = states.copy()
    owners = np.zeros(len(states), np.int64)
    count = sift(left, 0, len(left), nothing_sent(states.shape[1], places), PARTS, owners)
    return [set(map(tuple, each.tolist())) for each in by_owner(left, count, owners, PARTS)]


def test_states_divided_by_hash_go_each_to_one_part() -> None:
    states = np.random.default_rng(7).integers(0, 50, (2000, 2)).astype(np.uint64)
    parts = sifted(states, 64)
    assert set.union(*parts) == set(map(tuple, states.tolist()))
    assert sum(map(len, parts)) == len(set.union(*parts)), "no state has two owners"
    assert all(parts), "no part is empty"
    assert all(owner(np.array(each, np.uint64), PARTS) == number for number, part in enumerate(parts) for each in part)


def test_a_state_sent_just_before_is_left_out() -> None:
    states = np.array([[5], [5], [0], [5]], np.uint64)
    owners = np.zeros(4, np.int64)
    assert sift(states, 0, 4, nothing_sent(1, 1 << 10), PARTS, owners) == 2
    assert sorted(states[:2, 0].tolist()) == [0, 5]


def test_a_state_of_zeros_is_not_taken_for_one_sent_before() -> None:
    assert sift(np.zeros((1, 2), np.uint64), 0, 1, nothing_sent(2, 4), PARTS, np.zeros(1, np.int64)) == 1
