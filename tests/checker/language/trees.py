"""Trees and texts of TLA+ for tests"""

from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.parser import parsed, parsed_expression

AT = tree.Position("anywhere", 1, 1)


def name(text: str) -> tree.Name:
    return tree.Name(text, at=AT)


def number(value: int) -> tree.Number:
    return tree.Number(value, at=AT)


def apply(operator: str, *arguments: tree.Expression) -> tree.Apply:
    return tree.Apply(operator, arguments, at=AT)


def conjunction(*items: tree.Expression) -> tree.Junction:
    return tree.Junction("/\\", items, at=AT)


def disjunction(*items: tree.Expression) -> tree.Junction:
    return tree.Junction("\\/", items, at=AT)


def module(body: str) -> str:
    return f"---- MODULE M ----\n{body}\n====\n"


def units(body: str) -> tuple[tree.Unit, ...]:
    return parsed(module(body), "M").units


def same(text: str, other: str) -> bool:
    """Whether two texts are the same expression."""
    return parsed_expression(text) == parsed_expression(other)


def refusal(text: str) -> str:
    """The error for a text that is not an expression."""
    try:
        found = parsed_expression(text)
    except Misread as error:
        return str(error)
    raise AssertionError(f"read as {found}")


def refusal_of_module(body: str) -> str:
    """The error for a module with this body."""
    try:
        found = units(body)
    except Misread as error:
        return str(error)
    raise AssertionError(f"read as {found}")
