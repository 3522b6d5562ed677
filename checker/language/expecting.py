"""What a syntax error says was expected, and what was found."""

from collections.abc import Collection

from lark import Token
from lark.exceptions import UnexpectedToken

from schedcheck.checker.language.errors import Misread
from schedcheck.checker.language.tokens import MARKS
from schedcheck.checker.language.tree import Position

_EXPRESSION = frozenset(
    [
        "NUMBER",
        "DECIMAL",
        "STRING",
        "PREFIX",
        "OPEN",
        "FAIR",
        "LPAR",
        "LSQUARE",
        "LBRACE",
        "LTUPLE",
        "QUANTIFIER",
        "CHOOSE",
        "IF",
        "CASE",
        "LET",
        "SYMBOL",
        "NAME",
        "LAMBDA",
    ]
)
_OPERATOR = frozenset(["INFIX", "POSTFIX", "EQUALS", "DOT", "LSQUARE", "LABEL", "BANG", "LPAR"])
_UNIT = frozenset(["BREAK", "VARIABLE", "CONSTANT", "RECURSIVE", "LOCAL", "INSTANCE", "ASSUME", "LINE", "BEGIN", "END"])
_WORDS = {
    **{kind: mark for mark, kind in MARKS.items() if kind != "QUANTIFIER"},
    "NAME": "a name",
    "LINE": "----",
    "END": "====",
    "SEPARATOR": "[]",
    "SYMBOL": "an operator",
    "INFIX": "an operator",
    "POSTFIX": "an operator",
    "PREFIX": "an operator",
    "BREAK": "a definition",
    "BEGIN": "---- MODULE",
    "NEXT": "the next of the list",
    "CLOSE": "the end of the list",
    "$END": "the end",
}
_MOST = 4


def expected(kinds: Collection[str]) -> str:
    """The kinds of token in words, the groups of them under one name."""
    left = set(kinds)
    words = []
    if "NUMBER" in left:
        words.append("an expression")
        left -= _EXPRESSION
    elif "INFIX" in left and "POSTFIX" in left:
        left -= _OPERATOR
        words.append("an operator")
    if "VARIABLE" in left:
        words.append("a definition, declaration or ====")
        left -= _UNIT
    words += sorted({_WORDS.get(kind, kind) for kind in left - {"NEXT", "CLOSE"}})
    shown = words[:_MOST]
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " or " + shown[-1] if shown else "nothing more"


def found(token: Token) -> str:
    """The token as it is written, or what it marks."""
    if token.type == "$END":
        return "the end of the text"
    if token.type == "BREAK":
        return f"the definition that begins with {token.value}"
    if token.type == "CLOSE":
        return f"the end of the list, before {token.value}"
    if token.value == '"':
        return "a string that does not end on its line"
    return str(token.value)


def misread(error: UnexpectedToken, text: str, name: str) -> Misread:
    """What the parser found wrong with the text, as an error with its place."""
    token = error.token
    at = Position(name, token.line or 0, token.column or 0)
    if token.type == "$END":
        lines = text.split("\n")
        at = Position(name, len(lines), len(lines[-1]) + 1)
    return Misread(f"expected {expected(error.accepts or error.expected)}, found {found(token)}", at)
