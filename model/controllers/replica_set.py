"""The ReplicaSet controller: it creates missing pods, and deletes those that are too many.

Kubernetes 1.34: pkg/controller/replicaset/replica_set.go, manageReplicas and getPodsToDelete;
pkg/controller/controller_utils.go, ActivePodsWithRanks.Less. Differs: pods are created and deleted one by one; among
equal pods of an order that depends on times and restarts, any may be deleted; a pod that is bound and not ready
counts as pending, whether it runs or not.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod

Key = tuple[str, str]


def active(pod: Pod | None) -> bool:
    """Whether the pod counts as a replica: it exists, is not being deleted, and has not ended."""
    return pod is not None and not pod.terminating and not completed(pod)


def ready(pod: Pod | None) -> bool:
    """Whether the pod is ready. A bound pod may become so at any step, by the kubelet's Start."""
    return pod is not None and active(pod) and pod.node_name != "" and pod.phase == "Running"


def available(pod: Pod | None, timed: Collection[Key] = ()) -> bool:
    """Whether the pod is ready for long enough; `timed` are the pods whose timers of minReadySeconds have not expired."""
    return pod is not None and ready(pod) and pod.key not in timed


def missing(forms: Sequence[Pod], pods: Mapping[Key, Pod], replicas: int) -> Pod | None:
    """Return the form of the next pod to create; None if there are enough pods, or if a deleted one is in its place."""
    if sum(active(pods.get(form.key)) for form in forms) >= replicas:
        return None
    return next((form for form in forms if form.key not in pods), None)


def surplus(
    forms: Sequence[Pod], pods: Mapping[Key, Pod], replicas: int, related: Iterable[Pod], costs: Mapping[Key, int]
) -> Collection[Pod]:
    """Return the pods of which any may be deleted next; none if there are not too many.

    `related` are the pods of all ReplicaSets of the Deployment.
    """
    own = [pods[form.key] for form in forms if active(pods.get(form.key))]
    if len(own) <= replicas:
        return ()
    crowds = Counter(pod.node_name for pod in related if active(pod))

    def rank(pod: Pod) -> tuple[bool, bool, int, int]:
        return pod.node_name != "", ready(pod), costs.get(pod.key, 0), -crowds[pod.node_name]

    least = min(map(rank, own))
    return [pod for pod in own if rank(pod) == least]
