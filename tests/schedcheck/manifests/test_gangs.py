"""Workloads, references of pods to pod groups, and the feature gates of gang scheduling"""

from collections.abc import Callable
from dataclasses import replace

import pytest

import schedcheck
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.manifests.feature_gates import gated, switched, with_gangs
from schedcheck.manifests.gangs import UNMODELLED
from schedcheck.manifests.manifests import yaml_text
from schedcheck.manifests.snapshots import snapshot_manifests
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.workload_objects import GangWorkload, GroupPolicy, PodGroup, WorkloadReference

Read = Callable[[str], Cluster]
Refusal = Callable[[str], str]

WORKLOAD = """
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: {name: train, namespace: ml}
spec: {podGroups: [{name: workers, policy: {gang: {minCount: 3}}}, {name: driver, policy: {basic: {}}}]}
"""
POD = """
kind: Pod
metadata: {name: worker, namespace: ml}
spec: {workloadRef: {name: train, podGroup: workers, podGroupReplicaKey: "0"}, containers: [{name: main}]}
"""


def test_a_workload_and_a_reference_are_read(read_text: Read) -> None:
    cluster = read_text(f"{WORKLOAD}---{POD}")
    assert cluster.groups == (GangWorkload("train", "ml", (GroupPolicy("workers", 3), GroupPolicy("driver"))),)
    assert cluster.pods[0].workload == WorkloadReference("train", "workers", "0")
    assert cluster.snapshot().workloads == cluster.groups


def test_they_are_written_as_they_are_read(read_text: Read) -> None:
    there = read_text(f"{WORKLOAD}---{POD}").snapshot()
    assert read_text(yaml_text(snapshot_manifests(there))).snapshot().workloads == there.workloads
    assert read_text(yaml_text(snapshot_manifests(there))).pods[0].workload == there.pods[0].workload


@pytest.mark.parametrize(
    ("wrong", "right", "told"),
    [
        ("minCount: 0", "minCount: 3", "minCount"),
        ("minCount: x", "minCount: 3", "minCount"),
        ("{}", "{gang: {minCount: 3}}", "expected either basic or gang"),
        ("{gang: {minCount: 3}, basic: {}}", "{gang: {minCount: 3}}", "expected either basic or gang"),
        ("name: workers", "name: driver", "no other pod group"),
        ("name: Driver", "name: driver", "DNS label"),
        ("podGroups: []", "podGroups: [{name: workers, policy: {gang: {minCount: 3}}}, {name: driver, policy: {basic: {}}}]",
         "one to 8"),
        ("name: Train", "name: train", "DNS subdomain"),
    ],
)  # fmt: skip
def test_a_wrong_workload_is_one_line(refusal: Refusal, wrong: str, right: str, told: str) -> None:
    assert right in WORKLOAD
    text = refusal(WORKLOAD.replace(right, wrong, 1))
    assert told in text
    assert "\n" not in text


@pytest.mark.parametrize("wrong", ["{podGroup: workers}", "{name: train}", "{name: train, podGroup: A}", "train"])
def test_a_wrong_reference_is_one_line(refusal: Refusal, wrong: str) -> None:
    text = refusal(POD.replace('{name: train, podGroup: workers, podGroupReplicaKey: "0"}', wrong))
    assert "workloadRef" in text
    assert "\n" not in text


def test_a_later_version_of_workload_is_not_read(read_text: Read) -> None:
    cluster = read_text(WORKLOAD.replace("v1alpha1", "v1alpha2"))
    assert cluster.groups == ()
    assert cluster.notes == ("not read: 1 Workload",)


# PodGroups

GROUP = """
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: train, namespace: ml}
spec: {schedulingPolicy: {gang: {minCount: 3}}, priorityClassName: high}
"""
CLASS = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 7}"
IN_GROUP = """
kind: Pod
metadata: {name: worker, namespace: ml}
spec: {schedulingGroup: {podGroupName: train}, priorityClassName: high, containers: [{name: main}]}
"""


@pytest.mark.parametrize("version", ["v1beta1", "v1alpha3", "v1alpha2"])
def test_a_pod_group_is_read_with_the_priority_of_its_class(read_text: Read, version: str) -> None:
    cluster = read_text(f"{GROUP.replace('v1beta1', version)}---\n{CLASS}\n---{IN_GROUP}")
    assert cluster.pod_groups == (PodGroup("train", "ml", 3, 7),)
    assert cluster.snapshot().pod_groups == cluster.pod_groups
    assert (cluster.pods[0].scheduling_group, cluster.pods[0].priority) == ("train", 7)


@pytest.mark.parametrize(("mode", "together"), [("Pod", False), ("PodGroup", True), ("{all: {}}", True)])
def test_the_disruption_mode_of_1_36_is_a_word(read_text: Read, mode: str, together: bool) -> None:
    cluster = read_text(GROUP.replace("priorityClassName: high", f"disruptionMode: {mode}"))
    assert cluster.pod_groups == (PodGroup("train", "ml", 3, disrupted_together=together),)


def test_a_pod_group_of_another_version_is_not_read(read_text: Read) -> None:
    cluster = read_text(f"{GROUP.replace('v1beta1', 'v1alpha1')}---\n{CLASS}")
    assert cluster.pod_groups == ()
    assert "not read: 1 PodGroup" in cluster.notes


@pytest.mark.parametrize(
    "group",
    [
        PodGroup("a", "ml", 3, 7),
        PodGroup("a", "ml", None, 7, disrupted_together=True),
        *(PodGroup("a", unmodelled=words) for words in UNMODELLED.values()),
    ],
)
def test_pod_groups_are_written_as_they_are_read(read_text: Read, group: PodGroup) -> None:
    there = replace(read_text(f"{IN_GROUP}---\n{CLASS}").snapshot(), pod_groups=(group,))
    again = read_text(yaml_text(snapshot_manifests(there))).snapshot()
    assert again.pod_groups == (group,)
    assert again.pods[0].scheduling_group == "train"


@pytest.mark.parametrize(
    ("wrong", "right", "told"),
    [
        ("minCount: 0", "minCount: 3", "spec.schedulingPolicy.gang.minCount"),
        ("{}", "{gang: {minCount: 3}}", "expected either basic or gang"),
        ("{gang: {minCount: 3}, basic: {}}", "{gang: {minCount: 3}}", "expected either basic or gang"),
        ("name: Train", "name: train", "DNS subdomain"),
        ("priorityClassName: low", "priorityClassName: high", "expected a PriorityClass"),
        ("disruptionMode: {single: {}, all: {}}", "priorityClassName: high", "expected either single or all"),
        ("disruptionMode: All", "priorityClassName: high", "expected Pod or PodGroup"),
    ],
)
def test_a_wrong_pod_group_is_one_line(refusal: Refusal, wrong: str, right: str, told: str) -> None:
    assert right in GROUP
    text = refusal(f"{GROUP.replace(right, wrong, 1)}---\n{CLASS}")
    assert told in text
    assert "\n" not in text


@pytest.mark.parametrize("wrong", ["{}", "{podGroupName: A}", "train"])
def test_a_wrong_scheduling_group_is_one_line(refusal: Refusal, wrong: str) -> None:
    text = refusal(f"{IN_GROUP.replace('{podGroupName: train}', wrong)}---\n{CLASS}")
    assert "schedulingGroup" in text
    assert "\n" not in text


# Feature gates


def gangs(text: str, version: str = "1.35.8") -> bool:
    return bool(switched((text,), version, "--feature-gates").gangs)


def test_both_gates_switch_gangs_on_and_one_alone_does_not() -> None:
    assert gangs("GenericWorkload=true,GangScheduling=true")
    assert not gangs("GenericWorkload=true")
    assert not gangs("GenericWorkload=false,GangScheduling=false")
    with pytest.raises(InputError, match=r"GenericWorkload.*need it: GangScheduling"):
        gangs("GangScheduling=true")


def test_in_1_37_one_gate_adds_the_plugin_at_other_points() -> None:
    found = switched(("GenericWorkload=true",), "1.37.2", "")
    assert found.gangs == ("preEnqueue", "permit", "placementFeasible")
    assert gated(DEFAULT_PLUGINS, found).at("reserve") == DEFAULT_PLUGINS.at("reserve")
    with pytest.raises(InputError, match=r"1\.37 has no feature gate of this name"):
        gangs("GangScheduling=true", "1.37.2")


def test_in_1_36_the_plugin_judges_at_permit_and_one_gate_alone_is_refused_by_name() -> None:
    found = switched(("GenericWorkload=true,GangScheduling=true",), "1.36.4", "")
    assert found.gangs == ("preEnqueue", "permit")
    with pytest.raises(
        InputError, match=r"GenericWorkload=true.*without GangScheduling=true it is not modelled for 1\.36"
    ):
        gangs("GenericWorkload=true", "1.36.4")
    with pytest.raises(InputError, match=r"need it: GangScheduling"):
        gangs("GangScheduling=true", "1.36.4")
    with pytest.raises(InputError, match=r"WorkloadAwarePreemption=true is not modelled for 1\.36"):
        gangs("GenericWorkload=true,GangScheduling=true,WorkloadAwarePreemption=true", "1.36.4")


@pytest.mark.parametrize("version", ["1.34.9", "1.37.2"])
def test_other_versions_refuse_gangs_by_name(version: str) -> None:
    with pytest.raises(InputError, match=r"GenericWorkload|GangScheduling"):
        gangs("GenericWorkload=true,GangScheduling=true", version)


def test_the_plugin_comes_last_at_its_points() -> None:
    made = with_gangs(DEFAULT_PLUGINS)
    assert [made.at(point)[-1] for point in ("preEnqueue", "reserve", "permit")] == ["GangScheduling"] * 3
    assert replace(made, points=DEFAULT_PLUGINS.points) == DEFAULT_PLUGINS


ON = schedcheck.Profile("kubernetes-1.35", feature_gates=("GenericWorkload=true,GangScheduling=true",))
NODE = "{kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 1, pods: 9}}}"


def told(cluster: Cluster, profile: schedcheck.Profile) -> list[str]:
    asked = schedcheck.check(cluster, profile=profile, properties=["no_overcommit"])
    return [note for note in asked.notes if "workloadRef" in note]


def test_without_the_gates_the_output_says_that_the_references_are_not_looked_at(read_text: Read) -> None:
    cluster = read_text(f"{WORKLOAD}---{POD}---\n{NODE}")
    (note,) = told(cluster, schedcheck.Profile("kubernetes-1.35"))
    assert note.startswith("not looked at: spec.workloadRef of pods (ml/worker)")
    assert told(cluster, ON) == []


IN_ONE_CYCLE = schedcheck.Profile("kubernetes-1.37", feature_gates=("GenericWorkload=true",))


@pytest.mark.parametrize(
    ("profile", "seen"),
    [(schedcheck.Profile("kubernetes-1.37"), False), (IN_ONE_CYCLE, True), (ON, False)],
)
def test_a_scheduling_group_is_looked_at_with_the_gate_of_1_37_alone(
    read_text: Read, profile: schedcheck.Profile, seen: bool
) -> None:
    cluster = read_text(f"{GROUP}---\n{CLASS}\n---{IN_GROUP}---\n{NODE}")
    asked = schedcheck.check(cluster, profile=profile, properties=["no_overcommit"])
    notes = [note for note in asked.notes if note.startswith("not looked at: spec.schedulingGroup of pods (ml/worker)")]
    assert len(notes) == (0 if seen else 1)


def test_a_question_that_knows_no_gangs_refuses_the_gate(read_text: Read) -> None:
    with pytest.raises(
        InputError, match="modelled in explain, compare, diff, optimum, tla export and in check of a whole scenario"
    ):
        schedcheck.victims(read_text(f"{WORKLOAD}---{POD}"), "worker", namespace="ml", profile=ON)


def test_a_question_about_one_pod_refuses_the_gate(read_text: Read) -> None:
    with pytest.raises(
        InputError, match="modelled in explain, compare, diff, optimum, tla export and in check of a whole scenario"
    ):
        schedcheck.check(read_text(f"{WORKLOAD}---{POD}---\n{NODE}"), about="pod/ml/worker", profile=ON)


# The feature gates of a scenario

SCENARIO = """
kind: Scenario
apiVersion: schedcheck/v1alpha1
spec: {profile: PROFILE, featureGates: GATES, properties: [no_overcommit]}
"""


def with_gates(gates: str, profile: str = "kubernetes-1.35") -> str:
    return f"{WORKLOAD}---{POD}---\n{NODE}\n---{SCENARIO.replace('GATES', gates).replace('PROFILE', profile)}"


def test_a_scenario_switches_the_gates_unless_the_profile_does(read_text: Read) -> None:
    cluster = read_text(with_gates("[GenericWorkload=true, GangScheduling=true]"))
    taken = {name for name, _ in schedcheck.check(cluster).checked.result.coverage.items()}
    assert "WaitOnPermit" in taken
    off = schedcheck.Profile(feature_gates=("GenericWorkload=false,GangScheduling=false",))
    assert (
        "WaitOnPermit"
        not in schedcheck.check(cluster, profile=replace(off, name="kubernetes-1.35")).checked.result.coverage
    )


@pytest.mark.parametrize(
    ("gates", "profile", "told"),
    [
        ("[GangScheduling=true]", "kubernetes-1.35", "these that are on need it: GangScheduling"),
        ("[GenericWorkload=true]", "kubernetes-1.36", "without GangScheduling=true it is not modelled"),
        ("[GangSchedulin=true]", "kubernetes-1.35", "did you mean 'GangScheduling'"),
        ("[GenericWorkload=true]", "classic", "belongs to the profiles of kube-scheduler"),
    ],
)
def test_wrong_gates_of_a_scenario_are_one_line(read_text: Read, gates: str, profile: str, told: str) -> None:
    with pytest.raises(InputError, match=r"document 4: spec.featureGates") as raised:
        schedcheck.check(read_text(with_gates(gates, profile)))
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)
