"""The outcomes of conditions are noted, whatever form they have, and the module does what it did"""

import ast
from collections.abc import Sequence
from typing import Any

import pytest

from tests.power.conditions import SEEN, Conditions, instrumented, watch
from tests.power.reached import around, shown

SOURCE = """
class Cache:
    def get(self, key, most=3):
        if key in self.known and len(key) < most:
            return [each for each in self.known if each != key]
        match key:
            case "":
                return 1 if most else 2
            case _:
                return key < "m"
    known = ("a", "b")
"""


def ran(*calls: Sequence[Any]) -> tuple[list[Any], list[str]]:
    """Return the answers of `get`, and the conditions without both outcomes."""
    conditions = Conditions()
    module = "schedcheck.model.production.m"
    names: dict[str, Any] = {SEEN: conditions.saw}
    exec(compile(instrumented(SOURCE, module, conditions), "m", "exec"), names)
    answers = [names["Cache"]().get(*call) for call in calls]
    return answers, [each.removeprefix("m:") for each in shown(conditions.missed())]


def test_a_condition_that_was_not_asked_is_missed_in_both_outcomes() -> None:
    answers, missed = ran(("x",))
    assert answers == [False]
    assert missed == [
        "4: never true: key in self.known", "4: never asked: len(key) < most", "5: never asked: each != key",
        "8: never true: case ''", "8: never asked: most", "10: never true: key < 'm'",
    ]  # fmt: skip


def test_conditions_with_both_outcomes_are_not_missed() -> None:
    answers, missed = ran(("a",), ("a", 0), ("",), ("", 0), ("x",), ("c",))
    assert answers == [["b"], True, 1, 2, False, True]
    assert missed == []


def test_an_array_has_both_outcomes() -> None:
    class Array:
        def __bool__(self) -> bool:
            raise ValueError("ambiguous")

    conditions = Conditions()
    number = conditions.number("m", ast.parse("x"), "x")
    value = Array()
    assert conditions.saw(number, value) is value
    assert conditions.missed() == []


def test_only_the_scheduler_is_watched_and_before_it_is_imported() -> None:
    assert around("schedcheck.model.production.machine.api") and not around(
        "schedcheck.model.production.cycle.delivery"
    )
    with pytest.raises(ValueError, match="is imported already"):
        watch("tests.power.conditions")
