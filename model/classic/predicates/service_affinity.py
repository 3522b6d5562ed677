"""The predicate CheckServiceAffinity: the pods of a service are on nodes with the same values of some labels.

Kubernetes 1.17: ServiceAffinity in pkg/scheduler/algorithm/predicates/predicates.go. Differs: of the pods alike, the first
by name decides, where 1.17 takes the first of a list without order; a nominated pod is on the node that it is nominated
to, where 1.17 ends in an error as it has none yet.
"""

from schedcheck.model.classic.metadata import Metadata
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.predicates.arguments import Arguments, Predicate
from schedcheck.model.classic.reasons import PASSED, SERVICE_ELSEWHERE, Reasons


def check_service_affinity(labels: tuple[str, ...]) -> Predicate:
    """Return the predicate that rejects a node with other values of these labels.

    The values are those of the nodeSelector; a label that it lacks is that of the node of the first pod alike, if a
    service selects the pod.
    """

    def predicate(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
        pod = meta.info.pod
        values = {label: pod.node_selector[label] for label in labels if label in pod.node_selector}
        if len(values) < len(labels) and meta.alike and arguments.listers.services_of(pod):
            first = meta.alike[min(meta.alike)]
            for label in labels:
                if label not in values and label in first.labels:
                    values[label] = first.labels[label]
        there = node.there.labels
        return PASSED if all(there.get(label) == value for label, value in values.items()) else (SERVICE_ELSEWHERE,)

    return predicate
