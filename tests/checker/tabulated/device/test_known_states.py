"""Threads of a device insert states of several words at once, and each new state is found exactly once"""

import inspect
import time
from typing import Any

import numpy as np
import pytest

from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops import places
from schedcheck.checker.tabulated.loops.arrays import Buffers
from schedcheck.checker.tabulated.loops.places import AHEAD, hash_of, insert
from schedcheck.checker.tabulated.loops.sources import Source

pytestmark = pytest.mark.usefixtures("simulator")

LANES, OF_EACH, DIFFERENT = 16, 6, 24
TWINS = {
    "its first word is there before the others": ("BUSY if len(one) > 1 else word", "word"),
    "another state on its place is taken for it": ("place += np.uint64(1)", "break"),
}


def drawn(words: int, rows: int = LANES * OF_EACH) -> Words:
    """States of which many are equal, and many others differ in their last word only."""
    states = np.random.default_rng(words).integers(0, 3, (DIFFERENT, words)).astype(np.uint64)
    states[:, -1] = np.arange(DIFFERENT) // 2
    return states[np.random.default_rng(7).integers(0, DIFFERENT, rows)]


def inserted(states: Words, least: int = 64) -> list[tuple[int, ...]]:
    """What a device finds of these states, of which each lane has some."""
    from schedcheck.checker.tabulated.device.cuda import Device
    from schedcheck.checker.tabulated.device.kernels import Lanes
    from schedcheck.checker.tabulated.device.states import States

    device, (count, words) = Device(), states.shape
    lanes, of_each = min(count, LANES), -(-count // LANES)
    numbers = [device.zeros((lanes,), np.int64) for _ in range(3)]
    device.copy(numbers[1], np.full(lanes, of_each))
    successors = device.upload(states.reshape(lanes, of_each, words))
    no: Any = None
    buffers = Buffers(successors, no, no, no, device.zeros((8,), np.int64), *[no] * 8)
    moved, room = device.zeros((lanes, 1, words), np.uint64), device.zeros((lanes, AHEAD), np.uint64)
    known = States(device, words, least)
    known.insert(Lanes(buffers, no, no, moved, room, *numbers), lanes, count)
    return sorted(map(tuple, known.take().tolist()))


def slowly(monkeypatch: pytest.MonkeyPatch, *, atomic: bool = True) -> None:
    """Let a thread wait after it has claimed a place, so that others come by meanwhile."""
    from schedcheck.checker.tabulated.device.operations import OPERATIONS

    def claim(rows: Any, row: Any, empty: Any, word: Any) -> bool:
        got = bool(OPERATIONS["claim"](rows, row, empty, word) if atomic else rows[row, 0] == empty)
        time.sleep(0.0005)
        if got and not atomic:
            rows[row, 0] = word
        return got

    monkeypatch.setattr("schedcheck.checker.tabulated.device.operations.OPERATIONS", {**OPERATIONS, "claim": claim})


def twin(old: str, new: str) -> Source:
    """The text of `insert` with a fault."""
    assert isinstance(insert, Source)
    text = inspect.getsource(insert.function)
    assert text.count(old) == 1, "the fault is put in one place"
    names = dict(vars(places))
    exec(text.replace(old, new).removeprefix("@bare\n"), names)
    return Source(names["insert"], inline=False)


@pytest.mark.parametrize("words", [1, 2, 3])
def test_states_inserted_by_many_threads_are_found_once_each(words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    slowly(monkeypatch)
    states = drawn(words)
    assert inserted(states) == sorted(set(map(tuple, states.tolist())))


@pytest.mark.parametrize("name", TWINS)
def test_a_set_with_a_fault_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    states = drawn(2)
    monkeypatch.setattr("schedcheck.checker.tabulated.device.kernels.insert", twin(*TWINS[name]))
    slowly(monkeypatch)
    assert inserted(states) != sorted(set(map(tuple, states.tolist())))


def test_a_claim_that_is_not_atomic_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    slowly(monkeypatch, atomic=False)
    states = drawn(1)
    assert inserted(states) != sorted(set(map(tuple, states.tolist())))


def test_states_that_find_no_place_are_inserted_when_the_set_is_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    enlarged: list[int] = []
    from schedcheck.checker.tabulated.device.states import States

    enlarge = States._enlarge

    def noted(states: States, lanes: Any, room: int) -> None:
        enlarged.append(room)
        enlarge(states, lanes, room)

    monkeypatch.setattr(States, "_enlarge", noted)
    for module in ("device.states", "loops.places"):
        monkeypatch.setattr(f"schedcheck.checker.tabulated.{module}.TAIL", 4)
    candidates = np.arange(4000, dtype=np.uint64).reshape(-1, 1)
    # The highest hashes name the last places, of which there are few.
    high = [row for row in range(len(candidates)) if hashed(candidates, row) >> 56 == 255]
    states = candidates[np.array(high[:12])]
    assert len(states) == 12
    assert inserted(states) == sorted(map(tuple, states.tolist()))
    assert 0 in enlarged, "lanes were crowded"


def hashed(states: Words, row: int) -> int:
    """The hash of a state of one word, in Python."""
    assert isinstance(hash_of, Source)
    with np.errstate(over="ignore"):
        return int(hash_of.function(states, row, (0,)))
