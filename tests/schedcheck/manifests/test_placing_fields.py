"""Fields used by the filters and scores of Kubernetes are read as written, and refused where the API server refuses
them
"""

from collections.abc import Callable

import pytest
from frozendict import frozendict

from schedcheck.manifests import Cluster
from schedcheck.spec.objects import Controller, HostPort, NodeImage, Service, SpreadConstraint
from schedcheck.spec.terms import LabelSelector, Requirement

Read = Callable[[str], Cluster]
Refusal = Callable[[str], str]
PORTS = "containers: [{ports: [{containerPort: 80}, {containerPort: 81, hostPort: 8081, protocol: UDP, hostIP: '::'}]}]"


def pod(spec: str, status: str = "", uid: str = "u") -> str:
    return f"{{kind: Pod, metadata: {{name: a, uid: '{uid}', labels: {{app: web}}}}, spec: {{{spec}}}, status: {{{status}}}}}"


def test_only_a_host_port_counts_on_the_node(read_text: Read) -> None:
    (read,) = read_text(pod(PORTS)).pods
    assert read.containers[0].ports == (HostPort(8081, "UDP", "::"),)


def test_with_host_network_every_port_counts_on_the_node(read_text: Read) -> None:
    (read,) = read_text(pod(f"hostNetwork: true, {PORTS}", uid="")).pods
    assert read.containers[0].ports == (HostPort(80), HostPort(8081, "UDP", "::"))


def test_a_spread_constraint_has_the_defaults_of_the_api(read_text: Read) -> None:
    text = "topologySpreadConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]"
    (read,) = read_text(pod(text)).pods
    assert read.spread == (SpreadConstraint(2, "zone", False, None, 1, True, False),)


def test_match_label_keys_of_a_spread_constraint_are_merged_once_if_present(
    read_text: Read,
) -> None:
    text = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
    text += "labelSelector: {matchExpressions: [EXPRESSIONS]}, matchLabelKeys: [app, lacking]}]"
    expected = LabelSelector(match_expressions=(Requirement("app", "In", ("web",)),))
    for expressions in ("", "{key: app, operator: In, values: [web]}"):
        (read,) = read_text(pod(text.replace("EXPRESSIONS", expressions))).pods
        assert read.spread[0].selector == expected


def test_the_status_tells_what_is_allocated_and_what_is_in_use(read_text: Read) -> None:
    status = "containerStatuses: [{name: c, resources: {requests: {cpu: 1, memory: 2}}, allocatedResources: {cpu: 2}}]"
    whole = "resources: {requests: {cpu: 3}}, allocatedResources: {cpu: 4}"
    (read,) = read_text(pod("containers: [{name: c}, {name: d}]", f"{status}, {whole}")).pods
    first, second = read.containers
    assert (first.actual, first.allocated) == (frozendict(cpu=10**9, memory=2 * 10**9), frozendict(cpu=2 * 10**9))
    assert (second.actual, second.allocated) == (None, frozendict())
    assert (read.pod_actual, read.pod_allocated) == (frozendict(cpu=3 * 10**9), frozendict(cpu=4 * 10**9))


def test_resources_without_requests_in_the_status_are_none_and_not_missing(read_text: Read) -> None:
    (read,) = read_text(
        pod("containers: [{name: c}]", "containerStatuses: [{name: c, resources: {}}], resources: {}")
    ).pods
    assert (read.containers[0].actual, read.pod_actual) == (frozendict(), frozendict())


def test_the_first_condition_of_a_type_counts(read_text: Read) -> None:
    first = "{type: DisruptionTarget, status: 'True', reason: PreemptionByScheduler}"
    second = "{type: DisruptionTarget, status: 'False'}"
    (read,) = read_text(pod("", f"conditions: [{first}, {second}]")).pods
    assert read.preempted
    (read,) = read_text(pod("", f"conditions: [{second}, {first}]")).pods
    assert not read.preempted


def test_a_start_time_is_in_microseconds(read_text: Read) -> None:
    (read,) = read_text(pod("", "startTime: '1970-01-01T01:00:01+01:00'")).pods
    assert read.start_time == 10**6


def test_images_services_and_controllers_are_read(read_text: Read) -> None:
    cluster = read_text(
        "{kind: Node, metadata: {name: n1}, status: {images: [{names: [a, b], sizeBytes: 5}, {names: [c]}]}}\n---\n"
        "{kind: Service, metadata: {name: s}, spec: {selector: {app: web}}}\n---\n"
        "{kind: StatefulSet, metadata: {name: t}, spec: {replicas: 0, selector: {matchLabels: {app: web}}, "
        "template: {metadata: {labels: {app: web}}, spec: {}}}}"
    )
    labels = frozendict(app="web")
    assert cluster.nodes[0].images == (NodeImage(("a", "b"), 5), NodeImage(("c",), 0))
    assert cluster.services == (Service("s", "default", labels),)
    assert cluster.controllers == (Controller("StatefulSet", "t", "default", LabelSelector(labels)),)


@pytest.mark.parametrize(
    ("spec", "status", "said"),
    [
        ("topologySpreadConstraints: [{maxSkew: 0, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]", "", "[0].maxSkew: 0: expected an integer from 1"),
        ("topologySpreadConstraints: [{maxSkew: 1, topologyKey: '', whenUnsatisfiable: DoNotSchedule}]", "", "[0].topologyKey: '': expected a label key"),
        ("topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: Never}]", "", "[0].whenUnsatisfiable: 'Never': expected one of"),
        ("containers: [{ports: [{hostPort: 65536}]}]", "", "ports[0].hostPort: 65536: expected an integer from 0 to 65535"),
        ("containers: [{ports: [{hostPort: 1, protocol: tcp}]}]", "", "ports[0].protocol: 'tcp': expected one of TCP, UDP, SCTP"),
        ("", "startTime: yesterday", "status.startTime: 'yesterday': expected a time"),
        ("", "startTime: '2024-01-01T00:00:00'", "status.startTime: '2024-01-01T00:00:00': expected a time with its zone"),
    ],
)  # fmt: skip
def test_an_invalid_field_is_refused_with_its_path(spec: str, status: str, said: str, refusal: Refusal) -> None:
    assert said in refusal(pod(spec, status))
