"""Every state has one owner, and only repeated states are left out"""

import numpy as np

from schedcheck.checker.tabulated.distributed.shares import Dealer, owner

PARTS = 3


def dealt(states: np.ndarray, places: int, parts: int = PARTS) -> list[list[tuple[int, ...]]]:
    """The states that each part gets."""
    dealer, buffer = Dealer(states.shape[1], parts, places, len(states)), states.copy()
    count = dealer.sift(buffer, 0, len(buffer))
    return [list(map(tuple, each.tolist())) for each in dealer.by_owner(buffer, count)]


def test_states_divided_by_hash_go_each_to_one_part() -> None:
    states = np.random.default_rng(7).integers(0, 50, (2000, 2)).astype(np.uint64)
    parts = list(map(set, dealt(states, 64)))
    assert set.union(*parts) == set(map(tuple, states.tolist()))
    assert sum(map(len, parts)) == len(set.union(*parts)), "no state has two owners"
    assert all(parts), "no part is empty"
    assert all(owner(np.array(each, np.uint64), PARTS) == number for number, part in enumerate(parts) for each in part)


def test_a_state_sent_just_before_is_left_out() -> None:
    (found,) = dealt(np.array([[5], [5], [0], [5]], np.uint64), 1 << 10, parts=1)
    assert found == [(5,), (0,)]


def test_a_state_that_is_no_longer_remembered_is_sent_again() -> None:
    (found,) = dealt(np.array([[5], [6], [5]], np.uint64), 1, parts=1)
    assert found == [(5,), (6,), (5,)]


def test_a_state_of_zeros_is_not_taken_for_one_sent_before() -> None:
    assert dealt(np.zeros((1, 2), np.uint64), 4, parts=1) == [[(0, 0)]]


def test_states_sent_before_a_loss_are_sent_again() -> None:
    dealer, states = Dealer(1, 1, 4, 1), np.array([[5]], np.uint64)
    assert dealer.sift(states, 0, 1) == 1
    assert dealer.sift(states, 0, 1) == 0
    dealer.forget()
    assert dealer.sift(states, 0, 1) == 1
