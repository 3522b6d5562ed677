"""A printed tree is read back as the same tree, and has no unnecessary parentheses"""

from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given, settings

from schedcheck.checker.language.printing.printing import printed
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.parser import parsed_expression
from tests.checker.language.generated import EXPRESSIONS, WITH_LISTS


def in_line(value: Any) -> Any:
    """The same expression with every list replaced by operators between its items."""
    if isinstance(value, tuple):
        return tuple(in_line(each) for each in value)
    if isinstance(value, tree.Position) or not is_dataclass(value):
        return value
    if isinstance(value, tree.Junction):
        first, *rest = (in_line(item) for item in value.items)
        for item in rest:
            first = tree.Apply(value.operator, (first, item), at=value.at)
        return first
    assert not isinstance(value, type)
    return type(value)(**{field.name: in_line(getattr(value, field.name)) for field in fields(value)})


@settings(max_examples=250)
@given(EXPRESSIONS)
def test_a_printed_expression_is_read_back_unchanged(expression: tree.Expression) -> None:
    assert parsed_expression(printed(expression)) == expression


@settings(max_examples=100)
@given(WITH_LISTS)
def test_a_list_is_printed_as_operators_between_its_items(expression: tree.Expression) -> None:
    assert parsed_expression(printed(expression)) == in_line(expression)


SHORTEST = [
    "a /\\ b /\\ c => d",
    "a /\\ (b /\\ c)",
    "(a => b) => c",
    "~a = b",
    "(~a) = b",
    "a - (b - c) - d",
    "a * (-b) + -c",
    "-(-a)",
    "~[]<>a",
    "UNCHANGED (a')",
    "(a + b)'",
    "(a \\X b) \\X c \\X d",
    "a /\\ \\E x \\in S : b /\\ c",
    "(\\E x \\in S : b) /\\ c",
    "IF a THEN IF b THEN c ELSE d ELSE e",
    "CASE a -> (CASE b -> c) [] d -> CASE e -> f [] OTHER -> g",
    "{(x \\in S /\\ a) : y \\in T}",
    "{x \\in S /\\ a}",
    "[f EXCEPT ![a, b].c = @ + 1, !.d = e]",
    "[A]_<<x, y>>",
    "[A]_(x')",
    "WF_f(x)(A)",
    "Fold( + , 0, LAMBDA x, y : x)",
    "I(a)!J! +(b, c)",
    "LET a ++ b == c  f[x \\in S] == d  RECURSIVE g(_, _)  I(x) == INSTANCE M WITH y <-  + , z <- a IN e",
    '"a\\n\\"b"',
    "CHOOSE <<x, y>> \\in S : a",
    "\\A x, y \\in S, <<z, w>> \\in T : \\E v : a",
]


@pytest.mark.parametrize("text", SHORTEST)
def test_only_necessary_parentheses_are_printed(text: str) -> None:
    assert printed(parsed_expression(text)) == text


def test_a_list_of_one_item_is_printed_as_the_item() -> None:
    assert printed(parsed_expression("/\\ /\\ a\n   /\\ b \\/ c\n/\\ d")) == "a /\\ (b \\/ c) /\\ d"


def test_deep_expressions_are_printed() -> None:
    depth = 5000
    text = "~" * depth + "a"
    assert printed(parsed_expression(text)) == text
