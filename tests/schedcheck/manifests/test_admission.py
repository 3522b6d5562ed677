"""Admission: a pod without a uid gets the additions of the API server, each reported; one with a uid is unchanged"""

from collections.abc import Callable

import pytest
from frozendict import frozendict

from schedcheck.manifests import Cluster
from schedcheck.spec.objects import Container, Pod, Toleration
from schedcheck.spec.terms import Affinity, LabelSelector, PodAffinityTerm, Requirement

Read = Callable[[str], Cluster]
Refusal = Callable[[str], str]

BORNE = (
    Toleration("node.kubernetes.io/not-ready", "Exists", "", "NoExecute", 300),
    Toleration("node.kubernetes.io/unreachable", "Exists", "", "NoExecute", 300),
)
ALWAYS = (
    "metadata.namespace: default",
    "spec.schedulerName: default-scheduler",
    "spec.priority: 0",
    "spec.tolerations: node.kubernetes.io/not-ready:NoExecute for 300 s",
    "spec.tolerations: node.kubernetes.io/unreachable:NoExecute for 300 s",
)
CPU = 10**9
A = ("default", "a")


def pod(spec: str, metadata: str = "") -> str:
    return f"kind: Pod\nmetadata: {{name: a, {metadata}}}\nspec: {spec}\n"


def additions(cluster: Cluster) -> list[str]:
    """The additions to pod a except those that every pod gets."""
    return [each for each in cluster.added.get(A, ()) if each not in ALWAYS]


def test_an_empty_pod_gets_the_defaults(read_text: Read) -> None:
    cluster = read_text("{kind: Pod, metadata: {name: a}}")
    assert cluster.pods == (Pod("a", tolerations=BORNE),)
    assert cluster.added == {A: ALWAYS}


def test_a_pod_with_a_uid_is_unchanged(read_text: Read) -> None:
    spec = "{priorityClassName: gold, runtimeClassName: gvisor, containers: [{resources: {limits: {cpu: 1}}}]}"
    objects = "---\n{kind: PriorityClass, metadata: {name: gold}, value: 9, globalDefault: true}\n"
    objects += "---\n{kind: RuntimeClass, metadata: {name: gvisor}, overhead: {podFixed: {cpu: 1}}}\n"
    objects += "---\n{kind: LimitRange, metadata: {name: l}, spec: {limits: [{type: Container, default: {cpu: 2}}]}}"
    cluster = read_text(pod(spec, "uid: u") + objects)
    assert cluster.pods == (Pod("a", containers=(Container(),)),)
    assert cluster.added == {}


def test_fields_that_the_pod_sets_are_not_added(read_text: Read) -> None:
    spec = "{schedulerName: other, priority: 5, tolerations: [{operator: Exists}]}"
    assert read_text(pod(spec, "namespace: default")).added == {}


@pytest.mark.parametrize(
    ("tolerations", "added"),
    [
        ("[{operator: Exists}]", ()),
        ("[{operator: Exists, effect: NoExecute, tolerationSeconds: 1}]", ()),
        ("[{operator: Exists, effect: NoSchedule}]", BORNE),
        ("[{key: node.kubernetes.io/not-ready, operator: Exists}]", BORNE[1:]),
        ("[{key: node.kubernetes.io/unreachable, value: x, effect: NoExecute}]", BORNE[:1]),
        ("[{key: gpu, operator: Exists, effect: NoExecute}]", BORNE),
    ],
)
def test_tolerations_of_unready_nodes_are_added_unless_already_covered(
    read_text: Read, tolerations: str, added: tuple[Toleration, ...]
) -> None:
    (read,) = read_text(pod(f"{{tolerations: {tolerations}}}")).pods
    assert read.tolerations[1:] == added


def test_limits_fill_in_missing_requests(read_text: Read) -> None:
    resources = "{limits: {cpu: 2, memory: 1Ki}, requests: {cpu: 1}}"
    cluster = read_text(
        pod(f"{{containers: [{{}}, {{resources: {resources}}}], initContainers: [{{resources: {resources}}}]}}")
    )
    filled = Container(frozendict(cpu=CPU, memory=1024 * 10**9))
    assert cluster.pods == (Pod("a", tolerations=BORNE, containers=(Container(), filled), init_containers=(filled,)),)
    assert additions(cluster) == [
        "spec.containers[1].resources.requests.memory: 1Ki, its limit",
        "spec.initContainers[0].resources.requests.memory: 1Ki, its limit",
    ]


LIMIT_RANGE = "---\n{kind: LimitRange, metadata: {name: limits, namespace: %s}, spec: {limits: [%s]}}\n"


@pytest.mark.parametrize(
    ("limits", "requests"),
    [
        ("{type: Container, defaultRequest: {cpu: 1}, default: {cpu: 2}, max: {cpu: 3}, min: {cpu: 4}}", CPU),
        ("{type: Container, default: {cpu: 2}, max: {cpu: 3}, min: {cpu: 4}}", 2 * CPU),
        ("{type: Container, max: {cpu: 3}, min: {cpu: 4}}", 3 * CPU),
        ("{type: Container, min: {cpu: 4}}", 4 * CPU),
        ("{type: Pod, min: {cpu: 4}}", None),
    ],
)
def test_a_limit_range_fills_in_missing_requests_and_limits(read_text: Read, limits: str, requests: int | None) -> None:
    spec = "{containers: [{}, {resources: {limits: {cpu: 5}}}], initContainers: [{}]}"
    cluster = read_text(pod(spec) + LIMIT_RANGE % ("default", limits))
    expected = Container() if requests is None else Container(frozendict(cpu=requests))
    (read,) = cluster.pods
    assert read.containers == (expected, Container(frozendict(cpu=5 * CPU)))
    assert read.init_containers == (expected,)
    assert any("LimitRange limits" in each for each in additions(cluster)) == (requests is not None)


def test_a_limit_range_of_another_namespace_does_not_apply(read_text: Read) -> None:
    limits = LIMIT_RANGE % ("shop", "{type: Container, default: {cpu: 2}}")
    assert read_text(pod("{containers: [{}]}") + limits).pods[0].containers == (Container(),)


def test_of_several_limit_ranges_the_first_by_name_applies_first(read_text: Read) -> None:
    both = [LIMIT_RANGE % ("default", f"{{type: Container, default: {{cpu: {cpu}}}}}") for cpu in (1, 2)]
    ranges = both[0].replace("name: limits", "name: b") + both[1].replace("name: limits", "name: a")
    assert read_text(pod("{containers: [{}]}") + ranges).pods[0].containers == (Container(frozendict(cpu=2 * CPU)),)


RUNTIME = """---
kind: RuntimeClass
metadata: {name: gvisor}
overhead: {podFixed: {cpu: 250m}}
scheduling: {nodeSelector: {runtime: gvisor}, tolerations: [{key: sandboxed, operator: Exists}]}
"""


def test_a_runtime_class_adds_overhead_node_selector_and_tolerations(read_text: Read) -> None:
    cluster = read_text(pod("{runtimeClassName: gvisor, nodeSelector: {disk: ssd}}") + RUNTIME)
    assert cluster.pods == (
        Pod(
            "a",
            overhead=frozendict(cpu=CPU // 4),
            node_selector=frozendict(disk="ssd", runtime="gvisor"),
            tolerations=(*BORNE, Toleration("sandboxed", "Exists")),
        ),
    )
    assert additions(cluster) == [
        "spec.overhead.cpu: 250m, from RuntimeClass gvisor",
        "spec.nodeSelector.runtime: gvisor, from RuntimeClass gvisor",
        "spec.tolerations: sandboxed, from RuntimeClass gvisor",
    ]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("{runtimeClassName: kata}", "spec.runtimeClassName: 'kata': expected a RuntimeClass of the input"),
        (
            "{runtimeClassName: gvisor, overhead: {cpu: 1}}",
            "spec.overhead: a map: expected the overhead of the RuntimeClass, or none",
        ),
        (
            "{runtimeClassName: gvisor, nodeSelector: {runtime: kata}}",
            "spec.nodeSelector.runtime: 'kata': the RuntimeClass has another value: gvisor",
        ),
    ],
)
def test_a_contradiction_to_the_runtime_class_is_refused(refusal: Refusal, spec: str, message: str) -> None:
    assert refusal(pod(spec) + RUNTIME) == f"document 1: {message}"


def test_an_equal_overhead_is_no_contradiction(read_text: Read) -> None:
    assert read_text(pod("{runtimeClassName: gvisor, overhead: {cpu: 0.25}}") + RUNTIME).pods[0].overhead == {
        "cpu": CPU // 4
    }


def test_the_priority_class_of_a_pod_is_reported(read_text: Read) -> None:
    gold = "---\n{kind: PriorityClass, metadata: {name: gold}, value: 9, preemptionPolicy: Never}"
    assert additions(read_text(pod("{priorityClassName: gold}") + gold)) == [
        "spec.priority: 9, from PriorityClass gold",
        "spec.preemptionPolicy: Never, from PriorityClass gold",
    ]


def test_match_label_keys_are_merged_and_reported(read_text: Read) -> None:
    term = "{topologyKey: zone, labelSelector: {}, matchLabelKeys: [app]}"
    spec = f"{{affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}}}}}"
    cluster = read_text(pod(spec, "labels: {app: web}"))
    selector = LabelSelector(match_expressions=(Requirement("app", "In", ("web",)),))
    assert cluster.pods[0].affinity == Affinity(anti_required=(PodAffinityTerm("zone", selector),))
    assert additions(cluster) == ["spec.affinity: the label keys of its terms, as requirements of their selectors"]
    assert read_text(pod(spec, "uid: u, labels: {app: web}")).pods[0].affinity == Affinity(
        anti_required=(PodAffinityTerm("zone", LabelSelector()),)
    )
