"""The meaning of an unquoted YAML scalar to kubectl, which reads YAML with go-yaml v2: `plain`.

go-yaml v2 2.4: resolve.go. YAML 1.1's booleans, the integers of Go's ParseInt in base 0 with underscores anywhere
(0755, 0o17, 0x1f, 0b11), decimal floats; sexagesimal numbers and dates are text.
"""

import math
import re
from typing import Final

Scalar = None | bool | int | float | str

WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], False),
    **dict.fromkeys(["", "~", "null", "Null", "NULL"], None),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], math.nan),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], math.inf),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], -math.inf),
}
INTEGER: Final = re.compile(
    r"([+-]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]([0-7]+)|(0[0-7]*)|([1-9][0-9]*))", re.ASCII
)
FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
BASES: Final = (16, 2, 8, 8, 10)


def plain(text: str) -> Scalar:
    """Return the value of an unquoted scalar without a tag."""
    if text in WORDS:
        return WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    digits = text if text[0] == "." else text.replace("_", "")
    number = _integer(digits)
    return number if number is not None else _float(digits, text)


def _integer(digits: str) -> int | None:
    """Return the integer that the digits stand for, or None if they are no integer or exceed 64 bits."""
    match = INTEGER.fullmatch(digits)
    if match is None or len(digits) > 80:
        return None
    sign, groups = match.group(1), match.groups()[1:]
    magnitude = next(int(group, base) for group, base in zip(groups, BASES, strict=True) if group is not None)
    number = -magnitude if sign == "-" else magnitude
    return number if -(2**63) <= number < (2**63 if sign else 2**64) else None


def _float(digits: str, text: str) -> float | str:
    """Return the decimal float that the digits stand for, or the text itself if they are no float or out of range."""
    number = float(digits) if FLOAT.fullmatch(digits) else math.inf
    return number if math.isfinite(number) else text
