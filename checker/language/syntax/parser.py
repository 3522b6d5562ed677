"""The TLA+ parser: from a text to its syntax tree."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from lark import Lark, Token
from lark.exceptions import UnexpectedToken

from schedcheck.checker.language.syntax.expecting import misread
from schedcheck.checker.language.syntax.grammar import GRAMMAR
from schedcheck.checker.language.syntax.layout import Layout
from schedcheck.checker.language.syntax.proofs import marked, without_proofs
from schedcheck.checker.language.syntax.text import expression_text, module_text
from schedcheck.checker.language.syntax.tokens import RAW, typed
from schedcheck.checker.language.syntax.tree import Expression, Module
from schedcheck.checker.language.syntax.units import Units


def parsed(text: str, name: str) -> Module:
    """Parse the first module in the text; `name` is the module name in positions. Raises: Misread."""
    module: Module = _read(module_text(text, name), name, "module")
    return module


def parsed_expression(text: str, name: str = "expression") -> Expression:
    """Parse the text as an expression. Raises: Misread."""
    expression: Expression = _read(expression_text(text, name), name, "expression")
    return expression


class _Reading:
    """The processing of tokens between lark's lexer and its parser; `source` is the module name in positions."""

    always_accept = RAW
    source = ""

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Return the tokens of the grammar."""
        tokens = list(without_proofs(marked(typed(list(stream)))))
        return Layout(self.source, tokens).tokens()


@cache
def _machinery() -> tuple[Lark, Units, _Reading]:
    units, reading = Units(), _Reading()
    options: dict[str, Any] = {"parser": "lalr", "lexer": "basic", "start": ["module", "expression"]}
    return Lark(GRAMMAR, postlex=reading, transformer=units, **options), units, reading


def _read(text: str, name: str, start: str) -> Any:
    lark, units, reading = _machinery()
    units.source = reading.source = name
    try:
        return lark.parse(text, start=start)
    except UnexpectedToken as error:
        raise misread(error, text, name) from None
