"""The part of a cluster that a scheduler sees: `seen`.

Kubernetes 1.34: pkg/scheduler/eventhandlers.go and scheduler.go. Pods that have ended are not seen, nor pods on missing
nodes. An unbound pod is seen only if it names this scheduler, has no gates and is not deleted. A bound pod is
seen whichever scheduler bound it, also while it is terminating.
"""

from collections.abc import Collection
from dataclasses import replace

from schedcheck.manifests.objects import Cluster
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod

OURS = frozenset({"default-scheduler"})
LOST = "on a node that the input lacks"


def seen(cluster: Cluster, schedulers: Collection[str] = OURS, *, placed: bool = True) -> Cluster:
    """Return the cluster without the pods that no scheduler of these names sees, and with a note for each reason.

    `placed` False keeps bound pods and ended pods: the model judges them. Unbound pods of groups are kept too.
    """
    nodes = {node.name for node in cluster.nodes}
    unseen: dict[str, list[Pod]] = {}
    for pod in cluster.pods:
        if pod.key in cluster.grouped and not pod.node_name and not completed(pod):
            continue
        if reason := _unseen(pod, cluster, schedulers, nodes, placed):
            unseen.setdefault(reason, []).append(pod)
    if not unseen:
        return cluster
    gone = {pod.key for pods in unseen.values() for pod in pods}
    return replace(
        cluster,
        pods=tuple(pod for pod in cluster.pods if pod.key not in gone),
        notes=(*cluster.notes, *(_note(reason, pods) for reason, pods in sorted(unseen.items()))),
        lost=(*cluster.lost, *unseen.get(LOST, ())),
    )


def why_unseen(pod: Pod, cluster: Cluster, schedulers: Collection[str] = OURS) -> str:
    """Return the reason why no scheduler of these names sees the pod; empty if one does."""
    return _unseen(pod, cluster, schedulers, {node.name for node in cluster.nodes}, placed=True)


def _unseen(pod: Pod, cluster: Cluster, schedulers: Collection[str], nodes: Collection[str], placed: bool) -> str:
    """Return the reason why the pod is not seen; empty if it is."""
    if completed(pod):
        return "ended" if placed else ""
    if pod.node_name:
        return LOST if placed and pod.node_name not in nodes else ""
    if pod.terminating:
        return "deleted before it had a node"
    if pod.key in cluster.gated:
        return "held back by its scheduling gates"
    return "" if pod.scheduler_name in schedulers else f"waiting for the scheduler {pod.scheduler_name}"


def _note(reason: str, pods: list[Pod]) -> str:
    named = ", ".join(str(pod) for pod in pods[:3])
    more = ", …" if len(pods) > 3 else ""
    return f"not seen: {len(pods)} {'pod' if len(pods) == 1 else 'pods'} {reason} ({named}{more})"
