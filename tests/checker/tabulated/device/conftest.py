"""Numba's simulator of CUDA in this process"""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A graphics processor played by numba: each of its threads is a thread of this process."""
    config = pytest.importorskip(
        "numba.core.config", reason="numba is not installed; it comes with schedcheck[tabulated]"
    )
    if "numba.cuda" not in sys.modules:
        # Numba and numba-cuda decide at this import, and ask again later: it stays so in this process.
        monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
        config.ENABLE_CUDASIM = 1
    cuda = pytest.importorskip("numba.cuda", reason="numba has no CUDA; it comes with schedcheck[gpu]")
    if not cuda.config.ENABLE_CUDASIM:
        pytest.skip("numba's CUDA was imported for a real device")
    yield
