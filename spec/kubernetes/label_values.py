"""Requirement values that kube-scheduler cannot parse, and its messages about them: `unreadable`, `readable`."""

import json
import re
from collections.abc import Iterator
from typing import Final

from schedcheck.spec.selectors import numeral
from schedcheck.spec.terms import NodeSelectorTerm, Requirement

LABEL_VALUE: Final = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", re.ASCII)

NO_INTEGER: Final = "for 'Gt', 'Lt' operators, the value must be an integer"
TOO_LONG: Final = "must be no more than 63 bytes"
NO_LABEL_VALUE: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and"
    " end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is"
    f" '{LABEL_VALUE.pattern}')"
)


def unreadable(requirement: Requirement) -> Iterator[str]:
    r"""Yield the error messages of kube-scheduler about the values of a requirement that it cannot parse.

    Gt and Lt need a 64-bit integer, and every operator a valid label value, which a negative number is not.

    TLA+: Unreadable(Requirement) ==
            \E Value \in Requirement.Values :
              \/ Requirement.Operator \in {"Gt", "Lt"} /\ Value \notin DOMAIN Numeral
              \/ Value \notin LabelValues
    Kubernetes 1.34: k8s.io/apimachinery/pkg/labels/selector.go, NewRequirement.
    """
    for i, value in enumerate(requirement.values):
        if requirement.operator in ("Gt", "Lt") and numeral(value) is None:
            yield f"values[{i}]: Invalid value: {json.dumps(value)}: {NO_INTEGER}"
    for i, value in enumerate(requirement.values):
        faults = [TOO_LONG] * (len(value.encode()) > 63) + [NO_LABEL_VALUE] * (LABEL_VALUE.fullmatch(value) is None)
        if faults:
            yield f"values[{i}][{requirement.key}]: Invalid value: {json.dumps(value)}: {'; '.join(faults)}"


def readable(term: NodeSelectorTerm) -> bool:
    r"""Whether kube-scheduler can parse every value in the expressions of `term`.

    TLA+: Readable(Term) ==
            ~\E Requirement \in Term.MatchExpressions : Unreadable(Requirement)
    """
    return not any(True for requirement in term.match_expressions for _ in unreadable(requirement))
