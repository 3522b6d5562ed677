"""Ray played in this process"""

import sys
from importlib.machinery import ModuleSpec

import pytest

from schedcheck.checker.machines import cluster
from tests.checker.machines.played import Tasks


@pytest.fixture
def tasks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Tasks:
    """Ray, whose calls end in an order that the parameter draws."""
    made = Tasks(getattr(request, "param", 1))
    monkeypatch.setitem(sys.modules, "ray", made)
    monkeypatch.setattr(cluster, "find_spec", lambda name: ModuleSpec(name, None))
    return made
