"""Calls run in a helper thread: the result or error is returned, and at a limit the call is abandoned"""

import threading

import pytest

from schedcheck.checker.limits.aside import aside, unfinished
from schedcheck.checker.limits.timer import LimitReached, limited


def test_the_result_or_the_error_of_the_call_is_passed_on() -> None:
    assert aside(lambda: 6 * 7) == 42
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 // 0)
    assert not unfinished()


def test_a_limit_ends_the_wait_but_not_the_call() -> None:
    begun, allowed, ended = threading.Event(), threading.Event(), threading.Event()

    def stubborn() -> None:
        """Wait in another thread than the main one, where no limit is raised."""
        begun.set()
        allowed.wait()
        ended.set()

    with pytest.raises(LimitReached), limited(0.15):
        aside(stubborn)
    assert begun.is_set() and not ended.is_set() and unfinished()
    allowed.set()
    assert ended.wait(60)


def test_in_another_than_the_main_thread_the_call_runs_directly() -> None:
    threads: list[threading.Thread] = []
    worker = threading.Thread(target=lambda: aside(lambda: threads.append(threading.current_thread())))
    worker.start()
    worker.join()
    assert threads == [worker]


def test_loops_are_compiled_in_a_helper_thread() -> None:
    pytest.importorskip("numba")
    from schedcheck.checker.tabulated.loops import compiled

    asked: list[threading.Thread] = []
    doubled = compiled.compiled(double)
    chain = doubled._compilation_chain_init_hook  # type: ignore[attr-defined]
    doubled._compilation_chain_init_hook = lambda: (asked.append(threading.current_thread()), chain())  # type: ignore[attr-defined, func-returns-value]
    assert doubled(21) == 42
    assert asked and threading.main_thread() not in asked
    assert doubled(21) == 42 and len(asked) == 1


def double(number: int) -> int:
    return 2 * number
