"""Values of CEL's functions on numbers, lists and quantities, by the language definition and Kubernetes' libraries

The values follow from CEL's language definition (IEEE 754 doubles, 64-bit integers that overflow, conversions towards
zero), and from what Kubernetes documents of its library of quantities.
"""

import math
from typing import Any

import pytest

from schedcheck.spec.cel.compiling import LONGEST, refused
from schedcheck.spec.cel.evaluation import evaluated
from schedcheck.spec.cel.parsing import parsed
from schedcheck.spec.cel.values import CelError


def value(expression: str) -> Any:
    return evaluated(parsed(expression), {})


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1.5 + 2.25", 3.75),
        ("1.0 / 4.0", 0.25),
        ("1.0 / 0.0", math.inf),
        ("-1.0 / 0.0", -math.inf),
        ("1.0 / -0.0", -math.inf),
        ("-1.0 / -0.0", math.inf),
        ("double(3)", 3.0),
        ("double('-2.5')", -2.5),
    ],
)
def test_doubles_are_calculated_as_ieee_754_says(expression: str, expected: float) -> None:
    found = value(expression)
    assert isinstance(found, float) and found == expected


def test_nothing_divided_by_nothing_is_no_number() -> None:
    assert math.isnan(value("0.0 / 0.0")) and math.isnan(value("-0.0 / 0.0"))
    assert math.isnan(value("(0.0 / 0.0) / 0.0"))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("int(5.9)", 5),
        ("int(-5.9)", -5),
        ("int(4294967296.0)", 2**32),
        ("int('-12')", -12),
        ("int('+12')", 12),
        ("7 / -2", -3),
        ("7 % -3", 1),
    ],
)
def test_integers_are_rounded_towards_zero(expression: str, expected: int) -> None:
    found = value(expression)
    assert type(found) is int and found == expected


@pytest.mark.parametrize("number", ["9223372036854775808.0", "-9223372036854775808.0", "1.0 / 0.0", "0.0 / 0.0"])
def test_a_double_outside_64_bits_overflows(number: str) -> None:
    with pytest.raises(CelError, match="integer overflow"):
        value(f"int({number})")


def test_lists_are_joined_in_order() -> None:
    assert value("[1, 2] + [2, 3]") == (1, 2, 2, 3)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("quantity('1').add(2).compareTo(quantity('3'))", 0),
        ("quantity('500m').add(2).compareTo(quantity('2500m'))", 0),
        ("quantity('1').sub(2).compareTo(quantity('-1'))", 0),
        ("quantity('1500m').sub(quantity('0.5')).asInteger()", 1),
        ("quantity('0').sign()", 0),
        ("sign(quantity('500m'))", 1),
        ("quantity('-500m').sign()", -1),
        ("quantity('5').isInteger()", True),
        ("quantity('1500m').isInteger()", False),
        ("quantity('1500m').asApproximateFloat()", 1.5),
    ],
)
def test_quantities_are_calculated_exactly(expression: str, expected: object) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize(
    "expression", ["[1, 2][0] == 1", "{'a': 1}['a'] == 1", "{1: 'a'}[1] == 'a'", "sets.contains([1, 2], [1])"]
)
def test_an_expression_whose_types_agree_compiles(expression: str) -> None:
    assert refused(expression) == ""


@pytest.mark.parametrize(
    "expression", ["[1, 2]['a'] == 1", "{'a': 1}[0] == 1", "{1: 'a'}['a'] == 'a'", "sets.contains(optional.of(1), [1])"]
)
def test_an_expression_whose_types_disagree_is_refused(expression: str) -> None:
    assert "no matching overload" in refused(expression)


def test_an_expression_has_ten_kibibytes() -> None:
    """CELSelectorExpressionMaxLength in k8s.io/api/resource/v1."""
    assert LONGEST == 10_240


NO_TARGET_IS_TRUE = [
    *(f"{name}()" for name in ("size", "lowerAscii", "upperAscii", "trim", "join", "asInteger", "isInteger")),
    *(f"{name}()" for name in ("major", "minor", "patch", "hasValue", "value")),
    *(f"{name}('a')" for name in ("matches", "startsWith", "endsWith", "contains", "split", "indexOf", "lastIndexOf")),
    *(f"{name}(quantity('1'))" for name in ("isGreaterThan", "isLessThan", "compareTo", "add", "sub")),
    *("replace('a', 'b')", "substring(1)", "or(optional.none())", "orValue(true)"),
]


@pytest.mark.parametrize("call", NO_TARGET_IS_TRUE)
def test_a_method_of_another_type_is_refused(call: str) -> None:
    """No method of CEL or of Kubernetes' libraries that is typed here has a bool as its target."""
    assert "no matching overload" in refused(f"true.{call} == true")


@pytest.mark.parametrize(
    "call",
    [
        *(
            "true + true",
            "true - true",
            "true * true",
            "true / true",
            "true % true",
            "-true",
            "1.0 % 1.0",
            "!1",
            "1 in 1",
        ),
        *("1 && true", "true || 1", "1 ? true : true", "1 < 'a'", "1 <= 'a'", "1 > 'a'", "1 >= 'a'", "1 == 'a'"),
        *("size(1)", "matches(1, 'a')", "quantity(1)", "isQuantity(1)", "semver(1)", "isSemver(1)"),
        *("sets.contains(1, [1])", "sets.intersects([1], 1)", "sets.equivalent([1], 1)"),
    ],
)
def test_a_function_or_operator_on_other_types_is_refused(call: str) -> None:
    assert "no matching overload" in refused(f"dyn({call}) == dyn(true)")
