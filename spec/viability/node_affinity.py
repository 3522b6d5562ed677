r"""The score NodeAffinity: the weights of the node-selector terms that a pod prefers and a node matches.

The arguments may add terms that every pod prefers.
"""

import json
import re
from collections.abc import Iterator
from typing import Final

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.plugins import Plugins
from schedcheck.spec.selectors import match_term, numeral
from schedcheck.spec.terms import NodeSelectorTerm, PreferredNodeTerm, Requirement
from schedcheck.spec.viability.arithmetic import Scores, default_normalised

LABEL_VALUE: Final = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", re.ASCII)

NO_INTEGER: Final = "for 'Gt', 'Lt' operators, the value must be an integer"
TOO_LONG: Final = "must be no more than 63 bytes"
NO_LABEL_VALUE: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and"
    " end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is"
    f" '{LABEL_VALUE.pattern}')"
)


def counting(preferred: PreferredNodeTerm) -> bool:
    """Whether the term is looked at: it has requirements, and a weight."""
    return preferred.weight != 0 and preferred.term != NodeSelectorTerm()


def node_affinity_skipped(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether `pod` prefers no nodes at all, and no preference is added."""
    return pod.affinity.node_preferred == () and plugins.arguments.added_affinity.preferred == ()


def unreadable(requirement: Requirement) -> Iterator[str]:
    """What kube-scheduler says of the values of a requirement that it cannot compare with.

    Gt and Lt want an integer of 64 bits, and every operator the value of a label, which a negative number is not.
    Kubernetes 1.34: k8s.io/apimachinery/pkg/labels/selector.go, NewRequirement.
    """
    for i, value in enumerate(requirement.values):
        if requirement.operator in ("Gt", "Lt") and numeral(value) is None:
            yield f"values[{i}]: Invalid value: {json.dumps(value)}: {NO_INTEGER}"
    for i, value in enumerate(requirement.values):
        faults = [TOO_LONG] * (len(value.encode()) > 63) + [NO_LABEL_VALUE] * (LABEL_VALUE.fullmatch(value) is None)
        if faults:
            yield f"values[{i}][{requirement.key}]: Invalid value: {json.dumps(value)}: {'; '.join(faults)}"


def unreadable_preferences(pod: Pod) -> Iterator[str]:
    """What kube-scheduler says of each value in a preferred term that it cannot compare with, and where it is.

    The API server admits some such pods. In a required term the same requirement only matches nothing.
    Kubernetes 1.34: k8s.io/component-helpers/scheduling/corev1/nodeaffinity, NewPreferredSchedulingTerms.
    """
    for i, preferred in enumerate(pod.affinity.node_preferred):
        if counting(preferred):
            for j, requirement in enumerate(preferred.term.match_expressions):
                yield from (f"[{i}].matchExpressions[{j}].{fault}" for fault in unreadable(requirement))


def node_affinity_error(pod: Pod) -> str | None:
    """The error with which scoring ends, for all nodes; None if there is none.

    Kubernetes 1.34: k8s.io/apimachinery/pkg/util/errors, Aggregate: the same error is said once.
    """
    errors = list(dict.fromkeys(unreadable_preferences(pod)))
    return None if not errors else errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"


@looks_at("node.labels")
def node_affinity_score(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> Scores:
    """The raw score: the sum of the weights of the preferred terms that the node matches.

    Kubernetes 1.34: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go, Score.
    """
    return {
        node.name: sum(
            preferred.weight
            for preferred in (*plugins.arguments.added_affinity.preferred, *pod.affinity.node_preferred)
            if counting(preferred) and match_term(preferred.term, node, NO_FAULTS)
        )
        for node in nodes
    }


@looks_at("scores")
def normalised_node_affinity(
    scores: Scores, pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins
) -> Scores:
    """Hundredths of the highest sum."""
    return default_normalised(scores, reverse=False)
