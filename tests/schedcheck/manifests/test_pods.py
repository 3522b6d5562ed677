"""A pod manifest becomes the pod that the API server would store, or is refused where it would be refused"""

from collections.abc import Callable

import pytest
from frozendict import frozendict

from schedcheck.manifests import Cluster
from schedcheck.manifests.manifests import manifest
from schedcheck.spec.objects import Container, Pod, Toleration
from schedcheck.spec.terms import (
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)

Read = Callable[[str], Cluster]
Refusal = Callable[[str], str]

EVERYTHING = """
apiVersion: v1
kind: Pod
metadata:
  name: web-1
  namespace: shop
  labels: {app: web, tier: "1"}
  annotations: {ignored: "yes"}
spec:
  nodeName: n1
  priority: 7
  preemptionPolicy: Never
  schedulerName: other
  nodeSelector: {disk: ssd}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: zone, operator: In, values: [a, b]}, {key: cores, operator: Gt, values: ["4"]}]
          matchFields: [{key: metadata.name, operator: NotIn, values: [n9]}]
        - {}
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 100, preference: {matchExpressions: [{key: gpu, operator: DoesNotExist}]}}
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: zone, labelSelector: {matchLabels: {app: db}}, namespaces: [x], namespaceSelector: {}}
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 1
        podAffinityTerm: {topologyKey: host}
  tolerations:
  - {operator: Exists}
  - {key: gpu, value: x, effect: NoSchedule}
  overhead: {cpu: 10m}
  resources: {requests: {cpu: "2"}}
  initContainers:
  - {name: i, resources: {requests: {cpu: 100m}}}
  - {name: s, restartPolicy: Always, resources: {requests: {memory: 1Ki}}}
  containers:
  - name: c
    resources:
      requests: {cpu: 0.5, nvidia.com/gpu: 1}
      limits: {cpu: 1, memory: 1k, nvidia.com/gpu: 1}
status: {phase: Running}
"""


def test_every_field_that_a_definition_uses_is_read(read_text: Read) -> None:
    assert read_text(EVERYTHING).pods == (
        Pod(
            name="web-1",
            namespace="shop",
            labels=frozendict({"app": "web", "tier": "1"}),
            node_name="n1",
            phase="Running",
            priority=7,
            preemption_policy="Never",
            scheduler_name="other",
            node_selector=frozendict({"disk": "ssd"}),
            affinity=Affinity(
                node_required=(
                    NodeSelectorTerm(
                        (Requirement("zone", "In", ("a", "b")), Requirement("cores", "Gt", ("4",))),
                        (Requirement("metadata.name", "NotIn", ("n9",)),),
                    ),
                    NodeSelectorTerm(),
                ),
                node_preferred=(PreferredNodeTerm(100, NodeSelectorTerm((Requirement("gpu", "DoesNotExist"),))),),
                pod_required=(
                    PodAffinityTerm("zone", LabelSelector(frozendict({"app": "db"})), ("x",), LabelSelector()),
                ),
                anti_preferred=(PreferredPodTerm(1, PodAffinityTerm("host")),),
            ),
            tolerations=(Toleration(operator="Exists"), Toleration("gpu", "", "x", "NoSchedule")),
            init_containers=(
                Container(frozendict({"cpu": 10**8})),
                Container(frozendict({"memory": 1024 * 10**9}), sidecar=True),
            ),
            containers=(Container(frozendict({"cpu": 5 * 10**8, "memory": 10**12, "nvidia.com/gpu": 10**9})),),
            overhead=frozendict({"cpu": 10**7}),
            pod_requests=frozendict({"cpu": 2 * 10**9}),
        ),
    )


def test_omitted_fields_have_the_defaults_of_the_api_server(read_text: Read) -> None:
    assert read_text("{kind: Pod, metadata: {name: a, uid: u}, spec: {containers: [{}]}}").pods == (
        Pod("a", containers=(Container(),)),
    )


def test_the_controlling_owner_reference_is_the_owner(read_text: Read) -> None:
    references = "{kind: Job, name: j}, {kind: ReplicaSet, name: web-1f, controller: true}"
    assert read_text(f"{{kind: Pod, metadata: {{name: a, uid: u, ownerReferences: [{references}]}}}}").pods == (
        Pod("a", owner=("ReplicaSet", "web-1f")),
    )


@pytest.mark.parametrize(
    ("version", "kind", "expected"),
    [
        ("apps/v1", "StatefulSet", "StatefulSet"),
        ("batch/v1", "Job", "Job"),
        ("v1", "ReplicationController", "ReplicationController"),
        ("v1", "Node", "Node"),
        ("apps.example.com/v1", "StatefulSet", "apps.example.com/v1, Kind=StatefulSet"),
        ("apps.kruise.io/v1beta1", "StatefulSet", "apps.kruise.io/v1beta1, Kind=StatefulSet"),
        ("batch.volcano.sh/v1alpha1", "Job", "batch.volcano.sh/v1alpha1, Kind=Job"),
        ("extensions/v1beta1", "ReplicaSet", "extensions/v1beta1, Kind=ReplicaSet"),
    ],
)
def test_an_owner_of_another_group_or_version_keeps_them(
    read_text: Read, version: str, kind: str, expected: str
) -> None:
    reference = f"{{apiVersion: {version}, kind: {kind}, name: o, controller: true}}"
    (one,) = read_text(f"{{kind: Pod, metadata: {{name: a, uid: u, ownerReferences: [{reference}]}}}}").pods
    assert one.owner == (expected, "o")
    (written,) = manifest(one)["metadata"]["ownerReferences"]
    assert (written["apiVersion"], written["kind"], written["name"]) == (version, kind, "o")


def test_a_pod_with_a_deletion_timestamp_is_terminating(read_text: Read) -> None:
    text = "{kind: Pod, metadata: {name: a, uid: u, deletionTimestamp: '2026-01-01T00:00:00Z'}}"
    assert read_text(text).pods == (Pod("a", terminating=True),)


def test_a_toleration_may_have_a_limited_time(read_text: Read) -> None:
    tolerations = "[{operator: Exists, effect: NoExecute, tolerationSeconds: 30}, {key: a, operator: Exists}]"
    assert read_text(f"{{kind: Pod, metadata: {{name: a, uid: u}}, spec: {{tolerations: {tolerations}}}}}").pods == (
        Pod("a", tolerations=(Toleration("", "Exists", "", "NoExecute", 30), Toleration("a", "Exists"))),
    )


def test_null_means_absent(read_text: Read) -> None:
    assert read_text(
        "{kind: Pod, metadata: {name: a, uid: u, labels: null}, spec: {affinity: ~, tolerations: , priority: }, status: }"
    ).pods == (Pod("a"),)


def pod(spec: str, labels: str = "{}") -> str:
    return f"kind: Pod\nmetadata: {{name: a, labels: {labels}}}\nspec: {spec}"


@pytest.mark.parametrize(
    ("quantity", "exact"),
    [("1", 10**9), ("0.1", 10**8), ("1e3", 10**12), ("0755", 493 * 10**9), ("'0755'", 755 * 10**9), ("' 1 '", 10**9)],
)
def test_a_numeric_quantity_is_read_as_go_prints_it(read_text: Read, quantity: str, exact: int) -> None:
    (read,) = read_text(pod(f"{{containers: [{{resources: {{requests: {{cpu: {quantity}}}}}}}]}}")).pods
    assert read.containers == (Container(frozendict(cpu=exact)),)


@pytest.mark.parametrize(
    ("resources", "containers", "requests"),
    [
        ("{limits: {cpu: 2}}", "[{}]", {"cpu": 2 * 10**9}),
        ("{limits: {cpu: 2}, requests: {cpu: 1}}", "[{}]", {"cpu": 10**9}),
        ("{limits: {cpu: 2}}", "[{resources: {limits: {cpu: 1}}}]", {}),
        ("{limits: {cpu: 2, memory: 1}}", "[{resources: {requests: {cpu: 1}}}]", {"memory": 10**9}),
    ],
)
def test_a_pod_level_limit_fills_in_a_request_that_no_container_has(
    read_text: Read, resources: str, containers: str, requests: dict[str, int]
) -> None:
    (read,) = read_text(pod(f"{{resources: {resources}, containers: {containers}}}")).pods
    assert read.pod_requests == requests


TERM = "{{affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: zone, {}}}]}}}}}}"


@pytest.mark.parametrize(
    ("term", "expressions"),
    [
        ("labelSelector: {}, matchLabelKeys: [app]", (Requirement("app", "In", ("web",)),)),
        ("labelSelector: {}, mismatchLabelKeys: [app]", (Requirement("app", "NotIn", ("web",)),)),
        ("labelSelector: {}, matchLabelKeys: [version]", ()),
        (
            "labelSelector: {matchExpressions: [{key: app, operator: In, values: [web]}]}, matchLabelKeys: [app]",
            (Requirement("app", "In", ("web",)),),
        ),
        ("matchLabelKeys: [app]", None),
    ],
)
def test_match_label_keys_become_requirements(
    read_text: Read, term: str, expressions: tuple[Requirement, ...] | None
) -> None:
    (read,) = read_text(pod(TERM.format(term), "{app: web}")).pods
    selector = read.affinity.pod_required[0].label_selector
    assert (None if selector is None else selector.match_expressions) == expressions


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NODE_TERM = f"{{affinity: {{nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: [{{matchExpressions: [{{%s}}]}}]}}}}}}}}"
EXPRESSION = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0]"
POD_TERM = f"spec.affinity.podAffinity.{REQUIRED}[0]"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("[]", "spec: []: expected a map"),
        ("{containers: {}}", "spec.containers: {}: expected a list"),
        ("{containers: [1]}", "spec.containers[0]: 1: expected a map"),
        ("{nodeName: 1}", "spec.nodeName: 1: expected a string"),
        ("{priority: high}", "spec.priority: 'high': expected an integer"),
        ("{priority: '1'}", "spec.priority: '1': expected an integer"),
        ("{priority: yes}", "spec.priority: true: expected an integer"),
        ("{priority: 1.5}", "spec.priority: 1.5: expected an integer"),
        (
            "{priority: 2147483648}",
            "spec.priority: 2147483648: expected an integer from -2147483648 to 2147483647",
        ),
        ("{preemptionPolicy: No}", "spec.preemptionPolicy: false: expected a string"),
        ("{preemptionPolicy: Maybe}", "spec.preemptionPolicy: 'Maybe': expected one of Never, PreemptLowerPriority"),
        ("{nodeSelector: {disk: 1}}", "spec.nodeSelector.disk: 1: expected a string"),
        ("{nodeSelector: {a.b/c: on}}", "spec.nodeSelector['a.b/c']: true: expected a string"),
        ("{overhead: {cpu: -1m}}", "spec.overhead.cpu: '-1m': expected a quantity that is not negative"),
        ("{overhead: {cpu: [1]}}", "spec.overhead.cpu: a list: expected a quantity"),
        ("{overhead: {cpu: true}}", "spec.overhead.cpu: true: expected a quantity"),
        ("{overhead: {cpu: 1K}}", "spec.overhead.cpu: '1K': unable to parse quantity's suffix"),
        (
            "{containers: [{resources: {requests: {cpu: 1Gx}}}]}",
            "spec.containers[0].resources.requests.cpu: '1Gx': quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (
            "{overhead: {cpu: 1e999999999}}",
            "spec.overhead.cpu: '1e999999999': quantity is out of range: it has more than 10000 digits",
        ),
        ("{tolerations: [{}]}", "spec.tolerations[0].operator: expected Exists, as there is no key"),
        ("{tolerations: [{value: x}]}", "spec.tolerations[0].operator: expected Exists, as there is no key"),
        (
            "{tolerations: [{key: a, operator: Exists, value: x}]}",
            "spec.tolerations[0].value: 'x': expected no value, as the operator is Exists",
        ),
        (
            "{tolerations: [{key: a, operator: Exists, tolerationSeconds: 5}]}",
            "spec.tolerations[0].effect: expected NoExecute, as there is a tolerationSeconds",
        ),
        (
            "{tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: long}]}",
            "spec.tolerations[0].tolerationSeconds: 'long': expected an integer",
        ),
        (
            "{tolerations: [{key: a, operator: Exits}]}",
            "spec.tolerations[0].operator: 'Exits': expected one of Equal, Exists",
        ),
        (
            "{tolerations: [{key: a, effect: NoRun}]}",
            "spec.tolerations[0].effect: 'NoRun': expected one of NoSchedule, PreferNoSchedule, NoExecute",
        ),
        (
            f"{{affinity: {{nodeAffinity: {{{REQUIRED}: {{}}}}}}}}",
            f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms: expected at least one term",
        ),
        (
            f"{{affinity: {{nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: []}}}}}}}}",
            f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms: []: expected at least one term",
        ),
        (
            NODE_TERM % "key: a, operator: Exits",
            f"{EXPRESSION}.operator: 'Exits': expected one of In, NotIn, Exists, DoesNotExist, Gt, Lt",
        ),
        (NODE_TERM % "key: a", f"{EXPRESSION}.operator: expected one of In, NotIn, Exists, DoesNotExist, Gt, Lt"),
        (NODE_TERM % "operator: Exists", f"{EXPRESSION}.key: expected a label key"),
        (
            NODE_TERM % "key: a, operator: In",
            f"{EXPRESSION}.values: expected at least one value, as the operator is In",
        ),
        (
            NODE_TERM % "key: a, operator: NotIn, values: []",
            f"{EXPRESSION}.values: []: expected at least one value, as the operator is NotIn",
        ),
        (
            NODE_TERM % "key: a, operator: Exists, values: [x]",
            f"{EXPRESSION}.values: a list: expected no values, as the operator is Exists",
        ),
        (
            NODE_TERM % "key: a, operator: Gt, values: ['1', '2']",
            f"{EXPRESSION}.values: a list: expected one value, as the operator is Gt",
        ),
        (NODE_TERM % "key: a, operator: Gt, values: [1]", f"{EXPRESSION}.values[0]: 1: expected a string"),
        (
            f"{{affinity: {{nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: "
            "[{matchFields: [{key: metadata.uid, operator: In, values: [x]}]}]}}}}",
            f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchFields[0].key: 'metadata.uid': "
            "expected metadata.name",
        ),
        (TERM.format("topologyKey: ''"), f"{POD_TERM}.topologyKey: '': expected a label key"),
        (
            TERM.format("labelSelector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]}"),
            f"{POD_TERM}.labelSelector.matchExpressions[0].operator: 'Gt': "
            "expected one of In, NotIn, Exists, DoesNotExist",
        ),
        (
            f"{{affinity: {{nodeAffinity: {{{PREFERRED}: [{{weight: 101, preference: {{}}}}]}}}}}}",
            f"spec.affinity.nodeAffinity.{PREFERRED}[0].weight: 101: expected an integer from 1 to 100",
        ),
        (
            f"{{affinity: {{podAffinity: {{{PREFERRED}: [{{weight: 0, podAffinityTerm: {{topologyKey: a}}}}]}}}}}}",
            f"spec.affinity.podAffinity.{PREFERRED}[0].weight: 0: expected an integer from 1 to 100",
        ),
    ],
)
def test_a_pod_that_the_api_server_refuses_is_refused_in_one_line(refusal: Refusal, spec: str, message: str) -> None:
    assert refusal(pod(spec)) == f"document 1: {message}"


def test_a_non_numeric_value_of_gt_is_admitted_as_by_the_api_server(read_text: Read) -> None:
    (read,) = read_text(pod(NODE_TERM % "key: a, operator: Gt, values: [x]")).pods
    assert read.affinity.node_required[0].match_expressions == (Requirement("a", "Gt", ("x",)),)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ("{labels: {a: 1}, name: a}", "metadata.labels.a: 1: expected a string"),
        ("{labels: [a], name: a}", "metadata.labels: a list: expected a map"),
        ("{}", "metadata.name: expected a name"),
        ("{name: 1}", "metadata.name: 1: expected a string"),
        ("{name: a, namespace: [b]}", "metadata.namespace: a list: expected a string"),
        (
            "{name: a, ownerReferences: [{kind: Job, controller: yes}]}",
            "metadata.ownerReferences[0].name: expected a name",
        ),
        ("{name: a, deletionTimestamp: 5}", "metadata.deletionTimestamp: 5: expected a string"),
        (
            "{generateName: web-}",
            "metadata.name: expected a name; generateName alone does not say which object this is",
        ),
    ],
)
def test_invalid_metadata_is_refused_by_field(refusal: Refusal, metadata: str, message: str) -> None:
    assert refusal(f"kind: Other\n---\nkind: Pod\nmetadata: {metadata}") == f"document 2: {message}"


def test_an_unknown_phase_is_refused(refusal: Refusal) -> None:
    assert refusal("{kind: Pod, metadata: {name: a}, status: {phase: Done}}") == (
        "document 1: status.phase: 'Done': expected one of Pending, Running, Succeeded, Failed, Unknown"
    )
