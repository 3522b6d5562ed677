"""The pods and nodes that a scenario selects, by name or by label: `chosen_pods`, `chosen_nodes`."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from schedcheck.manifests.fields import Field, nearest
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.of_workloads import KINDS, pods_of
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.values import Labels

PodKey = tuple[str, str]
Chosen = TypeVar("Chosen", PodKey, str)


def chosen_pods(field: Field, pods: Sequence[Pod]) -> tuple[PodKey, ...]:
    """Return the keys of the pods that a list of names or a map of labels selects, in order; of all if it is absent.

    Raises: InputError for a name, or labels, that no pod has.
    """
    return _chosen(field, {pod.key: pod.labels for pod in pods}, pod_key, "pod")


def pods_of_event(field: Field, cluster: Cluster) -> tuple[PodKey, ...]:
    """Return the keys of the pods that an event selects: by its `pods`, and among them by `namespace` and by `owner`.

    Raises: InputError also for a namespace, or an owner, of no pod.
    """
    pods: Sequence[Pod] = cluster.pods
    if field["namespace"]:
        name = field["namespace"].text()
        pods = [pod for pod in pods if pod.namespace == name]
        if not pods:
            raise field["namespace"].error(
                f"no pod is in this namespace{nearest(name, {pod.namespace for pod in cluster.pods})}"
            )
    if field["owner"]:
        owned = _owned(field["owner"], {pod.namespace for pod in pods}, cluster)
        pods = [pod for pod in pods if pod.key in owned]
        if not pods:
            raise field["owner"].error("no pod has this owner")
    if not field["namespace"] and not field["owner"]:
        return chosen_pods(field["pods"], pods)
    chosen = chosen_pods(field["pods"], cluster.pods if isinstance(field["pods"].value, list) else pods)
    outside = sorted(set(chosen) - {pod.key for pod in pods})
    if outside:
        raise field["pods"].error(f"not of this namespace and owner: {'/'.join(outside[0])}")
    return chosen


def _owned(field: Field, namespaces: Collection[str], cluster: Cluster) -> set[PodKey]:
    """Return the keys of the pods of a workload, named as in deployment/web."""
    kind, slash, name = field.required("an owner, as deployment/web").partition("/")
    if not slash or not name or KINDS.get(kind.lower(), "Pod") == "Pod":
        raise field.error("expected an owner, as deployment/web")
    return {pod.key for namespace in namespaces for pod in pods_of(KINDS[kind.lower()], namespace, name, cluster)}


def chosen_nodes(field: Field, nodes: Sequence[Node]) -> tuple[str, ...]:
    """Return the names of the nodes that a list of names or a map of labels selects, in order; of all if it is absent.

    Raises: InputError for a name, or labels, that no node has.
    """
    return _chosen(field, {node.name: node.labels for node in nodes}, _node, "node")


def _chosen(
    field: Field,
    known: Mapping[Chosen, Labels],
    named: Callable[[Field, Collection[Chosen]], Chosen],
    kind: str,
) -> tuple[Chosen, ...]:
    """Return the known keys that the field selects; `named` reads one name."""
    if not field:
        return tuple(known)
    if isinstance(field.value, dict):
        keys = {key for key, labels in known.items() if _labelled(field, labels)}
    else:
        keys = {named(item, known.keys()) for item in field.items()}
    return tuple(sorted(_some(keys, field, kind)))


def _labelled(field: Field, labels: Labels) -> bool:
    return field.labels().items() <= labels.items()


def _some(chosen: set[Chosen], field: Field, kind: str) -> set[Chosen]:
    if not chosen and field.value:
        raise field.error(f"no {kind} has these labels")
    return chosen


def _node(field: Field, known: Collection[str]) -> str:
    name = field.required("the name of a node")
    if name not in known:
        raise field.error(f"no node has this name{nearest(name, known)}")
    return name


def pod_key(field: Field, known: Collection[PodKey]) -> PodKey:
    """Return the pod named NAMESPACE/NAME, or NAME if it is in the namespace default or the only one of that name."""
    text = field.required("the name of a pod")
    namespace, slash, name = text.rpartition("/")
    if slash or ("default", name) in known:
        namesakes = [(namespace or "default", name)] if (namespace or "default", name) in known else []
    else:
        namesakes = sorted(key for key in known if key[1] == name)
    if len(namesakes) > 1:
        raise field.error("several pods have this name: " + ", ".join("/".join(key) for key in namesakes))
    if not namesakes:
        names = {"/".join(key) for key in known} if slash else {key[1] for key in known}
        raise field.error(f"no pod has this name{nearest(text, names)}")
    return namesakes[0]
