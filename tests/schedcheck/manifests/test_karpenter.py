"""NodePools and InstanceTypes: what is read of them and of pods and nodes, and what is refused by one line"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.errors import InputError
from schedcheck.manifests.documents import Document
from schedcheck.manifests.karpenter import karpenter
from schedcheck.manifests.karpenter_facts import unmodelled
from schedcheck.manifests.objects import cluster
from schedcheck.model.controllers.karpenter.hosts import template
from schedcheck.model.pooling import NodePool, NodePools
from schedcheck.model.provisioning import Budget, Karpenter, PodFacts
from schedcheck.model.scenario import Rule
from schedcheck.spec.objects import Container, HostPort, SpreadConstraint, Taint, Toleration
from schedcheck.spec.storage import ClaimSource, Volume
from schedcheck.spec.terms import (
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    Requirement,
)
from tests.support.building import node, pod
from tests.support.building import scenario as built

Json = dict[str, Any]
OFFERING = {"zone": "a", "capacityType": "on-demand", "price": 1}
SMALL = {"name": "small", "allocatable": {"cpu": "2"}, "offerings": [OFFERING]}
CLASS = {"group": "example.com", "kind": "NodeClass", "name": "default"}


def catalogue(*types: Json, **fields: Any) -> Json:
    made = {"apiVersion": "schedcheck/v1alpha1", "kind": "InstanceTypes", "mostNodes": 3}
    return {**made, "instanceTypes": list(types or (SMALL,)), **fields}


def pool(name: str = "p", template: Json | None = None, disruption: Json | None = None, **spec: Any) -> Json:
    made = {"spec": {"nodeClassRef": CLASS, **(template or {})}}
    whole = {"template": made, **({"disruption": disruption} if disruption is not None else {}), **spec}
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name}, "spec": whole}


def read(folder: Path, *documents: Any, objects: tuple[Json, ...] = ()) -> Karpenter:
    """The Karpenter of these documents, beside these objects."""
    file = folder / "karpenter.yaml"
    file.write_text("\n---\n".join(map(json.dumps, documents)))
    found = cluster(Document("objects", number, each) for number, each in enumerate(objects, 1))
    return karpenter(file, found, found.pods)


def test_minimal_documents_have_the_defaults(tmp_path: Path) -> None:
    made = read(tmp_path, pool(), catalogue())
    (only,), (small,) = made.pools, made.types
    assert (made.most, made.launch, only.weight, only.limits, only.budgets) == (3, "any", 0, None, (Budget("10%"),))
    assert (only.policy, only.consolidates, only.node_class) == (
        "WhenEmptyOrUnderutilized",
        True,
        ("example.com/nodeclass", "default"),
    )
    assert small.capacity == small.allocatable and small.offerings[0].available
    assert [name for name, values in template(only).items() if values.only == "true"] == [
        "karpenter.sh/registered",
        "karpenter.sh/initialized",
    ]


def test_a_list_as_kubectl_writes_it_is_read(tmp_path: Path) -> None:
    listed = {"apiVersion": "v1", "kind": "List", "items": [pool("a"), pool("b")]}
    of_pools = {"apiVersion": "karpenter.sh/v1", "kind": "NodePoolList", "items": [pool("a"), pool("b")]}
    apart = read(tmp_path, pool("a"), pool("b"), catalogue()).pools
    assert read(tmp_path, listed, catalogue()).pools == read(tmp_path, of_pools, catalogue()).pools == apart
    assert [each.name for each in apart] == ["b", "a"]


def test_every_field_is_read(tmp_path: Path) -> None:
    made = pool(
        template={
            "taints": [{"key": "t", "effect": "NoSchedule"}],
            "startupTaints": [{"key": "s", "effect": "NoExecute"}],
            "requirements": [
                {"key": "topology.kubernetes.io/zone", "operator": "NotIn", "values": ["b"]},
                {"key": "team", "operator": "In", "values": ["x"]},
                {"key": "example.com/family", "operator": "Exists"},
            ],
            "expireAfter": "720h",
        },
        disruption={
            "consolidationPolicy": "WhenEmpty",
            "consolidateAfter": "Never",
            "budgets": [{"nodes": "3", "reasons": ["Empty"]}, {"nodes": "50%"}],
        },
        limits={"cpu": "10", "nodes": "2"},
        weight=5,
    )
    made["spec"]["template"]["metadata"] = {"labels": {"l": "v"}, "annotations": {"a": "b"}}
    whole = {**SMALL, "labels": {"example.com/family": "f"}, "capacity": {"cpu": "3"}}
    whole["offerings"] = [{**OFFERING, "capacityType": "spot", "price": 0.5, "available": False}]
    given = read(tmp_path, pool("q"), made, catalogue(whole, launch="cheapest"))
    assert [each.name for each in given.pools] == ["p", "q"] and given.launch == "cheapest"
    first, (type_,) = given.pools[0], given.types
    assert (first.taints, first.startup_taints) == ((Taint("t", "NoSchedule"),), (Taint("s", "NoExecute"),))
    assert [each.operator for each in first.requirements] == ["NotIn", "In", "Exists"]
    assert first.limits == {"cpu": 10_000, "nodes": 2} and first.weight == 5 and first.labels == {"l": "v"}
    assert (first.policy, first.consolidates) == ("WhenEmpty", False)
    assert first.budgets == (Budget(3, frozenset({"Empty"})), Budget("50%"))
    assert type_.offerings[0] == ("a", "spot", 0.5, False)
    assert (type_.allocatable["cpu"], type_.capacity["cpu"]) == (2000, 3000)


def test_pools_of_one_weight_are_tried_by_name_from_the_end(tmp_path: Path) -> None:
    names = [each.name for each in read(tmp_path, pool("a"), pool("c", weight=1), pool("b"), catalogue()).pools]
    assert names == ["c", "b", "a"]


def test_what_only_karpenter_reads_of_pods_and_nodes(tmp_path: Path) -> None:
    def manifest(kind: str, name: str, **metadata: Any) -> Json:
        fields = {field: metadata.pop(field) for field in ("spec", "status") if field in metadata}
        spec = {"containers": [{"name": "c"}], **fields.get("spec", {})} if kind == "Pod" else {}
        whole = {"kind": kind, "apiVersion": "v1", "metadata": {"name": name, **metadata}, "spec": spec}
        return {**whole, "status": fields.get("status", {})}

    kept = {"karpenter.sh/do-not-disrupt": "true"}
    waiting = {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}
    objects = (
        manifest("Pod", "v", uid="u", creationTimestamp="2020-01-01T00:00:00Z", annotations=kept),
        manifest("Pod", "w", uid="x", status=waiting, spec={"priorityClassName": "system-cluster-critical"}),
        manifest("Node", "n", annotations=kept),
    )
    made = read(tmp_path, pool(), catalogue(), objects=objects)
    assert made.facts["default", "v"] == PodFacts("2020-01-01T00:00:00Z", "u", do_not_disrupt=True)
    assert made.facts["default", "w"] == PodFacts(uid="x", critical=True, unschedulable=True)
    assert made.kept == {"n"}
    for name, value in (("karpenter.sh/do-not-disrupt", "5m"), ("controller.kubernetes.io/pod-deletion-cost", "1")):
        with pytest.raises(InputError, match="not modelled"):
            read(tmp_path, pool(), catalogue(), objects=(manifest("Pod", "v", annotations={name: value}),))


REFUSED: list[tuple[str, list[Any]]] = [
    ("kind: 'Deployment': expected NodePool of karpenter.sh/v1", [{"apiVersion": "apps/v1", "kind": "Deployment"}]),
    ("expected a document InstanceTypes", [pool()]),
    ("expected at least one NodePool", [catalogue()]),
    ("expected no more than one InstanceTypes", [pool(), catalogue(), catalogue()]),
    ("metadata.name: 'p': expected each name once", [pool(), pool(), catalogue()]),
    ("spec.replicas: unknown field", [pool(replicas=1), catalogue()]),
    ("terminationGracePeriod", [pool(template={"terminationGracePeriod": "1h"}), catalogue()]),
    ("minValues", [pool(template={"requirements": [{"key": "k", "operator": "In", "minValues": 1}]}), catalogue()]),
    (
        "expected one of In, NotIn, Exists, DoesNotExist",
        [pool(template={"requirements": [{"key": "k", "operator": "Gt", "values": ["1"]}]}), catalogue()],
    ),
    (
        "expected In with one value, as no instance type has this label",
        [pool(template={"requirements": [{"key": "k", "operator": "Exists"}]}), catalogue()],
    ),
    (
        "as Karpenter does not take this one",
        [pool(template={"requirements": [{"key": "kubernetes.io/hostname", "operator": "Exists"}]}), catalogue()],
    ),
    (
        "consolidationPolicy: 'Balanced': expected one of",
        [pool(disruption={"consolidationPolicy": "Balanced"}), catalogue()],
    ),
    ("schedule", [pool(disruption={"budgets": [{"nodes": "1", "schedule": "@daily"}]}), catalogue()]),
    ("expected a number or a percentage", [pool(disruption={"budgets": [{"nodes": "101%"}]}), catalogue()]),
    ("reasons[0]: 'Old'", [pool(disruption={"budgets": [{"nodes": "1", "reasons": ["Old"]}]}), catalogue()]),
    ("expected at least one reason", [pool(disruption={"budgets": [{"nodes": "1", "reasons": []}]}), catalogue()]),
    ("consolidateAfter: 'soon': expected a duration", [pool(disruption={"consolidateAfter": "soon"}), catalogue()]),
    ("spec.weight: 0: expected an integer from 1 to 100", [pool(weight=0), catalogue()]),
    ("nodeClassRef.kind", [pool(template={"nodeClassRef": {}}), catalogue()]),
    ("mostNodes: 0", [pool(), catalogue(mostNodes=0)]),
    ("launch: 'dearest'", [pool(), catalogue(launch="dearest")]),
    ("expected at least one instance type", [pool(), catalogue(instanceTypes=[])]),
    ("expected at least one offering", [pool(), catalogue({**SMALL, "offerings": []})]),
    ("expected a price", [pool(), catalogue({**SMALL, "offerings": [{**OFFERING, "price": -1}]})]),
    (
        "capacityType: 'reserved'",
        [pool(), catalogue({**SMALL, "offerings": [{**OFFERING, "capacityType": "reserved"}]})],
    ),
    (
        "expected a label of the instance type alone",
        [pool(), catalogue({**SMALL, "labels": {"topology.kubernetes.io/zone": "a"}})],
    ),
]


@pytest.mark.parametrize(("message", "documents"), REFUSED, ids=[message for message, _ in REFUSED])
def test_what_is_not_modelled_of_the_documents_is_refused_by_name(
    message: str, documents: list[Any], tmp_path: Path
) -> None:
    with pytest.raises(InputError) as refused:
        read(tmp_path, *documents)
    assert message in str(refused.value) and "\n" not in str(refused.value)


def test_a_node_outside_the_pool_with_a_name_that_the_pool_may_give_is_refused(tmp_path: Path) -> None:
    other = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "p-2"}}
    with pytest.raises(InputError, match="expected no node p-2 outside the pool"):
        read(tmp_path, pool(), catalogue(), objects=(other,))


APPS = LabelSelector(match_expressions=(Requirement("app", "Exists"),))
APART = PodAffinityTerm("zone", APPS)
TERM = NodeSelectorTerm((Requirement("k", "Exists"),))
SPREAD = SpreadConstraint(1, "zone", selector=APPS)
MANAGED = node("n", labels={"karpenter.sh/nodepool": "p"})
PODS: dict[str, dict[str, Any]] = {
    "pod affinity": {"affinity": Affinity(pod_required=(APART,))},
    "namespaceSelector": {"affinity": Affinity(anti_required=(replace(APART, namespace_selector=LabelSelector()),))},
    "without a labelSelector": {"spread": (replace(SPREAD, selector=None),)},
    "matchFields": {
        "affinity": Affinity(node_required=(NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n",)),)),))
    },
    "Gt and Lt": {"affinity": Affinity(node_required=(NodeSelectorTerm((Requirement("k", "Gt", ("1",)),)),))},
    "an empty term": {"affinity": Affinity(node_preferred=(PreferredNodeTerm(1, NodeSelectorTerm()),))},
    "host ports": {"containers": (Container(ports=(HostPort(80),)),)},
    "persistent volume claims": {"volumes": (Volume("v", ClaimSource("c")),)},
    "does not take the label kubernetes.io/hostname": {"node_selector": {"kubernetes.io/hostname": "n"}},
    "alternative terms": {"affinity": Affinity(node_required=(TERM, TERM)), "spread": (SPREAD,)},
    "karpenter.sh/disrupted": {"tolerations": (Toleration(operator="Exists"),)},
}


def refusal(folder: Path, *things: Any, profile: str = "kubernetes", **fields: Any) -> str:
    return unmodelled(replace(built(*things, **fields), profile=profile, karpenter=read(folder, pool(), catalogue())))


@pytest.mark.parametrize("message", PODS)
def test_a_pod_that_is_not_modelled_is_refused_by_name(message: str, tmp_path: Path) -> None:
    assert message in refusal(tmp_path, pod("w", **PODS[message]), node("m"))
    assert refusal(tmp_path, pod("w"), node("m")) == ""


def test_mirror_pods_and_pods_of_daemon_sets_may_have_what_others_may_not(tmp_path: Path) -> None:
    for kind in ("Node", "DaemonSet"):
        for message in ("host ports", "karpenter.sh/disrupted", "matchFields"):
            assert refusal(tmp_path, pod("w", owner=(kind, "x"), **PODS[message]), node("m")) == ""


def test_constraints_that_karpenter_confuses_are_refused(tmp_path: Path) -> None:
    def both(**other: Any) -> str:
        return refusal(tmp_path, pod("v", spread=(SPREAD,), node_selector={"k": "a"}), pod("w", **other), node("m"))

    assert both(spread=(SPREAD,), node_selector={"k": "a"}) == ""
    assert "Karpenter confuses" in both(spread=(SPREAD,), node_selector={"k": "b"})
    assert "Karpenter confuses" in both(spread=(replace(SPREAD, min_domains=2),), node_selector={"k": "a"})
    assert both(spread=(replace(SPREAD, max_skew=2),), node_selector={"k": "b"}) == ""
    assert both(spread=(SPREAD,), node_selector={"other": "a"}) == ""


def test_what_is_not_modelled_beside_karpenter_is_named(tmp_path: Path) -> None:
    refused = partial_refusal(tmp_path)
    assert refused(profile="classic") == "not modelled together with the profile classic"
    assert refused(rules=(Rule("fail", nodes=("n",)),)) == "the event fail of a node of a NodePool is not modelled"
    assert refused(rules=(Rule("cordon", nodes=("n",)),)) == ""
    other = node("m", labels={"karpenter.sh/nodepool": "q"})
    assert refusal(tmp_path, other) == "m: its NodePool q is not in the file"
    pools = NodePools((NodePool("a", 0, 1, node("a")),))
    assert "node pools of the cluster autoscaler" in refused(node_pools=pools)


def partial_refusal(folder: Path) -> Callable[..., str]:
    return lambda **fields: refusal(folder, MANAGED, **fields)


EXAMPLES = Path(__file__).parents[3] / "examples"


def test_a_scenario_names_the_file(tmp_path: Path) -> None:
    scenario = schedcheck.check(schedcheck.read(EXAMPLES / "karpenter-zone-kept")).checked.scenario
    assert scenario.running == ("owners", "karpenter")
    assert scenario.cut[0].startswith("assumed of Karpenter: no pool has more than 2 nodes at once")
    text = (EXAMPLES / "karpenter-zone-kept" / "scenario.yaml").read_text()
    for controllers, message in (
        ("[karpenter]", r"expected \{karpenter: karpenter.yaml\}, with the file of its NodePools and InstanceTypes$"),
        ("[{karpenter: {}}]", "expected a string"),
        ("[{karpenter: a.yaml}, {karpenter: b.yaml}]", "expected karpenter no more than once"),
    ):
        file = tmp_path / "scenario.yaml"
        changed = text.replace("  - owners\n  - karpenter: karpenter.yaml\n", "")
        file.write_text(changed.replace("controllers:\n", f"controllers: {controllers}\n"))
        with pytest.raises(InputError, match=message):
            schedcheck.check(schedcheck.read(file, EXAMPLES / "karpenter-zone-kept" / "cluster.yaml"))
