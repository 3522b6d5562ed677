"""Levels of a part are read as they were written, or refused"""

from pathlib import Path

import numpy as np
import pytest

from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.tabulated.distributed.storage import Storage

pytest.importorskip("fsspec", reason="fsspec is not installed; it comes with schedcheck[ray]")
STATES = np.arange(10, dtype=np.uint64).reshape(5, 2)


def test_a_level_written_and_read_is_the_same(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path), "run")
    storage.open()
    storage.keep(1, 4, STATES)
    assert storage.read(1, 4, 2).tolist() == STATES.tolist()
    storage.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("change", ["flip", "shorten"])
def test_a_damaged_level_is_refused(change: str, tmp_path: Path) -> None:
    storage = Storage(str(tmp_path), "run")
    storage.open()
    storage.keep(0, 1, STATES)
    (path,) = (tmp_path / "run").iterdir()
    content = path.read_bytes()
    path.write_bytes(bytes([content[0] ^ 1]) + content[1:] if change == "flip" else content[8:])
    with pytest.raises(Unusable, match=r"level-000001\.words: not what was written"):
        storage.read(0, 1, 2)


def test_a_level_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="No such file"):
        Storage(str(tmp_path), "run").read(0, 1, 2)


def test_a_folder_under_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unusable, match="cannot be written"):
        Storage(str(tmp_path / "file"), "run").open()


def test_a_url_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(Unusable, match="cannot be written"):
        Storage("nowhere://folder", "run").open()
