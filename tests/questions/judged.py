"""A judge of its own for the four dumps: `read`, `free`, `refusal`, `event`, from the raw objects alone.

It knows what these dumps use and nothing else: cordons, taints, node selectors, host ports, requests, the nodes of
volumes, anti-affinity by host or zone. It shares no code with the tool.
"""

import json
from collections import Counter
from functools import cache
from typing import Any

import yaml

from tests.questions.asking import DUMPS, ROOT

Object = dict[str, Any]
MULTIPLES = {"m": 1, "": 1000, "Ki": 1000 * 2**10, "Mi": 1000 * 2**20, "Gi": 1000 * 2**30}


@cache
def read(dump: str) -> tuple[Object, ...]:
    """Return the objects of a dump."""
    files = sorted((ROOT / DUMPS / dump).iterdir())
    texts = [(path, path.read_text()) for path in files]
    lists = [json.loads(text) if path.suffix == ".json" else yaml.safe_load(text) for path, text in texts]
    return tuple(each for found in lists for each in found["items"])


def of_kind(dump: str, kind: str) -> list[Object]:
    return [each for each in read(dump) if each["kind"] == kind]


def name(of: Object) -> str:
    return str(of["metadata"]["name"])


def full(of: Object) -> str:
    return f"{of['metadata']['namespace']}/{name(of)}"


def named(dump: str, kind: str, key: str) -> Object:
    """Return the object of this kind whose namespace/name begins with `key`."""
    return next(each for each in of_kind(dump, kind) if full(each).startswith(key))


def pod_named(dump: str, key: str) -> str:
    """Return the full name of the first pod whose namespace/name begins with `key`."""
    return full(named(dump, "Pod", key))


def amount(text: str) -> int:
    """Return a quantity in thousandths."""
    digits = text.rstrip("mKiMG")
    return int(digits) * MULTIPLES[text[len(digits) :]]


def requests(pod: Object) -> Counter[str]:
    found: Counter[str] = Counter({"pods": 1000})
    for container in pod["spec"]["containers"]:
        for resource, text in container.get("resources", {}).get("requests", {}).items():
            found[resource] += amount(text)
    return found


def there(dump: str, node: str) -> list[Object]:
    """Return the pods that occupy a node."""
    pods = of_kind(dump, "Pod")
    return [
        each
        for each in pods
        if each["spec"].get("nodeName") == node and each["status"]["phase"] not in ("Succeeded", "Failed")
    ]


def free(dump: str, node: Object) -> Counter[str]:
    """Return what a node has left, in thousandths."""
    left: Counter[str] = Counter()
    for resource, text in node["status"]["allocatable"].items():
        left[resource] = amount(text)
    for pod in there(dump, name(node)):
        left.subtract(requests(pod))
    return left


def tolerates(pod: Object, taint: Object) -> bool:
    for each in pod["spec"].get("tolerations", ()):
        if each.get("effect") not in (None, taint["effect"]) or each.get("key") not in (None, taint["key"]):
            continue
        if each.get("operator") == "Exists" or each.get("value", "") == taint.get("value", ""):
            return True
    return False


def ports(pod: Object) -> set[int]:
    return {each["hostPort"] for container in pod["spec"]["containers"] for each in container.get("ports", ())}


def labels(of: Object) -> dict[str, str]:
    return dict(of["metadata"].get("labels", {}))


def refusal(dump: str, pod: Object, node: Object) -> list[str]:
    """Return the reasons of the first filter, in the order of kube-scheduler, that refuses the node; empty if none does."""
    spec = pod["spec"]
    # The one node of a DaemonSet's pod is settled before any filter runs.
    terms = spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    if any(name(node) not in term["matchFields"][0]["values"] for term in terms.get("nodeSelectorTerms", ())):
        return ["node(s) didn't satisfy plugin(s) [NodeAffinity]"]
    cordon = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    if node["spec"].get("unschedulable") and not tolerates(pod, cordon):
        return ["node(s) were unschedulable"]
    for taint in node["spec"].get("taints", ()):
        if taint["effect"] != "PreferNoSchedule" and not tolerates(pod, taint):
            return ["node(s) had untolerated taint(s)"]
    if any(labels(node).get(key) != value for key, value in spec.get("nodeSelector", {}).items()):
        return ["node(s) didn't match Pod's node affinity/selector"]
    if ports(pod) & {port for other in there(dump, name(node)) for port in ports(other)}:
        return ["node(s) didn't have free ports for the requested pod ports"]
    left = free(dump, node)
    short = [resource for resource, size in requests(pod).items() if size > left[resource]]
    if short:
        return [f"Insufficient {resource}" for resource in short]
    if not _volumes_there(dump, pod, node):
        return ["node(s) didn't match PersistentVolume's node affinity"]
    if _apart(dump, pod, node):
        return ["node(s) didn't match pod anti-affinity rules"]
    return []


def _volumes_there(dump: str, pod: Object, node: Object) -> bool:
    for volume in pod["spec"].get("volumes", ()):
        claim = named(
            dump,
            "PersistentVolumeClaim",
            f"{pod['metadata']['namespace']}/{volume['persistentVolumeClaim']['claimName']}",
        )
        (disk,) = (each for each in of_kind(dump, "PersistentVolume") if name(each) == claim["spec"]["volumeName"])
        for term in disk["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]:
            for wanted in term["matchExpressions"]:
                if labels(node).get(wanted["key"]) not in wanted["values"]:
                    return False
    return True


def _apart(dump: str, pod: Object, node: Object) -> bool:
    """Whether a pod that the anti-affinity of this one selects is in the same domain."""
    terms = pod["spec"].get("affinity", {}).get("podAntiAffinity", {})
    nodes = {name(each): each for each in of_kind(dump, "Node")}
    for term in terms.get("requiredDuringSchedulingIgnoredDuringExecution", ()):
        key, wanted = term["topologyKey"], term["labelSelector"]["matchLabels"]
        for other in of_kind(dump, "Pod"):
            placed = nodes.get(other["spec"].get("nodeName", ""))
            selected = wanted.items() <= labels(other).items()
            same = other["metadata"]["namespace"] == pod["metadata"]["namespace"]
            if placed and same and selected and labels(placed).get(key) == labels(node).get(key):
                return True
    return False


def event(dump: str, pod: Object) -> str:
    """Return the first sentence of the event that kube-scheduler writes for a pod that fits on no node."""
    nodes = of_kind(dump, "Node")
    counts = Counter(reason for node in nodes for reason in refusal(dump, pod, node))
    said = ", ".join(sorted(f"{number} {reason}" for reason, number in counts.items()))
    return f"0/{len(nodes)} nodes are available: {said}."


def fits(dump: str, pod: Object) -> dict[str, int]:
    """Return how many pods like this one each node takes, if only requests, taints and labels matter."""
    found = {}
    for node in of_kind(dump, "Node"):
        wanted, left = requests(pod), free(dump, node)
        taken = min(left[each] // wanted[each] for each in wanted if wanted[each])
        reasons = refusal(dump, pod, node)
        found[name(node)] = 0 if reasons and not reasons[0].startswith("Insufficient") else taken
    return found
