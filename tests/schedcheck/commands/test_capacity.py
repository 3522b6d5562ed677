"""`schedcheck capacity`: names as kubectl takes them, numbers, exit codes, and lines that break no name"""

import json
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.capacity import adding
from schedcheck.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"
RACKS = str(EXAMPLES / "capacity")
DUMP = str(EXAMPLES / "dump")
Json = dict[str, Any]


def node(name: str, cpu: str = "4", **spec: Any) -> Json:
    status = {"allocatable": {"cpu": cpu, "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": spec, "status": status}


def template(cpu: str = "1", **spec: Any) -> Json:
    container = {"name": "main", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container], **spec}}


def pod(name: str, namespace: str = "default", **spec: Any) -> Json:
    made = template(**spec)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace}, "spec": made["spec"]}


def workload(kind: str, name: str, replicas: int = 0, *, owner: str = "", **given: Any) -> Json:
    owners = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": owner, "controller": True, "uid": "u"}]
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template(**given)}
    metadata = {"name": name, "namespace": "shop", "ownerReferences": owners if owner else []}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}


def written(folder: Path, *objects: Json, name: str = "cluster.json") -> str:
    file = folder / name
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return str(file)


def answer(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Json:
    assert main(["capacity", *words, "--format", "json"]) == code
    found: Json = json.loads(capsys.readouterr().out)
    return found


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["capacity", *words]) == 3
    return capsys.readouterr().err.splitlines()[-1].removeprefix("schedcheck: ")


@pytest.mark.parametrize(
    "words",
    [
        ("shop/web-1",),
        ("pod/web-1", "-n", "shop"),
        ("web-1", "--namespace", "shop"),
        ("shop/po/web-1",),
        ("deploy/web", "-n", "shop"),
        ("Deployment/web", "-n", "shop"),
        ("shop/deployments.apps/web",),
        ("sts/db", "-n", "shop"),
    ],
)
def test_a_pod_is_named_as_kubectl_names_it(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    objects = (pod("web-1", "shop"), workload("Deployment", "web"), workload("StatefulSet", "db"))
    found = answer(capsys, words[0], written(tmp_path, node("n"), *objects), *words[1:])
    assert found["pod"]["namespace"] == "shop"
    assert (found["scheduler"]["least"], found["best"]["bound"]) == (4, 4)


def test_a_namespace_called_like_a_type_keeps_its_pods(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = written(tmp_path, node("n"), pod("web", "job", cpu="2"))
    assert answer(capsys, "job/web", cluster)["scheduler"]["least"] == 2


def test_a_wrong_name_gives_the_three_nearest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = written(tmp_path, node("n"), *(pod(f"web-{i}", "shop") for i in range(9)), workload("Deployment", "web"))
    assert refusal(capsys, "shop/web-x", cluster).endswith(
        "no pod has this name; the nearest: shop/web-0, shop/web-1, shop/web-2"
    )
    assert refusal(capsys, "deploy/wbe", cluster, "-n", "shop").endswith("the nearest: shop/deployment/web")
    assert refusal(capsys, "cj/x", cluster).endswith("no CronJob has this name; the input has none")


def test_a_deployment_stands_for_the_replicaset_that_makes_its_pods(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = (workload("ReplicaSet", "web-1", 0, owner="web"), workload("ReplicaSet", "web-2", 2, owner="web"))
    found = answer(capsys, "shop/deploy/web", written(tmp_path, node("n"), *sets))
    assert found["pod"]["of"] == "shop/deployment/web (replicaset/web-2)"
    changed = workload("Deployment", "web", 2, cpu="2")
    found = answer(capsys, "shop/deploy/web", written(tmp_path, node("n"), *sets, changed))
    assert (found["pod"]["of"], found["scheduler"]["least"]) == ("shop/deployment/web", 2)


def test_a_pod_file_passes_the_admission_of_the_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limits = {"limits": [{"type": "Container", "defaultRequest": {"cpu": "2"}}]}
    ranged = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l", "namespace": "shop"}, "spec": limits}
    bare = pod("new", "shop")
    del bare["spec"]["containers"][0]["resources"]
    cluster, file = written(tmp_path, node("n"), ranged), written(tmp_path, bare, name="new.json")
    assert answer(capsys, cluster, "--pod-file", file)["scheduler"]["least"] == 2
    assert "expected the namespace other, or none" in refusal(capsys, cluster, "--pod-file", file, "-n", "other")
    del bare["metadata"]["namespace"]
    nowhere = written(tmp_path, bare, name="nowhere.json")
    assert answer(capsys, cluster, "--pod-file", nowhere)["scheduler"]["least"] == 110
    assert answer(capsys, cluster, "--pod-file", nowhere, "-n", "shop")["scheduler"]["least"] == 2


def test_a_pod_file_holds_one_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster, two = written(tmp_path, node("n")), written(tmp_path, pod("a"), pod("b"), name="two.json")
    assert refusal(capsys, cluster, "--pod-file", two) == f"{two}: expected a single pod or workload; there are 2"
    daemons = written(tmp_path, workload("DaemonSet", "agent"), name="agent.json")
    assert "whose pods may be on any node" in refusal(capsys, cluster, "--pod-file", daemons)
    assert "a DaemonSet has one pod for each node" in refusal(capsys, "shop/ds/agent", daemons)


def test_usage_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = written(tmp_path, node("n"), pod("a"))
    assert refusal(capsys) == "FILES: expected POD and then FILES"
    assert refusal(capsys, "a") == "FILES: expected POD and then FILES"
    assert refusal(capsys, "a/b/c/d", cluster).startswith("POD: 'a/b/c/d': expected NAME, TYPE/NAME")
    assert (
        refusal(capsys, "shop/a", cluster, "-n", "default")
        == "--namespace: 'default': names another namespace than POD"
    )
    assert "--count" in refusal(capsys, "a", cluster, "--count", "0")


def test_the_pod_itself_is_placed_first_if_it_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waiting, placed = pod("a", nominatedNodeName="n"), pod("b", nodeName="n")
    waiting["status"] = {"nominatedNodeName": "n"}
    cluster = written(tmp_path, node("n"), waiting, placed)
    assert answer(capsys, "a", cluster)["scheduler"]["least"] == 3
    # Beside the bound one, the pod that is nominated to the node has its room, as kube-scheduler counts.
    assert answer(capsys, "b", cluster)["scheduler"]["least"] == 2


@pytest.mark.parametrize(("count", "code", "fits"), [("3", 0, True), ("4", 0, True), ("5", 1, False)])
def test_a_gang_fits_or_not(
    count: str, code: int, fits: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answer(capsys, "a", written(tmp_path, node("n"), pod("a")), "--count", count, code=code)
    assert found["fits"] is fits and (found["message"] is None) is (count == "3")


def test_a_gap_names_choices_that_place_more(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "deploy/web", RACKS)
    assert (found["scheduler"]["least"], found["best"]["bound"], found["gap"]) == (1, 5, [4, 4])
    assert found["best"]["hosts"][0] in ("node-1", "node-2")
    assert main(["capacity", "deploy/web", RACKS, "--count", "3"]) == 1
    assert "No: the scheduler does not place 3 more. Another choice of nodes places them." in capsys.readouterr().out


def test_what_is_not_modelled_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claims = pod("a", resourceClaims=[{"name": "gpu", "resourceClaimName": "g"}])
    assert main(["capacity", "a", written(tmp_path, node("n"), claims), "--format", "json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["unknown"]) == ("unknown", "resource claims are not modelled")


def test_pods_that_name_their_node_are_placed_by_no_scheduler(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Not the eight that two nodes of 4 cpu have room for: their kubelet alone decides about pods that name a node.
    named = written(tmp_path, node("n"), node("m"), workload("Deployment", "web", nodeName="n"))
    assert main(["capacity", "deploy/web", "-n", "shop", named]) == 2
    said = "unknown: pods like those of shop/deployment/web name their node, n, so that no scheduler places them"
    assert capsys.readouterr().err.splitlines()[-1] == f"schedcheck: {said}"
    free = written(tmp_path, node("n"), node("m"), workload("Deployment", "web"))
    assert answer(capsys, "deploy/web", free, "-n", "shop")["scheduler"]["least"] == 8


def test_no_name_is_broken_in_the_middle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    names = [f"ip-10-0-{i}-17.eu-central-1.compute.internal-with-a-long-tail" for i in range(4)]
    cluster = written(tmp_path, *map(node, names), pod("a"))
    assert main(["capacity", "a", cluster]) == 0
    words = capsys.readouterr().out.split()
    assert all(words.count(name) == 2 for name in names)


def test_gates_and_other_schedulers_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gated = pod("a", schedulingGates=[{"name": "wait"}], schedulerName="other")
    found = answer(capsys, "a", written(tmp_path, node("n"), gated, pod("b")))
    assert found["granted"] == [
        "Waiting: 1 other pod not placed first",
        "Gates: the pods are taken without their scheduling gates",
        "Not seen: the pods wait for the scheduler other; judged by default-scheduler",
    ]
    assert found["scheduler"]["least"] == 4


def test_a_full_cluster_says_what_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capacity", "deploy/api", "-n", "shop", DUMP]) == 0
    out = capsys.readouterr().out
    assert "2 nodes: Insufficient cpu (cpu asked 1300m, free 50m to 250m)\n  dev-worker dev-worker2\n" in out


SMALL, LARGE = "cpu=1,memory=1Gi", "cpu=8,memory=16Gi"


def test_nodes_are_asked_for_a_number_of_pods(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = written(tmp_path, node("n"), pod("a"))
    found = answer(capsys, "a", cluster, "--count", "50", "--nodes", "cpu=8")
    # Four on the node that is there, eight on each new one.
    assert (found["scheduler"]["fewest"], found["best"]["fewest"], found["scheduler"]["everyOrder"]) == (6, 6, True)
    assert found["shape"] == "cpu=8,pods=110"
    assert answer(capsys, "a", cluster, "--count", "50", "--nodes", "cpu=8,pods=2")["best"]["fewest"] == 23
    none = answer(capsys, "a", cluster, "--count", "50", "--nodes", "cpu=100m", code=1)
    assert none["enough"] is False and none["hopeless"][0]["short"] == [
        {"resource": "cpu", "asked": "1", "free": "100m"}
    ]


def test_nodes_are_asked_for_every_pod_that_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waiting = [pod(f"w{i}", cpu="3") for i in range(3)]
    cluster = written(tmp_path, node("n"), *waiting, pod("b", nodeName="n", cpu="1"))
    found = answer(capsys, cluster, "--nodes", "cpu=6")
    assert (found["pods"], found["scheduler"]["fewest"], found["best"]["fewest"]) == (3, 1, 1)
    assert len(found["placement"]) == 3 and found["judged"] == 3
    assert main(["capacity", cluster, "--nodes", "cpu=6"]) == 0
    assert "new-node-1: w0" in capsys.readouterr().out
    short = answer(capsys, cluster, "--nodes", "cpu=2", code=1)
    assert [each["pod"] for each in short["hopeless"]] == ["w0", "w1", "w2"]


def test_a_new_node_runs_the_pods_of_daemonsets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = written(tmp_path, node("n"), pod("a"), workload("DaemonSet", "agent", cpu="2"))
    found = answer(capsys, "a", cluster, "--count", "3", "--nodes", "cpu=3")
    assert found["daemons"] == ["shop/agent-new-node-1"]
    assert found["best"]["fewest"] == 0
    assert answer(capsys, "a", cluster, "--count", "6", "--nodes", "cpu=3")["best"]["fewest"] == 2


def test_a_node_like_another_has_its_labels_and_taints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taints = [{"key": "gpu", "effect": "NoSchedule"}, {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]
    there = node("n", taints=taints)
    there["metadata"]["labels"] = {"zone": "a", "kubernetes.io/hostname": "n", "kubernetes.io/os": "linux"}
    cluster = written(tmp_path, there, pod("a"))
    found = answer(capsys, "a", cluster, "--count", "1", "--nodes", "like=n,cpu=1,label=disk=ssd", code=1)
    assert (
        found["shape"] == "cpu=1,pods=110,label=disk=ssd,label=kubernetes.io/os=linux,label=zone=a,taint=gpu:NoSchedule"
    )
    # In any order, what is named replaces what the node has; its 4 cpu are no longer there.
    other = answer(capsys, "a", cluster, "--count", "1", "--nodes", "cpu=1,label=disk=ssd,like=n", code=1)
    assert other["shape"] == found["shape"]
    assert answer(capsys, "a", cluster, "--count", "1", "--nodes", SMALL)["shape"].endswith(
        "label=kubernetes.io/os=linux"
    )


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ("cpu", "--nodes: 'cpu': expected NAME=VALUE, such as cpu=4 or label=zone=a"),
        ("cpu=four", "--nodes: 'cpu=four': "),
        ("cpu=-1", "--nodes: 'cpu=-1': "),
        ("label=zone", "--nodes: 'label=zone': expected label=KEY=VALUE"),
        ("taint=gpu", "--nodes: 'taint=gpu': expected taint=KEY=VALUE:EFFECT"),
        ("like=m", "--nodes: 'like=m': no node has this name"),
        ("cpu=4,cpu=5", "--nodes: 'cpu=5': cpu was given before"),
        ("like=n,cpu=1,like=n", "--nodes: 'like=n': like was given before"),
    ],
)
def test_a_shape_that_is_none_is_one_line(
    shape: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refusal(capsys, written(tmp_path, node("n"), pod("a")), "--nodes", shape).startswith(said)


def test_nodes_without_a_count_ask_for_no_pod(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster, file = written(tmp_path, node("n")), written(tmp_path, pod("a"), name="a.json")
    said = "--nodes: expected POD and --count together, or neither"
    assert refusal(capsys, cluster, "--nodes", SMALL, "--pod-file", file) == said
    assert "stands alone" in refusal(capsys, cluster, "--empty", "--nodes", SMALL)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--nodes", SMALL), "--nodes takes a POD only with --count"),
        (("--empty",), "--empty takes no POD"),
        (("-l", "app=web"), "--selector takes no POD"),
        (("--pod-file", "a.json"), "--pod-file takes no POD"),
    ],
)
def test_a_pod_that_is_too_much_is_named(
    options: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = written(tmp_path, node("n"), pod("a"))
    assert (
        refusal(capsys, "deploy/web", cluster, *options)
        == f"FILES: 'deploy/web': no file or folder has this name; {said}"
    )


def test_a_reason_is_given_if_no_number_of_nodes_is_seen_to_be_enough(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adding, "MOST_ADDED", 2)
    spread = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
               "labelSelector": {"matchLabels": {"app": "web"}}}]  # fmt: skip
    there = node("n", cpu="1")
    there["metadata"]["labels"] = {"zone": "a"}
    web = pod("web-1", topologySpreadConstraints=spread)
    web["metadata"]["labels"] = {"app": "web"}
    cluster = written(tmp_path, there, web)
    assert main(["capacity", "web-1", cluster, "--count", "2", "--nodes", SMALL]) == 2
    assert " ".join(capsys.readouterr().out.split()).endswith(
        "With 2 new nodes not all 2 pods are placed; of a new node:"
        " web-1: node(s) didn't match pod topology spread constraints (missing required label)"
    )
    found = answer(capsys, "web-1", cluster, "--count", "2", "--nodes", SMALL, code=2)
    (left,) = found["left"]
    assert left["pod"] == "web-1" and found["hopeless"] == []


def test_nodes_are_emptied_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    daemon = workload("DaemonSet", "agent")
    cluster = written(
        tmp_path, node("n1", "2"), node("n2", "5"), daemon, pod("a", nodeName="n1"), pod("b", nodeName="n2", cpu="2")
    )  # fmt: skip
    found = answer(capsys, "--empty", cluster)
    assert {each["node"]: each["emptied"] for each in found["nodes"]} == {"n1": "scheduler", "n2": "no"}
    assert [(each["moved"], each["left"], each["unowned"]) for each in found["nodes"]] == [
        (["a"], [], ["a"]),
        (["b"], ["b"], ["b"]),
    ]
    assert main(["capacity", "--empty", cluster]) == 0
    out = capsys.readouterr().out
    assert "  n1: 1 pod to move; not recreated by an owner: a\n" in out
    assert "1 node cannot be emptied, whichever nodes are chosen:\n  n2: 1 pod to move; without a node b;" in out
