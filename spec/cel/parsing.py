"""Texts to expressions of CEL: `parsed`. This module alone needs lark, and is imported when the first text is read."""

from functools import lru_cache
from typing import Any, Final

from lark import Lark, LarkError, Token, Transformer, UnexpectedInput, UnexpectedToken

from schedcheck.spec.cel.syntax import (
    MACROS,
    Binding,
    Call,
    Has,
    Index,
    ListOf,
    Literal,
    Loop,
    MapOf,
    Name,
    Node,
    Select,
    SyntaxFault,
    Unsupported,
)
from schedcheck.spec.cel.values import whole

GRAMMAR: Final = r"""
?start: conditional
?conditional: either | either "?" either ":" conditional -> ternary
?either: both | either "||" both -> either
?both: relation | both "&&" relation -> both
?relation: sum | relation RELATION sum -> relation
?sum: product | sum SUM product -> operation
?product: unary | product PRODUCT unary -> operation
?unary: member | NOT+ member -> negation | MINUS+ member -> minus
?member: primary
       | member "." IDENT -> select
       | member "." "?" IDENT -> maybe_select
       | member "." IDENT "(" [arguments] ")" -> method
       | member "[" conditional "]" -> index
       | member "[" "?" conditional "]" -> maybe_index
?primary: literal
        | IDENT -> name
        | "." IDENT -> name
        | IDENT "(" [arguments] ")" -> call
        | "." IDENT "(" [arguments] ")" -> call
        | "(" conditional ")"
        | "[" [items] "]" -> list_of
        | "{" [entries] "}" -> map_of
arguments: conditional ("," conditional)*
items: item ("," item)* ","?
item: conditional -> item | "?" conditional -> maybe_item
entries: entry ("," entry)* ","?
entry: conditional ":" conditional -> entry | "?" conditional ":" conditional -> maybe_entry
literal: FLOAT -> double | UINT -> unsigned | HEX -> hex | INT -> integer | TEXT -> text | BYTES -> bytes
       | "true" -> true | "false" -> false | "null" -> null
RELATION: "<=" | ">=" | "==" | "!=" | "<" | ">" | /in(?![A-Za-z0-9_])/
SUM: "+" | "-"
PRODUCT: "*" | "/" | "%"
NOT: "!"
MINUS: "-"
FLOAT.3: /[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?/ | /[0-9]+[eE][+-]?[0-9]+/ | /\.[0-9]+([eE][+-]?[0-9]+)?/
UINT.4: /0x[0-9a-fA-F]+[uU]/ | /[0-9]+[uU]/
HEX.3: /0x[0-9a-fA-F]+/
INT.2: /[0-9]+/
TEXT.2: /\x22{3}([^\\]|\\(.|\n))*?\x22{3}/ | /\x27{3}([^\\]|\\(.|\n))*?\x27{3}/ | /[rR](\x22{3}(.|\n)*?\x22{3}|'''(.|\n)*?''')/ | /"([^"\\\n\r]|\\.)*"/ | /'([^'\\\n\r]|\\.)*'/ | /[rR]"[^"\n\r]*"/ | /[rR]'[^'\n\r]*'/
BYTES.3: /[bB][rR]?("([^"\\\n\r]|\\.)*"|'([^'\\\n\r]|\\.)*')/ | /[rR][bB]("[^"\n\r]*"|'[^'\n\r]*')/
IDENT: /[_a-zA-Z][_a-zA-Z0-9]*/
COMMENT: /\/\/[^\n]*/
%ignore /[ \t\n\r\f]+/
%ignore COMMENT
"""

RESERVED: Final = frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "package",
        "namespace",
        "null",
        "return",
        "true",
        "var",
        "void",
        "while",
    ]
)
ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "?": "?", '"': '"',
    "'": "'", "`": "`",
}  # fmt: skip
LARGEST: Final = 2**63


@lru_cache(maxsize=4096)
def parsed(text: str) -> Node:
    """Return the tree of an expression.

    Raises: SyntaxFault if the text is no expression; Unsupported for a part of CEL that is not modelled.
    """
    try:
        tree = _PARSER.parse(text)
    except LarkError as error:
        raise SyntaxFault(_fault(error)) from error
    try:
        node: Node = _Builder().transform(tree)
    except LarkError as error:
        cause = getattr(error, "orig_exc", error)
        raise (cause if isinstance(cause, SyntaxFault | Unsupported) else SyntaxFault(str(error))) from error
    return _checked(node)


def _fault(error: LarkError) -> str:
    """Return where the text is no expression."""
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return "the expression ends too early"
    return f"line {error.line}, column {error.column}" if isinstance(error, UnexpectedInput) else str(error)


def _checked(node: Node) -> Node:
    """Return the node. Raises: SyntaxFault if the smallest integer was not negated."""
    if isinstance(node, Literal) and isinstance(node.value, int) and node.value == LARGEST:
        raise SyntaxFault("invalid int literal")
    return node


class _Builder(Transformer[Token, Any]):
    """The trees of the rules of the grammar."""

    def ternary(self, parts: list[Node]) -> Node:
        return Call("?:", tuple(map(_checked, parts)))

    def either(self, parts: list[Node]) -> Node:
        return Call("||", tuple(parts))

    def both(self, parts: list[Node]) -> Node:
        return Call("&&", tuple(parts))

    def relation(self, parts: list[Any]) -> Node:
        left, operator, right = parts
        return Call(str(operator), (_checked(left), _checked(right)))

    operation = relation

    def negation(self, parts: list[Any]) -> Node:
        *signs, node = parts
        return node if len(signs) % 2 == 0 else Call("!", (node,))

    def minus(self, parts: list[Any]) -> Node:
        *signs, node = parts
        if isinstance(node, Literal) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            return Literal(-node.value) if len(signs) % 2 else _checked(node)
        return node if len(signs) % 2 == 0 else Call("-", (node,))

    def select(self, parts: list[Any]) -> Node:
        return Select(parts[0], str(parts[1]))

    def maybe_select(self, parts: list[Any]) -> Node:
        return Select(parts[0], str(parts[1]), optional=True)

    def index(self, parts: list[Node]) -> Node:
        return Index(parts[0], _checked(parts[1]))

    def maybe_index(self, parts: list[Node]) -> Node:
        return Index(parts[0], _checked(parts[1]), optional=True)

    def method(self, parts: list[Any]) -> Node:
        target, name, arguments = parts[0], str(parts[1]), tuple(parts[2] or ())
        if target == Name("cel") and name == "bind" and len(arguments) == 3:
            return Binding(_variable(arguments[0]), arguments[1], arguments[2])
        if name in MACROS and len(arguments) in (2, 3) and isinstance(arguments[0], Name):
            if len(arguments) == 3 and name != "map":
                raise Unsupported("CEL macros with two variables")
            condition = arguments[1] if len(arguments) == 3 else None
            return Loop(name, target, arguments[0].name, arguments[-1], condition)
        return Call(name, arguments, target)

    def call(self, parts: list[Any]) -> Node:
        name, arguments = str(parts[0]), tuple(parts[1] or ())
        if name == "has":
            if len(arguments) != 1 or not isinstance(arguments[0], Select):
                raise SyntaxFault("invalid argument to has() macro")
            return Has(arguments[0].operand, arguments[0].field)
        return Call(name, arguments)

    def arguments(self, parts: list[Node]) -> list[Node]:
        return [_checked(each) for each in parts]

    items = entries = list

    def item(self, parts: list[Node]) -> tuple[Node, bool]:
        return _checked(parts[0]), False

    def maybe_item(self, parts: list[Node]) -> tuple[Node, bool]:
        return _checked(parts[0]), True

    def entry(self, parts: list[Node]) -> tuple[Node, Node, bool]:
        return _checked(parts[0]), _checked(parts[1]), False

    def maybe_entry(self, parts: list[Node]) -> tuple[Node, Node, bool]:
        return _checked(parts[0]), _checked(parts[1]), True

    def list_of(self, parts: list[Any]) -> Node:
        return ListOf(tuple(parts[0] or ()) if parts else ())

    def map_of(self, parts: list[Any]) -> Node:
        return MapOf(tuple(parts[0] or ()) if parts else ())

    def name(self, parts: list[Token]) -> Node:
        if str(parts[0]) in RESERVED:
            raise SyntaxFault(f"reserved identifier: {parts[0]}")
        return Name(str(parts[0]))

    def double(self, parts: list[Token]) -> Node:
        return Literal(float(parts[0]))

    def integer(self, parts: list[Token]) -> Node:
        return _integer(whole(parts[0]))

    def hex(self, parts: list[Token]) -> Node:
        return _integer(whole(parts[0].removeprefix("0x"), 16))

    def unsigned(self, parts: list[Token]) -> Node:
        raise Unsupported("CEL unsigned integers")

    def bytes(self, parts: list[Token]) -> Node:
        raise Unsupported("CEL bytes")

    def text(self, parts: list[Token]) -> Node:
        return Literal(_text(str(parts[0])))

    def true(self, parts: list[Token]) -> Node:
        return Literal(True)

    def false(self, parts: list[Token]) -> Node:
        return Literal(False)

    def null(self, parts: list[Token]) -> Node:
        return Literal(None)


def _integer(value: int) -> Node:
    if value > LARGEST:
        raise SyntaxFault("invalid int literal")
    return Literal(value)


def _variable(node: Node) -> str:
    if not isinstance(node, Name):
        raise SyntaxFault("cel.bind() variable names must be simple identifiers")
    return node.name


def _text(written: str) -> str:
    raw = written[0] in "rR"
    written = written[1:] if raw else written
    quotes = 3 if written[:3] in ('"""', "'''") else 1
    inner = written[quotes:-quotes]
    return inner if raw else _unescaped(inner)


def _unescaped(inner: str) -> str:
    """Return the text with its escapes replaced. Raises: SyntaxFault for an unknown escape."""
    found, place = [], 0
    while place < len(inner):
        if inner[place] != "\\":
            found.append(inner[place])
            place += 1
            continue
        letter = inner[place + 1 : place + 2]
        if letter in ESCAPES and letter:
            found.append(ESCAPES[letter])
            place += 2
            continue
        digits, base = {"x": (2, 16), "X": (2, 16), "u": (4, 16), "U": (8, 16)}.get(letter, (3, 8))
        start = place + (1 if base == 8 else 2)
        try:
            found.append(chr(int(inner[start : start + digits], base)))
        except (ValueError, OverflowError) as error:
            raise SyntaxFault(f"invalid escape in {inner!r}") from error
        place = start + digits
    return "".join(found)


_PARSER = Lark(GRAMMAR, parser="lalr", maybe_placeholders=True)
