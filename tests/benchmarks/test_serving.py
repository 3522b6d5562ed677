"""The benchmark of the server, on a small cluster: every answer is that of the definitions"""

from pathlib import Path

import pytest

from benchmarks import serving
from benchmarks.serving import filters, load


def test_filters_of_whole_nodes_are_timed(tmp_path: Path) -> None:
    found = filters(12, 200, 5, tmp_path)
    assert len(found.seconds) == 5 and all(each > 0 for each in found.seconds)
    assert found.megabytes > 0.1 and found.resident > 10


def test_many_clients_at_once_get_right_answers_and_memory_is_bounded(tmp_path: Path) -> None:
    found = load(8, 2, 6, 60, tmp_path)
    assert found.answers >= 8 and found.wrong == []
    assert found.after < found.before + 100


def test_a_wrong_answer_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "expected", lambda pod, snapshot: {"no-such-node"})
    found = load(2, 0.5, 6, 60, tmp_path)
    assert len(found.wrong) == found.answers > 0
