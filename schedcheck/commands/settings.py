"""Defaults of options from schedcheck.toml, or from [tool.schedcheck] of pyproject.toml: `Settings`, `settings`.

The file is the nearest one, in the working folder or above it, up to the root of a repository. Each command has a table
with its options by name. The command line wins. What runs code or writes files is never taken from a file.
"""

import os
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from schedcheck.commands.settings_places import OWN, SHARED, folders
from schedcheck.errors import InputError, nearest

if TYPE_CHECKING:
    from cyclopts import App, Argument, ArgumentCollection

NEVER: Final = (
    "plugin", "rule", "scheduler", "ask-extenders", "write-baseline", "output", "into", "html", "graph", "trace", "checkpoint",
    "resume", "tables",
)  # fmt: skip
"""The options that run code, ask other hosts or write files; a file that came with manifests must not do so."""

PATHS: Final = ("config", "policy", "onto", "before", "events")
"""The options that are texts and name files; those of the type Path do so too."""


@dataclass(frozen=True)
class Settings:
    """The defaults of one file: the tables of the commands, below the keys `root`."""

    file: Path
    tables: Mapping[str, Any]
    root: tuple[str, ...] = ()

    def of(self, *commands: str) -> Mapping[str, Any]:
        """Return the options of a command; a table in it belongs to a command below it. Raises: InputError."""
        found: Any = self.tables
        for number, command in enumerate(commands):
            found = found.get(command, {})
            if not isinstance(found, Mapping):
                raise self.error(commands[: number + 1], "expected a table with the options of the command")
        return {_spelled(name): value for name, value in found.items()}

    def error(self, keys: Collection[str], expected: str) -> InputError:
        """Return the error that something else was expected at these keys."""
        return InputError(expected, file=self.shown, path=".".join((*self.root, *keys)))

    @property
    def shown(self) -> str:
        """The file as seen from the working folder."""
        return os.path.relpath(self.file)

    def said(self, command: str) -> str:
        """Return what the file sets for a command, in one line; empty for nothing."""
        names = [f"--{name}" for name, value in self.of(command).items() if not isinstance(value, Mapping)]
        return f"Defaults from {self.shown}: {' '.join(names)}" if names else ""

    def __call__(self, _: "App", commands: tuple[str, ...], arguments: "ArgumentCollection") -> None:
        """Set the options of the command that the command line did not set, as cyclopts calls it. Raises: InputError."""
        from cyclopts import Token

        known = {name[2:]: each for each in arguments for name in each.names if name.startswith("--")}
        options = {name: value for name, value in self.of(*commands).items() if not isinstance(value, Mapping)}
        given: list[str] = []
        for name, value in options.items():
            self._known(commands, name, known)
            if known[name].tokens:
                continue
            for number, text in enumerate(self._texts(commands, name, value, known[name])):
                known[name].append(Token(keyword=f"--{name}", value=text, source=self.shown, index=number))
            given.append(f"--{name}")
        if given:
            from schedcheck.report.text.terminal import tell

            tell(f"note: {' '.join(given)} from {self.shown}")

    def _known(self, commands: tuple[str, ...], name: str, known: Collection[str]) -> None:
        """Raises: InputError for an option that the command lacks, or that no file may set."""
        if name in NEVER:
            raise self.error(
                (*commands, name), "only on the command line, as it runs code, asks other hosts or writes files"
            )
        if name not in known:
            raise self.error((*commands, name), f"no option has this name{nearest(name, known)}")

    def _texts(self, commands: tuple[str, ...], name: str, value: Any, of: "Argument") -> Iterator[str]:
        """Yield the values as the command line would have them. Raises: InputError for one of another type."""
        kinds = {*_origins(of.hint)}
        if isinstance(value, list) != (tuple in kinds):
            raise self.error((*commands, name), "expected a list" if tuple in kinds else "expected one value")
        for each in value if isinstance(value, list) else [value]:
            if bool in kinds and not isinstance(each, bool):
                raise self.error((*commands, name), "expected true or false")
            if kinds & {int, float} and not kinds & {bool, str} and not _is_number(each):
                raise self.error((*commands, name), "expected a number")
            if not isinstance(each, str | bool | int | float):
                raise self.error((*commands, name), "expected a text, a number, true or false")
            text = str(each).lower() if isinstance(each, bool) else str(each)
            yield self._path(text) if _is_path(name, text, of.hint) else self._in_text(name, text)

    def _in_text(self, name: str, text: str) -> str:
        head, sign, file = text.partition("=")
        return f"{head}={self._path(file)}" if name == "controllers" and sign else text

    def _path(self, text: str) -> str:
        """Return a path that is relative to the file, as seen from the working folder."""
        return text if os.path.isabs(text) else os.path.relpath(self.file.parent / text)


def settings(folder: Path, commands: Collection[str]) -> Settings | None:
    """Return the defaults of the nearest file in this folder or above it; None if there is none. Raises: InputError."""
    for at in folders(folder):
        found = _read(at)
        if found is not None:
            for name in found.tables:
                found.of(name)
                if name not in commands:
                    raise found.error((name,), f"no command has this name{nearest(name, commands)}")
            return found
    return None


def _read(folder: Path) -> Settings | None:
    """Return the defaults in this very folder."""
    if (folder / OWN).is_file():
        return Settings(folder / OWN, _toml(folder / OWN))
    file = folder / SHARED
    if not file.is_file():
        return None
    root = ("tool", "schedcheck")
    if b"schedcheck" not in file.read_bytes():
        return None
    tool = _toml(file).get("tool", {})
    tables = tool.get("schedcheck") if isinstance(tool, Mapping) else None
    if tables is None:
        return None
    if not isinstance(tables, Mapping):
        raise InputError("expected a table", file=os.path.relpath(file), path=".".join(root))
    return Settings(file, tables, root)


def _toml(file: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise InputError("expected text in UTF-8", file=os.path.relpath(file)) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"not TOML: {error}", file=os.path.relpath(file)) from None


def _spelled(name: str) -> str:
    return name.replace("_", "-")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _origins(hint: Any) -> Iterator[Any]:
    """Yield the types of which a type is made, and what each is the origin of."""
    yield getattr(hint, "__origin__", hint)
    for each in get_args(hint):
        yield from _origins(each)


def _is_path(name: str, text: str, hint: Any) -> bool:
    return Path in {*_origins(hint)} or (name in PATHS and not text.isdecimal())
