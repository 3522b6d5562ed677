"""Files that survive a loss of power: what is synchronised"""

from pathlib import Path

import pytest

from schedcheck.checker.limits import durable
from schedcheck.checker.limits.durable import claim


def test_a_folder_that_is_made_is_synchronised_in_the_folder_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synchronised: list[Path] = []
    monkeypatch.setattr(durable, "sync_folder", synchronised.append)
    folder = tmp_path / "new" / "kept"
    claim(folder).close()
    assert sorted(synchronised) == [tmp_path, tmp_path / "new"]
    claim(folder).close()
    assert len(synchronised) == 2
