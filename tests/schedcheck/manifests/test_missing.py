"""Kinds that pods refer to and the input lacks: each is named once, with the assumption and a command that supplies it"""

from collections.abc import Callable

import pytest

from schedcheck.manifests import Cluster

Read = Callable[[str], Cluster]

NODE = "{kind: Node, metadata: {name: n1}, status: {capacity: {cpu: 9}}}\n---\n"


def pod(spec: str = "{}", metadata: str = "", name: str = "a") -> str:
    return f"{{kind: Pod, metadata: {{name: {name}, {metadata}}}, spec: {spec}}}\n---\n"


def term(selector: str) -> str:
    text = f"{{topologyKey: zone, labelSelector: {{}}, namespaceSelector: {selector}}}"
    return f"{{affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{text}]}}}}}}"


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            pod(),
            "no Nodes, which pods (a) need: assumed that there is none, so no pod can be bound; "
            "to supply them: kubectl get nodes -o json > nodes.json",
        ),
        (
            NODE + pod(term("{matchLabels: {team: x}}")),
            "no Namespaces, which pods (a) need: assumed that none has a label; "
            "to supply them: kubectl get namespaces -o json > namespaces.json",
        ),
        (
            NODE + pod("{runtimeClassName: gvisor}"),
            "no RuntimeClasses, which pods (a) need: assumed that a runtime has no overhead and runs on every node; "
            "to supply them: kubectl get runtimeclasses -o json > runtimeclasses.json",
        ),
        (
            NODE + pod("{volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]}"),
            "no PersistentVolumeClaims, which pods (a) need: assumed that a volume fits every node or, "
            "under the profile kubernetes, does not exist; "
            "to supply them: kubectl get pvc,pv,storageclasses -A -o json > volumes.json",
        ),
        (
            NODE + pod("{resourceClaims: [{name: gpu}]}"),
            "no ResourceClaims, which pods (a) need: assumed that a claim can be met on every node, except "
            "under the profile kubernetes, where it is unknown; "
            "to supply them: kubectl get resourceclaims,resourceclaimtemplates,resourceslices,deviceclasses -A -o json > devices.json",
        ),
        (
            NODE + "{kind: Scenario, spec: {properties: [never_over_budget]}}",
            "no PodDisruptionBudgets, which the scenario's properties need: assumed that there is none, so any "
            "pod may be evicted; to supply them: kubectl get poddisruptionbudgets -A -o json > budgets.json",
        ),
    ],
)
def test_a_missing_kind_is_named_with_the_command_that_supplies_it(read_text: Read, text: str, note: str) -> None:
    text = text.replace("kind: Scenario", "apiVersion: schedcheck/v1alpha1, kind: Scenario")
    assert read_text(text).notes == (note,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        pod(),
        pod(term("{}")),
        pod(term("{matchLabels: {team: x}}")) + "{kind: Namespace, metadata: {name: x}}",
        pod("{priorityClassName: system-node-critical}"),
        pod("{priorityClassName: gold, priority: 1}"),
        pod("{priorityClassName: gold}", "uid: u"),
        pod("{runtimeClassName: gvisor}", "uid: u"),
        pod("{nodeName: n1, volumes: [{persistentVolumeClaim: {claimName: c}}]}"),
        pod("{volumes: [{name: v, emptyDir: {}}]}"),
    ],
)
def test_without_missing_kinds_there_is_no_note(read_text: Read, text: str) -> None:
    assert read_text(NODE + text).notes == ()


def test_a_present_kind_is_not_reported_as_missing(read_text: Read) -> None:
    text = pod("{resourceClaims: [{name: gpu}]}") + "{kind: ResourceClaim, metadata: {name: c}}"
    of_class, of_slice = read_text(NODE + text).notes
    assert of_class.startswith("no DeviceClasses, which pods (a) need: ")
    assert of_slice.startswith("no ResourceSlices, which pods (a) need: ")
    text += "\n---\n{kind: DeviceClass, metadata: {name: c}}"
    assert read_text(NODE + text).notes == (of_slice,)
    text += "\n---\n{kind: ResourceSlice, metadata: {name: s}, spec: {driver: d, pool: {name: pool}}}"
    assert read_text(NODE + text).notes == ()


def test_of_many_pods_the_first_are_named_and_all_are_counted(read_text: Read) -> None:
    (note,) = read_text("".join(pod(name=name) for name in "dcba")).notes
    assert note.startswith("no Nodes, which 4 pods (a, b, c, …) need: ")
