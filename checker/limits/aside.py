"""Calls into C that no limit interrupts, made while the main thread waits: `aside`, `unfinished`.

A limit and Ctrl-C raise an exception in the main thread between two instructions of Python. A long call into C, as when
numba compiles a loop, delays them. Made in a thread of its own, the call goes on, and the main thread stops waiting.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

_threads: list[threading.Thread] = []


def aside(call: Callable[[], Result]) -> Result:
    """Return the result of the call, made in another thread. Raises what it raises, and LimitReached at a limit.

    In a thread other than the main one, which no limit ends, the call is made at once.
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    made: list[Result] = []
    failed: list[BaseException] = []
    over = threading.Event()

    def run() -> None:
        try:
            made.append(call())
        except BaseException as error:
            failed.append(error)
        finally:
            over.set()

    thread = threading.Thread(target=run, daemon=True)
    _threads[:] = [each for each in _threads if each.is_alive()]
    _threads.append(thread)
    thread.start()
    over.wait()
    if failed:
        raise failed[0]
    return made[0]


def unfinished() -> bool:
    """Whether a call is still going on for which nobody waits any more."""
    return any(each.is_alive() for each in _threads)
