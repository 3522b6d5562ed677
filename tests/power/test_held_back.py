"""Each defect of the later sets changes the answer to the question beside it, which is right without the defect"""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

import tests.power.fifth_lives_of_objects
import tests.power.fourth_lives_of_objects
import tests.power.third_lives_of_objects  # noqa: F401 - each adds to the lives of its set
from tests.power import fifth_lives, fourth_lives, third_lives
from tests.power.fresh import Fresh
from tests.power.held_back_fifth import HELD_BACK_FIFTH
from tests.power.held_back_fourth import HELD_BACK_FOURTH
from tests.power.held_back_third import HELD_BACK_THIRD

Lives = Mapping[str, tuple[Any, Callable[[], Any]]]
SETS: tuple[tuple[tuple[Fresh, ...], Lives], ...] = (
    (HELD_BACK_THIRD, third_lives.SHOWN),
    (HELD_BACK_FOURTH, fourth_lives.SHOWN),
    (HELD_BACK_FIFTH, fifth_lives.SHOWN),
)
EACH = [pytest.param(each, lives, id=each.name) for some, lives in SETS for each in some]


@pytest.mark.parametrize(("each", "lives"), EACH)
def test_the_defect_changes_what_is_right(each: Fresh, lives: Lives, monkeypatch: pytest.MonkeyPatch) -> None:
    right, ask = lives[each.name]
    assert ask() == right
    each.defect(monkeypatch)
    assert ask() != right


@pytest.mark.parametrize(("some", "lives"), SETS, ids=["third", "fourth", "fifth"])
def test_there_are_forty_and_each_has_a_life(some: tuple[Fresh, ...], lives: Lives) -> None:
    assert sorted(lives) == sorted(each.name for each in some)
    assert len(lives) == 40
