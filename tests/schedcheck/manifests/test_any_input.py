"""Any input is read or refused with a one-line InputError; nothing else is raised"""

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.errors import InputError
from schedcheck.manifests import read, scenario
from schedcheck.manifests.identities import GROUPS
from schedcheck.manifests.workloads import KINDS as WORKLOAD_KINDS

KEYS = st.sampled_from(
    [
        "apiVersion",
        "kind",
        "metadata",
        "name",
        "namespace",
        "labels",
        "generateName",
        "uid",
        "resourceVersion",
        "spec",
        "status",
        "items",
        "containers",
        "initContainers",
        "resources",
        "requests",
        "limits",
        "cpu",
        "memory",
        "affinity",
        "nodeAffinity",
        "podAffinity",
        "podAntiAffinity",
        "labelSelector",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "preferredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
        "matchExpressions",
        "matchFields",
        "matchLabels",
        "topologyKey",
        "weight",
        "preference",
        "podAffinityTerm",
        "key",
        "operator",
        "values",
        "effect",
        "tolerations",
        "taints",
        "priority",
        "priorityClassName",
        "value",
        "globalDefault",
        "allocatable",
        "capacity",
        "phase",
        "profile",
        "faults",
        "repaired",
        "absent",
        "events",
        "event",
        "pods",
        "nodes",
        "bound",
        "taint",
        "victims",
        "properties",
        "overhead",
        "matchLabelKeys",
        "restartPolicy",
        "conditions",
        "type",
        "ownerReferences",
        "controller",
        "deletionTimestamp",
        "schedulingGates",
        "tolerationSeconds",
        "runtimeClassName",
        "scheduling",
        "nodeSelector",
        "podFixed",
        "default",
        "defaultRequest",
        "selector",
        "template",
        "jobTemplate",
        "replicas",
        "parallelism",
        "completions",
        "suspend",
        "minAvailable",
        "maxUnavailable",
        "disruptionsAllowed",
        "expectedPods",
        "volumes",
        "resourceClaims",
        "controllers",
        "persistentVolumeClaim",
        "ephemeral",
        "gcePersistentDisk",
        "iscsi",
        "rbd",
        "csi",
        "storage",
        "accessModes",
        "volumeMode",
        "storageClassName",
        "claimRef",
        "required",
        "nodeSelectorTerms",
        "provisioner",
        "volumeBindingMode",
        "allowedTopologies",
        "matchLabelExpressions",
        "annotations",
        "drivers",
        "count",
        "storageCapacity",
        "nodeTopology",
        "maximumVolumeSize",
        "attacher",
        "nodeName",
    ]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(
        ["v1", "a", "In", "Exists", "Gt", "1Gi", "100m", "1e999999999", "all", "arrive", "label", "\ud800"]
    )
)
KINDS = st.sampled_from([*GROUPS, "List", "PodList", "Service"])


def containers(children: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.lists(children, max_size=3) | st.dictionaries(KEYS | st.text(max_size=3), children, max_size=5)


JSON = st.recursive(SCALARS, containers, max_leaves=30)
METADATA = st.fixed_dictionaries({"name": st.sampled_from("ab")}, optional={"uid": JSON, "labels": JSON}) | JSON
OBJECTS = st.fixed_dictionaries({"kind": KINDS, "metadata": METADATA, "spec": JSON, "status": JSON}) | JSON
SELECTED: dict[str, object] = {"matchLabels": {"a": "b"}}
WORKLOADS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(WORKLOAD_KINDS),
        "metadata": METADATA,
        "spec": st.fixed_dictionaries(
            {
                "replicas": st.integers(-1, 3) | JSON,
                "selector": st.just(SELECTED) | JSON,
                "template": st.fixed_dictionaries(
                    {"metadata": st.just({"labels": {"a": "b"}}), "spec": st.dictionaries(KEYS, JSON, max_size=4)}
                ),
            }
        ),
    }
)
BUDGETS = st.fixed_dictionaries(
    {
        "kind": st.just("PodDisruptionBudget"),
        "metadata": METADATA,
        "spec": st.fixed_dictionaries({"selector": st.just(SELECTED) | JSON, "minAvailable": JSON}),
        "status": JSON,
    }
)


def answered(name: str, write: Callable[[Path], object]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        try:
            cluster = read([path])
            assert all(note.isprintable() for note in cluster.notes)
            scenario(cluster, frozenset({"a"}))
        except InputError as error:
            assert str(error).startswith(str(path))
            assert str(error).isprintable()


@given(st.binary(max_size=200), st.sampled_from(["in.yaml", "in.json"]))
def test_any_bytes_are_read_or_refused(content: bytes, name: str) -> None:
    answered(name, lambda path: path.write_bytes(content))


@given(st.text(alphabet="{}[]:,-&*!|>'\"#%?@~<\\ \n\tab1.e", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    answered("in.yaml", lambda path: path.write_text(text, encoding="utf-8"))


@pytest.mark.medium
@given(st.lists(OBJECTS | WORKLOADS | BUDGETS, min_size=1, max_size=3), st.sampled_from(["in.yaml", "in.json"]))
def test_any_structure_is_read_or_refused(values: list[object], name: str) -> None:
    answered(name, lambda path: path.write_text("\n".join(json.dumps(value) for value in values)))
