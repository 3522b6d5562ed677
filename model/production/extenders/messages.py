"""The messages to and from an extender, in JSON, as in kube-scheduler's extender v1.

Field names are the Go names. Outgoing messages have all fields; incoming names may be in any case.

Kubernetes 1.34: k8s.io/kube-scheduler/extender/v1/types.go.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from schedcheck.model.production.extenders.as_read import NOT_READ, AsRead
from schedcheck.model.production.extenders.kubernetes_objects import Object
from schedcheck.model.production.framework.extender import ExtenderError, ExtenderFiltered, Victims
from schedcheck.spec.objects import Node, Pod


def extender_args(pod: Pod, nodes: Sequence[Node], *, names_only: bool, read: AsRead = NOT_READ) -> Object:
    """Return the arguments of filter and prioritize: the nodes, or only their names (nodeCacheCapable)."""
    names = [node.name for node in nodes]
    items = {"metadata": {}, "items": [] if names_only else [read.node_object(node) for node in nodes]}
    return {
        "Pod": read.pod_object(pod),
        "Nodes": None if names_only else items,
        "NodeNames": names if names_only else None,
    }


def preemption_args(
    pod: Pod, victims: Mapping[str, Victims], *, names_only: bool, read: AsRead = NOT_READ
) -> Object:  # fmt: skip
    """Return the arguments of preempt: the victims of each node, or only their UIDs (nodeCacheCapable)."""

    def named(victim: Pod) -> Object:
        return {"UID": read.uid(victim)} if names_only else read.pod_object(victim)

    sent = {
        name: {"Pods": [named(victim) for victim in each.pods], "NumPDBViolations": each.violations}
        for name, each in victims.items()
    }
    return {
        "Pod": read.pod_object(pod),
        "NodeNameToVictims": None if names_only else sent,
        "NodeNameToMetaVictims": sent if names_only else None,
    }


def binding_args(pod: Pod, node: str, read: AsRead = NOT_READ) -> Object:
    """Return the arguments of bind."""
    return {"PodName": pod.name, "PodNamespace": pod.namespace, "PodUID": read.uid(pod), "Node": node}


def field(message: Any, name: str, kind: type, default: Any) -> Any:
    """Return a field of an answer, whatever the case of its name; the default if it is missing or null, or the answer is null.

    Go decodes null into an object without fields (send in pkg/scheduler/extender.go). Raises: ExtenderError if it is of another
    kind.
    """
    if message is None:
        return default
    if not isinstance(message, dict):
        raise ExtenderError(f"expected an object, found {type(message).__name__}")
    found = message.get(name)
    if found is None:
        found = next((value for key, value in message.items() if key.lower() == name.lower()), None)
    if found is None:
        return default
    if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
        raise ExtenderError(f"{name}: expected {kind.__name__}, found {type(found).__name__}")
    return found


def refused_if_wrong(answer: Any) -> None:
    """Raises: ExtenderError if the answer reports an error."""
    said = field(answer, "Error", str, "")
    if said:
        raise ExtenderError(said)


def filter_result(answer: Any, asked: Sequence[str], *, names_only: bool, name: str) -> ExtenderFiltered:
    """Return the result of filter.

    Raises: ExtenderError if it is an error, or names a node that was not asked about.
    """
    refused_if_wrong(answer)
    names = field(answer, "NodeNames", list, None)
    nodes = field(answer, "Nodes", dict, None)
    kept: list[str] = []
    bare = False
    if names_only and names is not None:
        kept = [_text(each) for each in names]
        unknown = next((each for each in kept if each not in asked), None)
        if unknown is not None:
            raise ExtenderError(
                f'extender "{name}" claims a filtered node "{unknown}" which is not found in the input node list'
            )
    elif nodes is not None:
        bare = True
        kept = [_text(field(_metadata(each), "name", str, "")) for each in field(nodes, "items", list, [])]
    return ExtenderFiltered(
        tuple(kept), _reasons(answer, "FailedNodes"), _reasons(answer, "FailedAndUnresolvableNodes"), bare
    )  # fmt: skip


def _metadata(item: Any) -> Any:
    return field(item, "metadata", dict, {})


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ExtenderError(f"expected the name of a node, found {type(value).__name__}")
    return value


def _reasons(answer: Any, name: str) -> dict[str, str]:
    return {_text(node): _text(reason) for node, reason in field(answer, name, dict, {}).items()}


def priorities(answer: Any) -> dict[str, int]:
    """Return the scores by node in the answer to prioritize.

    Raises: ExtenderError if it is no list of scores.
    """
    if answer is None:
        return {}
    if not isinstance(answer, list):
        raise ExtenderError(f"expected a list, found {type(answer).__name__}")
    found: dict[str, int] = {}
    for each in answer:
        host = field(each, "Host", str, "")
        found[host] = found.get(host, 0) + field(each, "Score", int, 0)
    return found


def preemption_result(answer: Any) -> dict[str, tuple[tuple[str, ...], int]]:
    """Return, for each node in the answer to preempt, the UIDs of the victims and the number of PDB violations.

    Raises: ExtenderError.
    """
    found = {}
    for name, each in field(answer, "NodeNameToMetaVictims", dict, {}).items():
        victims = {} if each is None else each
        uids = tuple(field(victim, "UID", str, "") for victim in field(victims, "Pods", list, []))
        found[name] = uids, field(victims, "NumPDBViolations", int, 0)
    return found
