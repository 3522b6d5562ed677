"""Control planes for tests, which are skipped where the program is not built."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.control_plane.building import BINARY, up_to_date
from tests.control_plane.plane import ControlPlane

Start = Callable[..., ControlPlane]


@pytest.fixture
def program() -> Path:
    """Return the program; the test is skipped where it is not built."""
    if not up_to_date():
        pytest.skip("the control plane is not built: make control-plane")
    return BINARY


@pytest.fixture
def start(program: Path) -> Iterator[Start]:
    """Return a function that starts a control plane, which ends with the test."""
    with ExitStack() as stack:

        def started(
            configuration: dict[str, Any] | None = None,
            kept: Path | None = None,
            gates: str = "",
            authorization: str = "AlwaysAllow",
        ) -> ControlPlane:
            return stack.enter_context(ControlPlane(program, configuration, kept, gates, authorization))

        yield started
