"""Label selectors, evaluated on one set of labels and on columns of many: `holds`, `selects`, `LabelColumns`.

`holds` is the one definition of a requirement. A column stores values as numbers, so that each requirement is evaluated
once for each distinct value, and a row is a look-up.

Kubernetes 1.34: k8s.io/apimachinery/pkg/labels/selector.go, k8s.io/component-helpers/scheduling/corev1/nodeaffinity.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from schedcheck.spec.terms import LabelSelector, Requirement

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Rows = Numbers | slice
"""Row numbers, or a range of them."""

MISSING = 0
"""The number that stands for a missing label."""

INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
MOST_REMEMBERED = 4096
"""How many requirements a column caches before it clears its cache."""


def integer(text: str) -> int | None:
    """Return the base-10 integer in `text`, None if there is none or it exceeds 64 bits."""
    digits = text.lstrip("+-").lstrip("0")
    if INTEGER.fullmatch(text) is None or len(digits) > 19:
        return None
    value = int(text[: text.startswith("-")] + (digits or "0"))
    return value if -(2**63) <= value < 2**63 else None


def holds(requirement: Requirement, value: str | None) -> bool:
    """Whether a label of this value meets the requirement; None stands for a missing label."""
    match requirement.operator:
        case "In":
            return value is not None and value in requirement.values
        case "NotIn":
            return value is None or value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            return value is not None and _compares(requirement, value)
        case _:
            return False


def _compares(requirement: Requirement, value: str) -> bool:
    """Whether `value` is an integer beyond each bound of the requirement, and all bounds are integers."""
    number = integer(value)
    bounds = [integer(bound) for bound in requirement.values]
    if number is None or None in bounds:
        return False
    above = requirement.operator == "Gt"
    return all((number > bound) if above else (number < bound) for bound in bounds if bound is not None)


def selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Whether a label selector selects these labels; None selects nothing, an empty selector everything."""
    return selector is not None and all(
        holds(requirement, labels.get(requirement.key)) for requirement in requirements(selector)
    )


def requirements(selector: LabelSelector) -> tuple[Requirement, ...]:
    """Return all requirements of a selector; each entry of matchLabels becomes an In of one value."""
    exact = (Requirement(key, "In", (value,)) for key, value in sorted(selector.match_labels.items()))
    return (*exact, *selector.match_expressions)


Selecting = TypeVar("Selecting")


class BySelector(Generic[Selecting]):
    """Things with label selectors, indexed by a label that the selector requires, if it requires certain values."""

    def __init__(self) -> None:
        self._by_label: dict[tuple[str, str], list[Selecting]] = {}
        self._others: list[Selecting] = []

    def put(self, selector: LabelSelector | None, thing: Selecting) -> None:
        """Add a thing with this selector."""
        for known in self._lists(selector):
            known.append(thing)

    def that_may_select(self, labels: Mapping[str, str]) -> Iterator[Selecting]:
        """Yield each thing once, except those whose selector requires a label that is not among these."""
        yield from self._others
        for label in labels.items():
            yield from self._by_label.get(label, ())

    def _lists(self, selector: LabelSelector | None) -> list[list[Selecting]]:
        """Return the lists for a thing with this selector: one for each value of an In, else the common list."""
        asked = () if selector is None else requirements(selector)
        exact = next((each for each in asked if each.operator == "In"), None)
        if exact is None:
            return [self._others]
        return [self._by_label.setdefault((exact.key, value), []) for value in dict.fromkeys(exact.values)]


class Column:
    """The values of one label key, stored as one number a row; 0 means that the key is missing."""

    def __init__(self, room: int) -> None:
        self.numbers: Numbers = np.zeros(room, np.int64)
        self.values: list[str | None] = [None]
        self._number_of: dict[str, int] = {}
        self._answers: dict[Requirement, Mask] = {}

    def number(self, value: str) -> int:
        """Return the number of `value`, assigning a new one if it has none."""
        number = self._number_of.get(value)
        if number is None:
            number = self._number_of[value] = len(self.values)
            self.values.append(value)
        return number

    def grow(self, room: int) -> None:
        """Extend the column to `room` rows."""
        self.numbers = np.concatenate([self.numbers, np.zeros(room - len(self.numbers), np.int64)])

    def answers(self, requirement: Requirement) -> Mask:
        """Return for each number whether its value meets the requirement."""
        known = self._answers.get(requirement)
        start = 0 if known is None else len(known)
        if known is None or start < len(self.values):
            more = self._asked(requirement, start)
            known = more if known is None else np.concatenate([known, more])
            if len(self._answers) >= MOST_REMEMBERED:
                self._answers.clear()
            self._answers[requirement] = known
        return known

    def _asked(self, requirement: Requirement, start: int) -> Mask:
        """Return the answers from the number `start` on; for In, only the values that it lists are evaluated."""
        if requirement.operator != "In":
            return np.fromiter((holds(requirement, value) for value in self.values[start:]), bool)
        found = np.zeros(len(self.values) - start, bool)
        for value in requirement.values:
            number = self._number_of.get(value, MISSING)
            if number >= start and number != MISSING:
                found[number - start] = holds(requirement, value)
        return found


class LabelColumns:
    """The labels of many objects, one row each."""

    def __init__(self, room: int = 8) -> None:
        self.room = room
        self._columns: dict[str, Column] = {}
        self._keys: dict[int, tuple[str, ...]] = {}

    def put(self, row: int, labels: Mapping[str, str]) -> None:
        """Set the labels of a row."""
        while row >= self.room:
            self.room *= 2
        for key in self._keys.get(row, ()):
            self._columns[key].numbers[row] = MISSING
        self._keys[row] = tuple(labels)
        for key, value in labels.items():
            column = self.column(key)
            column.numbers[row] = column.number(value)

    def column(self, key: str) -> Column:
        """Return the column of `key`, extended to the present number of rows."""
        column = self._columns.get(key)
        if column is None:
            column = self._columns[key] = Column(self.room)
        elif len(column.numbers) < self.room:
            column.grow(self.room)
        return column

    def holding(self, requirement: Requirement, rows: Rows) -> Mask:
        """Return for each of `rows` whether its labels meet the requirement."""
        column = self.column(requirement.key)
        found: Mask = column.answers(requirement)[column.numbers[rows]]
        return found

    def selected(self, selector: LabelSelector | None, rows: Rows) -> Mask:
        """Return for each of `rows` whether the selector selects it."""
        size = len(range(*rows.indices(self.room))) if isinstance(rows, slice) else len(rows)
        if selector is None:
            return np.zeros(size, bool)
        found = np.ones(size, bool)
        for requirement in requirements(selector):
            found &= self.holding(requirement, rows)
        return found
