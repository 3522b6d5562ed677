"""The node that the template of a pod names: `with_template_nodes`.

The manifest of a bound pod does not say whether a scheduler chose its node or the pod was created there. The template
of its owner says so, if the input holds it; else the node is assumed to be the scheduler's choice. A static pod belongs
to its node. So does a pod of a DaemonSet, unless its affinity already names the node.

Kubernetes 1.34: pkg/controller/controller_utils.go, GetPodFromTemplate; pkg/kubelet/pod/mirror_client.go.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from schedcheck.manifests.pods import Entry
from schedcheck.manifests.workloads import THROUGH, Owner, Workload
from schedcheck.spec.objects import Pod
from schedcheck.spec.owners import served_kind

MAKERS = {made: maker for maker, made in THROUGH.items()}
"""The kind that makes the owner of pods: a Deployment makes ReplicaSets, a CronJob makes Jobs."""


def with_template_nodes(entries: Iterable[Entry], workloads: Iterable[Workload]) -> Iterator[Entry]:
    """Yield the entries, each pod with the node that its template names."""
    nodes = {each.key: each.template["spec"]["nodeName"].text() for each in workloads}
    for entry in entries:
        name = _template_node(entry.pod, nodes)
        yield replace(entry, pod=replace(entry.pod, template_node_name=name)) if name else entry


def _template_node(pod: Pod, nodes: Mapping[Owner, str]) -> str:
    kind, name = pod.owner
    kind = served_kind(kind)
    if kind == "Node" or (kind == "DaemonSet" and not _has_own_node(pod)):
        return pod.node_name
    maker = pod.namespace, MAKERS.get(kind, ""), name.rpartition("-")[0]
    return nodes.get((pod.namespace, kind, name), nodes.get(maker, ""))


def _has_own_node(pod: Pod) -> bool:
    """Whether the affinity of the pod names the one node for which its DaemonSet made it."""
    return any(each.key == "metadata.name" for term in pod.affinity.node_required for each in term.match_fields)
