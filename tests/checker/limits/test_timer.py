"""The limits of a command: where they end it, and the exception they raise"""

import codecs
import gc
import importlib
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from schedcheck.checker.limits import timer
from schedcheck.checker.limits.timer import LimitReached, answer, counted, doing, end_after, ended, limited, reason

SOON = 0.15
AT_MOST = 5.0
"""The seconds by which a stop may be late on a busy machine."""


def for_ever() -> None:
    while True:
        time.sleep(0.01)


def test_code_that_exceeds_its_time_limit_is_ended_anywhere() -> None:
    begun = time.monotonic()
    with pytest.raises(LimitReached, match=r"^limits.seconds 0\.15$"), limited(SOON):
        for_ever()
    assert SOON <= time.monotonic() - begun < AT_MOST


def test_a_limit_reached_in_a_codec_keeps_its_text() -> None:
    def decode(data: bytes, errors: str = "strict") -> tuple[str, int]:
        raise LimitReached("limits.seconds 0.15")

    slow = codecs.CodecInfo(codecs.utf_8_encode, decode, name="slow")

    def lookup(name: str) -> codecs.CodecInfo | None:
        return slow if name == "slow" else None

    codecs.register(lookup)
    try:
        with pytest.raises(LimitReached, match=r"^limits\.seconds 0\.15$"):
            b"text".decode("slow")
    finally:
        codecs.unregister(lookup)


def test_code_that_exceeds_its_memory_limit_is_ended() -> None:
    with pytest.raises(LimitReached, match=r"^limits.memory 0\.001$"), limited(None, 0.001):
        for_ever()


def test_a_reached_limit_is_not_caught_by_the_guard_around_plugins() -> None:
    with pytest.raises(LimitReached), limited(SOON):
        try:
            for_ever()
        except Exception:
            pytest.fail("caught")


def test_without_a_limit_nothing_is_ended_and_the_timer_is_off_afterwards() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with limited():
        time.sleep(3 * timer.SECONDS_BETWEEN_LOOKS)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_writing_the_answer_is_not_interrupted_by_a_limit() -> None:
    with limited(SOON):
        answer()
        time.sleep(SOON + 3 * timer.SECONDS_BETWEEN_LOOKS)


def test_a_limit_ends_a_command_only_once() -> None:
    with limited(SOON):
        try:
            for_ever()
        except KeyboardInterrupt as end:
            assert reason(end) == "limits.seconds 0.15"
        time.sleep(3 * timer.SECONDS_BETWEEN_LOOKS)
    assert reason(KeyboardInterrupt()) == "interrupted"


def test_a_limit_reached_in_a_destructor_is_raised_after_it() -> None:
    class Slow:
        def __del__(self) -> None:
            for_ever()

    with pytest.raises(LimitReached, match=r"limits\.seconds"), limited(SOON):
        Slow()
        gc.collect()
        for_ever()


def test_a_part_ends_at_its_own_limit_and_the_whole_continues() -> None:
    with limited(60) as whole:
        with pytest.raises(LimitReached), limited(SOON) as part:
            for_ever()
        assert (part.reached, whole.reached) == (True, False)
        time.sleep(2 * timer.SECONDS_BETWEEN_LOOKS)


def test_a_part_ends_at_the_limit_of_the_whole() -> None:
    with pytest.raises(LimitReached), limited(SOON) as whole, limited(60) as part:
        for_ever()
    assert (part.reached, whole.reached) == (False, True)


def test_the_time_of_a_command_counts_from_its_start() -> None:
    with counted():
        time.sleep(2 * SOON)
        begun = time.monotonic()
        with limited(10):
            assert end_after(10) <= begun + 10 - 2 * SOON
    assert end_after(10) > begun + 10


def test_in_a_thread_there_is_no_timer() -> None:
    seen: list[bool] = []

    def run() -> None:
        with limited(0.01) as own:
            time.sleep(2 * timer.SECONDS_BETWEEN_LOOKS)
            seen.append(own.reached)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [False]


def test_the_current_activity_is_shown_and_reported_at_the_end() -> None:
    shown: list[str] = []

    def show(activity: str, seconds: float, most: float | None) -> None:
        shown.append(f"{activity} of {most}")

    with counted():
        with pytest.raises(LimitReached) as caught, limited(0.5, None, show):
            doing("counting sheep")
            for_ever()
        assert shown and set(shown) == {"counting sheep of 0.5"}
        assert ended(caught.value) == "gave up at limits.seconds 0.5, while counting sheep"
        assert ended(KeyboardInterrupt()) == "interrupted, while counting sheep"


def test_the_measured_memory_is_that_of_this_process() -> None:
    held = timer.gigabytes()
    more = bytearray(64 * 2**20)
    assert held > 0.01
    assert timer.gigabytes() >= held
    del more


SLOW = """
import time
end = time.monotonic() + {seconds}
while time.monotonic() < end:
    time.sleep(0.01)
"""
"""A module that takes long to import."""


def importable(folder: Path, name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.syspath_prepend(str(folder))
    (folder / f"{name}.py").write_text(text)
    importlib.invalidate_caches()
    return name


def test_an_import_is_not_left_half_done_by_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = importable(tmp_path, "imported_slowly", SLOW.format(seconds=4 * SOON), monkeypatch)
    with pytest.raises(LimitReached), limited(SOON):
        importlib.import_module(name)
        for_ever()
    assert name in sys.modules


def test_an_import_that_takes_too_long_is_ended_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = importable(tmp_path, "imported_for_ever", SLOW.format(seconds=60), monkeypatch)
    monkeypatch.setattr(timer, "LONGEST_IMPORT", SOON)
    begun = time.monotonic()
    with pytest.raises(LimitReached), limited(SOON):
        importlib.import_module(name)
    assert time.monotonic() - begun < AT_MOST and name not in sys.modules


def test_a_limit_that_is_set_during_an_import_ends_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from schedcheck.checker.limits.timer import limited\nwith limited(0.15):\n    import time\n    time.sleep(20)\n"
    name = importable(tmp_path, "limiting_itself", text, monkeypatch)
    begun = time.monotonic()
    with pytest.raises(LimitReached):
        importlib.import_module(name)
    assert time.monotonic() - begun < AT_MOST
