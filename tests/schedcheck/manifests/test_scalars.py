"""Unquoted YAML scalars have the meaning they have for kubectl, which uses go-yaml v2"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.errors import number_text
from schedcheck.manifests.scalars import plain

TABLE: list[tuple[object, str]] = [
    (True, "y Y yes Yes YES true True TRUE on On ON"),
    (False, "n N no No NO false False FALSE off Off OFF"),
    (493, "0755 0o755 0O755 0x1ed 0X1ED 0b111101101 +0755 4_9_3 49_3"),
    (-493, "-0755 -0x1ed -0b111101101"),
    (0, "0 00 -0 +0 0x0 0b0 0_"),
    (8.0, "08 8. 8e0 .8e1 0_8"),
    (1000.0, "1e3 1E3 1e+3 1_000.0"),
    (0.5, ".5 0.5 +.5 5e-1"),
    (2**63 - 1, "9223372036854775807"),
    (-(2**63), "-9223372036854775808"),
    (2**64 - 1, "18446744073709551615 0xffffffffffffffff"),
    (2.0**64, "18446744073709551616 +18446744073709551616"),
]
TEXT = (
    "yEs oN tRue nULL Nan 1:30 190:20:30 2001-12-14 2001-12-14T21:59:43Z 2001-1-1 0x 0xg 0b2 0o8 1e 1e999 -1e999 e3 _1 "
    "._5 - + . .. 1.2.3 1Gi 500m 0x1ffffffffffffffff 1-2 --1 infinity .infinity + 0x1p3 none False! ٣"
)


@pytest.mark.parametrize(("text", "value"), [(text, value) for value, line in TABLE for text in line.split()])
def test_a_plain_scalar_has_this_value(text: str, value: object) -> None:
    assert plain(text) == value
    assert type(plain(text)) is type(value)


@pytest.mark.parametrize("text", TEXT.split())
def test_a_plain_scalar_is_text(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL"])
def test_a_plain_scalar_is_null(text: str) -> None:
    assert plain(text) is None


def test_infinity_and_nan_are_numbers() -> None:
    assert [plain(".inf"), plain("+.Inf"), plain("-.INF")] == [math.inf, math.inf, -math.inf]
    assert all(math.isnan(float(str(plain(text)))) for text in (".nan", ".NaN", ".NAN"))


@given(st.text(alphabet="0123456789+-._xXobBeE:yn ") | st.text())
def test_any_text_is_a_scalar(text: str) -> None:
    plain(text)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (5, "5"),
        (5.0, "5"),
        (0.5, "0.5"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (-0.0, "-0"),
        (1e100, "1e+100"),
        (1.5e-10, "1.5e-10"),
    ],
)
def test_a_number_is_printed_as_in_go_json(number: float, text: str) -> None:
    assert number_text(number) == text
