"""The set of known states is exact, with any number of concurrent writers"""

import mmap
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops import reserved
from schedcheck.checker.tabulated.loops.places import EMPTY, TAIL
from schedcheck.checker.tabulated.loops.reserved import Reserved
from schedcheck.checker.tabulated.search.known import LEAST, Known

MOST = (1 << 63) - 1
"""The highest bit of a word is not used."""


def states(rows: Sequence[Sequence[int]], words: int) -> Words:
    return np.array(rows, np.uint64).reshape(-1, words)


def in_a_set(some: Words) -> set[tuple[int, ...]]:
    return set(map(tuple, some.tolist()))


def standing(known: Known) -> list[tuple[int, ...]]:
    """The states in all places, duplicates included."""
    return [tuple(row) for row in (~known.places[known.places[:, 0] != EMPTY]).tolist()]


@pytest.mark.parametrize("words", [1, 2, 3])
@given(st.data())
def test_each_inserted_state_is_known_once(words: int, data: st.DataObject) -> None:
    few = st.lists(st.tuples(*[st.sampled_from([0, 1, 2, MOST - 1, MOST])] * words), max_size=40)
    known, before = Known(words), set[tuple[int, ...]]()
    for rows in data.draw(st.lists(few, max_size=4)):
        known.insert(states(rows, words), len(rows))
        fresh = known.take()
        assert in_a_set(fresh) == set(rows) - before
        assert len(fresh) == len(in_a_set(fresh))
        before |= set(rows)
        assert len(known) == len(before)
        assert sorted(standing(known)) == sorted(before)


def crowd(words: int, count: int, seed: int) -> Words:
    """States that differ in few bits, about a third of them twice."""
    draw = np.random.default_rng(seed)
    some = draw.integers(0, 1 << 20, (count, words), np.uint64) << np.uint64(7 * seed % 40)
    return np.concatenate([some, some[: count // 3]])[draw.permutation(count + count // 3)]


@pytest.mark.parametrize("words", [1, 2, 4])
def test_concurrent_threads_find_each_state_once(words: int) -> None:
    """Each thread inserts all states, so nearly every state is inserted by several threads at once."""
    finders = 4
    known = Known(words, finders)
    some = crowd(words, 60_000, words)
    done = [0] * finders

    def put(number: int) -> None:
        done[number] = known.found[number].insert(known.places, some, done[number], len(some))

    with ThreadPoolExecutor(finders) as pool:
        while any(each < len(some) for each in done):
            known.make_room()
            list(pool.map(put, range(finders)))
    shares = [len(each) for each in known.found]
    assert len(known) == sum(shares) == len(in_a_set(some))
    assert in_a_set(known.take()) == in_a_set(some)
    assert len(standing(known)) == len(set(standing(known))) == len(in_a_set(some))


def test_growing_the_set_during_an_insertion_is_detected() -> None:
    """The broken twin: inserting into the places from before the growth finds known states again."""
    known = Known(1)
    some = crowd(1, 4 * LEAST, 3)
    known.make_room()
    small = known.places.copy()
    known.insert(some, len(some))
    known.take()
    known.make_room()
    known.found[0].insert(small, some, 0, len(some))
    assert len(known.take()) > 0
    known.insert(some, len(some))
    assert len(known.take()) == 0


def test_a_state_without_a_free_place_gets_one_in_a_larger_set() -> None:
    """States with the highest hashes fill the places behind the range of the hash."""
    known = Known(1)
    draw = random.Random(5)
    highest = []
    while len(highest) < TAIL + 500:
        state = draw.getrandbits(62)
        mixed = (state ^ state >> 31) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
        if mixed >> 32 >= (1 << 32) - (1 << 22):
            highest.append(state)
    before = len(known.places)
    known.insert(states([[each] for each in highest], 1), len(highest))
    assert in_a_set(known.take()) == {(each,) for each in highest}
    assert len(known.places) > before


def test_reserved_memory_grows_in_place() -> None:
    some = Reserved(10, 2)
    some.rows[:] = 7
    address = some.rows.ctypes.data
    some.grow(1 << 20)
    assert some.rows.ctypes.data == address
    assert (some.rows[:10] == 7).all()
    assert not some.rows[10:].any()
    with pytest.raises(MemoryError):
        some.grow(1 << 60)


def test_a_process_with_a_limited_address_space_reserves_less(monkeypatch: pytest.MonkeyPatch) -> None:
    real, most = mmap.mmap, 1 << 30

    def limited(file: int, size: int, *flags: int) -> mmap.mmap:
        if size > most:
            raise OSError("cannot allocate memory")
        return real(file, size, *flags)

    monkeypatch.setattr(reserved.mmap, "mmap", limited)
    some = Reserved(10, 1)
    some.grow(1 << 20)
    with pytest.raises(MemoryError):
        some.grow(most // 8 + 1)
    most = 1
    with pytest.raises(MemoryError):
        Reserved(10, 1)
