"""One cluster of two nodes for all tests of this folder"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.checker.tabulated.machines import two_nodes


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    pytest.importorskip("ray", reason="ray is not installed; it comes with schedcheck[ray]")
    pytest.importorskip("fsspec", reason="fsspec is not installed; it comes with schedcheck[ray]")
    with two_nodes() as made:
        yield made
