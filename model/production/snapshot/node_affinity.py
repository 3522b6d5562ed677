"""The nodes that a pod's nodeSelector and required node affinity allow: `required`, `matching`.

Kubernetes 1.34: k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go.
"""

import json
import re
from collections.abc import Iterator

import numpy as np

from schedcheck.model.production.snapshot.labels import Mask, holds, integer
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import NodeSelectorTerm, Requirement

NAME_FIELD = "metadata.name"
VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", re.ASCII)
LONGEST = 63
NO_INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer"
TOO_LONG = f"must be no more than {LONGEST} bytes"
NO_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and"
    " end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is"
    f" '{VALUE.pattern}')"
)


def matching(term: NodeSelectorTerm, nodes: Nodes) -> Mask:
    """Return for each node whether it matches the term; an empty or unparsable term matches none."""
    if not (term.match_expressions or term.match_fields) or not readable(term):
        return np.zeros(len(nodes), bool)
    found = np.ones(len(nodes), bool)
    for requirement in term.match_expressions:
        found &= nodes.table.labels.holding(requirement, nodes.rows)
    for requirement in term.match_fields:
        found &= _named(requirement, nodes)
    return found


def _named(requirement: Requirement, nodes: Nodes) -> Mask:
    """Return for each node whether its name meets the requirement of matchFields."""
    if requirement.key != NAME_FIELD:
        return np.full(len(nodes), holds(requirement, None))
    listed = {nodes.table.row_of.get(value, -1) for value in requirement.values}
    within = np.isin(nodes.rows, list(listed))
    match requirement.operator:
        case "In":
            return within
        case "NotIn":
            return ~within
        case _:
            return np.zeros(len(nodes), bool)


def required(pod: Pod, nodes: Nodes) -> Mask:
    """Return for each node whether it matches the nodeSelector and, if there are required terms, one of them."""
    found = np.ones(len(nodes), bool)
    for key, value in sorted(pod.node_selector.items()):
        found &= nodes.table.labels.holding(Requirement(key, "In", (value,)), nodes.rows)
    if pod.affinity.node_required:
        found &= matching_any(pod.affinity.node_required, nodes)
    return found


def matching_any(terms: tuple[NodeSelectorTerm, ...], nodes: Nodes) -> Mask:
    """Return for each node whether it matches one of the terms."""
    found = np.zeros(len(nodes), bool)
    for term in terms:
        found |= matching(term, nodes)
    return found


def faults(requirement: Requirement) -> Iterator[str]:
    """Yield what is wrong with the values of a requirement, in kube-scheduler's words.

    Gt and Lt need integers. Every value must also be valid as a label value, which a negative number is not.
    """
    for place, value in enumerate(requirement.values):
        if requirement.operator in ("Gt", "Lt") and integer(value) is None:
            yield f"values[{place}]: Invalid value: {json.dumps(value)}: {NO_INTEGER}"
    for place, value in enumerate(requirement.values):
        wrong = [TOO_LONG] * (len(value.encode()) > LONGEST) + [NO_VALUE] * (VALUE.fullmatch(value) is None)
        if wrong:
            yield f"values[{place}][{requirement.key}]: Invalid value: {json.dumps(value)}: {'; '.join(wrong)}"


def readable(term: NodeSelectorTerm) -> bool:
    """Whether all requirements of the term have valid values."""
    return not any(fault for requirement in term.match_expressions for fault in faults(requirement))
