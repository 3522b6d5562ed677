"""Questions answered by several processes: the tables are those of one, whatever becomes of the others"""

import os
from collections.abc import Callable
from multiprocessing import active_children
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pytest

from benchmarks.kubernetes import explorer_of
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.answers.sampled import Differs, Sample
from schedcheck.checker.tabulated.answers.trials import Trials
from schedcheck.checker.tabulated.loops.arrays import ADMISSION
from schedcheck.checker.tabulated.search import together
from schedcheck.checker.tabulated.search.explorer import Explorer
from tests.checker.tabulated.crowds import crowd
from tests.checker.tabulated.test_composed import preempting

Arrays = dict[str, Any]
start, received = together._start, together._received


@pytest.fixture
def helpers(monkeypatch: pytest.MonkeyPatch) -> list[together.Helper]:
    """The helpers that are started; every batch but the first is worth one."""
    found: list[together.Helper] = []

    def counted(oracle: Any, asked: Any, share: Any, helpers: list[together.Helper]) -> None:
        start(oracle, asked, share, helpers)
        found.append(helpers[-1])

    monkeypatch.setattr(together, "WORTHWHILE", 1e-9)
    monkeypatch.setattr(together, "_start", counted)
    return found


def tables(monkeypatch: pytest.MonkeyPatch, processes: int, scene: Any) -> Arrays:
    """Explore the scene with one thread, and this number of processes for questions; return the tables."""
    monkeypatch.setattr(Explorer, "_at_most", lambda explorer: processes)
    explorer = explorer_of(scene, 1)
    explorer.bounds = Bounds(max_states=150)
    explorer.run()
    return explorer.oracle.arrays()


def equal(one: Arrays, other: Arrays) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("seed", [2004])
def test_tables_filled_by_three_processes_are_those_of_one(
    monkeypatch: pytest.MonkeyPatch, helpers: list[together.Helper], seed: int
) -> None:
    alone = tables(monkeypatch, 1, crowd(seed))
    assert helpers == []
    assert equal(alone, tables(monkeypatch, 3, crowd(seed)))
    assert len(helpers) > 1 and active_children() == []


def test_questions_of_a_lost_helper_are_answered_here(
    monkeypatch: pytest.MonkeyPatch, helpers: list[together.Helper]
) -> None:
    alone = tables(monkeypatch, 1, preempting())
    monkeypatch.setattr(together, "_serve", lambda *given: os._exit(1))
    assert equal(alone, tables(monkeypatch, 2, preempting()))
    assert helpers


def test_questions_for_which_a_helper_has_no_memory_are_answered_here(
    monkeypatch: pytest.MonkeyPatch, helpers: list[together.Helper]
) -> None:
    here, raw = os.getpid(), Trials.raw

    def short(*given: Any) -> Any:
        if os.getpid() != here:
            raise MemoryError
        return raw(*given)

    alone = tables(monkeypatch, 1, preempting())
    monkeypatch.setattr(Trials, "raw", short)
    assert equal(alone, tables(monkeypatch, 2, preempting()))
    assert helpers


def test_questions_are_answered_here_if_the_system_makes_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*given: Any) -> None:
        raise BlockingIOError

    alone = tables(monkeypatch, 1, preempting())
    monkeypatch.setattr(together, "WORTHWHILE", 1e-9)
    monkeypatch.setattr(together, "_start", none)
    assert equal(alone, tables(monkeypatch, 2, preempting()))


def test_answers_put_to_other_questions_are_detected(
    monkeypatch: pytest.MonkeyPatch, helpers: list[together.Helper]
) -> None:
    def exchanged(oracle: Any, asked: Any, helper: together.Helper) -> Any:
        found = dict(received(oracle, asked, helper))
        of_nodes = [place for place in found if asked[place][0] % 4 == ADMISSION]
        answers = [found[place] for place in of_nodes]
        return zip(of_nodes, reversed(answers), strict=True)

    alone = tables(monkeypatch, 1, preempting())
    monkeypatch.setattr(together, "_received", exchanged)
    assert not equal(alone, tables(monkeypatch, 2, preempting()))


def test_an_error_in_a_helper_is_raised_here(monkeypatch: pytest.MonkeyPatch, helpers: list[together.Helper]) -> None:
    here, raw = os.getpid(), Trials.raw
    monkeypatch.setattr(Sample, "few", 0)
    monkeypatch.setattr(Trials, "raw", lambda *given: raw(*given) if os.getpid() == here else (7,) * 7)
    with pytest.raises(Differs, match="is composed, but the whole cycle gives"):
        tables(monkeypatch, 2, preempting())
    assert active_children() == []


@pytest.mark.parametrize("end", [KeyboardInterrupt, MemoryError])
def test_helpers_end_with_an_interrupted_batch(
    monkeypatch: pytest.MonkeyPatch, helpers: list[together.Helper], end: Callable[[], BaseException]
) -> None:
    def interrupted(connection: Connection) -> Any:
        raise end()

    monkeypatch.setattr(Connection, "recv", interrupted)
    with pytest.raises((KeyboardInterrupt, MemoryError)):
        tables(monkeypatch, 2, preempting())
    assert helpers and active_children() == []


@pytest.mark.parametrize(("memory", "most"), [(None, 4), (1000.0, 4), (0.001, 0)])
def test_a_bound_on_memory_bounds_the_processes(memory: float | None, most: int) -> None:
    explorer = explorer_of(preempting(), 4)
    explorer.bounds = Bounds(memory=memory)
    assert explorer._at_most() == most
