"""Each defect of the fourth set changes the answer to the question beside it, which is right without the defect"""

from typing import Any

import pytest

import tests.power.fourth_lives_of_objects  # noqa: F401 - it adds to SHOWN
from tests.power.fourth_lives import SHOWN
from tests.power.held_back_fourth import HELD_BACK_FOURTH


@pytest.mark.parametrize("each", HELD_BACK_FOURTH, ids=lambda each: each.name)
def test_the_defect_changes_what_is_right(each: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    right, ask = SHOWN[each.name]
    assert ask() == right
    each.defect(monkeypatch)
    assert ask() != right


def test_there_are_forty_and_each_has_a_life() -> None:
    assert sorted(SHOWN) == sorted(each.name for each in HELD_BACK_FOURTH)
    assert len(SHOWN) == 40
