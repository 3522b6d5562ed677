r"""Filter 1.3: the node selector."""

from schedcheck.spec.faults import Faults
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot


@looks_at("node.labels")
def node_selector(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether `node` has every label that the nodeSelector of `pod` requires.

    TLA+: NodeSelector(Pod, Node, Snapshot) ==
            \A Label \in DOMAIN Pod.Spec.NodeSelector :
              /\ Label \in DOMAIN Node.Labels
              /\ Pod.Spec.NodeSelector[Label] = Node.Labels[Label]
    """
    return all(
        label in node.labels
        and pod.node_selector[label] == node.labels[label]
        for label in pod.node_selector
    )  # fmt: skip


def why_not_selected(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> str | None:
    """Return the required labels that `node` lacks; None if it lacks none."""
    missing = [
        f"{label}={value}"
        for label, value in sorted(pod.node_selector.items())
        if node.labels.get(label) != value
    ]  # fmt: skip
    return f"lacks the label {', '.join(missing)}" if missing else None
