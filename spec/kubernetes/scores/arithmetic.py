"""The arithmetic of kube-scheduler's scores: 64-bit integers, truncated division, and normalisation.

Operators: `quotient`, `int64`, `rounded`, `default_normalised`.
"""

import math
from collections.abc import Mapping
from typing import Final

HIGHEST: Final = 100
"""The highest score that a plugin gives after normalisation; 0 is the lowest.

TLA+: Highest == 100
"""

Scores = Mapping[str, int]
"""A score for each node, by node name."""


def quotient(dividend: int, divisor: int) -> int:
    r"""Return the quotient truncated towards zero, as Go divides integers.

    TLA+: Quotient(Dividend, Divisor) ==
            LET Whole == Magnitude(Dividend) \div Magnitude(Divisor)
            IN IF (Dividend < 0) = (Divisor < 0) THEN Whole ELSE -Whole

    TLA+: Magnitude(Number) == IF Number < 0 THEN -Number ELSE Number
    """
    magnitude = abs(dividend) // abs(divisor)
    return magnitude if (dividend < 0) == (divisor < 0) else -magnitude


def int64(number: int) -> int:
    """Return the number wrapped to 64 bits, as Go's integers wrap."""
    return (number + 2**63) % 2**64 - 2**63


def rounded(number: float) -> int:
    """Return the nearest integer, halves away from zero. Kubernetes 1.34: Go's math.Round.

    TLA+: Rounded(Dividend, Divisor) ==
            LET Half == IF (Dividend < 0) = (Divisor < 0) THEN Divisor ELSE -Divisor
            IN Quotient(2 * Dividend + Half, 2 * Divisor)
    """
    whole = math.trunc(number)
    return whole + (int(math.copysign(1, number)) if abs(number - whole) >= 0.5 else 0)


def default_normalised(scores: Scores, reverse: bool) -> Scores:
    r"""Return the scores as percentages of the highest score, or in reverse 100 minus that percentage.

    TLA+: DefaultNormalised(Scores, Reverse) ==
            [Node \in DOMAIN Scores |->
              IF Greatest(Scores) = 0 THEN IF Reverse THEN Highest ELSE Scores[Node]
              ELSE LET Share == Quotient(Highest * Scores[Node], Greatest(Scores))
                   IN IF Reverse THEN Highest - Share ELSE Share]

    TLA+: Greatest(Scores) == Max({0} \union {Scores[Node] : Node \in DOMAIN Scores})
    Kubernetes 1.34: pkg/scheduler/framework/plugins/helper/normalize_score.go, DefaultNormalizeScore.
    """
    highest = max((0, *scores.values()))
    if highest == 0:
        return {name: HIGHEST if reverse else score for name, score in scores.items()}
    shares = {name: quotient(HIGHEST * score, highest) for name, score in scores.items()}
    return {name: HIGHEST - share if reverse else share for name, share in shares.items()}
