"""Runs that keep their levels in a folder, with so little memory that they spill, and a summary for comparing runs"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Bounds, Result
from schedcheck.checker.tabulated.answers.tables import Tables
from schedcheck.checker.tabulated.search import engine, explorer
from schedcheck.model.scenario import Scenario

ROOM = 3000
"""How many states fit into each part of the set in memory in a run that spills."""


def summary(result: Result) -> tuple[Any, ...]:
    """All that two runs must agree on: the counts, the verdict and the traces."""
    traces = [
        (each.property.name, [(str(stage.action), repr(stage.state)) for stage in each.trace])
        for each in result.violations
    ]
    return (
        str(result.verdict),
        (result.distinct, result.generated, result.depth, result.queue, result.done, result.stuck),
        sorted(result.coverage.items()),
        result.undecided,
        result.stopped,
        traces,
    )


def kept(
    scene: Scenario,
    folder: Path | None,
    bounds: Bounds | None = None,
    *,
    symmetry: bool = False,
    answers: Tables | None = None,
) -> Any:
    """The summary of the tabulated explorer's result, with its levels in the folder."""
    return summary(
        check(scene, engine="tabulated", symmetry=symmetry, bounds=bounds, checkpoint=folder, answers=answers).result
    )


def spilling(put: Callable[[Any, str, Any], None], room: int = ROOM, successors: int = 4096, piece: int = 512) -> None:
    """Make runs spill with few states."""
    put(explorer, "SUCCESSORS", successors)
    put(explorer, "PIECE", piece)
    put(engine, "room_for", lambda *_: room)


def spilled(monkeypatch: pytest.MonkeyPatch, room: int = ROOM) -> None:
    """Make runs of this test spill."""
    spilling(monkeypatch.setattr, room)
