"""The clock of a recalled scheduler"""

import pytest

from schedcheck.model.production.machine.state import Memory, OnItsWay, Waiter, now
from tests.support.building import pod


def waiter(rank: int) -> Waiter:
    return Waiter(pod(f"p{rank}"), "active", rank, (), (), "", "")


@pytest.mark.parametrize(("waiting", "on_their_way"), [((0,), ()), ((), (0,)), ((0, 2), (1,)), ((0,), (1, 2))])
def test_the_clock_is_later_than_every_remembered_time(waiting: tuple[int, ...], on_their_way: tuple[int, ...]) -> None:
    bindings = tuple(OnItsWay(waiter(rank), pod(f"p{rank}"), "n", "bind") for rank in on_their_way)
    assert now(Memory(waiters=tuple(map(waiter, waiting)), bindings=bindings)) > max(waiting + on_their_way)
