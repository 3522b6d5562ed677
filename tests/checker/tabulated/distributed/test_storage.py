"""Levels of a part are read as they were written, or refused, in a folder and in an object store"""

import errno
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.tabulated.distributed import storage as module
from schedcheck.checker.tabulated.distributed.storage import Storage

pytest.importorskip("fsspec", reason="fsspec is not installed; it comes with schedcheck[ray]")
from tests.checker.tabulated.distributed.objects import Objects

STATES = np.arange(10, dtype=np.uint64).reshape(5, 2)
BUCKET = "objects://bucket/levels"


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(module, "PAUSES", (0.0,) * 4)
    Objects.objects.clear()
    yield
    Objects.failures.clear()


def opened(place: str) -> Storage:
    storage = Storage(place, "run")
    storage.open()
    return storage


@pytest.mark.parametrize("kind", ["folder", "file://", "memory://levels", BUCKET])
def test_a_level_written_and_read_is_the_same(kind: str, tmp_path: Path) -> None:
    storage = opened({"folder": str(tmp_path / "new"), "file://": f"file://{tmp_path}/new"}.get(kind, kind))
    storage.keep(1, 4, 0, STATES)
    storage.look()
    assert storage.read(1, 4, 0, 5, 2).tolist() == STATES.tolist()
    assert storage.close() == ""
    with pytest.raises(Unusable, match=r"part-001-level-000004-attempt-000\.words cannot be read"):
        storage.read(1, 4, 0, 5, 2)


def test_a_run_removes_only_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    storage = opened(str(tmp_path))
    storage.close()
    assert [each.name for each in tmp_path.iterdir()] == ["other"]


@pytest.mark.parametrize("change", ["flip", "shorten", "fewer states"])
def test_a_damaged_level_is_refused(change: str, tmp_path: Path) -> None:
    storage = opened(str(tmp_path))
    storage.keep(0, 1, 0, STATES[:4] if change == "fewer states" else STATES)
    path = tmp_path / "run" / "part-000-level-000001-attempt-000.words"
    content = path.read_bytes()
    if change != "fewer states":
        path.write_bytes(bytes([content[0] ^ 1]) + content[1:] if change == "flip" else content[8:])
    with pytest.raises(Unusable, match=r"level-000001-attempt-000\.words: not what was written"):
        storage.read(0, 1, 0, 5, 2)


def test_a_worker_taken_for_dead_that_still_writes_changes_nothing() -> None:
    storage = opened(BUCKET)
    storage.keep(0, 3, 1, STATES)
    storage.keep(0, 3, 0, STATES[:2])
    assert storage.read(0, 3, 1, 5, 2).tolist() == STATES.tolist()


def test_a_relative_folder_is_that_of_the_process_that_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    storage = opened("levels")
    monkeypatch.chdir("/")
    storage.look()
    assert storage.place == f"{tmp_path}/levels/run"


def test_a_folder_that_is_not_the_same_on_all_machines_is_refused(tmp_path: Path) -> None:
    opened(str(tmp_path))
    (tmp_path / "run" / "run").unlink()
    with pytest.raises(Unusable, match="cannot be read: No such file or directory"):
        Storage(str(tmp_path), "run").look()


def test_a_folder_under_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unusable, match="cannot be written: Not a directory"):
        Storage(str(tmp_path / "file"), "run").open()


@pytest.mark.parametrize("url", ["nowhere://folder", "s3-like://x"])
def test_a_url_of_an_unknown_kind_is_refused(url: str) -> None:
    with pytest.raises(Unusable, match="cannot be written: Protocol not known"):
        Storage(url, "run").open()


def test_a_bucket_that_does_not_exist_is_refused_and_not_made() -> None:
    with pytest.raises(Unusable, match=r"^objects://missing/levels/run: cannot be written: .*bucket does not exist$"):
        Storage("objects://missing/levels", "run").open()


def test_an_object_whose_upload_broke_off_is_put_again() -> None:
    storage = opened(BUCKET)
    # The first is for the request, the second for the end of the upload.
    Objects.failures += [OSError(errno.EBUSY, "Please reduce your request rate."), ConnectionError("reset")]
    storage.keep(0, 1, 0, STATES)
    assert not Objects.failures
    assert storage.read(0, 1, 0, 5, 2).tolist() == STATES.tolist()


def test_a_partial_upload_is_not_taken_for_a_level() -> None:
    storage = opened(BUCKET)
    name = "part-000-level-000001-attempt-000.words"
    with (
        pytest.raises(ConnectionError),
        Objects().open(f"{storage.place.removeprefix('objects://')}/{name}", "wb") as file,
    ):
        file.write(STATES.tobytes())
        Objects.failures.append(ConnectionError("reset"))
    assert len(Objects.objects["bucket/levels/run/" + name]) > 0
    with pytest.raises(Unusable, match="not what was written"):
        storage.read(0, 1, 0, 5, 2)


class Lost(Exception):
    """A kind of its own, as libraries of object stores have them."""


def test_a_network_that_stays_away_is_one_line_after_five_tries() -> None:
    storage = opened(BUCKET)
    Objects.failures += [Lost("Could not connect to the endpoint\nwith details")] * 6
    with pytest.raises(Unusable) as told:
        storage.keep(0, 1, 0, STATES)
    assert str(told.value) == "objects://bucket/levels/run: cannot be written: Could not connect to the endpoint"
    assert len(Objects.failures) == 1


LACKING = "file systems of this kind have no such operation"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (PermissionError(13, "Access Denied"), "Access Denied"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (NotImplementedError(), LACKING),
        (NotImplementedError("only reading\nis supported"), "only reading"),
    ],
)
def test_what_another_try_does_not_mend_is_told_at_once(error: Exception, told: str) -> None:
    storage = opened(BUCKET)
    Objects.failures += [error] * 2
    with pytest.raises(Unusable, match=f"cannot be written: {told}$"):
        storage.keep(0, 1, 0, STATES)
    assert len(Objects.failures) == 1


@pytest.mark.parametrize(
    ("error", "told"), [(PermissionError(13, "Access Denied"), "Access Denied"), (NotImplementedError(), LACKING)]
)
def test_what_cannot_be_removed_is_told(error: Exception, told: str) -> None:
    storage = opened(BUCKET)
    Objects.failures += [error] * 2
    assert storage.close() == f"objects://bucket/levels/run: cannot be removed: {told}"
    assert len(Objects.failures) == 1
