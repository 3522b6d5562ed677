"""Where objects and their fields are in files: `Spot`, `Place`, `places`.

A spot is a path in a document, kept for each object when it is read. Its line and column are looked up only when an answer
names them: the file is read once more, event by event.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import yaml

from schedcheck.errors import InputError
from schedcheck.manifests.documents import STANDARD_INPUT, decoded, is_json
from schedcheck.manifests.fields import Field
from schedcheck.manifests.yaml_documents import LOADER

Path = tuple[str | int, ...]
TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
STEP: Final = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]|\['([^']*)'\]")


class Spot(NamedTuple):
    """A value by its file, the number of its document from 1 on, and its path in there."""

    file: str
    document: int
    path: Path = ()

    def within(self, text: str) -> "Spot":
        """Return the spot of a field of this object, which is written as `Field.path` writes it."""
        return self._replace(path=(*self.path, *steps(text)))


class Place(NamedTuple):
    """A place in a file: line and column from 1 on."""

    file: str
    line: int
    column: int


def spot(at: Field) -> Spot:
    """Return the spot of a field."""
    keys: list[str | int] = []
    each: Field | None = at
    while each is not None and each.parent is not None:
        keys.append(each.key)
        each = each.parent
    return Spot(at.document.file, at.document.number, tuple(reversed(keys)))


def steps(text: str) -> Path:
    """Return the keys of a path such as spec.containers[0].name."""
    found = STEP.findall(text)
    return tuple(int(number) if number else quoted or key for key, number, quoted in found)


def places(spots: Iterable[Spot]) -> dict[Spot, Place]:
    """Return the places of these spots. A field that its object lacks has the place of the nearest that holds it.

    Standard input has no lines, and what no file holds any more has no place.
    """
    of: dict[str, list[Spot]] = {}
    for each in spots:
        if each.file != STANDARD_INPUT:
            of.setdefault(each.file, []).append(each)
    found: dict[Spot, Place] = {}
    for file, wanted in of.items():
        lines = _lines(file, {(each.document, each.path[:end]) for each in wanted for end in range(len(each.path) + 1)})
        for each in wanted:
            held = ((each.document, each.path[:end]) for end in range(len(each.path), -1, -1))
            nearest = next((lines[one] for one in held if one in lines), None)
            if nearest is not None:
                found[each] = Place(file, *nearest)
    return found


Wanted = tuple[int, Path]
"""The number of a document, and a path in there."""


def _lines(file: str, wanted: set[Wanted]) -> dict[Wanted, tuple[int, int]]:
    """Return line and column of the wanted paths that the file has."""
    try:
        text = decoded(file)
    except InputError:
        return {}
    events = _json_events(text) if is_json(text, file) else _yaml_events(text)
    walk = _Walk(wanted)
    try:
        for event in events:
            walk.take(*event)
    except (yaml.YAMLError, ValueError):
        pass
    return walk.found


@dataclass
class _Walk:
    """A walk through the events of a text: where it is now, and the places of the wanted paths so far.

    An event is what it is (open a map or a list, close one, a scalar, or the start of a document), its text, line and column.
    """

    wanted: set[Wanted]
    found: dict[Wanted, tuple[int, int]] = field(default_factory=dict)
    document: int = 0
    path: list[str | int | None] = field(default_factory=list)
    """The keys down to the present value; None where a map waits for a key."""
    key: tuple[int, int] = (0, 0)
    maps: list[bool] = field(default_factory=list)

    def take(self, what: str, text: str, line: int, column: int) -> None:
        """Take the next event."""
        if what == "document":
            self.document += 1
        elif what == "close":
            self.maps.pop()
            self.path.pop()
            self._end()
        elif self.maps and self.maps[-1] and self.path[-1] is None:
            self.path[-1], self.key = text, (line, column)
        else:
            self._begin(what, line, column)

    def _begin(self, what: str, line: int, column: int) -> None:
        """Note the place of a value: that of its key in a map."""
        here = self.document, tuple(each for each in self.path if each is not None)
        if here in self.wanted:
            self.found[here] = self.key if self.maps and self.maps[-1] else (line, column)
        if what in ("map", "list"):
            self.maps.append(what == "map")
            self.path.append(None if what == "map" else 0)
        else:
            self._end()

    def _end(self) -> None:
        """Go on after a value."""
        if self.maps:
            last = self.path[-1]
            self.path[-1] = None if self.maps[-1] or not isinstance(last, int) else last + 1


Event = tuple[str, str, int, int]


BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
"""A line break of YAML 1.1. Editors, and annotations, know no other than those with a carriage return or a line feed."""


def _starts(text: str) -> list[tuple[int, int]]:
    """Return the line in which each line of YAML begins, as editors count, and how many characters of it go before."""
    line, before, start, found = 1, 0, 0, [(1, 0)]
    for each in BREAK.finditer(text):
        line, before = (line + 1, 0) if each[0] in ("\n", "\r", "\r\n") else (line, before + each.end() - start)
        start = each.end()
        found.append((line, before))
    return found


def _yaml_events(text: str) -> Iterator[Event]:
    loader: Any = LOADER(text)
    starts = _starts(text)
    try:
        while loader.check_event():
            event = loader.get_event()
            line, before = starts[min(event.start_mark.line, len(starts) - 1)]
            column = before + event.start_mark.column + 1
            match event:
                case yaml.DocumentStartEvent():
                    yield "document", "", line, column
                case yaml.MappingStartEvent():
                    yield "map", "", line, column
                case yaml.SequenceStartEvent():
                    yield "list", "", line, column
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    yield "close", "", line, column
                case yaml.ScalarEvent():
                    yield "scalar", event.value, line, column
                case yaml.AliasEvent():
                    yield "scalar", str(event.anchor), line, column
    finally:
        loader.dispose()


def _json_events(text: str) -> Iterator[Event]:
    depth, line, start, counted = 0, 1, 0, 0
    for token in TOKEN.finditer(text):
        at = token.start()
        more = text.count("\n", counted, at)
        if more:
            line, start = line + more, text.rindex("\n", counted, at) + 1
        counted = at
        place = line, at - start + 1
        said = token[0]
        if said in ",:":
            continue
        if not depth:
            yield "document", "", *place
        if said in "{[":
            depth += 1
            yield "map" if said == "{" else "list", "", *place
        elif said in "}]":
            depth -= 1
            yield "close", "", *place
        else:
            yield "scalar", json.loads(said) if said.startswith('"') else said, *place
