"""Every drawn object keeps rules of the API server that the values it is made of break"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from schedcheck.checker.drawing import kinds
from schedcheck.checker.drawing.stored import as_stored
from schedcheck.manifests.snapshots import listed, stored_objects
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint, Taint
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, Requirement
from schedcheck.testing import asked
from tests.schedcheck.testing.test_strategies import drawn

Object = dict[str, Any]
NUMBER = 150


def clusters() -> list[Object]:
    return [listed(stored_objects(snapshot)) for _, snapshot in drawn(asked(), 1, NUMBER)]


def of_kind(cluster: Object, kind: str) -> Iterator[Object]:
    return (each for each in cluster["items"] if each["kind"] == kind)


def pods(cluster: Object) -> Iterator[Object]:
    return (each["spec"] for each in of_kind(cluster, "Pod"))


def containers(spec: Object) -> list[Object]:
    return [*spec.get("initContainers", ()), *spec.get("containers", ())]


def terms(spec: Object) -> Iterator[Object]:
    for part in spec.get("affinity", {}).values():
        for each in part.get("preferredDuringSchedulingIgnoredDuringExecution", ()):
            yield each["preference"] if "preference" in each else each["podAffinityTerm"]
        required = part.get("requiredDuringSchedulingIgnoredDuringExecution", ())
        yield from required.get("nodeSelectorTerms", ()) if isinstance(required, dict) else required


def requirements(spec: Object) -> Iterator[Object]:
    for term in terms(spec):
        yield from (*term.get("matchExpressions", ()), *term.get("matchFields", ()))
        for name in ("labelSelector", "namespaceSelector"):
            yield from term.get(name, {}).get("matchExpressions", ())


def needs(requirement: Object) -> bool:
    """Whether the operator exists and has as many values as it needs."""
    number = len(requirement.get("values", ()))
    least, most = {"Exists": (0, 0), "DoesNotExist": (0, 0), "Gt": (1, 1), "Lt": (1, 1)}.get(
        requirement["operator"], (1, 9)
    )
    known = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
    return requirement["operator"] in known and least <= number <= most


def distinct(things: list[Any]) -> bool:
    return len({str(each) for each in things}) == len(things)


def whole(quantity: str) -> bool:
    return quantity.removesuffix("k").isdecimal()


def tolerated(toleration: Object) -> bool:
    exists = toleration.get("operator") == "Exists"
    return (exists or bool(toleration.get("key"))) and not (exists and toleration.get("value"))


RULES: dict[str, Callable[[Object], bool]] = {
    "a pod has a container": lambda cluster: all(spec.get("containers") for spec in pods(cluster)),
    "a main container is no sidecar": lambda cluster: (
        not any("restartPolicy" in each for spec in pods(cluster) for each in spec.get("containers", ()))
    ),
    "a container has an image": lambda cluster: all(
        each.get("image") for spec in pods(cluster) for each in containers(spec)
    ),
    "a pod takes a host port once": lambda cluster: all(
        distinct([port for each in containers(spec) for port in each.get("ports", ())]) for spec in pods(cluster)
    ),
    "devices are requested whole": lambda cluster: all(
        whole(size)
        for spec in pods(cluster)
        for each in containers(spec)
        for name, size in each.get("resources", {}).get("requests", {}).items()
        if "/" in name
    ),
    "a whole pod requests cpu and memory alone": lambda cluster: all(
        {*spec.get("resources", {}).get("requests", {})} <= {"cpu", "memory"} for spec in pods(cluster)
    ),
    "a requirement has the values that its operator needs": lambda cluster: all(
        needs(each) for spec in pods(cluster) for each in requirements(spec)
    ),
    "a toleration has a key, or exists": lambda cluster: all(
        tolerated(each) for spec in pods(cluster) for each in spec.get("tolerations", ())
    ),
    "a node has a taint once": lambda cluster: all(
        distinct([(each["key"], each["effect"]) for each in node.get("spec", {}).get("taints", ())])
        for node in of_kind(cluster, "Node")
    ),
    "a pod spreads once by a key": lambda cluster: all(
        distinct(
            [(each["topologyKey"], each["whenUnsatisfiable"]) for each in spec.get("topologySpreadConstraints", ())]
        )
        for spec in pods(cluster)
    ),
    "minDomains are required ones": lambda cluster: (
        not any(
            "minDomains" in each and each["whenUnsatisfiable"] == "ScheduleAnyway"
            for spec in pods(cluster)
            for each in spec.get("topologySpreadConstraints", ())
        )
    ),
    "volumes of a pod have different names": lambda cluster: all(
        distinct([each["name"] for each in spec.get("volumes", ())]) for spec in pods(cluster)
    ),
    "a claim has access modes and a size": lambda cluster: all(
        each["spec"]["accessModes"] and each["spec"].get("resources")
        for each in of_kind(cluster, "PersistentVolumeClaim")
    ),
    "ReadWriteOncePod stands alone": lambda cluster: all(
        each["spec"]["accessModes"] == ["ReadWriteOncePod"] or "ReadWriteOncePod" not in each["spec"]["accessModes"]
        for kind in ("PersistentVolume", "PersistentVolumeClaim")
        for each in of_kind(cluster, kind)
    ),
    "a budget allows no negative number": lambda cluster: all(
        each["status"]["disruptionsAllowed"] >= 0 for each in of_kind(cluster, "PodDisruptionBudget")
    ),
    "bound pods run, and others wait": lambda cluster: all(
        each["status"]["phase"] == ("Running" if each["spec"].get("nodeName") else "Pending")
        for each in of_kind(cluster, "Pod")
    ),
    "no pod waits for devices that are claimed": lambda cluster: (
        not any("resourceClaims" in spec for spec in pods(cluster))
    ),
    "objects of a kind have different names": lambda cluster: distinct(
        [(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in cluster["items"]]
    ),
    "a namespace has the label of its name": lambda cluster: all(
        each["metadata"]["labels"].get("kubernetes.io/metadata.name") == each["metadata"]["name"]
        for each in of_kind(cluster, "Namespace")
    ),
}
"""What the API server demands, or what holds in a live cluster, of a List of objects."""


@pytest.mark.medium
def test_drawn_clusters_keep_every_rule() -> None:
    for cluster in clusters():
        assert [rule for rule, holds in RULES.items() if not holds(cluster)] == []


TERM = NodeSelectorTerm((Requirement("zone", "Other"),))
BY_HAND = {
    "a requirement has the values that its operator needs": Snapshot.of([Pod("p", affinity=Affinity((TERM,)))]),
    "a node has a taint once": Snapshot.of(
        nodes=[Node("n", taints=(Taint("t", "NoExecute"), Taint("t", "NoExecute", "v")))]
    ),
    "a pod spreads once by a key": Snapshot.of(
        [Pod("p", spread=(SpreadConstraint(1, "zone"), SpreadConstraint(2, "zone")))]
    ),
    "no pod waits for devices that are claimed": Snapshot.of([Pod("p", resource_claims=(PodClaim("gpu"),))]),
}
"""Snapshots that break a rule which those that are drawn first seldom break, or never."""


@pytest.mark.parametrize("rule", BY_HAND)
def test_a_snapshot_that_breaks_a_rule_keeps_it_as_stored(rule: str) -> None:
    broken = BY_HAND[rule]
    assert not RULES[rule](listed(stored_objects(broken)))
    assert RULES[rule](listed(stored_objects(as_stored(broken))))


@pytest.mark.medium
def test_the_values_that_are_drawn_first_break_every_other_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "as_stored", lambda snapshot: snapshot)
    found = clusters()
    kept = {rule for rule, holds in RULES.items() if all(holds(cluster) for cluster in found)}
    assert kept - BY_HAND.keys() == set()
