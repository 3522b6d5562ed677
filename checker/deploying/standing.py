"""The pods of rolling updates that are on nodes at the same time in the end: `Standing`, `limits`.

A Deployment asks its ReplicaSets together for at most replicas + maxSurge pods. Pods that are being deleted come on top of
these, but on ready nodes they end. So if no pod is evicted, every behaviour comes to rest with at most so many pods of the
Deployment. If a node is then feasible for each pod that waits, none waits at rest. Before that, a pod may find no node: such
a proof does not say that it never preempts.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate

from schedcheck.checker.relocation.others import Others
from schedcheck.model.rollouts import Key, Rollout
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.plugins import Arguments, Plugins
from schedcheck.spec.kubernetes.requests import occupied, wanted
from schedcheck.spec.objects import Pod


def limits(rollouts: Iterable[Rollout]) -> Mapping[str, int]:
    """Return how many pods each rolling update of a Deployment has at rest, by its text."""
    return {
        str(each): each.replicas + each.surge
        for each in rollouts
        if each.kind == "Deployment" and each.rolling and not each.recreate
    }


def as_created(pod: Pod, plugins: Plugins) -> bool:
    """Whether the pod occupies on its node no more than it requests: it is not being resized."""
    requests = wanted(pod)
    return all(size <= requests.get(name, 0) for name, size in occupied(pod, plugins.departures).items())


class Standing(Others):
    """The others of a pod that waits, of which each workload has at most so many on nodes.

    `workloads` gives the workload of a pod, and `most` the number of its pods; pods of other workloads all count.
    """

    def __init__(
        self, pods: Iterable[Pod], leaving: Iterable[Pod], workloads: Mapping[Key, str], most: Mapping[str, int]
    ) -> None:
        super().__init__(pods, leaving, counted=self._together)
        self._workloads, self._most = workloads, most

    def number(self, pod: Pod) -> int:
        """Return how many there are at most besides this pod."""
        return self._together([each for each in self.pods.values() if each.key != pod.key])

    def sums(self, resource: str, pod: Pod, arguments: Arguments) -> list[int]:
        """Return the sums of the 1, 2, … greatest requests for a resource among those that there may be."""
        found, numbers = list[int](), Counter[str]()
        for each in sorted(self.pods.values(), key=lambda each: -looked_for(each, arguments).get(resource, 0)):
            workload = self._workloads.get(each.key, "")
            numbers[workload] += 1
            if each.key != pod.key and numbers[workload] <= self._most.get(workload, len(self.pods)):
                found.append(looked_for(each, arguments).get(resource, 0))
        return list(accumulate(found))

    def related(self, pod: Pod, keys: Callable[[Pod], Iterable[str]]) -> Counter[str]:
        """Return how many of the others are related to the pod at the same time, by each of these topology keys."""
        found: dict[str, list[Pod]] = {}
        for those in self._groups.values():
            for key in keys(those[0]):
                found.setdefault(key, []).extend(each for each in those if each.key != pod.key)
        return Counter({key: self._together(those) for key, those in found.items()})

    def _together(self, pods: Sequence[Pod]) -> int:
        numbers = Counter(self._workloads.get(each.key, "") for each in pods)
        return sum(min(number, self._most.get(workload, number)) for workload, number in numbers.items())
