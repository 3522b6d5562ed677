"""The score of storage by its use, in the specification and the production scheduler, against a count by hand"""

from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from schedcheck.model.production.plugins import volume_binding
from schedcheck.model.production.plugins.volume_binding import Uses
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.spec.kubernetes.plugins import DEFAULT_ARGUMENTS
from schedcheck.spec.kubernetes.scores.volume_binding import rated

Shape = tuple[tuple[int, int], ...]
LEAST: Shape = DEFAULT_ARGUMENTS.storage_shape
MOST: Shape = ((0, 0), (100, 10))
BENT: Shape = ((10, 3), (35, 10), (36, 1), (90, 7))
FALLING: Shape = ((0, 10), (30, 3), (100, 0))
"""Its steps are negative and leave a remainder, which Go cuts off towards 0."""


def truncated(number: int, by: int) -> int:
    """Divide as Go does."""
    return abs(number) // abs(by) * (1 if (number < 0) == (by < 0) else -1)


def counted(uses: list[tuple[int, int]], shape: Shape) -> int:
    """The score by the steps of buildScorerFunction and BuildBrokenLinearFunction, each class for itself.

    Kubernetes 1.37: volumebinding/scorer.go and helper/shape_score.go; the scores of a shape count tenfold.
    """
    total = 0
    for asked, room in uses:
        share = 100 if room == 0 or asked > room else truncated(asked * 100, room)
        score = shape[-1][1] * 10
        for place in range(len(shape) - 1, -1, -1):
            right, high = shape[place]
            if share <= right and place == 0:
                score = high * 10
            elif share <= right:
                left, low = shape[place - 1]
                score = low * 10 + truncated((high - low) * 10 * (share - left), right - left)
        total += score
    # math.Round rounds a half away from zero, and no score is negative.
    return (2 * total + len(uses)) // (2 * len(uses)) if uses else 0


def by_production(uses: list[tuple[int, int]], shape: Shape) -> int:
    """The score of the one node in the middle of three; the others have no storage."""
    nodes: Any = range(3)
    found = Uses(nodes)
    for number, (asked, room) in enumerate(uses):
        found.put(f"class-{number}", asked, room, np.array([False, True, False]))
    means = found.mean(shape)
    assert means[0] == means[2] == 0
    return int(means[1])


BOUNDARIES = [
    [], [(0, 0)], [(1, 0)], [(0, 1)], [(1, 1)], [(2, 1)], [(1, 2)], [(1, 3)], [(10, 100)], [(9, 100)], [(11, 100)],
    [(35, 100)], [(36, 100)], [(90, 100)], [(91, 100)], [(99, 100)], [(999, 1000)], [(1, 2), (1, 1)], [(1, 100), (2, 100)],
    [(3, 100), (4, 100)], [(80 << 50, 81 << 50)],
]  # fmt: skip


@pytest.mark.parametrize("shape", [LEAST, MOST, BENT, FALLING, ((50, 4),)], ids=str)
def test_specification_and_production_score_as_counted(shape: Shape) -> None:
    draw = Random(37)
    at_random = [
        [(draw.randint(0, 120), draw.choice((0, 7, 100, 101))) for _ in range(draw.randint(1, 4))] for _ in range(300)
    ]
    for uses in (*BOUNDARIES, *at_random):
        expected = counted(uses, shape)
        assert rated(uses, shape) == expected, uses
        assert by_production(uses, shape) == expected, uses


@pytest.mark.parametrize(
    ("shape", "uses", "score"),
    [
        (LEAST, [(50, 100)], 50),
        (LEAST, [(1, 100)], 99),
        (MOST, [(1, 100)], 1),
        (MOST, [(3, 2)], 100),
        (LEAST, [(3, 2)], 0),
    ],
)
def test_the_default_shape_prefers_storage_that_is_used_least(
    shape: Shape, uses: list[tuple[int, int]], score: int
) -> None:
    """Kubernetes 1.37: defaults.go, SetDefaults_VolumeBindingArgs: 10 points at utilization 0, none at 100."""
    assert rated(uses, shape) == by_production(uses, shape) == score


def floored(shape: Shape, used: Numbers, room: Numbers) -> Numbers:
    """Interpolate as `by_shape` does, but with steps that are rounded down, as Python divides and Go does not."""
    parts = used * 100 // room
    found = np.full_like(parts, shape[-1][1] * 10)
    for (left, low), (right, high) in reversed(list(pairwise(shape))):
        step = (high - low) * 10 * (parts - left) // (right - left)
        found = np.where(parts <= right, low * 10 + step, found)
    return np.where(parts <= shape[0][0], shape[0][1] * 10, found)


@pytest.mark.parametrize("shape", [LEAST, MOST, BENT])
def test_steps_that_are_rounded_down_are_noticed_where_they_leave_a_remainder(
    shape: Shape, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken twin of the division."""
    monkeypatch.setattr(volume_binding, "by_shape", floored)
    test_specification_and_production_score_as_counted(shape)
    with pytest.raises(AssertionError):
        test_specification_and_production_score_as_counted(FALLING)


def test_a_mean_that_is_rounded_down_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin of the rounding."""
    mean = Uses.mean

    def down(uses: Uses, shape: Shape) -> Numbers:
        found = []
        for name, use in uses._of.items():
            alone = Uses(range(3))  # type: ignore[arg-type]
            alone._of = {name: use}
            found.append(mean(alone, shape))
        return np.sum([np.zeros(3, np.int64), *found], axis=0) // max(len(found), 1)

    monkeypatch.setattr(Uses, "mean", down)
    with pytest.raises(AssertionError):
        test_specification_and_production_score_as_counted(LEAST)
