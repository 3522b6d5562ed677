"""Ray played in this process"""

import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec

import pytest

from schedcheck.checker.machines import cluster
from schedcheck.checker.tabulated.distributed import part
from tests.checker.tabulated.distributed.played import Played


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    """Ray, played in this process; the buffers are small, so that a level takes several turns."""
    made = Played()
    monkeypatch.setitem(sys.modules, "ray", made)
    monkeypatch.setattr(cluster, "find_spec", lambda name: ModuleSpec(name, None))
    for name, size in (("SUCCESSORS", 512), ("PIECE", 64), ("FILLS", 2), ("SENT", 64)):
        monkeypatch.setattr(part, name, size)
    yield made
