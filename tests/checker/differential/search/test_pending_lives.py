"""Lives of pods that wait for plugins, and schedulers that remember little: defects that are put in are found soon"""

from collections.abc import Callable
from typing import Any

import pytest
from pytest import MonkeyPatch

from schedcheck.model.production.cycle.diagnosis import Diagnosis
from schedcheck.model.production.cycle.scheduler import Scheduler, Stage
from schedcheck.model.production.queue.hints import Hints, Strategy
from schedcheck.model.production.snapshot import guests, row_memory
from tests.checker.differential.search.full_memories import LIMITS, full_memory
from tests.checker.differential.search.pending_lives import pending_life

Patch = Callable[[MonkeyPatch], None]


def pending_is_forgotten(patch: MonkeyPatch) -> None:
    """A plugin that answers Pending counts as any other."""
    blame = Diagnosis.blame

    def told(self: Diagnosis, status: Any) -> None:
        blame(self, status)
        self.pending.clear()

    patch.setattr(Diagnosis, "blame", told)


def a_failed_binding_is_a_rejection(patch: MonkeyPatch) -> None:
    """A pod that a plugin refuses at PreBind waits for that plugin."""
    undo = Scheduler._undo

    def undone(self: Scheduler, framework: Any, binding: Any, status: Any, fit: Any) -> None:
        before = binding.stage is Stage.BIND
        undo(self, framework, binding, status, self._refusal(binding.node, status) if before else fit)

    patch.setattr(Scheduler, "_undo", undone)


def pending_backs_off(patch: MonkeyPatch) -> None:
    """An event for a plugin that has answered Pending makes its pod back off."""
    worth = Hints.worth
    patch.setattr(Hints, "worth", lambda *given: min(worth(*given), Strategy.AFTER_BACKOFF))


def rows_are_kept(patch: MonkeyPatch) -> None:
    """The rows of pods are kept although their amounts are forgotten."""

    def amounts(self: Any, infos: Any) -> Any:
        rows = [self._row_of.get(info, -1) for info in infos]
        if -1 in rows:
            if len(self._row_of) + len(infos) > guests.MOST_REMEMBERED:
                self._row_of.clear()
            rows = [self._row(info) if row < 0 else row for info, row in zip(infos, rows, strict=True)]
        return self._amounts[rows]

    patch.setattr(guests.Guests, "amounts", amounts)


def another_key_is_used(patch: MonkeyPatch) -> None:
    """When there are too many functions, what is known of another one is taken."""
    remembered = row_memory.RowMemory._remembered

    def taken(self: Any, key: Any, table: Any) -> Any:
        full = table is self._table and key not in self._known and len(self._known) >= row_memory.MOST_REMEMBERED
        return remembered(self, next(iter(self._known)) if full else key, table)

    patch.setattr(row_memory.RowMemory, "_remembered", taken)


def found(kind: Callable[[str], None], cases: int) -> bool:
    """Whether one of the first cases shows a difference."""
    for number in range(cases):
        try:
            kind(f"twin {number}")
        except Exception:
            return True
    return False


@pytest.mark.parametrize("kind", [pending_life, full_memory], ids=lambda each: each.__name__)
def test_the_first_cases_show_nothing(kind: Callable[[str], None]) -> None:
    assert not found(kind, 15)


@pytest.mark.parametrize(
    ("kind", "defect"),
    [
        (pending_life, pending_is_forgotten),
        (pending_life, a_failed_binding_is_a_rejection),
        (pending_life, pending_backs_off),
        (full_memory, rows_are_kept),
        (full_memory, another_key_is_used),
    ],
    ids=lambda each: each.__name__,
)
def test_a_defect_is_found(kind: Callable[[str], None], defect: Patch, monkeypatch: MonkeyPatch) -> None:
    defect(monkeypatch)
    assert found(kind, 200)


def test_the_limits_are_as_before_after_a_case() -> None:
    before = {(module, name): getattr(module, name) for module, name in LIMITS}
    full_memory("limits")
    assert before == {(module, name): getattr(module, name) for module, name in LIMITS}
