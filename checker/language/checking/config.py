"""The parser for TLC configurations: the `.cfg` file next to a module."""

from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from lark import Lark, Token
from lark.exceptions import UnexpectedToken

from schedcheck.checker.language.evaluation.configuration import Assignment, Configuration, Replacement
from schedcheck.checker.language.printing.printing import printed
from schedcheck.checker.language.syntax.building import Parts, Placing
from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.expecting import misread
from schedcheck.checker.language.syntax.files import read
from schedcheck.checker.language.syntax.literals import number, string
from schedcheck.checker.language.syntax.operators import one_name
from schedcheck.checker.language.syntax.text import expression_text
from schedcheck.checker.language.syntax.tokens import MARKS, RAW, TERMINALS
from schedcheck.checker.language.syntax.tree import Apply, Name, Number, SetOf, String

Said = tuple[str, Any, Token]
"""A field of the configuration, its value, and the keyword that sets it."""

_LISTS = {
    "INVARIANT": "invariants",
    "INVARIANTS": "invariants",
    "PROPERTY": "properties",
    "PROPERTIES": "properties",
    "CONSTRAINT": "constraints",
    "CONSTRAINTS": "constraints",
    "ACTION_CONSTRAINT": "action_constraints",
    "ACTION_CONSTRAINTS": "action_constraints",
    "POSTCONDITION": "postconditions",
    "POSTCONDITIONS": "postconditions",
    "_POSSIBLE": "possible",
}
_SINGLE = {word: word.lower() for word in ("SPECIFICATION", "INIT", "NEXT", "SYMMETRY", "VIEW", "ALIAS")}
_UNSUPPORTED = frozenset({"_PERIODIC", "_RL_REWARD"})
_KINDS = {
    **dict.fromkeys(("CONSTANT", "CONSTANTS"), "CONSTANT"),
    **dict.fromkeys(_LISTS, "LISTING"),
    **dict.fromkeys(_SINGLE, "SINGLE"),
    "CHECK_DEADLOCK": "CHECK_DEADLOCK",
}

_GRAMMAR = f"""
start: statement*
statement: CONSTANT item*                                               -> constants
         | LISTING NAME*                                                 -> listing
         | SINGLE NAME                                                   -> single
         | CHECK_DEADLOCK NAME                                           -> check_deadlock
?item: name EQUALS (LSQUARE NAME RSQUARE)? value                         -> assignment
     | name LPAR value (COMMA value)* RPAR EQUALS value                  -> application
     | name GETS (LSQUARE NAME RSQUARE)? name                            -> replacement
name: (NAME | SYMBOL) (BANG NAME)*
?value: NUMBER                                                           -> number
      | MINUS NUMBER                                                     -> negative
      | STRING                                                           -> string
      | NAME                                                             -> model_value
      | LBRACE (value (COMMA value)*)? RBRACE                            -> set
%declare CONSTANT LISTING SINGLE CHECK_DEADLOCK NAME SYMBOL EQUALS LSQUARE RSQUARE LPAR RPAR LBRACE RBRACE COMMA GETS
%declare BANG MINUS
{TERMINALS}
%ignore BLANK
"""


def configuration(path: Path) -> Configuration:
    """Read the configuration in the file. Raises: Misread."""
    return read_configuration(read(path), path.name)


def read_configuration(text: str, name: str) -> Configuration:
    """Parse the text as a configuration; `name` is the file name in positions. Raises: Misread."""
    lark, statements, typing = _machinery()
    statements.source = typing.source = name
    text = expression_text(text, name)
    try:
        said: Configuration = lark.parse(text)  # type: ignore[assignment]
    except UnexpectedToken as error:
        raise misread(error, text, name) from None
    return said


@cache
def _machinery() -> "tuple[Lark, _Statements, _Typing]":
    statements, typing = _Statements(), _Typing()
    options: dict[str, Any] = {"parser": "lalr", "lexer": "basic", "transformer": statements, "postlex": typing}
    return Lark(_GRAMMAR, **options), statements, typing


class _Typing(Placing):
    """The pass that gives each token of a configuration its kind."""

    always_accept = RAW

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        for token in stream:
            if token.value in _UNSUPPORTED:
                raise Misread(f"{token.value} is not supported", self.at(token))
            yield Token.new_borrow_pos(self._kind(token), token.value, token)

    def _kind(self, token: Token) -> str:
        if token.type == "WORD":
            return _KINDS.get(token.value, "NAME")
        if token.type != "SIGN":
            return token.type
        return "MINUS" if token.value == "-" else MARKS.get(token.value, "SYMBOL")


class _Statements(Placing):
    """The parser actions for configurations; one method for each grammar rule."""

    def start(self, parts: Parts) -> Configuration:
        given: dict[str, Any] = {}
        for field, value, token in chain.from_iterable(parts):
            if isinstance(value, tuple):
                given[field] = given.get(field, ()) + value
            elif field in given:
                raise Misread(f"{token} is given twice", self.at(token))
            else:
                given[field] = value
        return _without_repetition(Configuration(**given))

    def constants(self, parts: Parts) -> list[Said]:
        fields = {Assignment: "assignments", Replacement: "replacements"}
        return [(fields[type(item)], (item,), parts[0]) for item in parts[1:]]

    def listing(self, parts: Parts) -> list[Said]:
        return [(_LISTS[parts[0]], tuple(self.model_value([each]) for each in parts[1:]), parts[0])]

    def single(self, parts: Parts) -> list[Said]:
        return [(_SINGLE[parts[0]], self.model_value(parts[1:]), parts[0])]

    def check_deadlock(self, parts: Parts) -> list[Said]:
        if parts[1] not in ("TRUE", "FALSE"):
            raise Misread(f"expected TRUE or FALSE after CHECK_DEADLOCK, found {parts[1]}", self.at(parts[1]))
        return [("check_deadlock", parts[1] == "TRUE", parts[0])]

    def name(self, parts: Parts) -> Token:
        return Token.new_borrow_pos("NAME", one_name("".join(parts)), parts[0])

    def assignment(self, parts: Parts) -> Assignment:
        module = str(parts[3]) if len(parts) > 3 else None
        return Assignment(str(parts[0]), (), parts[-1], module, at=self.at(parts[0]))

    def application(self, parts: Parts) -> Assignment:
        return Assignment(str(parts[0]), tuple(parts[2:-3:2]), parts[-1], None, at=self.at(parts[0]))

    def replacement(self, parts: Parts) -> Replacement:
        module = str(parts[3]) if len(parts) > 3 else None
        return Replacement(str(parts[0]), str(parts[-1]), module, at=self.at(parts[0]))

    def number(self, parts: Parts) -> Number:
        return Number(number(parts[0], self.at(parts[0])), at=self.at(parts[0]))

    def negative(self, parts: Parts) -> Apply:
        return Apply("-.", (self.number(parts[1:]),), at=self.at(parts[0]))

    def string(self, parts: Parts) -> String:
        return String(string(parts[0], self.at(parts[0])), at=self.at(parts[0]))

    def model_value(self, parts: Parts) -> Name:
        return Name(str(parts[0]), at=self.at(parts[0]))

    def set(self, parts: Parts) -> SetOf:
        return SetOf(tuple(parts[1:-1:2]), at=self.at(parts[0]))


def _without_repetition(said: Configuration) -> Configuration:
    seen: set[tuple[str, tuple[str, ...], str | None]] = set()
    everything: list[Assignment | Replacement] = [*said.assignments, *said.replacements]
    for each in everything:
        arguments = tuple(map(printed, each.arguments)) if isinstance(each, Assignment) else ()
        if (each.name, arguments, each.module) in seen:
            raise Misread(f"{each.name} is given twice", each.at)
        seen.add((each.name, arguments, each.module))
    return said
