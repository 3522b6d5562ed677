"""Calls run in a helper thread: the result or error is returned, and at a limit the call is abandoned"""

import subprocess
import sys
import threading
import time
from pathlib import Path

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
        """Wait in a worker thread, where no limit is raised."""
        begun.set()
        allowed.wait()
        ended.set()

    with pytest.raises(LimitReached), limited(0.15):
        aside(stubborn)
    assert begun.is_set() and not ended.is_set() and unfinished()
    allowed.set()
    assert ended.wait(60)
    for _ in range(600):
        if unfinished():
            time.sleep(0.1)
    assert not unfinished()


LEAVING = """
import atexit, sys
from schedcheck import cli
from schedcheck.checker.limits import aside

def left(argv):
    if sys.argv[1] == "left":
        aside._calls.append(print)
    print("said")
    return 2

cli._within_limits = left
atexit.register(print, "taken apart")
sys.exit(cli.main())
"""


@pytest.mark.parametrize(("call", "out"), [("left", "said\n"), ("none", "said\ntaken apart\n")])
def test_an_abandoned_call_does_not_delay_the_exit(call: str, out: str) -> None:
    ended = subprocess.run([sys.executable, "-c", LEAVING, call], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, out)


def test_a_call_in_a_worker_thread_runs_directly() -> None:
    threads: list[threading.Thread] = []
    going: list[bool] = []

    def call() -> None:
        threads.append(threading.current_thread())
        going.append(unfinished())

    worker = threading.Thread(target=lambda: aside(call))
    worker.start()
    worker.join()
    assert (threads, going, unfinished()) == ([worker], [True], False)


def test_loops_are_compiled_in_a_helper_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("llvmlite")
    from schedcheck.checker.tabulated.loops import compiled, objects

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    objects.folder.cache_clear()
    asked: list[threading.Thread] = []
    compile_loop = compiled._compiled
    monkeypatch.setattr(
        compiled, "_compiled", lambda *given: (asked.append(threading.current_thread()), compile_loop(*given))[1]
    )
    doubled = compiled.bare(double)
    assert doubled(21) == 42
    assert asked and threading.main_thread() not in asked
    assert doubled(21) == 42 and len(asked) == 1
    objects.folder.cache_clear()


def double(number: int) -> int:
    return 2 * number
