"""The words of a syntax error: the tokens that were expected, and the token that was found."""

from collections.abc import Collection

from lark import Token
from lark.exceptions import UnexpectedToken

from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.tokens import MARKS
from schedcheck.checker.language.syntax.tree import Position

_EXPRESSION = (
    "NUMBER DECIMAL STRING PREFIX OPEN FAIR LPAR LSQUARE LBRACE LTUPLE QUANTIFIER CHOOSE IF CASE LET SYMBOL NAME LAMBDA"
)
_OPERATOR = "INFIX POSTFIX EQUALS DOT LSQUARE LABEL BANG LPAR"
_UNIT = "BREAK VARIABLE CONSTANT RECURSIVE LOCAL INSTANCE ASSUME THEOREM LINE BEGIN"
_GROUPS = (
    ({"MINUS"}, "MINUS NUMBER STRING LBRACE LSQUARE NAME", ["a number", "a string", "a set", "a model value"]),
    ({"NUMBER"}, _EXPRESSION, ["an expression"]),
    ({"INFIX", "POSTFIX"}, _OPERATOR, ["an operator"]),
    ({"VARIABLE"}, _UNIT, ["a declaration", "a definition"]),
    ({"LISTING"}, "LISTING SINGLE CONSTANT CHECK_DEADLOCK", ["a keyword such as INVARIANT"]),
)
"""Groups of kinds: if the first set is expected, all kinds of the second are described by these words."""

_WORDS = {
    **{kind: f"`{mark}`" for mark, kind in MARKS.items()},
    "NAME": "a name",
    "SYMBOL": "an operator",
    "INFIX": "an operator",
    "POSTFIX": "an operator",
    "PREFIX": "an operator",
    "BREAK": "a definition",
    "PART": "a number, `<<`, `>>`, `@`, `:`",
    "END": "`====`",
    "LINE": "`----`",
    "BEGIN": "`---- MODULE`",
    "SEPARATOR": "`[]`",
    "$END": "the end",
}
_UNSAID = {"NEXT", "CLOSE"}


def expected(kinds: Collection[str]) -> str:
    """Describe these kinds of tokens in words; groups of kinds get one name."""
    left = set(kinds) - _UNSAID
    words: list[str] = []
    for signs, members, group in _GROUPS:
        if signs <= left:
            words += group
            left -= set(members.split())
    words += sorted({_WORDS.get(kind, kind) for kind in left} - set(words))
    return ", ".join(words[:-1]) + " or " + words[-1] if len(words) > 1 else "".join(words) or "nothing more"


def found(token: Token) -> str:
    """Describe the token that was found: as it is written, or what it marks."""
    if token.type == "$END":
        return "the end of the text"
    if token.type == "BREAK":
        return f"the definition that begins with {token.value}"
    if token.type == "CLOSE":
        return f"the end of the list, before {token.value}"
    if token.value == '"':
        return "a string that does not end on its line"
    return str(token.value) if token.value[:1].isalnum() else f"`{token.value}`"


def misread(error: UnexpectedToken, text: str, name: str) -> Misread:
    """Turn the parser's error in the text into an error with its position."""
    token = error.token
    at = Position(name, token.line or 0, token.column or 0)
    if token.type == "$END":
        lines = text.split("\n")
        at = Position(name, len(lines), len(lines[-1]) + 1)
    return Misread(f"expected {expected(error.accepts or error.expected)}, found {found(token)}", at)
