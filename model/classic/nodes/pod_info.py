"""What the scheduler computes of a pod when it learns of it: `PodInfo`.

Kubernetes 1.6: calculateResource in plugin/pkg/scheduler/schedulercache/node_info.go, GetResourceRequest in
plugin/pkg/scheduler/algorithm/predicates/predicates.go, GetNonzeroRequests in
plugin/pkg/scheduler/algorithm/priorities/util/non_zero.go, ReconcileAffinity in plugin/pkg/scheduler/schedulercache.
1.17: IsScalarResourceName in pkg/apis/core/v1/helper/helpers.go.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from schedcheck.model.classic.matching import Term
from schedcheck.spec.objects import Container, Pod
from schedcheck.spec.quantities import amount
from schedcheck.spec.terms import Affinity, PodAffinityTerm, PreferredPodTerm

BASE = ("cpu", "memory", "ephemeral-storage")
"""The resources that have a field of their own; the others are scalar resources."""

ASSUMED: Mapping[str, int] = {"cpu": 100, "memory": 200 * 2**20}
"""What a container that names no request counts as when nodes are rated: 100m of cpu, 200Mi of memory."""


def scalar(resource: str) -> bool:
    """Whether the scheduler counts a resource of this name beside those of `BASE`."""
    if resource in BASE:
        return False
    if resource.startswith(("hugepages-", "attachable-volumes-")) or "kubernetes.io/" in resource:
        return True
    return "/" in resource and not resource.startswith("requests.")


def _sizes(container: Container) -> dict[str, int]:
    """Return the counted requests of a container, each rounded up."""
    return {
        name: amount(name, size) for name, size in container.requests.items() if name in BASE or scalar(name)
    }  # fmt: skip


class PodInfo:
    """A pod with its requests, host ports, effective affinity and affinity terms, computed once.

    `used` is what it takes of its node, where init containers do not count; `request` is what it needs to start there.
    """

    def __init__(self, pod: Pod) -> None:
        self.pod = pod
        self.key = pod.key
        self.used: dict[str, int] = {}
        self.rated = dict.fromkeys(ASSUMED, 0)
        for container in pod.containers:
            sizes = _sizes(container)
            for name, size in sizes.items():
                self.used[name] = self.used.get(name, 0) + size
            for name, assumed in ASSUMED.items():
                self.rated[name] += sizes.get(name, assumed)
        self.request = dict(self.used)
        for container in pod.init_containers:
            for name, size in _sizes(container).items():
                self.request[name] = max(self.request.get(name, 0), size)
        self.ports = [port.port for container in pod.containers for port in container.ports if port.port]
        self.affinity = reconciled(pod)
        self.near = self._terms(self.affinity.pod_required)
        self.apart = self._terms(self.affinity.anti_required)
        self.prefers = [
            *self._weighted(self.affinity.pod_preferred, 1), *self._weighted(self.affinity.anti_preferred, -1)
        ]  # fmt: skip

    @property
    def has_affinity(self) -> bool:
        """Whether the pod has any pod affinity or anti-affinity, required or preferred."""
        return bool(self.near or self.apart or self.prefers)

    def _terms(self, terms: Iterable[PodAffinityTerm]) -> list[Term]:
        return [Term.of(term, self.pod) for term in terms]

    def _weighted(self, terms: Iterable[PreferredPodTerm], sign: int) -> list[Term]:
        return [Term.of(each.term, self.pod, sign * each.weight) for each in terms]


def reconciled(pod: Pod) -> Affinity:
    """Return the affinity of the pod; the annotation supplies each of the three kinds that the field lacks."""
    made, said = pod.affinity, pod.annotated_affinity
    if not (made.node_required or made.node_preferred):
        made = replace(made, node_required=said.node_required, node_preferred=said.node_preferred)
    if not (made.pod_required or made.pod_preferred):
        made = replace(made, pod_required=said.pod_required, pod_preferred=said.pod_preferred)
    if not (made.anti_required or made.anti_preferred):
        made = replace(made, anti_required=said.anti_required, anti_preferred=said.anti_preferred)
    return made
