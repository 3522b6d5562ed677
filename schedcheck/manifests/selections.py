"""The pods and nodes that a scenario selects, by name or by label: `chosen_pods`, `chosen_nodes`."""

from collections.abc import Collection, Sequence
from typing import TypeVar

from schedcheck.manifests.fields import Field, nearest
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.values import Labels

PodKey = tuple[str, str]
Chosen = TypeVar("Chosen", PodKey, str)


def chosen_pods(field: Field, pods: Sequence[Pod]) -> tuple[PodKey, ...]:
    """Return the keys of the pods that a list of names or a map of labels selects, in order; of all if it is absent.

    Raises: InputError for a name, or labels, that no pod has.
    """
    if not field:
        return tuple(pod.key for pod in pods)
    if isinstance(field.value, dict):
        keys = {pod.key for pod in pods if _labelled(field, pod.labels)}
    else:
        known = {pod.key for pod in pods}
        keys = {_pod(item, known) for item in field.items()}
    return tuple(sorted(_some(keys, field, "pod")))


def chosen_nodes(field: Field, nodes: Sequence[Node]) -> tuple[str, ...]:
    """Return the names of the nodes that a list of names or a map of labels selects, in order; of all if it is absent.

    Raises: InputError for a name, or labels, that no node has.
    """
    if not field:
        return tuple(node.name for node in nodes)
    if isinstance(field.value, dict):
        names = {node.name for node in nodes if _labelled(field, node.labels)}
    else:
        known = {node.name for node in nodes}
        names = {_node(item, known) for item in field.items()}
    return tuple(sorted(_some(names, field, "node")))


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


def _pod(field: Field, known: Collection[PodKey]) -> PodKey:
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
