"""Calls into C that no limit interrupts, made while the main thread waits: `aside`, `unfinished`.

A limit and Ctrl-C raise an exception in the main thread between two instructions of Python. A long call into C, as when
LLVM compiles a loop, delays them. Made in a thread of its own, the call goes on, and the main thread stops waiting.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

_calls: list[object] = []
"""The running calls."""


def aside(call: Callable[[], Result]) -> Result:
    """Return the result of the call, made in another thread. Raises what it raises, and LimitReached at a limit.

    In a thread other than the main one, which no limit ends, the call is made at once.
    """
    if threading.current_thread() is not threading.main_thread():
        return _noted(call)
    made: list[Result] = []
    failed: list[BaseException] = []
    over = threading.Event()

    def run() -> None:
        try:
            made.append(call())
        except BaseException as error:
            failed.append(error)
        finally:
            _calls.remove(call)
            over.set()

    _calls.append(call)
    threading.Thread(target=run, daemon=True).start()
    over.wait()
    if failed:
        raise failed[0]
    return made[0]


def _noted(call: Callable[[], Result]) -> Result:
    _calls.append(call)
    try:
        return call()
    finally:
        _calls.remove(call)


def unfinished() -> bool:
    """Whether a call is still running, which the end of the main thread would abandon."""
    return bool(_calls)
