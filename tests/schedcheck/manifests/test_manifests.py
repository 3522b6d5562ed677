"""A pod, node or budget that is written as a manifest reads back as the same object, from YAML and JSON"""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from frozendict import frozendict
from hypothesis import example, given
from hypothesis import strategies as st

from schedcheck.manifests import Cluster, manifest, read, yaml_text
from schedcheck.spec.objects import (
    Container,
    HostPort,
    Node,
    NodeImage,
    Pod,
    PodDisruptionBudget,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.terms import (
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)

TEXT = st.sampled_from(["a", "b-1", "on", "1", "1e3", "~", "x.y/z", "ä", "<<", "0755"]) | st.text(
    st.characters(codec="utf-8"), min_size=1, max_size=4
)
NAMES = st.sampled_from(["a", "b-1", "on", "1", "web.x"])
LABELS = st.dictionaries(TEXT, TEXT | st.just(""), max_size=2).map(frozendict)
RESOURCES = st.sampled_from(["cpu", "memory", "pods", "ephemeral-storage", "nvidia.com/gpu", "hugepages-2Mi"])
EXACT = st.dictionaries(RESOURCES, st.integers(0, 2**64 * 10**9), max_size=3).map(frozendict)
AMOUNTS = st.dictionaries(RESOURCES, st.integers(0, 2**64), max_size=3).map(frozendict)
EFFECTS = st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"])


def lists(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, max_size=2).map(tuple)


WITH_VALUES = st.builds(
    Requirement, TEXT, st.sampled_from(["In", "NotIn"]), st.lists(TEXT, min_size=1, max_size=2).map(tuple)
)
WITHOUT = st.builds(Requirement, TEXT, st.sampled_from(["Exists", "DoesNotExist"]))
COMPARED = st.builds(Requirement, TEXT, st.sampled_from(["Gt", "Lt"]), st.tuples(TEXT))
BY_NAME = st.builds(Requirement, st.just("metadata.name"), st.sampled_from(["In", "NotIn"]), st.tuples(TEXT))
SELECTORS = st.builds(LabelSelector, LABELS, lists(WITH_VALUES | WITHOUT))
NODE_TERMS = st.builds(NodeSelectorTerm, lists(WITH_VALUES | WITHOUT | COMPARED), lists(BY_NAME))
POD_TERMS = st.builds(PodAffinityTerm, TEXT, st.none() | SELECTORS, lists(TEXT), st.none() | SELECTORS)
WEIGHTS = st.integers(1, 100)
AFFINITIES = st.builds(
    Affinity,
    lists(NODE_TERMS),
    lists(st.builds(PreferredNodeTerm, WEIGHTS, NODE_TERMS)),
    lists(POD_TERMS),
    lists(st.builds(PreferredPodTerm, WEIGHTS, POD_TERMS)),
    lists(POD_TERMS),
    lists(st.builds(PreferredPodTerm, WEIGHTS, POD_TERMS)),
)
SECONDS = st.none() | st.integers(-(2**63), 2**63 - 1)
TOLERATIONS = (
    st.builds(Toleration, TEXT, st.sampled_from(["", "Equal"]), TEXT | st.just(""), EFFECTS | st.just(""))
    | st.builds(Toleration, TEXT | st.just(""), st.just("Exists"), st.just(""), EFFECTS | st.just(""))
    | st.builds(Toleration, TEXT, st.just("Exists"), st.just(""), st.just("NoExecute"), SECONDS)
)
PORTS = st.builds(
    HostPort, st.integers(1, 65535), st.sampled_from(["TCP", "UDP", "SCTP"]), st.sampled_from(["", "::1"])
)
CONTAINERS = st.builds(Container, EXACT, st.booleans(), TEXT, lists(PORTS), EXACT, st.none() | EXACT)
SPREAD = st.builds(
    SpreadConstraint,
    st.integers(1, 2**31 - 1),
    TEXT,
    st.booleans(),
    st.none() | SELECTORS,
    st.integers(1, 9),
    st.booleans(),
    st.booleans(),
)
PODS = st.builds(
    Pod,
    name=NAMES,
    namespace=NAMES,
    labels=LABELS,
    node_name=st.just("") | NAMES,
    phase=st.sampled_from(["Pending", "Running", "Succeeded", "Failed"]),
    priority=st.integers(-(2**31), 2**31 - 1),
    preemption_policy=st.sampled_from(["PreemptLowerPriority", "Never"]),
    scheduler_name=st.sampled_from(["default-scheduler", "other"]),
    node_selector=LABELS,
    affinity=AFFINITIES,
    tolerations=lists(TOLERATIONS),
    init_containers=lists(CONTAINERS),
    containers=lists(CONTAINERS),
    overhead=EXACT,
    pod_requests=EXACT,
    owner=st.just(("", "")) | st.tuples(st.sampled_from(["ReplicaSet", "Job", "Node", "Other"]), NAMES),
    terminating=st.booleans(),
    spread=lists(SPREAD),
    host_network=st.booleans(),
    scheduling_gates=lists(TEXT),
    nominated_node_name=st.just("") | NAMES,
    start_time=st.none() | st.integers(0, 2**52),
    pod_allocated=EXACT,
    pod_actual=st.none() | EXACT,
    resize_infeasible=st.booleans(),
    preempted=st.booleans(),
).map(lambda pod: replace(pod, template_node_name=pod.node_name) if pod.owner[0] == "Node" else pod)
NODES = st.builds(
    Node,
    name=NAMES,
    labels=LABELS,
    allocatable=AMOUNTS,
    taints=lists(st.builds(Taint, TEXT, EFFECTS, TEXT | st.just(""))),
    unschedulable=st.booleans(),
    phase=st.sampled_from(["", "Running"]),
    ready=st.sampled_from(["True", "False", "Unknown"]),
    images=lists(st.builds(NodeImage, lists(TEXT), st.integers(0, 2**63 - 1))),
)
NUMBERS = st.integers(0, 2**31 - 1) | st.integers(0, 100).map(lambda number: f"{number}%")
BUDGETS = st.builds(
    PodDisruptionBudget,
    name=NAMES,
    namespace=NAMES,
    selector=st.none() | SELECTORS,
    min_available=NUMBERS,
    expected=st.integers(0, 9),
    disruptions_allowed=st.integers(0, 9),
    disrupted=st.frozensets(NAMES),
) | st.builds(PodDisruptionBudget, name=NAMES, max_unavailable=st.none() | NUMBERS)


def read_back(value: Pod | Node | PodDisruptionBudget, suffix: str, uid: str = "") -> Cluster:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"in{suffix}"
        written = manifest(value, uid)
        if not isinstance(value, Pod):
            written["metadata"]["uid"] = "u"  # marked as stored, so that no admission rule applies to its text
        text = json.dumps(written) if suffix == ".json" else yaml_text([written])
        path.write_text(text, encoding="utf-8")
        return read([path])


@pytest.mark.medium
@given(PODS, st.sampled_from([".json", ".yaml"]))
def test_a_written_pod_reads_back_unchanged(pod: Pod, suffix: str) -> None:
    assert read_back(pod, suffix, uid="u").pods == (pod,)


@pytest.mark.parametrize(
    "fields",
    [
        {"containers": [{"name": "c", "restartPolicyRules": [{"action": "RestartAllContainers"}]}]},
        {"containers": [{"name": "c"}], "hostNetwork": True, "hostUsers": False},
        {
            "volumes": [{"name": "v", "emptyDir": {}}],
            "containers": [{"name": "c", "volumeMounts": [{"name": "v", "bindMountOptions": ["noexec"]}]}],
        },
        {
            "volumes": [{"name": "v", "emptyDir": {}}],
            "initContainers": [{"name": "c", "volumeMounts": [{"name": "v", "bindMountOptions": ["noexec"]}]}],
            "containers": [{"name": "d"}],
        },
    ],
)
def test_the_features_that_a_pod_requires_survive_being_written(fields: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_text(
        json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "uid": "u"}, "spec": fields})
    )
    (pod,) = read([path]).pods
    assert len(pod.required_features) == 1
    assert read_back(pod, ".json", "u").pods[0].required_features == pod.required_features


@given(PODS)
def test_an_admitted_pod_is_not_changed_again(pod: Pod) -> None:
    pod = replace(pod, name="a", namespace="b", labels=frozendict(c="d"), node_selector=frozendict())
    (once,) = read_back(pod, ".json").pods
    assert read_back(once, ".json").pods == (once,)


@given(BUDGETS, st.sampled_from([".json", ".yaml"]))
def test_a_written_budget_reads_back_unchanged(budget: PodDisruptionBudget, suffix: str) -> None:
    assert read_back(budget, suffix).budgets == (budget,)


@example(Node("n", frozendict(a="\x85", y="y", b="1e3")), ".yaml")
@given(NODES, st.sampled_from([".json", ".yaml"]))
def test_a_written_node_reads_back_unchanged(node: Node, suffix: str) -> None:
    assert read_back(node, suffix).nodes == (node,)


def test_empty_fields_and_defaults_are_not_written() -> None:
    assert manifest(Pod("a", priority=1, containers=(Container(frozendict(cpu=15 * 10**8)),))) == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "namespace": "default"},
        "spec": {
            "priority": 1,
            "containers": [{"name": "main-1", "image": "pause", "resources": {"requests": {"cpu": "1500m"}}}],
        },
        "status": {"phase": "Pending"},
    }
    assert manifest(Node("n", allocatable=frozendict(memory=2**30))) == {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n"},
        "status": {"allocatable": {"memory": "1Gi"}},
    }
