"""Expressions of CEL: recorded answers of k8s.io/dynamic-resource-allocation/cel, and what is not modelled"""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.spec.cel import functions, values
from schedcheck.spec.cel.device_selectors import selected, unmodelled_on, unmodelled_part
from schedcheck.spec.cel.evaluation import evaluated
from schedcheck.spec.cel.parsing import parsed
from schedcheck.spec.cel.syntax import SyntaxFault, Unsupported
from schedcheck.spec.cel.values import CelError, version
from schedcheck.spec.device_objects import Attribute, Device
from schedcheck.spec.quantities import billionths

FILE = Path(__file__).parents[2] / "data" / "cel" / "selectors.jsonl.gz"


def recorded() -> tuple[str, list[Device], list[dict[str, Any]]]:
    with gzip.open(FILE, "rt") as lines:
        head, *rest = map(json.loads, lines)
    return head["driver"], [device(each) for each in head["devices"]], rest


def device(given: dict[str, Any]) -> Device:
    attributes = {name: Attribute(*next(iter(each.items()))) for name, each in given["attributes"].items()}
    capacity = {name: billionths(each["value"]) for name, each in given["capacity"].items()}
    return Device("d", frozendict(attributes), frozendict(capacity))


def answer(driver: str, each: Device, expression: str) -> tuple[bool, str]:
    try:
        return selected(expression, driver, each), ""
    except CelError as error:
        return False, str(error)


def test_expressions_evaluate_as_recorded() -> None:
    driver, devices, cases = recorded()
    found = Counter[str]()
    for case in cases:
        assert unmodelled_part(case["expression"]) == "", case
        matches, error = answer(driver, devices[case["device"]], case["expression"])
        assert (matches, bool(error)) == (case["matches"], "error" in case), case
        found["matches" if matches else "error" if error else "does not match"] += 1
        found["other words"] += error != case.get("error", "")
    assert len(cases) == 500 and min(found["matches"], found["error"], found["does not match"]) > 50
    assert found["other words"] <= 1


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", 7), ("-7 / 2", -3), ("-7 % 3", -1), ("[1, 2].map(x, x * 2)", (2, 4)), ("'a' + \"b\"", "ab"),
        ("{'a': 1}.a", 1), ("[?optional.none(), 2]", (2,)), ("true ? 1 : 2", 1), ("1 == 1.0", True), ("'1' == 1", False),
        ("1 / 0 == 0 || true", True), ("false && 1 / 0 == 0", False), ("0x10", 16), ("r'\\d'", "\\d"), ("'\\x41'", "A"),
        ("[1, 2, 3].filter(x, x > 1).size()", 2), ("size('äb')", 2), ("!!true", True), ("9223372036854775807", 2**63 - 1),
    ],
)  # fmt: skip
def test_an_expression_has_its_value(expression: str, value: object) -> None:
    assert evaluated(parsed(expression), {}) == value


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("1 / 0", "division by zero"), ("9223372036854775807 + 1", "integer overflow"), ("{'a': 1}.b", "no such key: b"),
        ("[1][1]", "index out of bounds: 1"), ("optional.none().value()", "optional.none() dereference"),
    ],
)  # fmt: skip
def test_an_error_has_the_words_of_cel(expression: str, message: str) -> None:
    with pytest.raises(CelError, match="^" + message.replace("(", r"\(").replace(")", r"\)") + "$"):
        evaluated(parsed(expression), {})


@pytest.mark.parametrize("expression", ["1 +", "a b", "'a", "if", "9223372036854775808", "has(1)"])
def test_a_text_that_is_no_expression_is_a_fault(expression: str) -> None:
    with pytest.raises((SyntaxFault, Unsupported)):
        parsed(expression)
    assert unmodelled_part(expression).startswith("an expression that is not valid CEL")


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        ("ip('1.2.3.4').isLoopback()", "CEL function isLoopback"), ("b'a' == b'a'", "CEL bytes"), ("1u == 1u", "CEL unsigned"),
        ("[1].all(i, v, v == 1)", "CEL macros with two variables"), ("math.greatest(1, 2) == 2", "CEL function math.greatest"),
    ],
)  # fmt: skip
def test_a_part_that_is_not_modelled_is_named(expression: str, part: str) -> None:
    assert part in unmodelled_part(expression)


def test_versions_are_ordered_as_semantic_versioning_says() -> None:
    texts = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0"]
    found = [version(text) for text in texts]
    assert found == sorted(found)  # type: ignore[type-var]
    assert version("1.0") is version("01.0.0") is version("1.0.0-") is None


@pytest.mark.parametrize(
    ("module", "name", "wrong"),
    [
        (values.Defaulted, "__contains__", lambda self, key: True),
        (functions, "_truncated", lambda left, right: left // right),
    ],
)
def test_a_broken_evaluation_differs_from_the_recorded_one(
    module: Any, name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if module is functions:
        monkeypatch.setattr(module, name, wrong)
        assert evaluated(parsed("-7 / 2"), {}) != -3
        return
    selected.cache_clear()
    monkeypatch.setattr("schedcheck.spec.cel.device_selectors.Defaulted", dict)
    with pytest.raises(AssertionError):
        test_expressions_evaluate_as_recorded()
    selected.cache_clear()


LONG = "9" * 5000


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('"ab1".matches("^[a-z0-9]+$")', True),
        ('"ab1".matches("^[a-z]+$")', False),
        ('"7".matches("[\\\\d]+")', True),
        ('"a\\n".matches("a$")', False),
        ('double("1.5") == 1.5', True),
        ('int("007") == 7 && int("-12") == -12 && int("+0") == 0', True),
        (f'isSemver("{LONG}.0.0") || isSemver("1.0.0-18446744073709551616")', False),
        ('isSemver("1.0.0-18446744073709551615")', True),
        ('"ab".matches("^[a-z\\\\\\\\]+")', True),
        ("! !true && - -1 == 1 && !!!false", True),
        ('"""a\\"""b""" == "a\\"\\"\\"b" && \'\'\'c\'\'\' == "c" && r"""d\\""" == "d\\\\"', True),
    ],
)
def test_a_text_is_read_exactly(expression: str, value: bool) -> None:
    assert (unmodelled_on(expression, "d", Device("g")), selected(expression, "d", Device("g"))) == ("", value)


@pytest.mark.parametrize(
    "expression",
    [
        'string(1.5) == "1.5"', '"b".matches("b(?i)A")', '"b".matches("(?=b)")', '"b".matches("a++")',
        '"b".matches("a{1001}")', '"aa".matches("(a+)+$")', '"aa".matches("(a|a)*$")', '"aa".matches("(a?a?)*$")', '"a".matches("[\\\\\\\\]$")', "{{}: 1}.size() == 1",
        '{1: "a", true: "b"}.size() == 2', " && ".join(["true"] * 2000),
    ],
    ids=range(12),
)  # fmt: skip
def test_what_is_not_modelled_is_named_before_or_by_the_evaluation(expression: str) -> None:
    assert unmodelled_part(expression) or unmodelled_on(expression, "d", Device("g"))


def test_a_literal_of_many_digits_is_no_integer() -> None:
    with pytest.raises(SyntaxFault):
        parsed(LONG)
