"""A cluster as the production scheduler knows it, for tests: `cluster`, `recorded_cluster`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from schedcheck.manifests.nodes import node as read_node
from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.framework import Framework, built
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.listers import Listers
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.recordings.recorded import Record, question
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from tests.support.recorded import RECORDING_PLUGINS


@dataclass(frozen=True)
class Cluster:
    """A filled cache, a handle with a snapshot of it, and the plugins of a profile."""

    cache: Cache
    handle: Handle
    framework: Framework

    def cycle(self, pod: Pod) -> tuple[Framework, CycleState, PodInfo]:
        """The framework, a new cycle state and the pod: the arguments of most functions of a cycle."""
        return self.framework, CycleState(), PodInfo(pod)


def cluster(
    objects: Snapshot,
    plugins: Plugins = DEFAULT_PLUGINS,
    *,
    nodes: Iterable[Node] = (),
    pods: Iterable[Pod] = (),
    pending: Sequence[Pod] = (),
) -> Cluster:
    """The cluster of these objects, delivered in the order of their names, or of `nodes` and `pods` where given."""
    cache = Cache(departures=plugins.departures)
    for node in list(nodes) or objects.nodes:
        cache.add_node(node)
    nominated: dict[str, list[PodInfo]] = {}
    for pod in list(pods) or objects.pods:
        if pod.node_name:
            cache.add_pod(PodInfo(pod))
        elif pod.nominated_node_name:
            nominated.setdefault(pod.nominated_node_name, []).append(PodInfo(pod))
    listers = Listers(
        pods={pod.key: pod for pod in (*objects.pods, *pending)},
        namespaces={namespace.name: namespace.labels for namespace in objects.namespaces},
        budgets=objects.budgets,
        services=objects.services,
        controllers=objects.controllers,
        storage=objects.storage,
        devices=objects.devices,
    )
    handle = Handle(
        listers=listers,
        nominated=lambda name: nominated.get(name, ()),
        nominations=lambda: [(name, info) for name, infos in nominated.items() for info in infos],
        departures=plugins.departures,
    )
    cache.update(handle.snapshot)
    return Cluster(cache, handle, built(default_registry(), plugins, handle))


def recorded_cluster(record: Record) -> tuple[Cluster, Pod]:
    """The cluster of a recorded case, set to search all preemption candidates, and the pod to be scheduled."""
    assert record.case is not None
    asked = question(record.case)
    arguments = replace(RECORDING_PLUGINS.arguments, min_candidate_nodes_percentage=100)
    every = replace(RECORDING_PLUGINS, arguments=arguments)
    nodes = [read_node(each) for each in record.case["nodes"].items()]
    named = [each["metadata"]["name"].text() for each in record.case["pods"].items()]
    pods = sorted(asked.snapshot.pods, key=lambda pod: named.index(pod.name))
    return cluster(asked.snapshot, every, nodes=nodes, pods=pods, pending=[asked.pod]), asked.pod
