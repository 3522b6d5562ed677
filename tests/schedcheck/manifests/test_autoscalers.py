"""HorizontalPodAutoscalers of the input, and the workloads that they scale"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.errors import InputError
from schedcheck.manifests import read, scenario
from schedcheck.model.autoscaling import DOWN, UP, Behavior, Direction, Metric, Policy
from schedcheck.model.scenario import Scenario

Made = Callable[..., Scenario]


def deployment(**spec: Any) -> dict[str, Any]:
    container = {"name": "main", "resources": {"requests": {"cpu": "500m"}}}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def scaler(version: str = "v2", target: str = "Deployment", name: str = "web", **spec: Any) -> dict[str, Any]:
    target_ref = {"kind": target, "name": "web"}
    return {
        "apiVersion": f"autoscaling/{version}", "kind": "HorizontalPodAutoscaler", "metadata": {"name": name},
        "spec": {"scaleTargetRef": target_ref, "maxReplicas": 4, **spec},
    }  # fmt: skip


def cpu(target: int, name: str = "cpu") -> dict[str, Any]:
    return {
        "type": "Resource",
        "resource": {"name": name, "target": {"type": "Utilization", "averageUtilization": target}},
    }


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def write(*objects: dict[str, Any], controllers: Any = ("kubelet", "autoscaler"), **spec: Any) -> Scenario:
        document = {
            "apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "metadata": {"name": "s"},
            "spec": {"controllers": list(controllers), **spec},
        }  # fmt: skip
        (tmp_path / "all.yaml").write_text(yaml.safe_dump_all([*objects, document]))
        return scenario(read([tmp_path]), frozenset())

    return write


def refused(made: Made, *objects: dict[str, Any], **more: Any) -> str:
    with pytest.raises(InputError) as raised:
        made(*objects, **more)
    return str(raised.value).partition("document ")[2].partition(": ")[2]


def test_the_pods_of_a_workload_are_there_up_to_the_most_replicas(made: Made) -> None:
    read_scenario = made(deployment(), scaler())
    assert [pod.name for pod in read_scenario.pods] == ["web-0", "web-1", "web-2", "web-3"]
    assert sorted(name for _, name in read_scenario.absent) == ["web-2", "web-3"]
    (rollout,) = read_scenario.rollouts
    assert (str(rollout), rollout.replicas, len(rollout.forms)) == ("deployment/web", 2, 4)
    assert len({(form.owner, form.labels, form.containers) for form in rollout.forms}) == 1
    assert read_scenario.running == ("kubelet", "autoscaler")


def test_a_stateful_set_has_pods_with_ordinals(made: Made) -> None:
    field = deployment(ordinals={"start": 3})
    field["kind"] = "StatefulSet"
    (rollout,) = made(field, scaler(target="StatefulSet")).rollouts
    assert ([form.name for form in rollout.forms], rollout.ordered) == (["web-3", "web-4", "web-5", "web-6"], True)
    (rollout,) = made({**field, "spec": {**field["spec"], "podManagementPolicy": "Parallel"}},
                      scaler(target="StatefulSet")).rollouts  # fmt: skip
    assert not rollout.ordered


def test_without_metrics_the_target_is_80_per_cent_of_cpu_and_v1_has_its_own_field(made: Made) -> None:
    for given, target in ((scaler(), 80), (scaler("v1", targetCPUUtilizationPercentage=50), 50), (scaler("v1"), 80)):
        (found,) = made(deployment(), given).autoscalers
        assert found.metrics == (Metric("cpu", target),)
        assert (found.least, found.most, found.behavior, found.readings, found.starting) == (1, 4, None, None, None)


def test_metrics_are_measurable_if_every_container_requests_the_resource(made: Made) -> None:
    (found,) = made(deployment(), scaler(metrics=[cpu(50), cpu(70, "memory")], minReplicas=2)).autoscalers
    assert found.metrics == (Metric("cpu", 50), Metric("memory", 70, measurable=False))
    assert found.least == 2


def test_readings_are_sorted_and_each_is_once(made: Made) -> None:
    named = ("kubelet", {"autoscaler": {"readings": [90, 20, 90], "starting": [200]}})
    (found,) = made(deployment(), scaler(), controllers=named).autoscalers
    assert (found.readings, found.starting) == ((20, 90), (200,))


def test_behavior_has_the_defaults_for_what_it_lacks(made: Made) -> None:
    def behavior(**fields: Any) -> Behavior | None:
        return made(deployment(), scaler(behavior=fields)).autoscalers[0].behavior

    assert behavior(scaleUp={}) == Behavior(UP, DOWN)
    up = {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}], "selectPolicy": "Min", "tolerance": "0.05"}
    assert behavior(scaleUp=up, scaleDown={"stabilizationWindowSeconds": 0}) == Behavior(
        Direction((Policy("Pods", 1, 60),), "Min", tolerance=0.05), Direction(DOWN.policies)
    )
    found = made(deployment(), scaler(behavior={"scaleUp": {"selectPolicy": "Disabled"}}))
    assert found.cut[0].startswith("assumed of the policies in behavior: none limits a step because of another one")
    assert made(deployment(), scaler()).cut == ()


def test_a_probe_is_noticed(made: Made) -> None:
    field = deployment()
    assert not made(field, scaler()).autoscalers[0].probed
    field["spec"]["template"]["spec"]["containers"][0]["readinessProbe"] = {"httpGet": {"port": 80}}
    assert made(field, scaler()).autoscalers[0].probed


def test_whether_the_last_manifest_had_replicas_is_in_the_annotation_or_the_manifest_itself(made: Made) -> None:
    field, bare = deployment(), deployment()
    del bare["spec"]["replicas"]
    assert [made(each, scaler()).autoscalers[0].given for each in (field, bare)] == [True, False]
    stored = {**field, "metadata": {"name": "web", "uid": "1"}}
    assert not made(stored, scaler()).autoscalers[0].given
    for last, given in (('{"spec": {"replicas": 5}}', True), ('{"spec": {}}', False), ("{}", False)):
        annotations = {"kubectl.kubernetes.io/last-applied-configuration": last}
        again = {**stored, "metadata": {**stored["metadata"], "annotations": annotations}}
        assert made(again, scaler()).autoscalers[0].given is given


@pytest.mark.parametrize(
    ("event", "replicas", "bound"),
    [
        ("apply", 2, None),
        ({"event": "apply", "bound": 1}, 2, 1),
        ({"event": "apply", "replicas": "missing"}, None, None),
        ({"event": "apply", "workloads": ["deployment/web"], "replicas": 6}, 6, None),
    ],
)
def test_an_application_sets_what_the_input_says_or_other_replicas(
    made: Made, event: Any, replicas: int | None, bound: int | None
) -> None:
    found = made(deployment(), scaler(), events=[event])
    (rule,) = found.rules
    assert (rule.event, rule.workloads, rule.replicas, rule.bound) == ("apply", ("deployment/web",), replicas, bound)
    assert len(found.rollouts[0].forms) == max(4, replicas or 0)


def plain(kind: str, **target: Any) -> dict[str, Any]:
    """A metric of pods, of an object or of something external."""
    return {"type": kind, kind.lower(): {"metric": {"name": "queue"}, "target": target}}


VALUES = {"controllers": ["kubelet", {"autoscaler": {"values": {"queue": ["30"], "cpu": ["100m", 1]}}}]}


def test_other_metrics_have_values_in_thousandths(made: Made) -> None:
    of_cpu = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "AverageValue", "averageValue": "250m"}},
    }
    given = [
        of_cpu, plain("Pods", averageValue="5"), plain("Object", type="Value", value="1k"),
        plain("Object", type="AverageValue", averageValue="3"), plain("External", value="7"),
        plain("External", averageValue="100m"),
    ]  # fmt: skip
    found = made(deployment(), scaler(metrics=given), **VALUES)
    queue = {"resource": False, "values": (30_000,)}
    assert found.autoscalers[0].metrics == (
        Metric("cpu", 250, aim="AverageValue", values=(100, 1000)), Metric("queue", 5000, aim="AverageValue", **queue),
        Metric("queue", 1_000_000, aim="Value", **queue), Metric("queue", 3000, aim="ValuePerReplica", **queue),
        Metric("queue", 7000, aim="Value", **queue), Metric("queue", 100, aim="ValuePerReplica", **queue),
    )  # fmt: skip
    assert found.cut[-1].startswith("assumed of the status of workloads that metrics share among replicas")


def test_the_utilization_of_a_container_is_a_share_of_its_own_request(made: Made) -> None:
    field = deployment()
    field["spec"]["template"]["spec"]["containers"].append({"name": "side"})
    named = [
        {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": each, "target": {"type": "Utilization", "averageUtilization": 50}}}
        for each in ("main", "side", "none")
    ]  # fmt: skip
    found = made(field, scaler(metrics=[*named, cpu(50)])).autoscalers[0]
    assert [each.measurable for each in found.metrics] == [True, False, False, False]


def test_a_request_of_the_whole_pod_lets_containers_lack_others(made: Made) -> None:
    field = deployment()
    spec = field["spec"]["template"]["spec"]
    spec["containers"].append({"name": "side"})
    assert not made(field, scaler(metrics=[cpu(50)])).autoscalers[0].metrics[0].measurable
    spec["resources"] = {"requests": {"memory": "1Gi"}}
    assert made(field, scaler(metrics=[cpu(50)])).autoscalers[0].metrics[0].measurable


OTHER = {
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other", "labels": {"app": "web"}},
    "spec": {"containers": [{"name": "main"}]},
}  # fmt: skip
REFUSED = [
    ([deployment()], {}, "spec.controllers: the controller autoscaler needs a HorizontalPodAutoscaler in the input"),
    ([deployment(), scaler()], {"controllers": ["autoscaler"]}, "spec.controllers: the controller autoscaler needs the controller kubelet, which starts the pods that are measured"),
    ([scaler()], {}, "spec.scaleTargetRef.name: 'web': the input has no Deployment of this name in its namespace"),
    ([deployment(), scaler(target="DaemonSet")], {}, "spec.scaleTargetRef.kind: 'DaemonSet': expected one of Deployment, ReplicaSet, StatefulSet; others are not modelled"),
    ([deployment(), scaler("v2beta2")], {}, "apiVersion: 'autoscaling/v2beta2': expected autoscaling/v2 or autoscaling/v1"),
    ([deployment(), scaler(), scaler(name="b")], {}, "spec.scaleTargetRef: a map: another HorizontalPodAutoscaler scales this workload"),
    ([deployment(), scaler(minReplicas=5)], {}, "spec.maxReplicas: 4: expected at least minReplicas"),
    ([deployment(), scaler(minReplicas=0)], {}, "spec.minReplicas: 0: scaling to 0 is not modelled"),
    ([deployment(), {**scaler(), "status": {"conditions": [{"type": "ScaledToZero", "status": "True"}]}}], {}, "status.conditions: a list: scaling to 0 is not modelled"),
    ([deployment(), {**scaler("v1"), "metadata": {"name": "web", "annotations": {"autoscaling.alpha.kubernetes.io/behavior": "{}"}}}], {}, "metadata.annotations['autoscaling.alpha.kubernetes.io/behavior']: '{}': not modelled: give the object as autoscaling/v2"),
    ([deployment(), scaler(metrics=[{"type": "Node"}])], {}, "spec.metrics[0].type: 'Node': expected one of Resource, ContainerResource, Pods, Object, External"),
    ([deployment(), scaler(metrics=[plain("Pods", averageValue="5")])], {}, "spec.controllers: the controller autoscaler needs values for the metric queue, as values: {queue: [1, 5]}"),
    ([deployment(), scaler(metrics=[plain("Object", type="Utilization")])], VALUES, "spec.metrics[0].object.target.type: 'Utilization': expected Value or AverageValue"),
    ([deployment(), scaler(metrics=[plain("External", value="0")])], VALUES, "spec.metrics[0].external.target.value: '0': expected a quantity above 0 and up to 2,305,843"),
    ([deployment(), scaler(metrics=[plain("External", value="1n")])], VALUES, "spec.metrics[0].external.target.value: '1n': a reading of more than 20,000 times the target may exceed the integers of the autoscaler, which is not modelled"),
    ([deployment(), scaler(behavior={"scaleUp": {"policies": [{"type": "Pods", "value": 2**31 - 1, "periodSeconds": 15}]}})], {}, "spec.behavior.scaleUp.policies[0].value: 2147483647: more than 1,000,000 may exceed the integers of the autoscaler, which is not modelled"),
    ([deployment(), scaler()], {"controllers": ["kubelet", {"autoscaler": {"values": {"queue": []}}}]}, "spec.controllers[1].autoscaler.values.queue: []: expected values of the metric, as [100m, 5]"),
    ([deployment(paused=True), scaler()], {}, "spec.paused: true: a paused Deployment is not modelled beside an autoscaler"),
    ([deployment(), scaler(), OTHER], {}, "spec.selector: a map: selects other too, which is not of the workload: not modelled beside an autoscaler"),
    ([deployment(), scaler()], {"controllers": ["kubelet"], "events": ["apply"]}, "spec.events[0]: 'apply': the event apply without a manifest belongs to the controller autoscaler"),
    ([deployment(), scaler()], {"events": [{"event": "apply", "workloads": ["deployment/wep"]}]}, "spec.events[0].workloads[0]: 'deployment/wep': no autoscaler scales this workload; did you mean 'deployment/web'?"),
    ([deployment(), scaler()], {"controllers": ["kubelet", {"autoscaler": {"readings": []}}]}, "spec.controllers[1].autoscaler.readings: []: expected utilizations in per cent, as [20, 50, 90]"),
    ([deployment(), scaler()], {"controllers": ["kubelet", "autoscaler", "autoscaler"]}, "spec.controllers[2]: 'autoscaler': expected autoscaler no more than once"),
    ([deployment(), scaler()], {"profile": "corrected"}, "spec.controllers[1]: 'autoscaler': not modelled together with the profile corrected"),
]  # fmt: skip


@pytest.mark.parametrize(("objects", "more", "said"), REFUSED)
def test_what_is_not_modelled_is_refused_by_name(
    made: Made, objects: list[dict[str, Any]], more: dict[str, Any], said: str
) -> None:
    assert refused(made, *objects, **more) == said


def test_an_autoscaler_without_the_controller_is_noted(tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text(yaml.safe_dump_all([deployment(), scaler()]))
    notes = read([tmp_path]).notes
    assert "read for the controller autoscaler alone: 1 HorizontalPodAutoscaler" in notes
