"""The errors that schedcheck raises on purpose, one family: `SchedcheckError`, `InputError`, `Unanswerable`, `GaveUp`.

`shown` and `printable` write values from the input in one line of a message; `nearest` ends one about an unknown word.
"""

from collections.abc import Collection
from decimal import Decimal
from difflib import get_close_matches


class SchedcheckError(Exception):
    """The base of every error that schedcheck raises on purpose; its text is one line."""


class GaveUp(SchedcheckError):
    """A limit of time or memory ended a question before there was an answer; the text names the limit."""


LONGEST_VALUE = 60
MOST_CHOICES = 20
"""The most choices that a message names."""


class InputError(SchedcheckError):
    """Input that cannot be read: `FILE: document N: line N: field.path: 'value': what was expected`.

    Unknown parts are left out. The text is one printable line, whatever the input holds. `path` is that of the field.
    """

    def __init__(
        self, expected: str, *, file: str = "", document: int = 0, line: int = 0, path: str = "", value: object = None
    ) -> None:
        known = [
            file,
            f"document {document}" if document else "",
            f"line {line}" if line else "",
            path,
            "" if value is None else shown(value),
            expected,
        ]
        super().__init__(printable(": ".join(part for part in known if part)))
        self.path = path
        self.told = printable(": ".join(part for part in known[4:] if part))


class Unanswerable(SchedcheckError):
    """Valid input for which no certain answer can be given; the text says why."""


def shown(value: object) -> str:
    """Return the value as a message quotes it: text in quotes and cut short, a map or list by its kind alone."""
    match value:
        case str():
            return f"'{value}'" if len(value) <= LONGEST_VALUE else f"'{value[:LONGEST_VALUE]}…'"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number_text(value)
        case dict():
            return "a map" if value else "{}"
        case list():
            return "a list" if value else "[]"
    return "null"


def number_text(number: int | float) -> str:
    """Return the number as Go writes it in JSON: the shortest text that reads back, with an exponent from 1e21 on."""
    if isinstance(number, int):
        return str(number)
    if number and not 1e-6 <= abs(number) < 1e21:
        return repr(number).replace("e-0", "e-")
    return f"{Decimal(repr(number)):f}".removesuffix(".0")


def nearest(word: str, choices: Collection[str]) -> str:
    """Return the end of a message about an unknown word: the choice that is most like it, or the first ones."""
    close = get_close_matches(word[:100], sorted(choices), n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    named, more = sorted(choices)[:MOST_CHOICES], len(choices) - MOST_CHOICES
    return f"; expected one of {', '.join(named)}{f' and {more:,} more' if more > 0 else ''}" if choices else ""


def printable(text: str) -> str:
    """Return the text with an escape for every character that a terminal cannot show in one line."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
