"""The garbage collector of the server, which runs when no request waits: `rarely`.

A message of 1,000 nodes makes a million objects without cycles. To look at them takes several times as long as to read
them.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TASKS = 100
"""The tasks after which the collector runs."""


@contextmanager
def rarely() -> Iterator[Callable[[], None]]:
    """Switch the collector off; yield a function to call after each task, which collects now and then."""
    enabled, done = gc.isenabled(), 0

    def after() -> None:
        nonlocal done
        done += 1
        if done >= TASKS:
            done = 0
            gc.collect()

    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield after
    finally:
        gc.unfreeze()
        if enabled:
            gc.enable()
