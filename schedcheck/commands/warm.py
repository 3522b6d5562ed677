"""A check that was made before in just this way, answered without preparing it again: `answered`, `keep`.

Its name is a checksum of all that an answer depends on: the options, the files with their content, the environment, the files
of defaults, the installed libraries, and size and times of every source file, by which Python too recognises a change.
"""

import hashlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from schedcheck.commands.settings_places import NO_CONFIG, OWN, SHARED, folders

if TYPE_CHECKING:
    from schedcheck import CheckResult
    from schedcheck.report.text.terminal import Terminal

PLAIN: Final = ("--no-symmetry", "--quiet", NO_CONFIG)
"""The options of a check whose preparation is kept, beside `PROPERTY`."""

PROPERTY: Final = "--property"
"""An option with a value that names no file."""

PASSING: Final = ("_", "OLDPWD", "PWD", "SHLVL")
"""What a shell sets in the environment that no answer depends on; the working folder is named apart."""

NOT_SOURCES: Final = ("__pycache__", "examples", "tla")
ROOT: Final = Path(__file__).parents[1]
LIBRARIES: Final = ("numpy", "yaml")
"""Libraries in whose folders the others are installed too. Installing one changes the time of its folder."""

MOST_FILES, MOST_BYTES = 256, 4 << 20


class _Unnamed(Exception):
    """The answer depends on more than can be named."""


class _Process:
    """The check of this process, and its name."""

    argv: Sequence[str] = ()
    name = ""


def answered(argv: Sequence[str]) -> int | None:
    """Print the answer of a check whose preparation was kept, and return its exit code; None without one."""
    _Process.argv, _Process.name = argv, named(argv)
    if not _Process.name:
        return None
    from schedcheck.api.warm import answered as explored

    text = explored(_Process.name)
    if text is None:
        return None
    try:
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def forget() -> None:
    """Keep nothing more: the check of this process has ended."""
    _Process.argv, _Process.name = (), ""


def keep(found: "CheckResult", console: "Terminal") -> None:
    """Keep the preparation of this process's check, unless it told notes, or what it depends on has changed meanwhile."""
    from schedcheck.report.text.terminal import silent

    if _Process.name and silent() and named(_Process.argv) == _Process.name:
        from schedcheck.api.warm import keep as kept

        kept(_Process.name, found, "".join(console.written), console.width)


def named(argv: Sequence[str]) -> str:
    """Return the name of this check; empty if its preparation cannot be kept."""
    if not argv or argv[0] != "check" or sys.stdout is None:
        return ""
    files = list(_asked_about(argv[1:]))
    if not files:
        return ""
    total = hashlib.blake2b(digest_size=20)
    try:
        for part in (argv, _surroundings(), _defaults(), _sources(ROOT), *map(_content, files)):
            total.update(repr(list(part)).encode(errors="surrogateescape"))
    except (OSError, ValueError, _Unnamed):
        return ""
    return total.hexdigest()


def _asked_about(argv: Sequence[str]) -> Iterator[str]:
    """Yield what is neither a plain option nor a property."""
    rest = iter(argv)
    for each in rest:
        if each == PROPERTY:
            next(rest, None)
        elif each not in PLAIN and not each.startswith(f"{PROPERTY}="):
            yield each


def _surroundings() -> Iterator[object]:
    """Yield what an answer and its form depend on besides files."""
    yield Path.cwd(), sys.version, sys.flags
    yield sorted((name, value) for name, value in os.environ.items() if name not in PASSING)
    yield sys.stdout.isatty(), sys.stdout.encoding
    # Where the output is no terminal, the width of another stream's is taken.
    yield [_size(stream) for stream in range(3)]
    for library in LIBRARIES:
        found = find_spec(library)
        if found is None or found.origin is None:
            raise _Unnamed
        yield found.origin, _state(os.stat(Path(found.origin).parents[1]))


def _size(stream: int) -> tuple[int, int] | None:
    """Return the columns and lines of the terminal that the stream of this number is; None if it is none."""
    try:
        columns, lines = os.get_terminal_size(stream)
    except OSError:
        return None
    return columns, lines


def _defaults() -> Iterator[tuple[str, bytes]]:
    """Yield the content of the files that may have defaults of options."""
    for folder in folders(Path.cwd()):
        for file in (folder / OWN, folder / SHARED):
            if file.is_file():
                yield str(file), file.read_bytes()


def _sources(folder: Path | str) -> Iterator[object]:
    """Yield the name of each source file below the folder, with its size and times."""
    for each in sorted(os.scandir(folder), key=lambda each: each.name):
        if each.name in NOT_SOURCES:
            continue
        if each.is_dir():
            yield from _sources(each.path)
        else:
            yield each.path, _state(each.stat())


def _state(status: os.stat_result) -> tuple[int, ...]:
    """Return what changes with the content of a file; nobody can set the last of the times."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _content(path: str) -> Iterator[object]:
    """Yield the files that a path names, with their content. Raises _Unnamed for links, special files, and many."""
    if path.startswith("-"):
        raise _Unnamed
    left = MOST_BYTES
    for number, file in enumerate(_files(path)):
        status = os.lstat(file)
        left -= status.st_size
        if number >= MOST_FILES or left < 0 or not stat.S_ISREG(status.st_mode):
            raise _Unnamed
        yield file, Path(file).read_bytes()


def _files(path: str) -> Iterable[str]:
    """Yield the path itself, or all files below it, and the links to folders."""
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders_in_it, names in sorted(os.walk(path)):
        yield from (os.path.join(folder, name) for name in sorted(names))
        yield from (link for name in sorted(folders_in_it) if os.path.islink(link := os.path.join(folder, name)))
