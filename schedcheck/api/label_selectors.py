"""Label selectors as kubectl takes them with -l: `label_selector`.

`zone=a`, `zone==a`, `zone!=a`, `zone in (a,b)`, `zone notin (a,b)`, `zone` and `!zone`, separated by commas.

Kubernetes 1.34: staging/src/k8s.io/apimachinery/pkg/labels/selector.go.
"""

import re

from schedcheck.errors import InputError
from schedcheck.spec.terms import LabelSelector, Requirement

KEY = r"[A-Za-z0-9][\w./-]*"
VALUE = r"[\w.-]*"
SET = re.compile(rf"({KEY})\s+(in|notin)\s*\(([^()]*)\)")
EQUAL = re.compile(rf"({KEY})\s*(==|=|!=)\s*({VALUE})")
PRESENT = re.compile(rf"(!?)\s*({KEY})")
BETWEEN = re.compile(r",(?![^()]*\))")


def label_selector(text: str, place: str) -> LabelSelector:
    """Return the selector. `place` is named by the error. Raises: InputError."""
    parts = [part.strip() for part in BETWEEN.split(text)]
    found = [_requirement(part) for part in parts]
    requirements = tuple(each for each in found if each is not None)
    if len(requirements) < len(found):
        raise InputError("expected labels, as zone=a,disk!=hdd or 'zone in (a,b)'", path=place, value=text)
    return LabelSelector(match_expressions=requirements)


def _requirement(text: str) -> Requirement | None:
    """Return one requirement; None if it is none."""
    if match := SET.fullmatch(text):
        key, operator, values = match.groups()
        return Requirement(
            key, "In" if operator == "in" else "NotIn", tuple(each.strip() for each in values.split(","))
        )
    if match := EQUAL.fullmatch(text):
        key, operator, value = match.groups()
        return Requirement(key, "NotIn" if operator == "!=" else "In", (value,))
    if match := PRESENT.fullmatch(text):
        absent, key = match.groups()
        return Requirement(key, "DoesNotExist" if absent else "Exists", ())
    return None
