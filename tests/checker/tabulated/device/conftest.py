"""Numba's simulator of CUDA in this process"""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import Lock
from typing import Any

import pytest


class Swaps:
    """Lets the functions of a module see the simulated `cuda` while any thread runs one of them.

    Numba's own swap puts the real module back when the first of several threads leaves.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.running: Counter[int] = Counter()

    @contextmanager
    def swapped(self, function: Any, fake: Any) -> Iterator[None]:
        real, seen = sys.modules["numba.cuda"], function.__globals__
        with self.lock:
            self.running[id(seen)] += 1
            names = [name for name, value in seen.items() if value is real or value is fake]
            seen.update(dict.fromkeys(names, fake))
        try:
            yield
        finally:
            with self.lock:
                self.running[id(seen)] -= 1
                if not self.running[id(seen)]:
                    seen.update(dict.fromkeys(names, real))


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A graphics processor played by numba: each of its threads is a thread of this process."""
    config = pytest.importorskip("numba.core.config", reason="numba is not installed; it comes with schedcheck[gpu]")
    if "numba.cuda" not in sys.modules:
        # Numba and numba-cuda decide at this import, and ask again later: it stays so in this process.
        monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
        config.ENABLE_CUDASIM = 1
    cuda = pytest.importorskip("numba.cuda", reason="numba has no CUDA; it comes with schedcheck[gpu]")
    if not cuda.config.ENABLE_CUDASIM:
        pytest.skip("numba's CUDA was imported for a real device")
    monkeypatch.setattr(import_module("numba.cuda.simulator.kernel"), "swapped_cuda_module", Swaps().swapped)
    yield
