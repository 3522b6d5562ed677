"""Compiled text means what it means in Python; text with another meaning, or with none, is refused"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="llvmlite is not installed; it comes with schedcheck[tabulated]")

from schedcheck.checker.tabulated.compiler.compiling import compiled
from schedcheck.checker.tabulated.compiler.functions import translated
from schedcheck.checker.tabulated.compiler.values import Untranslatable
from schedcheck.checker.tabulated.layout.layout import Flags, Numbers, Truths, Words
from schedcheck.checker.tabulated.loops import objects
from schedcheck.checker.tabulated.loops.bits import claim, lowest, publish, seen
from schedcheck.checker.tabulated.loops.blocks import flattened
from schedcheck.checker.tabulated.loops.compiled import bare, inlined
from schedcheck.checker.tabulated.loops.sources import unchanged

NUMBERS = (-(2**40), -129, -64, -3, -1, 0, 1, 2, 7, 63, 64, 1000, 2**40)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep loops in a folder of the test's own."""
    monkeypatch.setattr(objects, "folder", lambda: tmp_path / "loops")


def divided(first: int, second: int) -> tuple[int, int]:
    return first // second, first % second


def by_constants(first: int, second: int) -> tuple[int, int, int]:
    return first // 64, first % 64, second // 3 - first % 7


def ordered(first: int, second: int) -> tuple[int, int, bool, bool]:
    return min(first, second), max(first, second), first < second, first >= second


def chosen(first: int, second: int) -> int:
    return first if first > 0 and (second == 0 or first % second == 0) else -second


def counted(first: int, second: int) -> tuple[int, int]:
    """Leave, skip and change the variable of a range, which goes on as it would."""
    total, last = 0, 0
    for each in range(first % 5, second % 17):
        if each == 3:
            continue
        if total > 40:
            break
        each += 2  # noqa: PLW2901
        last = each
        inner = 0
        while True:
            inner += 1
            if inner > each:
                break
            total += inner
    return total, last


@pytest.mark.parametrize("function", [divided, by_constants, ordered, chosen, counted])
def test_numbers_are_those_of_python(function: Callable[[int, int], Any]) -> None:
    loop = bare(function)
    for first in NUMBERS:
        for second in NUMBERS:
            if second or function is not divided:
                assert loop(first, second) == function(first, second), (first, second)


def crossed(word: np.uint64, number: int) -> tuple[bool, bool, bool, bool, bool, bool]:
    return word < number, word <= number, word > number, word >= number, word == number, number < word


def test_a_signed_and_an_unsigned_number_compare_as_numbers() -> None:
    loop = bare(crossed)
    for word in (0, 1, 7, 2**63 - 1, 2**63, 2**64 - 1):
        for number in (*NUMBERS, 2**63 - 1, -(2**63)):
            expected = (word < number, word <= number, word > number, word >= number, word == number, number < word)
            assert loop(np.uint64(word), number) == expected, (word, number)


def shifted(word: np.uint64, by: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    return word >> by, word << by, ~word & (word - np.uint64(1)), lowest(word)


def test_words_wrap_at_64_bits_and_shift_without_a_sign() -> None:
    loop = bare(shifted)
    for word in (1, 2**63, 2**64 - 2, 0xD6E8FEB86659FD93):
        for by in (0, 1, 31, 63):
            low = (word & -word).bit_length() - 1
            expected = (word >> by, word << by, ~word & (word - 1), low)
            found = loop(np.uint64(word), np.uint64(by))
            assert [each % 2**64 for each in found] == [each % 2**64 for each in expected]


class Widths(NamedTuple):
    """Arrays of elements of different widths."""

    flags: Flags
    short: Numbers
    truths: Truths
    grid: Numbers


@inlined
def _row_sum(row: Numbers) -> int:
    total = 0
    for place in range(row.shape[0]):
        total += row[place]
    return total


def widths(of: Widths) -> tuple[int, int, int]:
    sums = 0
    for place in range(of.flags.shape[0]):
        sums += of.flags[place] * of.short[place] + of.truths[place]
        of.short[place] = of.short[place] - 1
        of.truths[place] = not of.truths[place]
    return sums, _row_sum(of.grid[1]), of.grid[1, 2]


def test_elements_of_every_width_are_read_and_written() -> None:
    given = Widths(
        np.array([255, 1, 0], np.uint8), np.array([-7, 2**15 - 1, 5], np.int16), np.array([True, False, True]),
        np.arange(-4, 8, dtype=np.int32).reshape(3, 4),
    )  # fmt: skip
    assert bare(widths)(given) == (255 * -7 + 2**15 - 1 + 2, 0 + 1 + 2 + 3, 2)
    assert given.short.tolist() == [-8, 2**15 - 2, 4]
    assert given.truths.tolist() == [False, True, False]


def taken(rows: Words, row: np.uint64) -> tuple[bool, bool, np.uint64]:
    first, second = claim(rows, row, np.uint64(0), np.uint64(5)), claim(rows, row, np.uint64(0), np.uint64(6))
    publish(rows, np.uint64(0), np.uint64(9))
    return first, second, seen(rows, row)


def test_one_of_two_claims_succeeds() -> None:
    rows = np.zeros((3, 2), np.uint64)
    assert bare(taken)(rows, np.uint64(2)) == (True, False, 5)
    assert rows.tolist() == [[9, 0], [0, 0], [5, 0]]


@unchanged
class Fixed(NamedTuple):
    """Arrays that no loop writes to."""

    words: Words


def writes(fixed: Fixed) -> None:
    fixed.words[0] = np.uint64(1)


@inlined
def _writes_to(words: Words) -> None:
    words[0] = np.uint64(1)


def passes_on(fixed: Fixed) -> None:
    _writes_to(fixed.words)


def mixes(word: np.uint64, number: int) -> int:
    return int(word + number)


def adds(word: np.uint64, number: int) -> Any:
    return word + number


def renames(word: np.uint64, number: int) -> Any:
    found = word
    for found in range(number):  # type: ignore[assignment]
        number = found
    return found


def catches(number: int) -> int:
    try:
        return number
    finally:
        pass


WORD, FIXED = np.uint64(1), Fixed(np.zeros(1, np.uint64))


@pytest.mark.parametrize(
    ("function", "given", "said"),
    [
        (writes, (FIXED,), r"writes: a change of fixed.words\[0\]"),
        (passes_on, (FIXED,), r"_writes_to: a change of words\[0\]"),
        (mixes, (WORD, 1), "mixes: a signed and an unsigned number"),
        (adds, (WORD, 1), "adds: a signed and an unsigned number"),
        (renames, (WORD, 1), "renames: a value of another kind for found"),
        (catches, (1,), "catches: the statement try"),
    ],
)
def test_text_of_another_meaning_is_refused(function: Callable[..., Any], given: tuple[Any, ...], said: str) -> None:
    with pytest.raises(Untranslatable, match=said):
        bare(function)(*given)


CHECKED = """
import functools, sys
import numpy as np
from schedcheck.checker.tabulated.compiler import compiling, functions
compiling.translated = functools.partial(functions.translated, checked=True)
from schedcheck.checker.tabulated.loops.hashing import look_up
rows = np.full(int(sys.argv[1]), -1, np.int64)
print(look_up(rows, np.zeros((1, 1), np.uint64), np.zeros(int(sys.argv[2]), np.uint64)))
"""


@pytest.mark.parametrize(
    ("sizes", "code", "out", "error"),
    [
        ((4, 1), 0, "-1\n", ""),
        ((4, 0), -6, "", "no place [number] in an array: 0 of 0\n"),
    ],
)
def test_checked_code_ends_at_a_place_outside_of_an_array(
    tmp_path: Path, sizes: tuple[int, int], code: int, out: str, error: str
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", CHECKED, *map(str, sizes)], capture_output=True, text=True, check=False,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
    )  # fmt: skip
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, out, error)


def test_the_same_text_and_code_come_of_every_translation() -> None:
    loop = bare(counted)
    kinds, _ = flattened((1, 2))
    assert translated(loop, kinds) == translated(loop, kinds)  # type: ignore[arg-type]
    assert compiled(loop, kinds) == compiled(loop, kinds)  # type: ignore[arg-type]
