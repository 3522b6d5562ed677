"""The desk: tasks in turn, limits of time, and tasks that give way to those that callers wait for"""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from schedcheck.checker.limits import timer
from schedcheck.serving import desk as module
from schedcheck.serving.desk import MOST_LATER, Desk, Late


def spin(until: Callable[[], bool], seconds: float = 30) -> None:
    """Compute, without waiting, until something holds."""
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "in vain"


def run(desk: Desk, beside: Callable[[], None]) -> None:
    """Run the desk in the main thread and something in another one, which stops it."""
    wrong: list[BaseException] = []

    def other() -> None:
        try:
            beside()
        except BaseException as error:
            wrong.append(error)
        finally:
            desk.stop()

    thread = threading.Thread(target=other)
    thread.start()
    desk.run()
    thread.join()
    assert wrong == []


def test_a_task_that_takes_too_long_is_cut_off_and_the_next_one_is_answered() -> None:
    desk = Desk(0.3)
    never = threading.Event()

    def beside() -> None:
        with pytest.raises(Late):
            desk.submit(lambda: spin(never.is_set)).result(20)
        assert desk.submit(lambda: 7).result(20) == 7

    run(desk, beside)


def test_the_first_task_has_its_whole_time() -> None:
    desk = Desk(1.0)

    def beside() -> None:
        assert desk.submit(lambda: 7).result(20) == 7

    with timer.counted():
        time.sleep(1.2)
        run(desk, beside)


def test_an_error_is_that_of_the_caller_alone() -> None:
    desk = Desk(5)

    def beside() -> None:
        with pytest.raises(ZeroDivisionError):
            desk.submit(lambda: 1 // 0).result(20)
        assert desk.submit(lambda: 7).result(20) == 7

    run(desk, beside)


def giving_way(desk: Desk) -> list[str]:
    """The order of events if a caller comes while a part of a later task computes."""
    order: list[str] = []
    began, answered = threading.Event(), threading.Event()

    def part() -> bool:
        began.set()
        spin(answered.is_set, 10)
        order.append("part")
        return True

    def beside() -> None:
        assert desk.later(lambda: order.append(f"later {desk.attempt(part)}"))
        assert began.wait(20)
        assert desk.submit(lambda: order.append("answer")).result(20) is None
        answered.set()
        spin(lambda: len(order) == 3)

    run(desk, beside)
    return order


def test_a_later_task_gives_way_and_its_part_is_done_again() -> None:
    assert giving_way(Desk(20)) == ["answer", "part", "later True"]


def test_a_later_task_that_does_not_give_way_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Desk, "_watch", lambda self: timer.unseen)
    with pytest.raises(AssertionError):
        giving_way(Desk(2))


def test_a_later_task_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LATER_SECONDS", 0.2)
    desk = Desk(5)
    ended: list[Any] = []

    def task() -> None:
        try:
            while True:
                desk.attempt(lambda: True)
        finally:
            ended.append(True)

    def beside() -> None:
        assert desk.later(task)
        spin(lambda: bool(ended))

    run(desk, beside)


def test_too_many_later_tasks_are_refused() -> None:
    desk = Desk(5)
    assert all(desk.later(lambda: None) for _ in range(MOST_LATER))
    assert not desk.later(lambda: None)
