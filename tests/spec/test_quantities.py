"""Quantities have the values of Kubernetes' own parser, and no text makes parsing slow or values huge"""

import gzip
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.spec.quantities import Quantity, QuantityError, amount, billionths, quantity_text

RECORDED = Path(__file__).parents[1] / "data" / "conformance" / "quantities.jsonl.gz"


def recorded() -> list[dict[str, Any]]:
    with gzip.open(RECORDED, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def answer(text: str) -> dict[str, Any]:
    """Every field recorded about a quantity."""
    try:
        quantity = Quantity.parse(text)
    except QuantityError as error:
        return {"in": text, "error": str(error), "value": 0, "milliValue": 0, "canonical": "", "format": "", "dec": ""}
    return {
        "in": text,
        "value": quantity.value(),
        "milliValue": quantity.milli_value(),
        "canonical": quantity.canonical(),
        "format": quantity.format,
        "dec": quantity.dec(),
    }


def test_every_recorded_quantity_gives_the_answer_of_kubernetes() -> None:
    cases = recorded()
    assert len(cases) == 599
    assert [answer(case["in"]) for case in cases] == cases


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("1", 10**9),
        ("1n", 1),
        ("1u", 10**3),
        ("1m", 10**6),
        ("1k", 10**12),
        ("1M", 10**15),
        ("1G", 10**18),
        ("1T", 10**21),
        ("1P", 10**24),
        ("1E", 10**27),
        ("1E3", 10**12),
        ("1e-3", 10**6),
        ("1Ki", 2**10 * 10**9),
        ("1Mi", 2**20 * 10**9),
        ("1Gi", 2**30 * 10**9),
        ("1Ti", 2**40 * 10**9),
        ("1Pi", 2**50 * 10**9),
        ("1Ei", 2**60 * 10**9),
        ("0.1n", 1),
        ("-0.1n", -1),
        ("1.0000000001", 10**9 + 1),
        (".5", 5 * 10**8),
        ("5.", 5 * 10**9),
        ("+1", 10**9),
        ("1e30", 10**39),
        ("1e" + "0" * 999 + "3", 10**12),
        ("123456789012345678901234567890", 123456789012345678901234567890 * 10**9),
    ],
)
def test_a_quantity_is_parsed_exactly_to_billionths(text: str, exact: int) -> None:
    assert billionths(text) == exact


@pytest.mark.parametrize(
    ("resource", "text", "rounded"),
    [
        ("cpu", "0.1m", 1),
        ("cpu", "1m", 1),
        ("cpu", "1.1m", 2),
        ("cpu", "1.5", 1500),
        ("cpu", "-1.1m", -2),
        ("memory", "1.5", 2),
        ("memory", "100m", 1),
        ("memory", "-100m", -1),
        ("memory", "2Ki", 2048),
        ("pods", "110", 110),
    ],
)
def test_an_amount_is_rounded_away_from_zero(resource: str, text: str, rounded: int) -> None:
    assert amount(resource, billionths(text)) == rounded


@pytest.mark.parametrize(
    ("resource", "smallest", "text"),
    [
        ("cpu", 1500, "1500m"),
        ("cpu", 2000, "2"),
        ("cpu", 0, "0"),
        ("memory", 2**30, "1Gi"),
        ("memory", 1536 * 2**20, "1536Mi"),
        ("memory", 1000, "1k"),
        ("memory", 2**63, "9223372036854775808"),
        ("pods", 110, "110"),
        ("nvidia.com/gpu", 8, "8"),
        ("amd.com/gpu", 8, "8"),
    ],
)
def test_an_amount_is_printed_in_its_shortest_form(resource: str, smallest: int, text: str) -> None:
    assert quantity_text(resource, smallest) == text


@given(st.sampled_from(["cpu", "memory", "pods", "ephemeral-storage"]), st.integers(-(10**25), 10**25))
def test_a_printed_amount_parses_back_to_the_same_value(resource: str, smallest: int) -> None:
    assert amount(resource, billionths(quantity_text(resource, smallest))) == smallest


@pytest.mark.parametrize("text", ["0Ei", "+0Ei", "-0Ei", "000Ei", "0.0Ei", "0E", "0e18"])
def test_zero_in_the_largest_units_is_zero(text: str) -> None:
    assert (Quantity.parse(text).canonical(), Quantity.parse(text).billionths()) == ("0", 0)


WELL_FORMED = st.from_regex(
    r"[+-]?[0-9]{1,25}(\.[0-9]{0,12})?([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2})?", fullmatch=True
)


@given(WELL_FORMED)
def test_the_canonical_form_parses_back_to_the_same_value(text: str) -> None:
    quantity = Quantity.parse(text)
    again = Quantity.parse(quantity.canonical())
    assert again.billionths() == quantity.billionths()
    assert again.canonical() == quantity.canonical()


@given(WELL_FORMED)
def test_a_getter_is_exact_within_int64(text: str) -> None:
    quantity = Quantity.parse(text)
    exact = amount("cpu", quantity.billionths())
    if 0 <= exact < 2**63 - 1:
        assert quantity.milli_value() == exact


@given(st.text(alphabet="0123456789.+-eEinumkKMGTP x", max_size=12) | st.text())
def test_any_text_is_a_quantity_or_an_error(text: str) -> None:
    try:
        quantity = Quantity.parse(text)
    except QuantityError:
        return
    assert quantity.dec()
    assert Quantity.parse(quantity.canonical()).billionths() == quantity.billionths()


@pytest.mark.parametrize(
    "text",
    [
        "1e999999999",
        "1e-999999999",
        "1e4294967296",
        "1e99999999999999999999",
        "1e" + "9" * 1_000_000,
        "9" * 1_000_000,
        "0." + "0" * 1_000_000 + "1",
        "9" * 9_000 + "e9999",
        "9" * 9_000 + "Ei",
        "0" * 9_000 + "." + "0" * 900 + "1Pi",
        "1e10001",
        "1e100",
    ],
)
def test_no_text_is_slow_to_parse(text: str) -> None:
    start = time.perf_counter()
    answer(text)
    with suppress(QuantityError):
        billionths(text)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("text", ["1e999999999", "1e-10001", "9" * 10_001])
def test_a_number_too_long_to_expand_is_rejected(text: str) -> None:
    with pytest.raises(QuantityError, match="quantity is out of range: it has more than 10000 digits"):
        billionths(text)


def test_an_amount_must_be_less_than_10_to_the_100() -> None:
    assert billionths("1e99") == 10**108
    with pytest.raises(QuantityError, match=r"quantity is out of range: it must be less than 10\^100"):
        billionths("1e100")


@pytest.mark.parametrize("text", ["Pi", "-Ei", ".Pi", ".e-20", "e-20"])
def test_a_number_with_a_large_suffix_but_no_digits_is_rejected(text: str) -> None:
    with pytest.raises(QuantityError, match="unable to parse numeric part of quantity"):
        Quantity.parse(text)


@pytest.mark.parametrize("text", ["m", "-", ".", "Mi", "e1"])
def test_a_number_with_a_small_suffix_but_no_digits_is_zero_as_in_kubernetes(text: str) -> None:
    assert billionths(text) == 0


def test_a_number_beyond_the_largest_suffix_keeps_its_exponent() -> None:
    assert Quantity.parse("1000E").canonical() == "1e21"


@pytest.mark.parametrize(
    ("unscaled", "exponent", "units"), [(-1, -18, 1), (-1, -19, 0), (-1, -20, 0), (1, -18, 1), (1, -19, 1)]
)
def test_a_tiny_fraction_is_rounded_like_kubernetes_big_decimals(unscaled: int, exponent: int, units: int) -> None:
    """Up to 18 places it divides towards zero, beyond them it rounds down; then it adds one for the remainder."""
    assert Quantity(unscaled, exponent, "DecimalSI", word=False).value() == units
