"""Number and string literals, from their notation to their values and back."""

import re

from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.tree import Position

_BASES = {"b": 2, "o": 8, "h": 16}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", '"': '"', "\\": "\\"}
_ESCAPES = {character: "\\" + letter for letter, character in _ESCAPED.items()}
_DIGITS = 4000  # below the length limit of Python's conversion from text to int


def number(written: str, at: Position) -> int:
    r"""Return the value of `42`, `\b101`, `\o52` or `\h2A`. Raises: Misread."""
    if len(written) > _DIGITS:
        raise Misread(f"a number of {len(written)} digits is too long: at most {_DIGITS}", at)
    if written.startswith("\\"):
        return int(written[2:], _BASES[written[1].lower()])
    return int(written)


def string(written: str, at: Position) -> str:
    """Return the text between the quotes, with its escapes resolved. Raises: Misread."""

    def undone(escape: re.Match[str]) -> str:
        letter = escape.group(1)
        if letter not in _ESCAPED:
            raise Misread(rf"\{letter} in a string: the escapes are \n \t \r \f \" \\", at)
        return _ESCAPED[letter]

    return re.sub(r"\\(.)", undone, written[1:-1])


def quoted(text: str) -> str:
    """Return the text as a TLA+ string literal."""
    return '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'
