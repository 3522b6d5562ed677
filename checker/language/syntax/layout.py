r"""Column-sensitive layout turned into tokens: where lists of `/\` and `\/` open, continue and close.

A list opens at a `/\` or `\/` where an operand is expected, and continues at the next one of its kind in the same
column. It closes before the first token that is not to the right of that column. It also closes before a token that
cannot belong to it: one that closes an earlier bracket, the `:` of an earlier quantifier, the THEN of an earlier IF,
the next definition. All tokens within a list stand to its right, even within brackets, as in SANY.

On the way every operator is classified: prefix, infix, postfix, or a symbol passed as an argument.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from lark import Token

from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.operators import INFIX, POSTFIX, PREFIX
from schedcheck.checker.language.syntax.proofs import UNIT_STARTS
from schedcheck.checker.language.syntax.tree import Position

OPEN, NEXT, CLOSE = "OPEN", "NEXT", "CLOSE"

_LISTS = frozenset({"AND", "OR"})
_YIELDING = frozenset({"AND", "OR", "CASE"})
_OPENERS = {
    **{kind: kind for kind in ("LPAR", "LSQUARE", "LBRACE", "LTUPLE", "IF", "LET", "CASE")},
    **dict.fromkeys(("QUANTIFIER", "CHOOSE", "LAMBDA"), "BINDING"),
}
_CLOSERS = {
    "RPAR": "LPAR",
    "RSQUARE": "LSQUARE",
    "ACTION": "LSQUARE",
    "RBRACE": "LBRACE",
    "RTUPLE": "LTUPLE",
    "CHANGE": "LTUPLE",
    "COLON": "BINDING",
    "THEN": "IF",
    "ELSE": "THEN",
    "IN": "LET",
}
_ENDS_LISTS = UNIT_STARTS | _CLOSERS.keys() | {"COMMA", "MAPSTO", "EXCEPT"}
_COMPLETE = frozenset(
    {"NAME", "NUMBER", "PART", "DECIMAL", "STRING", "RPAR", "RSQUARE", "RBRACE", "RTUPLE", "POSTFIX"}
) | {"UNDERSCORE"}
_AFTER_A_SYMBOL = UNIT_STARTS | {"COMMA", "RPAR", "GETS", "IN"}


@dataclass(slots=True)
class _Opened:
    """An open list, bracket or construct; the tokens in it stand to the right of column `limit`."""

    kind: str
    token: Token
    limit: int


class Layout:
    """One pass over the tokens of a module or expression. Raises: Misread for a token that leaves its list."""

    def __init__(self, name: str, tokens: list[Token]) -> None:
        self._name = name
        self._tokens = tokens
        self._opened = [_Opened("", Token("", ""), 0)]
        self._complete = False  # whether the previous token ends an operand

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens of the grammar."""
        for index, token in enumerate(self._tokens):
            yield from self._placed(token)
            if token.type in _ENDS_LISTS:
                yield from self._closed(_YIELDING, token)
            final = self._final(index, token)
            if final.type in ("ARROW", "SEPARATOR"):
                yield from self._closed(_LISTS, token)
            self._nest(final)
            self._complete = final.type in _COMPLETE
            yield final
        if self._tokens:
            yield from self._closed(_YIELDING, self._tokens[-1])

    def _placed(self, token: Token) -> Iterator[Token]:
        """Yield the ends of the lists that the token's column closes."""
        while (token.column or 0) <= self._opened[-1].limit:
            top = self._opened[-1]
            if top.kind not in _YIELDING:
                raise Misread(self._misplaced(token, top), Position(self._name, token.line or 0, token.column or 0))
            if top.kind == token.type and top.limit == token.column:
                return
            self._opened.pop()
            if top.kind in _LISTS:
                yield Token.new_borrow_pos(CLOSE, token.value, token)
                self._complete = True

    def _misplaced(self, token: Token, top: _Opened) -> str:
        around = next(opened for opened in reversed(self._opened) if opened.kind in _LISTS)
        return (
            f"{token.value} must stand to the right of column {top.limit}, the column of the list opened in line "
            f"{around.token.line}: {top.token.value} of line {top.token.line} is still open"
        )

    def _closed(self, kinds: frozenset[str], token: Token) -> Iterator[Token]:
        """Yield the ends of the lists that the token cannot belong to."""
        while self._opened[-1].kind in kinds:
            top = self._opened.pop()
            if top.kind in _LISTS:
                yield Token.new_borrow_pos(CLOSE, token.value, token)
                self._complete = True

    def _nest(self, token: Token) -> None:
        top = self._opened[-1]
        if _CLOSERS.get(token.type) == top.kind:
            self._opened.pop()
        if token.type == OPEN:
            self._opened.append(_Opened("AND" if token.value == "/\\" else "OR", token, token.column or 0))
        elif token.type in _OPENERS:
            self._opened.append(_Opened(_OPENERS[token.type], token, top.limit))
        elif token.type == "THEN" and top.kind == "IF":
            self._opened.append(_Opened("THEN", token, self._opened[-1].limit))

    def _final(self, index: int, token: Token) -> Token:
        """Return the token with the kind that its place gives it."""
        if token.type in _LISTS:
            kind, value = self._list_kind(index, token), token.value
        elif token.type == "OPERATOR":
            kind, value = self._operator_kind(index, token)
        elif token.type == "EQUALS" and not self._complete and self._stands_for_itself(index):
            kind, value = "SYMBOL", token.value
        else:
            return token
        return Token.new_borrow_pos(kind, value, token)

    def _list_kind(self, index: int, token: Token) -> str:
        top = self._opened[-1]
        if top.kind == token.type and top.limit == token.column:
            return NEXT
        if self._complete:
            return "INFIX"
        return "SYMBOL" if self._stands_for_itself(index) else OPEN

    def _operator_kind(self, index: int, token: Token) -> tuple[str, str]:
        symbol = token.value
        if symbol == "-.":
            return "SYMBOL", symbol
        if self._complete:
            if symbol == "[]":
                return "SEPARATOR", symbol
            return ("POSTFIX" if symbol in POSTFIX else "PREFIX" if symbol in PREFIX else "INFIX"), symbol
        if self._stands_for_itself(index) or (symbol in INFIX and symbol != "-" and self._after(index) == "LPAR"):
            return "SYMBOL", symbol
        if symbol in PREFIX or symbol == "-":
            return "PREFIX", "-." if symbol == "-" else symbol
        return "INFIX", symbol

    def _stands_for_itself(self, index: int) -> bool:
        before = self._tokens[index - 1].type if index > 0 else ""
        return before == "BANG" or self._after(index) in _AFTER_A_SYMBOL

    def _after(self, index: int) -> str:
        return self._tokens[index + 1].type if index + 1 < len(self._tokens) else ""
