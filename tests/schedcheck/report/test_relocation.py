"""The text about drained and failed nodes: many pods without a proved place are counted"""

from types import SimpleNamespace
from typing import Any

import pytest

from schedcheck.checker.relocation.counting import Place
from schedcheck.report.text.relocation import unproved_places
from schedcheck.report.text.terminal import MOST_NAMES


@pytest.mark.parametrize("number", [0, 1, MOST_NAMES, MOST_NAMES + 1, MOST_NAMES + 2, 2000])
def test_many_pods_without_a_proved_place_are_counted(number: int) -> None:
    places = {("default", f"web-{each:04}"): Place(1, 0, "the others may take its places") for each in range(number)}
    found: Any = SimpleNamespace(places={**places, ("default", "proved"): Place(1, 1, "")})
    told = list(unproved_places(found))
    named = number if number <= MOST_NAMES + 1 else MOST_NAMES
    assert told[:named] == [f"web-{each:04}: the others may take its places." for each in range(named)]
    assert told[named:] == ([] if named == number else [f"No place is proved for {number - named:,} more pods."])
