"""The search of the smallest case, for tests of rows: `searched`, `the_smallest_is_stored`"""

from collections.abc import Iterable
from typing import Any

import pytest

from docs.cases import folder, stored, text
from schedcheck.checker.divergences.domain import smallest
from schedcheck.checker.divergences.row import Row


def searched(rows: Iterable[Row]) -> list[Any]:
    """The rows as parameters; a search that takes long is marked as slow."""
    return [pytest.param(each, marks=() if each.quick else pytest.mark.slow, id=each.name) for each in rows]


def the_smallest_is_stored(each: Row) -> None:
    """Nothing smaller in the domain differs than the case in the examples."""
    found = smallest(each.domain, each.differs).case
    assert found == stored(each)
    assert found is not None
    assert (folder(each) / "cluster.yaml").read_text() == text(each, found)
