"""The taints that a pod tolerates: `tolerates`; and for arrays `first_untolerated`, `untolerated_preferences`.

Kubernetes 1.34: ToleratesTaint in k8s.io/api/core/v1/toleration.go, FindMatchingUntoleratedTaint in
k8s.io/component-helpers/scheduling/corev1/helpers.go.
"""

from collections.abc import Iterable

import numpy as np

from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.objects import Pod, Taint, Toleration

REPELLING = frozenset({"NoSchedule", "NoExecute"})
"""The effects that make a filter reject a node."""


def covers(toleration: Toleration, taint: Taint) -> bool:
    """Whether the toleration matches the taint; an empty key or effect matches any."""
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"


def tolerates(pod: Pod, taint: Taint) -> bool:
    """Whether the pod tolerates the taint."""
    return any(covers(toleration, taint) for toleration in pod.tolerations)


def _untolerated(pod: Pod, taints: Iterable[Taint], effects: frozenset[str]) -> list[int]:
    """Return the indices of the taints with one of these effects that the pod does not tolerate."""
    return [
        place
        for place, taint in enumerate(taints)
        if taint.effect in effects and not tolerates(pod, taint)
    ]  # fmt: skip


def first_untolerated(pod: Pod, nodes: Nodes) -> Numbers | None:
    """Return for each node the index of its first untolerated NoSchedule or NoExecute taint, -1 for none.

    None if the pod tolerates all such taints.
    """
    lists = nodes.table.taint_lists
    first = [min(_untolerated(pod, taints, REPELLING), default=-1) for taints in lists]
    return None if max(first) < 0 else np.array(first, np.int64)[nodes.table.taints[nodes.rows]]


def untolerated_preferences(pod: Pod, nodes: Nodes) -> Numbers:
    """Return for each node the number of its untolerated PreferNoSchedule taints."""
    lists = nodes.table.taint_lists
    soft = frozenset({"PreferNoSchedule"})
    counts = [len(_untolerated(pod, taints, soft)) for taints in lists]
    if not any(counts):
        return np.zeros(len(nodes), np.int64)
    found: Numbers = np.array(counts, np.int64)[nodes.table.taints[nodes.rows]]
    return found
