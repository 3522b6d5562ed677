"""The pods of a cluster by the object whose manifest gives them their spec: `subjects`, `Subject`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from schedcheck.findings.finding import Thing
from schedcheck.manifests import Cluster
from schedcheck.manifests.workloads import THROUGH, Owner, Workload, owner_key
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod
from schedcheck.spec.requests import unresized
from schedcheck.spec.values import Labels

MAKERS = {made: maker for maker, made in THROUGH.items()}
SPECS = {"Pod": "spec", "CronJob": "spec.jobTemplate.spec.template.spec"}
TEMPLATE = "spec.template.spec"


@dataclass(frozen=True)
class Subject:
    """An object with its pods that have not ended: a workload, or a pod that no workload of the input makes."""

    thing: Thing
    pods: tuple[Pod, ...]
    workload: Workload | None = None

    def path(self, field: str) -> str:
        """Return the path of a field of the pods' spec in the manifest of the object."""
        return f"{SPECS.get(self.thing.kind, TEMPLATE)}.{field}"


def subjects(cluster: Cluster) -> tuple[Subject, ...]:
    """Return the subjects in the order of namespace, kind and name; a workload without pods is one too."""
    workloads = {each.key: each for each in cluster.workloads}
    found: dict[Owner, list[Pod]] = {key: [] for key in workloads if not _makes_through(workloads[key], workloads)}
    for pod in cluster.pods:
        if not completed(pod) and not pod.terminating:
            found.setdefault(at_the_top(pod, workloads), []).append(pod)
    return tuple(
        Subject(Thing(kind, namespace, name), tuple(pods), workloads.get((namespace, kind, name)))
        for (namespace, kind, name), pods in sorted(found.items())
    )


def at_the_top(pod: Pod, workloads: Mapping[Owner, Workload]) -> Owner:
    """Return the workload of the input that makes the pod, directly or through another; else the pod itself."""
    namespace, kind, name = owner_key(pod)
    direct = workloads.get((namespace, kind, name))
    if direct is not None and direct.owner[0] and owner_key(direct) in workloads:
        return owner_key(direct)
    through = namespace, MAKERS.get(kind, ""), name.rpartition("-")[0]
    if direct is None and through in workloads:
        return through
    return (namespace, kind, name) if direct is not None else (namespace, "Pod", pod.name)


def _makes_through(workload: Workload, workloads: Mapping[Owner, Workload]) -> bool:
    """Whether another workload of the input owns this one, so that its pods count as the owner's."""
    return bool(workload.owner[0]) and owner_key(workload) in workloads


def template_labels(workload: Workload) -> Labels:
    """Return the labels of the pods that a workload makes, without those that its controller adds."""
    return workload.template["metadata"]["labels"].labels()


def labelled(cluster: Cluster, namespace: str | None = None) -> Iterator[tuple[str, Labels, Pod | Workload]]:
    """Yield namespace and labels of each pod that has not ended and of each template, of one namespace or of all."""
    for pod in cluster.pods:
        if not completed(pod) and namespace in (None, pod.namespace):
            yield pod.namespace, pod.labels, pod
    for each in cluster.workloads:
        if namespace in (None, each.namespace):
            yield each.namespace, template_labels(each), each


def shapes(pods: tuple[Pod, ...]) -> Mapping[Pod, list[Pod]]:
    """Return the pods by what placing them on an empty node depends on, without labels and volumes.

    Pods that differ only in name, labels, volumes and state are alike.
    """
    found: dict[Pod, list[Pod]] = {}
    for pod in pods:
        found.setdefault(_shape(pod), []).append(pod)
    return found


def _shape(pod: Pod) -> Pod:
    return replace(
        unresized(pod),
        name="",
        uid="",
        phase="Pending",
        node_name="",
        nominated_node_name="",
        start_time=None,
        labels=Labels(),
        volumes=(),
        preempted=False,
        template_node_name="",
    )
