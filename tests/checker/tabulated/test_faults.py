"""Any system error while levels are saved is one clear error, and a later run ends as if nothing had happened"""

import errno
import hashlib
import resource
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.limits import chained, durable
from schedcheck.checker.limits.durable import Full, Unusable
from schedcheck.checker.tabulated.loops import runs
from schedcheck.checker.tabulated.search import checkpoint
from schedcheck.model.scenario import Scenario
from tests.checker.tabulated.resumed import kept, spilled
from tests.support.building import five_pods, node, on_nodes, on_pods, pod, scenario

CALLS = ("write", "sync", "sync_folder", "rename")
FULL = OSError(errno.ENOSPC, "No space left on device")


class Killed(BaseException):
    """Simulates the end of the process: nothing is cleaned up after it."""


def small() -> Scenario:
    """Two pods on two nodes, in few levels."""
    names = "p1 p2"
    return scenario(
        *(pod(name, 1, priority=number) for number, name in enumerate(names.split())),
        *(node(name, 1) for name in ("n1", "n2")),
        absent="*",
        rules=[on_pods("arrive", names), on_nodes("cordon", "n1")],
        properties=["never_evicted(p1)", "pod_can_still_be_bound(p2)"],
    )


@cache
def whole() -> Any:
    """The result of a run that saves nothing."""
    return kept(small(), None)


def failing(monkeypatch: pytest.MonkeyPatch, number: int, error: BaseException, before: bool) -> list[str]:
    """Make one call fail, before or after half or all of its work; return the names of the calls."""
    called: list[str] = []

    def counted(name: str, do: Callable[..., None]) -> Callable[..., None]:
        def call(*given: Any) -> None:
            called.append(name)
            if len(called) - 1 != number:
                return do(*given)
            if not before:
                do(*((given[0], given[1][: len(given[1]) // 2]) if name == "write" else given))
            if isinstance(error, Killed):
                monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)
            raise error

        return call

    for name in CALLS:
        monkeypatch.setattr(durable, name, counted(name, getattr(durable, name)))
    return called


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("error", "before", "spill"),
    [(FULL, True, False), (FULL, False, True), (Killed(), True, True), (Killed(), False, False)],
)
def test_a_fault_at_any_call_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, before: bool, spill: bool
) -> None:
    if spill:
        spilled(monkeypatch, room=2)
    with monkeypatch.context() as patched:
        calls = failing(patched, -1, error, before)
        assert kept(small(), tmp_path / "all") == whole()
    assert set(calls) == set(CALLS)
    for number in range(len(calls)):
        folder = tmp_path / str(number)
        with monkeypatch.context() as patched:
            failing(patched, number, error, before)
            with pytest.raises((Full, Killed)) as told:
                kept(small(), folder)
        if error is FULL:
            assert str(told.value).startswith(str(folder))
            assert str(told.value).endswith(": cannot be written: No space left on device")
        assert kept(small(), folder) == whole()
        same = {path.name: path.read_bytes() for path in (tmp_path / "all").iterdir()}
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == same


def test_two_faults_one_after_the_other_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (20, 3, 9, 11):
        with monkeypatch.context() as patched:
            failing(patched, number, FULL, before=False)
            with pytest.raises(Full):
                kept(small(), tmp_path)
    assert kept(small(), tmp_path) == whole()


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """Let the system refuse larger files, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("spill", [False, True])
def test_runs_without_room_for_a_file_continue_once_there_is_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spill: bool
) -> None:
    whole = kept(five_pods(), None)
    monkeypatch.setattr(runs, "BLOCK", 4)
    if spill:
        spilled(monkeypatch, room=100)
    reached = []
    for size in (0, 900, 1100):
        with no_file_beyond(size), pytest.raises(Full, match="cannot be written: File too large") as told:
            kept(five_pods(), tmp_path)
        assert str(told.value).startswith(str(tmp_path))
        assert not list(tmp_path.glob(f"*{durable.TEMPORARY}"))
        reached.append(len(list(tmp_path.glob("level-*.json"))))
    assert 0 == reached[0] < reached[1] <= reached[2] < whole[1][2]
    assert kept(five_pods(), tmp_path) == whole


def test_writing_files_directly_under_their_final_names_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keep(path: Path, pieces: Iterable[bytes]) -> str:
        content = b"".join(pieces)
        with open(path, "wb") as file:
            durable.write(file, content)
        return hashlib.blake2b(content, digest_size=32).hexdigest()

    monkeypatch.setattr(durable, "keep", keep)
    monkeypatch.setattr(checkpoint, "keep", keep)
    monkeypatch.setattr(chained, "keep", keep)
    torn = 0
    for number in range(6):
        folder = tmp_path / str(number)
        with monkeypatch.context() as patched:
            failing(patched, number, Killed(), before=False)
            with suppress(Killed):
                kept(small(), folder)
        try:
            assert kept(small(), folder) == whole()
        except Unusable:
            torn += 1
    assert torn > 0


def test_a_folder_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unusable, match="file/lock: cannot be written"):
        kept(small(), tmp_path / "file")
