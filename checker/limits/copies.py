"""Copies of this process that help it: `may_copy`, `started`, `deaf`, `ended`."""

import signal
import threading
import warnings
from collections.abc import Callable
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGALRM, signal.SIGTERM)


def may_copy() -> bool:
    """Whether this process may make copies of itself: a part of a larger computation may not."""
    return threading.current_thread() is threading.main_thread() and not current_process().daemon


def started(serve: Callable[..., None], *given: Any) -> tuple[Connection, BaseProcess]:
    """Start a copy of this process that calls `serve` with what is given, its end of a pipe, and this end, to be closed.

    Return this end, and the process. Raises OSError if the system makes no process.
    """
    context = get_context("fork")
    mine, its = context.Pipe()
    process = context.Process(target=serve, args=(*given, its, mine), daemon=True)
    # A signal must not reach the copy before it ignores it.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        with warnings.catch_warnings():
            # Python warns of a copy made beside other threads. It only computes, and needs no lock of theirs.
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
    except OSError:
        mine.close()
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        its.close()
    return mine, process


def deaf() -> None:
    """Ignore the signals that are for the process that was copied; a copy calls this first."""
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN if each is not signal.SIGTERM else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def ended(connection: Connection, process: BaseProcess) -> None:
    """End a copy, whatever it does."""
    process.kill()
    process.join()
    connection.close()
