"""Nodes, namespaces and priority classes; lists; identical objects; kinds that are not read"""

from collections.abc import Callable
from pathlib import Path

import pytest
from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests import Cluster, read
from schedcheck.spec.objects import Namespace, Node, Taint

Read = Callable[[str], Cluster]
Refusal = Callable[[str], str]

NODE = "{kind: Node, metadata: {name: n1}, status: {capacity: {cpu: 1}}}\n---\n"


def test_a_node_is_read_in_smallest_units(read_text: Read) -> None:
    cluster = read_text(
        """
        kind: Node
        metadata: {name: n1, labels: {zone: a}}
        spec: {unschedulable: yes, taints: [{key: gpu, value: x, effect: NoSchedule}, {key: b, effect: NoExecute}]}
        status: {allocatable: {cpu: 3920m, memory: 1Gi, pods: 110}, capacity: {cpu: 4}, phase: Running}
        """
    )
    assert cluster.nodes == (
        Node(
            "n1",
            frozendict(zone="a"),
            frozendict(cpu=3920, memory=2**30, pods=110),
            (Taint("gpu", "NoSchedule", "x"), Taint("b", "NoExecute")),
            unschedulable=True,
            phase="Running",
            capacity=frozendict(cpu=4000),
        ),
    )
    assert cluster.notes == ()


def test_a_node_without_allocatable_offers_its_capacity(read_text: Read) -> None:
    assert read_text("{kind: Node, metadata: {name: a}, status: {capacity: {cpu: 4}}}").nodes == (
        Node("a", allocatable=frozendict(cpu=4000)),
    )


def test_a_node_without_allocatable_and_capacity_offers_nothing_and_causes_a_note(read_text: Read) -> None:
    cluster = read_text("{kind: Node, metadata: {name: a}}")
    assert cluster.nodes == (Node("a"),)
    assert cluster.notes == (
        "in.yaml: document 1: node a has neither allocatable nor capacity, so that no pod fits on it",
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("spec: {taints: [{effect: NoSchedule}]}", "spec.taints[0].key: expected a key"),
        (
            "spec: {taints: [{key: a}]}",
            "spec.taints[0].effect: expected one of NoSchedule, PreferNoSchedule, NoExecute",
        ),
        (
            "spec: {taints: [{key: a, effect: No}]}",
            "spec.taints[0].effect: false: expected a string",
        ),
        (
            "spec: {taints: [{key: a, effect: NoRun}]}",
            "spec.taints[0].effect: 'NoRun': expected one of NoSchedule, PreferNoSchedule, NoExecute",
        ),
        (
            "status: {conditions: [{type: Ready, status: yes}]}",
            "status.conditions[0].status: true: expected a string",
        ),
        (
            "status: {conditions: [{type: Ready, status: 'yes'}]}",
            "status.conditions[0].status: 'yes': expected one of True, False, Unknown",
        ),
        ("spec: {unschedulable: 'true'}", "spec.unschedulable: 'true': expected true or false"),
        (
            "status: {allocatable: {cpu: -1}}",
            "status.allocatable.cpu: -1: expected a quantity that is not negative",
        ),
    ],
)
def test_an_invalid_node_is_refused_by_field(refusal: Refusal, fields: str, message: str) -> None:
    assert refusal(f"{{kind: Node, metadata: {{name: a}}, {fields}}}") == f"document 1: {message}"


@pytest.mark.parametrize(
    ("conditions", "ready"),
    [
        ("[]", "True"),
        ("[{type: MemoryPressure, status: 'False'}]", "True"),
        ("[{type: MemoryPressure, status: 'True'}, {type: Ready, status: 'False'}]", "False"),
        ("[{type: Ready, status: Unknown}]", "Unknown"),
    ],
)
def test_a_node_is_ready_unless_its_condition_says_otherwise(read_text: Read, conditions: str, ready: str) -> None:
    text = f"{{kind: Node, metadata: {{name: a}}, status: {{capacity: {{cpu: 1}}, conditions: {conditions}}}}}"
    assert [node.ready for node in read_text(text).nodes] == [ready]


def test_a_namespace_has_the_label_of_its_name(read_text: Read) -> None:
    assert read_text("{kind: Namespace, metadata: {name: shop, labels: {a: b}}}").namespaces == (
        Namespace("shop", frozendict({"a": "b", "kubernetes.io/metadata.name": "shop"})),
    )


CLASSES = """
kind: List
items:
- {kind: PriorityClass, apiVersion: scheduling.k8s.io/v1, metadata: {name: gold}, value: 10, preemptionPolicy: Never}
- {kind: PriorityClass, metadata: {name: tin}, value: 3, globalDefault: true}
"""


@pytest.mark.parametrize(
    ("spec", "priority", "policy"),
    [
        ("{}", 3, "PreemptLowerPriority"),
        ("{priorityClassName: gold}", 10, "Never"),
        ("{priorityClassName: gold, priority: 5}", 5, "Never"),
        ("{priorityClassName: unknown, priority: 5}", 5, "PreemptLowerPriority"),
        ("{priorityClassName: gold, preemptionPolicy: PreemptLowerPriority}", 10, "PreemptLowerPriority"),
        ("{priorityClassName: system-cluster-critical}", 2_000_000_000, "PreemptLowerPriority"),
        ("{priorityClassName: system-node-critical}", 2_000_001_000, "PreemptLowerPriority"),
        ("{priority: 0}", 0, "PreemptLowerPriority"),
    ],
)
def test_the_priority_comes_from_the_spec_the_class_or_the_default_class(
    read_text: Read, spec: str, priority: int, policy: str
) -> None:
    (pod,) = read_text(f"{{kind: Pod, metadata: {{name: a}}, spec: {spec}}}\n---{CLASSES}").pods
    assert (pod.priority, pod.preemption_policy) == (priority, policy)


def test_without_any_class_the_priority_is_0(read_text: Read) -> None:
    assert [pod.priority for pod in read_text("{kind: Pod, metadata: {name: a}}").pods] == [0]


def test_an_unknown_priority_class_is_refused(refusal: Refusal) -> None:
    pod = "{kind: Pod, metadata: {name: a}, spec: {priorityClassName: gold}}"
    assert refusal(pod + "\n---\n{kind: PriorityClass, metadata: {name: tin}, value: 1}") == (
        "document 1: spec.priorityClassName: 'gold': expected a PriorityClass of the input, "
        "or system-cluster-critical or system-node-critical; "
        "to supply them: kubectl get priorityclasses -o json > priorityclasses.json"
    )


def test_of_several_global_defaults_the_lowest_counts_with_a_note(read_text: Read) -> None:
    text = CLASSES + "- {kind: PriorityClass, metadata: {name: zinc}, value: 2, globalDefault: true}"
    cluster = read_text(f"{NODE}{{kind: Pod, metadata: {{name: a}}}}\n---" + text)
    assert [pod.priority for pod in cluster.pods] == [2]
    assert cluster.notes == ("several PriorityClasses are the global default (zinc, tin); zinc, the lowest, counts",)


def test_a_priority_class_must_have_a_value(refusal: Refusal) -> None:
    assert refusal("{kind: PriorityClass, metadata: {name: a}}") == "document 1: value: expected an integer"


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ("metadata: {name: a}, value: 1000000001", "value: 1000000001: expected at most 1000000000"),
        ("metadata: {name: system-node-critical}, value: 7", "value: 7: expected 2000001000"),
        (
            "metadata: {name: system-mine}, value: 7",
            "metadata.name: 'system-mine': expected system-cluster-critical or",
        ),
        (
            "metadata: {name: system-cluster-critical}, value: 2000000000, globalDefault: true",
            "globalDefault: true: expected false",
        ),
    ],
)
def test_only_system_classes_may_exceed_the_user_maximum(refusal: Refusal, fields: str, fault: str) -> None:
    assert fault in refusal(f"{{kind: PriorityClass, {fields}}}")


def test_the_system_priority_classes_may_be_given_explicitly(read_text: Read) -> None:
    given = "{kind: PriorityClass, metadata: {name: system-node-critical}, value: 2000001000}"
    assert read_text(f"{given}\n---\n{{kind: PriorityClass, metadata: {{name: a}}, value: 1000000000}}").kinds == {
        "PriorityClass"
    }


def test_the_items_of_a_list_are_read_in_place(read_text: Read, refusal: Refusal) -> None:
    items = "[{metadata: {name: b}}, {metadata: {name: a}, spec: {priority: x}}]"
    assert refusal(f"kind: PodList\nitems: {items}") == ("document 1: items[1].spec.priority: 'x': expected an integer")
    assert [pod.name for pod in read_text(f"kind: PodList\nitems: {items.replace(': x', ': 1')}").pods] == ["a", "b"]
    assert read_text("{kind: List, items: [{kind: List, items: [{kind: NodeList}]}]}").nodes == ()


def test_unread_kinds_are_counted_in_one_note(read_text: Read) -> None:
    text = "{kind: EventList, items: [{}, {}, {}]}\n---\n{kind: ConfigMap, metadata: 5}\n---\n"
    text += "{kind: Pod, apiVersion: example.com/v1, metadata: 5}"
    assert read_text(text).notes == ("not read: 1 ConfigMap, 3 Event, 1 Pod",)


def test_the_same_object_given_twice_counts_once(read_text: Read) -> None:
    pod = "{kind: Pod, metadata: {name: a}}\n---\n"
    assert [each.name for each in read_text(pod * 2).pods] == ["a"]


def test_pods_of_one_name_in_two_namespaces_are_different(read_text: Read) -> None:
    pods = "{kind: Pod, metadata: {name: a}}\n---\n{kind: Pod, metadata: {name: a, namespace: b}}"
    assert [each.key for each in read_text(pods).pods] == [("b", "a"), ("default", "a")]


def test_different_objects_of_one_identity_are_refused_with_both_places(folder: Path) -> None:
    (folder / "a.yaml").write_text("{kind: List, items: [{kind: Pod, metadata: {name: web-1}}]}")
    (folder / "b.yaml").write_text("kind: Other\n---\n{kind: Pod, metadata: {name: web-1}, spec: {priority: 1}}")
    with pytest.raises(InputError) as caught:
        read(["."])
    assert str(caught.value) == (
        "./b.yaml: document 2: metadata.name: 'web-1': "
        "a different object of this kind and name is in ./a.yaml: document 1: items[0]"
    )


@pytest.mark.parametrize("swapped", [False, True])
def test_of_two_versions_of_one_object_the_newer_counts_with_a_note(read_text: Read, swapped: bool) -> None:
    versions = [
        f"{{kind: Pod, metadata: {{name: a, uid: u, resourceVersion: '{version}'}}, spec: {{priority: {version}}}}}"
        for version in (9, 10)
    ]
    cluster = read_text(NODE + "\n---\n".join(reversed(versions) if swapped else versions))
    assert [pod.priority for pod in cluster.pods] == [10]
    older, newer = (3, 2) if swapped else (2, 3)
    assert cluster.notes == (
        f"in.yaml: document {newer}: the newer version of what in.yaml: document {older} holds; this one counts",
    )


def test_a_pod_with_a_uid_already_exists(read_text: Read) -> None:
    pods = "{kind: Pod, metadata: {name: a, uid: u}}\n---\n{kind: Pod, metadata: {name: b}}"
    assert read_text(pods).live == {("default", "a")}


def test_deeply_nested_json_causes_no_traceback(folder: Path) -> None:
    deep = '{"kind": "Pod", "metadata": {"name": "a"}, "x": ' + "[" * 900 + "1" + "]" * 900 + "}"
    for name in ("a.json", "b.json"):
        (folder / name).write_text(deep)
    try:
        assert len(read(["a.json", "b.json"]).pods) == 1
    except InputError as error:
        assert str(error).endswith("nested too deeply")
