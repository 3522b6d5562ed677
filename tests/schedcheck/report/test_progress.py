"""The progress line: numbers, clocks, and the remaining time"""

import pytest

from schedcheck.checker.result import Bounds, Progress
from schedcheck.report.text.progress import clock, line, seconds_left, short


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"), (9_999, "9999"), (10_000, "10.0k"), (123_456, "123k"), (1_032_576, "1.03M"), (10_790_847, "10.8M"),
        (2_000_000_000, "2.00G"),
    ],
)  # fmt: skip
def test_a_large_number_has_three_figures(number: float, text: str) -> None:
    assert short(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.9, "0:59"), (60, "1:00"), (3599, "59:59"), (3600, "1:00:00")]
)
def test_seconds_are_printed_as_a_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


@pytest.mark.parametrize(
    ("bounds", "left"),
    [
        (Bounds(), None),
        (Bounds(depth=3, memory=1), None),
        (Bounds(seconds=15), 5),
        (Bounds(max_states=3000), 20),
        (Bounds(seconds=15, max_states=3000), 5),
        (Bounds(seconds=5), 0),
        (Bounds(seconds=float("inf")), None),
    ],
)
def test_the_remaining_time_is_that_to_the_nearest_bound(bounds: Bounds, left: float | None) -> None:
    assert seconds_left(Progress(1000, 9000, 5, 10, 10.0), bounds) == left


def test_the_line_is_shortened_on_a_narrow_terminal() -> None:
    progress = Progress(189_392, 1_974_090, 20, 99_900, 725.0)
    wide, narrow = (line(progress, Bounds(seconds=1000), width) for width in (120, 80))
    assert wide.startswith("12:05  189k states  1.97M generated  2723/s  level 20  queue 99.9k  ")
    assert narrow == wide.replace("  ", " ")
    assert wide.endswith("  4:35 left") and len(narrow) < 80
    assert "left" not in line(progress, Bounds(), 80)
