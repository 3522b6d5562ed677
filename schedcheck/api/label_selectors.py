"""Label selectors as kubectl takes them with -l: `label_selector`; and the pods that one selects: `selected`.

`zone=a`, `zone==a`, `zone!=a`, `zone in (a,b)`, `zone notin (a,b)`, `zone`, `!zone`, `size>1` and `size<1`, separated by
commas. Differs: the empty text is refused, and a key or value that is too long for a label is taken.

Kubernetes 1.34: staging/src/k8s.io/apimachinery/pkg/labels/selector.go.
"""

import re
from collections.abc import Iterable

from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests.names import nearest_three
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Pod
from schedcheck.spec.selectors import numeral, selects
from schedcheck.spec.terms import LabelSelector, Requirement

KEY = r"[A-Za-z0-9][\w./-]*"
VALUE = r"[\w.-]*"
SET = re.compile(rf"({KEY})\s+(in|notin)\s*\(([^()]*)\)")
EQUAL = re.compile(rf"({KEY})\s*(==|=|!=)\s*({VALUE})")
THAN = re.compile(rf"({KEY})\s*([<>])\s*({VALUE})")
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


def selected(pods: Iterable[Pod], selector: str | None, namespace: str | None, what: str = "pod") -> list[Pod]:
    """Return those of the pods with these labels in this namespace, pending ones first; None stands for all.

    `what` are the pods, for the error. Raises: InputError if there is none, with where there are some.
    """
    asked = list(pods)
    wanted = None if selector is None else label_selector(selector, parameter("selector"))
    having = [pod for pod in asked if wanted is None or selects(wanted, pod.labels, NO_FAULTS)]
    having.sort(key=lambda pod: (bool(pod.node_name), pod.key))
    found = [pod for pod in having if namespace in (None, pod.namespace)]
    if found:
        return found
    if wanted is None:
        near = nearest_three(namespace or "", sorted({pod.namespace for pod in asked}))
        raise InputError(f"no {what} is in this namespace{near}", path=parameter("namespace"), value=namespace)
    elsewhere = ", ".join(sorted({pod.namespace for pod in having}))
    where = f"; pods of these namespaces have them: {elsewhere}" if elsewhere else ""
    inside = "" if namespace is None else f" of the namespace {namespace}"
    raise InputError(f"no {what}{inside} has these labels{where}", path=parameter("selector"), value=selector)
