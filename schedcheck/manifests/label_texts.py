"""Label selectors as one text, as kubectl takes them with -l: `selector_of`.

`zone=a`, `zone==a`, `zone!=a`, `zone in (a,b)`, `zone notin (a,b)`, `zone`, `!zone`, `size>1` and `size<1`, separated by
commas. Differs: the empty text is refused, and a key or value that is too long for a label is taken.

Kubernetes 1.34: staging/src/k8s.io/apimachinery/pkg/labels/selector.go.
"""

import re

from schedcheck.spec.selectors import numeral
from schedcheck.spec.terms import LabelSelector, Requirement

KEY = r"[A-Za-z0-9][\w./-]*"
VALUE = r"[\w.-]*"
SET = re.compile(rf"({KEY})\s+(in|notin)\s*\(([^()]*)\)")
EQUAL = re.compile(rf"({KEY})\s*(==|=|!=)\s*({VALUE})")
THAN = re.compile(rf"({KEY})\s*([<>])\s*({VALUE})")
PRESENT = re.compile(rf"(!?)\s*({KEY})")
BETWEEN = re.compile(r",(?![^()]*\))")


def selector_of(text: str) -> LabelSelector | None:
    """Return the selector; None if the text is none."""
    found = [_requirement(part.strip()) for part in BETWEEN.split(text)]
    requirements = tuple(each for each in found if each is not None)
    return LabelSelector(match_expressions=requirements) if len(requirements) == len(found) else None


def _requirement(text: str) -> Requirement | None:
    """Return one requirement; None if it is none."""
    if match := SET.fullmatch(text):
        key, operator, values = match.groups()
        if not values.strip():
            return None
        return Requirement(
            key, "In" if operator == "in" else "NotIn", tuple(each.strip() for each in values.split(","))
        )
    if match := EQUAL.fullmatch(text):
        key, operator, value = match.groups()
        return Requirement(key, "NotIn" if operator == "!=" else "In", (value,))
    if match := THAN.fullmatch(text):
        key, sign, bound = match.groups()
        return None if numeral(bound) is None else Requirement(key, "Gt" if sign == ">" else "Lt", (bound,))
    if match := PRESENT.fullmatch(text):
        absent, key = match.groups()
        return Requirement(key, "DoesNotExist" if absent else "Exists", ())
    return None
