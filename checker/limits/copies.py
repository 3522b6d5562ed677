"""Copies of this process that help it: `may_copy`, `started`, `deaf`, `mortal`, `ended`.

No copy outlives this process. It is ended with the work it was made for, and by itself when this process is killed.
"""

import os
import signal
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import current_process, get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from schedcheck.checker.limits.timer import quiet

SIGNALS = (signal.SIGINT, signal.SIGALRM, signal.SIGTERM)


def may_copy() -> bool:
    """Whether this process may make copies of itself: a part of a larger computation may not."""
    return threading.current_thread() is threading.main_thread() and not current_process().daemon


def started(note: Callable[[Connection, BaseProcess], object], serve: Callable[..., None], *given: Any) -> None:
    """Start a copy of this process that calls `serve` with what is given, its end of a pipe, and this end, to be closed.

    `note` gets this end and the process before any signal is handled: an interrupt finds a copy that is known, or none.

    Raises OSError if the system makes no process.
    """
    context = get_context("fork")
    mine, its = context.Pipe()
    process = context.Process(target=serve, args=(*given, its, mine), daemon=True)
    # A signal must not reach the copy before it ignores it.
    with quiet(*SIGNALS):
        try:
            with warnings.catch_warnings():
                # Python warns of a copy made beside other threads. It only computes, and needs no lock of theirs.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
        except OSError:
            mine.close()
            raise
        finally:
            its.close()
        note(mine, process)


def deaf() -> None:
    """Ignore the signals that are for the process that was copied, and end with it; a copy calls this first."""
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN if each is not signal.SIGTERM else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    mortal()


def mortal() -> None:
    """End this copy as soon as the process that was copied has ended, however that ended."""
    copied = parent_process()
    if copied is None:
        return

    def follow() -> None:
        copied.join()
        os._exit(1)

    # Without a thread it ends when it has nothing left to do.
    with suppress(RuntimeError):
        threading.Thread(target=follow, daemon=True).start()


def ended(*copies: tuple[Connection, BaseProcess]) -> None:
    """End copies, whatever they do; an interrupt comes when all are killed."""
    with quiet(*SIGNALS):
        for _, process in copies:
            process.kill()
    for connection, process in copies:
        process.join()
        connection.close()
