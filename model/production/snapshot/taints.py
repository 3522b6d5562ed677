"""Which taints a pod bears: `tolerates`, and for a whole table of nodes `first_untolerated`, `untolerated_preferences`.

Kubernetes 1.34: ToleratesTaint in k8s.io/api/core/v1/toleration.go, FindMatchingUntoleratedTaint in
k8s.io/component-helpers/scheduling/corev1/helpers.go.
"""

from collections.abc import Iterable

import numpy as np

from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.objects import Pod, Taint, Toleration

REPELLING = frozenset({"NoSchedule", "NoExecute"})
"""The effects that keep pods from a node."""


def covers(toleration: Toleration, taint: Taint) -> bool:
    """Whether the toleration is one of this taint; what it leaves out it does not care about."""
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"


def tolerates(pod: Pod, taint: Taint) -> bool:
    """Whether the pod tolerates the taint."""
    return any(covers(toleration, taint) for toleration in pod.tolerations)


def _untolerated(pod: Pod, taints: Iterable[Taint], effects: frozenset[str]) -> list[int]:
    """The places of the taints with such an effect that the pod does not tolerate."""
    return [
        place
        for place, taint in enumerate(taints)
        if taint.effect in effects and not tolerates(pod, taint)
    ]  # fmt: skip


def first_untolerated(pod: Pod, nodes: Nodes) -> Numbers:
    """For each node the place in its list of the first taint that keeps the pod away, -1 where none does."""
    lists = nodes.table.taint_lists
    first = np.array([min(_untolerated(pod, taints, REPELLING), default=-1) for taints in lists], np.int64)
    return first[nodes.table.taints[nodes.rows]]


def untolerated_preferences(pod: Pod, nodes: Nodes) -> Numbers:
    """For each node how many of its taints would rather keep the pod away."""
    lists = nodes.table.taint_lists
    soft = frozenset({"PreferNoSchedule"})
    counts = np.array([len(_untolerated(pod, taints, soft)) for taints in lists], np.int64)
    return counts[nodes.table.taints[nodes.rows]]
