"""Fields that only the classic scheduler uses: conditions and capacity of a node, and the affinity annotation"""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.manifests import Cluster, manifest
from schedcheck.spec.terms import NO_AFFINITY, Affinity, NodeSelectorTerm, PodAffinityTerm, Requirement

Read = Callable[[str], Cluster]
Refusal = Callable[[str], str]

ANNOTATION = "scheduler.alpha.kubernetes.io/affinity"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
SSD = NodeSelectorTerm((Requirement("disk", "In", ("ssd",)),))
NODES = {
    REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}]}
}
APART = {REQUIRED: [{"topologyKey": "zone"}]}


def annotated(text: str, affinity: object = None) -> str:
    metadata = {"name": "p", "uid": "u", "annotations": {ANNOTATION: text, "other": "{"}}
    return json.dumps({"kind": "Pod", "metadata": metadata, "spec": {"affinity": affinity}})


def test_the_annotation_is_read_as_an_affinity(read_text: Read) -> None:
    (read,) = read_text(annotated(json.dumps({"nodeAffinity": NODES, "podAntiAffinity": APART}))).pods
    assert read.affinity == NO_AFFINITY
    assert read.annotated_affinity == Affinity(node_required=(SSD,), anti_required=(PodAffinityTerm("zone"),))


def test_each_part_of_the_field_overrides_the_annotation_even_if_empty(read_text: Read) -> None:
    text = annotated(json.dumps({"nodeAffinity": NODES, "podAntiAffinity": APART}), {"nodeAffinity": {}})
    (read,) = read_text(text).pods
    assert read.annotated_affinity == Affinity(anti_required=(PodAffinityTerm("zone"),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{",
            "expected an affinity in JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        ("[]", "expected a map"),
        (json.dumps({"podAffinity": {REQUIRED: [{"topologyKey": ""}]}}), "expected a label key"),
    ],
)
def test_an_error_in_the_annotation_is_reported_with_its_field(refusal: Refusal, text: str, message: str) -> None:
    said = refusal(annotated(text))
    assert f"metadata.annotations['{ANNOTATION}']" in said
    assert said.endswith(message)


def test_the_annotation_is_written_and_read_back(read_text: Read) -> None:
    text = annotated(json.dumps({"nodeAffinity": NODES, "podAntiAffinity": APART}))
    (read,) = read_text(text).pods
    assert read_text(json.dumps(manifest(read, "u"))).pods == (read,)
    assert ANNOTATION not in json.dumps(manifest(replace(read, annotated_affinity=NO_AFFINITY)))


def status(**fields: object) -> str:
    return json.dumps({"kind": "Node", "metadata": {"name": "n"}, "status": fields})


def test_false_conditions_and_unknown_kinds_are_left_out(read_text: Read) -> None:
    kinds = {
        "Ready": "False",
        "MemoryPressure": "True",
        "DiskPressure": "False",
        "NetworkUnavailable": "Unknown",
        "KernelDeadlock": "True",
    }
    conditions = [{"type": kind, "status": each} for kind, each in kinds.items()]
    (read,) = read_text(status(allocatable={"cpu": 1}, conditions=conditions)).nodes
    assert read.ready == "False"
    assert read.conditions == frozendict(MemoryPressure="True", NetworkUnavailable="Unknown")
    assert read_text(json.dumps(manifest(read))).nodes == (read,)


def test_an_invalid_condition_status_is_refused(refusal: Refusal) -> None:
    said = refusal(status(allocatable={"cpu": 1}, conditions=[{"type": "DiskPressure", "status": "yes"}]))
    assert said == "document 1: status.conditions[0].status: 'yes': expected one of True, False, Unknown"


def test_the_capacity_is_kept_if_it_differs_from_allocatable(read_text: Read) -> None:
    (read,) = read_text(status(allocatable={"cpu": "900m"}, capacity={"cpu": 1, "memory": "1Ki"})).nodes
    assert (read.allocatable, read.capacity) == (frozendict(cpu=900), frozendict(cpu=1000, memory=1024))
    assert read_text(json.dumps(manifest(read))).nodes == (read,)
    for fields in (
        {"allocatable": {"cpu": 1}},
        {"capacity": {"cpu": 1}},
        {"allocatable": {"cpu": 1}, "capacity": {"cpu": "1000m"}},
    ):
        (read,) = read_text(status(**fields)).nodes
        assert (read.allocatable, read.capacity) == (frozendict(cpu=1000), frozendict())
