"""Manifests that events of a scenario apply: what they change, what is refused, and that `deploy` makes the same of them"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck import Limits, Search, check
from schedcheck.api.deploy import deploy
from schedcheck.api.relocation import drain
from schedcheck.errors import InputError
from schedcheck.manifests import read, scenario
from schedcheck.model.scenario import Scenario

Json = dict[str, Any]
LABELS = {"app": "web"}


def template(cpu: str = "1", **spec: Any) -> Json:
    resources = {"requests": {"cpu": cpu}}
    return {
        "metadata": {"labels": LABELS},
        "spec": {"containers": [{"name": "c", "image": "i", "resources": resources}], **spec},
    }


def workload(kind: str = "Deployment", cpu: str = "1", **spec: Any) -> Json:
    made = {"selector": {"matchLabels": LABELS}, "template": template(cpu), **spec}
    if kind != "DaemonSet":
        made.setdefault("replicas", 2)
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": made}


def node(name: str) -> Json:
    status = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


def pod(name: str, kind: str = "ReplicaSet", owner: str = "web-1", on: str = "n1") -> Json:
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": "o", "controller": True}
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "uid": name, "labels": LABELS, "ownerReferences": [reference]},
        "spec": template()["spec"] | {"nodeName": on}, "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }  # fmt: skip


def given(folder: Path, objects: list[Json], *events: Json | str, **spec: Any) -> Path:
    head = {"apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "metadata": {"name": "revised"}}
    document = head | {"spec": {"events": [*events], **spec}}
    (folder / "cluster.yaml").write_text(yaml.safe_dump_all([node("n1"), node("n2"), *objects, document]))
    return folder


def made(folder: Path, objects: list[Json], *events: Json | str, **spec: Any) -> Scenario:
    return scenario(read([given(folder, objects, *events, **spec)]), frozenset())


def applies(manifest: Json | str, **fields: Any) -> Json:
    return {"event": "apply", "manifest": manifest, **fields}


STANDING = [workload(), pod("web-a"), pod("web-b", on="n2")]


def test_a_template_that_changes_is_a_rollout_with_the_workload_before_it(tmp_path: Path) -> None:
    manifest = workload(cpu="2", minReadySeconds=5, strategy={"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 0}})
    found = made(tmp_path, STANDING, applies(manifest))
    (rollout,), (rule,) = found.rollouts, found.rules
    assert (str(rollout), rollout.surge, rollout.unavailable, rollout.rolling) == ("deployment/web", 2, 0, True)
    assert [form.name for form in rollout.forms] == ["web-new-0", "web-new-1"]
    assert rollout.before is not None
    assert [form.name for form in rollout.before.forms] == ["web-a", "web-b"] == [form.name for form in rollout.former]
    assert (rollout.waits, rollout.before.waits, rollout.before.replicas) == (True, False, 2)
    assert {name for _, name in found.absent} == {"web-new-0", "web-new-1"}
    assert found.controllers == {"owners", "kubelet"}
    assert (rule.workloads, rule.manifest, rule.bound) == (("deployment/web",), "deployment/web", 1)


@pytest.mark.parametrize(
    ("manifest", "replicas", "was"),
    [
        (workload(replicas=3), 3, 2),
        (workload(replicas=1), 1, 2),
        (workload(replicas=0), 0, 2),
    ],
)
def test_other_replicas_change_the_number_alone(tmp_path: Path, manifest: Json, replicas: int, was: int) -> None:
    (rollout,) = made(tmp_path, STANDING, applies(manifest)).rollouts
    assert rollout.before is not None
    assert (rollout.replicas, rollout.before.replicas, rollout.rolling) == (replicas, was, False)


def test_a_file_is_found_beside_the_scenario_and_named_in_the_trace(tmp_path: Path) -> None:
    (tmp_path / "next").mkdir()
    (tmp_path / "now").mkdir()
    (tmp_path / "next" / "web-2.yaml").write_text(yaml.safe_dump(workload(cpu="2")))
    found = made(tmp_path / "now", STANDING, applies("../next/web-2.yaml"))
    assert found.rules[0].manifest == "../next/web-2.yaml"


def test_events_happen_to_pods_to_come_too_and_none_of_them_arrives(tmp_path: Path) -> None:
    found = made(
        tmp_path, STANDING, applies(workload(cpu="2")), "arrive", {"event": "delete", "owner": "deployment/web"}
    )
    _, arrive, delete = found.rules
    assert arrive.pods == ()
    assert {name for _, name in delete.pods} == {"web-a", "web-b", "web-new-0", "web-new-1"}


KINDS: dict[str, tuple[list[Json], Json]] = {
    "Deployment": (STANDING, workload(cpu="4")),
    "a Deployment that fits": (STANDING, workload(cpu="2")),
    "Recreate": (STANDING, workload(cpu="4", strategy={"type": "Recreate"})),
    "a new StatefulSet": ([], workload("StatefulSet", cpu="3")),
    "StatefulSet": (
        [workload("StatefulSet", serviceName="s"), pod("web-0", "StatefulSet", "web"), pod("web-1", "StatefulSet", "web", "n2")],
        workload("StatefulSet", cpu="5", serviceName="s"),
    ),
    "DaemonSet": (
        [workload("DaemonSet"), pod("web-a", "DaemonSet", "web"), pod("web-b", "DaemonSet", "web", "n2")],
        workload("DaemonSet", cpu="3"),
    ),
    "scaled up": (STANDING, workload(replicas=3)),
    "a new Job": ([], {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "web"}, "spec": {"parallelism": 2, "completions": 2, "template": template(restartPolicy="Never")}}),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_manifest_has_the_verdict_that_deploy_gives(tmp_path: Path, kind: str) -> None:
    objects, manifest = KINDS[kind]
    (tmp_path / "onto").mkdir()
    (tmp_path / "onto.yaml").write_text(yaml.safe_dump_all([node("n1"), node("n2"), *objects]))
    (tmp_path / "next.yaml").write_text(yaml.safe_dump(manifest))
    said = deploy(tmp_path / "next.yaml", onto=tmp_path / "onto.yaml")
    stored = [
        each | {"metadata": each["metadata"] | {"uid": "w"}} if "template" in each["spec"] else each for each in objects
    ]
    folder = given(tmp_path / "onto", stored, applies(manifest), properties=["rollout_completes"])
    found = check(read([folder]), limits=Limits(states=50_000))
    assert str(found.verdict) == str(said.verdict)


REFUSED: dict[str, tuple[Callable[[], tuple[list[Json], list[Any], Json]], str]] = {
    "nothing changes": (lambda: (STANDING, [applies(workload())], {}), "changes no workload"),
    "a Node": (lambda: (STANDING, [applies(node("n3"))], {}), "an event applies workloads alone"),
    "an autoscaler": (
        lambda: (STANDING, [applies({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"}})], {}),
        "an event applies workloads alone",
    ),
    "no such file": (lambda: (STANDING, [applies("web-2.yaml")], {}), "no such file"),
    "twice": (
        lambda: (STANDING, [applies(workload(cpu="2")), applies(workload(cpu="3"))], {}),
        "another event applies a manifest of deployment/web",
    ),
    "another field": (lambda: (STANDING, [applies(workload(cpu="2"), pods=["web-a"])], {}), "unknown field"),
    "an absent pod": (lambda: ([workload(), pod("web-a")], [applies(workload(cpu="2"))], {}), "the input has 1 of its 2 pods"),
    "without the kubelet": (lambda: (STANDING, [applies(workload(cpu="2"))], {"controllers": ["owners"]}), "needs the controller kubelet"),
    "the published model": (lambda: (STANDING, [applies(workload(cpu="2"))], {"profile": "corrected"}), "not modelled together with the profile"),
    "pods that end": (
        lambda: (STANDING, [applies(workload(cpu="2")), "complete"], {"completed": "kept"}),
        "completed: kept is not modelled",
    ),
    "nodes of a DaemonSet": (
        lambda: ([], [applies(workload("DaemonSet")), "fail"], {}),
        "the event fail is not modelled while the manifest of daemonset/web may be applied",
    ),
    "another scheduler": (
        lambda: (STANDING, [applies(workload(template=template(schedulerName="own")))], {}),
        "its pods are waiting for the scheduler own",
    ),
    "apply without a manifest": (lambda: (STANDING, ["apply"], {}), "without a manifest belongs to the controller autoscaler"),
}  # fmt: skip


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_not_modelled_is_refused_in_one_line(tmp_path: Path, why: str) -> None:
    case, told = REFUSED[why]
    objects, events, spec = case()
    with pytest.raises(InputError, match=told) as error:
        made(tmp_path, objects, *events, **spec)
    assert "\n" not in str(error.value) and "cluster.yaml" in str(error.value)


def test_a_budget_in_shares_of_pods_whose_number_changes_is_refused(tmp_path: Path) -> None:
    spec = {"selector": {"matchLabels": LABELS}, "maxUnavailable": 1}
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": spec}
    with pytest.raises(InputError, match="on which the budget b depends"):
        made(tmp_path, [*STANDING, budget], applies(workload(replicas=3)))
    assert made(tmp_path, [*STANDING, budget], applies(workload(cpu="2"))).rollouts


def test_other_questions_refuse_it_by_name(tmp_path: Path) -> None:
    folder = given(tmp_path, STANDING, applies(workload(cpu="2")))
    with pytest.raises(InputError, match="manifests that events apply are modelled in check only"):
        drain(read([folder]), ["n1"])
    with pytest.raises(InputError, match="not modelled beside the event apply of a manifest"):
        scaled(folder)


def scaled(folder: Path) -> None:
    """Check with an autoscaler of the workload whose manifest is applied."""
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    metric = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
    }
    spec = {"scaleTargetRef": target, "maxReplicas": 2, "metrics": [metric]}
    document = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "h"},
        "spec": spec,
    }
    (folder / "scaler.yaml").write_text(yaml.safe_dump(document))
    check(read([folder]), search=Search(controllers=("autoscaler=50",)))


def test_a_workload_of_a_folder_without_the_event_is_no_rollout(tmp_path: Path) -> None:
    found = made(tmp_path, STANDING, "complete")
    assert found.rollouts == () and replace(found, rules=()).revised is False
