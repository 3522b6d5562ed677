"""Typed access to the fields of a document: a `Field` knows its place, so that a message can name it."""

from collections.abc import Collection, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

from frozendict import frozendict

from schedcheck.errors import InputError, number_text
from schedcheck.errors import nearest as nearest  # noqa: PLC0414  it is imported from here
from schedcheck.manifests.documents import Document, documents
from schedcheck.spec.quantities import QuantityError, billionths
from schedcheck.spec.values import Amounts, Labels

INT32 = 2**31


class Place(TypedDict):
    """The place of a field, as `InputError` takes it."""

    file: str
    document: int
    line: int
    path: str


_billionths = lru_cache(maxsize=4096)(billionths)


class Field:
    """A value in a document, or the place where it would be: null and absent are the same, as they are in Go.

    Every method raises InputError if the value is not of the requested type.
    """

    __slots__ = ("document", "key", "parent", "value")

    def __init__(self, document: Document, value: object, parent: "Field | None" = None, key: str | int = "") -> None:
        self.document = document
        self.value = value
        self.parent = parent
        self.key = key

    def __getitem__(self, key: str) -> "Field":
        """Return the field of this name in a map."""
        entries = self.value
        if entries is not None and not isinstance(entries, dict):
            raise self.error("expected a map")
        return Field(self.document, None if entries is None else entries.get(key), self, key)

    def __bool__(self) -> bool:
        """Whether the field is present."""
        return self.value is not None

    def entries(self) -> "Iterator[tuple[str, Field]]":
        """Yield the entries of a map; none if it is absent."""
        if self.value is None:
            return
        if not isinstance(self.value, dict):
            raise self.error("expected a map")
        for key, value in self.value.items():
            yield clean(key), Field(self.document, value, self, key)

    def items(self) -> "list[Field]":
        """Return the items of a list; none if it is absent."""
        if self.value is None:
            return []
        if not isinstance(self.value, list):
            raise self.error("expected a list")
        return [Field(self.document, value, self, place) for place, value in enumerate(self.value)]

    def text(self, default: str = "") -> str:
        """Return the text, or `default` if it is absent."""
        if self.value is None:
            return default
        if not isinstance(self.value, str):
            raise self.error("expected a string")
        return clean(self.value)

    def required(self, what: str) -> str:
        """Return the text, which must be present and not empty; `what` describes it in the message."""
        text = self.text()
        if not text:
            raise self.error(f"expected {what}")
        return text

    def one_of(self, choices: Collection[str], default: str = "") -> str:
        """Return the text, which must be one of the choices or absent."""
        text = self.text() or default
        if text != default and text not in choices:
            raise self.error(f"expected one of {', '.join(choices)}")
        return text

    def boolean(self) -> bool:
        """Return the boolean; false if it is absent."""
        if self.value is None:
            return False
        if not isinstance(self.value, bool):
            raise self.error("expected true or false")
        return self.value

    def integer(self, low: int = -INT32, high: int = INT32 - 1) -> int:
        """Return the integer, which must be present and from `low` to `high`."""
        value = self.value
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error("expected an integer")
        if not low <= value <= high:
            raise self.error(f"expected an integer from {low} to {high}")
        return value

    def labels(self) -> Labels:
        """Return a map of text to text."""
        return frozendict({key: field.text() for key, field in self.entries()})

    def texts(self) -> tuple[str, ...]:
        """Return a list of text."""
        return tuple(field.text() for field in self.items())

    def quantities(self) -> Amounts:
        """Return a map of resource names to quantities, none negative, in billionths."""
        return frozendict({resource: field.quantity() for resource, field in self.entries()})

    def quantity(self) -> int:
        """Return a quantity, not negative, in billionths; null is 0."""
        if isinstance(self.value, bool) or not isinstance(self.value, (str, int, float, type(None))):
            raise self.error("expected a quantity")
        text = self.value.strip() if isinstance(self.value, str) else number_text(self.value or 0)
        try:
            exact = _billionths(text)
        except QuantityError as error:
            raise self.error(str(error)) from None
        if exact < 0:
            raise self.error("expected a quantity that is not negative")
        return exact

    def only(self, *keys: str) -> None:
        """Raises: InputError for any other key of the map; the message names the nearest of these."""
        for key, field in self.entries():
            if key not in keys:
                raise InputError(f"unknown field{nearest(key, keys)}", **field.place())

    def error(self, expected: str) -> InputError:
        """Return the error that something else was expected here."""
        return InputError(expected, value=self.value, **self.place())

    def place(self) -> Place:
        """Return the place of the field, as `InputError` takes it."""
        number, is_line = self.document.number, self.document.is_line
        return {
            "file": self.document.file,
            "document": 0 if is_line else number,
            "line": number if is_line else 0,
            "path": self.path(),
        }

    def path(self) -> str:
        """Return the field's path from the top of the document, such as spec.containers[0].name."""
        steps: list[str] = []
        field: Field | None = self
        while field is not None and field.parent is not None:
            steps.append(step_text(field.key))
            field = field.parent
        return f"{self.document.within}{''.join(reversed(steps))}".removeprefix(".")


def step_text(key: str | int) -> str:
    """Return a step of a path: a key, or the number of an item."""
    if isinstance(key, int):
        return f"[{key}]"
    simple = key.replace("-", "").replace("_", "").isalnum()
    return f".{key}" if simple else f"['{key}']"


def only_document(file: str | Path, word: str) -> Field:
    """Return the one document of a file; `word` says what it is. Raises: InputError."""
    if Path(file).is_dir():
        raise InputError(f"is a folder; expected a file with one {word}", file=str(file))
    found = [Field(document, document.value) for document in documents((file,))]
    for field in found[1:]:
        raise field["kind"].error(f"expected no more than one {word}")
    return found[0]


def frozen(value: object) -> object:
    """Return a value of maps and lists in immutable form."""
    if isinstance(value, dict):
        return frozendict({str(key): frozen(each) for key, each in value.items()})
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def clean(text: str) -> str:
    """Return the text with each lone surrogate replaced, which no output can encode."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
