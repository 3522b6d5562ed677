"""Copies of a process end with it, and with the work they were made for, at whatever moment an interrupt comes"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import active_children
from multiprocessing.context import ForkProcess
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from schedcheck.checker.language.checking.ahead import Ahead
from schedcheck.checker.limits.copies import SIGNALS, deaf, ended, started
from schedcheck.checker.limits.timer import quiet
from schedcheck.checker.simulating.runs import RunFailed, Team
from schedcheck.checker.tabulated.search import together

ROOT = Path(__file__).parents[3]
LONG = 60.0


def sleep(*_: Any) -> None:
    deaf()
    time.sleep(LONG)


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ctrl-C is pressed while a copy starts, beside a thread that does not hold signals back; no copy may be left."""
    start, over = ForkProcess.start, Event()
    beside = Thread(target=over.wait)
    beside.start()

    def pressed(process: BaseProcess) -> None:
        start(process)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(ForkProcess, "start", pressed)
    before = active_children()
    yield
    over.set()
    beside.join()
    copies = [each for each in active_children() if each not in before]
    for each in copies:
        each.join(1)
    left = [each for each in copies if each.exitcode is None]
    for each in left:
        each.kill()
    assert left == []


class Asking:
    """An exploration of which helpers need no more."""

    keeping = None
    states: tuple[()] = ()


@contextmanager
def ahead() -> Iterator[None]:
    helpers = Ahead(Asking(), 2)  # type: ignore[arg-type]
    try:
        helpers._begin()
        yield
    finally:
        helpers.end()


@contextmanager
def of_tables() -> Iterator[None]:
    with together._helping(None, [], [()]):  # type: ignore[arg-type]
        yield


@contextmanager
def simulating() -> Iterator[None]:
    Team(None, None, 2).work(range(1), lambda _: None)  # type: ignore[arg-type]
    yield


@pytest.mark.parametrize("working", [ahead, of_tables, simulating])
def test_a_copy_that_starts_during_an_interrupt_is_ended(
    working: Callable[[], Any], interrupted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("checker.language.checking.ahead", "checker.tabulated.search.together"):
        monkeypatch.setattr(f"schedcheck.{module}._serve", sleep)
    monkeypatch.setattr("schedcheck.checker.simulating.runs._report", sleep)
    # A run that is interrupted so early reports nothing.
    with pytest.raises((KeyboardInterrupt, RunFailed)), working():
        pass


def test_an_interrupt_while_copies_end_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    copies: list[tuple[Any, BaseProcess]] = []
    for _ in range(2):
        started(lambda *made: copies.append(made), sleep)
    join, left = ForkProcess.join, [1]

    def pressed(process: BaseProcess, timeout: float | None = None) -> None:
        if left:
            left.pop()
            raise KeyboardInterrupt
        join(process, timeout)

    monkeypatch.setattr(ForkProcess, "join", pressed)
    try:
        with pytest.raises(KeyboardInterrupt):
            ended(*copies)
        for _, process in copies:
            process.join(5)
        assert [process.exitcode for _, process in copies] == [-signal.SIGKILL] * 2
    finally:
        for _, process in copies:
            process.kill()


LEFT = """
import os, signal, sys
from tests.checker.limits.test_copies import sleep
from schedcheck.checker.limits.copies import started
for _ in range(2):
    started(lambda connection, process: print(process.pid, flush=True), sleep)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_signal_that_reaches_another_thread_is_handled_after_the_body() -> None:
    over, done = Event(), []
    beside = Thread(target=over.wait)
    beside.start()
    try:
        with pytest.raises(KeyboardInterrupt), quiet(signal.SIGINT):
            with quiet(signal.SIGINT):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.05)
                done.append("inner")
            done.append("outer")
    finally:
        over.set()
        beside.join()
    assert done == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_copies_end_when_their_process_is_killed() -> None:
    begun = time.monotonic()
    with subprocess.Popen([sys.executable, "-c", LEFT], cwd=ROOT, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        copies = [int(killed.stdout.readline()) for _ in range(2)]
        try:
            # Nobody has the writing end of the pipe once they have ended, so that reading ends too.
            assert killed.stdout.read() == ""
            assert time.monotonic() - begun < LONG / 2
        finally:
            for each in copies:
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
    assert killed.returncode == -signal.SIGKILL


def test_signals_are_let_through_again_if_one_came_before_they_were_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    hold = signal.pthread_sigmask

    def late(how: int, signals: Any) -> Any:
        found = hold(how, signals)
        if how == signal.SIG_BLOCK and signals:
            raise KeyboardInterrupt
        return found

    before = hold(signal.SIG_BLOCK, ())
    monkeypatch.setattr(signal, "pthread_sigmask", late)
    try:
        with pytest.raises(KeyboardInterrupt), quiet(*SIGNALS):
            pass
        assert hold(signal.SIG_BLOCK, ()) == before
    finally:
        hold(signal.SIG_SETMASK, before)
