"""How an expression of CEL is read, and what its texts, entries and comparisons are, by CEL's language definition"""

from typing import Any

import pytest

from schedcheck.spec.cel.evaluation import evaluated
from schedcheck.spec.cel.parsing import parsed
from schedcheck.spec.cel.syntax import SyntaxFault, Unsupported
from schedcheck.spec.cel.values import CelError


def value(expression: str) -> Any:
    return evaluated(parsed(expression), {})


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("1 +", "the expression ends too early"),
        ("", "the expression ends too early"),
        ("[1, 2", "the expression ends too early"),
        ("a b", "line 1, column 3"),
        ("'a", "line 1, column 1"),
        ("1 +\n  * 2", "line 2, column 3"),
        ("has(1)", r"invalid argument to has\(\) macro"),
        ("has(a.b, c)", r"invalid argument to has\(\) macro"),
        ("has()", r"invalid argument to has\(\) macro"),
    ],
)
def test_a_text_that_is_no_expression_is_told_where(expression: str, said: str) -> None:
    with pytest.raises(SyntaxFault, match=f"^{said}$"):
        parsed(expression)


def test_bind_is_a_macro_with_three_arguments() -> None:
    assert value("cel.bind(x, 2, x + x)") == 4
    with pytest.raises(Unsupported, match=r"^CEL function cel\.bind$"):
        value("cel.bind(1, 2)")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'\\x41b'", "Ab"),
        ("'\\u00412'", "A2"),
        ("'\\U000000411'", "A1"),
        ("'\\1017'", "A7"),
        ("'a\\tb\\\\'", "a\tb\\"),
    ],
)
def test_an_escape_has_its_number_of_digits(expression: str, expected: str) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("{?'a': optional.of(1), 'b': 2}", {"a": 1, "b": 2}),
        ("{?'a': optional.none(), 'b': 2}", {"b": 2}),
        ("{'a': optional.of(1)}['a'].value()", 1),
    ],
)
def test_an_optional_entry_is_there_with_its_value_or_not(expression: str, expected: object) -> None:
    assert value(expression) == expected


def test_equal_expressions_are_one() -> None:
    parsed.cache_clear()
    first = parsed("a.b[0] == c")
    parsed.cache_clear()
    assert len({first, parsed("a.b[0] == c"), parsed("a.b[1] == c")}) == 2


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'abc'.substring(1)", "bc"),
        ("'abc'.substring(3)", ""),
        ("'abc'.substring(0, 3)", "abc"),
        ("'abc'.substring(1, 2)", "b"),
        ("'abc'.substring(2, 2)", ""),
    ],
)
def test_a_substring_begins_and_ends_between_letters(expression: str, expected: str) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("'abc'.substring(4)", "index out of range: 4"),
        ("'abc'.substring(-1)", "index out of range: -1"),
        ("'abc'.substring(1, 4)", "index out of range: 4"),
        ("'abc'.substring(2, 1)", "invalid substring range. start: 2, end: 1"),
    ],
)
def test_a_substring_outside_the_text_is_an_error(expression: str, said: str) -> None:
    with pytest.raises(CelError, match=f"^{said}$"):
        value(expression)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 == true", False),
        ("true == 1", False),
        ("1 == 1.0", True),
        ("{'a': 1} == {'a': 1}", True),
        ("{'a': 1} == {'a': 2}", False),
        ("{'a': 1} == {'b': 1}", False),
        ("[1, 2] == [1, 2]", True),
        ("[1] == [1, 2]", False),
        ("[1, 2] == [1]", False),
        ("[1, 2] == [2, 1]", False),
    ],
)
def test_values_are_equal_by_type_and_value(expression: str, expected: bool) -> None:
    assert value(expression) is expected
