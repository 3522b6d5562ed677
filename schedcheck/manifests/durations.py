"""Durations in Go's notation, such as 1h15m30.918s, in nanoseconds: `duration`, `nanoseconds`."""

import re
from fractions import Fraction
from typing import Final

from schedcheck.manifests.fields import Field

UNITS: Final = {
    "ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9,
}  # fmt: skip
PART: Final = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
WHOLE: Final = re.compile(rf"([+-]?)(0|(?:{PART.pattern})+)", re.ASCII)
LONGEST: Final = 2**63 - 1
MOST_LETTERS: Final = 200


def duration(field: Field, default: int = 0) -> int:
    """Return the duration, or `default` if it is absent."""
    if not field:
        return default
    length = nanoseconds(field.text())
    if length is None:
        raise field.error("expected a duration, such as 30s or 1m30s")
    if abs(length) > LONGEST:
        raise field.error("expected a duration of at most 2562047h")
    return length


def nanoseconds(text: str) -> int | None:
    """Return the duration that a text denotes, None if it denotes none."""
    whole = WHOLE.fullmatch(text) if len(text) <= MOST_LETTERS else None
    if whole is None:
        return None
    length = sum(int(Fraction(number) * UNITS[unit]) for number, unit in PART.findall(text))
    return -length if whole[1] == "-" else length
