"""The command deploy: verdicts, exit codes, texts and messages"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.cli import main

ROOT = Path(__file__).parents[3]
HERE = ROOT / "examples" / "deploy"
ONTO = ("--onto", str(HERE / "cluster.yaml"))


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(["deploy", *argv])
    out, err = capsys.readouterr()
    return code, out, err


def test_an_update_that_gets_stuck_is_shown_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, str(HERE / "web-2.yaml"), *ONTO)
    assert code == 1
    assert "maxSurge 1, maxUnavailable 0" in out and "Create(web-new-0)" in out
    assert "didn't match pod anti-affinity" in out


def test_its_repair_completes(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, str(HERE / "web-2-repaired.yaml"), *ONTO, "--format", "json")
    found = json.loads(out)
    assert (code, found["verdict"], found["by"]) == (0, "holds", "counting")
    (change,) = found["applied"]
    assert (change["what"], change["least"], change["greatest"]) == ("updated", 3, 3)
    assert change["nodes"] == ["node-1", "node-2", "node-3"] and change["nodesExact"]


def test_a_release_leaves_hooks_out_and_names_the_evicted(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, str(HERE / "release.yaml"), *ONTO, "--format", "json")
    found = json.loads(out)
    assert code == 1 and found["hooks"] == ["Pod api-test: test"]
    # Node 3 alone lacks room: each of its pods of lower priority may be the victim.
    assert [each["pod"] for each in found["evicted"]] == ["batch-7b4f-3", "batch-7b4f-4", "web-5d9c-3"]
    assert found["bad"]["violated"][0]["property"] == "others_placed"


@pytest.mark.parametrize(("number", "code"), [(8, 0), (9, 0), (10, 1), (1, 0)])
def test_scaling_counts_what_fits(number: int, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    # Twelve cpus, of which three are the pods of web.
    got, out, _ = said(capsys, "--replicas", f"deploy/batch={number}", *ONTO, "--format", "json")
    (change,) = json.loads(out)["applied"]
    assert (got, change["least"], change["greatest"]) == (code, min(number, 9), min(number, 9))


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (ONTO, "schedcheck: FILES: expected FILES or --replicas\n"),
        (("--replicas", "web", *ONTO), "schedcheck: --replicas: 'web': expected a workload and a number, as deploy/web=50\n"),
        (("--replicas", "ds/web=1", *ONTO), "schedcheck: --replicas: 'ds/web': expected a workload with replicas, as deploy/web or shop/sts/db\n"),
        (("--replicas", "deploy/x=1", *ONTO), "schedcheck: --replicas: 'deployment/x': no such workload is in the manifests or the cluster; the input has deployment/batch, deployment/web\n"),
        (("--replicas", "deploy/bat=1", *ONTO), "schedcheck: --replicas: 'deployment/bat': no such workload is in the manifests or the cluster; the nearest: deployment/batch\n"),
        (("--replicas", "svc/web=1", *ONTO), "schedcheck: --replicas: 'svc/web': expected a type (pod, deploy, rs, sts, ds, rc, dc, job, cj), not 'svc'\n"),
        (("--replicas", "deploy/web=2.5", *ONTO), "schedcheck: --replicas: 'deploy/web=2.5': expected a workload and a number, as deploy/web=50\n"),
        (("--replicas", "deploy/web=2", "--replicas", "deploy/web=3", *ONTO), "schedcheck: --replicas: 'deploy/web=3': deploy/web was given 2 replicas before\n"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_line(argv: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, *argv)
    assert (code, out, err.splitlines(keepends=True)[-1]) == (3, "", line)


def test_an_empty_list_is_nothing_to_apply(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, other = tmp_path / "empty.yaml", tmp_path / "other.yaml"
    empty.write_text("apiVersion: v1\nkind: List\nitems: []\n")
    other.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    code, out, err = said(capsys, str(empty), *ONTO)
    assert (code, out, err) == (3, "", "schedcheck: expected objects to apply; the input has none\n")
    assert said(capsys, str(other), *ONTO)[0] == 0


def test_a_limit_is_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, str(HERE / "release.yaml"), *ONTO, "--time", "0.001")
    assert code == 2 and "HOLDS" not in out


@pytest.mark.parametrize(
    ("controllers", "name"),
    [("[owners, lifecycle]", "lifecycle"), ("[{nodePools: pools.yaml}]", "nodePools"), ("[autoscaler]", "autoscaler")],
)
def test_a_controller_that_deploy_does_not_model_is_refused_by_name(
    controllers: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    onto = tmp_path / "cluster.yaml"
    document = f"apiVersion: schedcheck/v1alpha1\nkind: Scenario\nmetadata: {{name: s}}\nspec: {{controllers: {controllers}}}\n"
    onto.write_text(f"{(HERE / 'cluster.yaml').read_text()}\n---\n{document}")
    code, _, err = said(capsys, str(HERE / "web-2-repaired.yaml"), "--onto", str(onto))
    assert code == 3
    assert (
        f"deploy does not model the controller {name}: only owners and kubelet of a Scenario act after manifests are"
        " applied; --controllers adds others" in err
    )
    assert err.startswith(f"schedcheck: {onto}: document ") and "spec.controllers[" in err
    onto.write_text(onto.read_text().replace(controllers, "[owners, kubelet]"))
    assert said(capsys, str(HERE / "web-2-repaired.yaml"), "--onto", str(onto))[0] == 0


ZONED = """\
apiVersion: v1
kind: Node
metadata: {{name: n-{name}, labels: {{zone: {name}}}}}
spec: {{unschedulable: {closed}}}
status: {{allocatable: {{cpu: "4", pods: "9"}}}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {{name: pv-{name}}}
spec:
  capacity: {{storage: 1Gi}}
  accessModes: [ReadWriteOnce]
  storageClassName: local
  local: {{path: /disk}}
  claimRef: {{namespace: default, name: {name}-v, uid: of-{name}}}
  nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: zone, operator: In, values: [{name}]}}]}}]}}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  {{name: {name}-v, uid: of-{name}, annotations: {{pv.kubernetes.io/bind-completed: "yes"}},
    ownerReferences: [{{apiVersion: v1, kind: Pod, name: {name}, uid: "", controller: true}}]}}
spec: {{accessModes: [ReadWriteOnce], storageClassName: local, resources: {{requests: {{storage: 1Gi}}}}, volumeName: pv-{name}}}
"""
WITH_DISK = """\
apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec: {{containers: [{{name: c, image: i}}], volumes: [{{name: v, ephemeral: {{volumeClaimTemplate: {{spec: {{accessModes: [ReadWriteOnce]}}}}}}}}]}}
"""


def test_pods_without_uids_whose_claims_have_their_names_have_reasons_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the node of a's disk is closed, and a pod of the same manifest finds room at its own."""
    cluster = tmp_path / "cluster.yaml"
    closed = {"a": "true", "b": "false", "c": "true"}
    cluster.write_text("---\n".join(ZONED.format(name=name, closed=closed[name]) for name in "abc"))
    pods = tmp_path / "pods.yaml"
    pods.write_text("---\n".join(WITH_DISK.format(name=name) for name in "abc"))
    code, out, _ = said(capsys, str(pods), "--onto", str(cluster), "--format", "json")
    found = json.loads(out)
    assert code == 1 and [change["least"] for change in found["applied"]] == [0, 1, 0]
    assert [[each["name"] for each in group["pods"]] for group in found["pending"]] == [["a"], ["c"]]


LOOP = Path(__file__).parents[3] / "examples" / "rollout-duplicates"
OF_LOOP = {
    name: f"descheduler={LOOP.with_name(name) / 'policy.yaml'}"
    for name in ("rollout-duplicates", "rollout-duplicates-kept")
}


def looping(folder: Path) -> tuple[str, str]:
    """The cluster of the example, with pods as a live one has them, and the manifest that its event applies."""
    scenario = yaml.safe_load((LOOP / "scenario.yaml").read_text())
    manifest = folder / "web.yaml"
    manifest.write_text(yaml.safe_dump(scenario["spec"]["events"][0]["manifest"]))
    cluster = [*yaml.safe_load_all((LOOP / "cluster.yaml").read_text())]
    for each in cluster:
        each["metadata"]["uid"] = each["metadata"]["name"]
    (folder / "cluster.yaml").write_text(yaml.safe_dump_all(cluster))
    return str(folder / "cluster.yaml"), str(manifest)


def test_a_rollout_beside_a_descheduler_that_never_rests_is_shown_as_a_round(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    onto, manifest = looping(tmp_path)
    assert said(capsys, manifest, "--onto", onto)[0] == 0
    code, out, _ = said(capsys, manifest, "--onto", onto, "--controllers", OF_LOOP["rollout-duplicates"])
    assert code == 1
    assert "descheduler" in out and "RemoveDuplicates wants to evict web-new-1 from" in out
    code, out, _ = said(
        capsys, manifest, "--onto", onto, "--controllers", OF_LOOP["rollout-duplicates"], "--format", "json"
    )
    assert json.loads(out)["rests"] == "violated"
    code, out, _ = said(capsys, manifest, "--onto", onto, "--controllers", OF_LOOP["rollout-duplicates-kept"])
    assert code == 0 and "and the controllers come to rest" in out


def test_what_is_not_modelled_beside_controllers_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    onto, manifest = looping(tmp_path)
    slow = tmp_path / "slow.yaml"
    changed = yaml.safe_load(Path(manifest).read_text())
    changed["spec"]["minReadySeconds"] = 5
    slow.write_text(yaml.safe_dump(changed))
    code, _, err = said(capsys, str(slow), "--onto", onto, "--controllers", "lifecycle", "--quiet")
    why = "minReadySeconds of deployment/web is not modelled here; check takes it together with the event apply of a Scenario"
    assert (code, err) == (3, f"schedcheck: --controllers: {why}\n")
    code, _, err = said(capsys, manifest, "--onto", onto, "--controllers", "autoscaler=50", "--quiet")
    why = "not modelled here; check takes it together with the event apply of a Scenario"
    assert (code, err) == (3, f"schedcheck: --controllers: 'autoscaler=50': {why}\n")
    code, _, err = said(capsys, manifest, "--onto", onto, "--controllers", "jobs", "--quiet")
    assert (code, err) == (3, "schedcheck: --controllers: 'jobs': the controller jobs is modelled in check only\n")


def without_uids(thing: Any) -> Any:
    """The same objects as manifests that were never stored."""
    if isinstance(thing, dict):
        return {name: without_uids(value) for name, value in thing.items() if name != "uid"}
    return [without_uids(each) for each in thing] if isinstance(thing, list) else thing


def web(image: str) -> dict[str, Any]:
    labels = {"app": "web"}
    container = {"name": "c", "image": image, "resources": {"requests": {"cpu": "2"}}}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "uid": "d"}, "spec": spec}


def running(name: str, node: str) -> dict[str, Any]:
    template = web("a")["spec"]["template"]
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "r", "controller": True}
    metadata = {**template["metadata"], "name": f"web-1-{name}", "uid": name, "ownerReferences": [owner]}
    spec = template["spec"] | ({"nodeName": node} if node else {})
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize(("stripped", "nodes"), [(("Pod",), ("n1", "n2")), (("Pod", "Deployment"), ("n1", ""))])
def test_pods_of_the_cluster_without_uids_take_part_in_a_rollout(
    stripped: tuple[str, ...], nodes: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two nodes are full, so that an update without maxUnavailable waits for good."""
    status = {"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "10"}}
    there = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{n}"}, "status": status} for n in (1, 2)]
    objects = [*there, web("a"), running("a", nodes[0]), running("b", nodes[1])]
    (tmp_path / "new.json").write_text(json.dumps(without_uids(web("b"))))
    told = []
    for number, kinds in enumerate(((), stripped)):
        cluster = [without_uids(each) if each["kind"] in kinds else each for each in objects]
        (tmp_path / f"{number}.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster}))
        command = ["deploy", str(tmp_path / "new.json"), "--onto", str(tmp_path / f"{number}.json"), "--quiet"]
        told.append((main(command), capsys.readouterr().out))
    assert told[0][0] == 1 and "updated, 2 pods" in told[0][1]
    assert told[1] == told[0]
