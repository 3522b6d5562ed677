"""The default normalisation, by the steps of DefaultNormalizeScore, whose greatest score begins at 0"""

import pytest

from schedcheck.spec.kubernetes.scores.arithmetic import default_normalised


@pytest.mark.parametrize(
    ("scores", "found", "reversed_"),
    [
        ((0, 0), (0, 0), (100, 100)),
        ((1, 3), (33, 100), (67, 0)),
        ((0, 7), (0, 100), (100, 0)),
        # An out-of-tree plugin may give any score; what is not between 0 and 100 afterwards is an error.
        ((-1, 3), (-33, 100), (133, 0)),
        ((-1, -3), (-1, -3), (100, 100)),
        ((-1, 0), (-1, 0), (100, 100)),
    ],
)
def test_scores_are_shares_of_the_greatest_and_stay_as_they_are_if_none_is_above_0(
    scores: tuple[int, int], found: tuple[int, int], reversed_: tuple[int, int]
) -> None:
    given = dict(zip("ab", scores, strict=True))
    assert tuple(default_normalised(given, reverse=False).values()) == found
    assert tuple(default_normalised(given, reverse=True).values()) == reversed_
