"""Expressions that the API server refuses: recorded answers of its compiler, and what is not refused without its answer"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from schedcheck.spec.cel.compiling import LONGEST, refused

DATA = Path(__file__).parents[2] / "data" / "cel"
HEAD, *CASES = map(json.loads, (DATA / "compiled.jsonl").read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["expression"])
def test_an_expression_is_refused_as_recorded(case: dict[str, Any]) -> None:
    assert bool(refused(case["expression"])) == ("refused" in case)


def test_enough_expressions_of_both_verdicts_are_recorded() -> None:
    assert sum("refused" in case for case in CASES) >= 40
    assert sum("refused" not in case for case in CASES) >= 25


@pytest.mark.parametrize("part", ["undeclared reference to", "undefined field", "must evaluate to bool"])
def test_the_words_are_those_of_the_compiler(part: str) -> None:
    names = {"quantity": "kubernetes.Quantity", "device": "kubernetes.DRADevice", "optional(": "optional_type("}
    said = 0
    for case in CASES:
        if part in case.get("refused", ""):
            words = refused(case["expression"])
            kind, same = words.removeprefix("must evaluate to bool or the unknown type, not "), case["refused"]
            kind = kind.replace("optional(", names["optional("])
            assert same.partition(" (in container")[0].endswith(names.get(kind, kind)), case
            said += 1
    assert said >= 3


def test_expressions_that_were_stored_are_not_refused() -> None:
    with gzip.open(DATA / "selectors.jsonl.gz", "rt") as lines:
        _, *rest = map(json.loads, lines)
    assert [each["expression"] for each in rest if refused(each["expression"])] == []


@pytest.mark.parametrize(
    "expression",
    ["b'a' == b'a'", "1u == 1u", "google.protobuf.Duration{} == duration('0s')", "url('http://a').getHost() == 'a'"],
)
def test_what_is_not_modelled_is_not_refused(expression: str) -> None:
    assert refused(expression) == ""


@pytest.mark.parametrize(("more", "accepted"), [(0, True), (1, False)])
def test_an_expression_has_at_most_10_kibibytes(more: int, accepted: bool) -> None:
    letters = "a" * (LONGEST - len("'' == ''") + more)
    text = f"'{letters}' == ''"
    assert len(text) == LONGEST + more
    assert (refused(text) == "") == accepted
