"""A DeschedulerPolicy is read from its file or a scenario, and refused in one line"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from frozendict import frozendict

import schedcheck
from schedcheck import Search
from schedcheck.errors import InputError, Unanswerable
from schedcheck.manifests import cluster
from schedcheck.manifests.descheduler_policy import descheduler_of, descheduler_policy
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.qos import qos_class
from schedcheck.model.descheduling import (
    DEFAULT_PROTECTIONS,
    ConditionFilter,
    Descheduler,
    Facts,
    InterPodAntiAffinity,
    Namespaces,
    NodeAffinity,
    NodeTaints,
    PodLifeTime,
    RemoveDuplicates,
    TooManyRestarts,
    TopologySpread,
    Utilization,
)
from schedcheck.spec.terms import LabelSelector, Requirement

OWNER = {"kind": "ReplicaSet", "name": "web", "uid": "u", "apiVersion": "apps/v1", "controller": True}


def a_pod(name: str = "web-1", owners: Any = (OWNER,), **metadata: Any) -> dict[str, Any]:
    """A stored pod."""
    given = {"name": name, "namespace": "default", "uid": name, "ownerReferences": list(owners), **metadata}
    return {"kind": "Pod", "apiVersion": "v1", "metadata": given, "spec": {"containers": [{"name": "c"}]}}


def policy(*plugins: str, args: Any = None, evictor: Any = None, **fields: Any) -> dict[str, Any]:
    """A policy that enables these plugins at balance, each with these arguments."""
    configs = [{"name": name, "args": args} for name in plugins]
    configs += [{"name": "DefaultEvictor", "args": evictor}] if evictor is not None else []
    profile = {"name": "p", "pluginConfig": configs, "plugins": {"balance": {"enabled": list(plugins)}}}
    return {"apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy", "profiles": [profile], **fields}


def read(given: Any, *objects: Any) -> Descheduler:
    """The descheduler of a policy, for the pods of these objects."""
    found = cluster(Document("objects", number, each) for number, each in enumerate(objects, 1))
    return descheduler_of(Field(Document("policy.yaml", 1, given), given), found, found.pods)


def test_a_policy_without_arguments_has_the_defaults() -> None:
    made = read(policy("RemoveDuplicates"))
    (run,) = made.runs
    assert (run.plugin, run.arguments) == ("RemoveDuplicates", RemoveDuplicates())
    assert (run.evictor.protections, run.evictor.threshold) == (frozenset(DEFAULT_PROTECTIONS), 2_000_000_000)
    assert (made.per_node, made.per_namespace, made.total) == (None, None, None)


def test_the_fields_of_a_policy_are_read() -> None:
    limits = {"maxNoOfPodsToEvictPerNode": 1, "maxNoOfPodsToEvictPerNamespace": 2, "maxNoOfPodsToEvictTotal": 0}
    args = {"namespaces": {"exclude": ["kube-system"]}, "excludeOwnerKinds": ["Job"]}
    evictor = {
        "nodeFit": True,
        "minReplicas": 3,
        "priorityThreshold": {"name": "batch"},
        "labelSelector": {"matchLabels": {"app": "web"}},
        "podProtections": {"extraEnabled": ["PodsWithPVC"], "defaultDisabled": ["DaemonSetPods"]},
        "noEvictionPolicy": "Mandatory",
    }
    batch = {"kind": "PriorityClass", "apiVersion": "scheduling.k8s.io/v1", "metadata": {"name": "batch"}, "value": 7}
    made = read(policy("RemoveDuplicates", args=args, evictor=evictor, nodeSelector="zone in (a,b)", **limits), batch)
    assert (made.per_node, made.per_namespace, made.total) == (1, 2, 0)
    assert made.node_selector == LabelSelector(match_expressions=(Requirement("zone", "In", ("a", "b")),))
    (run,) = made.runs
    assert run.arguments == RemoveDuplicates(Namespaces(exclude=frozenset({"kube-system"})), frozenset({"Job"}))
    assert (run.evictor.threshold, run.evictor.node_fit, run.evictor.min_replicas) == (7, True, 3)
    assert run.evictor.protections == {"PodsWithLocalStorage", "SystemCriticalPods", "FailedBarePods", "PodsWithPVC"}
    assert run.evictor.no_eviction_mandatory


ARGUMENTS = {"namespaces": {"include": ["shop"]}, "labelSelector": {"matchLabels": {"app": "web"}}}
COMMON = (Namespaces(include=frozenset({"shop"})), LabelSelector(frozendict({"app": "web"})))
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


@pytest.mark.parametrize(
    ("name", "args", "made"),
    [
        ("NodeAffinity", {"nodeAffinityType": [PREFERRED, REQUIRED]}, NodeAffinity(("preferred", "required"), *COMMON)),
        ("NodeTaints", {}, NodeTaints(*COMMON)),
        ("NodeTaints", {"includePreferNoSchedule": True, "excludedTaints": ["a"]}, NodeTaints(*COMMON, True, frozenset("a"))),
        ("NodeTaints", {"includedTaints": []}, NodeTaints(*COMMON, included=frozenset())),
        ("InterPodAntiAffinity", {}, InterPodAntiAffinity(*COMMON)),
    ],
)  # fmt: skip
def test_plugins_for_violating_pods_are_read_and_run_before_those_that_balance(name: str, args: Any, made: Any) -> None:
    name = f"RemovePodsViolating{name}"
    given = policy("RemoveDuplicates")
    given["profiles"][0]["pluginConfig"].append({"name": name, "args": {**ARGUMENTS, **args}})
    given["profiles"][0]["plugins"]["deschedule"] = {"enabled": [name]}
    assert [(run.plugin, run.arguments) for run in read(given).runs] == [
        (name, made),
        ("RemoveDuplicates", RemoveDuplicates()),
    ]


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("NodeAffinity", {}, f"nodeAffinityType: expected {REQUIRED} or {PREFERRED}"),
        ("NodeAffinity", {"nodeAffinityType": ["required"]}, f"nodeAffinityType[0]: 'required': expected {REQUIRED} or {PREFERRED}"),
        ("NodeTaints", {"excludedTaints": ["a"], "includedTaints": ["b"]}, "includedTaints: a list: expected includedTaints or excludedTaints, not both"),
        ("InterPodAntiAffinity", {"labelselector": {}}, "labelselector: unknown field; did you mean 'labelSelector'?"),
    ],
)  # fmt: skip
def test_wrong_arguments_of_plugins_for_violating_pods_get_one_line(name: str, args: Any, said: str) -> None:
    given = policy()
    given["profiles"][0]["pluginConfig"].append({"name": f"RemovePodsViolating{name}", "args": args})
    with pytest.raises(InputError) as raised:
        read(given)
    assert str(raised.value) == f"policy.yaml: document 1: profiles[0].pluginConfig[0].args.{said}"


def by_age(args: Any) -> dict[str, Any]:
    """A policy that enables PodLifeTime at deschedule, with these arguments."""
    given = policy()
    given["profiles"][0]["pluginConfig"].append({"name": "PodLifeTime", "args": args})
    given["profiles"][0]["plugins"]["deschedule"] = {"enabled": ["PodLifeTime"]}
    return given


OLD = {"maxPodLifeTimeSeconds": 60}
READY = {"type": "Ready", "status": "False", "reason": "x", "minTimeSinceLastTransitionSeconds": 5}


@pytest.mark.parametrize(
    ("args", "made"),
    [
        ({"maxPodLifeTimeSeconds": 0}, PodLifeTime(ended=True)),
        ({"maxPodLifeTimeSeconds": 2**64 - 1}, PodLifeTime(ended=True)),
        ({**OLD, **ARGUMENTS, "ownerKinds": {"include": ["Job"]}}, PodLifeTime(*COMMON, frozenset({"Job"}), ended=True)),
        ({**OLD, "ownerKinds": {"exclude": ["Job"]}}, PodLifeTime(exclude_owner_kinds=frozenset({"Job"}), ended=True)),
        ({**OLD, "states": [], "conditions": [], "exitCodes": []}, PodLifeTime(ended=True)),
        (
            {"states": ["Failed", "OOMKilled"], "includingInitContainers": True, "includingEphemeralContainers": True},
            PodLifeTime(
                aged=False, states=frozenset({"Failed", "OOMKilled"}), with_init_containers=True,
                with_ephemeral_containers=True, ended=True,
            ),
        ),
        (
            {**OLD, "conditions": [READY, {"type": "Ready"}], "exitCodes": [1, -1]},
            PodLifeTime(
                conditions=(ConditionFilter("Ready", "False", "x", True), ConditionFilter("Ready")),
                exit_codes=frozenset({1, -1}), ended=True,
            ),
        ),
    ],
)  # fmt: skip
def test_the_arguments_of_pod_life_time_are_read(args: Any, made: PodLifeTime) -> None:
    assert [(run.plugin, run.arguments) for run in read(by_age(args)).runs] == [("PodLifeTime", made)]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({**OLD, "conditions": [{}]}, "conditions[0]: {}: expected at least one of type, status, reason, minTimeSinceLastTransitionSeconds"),
        ({**OLD, "conditions": [{"kind": "Ready"}]}, "conditions[0]: a map: expected at least one of type, status, reason, minTimeSinceLastTransitionSeconds"),
        ({**OLD, "exitCodes": ["1"]}, "exitCodes[0]: '1': expected an integer"),
        ({}, "maxPodLifeTimeSeconds: expected this or one of states, conditions, exitCodes"),
        ({"maxPodLifeTimeSeconds": -1}, "maxPodLifeTimeSeconds: -1: expected an integer from 0 to 18446744073709551615"),
        ({"maxPodLifeTimeSeconds": "1h"}, "maxPodLifeTimeSeconds: '1h': expected an integer"),
        ({**OLD, "ownerKinds": {"include": ["Job"], "exclude": ["Job"]}}, "ownerKinds: a map: expected include or exclude, not both"),
        ({**OLD, "ownerKinds": {"includes": ["Job"]}}, "ownerKinds.includes: unknown field; did you mean 'include'?"),
        ({**OLD, "includingInitContainers": "yes"}, "includingInitContainers: 'yes': expected true or false"),
    ],
)  # fmt: skip
def test_wrong_arguments_of_pod_life_time_get_one_line(args: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read(by_age(args))
    assert str(raised.value) == f"policy.yaml: document 1: profiles[0].pluginConfig[0].args.{said}"


SPREAD = "RemovePodsViolatingTopologySpreadConstraint"


@pytest.mark.parametrize(
    ("args", "made"),
    [
        (None, TopologySpread()),
        ({"constraints": ["ScheduleAnyway"]}, TopologySpread(actions=frozenset({"ScheduleAnyway"}))),
        ({**ARGUMENTS, "topologyBalanceNodeFit": False}, TopologySpread(*COMMON, node_fit=False)),
        ({"constraints": [], "topologyBalanceNodeFit": True}, TopologySpread()),
    ],
)
def test_the_arguments_of_the_spread_plugin_are_read(args: Any, made: TopologySpread) -> None:
    (run,) = read(policy(SPREAD, args=args)).runs
    assert run.arguments == made


def test_an_unknown_constraint_of_the_spread_plugin_gets_one_line() -> None:
    with pytest.raises(
        InputError, match=r"args.constraints\[0\]: 'Never': expected one of DoNotSchedule, ScheduleAnyway$"
    ):
        read(policy(SPREAD, args={"constraints": ["Never"]}))


LOW = {"thresholds": {"cpu": 20, "memory": 20.5}, "numberOfNodes": 2, "evictableNamespaces": {"exclude": ["shop"]}}
READ = frozendict({"cpu": 20.0, "memory": 20.5})


@pytest.mark.parametrize(
    ("name", "args", "made"),
    [
        ("High", {"evictionModes": ["OnlyThresholdingResources"]}, Utilization(True, READ, number=2, excluded=frozenset({"shop"}), only_thresholding=True)),
        (
            "Low",
            {"targetThresholds": {"cpu": 50, "memory": 20.5}, "evictionLimits": {"node": 3}, "useDeviationThresholds": False},
            Utilization(False, READ, frozendict({"cpu": 50.0, "memory": 20.5}), 2, frozenset({"shop"}), most=3),
        ),
    ],
)  # fmt: skip
def test_the_arguments_of_the_utilization_plugins_are_read(name: str, args: Any, made: Utilization) -> None:
    (run,) = read(policy(f"{name}NodeUtilization", args={**LOW, **args})).runs
    assert run.arguments == made


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("High", {"thresholds": {}}, "thresholds: {}: expected a percentage of some resource"),
        ("High", {"thresholds": {"cpu": 101}}, "thresholds.cpu: 101: expected a percentage from 0 to 100"),
        ("High", {"thresholds": {"cpu": "20"}}, "thresholds.cpu: '20': expected a percentage from 0 to 100"),
        ("High", {**LOW, "evictionModes": ["All"]}, "evictionModes[0]: 'All': expected OnlyThresholdingResources"),
        ("High", {**LOW, "evictableNamespaces": {"include": ["a"]}}, "evictableNamespaces.include: a list: expected exclude alone, which this plugin supports"),
        ("Low", {**LOW, "targetThresholds": {"cpu": 50}}, "targetThresholds: a map: expected the resources of thresholds"),
        ("Low", {**LOW, "targetThresholds": {"cpu": 10, "memory": 50}}, "targetThresholds.cpu: 10: expected at least the 20 of thresholds"),
        ("Low", {**LOW, "useDeviationThresholds": True}, "useDeviationThresholds: true: not modelled: anything but thresholds of requests"),
        ("Low", {**LOW, "metricsUtilization": {"source": "KubernetesMetrics"}}, "metricsUtilization: a map: not modelled: anything but thresholds of requests"),
    ],
)  # fmt: skip
def test_wrong_arguments_of_the_utilization_plugins_get_one_line(name: str, args: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read(policy(f"{name}NodeUtilization", args=args))
    assert str(raised.value) == f"policy.yaml: document 1: profiles[0].pluginConfig[0].args.{said}"


@pytest.mark.parametrize(
    ("requests", "limits", "recorded", "place"),
    [
        ({}, {}, None, 0),
        ({"gpu": 1}, {"gpu": 1}, None, 0),
        ({"cpu": "1"}, {}, None, 1),
        ({}, {"cpu": "1"}, None, 1),
        ({"cpu": "1", "memory": "1Gi"}, {"cpu": "1000m", "memory": "1Gi"}, None, 2),
        ({"cpu": "1", "memory": "1Gi"}, {"cpu": "2", "memory": "1Gi"}, None, 1),
        ({"cpu": "1"}, {"cpu": "1"}, None, 1),
        ({}, {}, "Guaranteed", 2),
    ],
)
def test_the_qos_class_is_that_of_the_status_or_follows_from_requests_and_limits(
    requests: Any, limits: Any, recorded: str | None, place: int
) -> None:
    given = {"spec": {"containers": [{"resources": {"requests": requests, "limits": limits}}]}}
    field = Field(Document("pod", 1, given), {**given, "status": {"qosClass": recorded}})
    assert qos_class(field["spec"], field["status"]) == place


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"annotations": []}, "metadata.annotations: []: expected a map"),
        ({"annotations": {"kubernetes.io/config.source": 1}}, "metadata.annotations['kubernetes.io/config.source']: 1: expected a string"),
    ],
)  # fmt: skip
def test_a_malformed_pod_gets_one_line_that_names_it(metadata: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read(policy(), a_pod(**metadata))
    assert str(raised.value).endswith(said)


def test_deprecated_switches_turn_protections_off_and_on() -> None:
    evictor = {"evictDaemonSetPods": True, "ignorePvcPods": True, "evictLocalStoragePods": False}
    (run,) = read(policy("RemoveDuplicates", evictor=evictor)).runs
    assert run.evictor.protections == frozenset(DEFAULT_PROTECTIONS) - {"DaemonSetPods"} | {"PodsWithPVC"}


def test_facts_of_pods_come_from_annotations_volumes_and_all_owners() -> None:
    annotated = a_pod(
        annotations={
            "descheduler.alpha.kubernetes.io/evict": "",
            "descheduler.alpha.kubernetes.io/prefer-no-eviction": "",
            "kubernetes.io/config.mirror": "x",
            "kubernetes.io/config.source": "file",
        }
    )
    annotated["spec"]["volumes"] = [{"name": "v", "emptyDir": {}}]
    made = read(policy(), annotated, a_pod("web-2", owners=()))
    owners = (("ReplicaSet", "web", "u"),)
    assert made.facts["default", "web-1"] == Facts(owners, True, True, True, True, True)
    assert made.facts["default", "web-2"] == Facts()


def test_pods_that_the_scenario_lacks_count_for_their_owner() -> None:
    found = cluster([Document("objects", 1, a_pod()), Document("objects", 2, a_pod("web-2"))])
    document = Field(Document("policy.yaml", 1, policy()), policy())
    made = descheduler_of(document, found, found.pods[:1])
    assert (set(made.facts), made.others) == ({("default", "web-1")}, {"u": 1})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "Pod"}, "kind: 'Pod': expected DeschedulerPolicy"),
        ({"kind": "DeschedulerPolicy", "apiVersion": "descheduler/v1alpha1"}, "apiVersion: 'descheduler/v1alpha1': expected descheduler/v1alpha2"),
        (policy(nodeselector="a=b"), "nodeselector: unknown field; did you mean 'nodeSelector'?"),
        (
            policy("RemoveDuplicates", args={"nodeFit": True}, evictor={"nodefit": True}, limit=1),
            "limit: unknown field, and so are profiles[0].pluginConfig[1].args.nodefit, profiles[0].pluginConfig[0].args.nodeFit;"
            " the descheduler would ignore them",
        ),
        (policy("RemoveDuplicate"), "profiles[0].pluginConfig[0].name: 'RemoveDuplicate': the descheduler has no plugin of this name; did you mean 'RemoveDuplicates'?"),
        (policy("RemoveFailedPods"), "profiles[0].plugins.balance.enabled[0]: 'RemoveFailedPods': expected a plugin of the extension point balance; this one is of deschedule"),
        (policy("RemoveDuplicates", args={"namespaces": {"include": ["a"], "exclude": ["b"]}}), "profiles[0].pluginConfig[0].args.namespaces: a map: expected include or exclude, not both"),
        (policy(evictor={"minPodAge": "5m"}), "profiles[0].pluginConfig[0].args.minPodAge: '5m': not modelled: the age of pods"),
        (policy(evictor={"priorityThreshold": {"value": 1, "name": "a"}}), "profiles[0].pluginConfig[0].args.priorityThreshold: a map: expected a value or a name, not both"),
        (policy(evictor={"priorityThreshold": {"value": 2_000_000_001}}), "profiles[0].pluginConfig[0].args.priorityThreshold.value: 2000000001: expected an integer from -2147483648 to 2000000000"),
        (policy(evictor={"priorityThreshold": {"name": "system-node-critical"}}), "profiles[0].pluginConfig[0].args.priorityThreshold.name: 'system-node-critical': expected a PriorityClass of at most 2000000000"),
        (policy(evictor={"nodeFit": "yes"}), "profiles[0].pluginConfig[0].args.nodeFit: 'yes': expected true or false"),
        (policy(evictor={"noEvictionPolicy": "Always"}), "profiles[0].pluginConfig[0].args.noEvictionPolicy: 'Always': expected one of Preferred, Mandatory"),
        (
            policy(evictor={"evictDaemonSetPods": True, "podProtections": {"extraEnabled": ["PodsWithPVC"]}}),
            "profiles[0].pluginConfig[0].args.evictDaemonSetPods: true: not possible together with podProtections",
        ),
        (policy(evictor={"podProtections": {"extraEnabled": ["PodsWithPVC"] * 2}}), "profiles[0].pluginConfig[0].args.podProtections.extraEnabled[1]: 'PodsWithPVC': expected each protection once"),
        (policy(maxNoOfPodsToEvictTotal=-1), "maxNoOfPodsToEvictTotal: -1: expected an integer from 0 to 4294967295"),
        (policy(nodeSelector="=="), "nodeSelector: '==': expected labels, as zone=a,disk!=hdd or 'zone in (a,b)'"),
        (
            {**policy(), "profiles": [{"plugins": {"balance": {"enabled": ["RemoveDuplicates"]}}}]},
            "profiles[0].plugins.balance.enabled[0]: 'RemoveDuplicates': expected a pluginConfig of this name, without which the descheduler does not start",
        ),
    ],
)  # fmt: skip
def test_a_policy_that_is_refused_gets_one_line(given: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read(given)
    assert str(raised.value) == f"policy.yaml: document 1: {said}"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"metricsCollector": 5}, "metricsCollector: 5: expected a map"),
        ({"metricsCollector": {"enabled": "x"}}, "metricsCollector.enabled: 'x': expected true or false"),
        ({"metricsCollector": {"enable": True}}, "metricsCollector.enable: unknown field; did you mean 'enabled'?"),
        ({"metricsProviders": "x"}, "metricsProviders: 'x': expected a list"),
        ({"metricsProviders": [{"source": "Prometheus"}]}, "metricsProviders[0].prometheus.url: expected a URL"),
        (
            {"metricsProviders": [{"source": "KubernetesMetrics"}] * 2},
            "metricsProviders[1].source: 'KubernetesMetrics': expected each source once",
        ),
        (
            {"metricsCollector": {"enabled": True}, "metricsProviders": [{"source": "KubernetesMetrics"}]},
            "metricsProviders[0].source: 'KubernetesMetrics': not possible together with metricsCollector",
        ),
        (
            {"metricsProviders": [{"source": "Prometheus", "prometheus": {"url": "u", "authToken": {}}}]},
            "metricsProviders[0].prometheus.authToken.secretReference.namespace: expected the namespace of a secret",
        ),
        (
            {"metricsProviders": [{"source": "Prometheus", "prometheus": {"url": "u", "authToken": {"secretReference": {"namespace": "n"}}}}]},
            "metricsProviders[0].prometheus.authToken.secretReference.name: expected the name of a secret",
        ),
        ({"profiles": [{"name": 3}]}, "profiles[0].name: 3: expected a string"),
        ({"profiles": [{"plugins": {"sort": {"disabled": 5}}}]}, "profiles[0].plugins.sort.disabled: 5: expected a list"),
    ],
)  # fmt: skip
def test_fields_that_no_plugin_uses_are_refused_where_the_descheduler_refuses_them(fields: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read({**policy(), **fields})
    assert str(raised.value) == f"policy.yaml: document 1: {said}"


@pytest.mark.parametrize(
    "fields",
    [
        {"metricsCollector": {"enabled": False}, "metricsProviders": [{"source": "KubernetesMetrics"}]},
        {"metricsCollector": {"enabled": True}},
        {"metricsProviders": [{"source": "KubernetesMetrics", "prometheus": {"authToken": {}}}]},
        {"metricsProviders": [{"source": "Prometheus", "prometheus": {"url": "u", "authToken": {"secretReference": {"namespace": "n", "name": "s"}}}}]},
    ],
)  # fmt: skip
def test_metrics_that_the_descheduler_accepts_change_nothing(fields: Any) -> None:
    assert read(policy("RemoveDuplicates", **fields)).runs == read(policy("RemoveDuplicates")).runs


def test_plugins_that_balance_run_after_those_of_every_profile_that_deschedule() -> None:
    first, second = policy("RemoveDuplicates", evictor={"minReplicas": 2}), by_age(OLD)
    runs = read({**first, "profiles": [*first["profiles"], *second["profiles"]]}).runs
    assert [(run.plugin, run.evictor.min_replicas) for run in runs] == [("PodLifeTime", 0), ("RemoveDuplicates", 2)]


def restarting(args: Any) -> dict[str, Any]:
    """A policy with the plugin for pods that restarted too often."""
    name = "RemovePodsHavingTooManyRestarts"
    points = {"deschedule": {"enabled": [name]}}
    return {**policy(), "profiles": [{"pluginConfig": [{"name": name, "args": args}], "plugins": points}]}


def test_the_threshold_and_the_restarts_of_a_dump_are_read() -> None:
    counts = {
        "containerStatuses": [{"name": "c", "restartCount": 2}, {"name": "d", "restartCount": 1}, {"name": "e"}],
        "initContainerStatuses": [{"name": "i", "restartCount": 4}],
    }
    made = read(restarting({"podRestartThreshold": 5, "includingInitContainers": True}), {**a_pod(), "status": counts})
    (run,) = made.runs
    assert run.arguments == TooManyRestarts(5, with_init_containers=True)
    assert made.facts["default", "web-1"].restarts == (3, 4)
    assert (made.threshold, made.most_restarts) == (5, None)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "podRestartThreshold: expected an integer"),
        ({"podRestartThreshold": 0}, "podRestartThreshold: 0: expected an integer from 1 to 2147483647"),
        ({"podRestartThreshold": 1, "states": ["Running"]}, "states: a list: not modelled: the status of pods and containers"),
        ({"podRestartThreshold": 1, "states": ["Failed"]}, "states[0]: 'Failed': expected one of Running, CrashLoopBackOff"),
        ({"podRestartThreshold": 1, "includingInitContainer": True}, "includingInitContainer: unknown field; did you mean 'includingInitContainers'?"),
    ],
)  # fmt: skip
def test_refused_arguments_of_restarts_get_one_line(args: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read(restarting(args))
    assert str(raised.value) == f"policy.yaml: document 1: profiles[0].pluginConfig[0].args.{said}"


def test_several_owners_make_remove_duplicates_unanswerable() -> None:
    twice = a_pod(owners=(OWNER, {**OWNER, "name": "old", "uid": "v", "controller": False}))
    with pytest.raises(
        Unanswerable, match=r"^default/web-1 has several owners, for which RemoveDuplicates is not modelled$"
    ):
        read(policy("RemoveDuplicates"), twice)
    assert len(read(policy(), twice).facts["default", "web-1"].owners) == 2


def scenario(folder: Path, controllers: Any) -> schedcheck.Cluster:
    """The cluster of a folder with a pod and this scenario."""
    (folder / "pod.yaml").write_text(yaml.safe_dump(a_pod()))
    document = {"apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "spec": {"controllers": controllers}}
    (folder / "scenario.yaml").write_text(yaml.safe_dump(document))
    return schedcheck.read(folder / "pod.yaml", folder / "scenario.yaml", whole=False)


def test_a_scenario_names_the_file_of_a_policy_or_has_the_policy_itself(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(yaml.safe_dump(policy("RemoveDuplicates")))
    for given in ("policy.yaml", policy("RemoveDuplicates")):
        found = schedcheck.check(scenario(tmp_path, ["owners", {"descheduler": given}]))
        made = found.checked.scenario
        assert made.descheduler is not None
        assert [run.plugin for run in made.descheduler.runs] == ["RemoveDuplicates"]
        assert made.running == ("owners", "descheduler")


@pytest.mark.parametrize(
    ("controllers", "said"),
    [
        (["descheduler"], "spec.controllers[0]: 'descheduler': expected {descheduler: policy.yaml}, with the file of its DeschedulerPolicy or the policy"),
        ([{"deschedule": "x"}], "spec.controllers[0].deschedule: unknown field; did you mean 'descheduler'?"),
        ([{"descheduler": None}], "spec.controllers[0]: a map: expected {descheduler: policy.yaml}"),
        ([{"descheduler": policy()}] * 2, "spec.controllers[1]: a map: expected no more than one descheduler"),
    ],
)  # fmt: skip
def test_a_descheduler_without_a_policy_is_refused(tmp_path: Path, controllers: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        schedcheck.check(scenario(tmp_path, controllers))
    assert str(raised.value).endswith(f"document 1: {said}")


def test_a_policy_of_another_file_is_added_to_a_cluster_without_a_scenario(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(yaml.safe_dump(policy("RemoveDuplicates")))
    (tmp_path / "pod.yaml").write_text(yaml.safe_dump(a_pod()))
    given = schedcheck.read(tmp_path / "pod.yaml")
    made = schedcheck.check(given, search=Search(controllers=(f"descheduler={file}",))).checked
    assert made.scenario.running == ("owners", "descheduler")
    assert "comes_to_rest" in [each.name for each in made.properties]
    assert schedcheck.check(given, search=Search(controllers=("podgc",))).checked.scenario.running == (
        "owners",
        "podgc",
    )
    whole = replace(given, whole=schedcheck.read(tmp_path / "pod.yaml", whole=False).whole)
    with pytest.raises(InputError, match="needs the pods as they were read"):
        schedcheck.check(whole, search=Search(controllers=(f"descheduler={file}",)))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("deschedule", "search.controllers: 'deschedule': no controller has this name; did you mean 'descheduler'?"),
        ("descheduler", "search.controllers: 'descheduler': expected descheduler=FILE, with a DeschedulerPolicy"),
        ("podgc=x", "search.controllers: 'podgc=x': expected no file, as this controller has no configuration"),
    ],
)
def test_a_controller_that_is_added_wrongly_gets_one_line(given: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        schedcheck.check(cluster([Document("objects", 1, a_pod())]), search=Search(controllers=(given,)))
    assert str(raised.value) == said


def test_a_file_with_two_policies_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(yaml.safe_dump_all([policy(), policy()]))
    with pytest.raises(InputError, match="expected no more than one policy"):
        descheduler_policy(file, cluster(()), ())
