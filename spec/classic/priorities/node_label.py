"""The priority NodeLabelPriority: nodes with a label, or without it, whatever its value.

Its arguments are the label, and whether it must be present; a Policy gives it any name, and the argument
labelPreference.
Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/node_label.go.
Differs: 1.17 takes several of them together, as the truncated mean of their scores from 0 to 100.
"""

from collections.abc import Iterable

from schedcheck.spec.classic.policy import LabelPreference
from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node


@looks_at("node.labels")
def node_label(nodes: Iterable[Node], preference: LabelPreference) -> Scores:
    """Return 10 for each node that has the label, or with `presence` False lacks it, and 0 for each other node."""
    return {
        node.name: HIGHEST if (preference.label in node.labels) == preference.presence else 0 for node in nodes
    }  # fmt: skip
