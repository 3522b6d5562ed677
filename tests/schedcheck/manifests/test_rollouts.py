"""What becomes of applied manifests: the changes, the rollouts, and the pods to come"""

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests.applying import LAST_APPLIED, applied
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.rollouts import Change, changes
from schedcheck.model.controllers.stateful_set import form_of

Manifest = dict[str, Any]
NODES = [{"kind": "Node", "metadata": {"name": f"n{number}"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}} for number in range(2)]  # fmt: skip


def template(image: str = "web:1", **spec: Any) -> Manifest:
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": image}], **spec}}


def workload(kind: str = "Deployment", replicas: int | None = 2, made: Manifest | None = None, **spec: Any) -> Manifest:
    number = {} if replicas is None else {"replicas": replicas}
    return {
        "apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"},
        "spec": {**number, "selector": {"matchLabels": {"app": "web"}}, "template": made or template(), **spec},
    }  # fmt: skip


def live(manifest: Manifest, *, annotated: bool = True) -> Manifest:
    made = copy.deepcopy(manifest)
    made["metadata"] |= {"uid": "w", "namespace": "default"}
    if annotated:
        made["metadata"]["annotations"] = {LAST_APPLIED: json.dumps(manifest)}
    made["spec"]["template"]["spec"]["dnsPolicy"] = "ClusterFirst"
    made["spec"].setdefault("replicas", 1)
    return made


def pods(*names: str, kind: str = "ReplicaSet", owner: str = "web-abc", **status: Any) -> list[Manifest]:
    labels = {"app": "web", "pod-template-hash": "abc"}
    return [
        {
            "kind": "Pod", "apiVersion": "v1",
            "metadata": {"name": name, "uid": name, "labels": labels,
                         "ownerReferences": [{"apiVersion": "apps/v1", "kind": kind, "name": owner, "controller": True}]},
            "spec": {"nodeName": f"n{number % 2}", "containers": [{"name": "c", "image": "web:1"}]},
            "status": {"phase": "Running", **status},
        }
        for number, name in enumerate(names)
    ]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def change(folder: Path, manifests: Sequence[Manifest], there: Sequence[Manifest], **options: Any) -> tuple[Cluster, Change]:  # fmt: skip
    cluster, (found, *_) = changed(folder, manifests, there, **options)
    return cluster, found


def changed(folder: Path, manifests: Sequence[Manifest], there: Sequence[Manifest], **options: Any) -> tuple[Cluster, tuple[Change, ...]]:  # fmt: skip
    for name, objects in (("new", manifests), ("old", [*NODES, *there])):
        (folder / f"{name}.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": list(objects)}))
    return changes(applied([folder / "new.json"] if manifests else [], [folder / "old.json"], **options))


def names(found: Sequence[Any]) -> list[str]:
    return [each.name for each in found]


def test_the_same_manifest_changes_nothing(folder: Path) -> None:
    _, found = change(folder, [workload()], [live(workload()), *pods("a", "b")])
    assert (found.what, found.rollout) == ("unchanged", None)


def test_another_template_is_a_rolling_update(folder: Path) -> None:
    cluster, found = change(folder, [workload(made=template("web:2"))], [live(workload()), *pods("a", "b")])
    made = found.rollout
    assert found.what == "updated" and made is not None and made.rolling
    assert names(made.former) == ["a", "b"] and names(made.forms) == ["web-new-0", "web-new-1"]
    # A quarter of two pods: one more, none fewer.
    assert (made.surge, made.unavailable) == (1, 0)
    assert {pod.key for pod in made.forms} <= {pod.key for pod in cluster.pods}
    assert made.forms[0].owner != made.former[0].owner
    assert not any(pod.node_name for pod in (*made.forms, *made.former))


def test_other_replicas_scale_with_the_labels_of_the_present_replica_set(folder: Path) -> None:
    _, found = change(folder, [workload(replicas=3)], [live(workload()), *pods("a", "b")])
    made = found.rollout
    assert found.what == "scaled" and (found.before, found.replicas) == (2, 3)
    assert made is not None and not made.rolling and names(made.forms) == ["a", "b", "web-new-0"]
    assert made.forms[2].labels["pod-template-hash"] == "abc" and made.forms[2].owner == ("ReplicaSet", "web-abc")
    assert made.start == (0, 3)


def test_template_and_replicas_together_scale_the_former_template_first(folder: Path) -> None:
    _, found = change(folder, [workload(replicas=3, made=template("web:2"))], [live(workload()), *pods("a", "b")])
    made = found.rollout
    assert made is not None and made.start == (3, 0)
    assert names(made.former) == ["a", "b", "web-old-0"] and len(made.forms) == 3
    assert made.former[2].labels["pod-template-hash"] == "abc"


def test_replicas_that_the_manifest_lacks_stay_unless_they_were_applied(folder: Path) -> None:
    without = workload(replicas=None, made=template("web:2"))
    there = [live(workload(replicas=2)), *pods("a", "b")]
    _, found = change(folder, [without], there)
    assert (found.before, found.replicas) == (2, 1), "the default of a Deployment"
    scaled = live(workload(replicas=None))
    scaled["spec"]["replicas"] = 2
    _, found = change(folder, [without], [scaled, *pods("a", "b")])
    assert (found.before, found.replicas) == (2, 2)


def test_strategies_are_read(folder: Path) -> None:
    there = [live(workload()), *pods("a", "b")]
    limits = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": "50%"}}
    _, found = change(folder, [workload(made=template("web:2"), strategy=limits)], there)
    assert found.rollout is not None and (found.rollout.surge, found.rollout.unavailable) == (0, 1)
    _, found = change(folder, [workload(made=template("web:2"), strategy={"type": "Recreate"})], there)
    assert found.rollout is not None and found.rollout.recreate
    wrong = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "a lot"}}
    with pytest.raises(InputError, match="maxSurge: 'a lot': expected a number or a percentage"):
        change(folder, [workload(made=template("web:2"), strategy=wrong)], there)


def test_a_paused_deployment_is_only_scaled(folder: Path) -> None:
    _, found = change(folder, [workload(replicas=3, made=template("web:2"), paused=True)], [live(workload()), *pods("a", "b")])  # fmt: skip
    assert found.what == "scaled" and found.rollout is not None and not found.rollout.rolling
    assert found.notes == ("pods that exist keep their template",)


def test_a_rollout_under_way_is_unknown(folder: Path) -> None:
    there = [live(workload()), *pods("a"), *pods("b", owner="web-def")]
    _, found = change(folder, [workload(made=template("web:2"))], there)
    assert found.rollout is None and "already under way" in found.unknown


def test_an_autoscaler_makes_other_replicas_unknown(folder: Path) -> None:
    scaler = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"},
              "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}}}  # fmt: skip
    there = [live(workload()), scaler, *pods("a", "b")]
    _, found = change(folder, [workload(replicas=3)], there)
    assert "HorizontalPodAutoscaler h" in found.unknown
    _, found = change(folder, [workload(made=template("web:2"))], there)
    assert found.unknown == ""


@pytest.mark.parametrize(
    ("replicas", "least", "most", "said"),
    [
        (2, 3, 9, "scales it to at least 3"),
        (2, 2, 9, ""),
        (2, 1, 2, ""),
        (2, 1, 1, "scales it to at most 1"),
        # An autoscaler leaves a workload without replicas alone.
        (0, 3, 9, "sets its replicas too"),
    ],
)
def test_an_autoscaler_moves_replicas_that_are_outside_its_limits(
    folder: Path, replicas: int, least: int, most: int, said: str
) -> None:
    scaler = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"},
              "spec": {"minReplicas": least, "maxReplicas": most, "scaleTargetRef": {"kind": "Deployment", "name": "web"}}}  # fmt: skip
    _, found = change(folder, [workload(replicas=replicas), scaler], [live(workload()), *pods("a", "b")])
    assert found.unknown == (f"HorizontalPodAutoscaler h {said}, and is not modelled" if said else "")


def test_pods_whose_manifest_names_their_node_are_unknown(folder: Path) -> None:
    # The scheduler is not asked, and the kubelet refuses what has no room.
    why = "its manifest names the node n1, whose kubelet may refuse a pod, which is not modelled"
    named = workload(made=template(nodeName="n1"))
    assert change(folder, [named], [])[1].unknown == why
    assert change(folder, [named], [live(workload()), *pods("a", "b")])[1].unknown == why
    lone = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "t"},
            "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "i"}]}}  # fmt: skip
    assert change(folder, [lone], [])[1].unknown == why
    del lone["spec"]["nodeName"]
    assert change(folder, [lone], [])[1].unknown == ""


def test_an_autoscaler_of_the_manifests_is_in_their_namespace(folder: Path) -> None:
    scaler = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"},
              "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}}}  # fmt: skip
    there = [live(workload()), *pods("a", "b")]
    for each in there:
        each["metadata"]["namespace"] = "shop"
    cluster, found = change(folder, [workload(replicas=3), scaler], there, namespace="shop")
    assert "HorizontalPodAutoscaler h" in found.unknown
    assert not [note for note in cluster.notes if note.startswith("not read")]


def test_an_autoscaler_of_a_deployment_config_makes_other_replicas_unknown(folder: Path) -> None:
    config = {"apiVersion": "apps.openshift.io/v1", "kind": "DeploymentConfig", "metadata": {"name": "web", "uid": "d"},
              "spec": {"replicas": 2, "selector": {"app": "web"}, "template": template()}}  # fmt: skip
    maker = live({**workload(), "kind": "ReplicationController", "apiVersion": "v1"})
    maker["spec"]["selector"] = {"app": "web"}
    maker["metadata"] |= {"name": "web-1", "ownerReferences": [
        {"apiVersion": "apps.openshift.io/v1", "kind": "DeploymentConfig", "name": "web", "controller": True, "uid": "d"}
    ]}  # fmt: skip
    scaler = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"},
              "spec": {"scaleTargetRef": {"kind": "DeploymentConfig", "name": "web"}}}  # fmt: skip
    there = [config, maker, scaler, *pods("a", "b", kind="ReplicationController", owner="web-1")]
    for each in there[3:]:
        each["metadata"]["ownerReferences"][0]["apiVersion"] = "v1"
    _, found = change(folder, [{**config, "spec": {**config["spec"], "replicas": 3}}], there)
    assert (found.before, found.replicas) == (2, 3) and "HorizontalPodAutoscaler h" in found.unknown


def test_new_objects_are_added_and_hooks_left_out(folder: Path) -> None:
    hook = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "t", "annotations": {"helm.sh/hook": "test"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]}}  # fmt: skip
    cluster, found = changed(folder, [workload(), hook], [])
    assert [(each.what, each.replicas) for each in found] == [("added", 2)]
    assert found[0].rollout is not None and names(found[0].rollout.forms) == ["web-0", "web-1"]
    assert names(cluster.pods) == ["web-0", "web-1"]


def test_an_object_without_a_uid_is_replaced(folder: Path) -> None:
    old = workload(made=template(nodeSelector={"a": "b"}))
    _, found = change(folder, [workload()], [old])
    assert found.what == "added" and found.rollout is not None
    assert not found.rollout.forms[0].node_selector


def test_a_deployment_config_is_a_deployment(folder: Path) -> None:
    config = {
        "apiVersion": "apps.openshift.io/v1", "kind": "DeploymentConfig", "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": {"app": "web"}, "template": template(),
                 "strategy": {"type": "Rolling", "rollingParams": {"maxSurge": "50%", "maxUnavailable": 0}}},
    }  # fmt: skip
    _, found = change(folder, [config], [])
    assert (found.kind, found.replicas, str(found)) == ("DeploymentConfig", 2, "deploymentconfig/web")
    assert found.rollout is not None
    assert (found.rollout.kind, str(found.rollout)) == ("Deployment", "deploymentconfig/web")
    there, _ = changed(folder, [workload()], [config])
    assert not [note for note in there.notes if note.startswith("not read")]


@pytest.mark.parametrize(
    ("kind", "namespace", "name"),
    [("Job", "default", "job/web"), ("ReplicationController", "shop", "shop/replicationcontroller/web")],
)
def test_what_works_like_a_replicaset_keeps_its_kind_and_name(
    folder: Path, kind: str, namespace: str, name: str
) -> None:
    made = {**workload(), "kind": kind, "apiVersion": "batch/v1" if kind == "Job" else "v1"}
    made["spec"] |= {"parallelism": 2} if kind == "Job" else {"selector": {"app": "web"}}
    _, found = change(folder, [made], [], namespace=namespace)
    assert (found.kind, str(found)) == (kind, name) and found.rollout is not None
    assert (found.rollout.kind, str(found.rollout)) == ("ReplicaSet", name)


def test_the_namespace_is_that_of_the_option(folder: Path) -> None:
    _, found = change(folder, [workload()], [], namespace="shop")
    assert found.namespace == "shop" and found.rollout is not None
    assert {each.namespace for each in found.rollout.forms} == {"shop"}


def test_a_workload_of_the_cluster_is_scaled_without_manifests(folder: Path) -> None:
    _, found = change(folder, [], [live(workload()), *pods("a", "b")], replicas={("Deployment", "default", "web"): 1})
    assert (found.what, found.before, found.replicas) == ("scaled", 2, 1)
    with pytest.raises(InputError, match="no such workload"):
        change(folder, [], [], replicas={("Deployment", "default", "web"): 1})


def test_a_stateful_set_keeps_its_names_and_its_claims(folder: Path) -> None:
    claims = {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}]}
    there = pods("web-0", "web-1", kind="StatefulSet", owner="web")
    for each in there:
        each["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": f"data-{each['metadata']['name']}"}}]  # fmt: skip
    update = {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}}
    before, after = (
        workload("StatefulSet", **claims),
        workload("StatefulSet", made=template("web:2"), **claims, **update),
    )
    _, found = change(folder, [after], [live(before), *there])
    made = found.rollout
    assert made is not None and made.rolling and made.ordered and made.partition == 1
    assert names(made.forms) == ["web-0", "web-1"] and found.unknown == ""
    assert [volume.name for volume in made.forms[1].volumes] == ["data"]
    # Below the partition the former template is created again.
    assert form_of(made, 0).containers[0].image == "web:1" and form_of(made, 1).containers[0].image == "web:2"
    _, found = change(folder, [{**after, "spec": {**after["spec"], "replicas": 3}}], [live(before), *there])
    assert "volumeClaimTemplates" in found.unknown


def test_a_stateful_set_on_delete_keeps_its_pods(folder: Path) -> None:
    after = workload("StatefulSet", made=template("web:2"), updateStrategy={"type": "OnDelete"})
    there = pods("web-0", "web-1", kind="StatefulSet", owner="web")
    _, found = change(folder, [after], [live(workload("StatefulSet")), *there])
    assert (found.what, found.rollout) == ("unchanged", None) and "OnDelete" in found.notes[0]


def test_a_daemon_set_is_replaced_node_by_node(folder: Path) -> None:
    update = {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "30%"}}}
    before = workload("DaemonSet", None)
    _, found = change(
        folder, [workload("DaemonSet", None, template("web:2"), **update)],
        [live(before), *pods("a", "b", kind="DaemonSet", owner="web")],
    )  # fmt: skip
    made = found.rollout
    # 30 % of two nodes, rounded up.
    assert made is not None and (made.replicas, made.surge, made.unavailable) == (2, 0, 1)
    assert names(made.forms) == ["web-new-n0", "web-new-n1"]


def test_label_keys_of_a_rolling_update_have_its_own_hash(folder: Path) -> None:
    spread = {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
              "labelSelector": {"matchLabels": {"app": "web"}}, "matchLabelKeys": ["pod-template-hash"]}]}  # fmt: skip
    _, found = change(folder, [workload(made=template("web:2", **spread))], [live(workload(made=template(**spread))), *pods("a", "b")])  # fmt: skip
    assert found.rollout is not None
    (form, *_) = found.rollout.forms
    selector = form.spread[0].selector
    assert selector is not None
    (only,) = selector.match_expressions
    assert (only.key, only.values) == ("pod-template-hash", (form.labels["pod-template-hash"],))


def test_pods_that_are_not_ready_are_known(folder: Path) -> None:
    waiting = pods("b", conditions=[{"type": "Ready", "status": "False"}])
    waiting[0]["metadata"]["annotations"] = {"controller.kubernetes.io/pod-deletion-cost": "-7"}
    cluster, found = change(folder, [workload(replicas=1)], [live(workload()), *pods("a"), *waiting])
    assert cluster.unready == {("default", "b")}
    assert found.rollout is not None and dict(found.rollout.costs) == {("default", "b"): -7}


def test_a_cron_job_creates_no_pod_when_it_is_applied(folder: Path) -> None:
    job = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c"},
           "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template(restartPolicy="Never")}}}}  # fmt: skip
    cluster, found = change(folder, [job], [])
    assert found.rollout is None and cluster.pods == ()


def test_a_selector_that_changes_is_refused(folder: Path) -> None:
    other = workload(made={**template(), "metadata": {"labels": {"app": "web", "v": "2"}}})
    other["spec"]["selector"] = {"matchLabels": {"app": "web", "v": "2"}}
    with pytest.raises(InputError, match=r"spec\.selector: .*refuses to change"):
        change(folder, [other], [live(workload()), *pods("a", "b")])
