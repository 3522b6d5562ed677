"""YAML text to documents of maps, lists and scalars, as kubectl reads it: `yaml_documents`.

Kubernetes 1.34: sigs.k8s.io/yaml with go-yaml v2. If a key is given twice, the last one wins, as there, and the
document notes it. Aliases are shared, never copied. A document is refused if its aliases would expand to more than
`MOST_ALIASED` values, or if it is nested deeper than `DEEPEST`.
"""

import base64
import binascii
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from schedcheck.errors import InputError, number_text, shown
from schedcheck.manifests.scalars import Scalar, plain

MOST_ALIASED: Final = 400_000
DEEPEST: Final = 200
LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
STANDARD: Final = "tag:yaml.org,2002:"
TAGGED: Final[dict[str, tuple[type, ...]]] = {
    STANDARD + "null": (type(None),),
    STANDARD + "bool": (bool,),
    STANDARD + "int": (int,),
    STANDARD + "float": (float, int),
}


@dataclass(frozen=True)
class YamlDocument:
    """The value of one document, and notes on its probable mistakes."""

    value: object
    notes: tuple[str, ...]


def yaml_documents(text: str, file: str) -> Iterator[YamlDocument]:
    """Yield the documents of the text, empty ones included, in order.

    Raises: InputError with the line, if the text is not YAML, or JSON cannot express it.
    """
    try:
        loader = LOADER(text)
        try:
            yield from _documents(loader, file)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "malformed"
        raise InputError(f"not YAML: {problem}", file=file, line=mark.line + 1 if mark else 0) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1 if isinstance(error.position, int) else 0
        raise InputError(f"not YAML: {error.reason}", file=file, line=line) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise InputError(f"not YAML: {error}", file=file) from None


def _documents(loader: Any, file: str) -> Iterator[YamlDocument]:
    number = 0
    while loader.check_event():
        event = loader.get_event()
        if isinstance(event, yaml.DocumentStartEvent):
            number += 1
            composition = _Composition(loader, file, number)
            value, _ = composition.value(loader.get_event(), 1)
            yield YamlDocument(value, tuple(composition.notes))


Sized = tuple[Any, int]
"""A value, and the number of values it has with all its aliases expanded."""


@dataclass
class _Composition:
    """A document under construction: the remaining events, and the anchors so far (None: not complete yet)."""

    loader: Any
    file: str
    number: int
    anchors: dict[str, Sized | None] = field(default_factory=dict)
    aliased: int = 0
    notes: list[str] = field(default_factory=list)

    def error(self, event: Any, expected: str, value: object = None) -> InputError:
        line = event.start_mark.line + 1
        return InputError(expected, file=self.file, document=self.number, line=line, value=value)

    def value(self, event: Any, depth: int) -> Sized:
        """Return the value that begins with `event`."""
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event)
        if depth > DEEPEST:
            raise self.error(event, f"nested more than {DEEPEST} deep")
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        sized = self.content(event, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = sized
        return sized

    def content(self, event: Any, depth: int) -> Sized:
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(depth)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(depth)
        return self.scalar(event), 1

    def alias(self, event: Any) -> Sized:
        if event.anchor not in self.anchors:
            raise self.error(event, "no value has this anchor", event.anchor)
        sized = self.anchors[event.anchor]
        if sized is None:
            raise self.error(event, "the value of this anchor contains itself", event.anchor)
        self.aliased += sized[1]
        if self.aliased > MOST_ALIASED:
            raise self.error(event, f"aliases that expand to more than {MOST_ALIASED} values", event.anchor)
        return sized

    def sequence(self, depth: int) -> Sized:
        items: list[object] = []
        total = 1
        while not isinstance(event := self.loader.get_event(), yaml.SequenceEndEvent):
            item, size = self.value(event, depth + 1)
            items.append(item)
            total += size
        return items, total

    def mapping(self, depth: int) -> Sized:
        entries: dict[str, object] = {}
        given: set[str] = set()
        total = 1
        while not isinstance(event := self.loader.get_event(), yaml.MappingEndEvent):
            merges = isinstance(event, yaml.ScalarEvent) and event.value == "<<" and event.implicit[0]
            key = "<<" if merges else self.key(event, depth)
            content, size = self.value(self.loader.get_event(), depth + 1)
            total += size + 1
            if merges:
                self.merge(event, content, entries)
                continue
            if key in given:
                self.notes.append(str(self.error(event, "this key is given twice, the last one counts", key)))
            given.add(key)
            entries[key] = content
        return entries, total

    def key(self, event: Any, depth: int) -> str:
        """Return the key as text; JSON has no other keys."""
        key, _ = self.value(event, depth + 1)
        if isinstance(key, bool):
            return shown(key)
        if isinstance(key, (int, float)):
            return number_text(key)
        if not isinstance(key, str):
            raise self.error(event, "expected text as a key", key)
        return key

    def merge(self, event: Any, content: object, entries: dict[str, object]) -> None:
        """Write the entries of the map, or of each map of the list, into `entries`; the first map wins."""
        maps = content if isinstance(content, list) else [content]
        for entry in reversed(maps):
            if not isinstance(entry, dict):
                raise self.error(event, "expected a map, or a list of maps, to merge with <<")
            entries.update(entry)

    def scalar(self, event: Any) -> Scalar:
        tag = event.tag
        if tag is None or tag == "!":
            value = plain(event.value) if event.implicit[0] else event.value
        elif tag == STANDARD + "binary":
            value = self.binary(event)
        else:
            value = self.tagged(event, tag)
        if isinstance(value, float) and not math.isfinite(value):
            raise self.error(event, "expected a finite number", event.value)
        return value

    def tagged(self, event: Any, tag: str) -> Scalar:
        """Return the value of a scalar with a tag; a tag that go-yaml does not know makes it text."""
        if tag not in TAGGED:
            return str(event.value)
        value = plain(event.value)
        if not isinstance(value, TAGGED[tag]) or (isinstance(value, bool) and bool not in TAGGED[tag]):
            raise self.error(event, f"expected a value of the type {tag.removeprefix(STANDARD)}", event.value)
        return value

    def binary(self, event: Any) -> str:
        try:
            return base64.b64decode("".join(event.value.split()), validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            raise self.error(event, "expected base64", event.value) from None
