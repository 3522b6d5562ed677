"""A loop answers as its function does, and kept object code is executed only if it is this user's and as it was written"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from llvmlite import binding

from schedcheck.checker.tabulated.layout.layout import Truths, Words
from schedcheck.checker.tabulated.loops import objects
from schedcheck.checker.tabulated.loops.blocks import KEPT, flattened, written
from schedcheck.checker.tabulated.loops.compiled import bare
from schedcheck.checker.tabulated.loops.objects import FORMAT, Code, is_kept, read, write


class Row(NamedTuple):
    """A tuple of an array and a number, within another."""

    words: Words
    factor: int


class Rows(NamedTuple):
    """Two rows, and which places count."""

    first: Row
    second: Row
    counted: Truths


def weighed(rows: Rows, one: tuple[int, ...], offset: np.uint64, twice: bool, most: int) -> tuple[int, bool]:
    """Add up the counted words, each with the factor of its row; return the sum and whether it is at most `most`."""
    total = np.int64(offset)
    for place in range(rows.counted.shape[0]):
        if rows.counted[place]:
            total += np.int64(rows.first.words[place, 0]) * rows.first.factor
            total += np.int64(rows.second.words[place, len(one) - 1]) * rows.second.factor
    if twice:
        total *= 2
    return total, total <= most


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep loops in a folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    objects.folder.cache_clear()
    yield tmp_path
    objects.folder.cache_clear()


def rows_of(*factors: int) -> Rows:
    words = np.arange(8, dtype=np.uint64).reshape(4, 2)
    return Rows(Row(words, factors[0]), Row(words * np.uint64(3), factors[1]), np.array([True, False, True, True]))


def test_a_loop_answers_as_its_function_when_compiled_and_when_kept() -> None:
    cases = [
        (rows_of(2, -5), (0, 0), np.uint64(7), True, -200),
        (rows_of(1, 1), (0, 0), np.uint64(0), False, 10_000),
        (rows_of(3, 0), (0, 0), np.uint64(1), True, 0),
    ]
    expected = [weighed(*case) for case in cases]
    compiled = bare(weighed)
    assert [compiled(*case) for case in cases] == expected
    assert is_kept("test_loops.weighed")
    kinds, _ = flattened(cases[0])
    kept = read("test_loops.weighed", kinds)
    assert kept is not None
    again = bare(weighed)
    assert [again(*case) for case in cases] == expected


PROGRAM = """
import sys
import numpy as np
from schedcheck.checker.tabulated.search.known import Known
known = Known(1)
known.insert(np.array([[1], [2], [1]], np.uint64), 3)
compiled = "schedcheck.checker.tabulated.compiler.compiling" in sys.modules
print(len(known), compiled, "numba" in sys.modules)
"""


def test_a_later_process_finds_the_kept_code_and_compiles_nothing(pytestconfig: pytest.Config) -> None:
    told = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, cwd=pytestconfig.rootpath
        ).stdout
        for _ in range(2)
    ]
    assert told == ["2 True False\n", "2 False False\n"]


KINDS = ("i", ("uint64", 2), (Row, "u"))
CODE = Code("function", bytes(range(256)))


def file_of(cache: Path) -> Path:
    write("a.loop", KINDS, CODE)
    assert read("a.loop", KINDS) == CODE
    (path,) = cache.rglob("*.loop")
    return path


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: b"",
        lambda content: content + b"x",
        lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
        lambda content: content[: len(FORMAT)] + bytes(32) + content[len(FORMAT) + 32 :],
        lambda content: content.replace(FORMAT, b"schedcheck loop 0\n"),
    ],
)
def test_a_damaged_file_is_not_read(cache: Path, damage: Callable[[bytes], bytes]) -> None:
    path = file_of(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert read("a.loop", KINDS) is None
    write("a.loop", KINDS, CODE)
    assert read("a.loop", KINDS) == CODE


def test_a_damaged_file_is_compiled_again(cache: Path) -> None:
    case = (rows_of(2, -5), (0, 0), np.uint64(7), True, -200)
    assert bare(weighed)(*case) == weighed(*case)
    (path,) = cache.rglob("*.loop")
    path.write_bytes(path.read_bytes()[:-40])
    assert bare(weighed)(*case) == weighed(*case)
    assert read("test_loops.weighed", flattened(case)[0]) is not None


def test_the_file_of_another_loop_is_not_read(cache: Path) -> None:
    path = file_of(cache)
    write("other.loop", KINDS, CODE)
    other = next(each for each in cache.rglob("*.loop") if each != path)
    path.replace(other)
    assert read("other.loop", KINDS) is None


def test_a_file_that_others_can_write_is_not_read(cache: Path) -> None:
    path = file_of(cache)
    for changed in (path, path.parent):
        for mode in (0o770, 0o702):
            changed.chmod(mode)
            assert read("a.loop", KINDS) is None
        changed.chmod(0o700)
        assert read("a.loop", KINDS) == CODE


def test_a_file_of_another_user_or_behind_a_link_is_not_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file_of(cache)
    with monkeypatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert read("a.loop", KINDS) is None
    path.rename(cache / "elsewhere")
    path.symlink_to(cache / "elsewhere")
    assert read("a.loop", KINDS) is None


@pytest.mark.parametrize("changed", ["cpu", "features", "python", "llvmlite", "kinds"])
def test_code_for_something_else_is_not_read(cache: Path, monkeypatch: pytest.MonkeyPatch, changed: str) -> None:
    file_of(cache)
    kinds = ("u", *KINDS[1:]) if changed == "kinds" else KINDS
    match changed:
        case "cpu":
            monkeypatch.setattr(binding, "get_host_cpu_name", lambda: "another")
        case "features":
            monkeypatch.setattr(binding, "get_host_cpu_features", binding.FeatureMap)
        case "python":
            monkeypatch.setattr(sys, "version", "another")
        case "llvmlite":
            monkeypatch.setattr(objects, "version", lambda library: f"another {library}")
    objects._compiler.cache_clear()
    assert read("a.loop", kinds) is None
    monkeypatch.undo()
    objects._compiler.cache_clear()


def test_a_changed_source_gives_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "tabulated" / "loops" / "objects.py"
    source.parent.mkdir(parents=True)
    source.write_text("one")
    monkeypatch.setattr(objects, "__file__", str(source))
    before = objects.folder()
    (source.parents[1] / "beside.py").write_text("two")
    objects.folder.cache_clear()
    assert objects.folder() != before


def test_loops_are_compiled_if_their_folder_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    objects.folder.cache_clear()
    case = (rows_of(1, 1), (0, 0), np.uint64(0), False, 10)
    assert bare(weighed)(*case) == weighed(*case)


def test_arguments_that_a_loop_cannot_take_are_refused() -> None:
    with pytest.raises(TypeError, match="gaps"):
        flattened((np.zeros((4, 4), np.uint64)[:, 1],))
    with pytest.raises(TypeError, match="zeros"):
        flattened(((0, 1),))


def test_words_of_a_tuple_are_those_of_its_own_arrays() -> None:
    """More tuples than are kept; each is seen twice."""
    rows = [Row(np.zeros((number, 1), np.uint64), number) for number in range(2 * KEPT)]
    for _ in range(2):
        for row in rows:
            assert flattened((row,))[1] == (row.words.ctypes.data, len(row.words), 1, row.factor)


def test_kinds_are_written_alike_in_every_process() -> None:
    assert written(KINDS) == "('i', ('uint64', 2), (Row, 'u'))"
