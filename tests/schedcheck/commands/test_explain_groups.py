"""`explain` of a pod of a gang on the command line: what is said of its group, in text, as JSON and on a page

The clusters are small enough for the answer to be told by hand.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.cli import main
from schedcheck.spec.kubernetes.preemption import of_units
from tests.schedcheck.api.test_schemas import errors

Json = dict[str, Any]
GATES = {
    "1.35": ("kubernetes-1.35", "GenericWorkload=true,GangScheduling=true"),
    "1.36": ("kubernetes-1.36", "GenericWorkload=true,GangScheduling=true"),
    "1.37": ("kubernetes-1.37", "GenericWorkload=true"),
}


def node(name: str, cpu: int) -> Json:
    labels = {"kubernetes.io/hostname": name}
    allocatable = {"cpu": str(cpu), "memory": "8Gi", "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": {"allocatable": allocatable}}  # fmt: skip


def pod(name: str, cpu: int = 1, on: str = "", **spec: Any) -> Json:
    spec |= {"nodeName": on} if on else {}
    spec["containers"] = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": str(cpu)}}}]
    made: Json = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "uid": name}, "spec": spec}
    return made | ({"status": {"phase": "Running", "startTime": "2026-01-01T00:00:00Z"}} if on else {})


def red(number: int, cpu: int = 1, on: str = "", **spec: Any) -> Json:
    """A pod of the gang, which names it as each version wants it."""
    named = {"schedulingGroup": {"podGroupName": "red"}, "workloadRef": {"name": "red", "podGroup": "workers"}}
    return pod(f"red-{number}", cpu, on, **named, **spec)


def gang(least: int) -> list[Json]:
    policy = {"gang": {"minCount": least}}
    group = {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "red"}, "spec": {"schedulingPolicy": policy}}  # fmt: skip
    workload = {"apiVersion": "scheduling.k8s.io/v1alpha1", "kind": "Workload", "metadata": {"name": "red"}, "spec": {"podGroups": [{"name": "workers", "policy": policy}]}}  # fmt: skip
    return [group, workload]


class Asked:
    """A cluster in a file, about which `explain` is asked."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def cluster(self, *objects: Json) -> "Asked":
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        (self.folder / "cluster.json").write_text(text)
        return self

    def explain(self, version: str, *more: str, ends: int = 0, of: str = "red-1") -> str:
        profile, gates = GATES[version]
        file = str(self.folder / "cluster.json")
        assert main(["explain", of, file, "--profile", profile, "--feature-gates", gates, *more]) == ends
        return " ".join(self.capsys.readouterr().out.split())

    def json(self, version: str, ends: int = 0, of: str = "red-1") -> Json:
        found: Json = json.loads(self.explain(version, "--format", "json", ends=ends, of=of))
        assert errors(found, "explain") == []
        return found


@pytest.fixture
def asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Asked:
    return Asked(tmp_path, capsys)


@pytest.mark.parametrize("version", sorted(GATES))
def test_a_gang_without_room_waits(version: str, asked: Asked) -> None:
    asked.cluster(*gang(3), node("n1", 1), node("n2", 1), red(1), red(2), red(3))
    said = asked.explain(version)
    assert "too few pods find a node. In the table 2 of 3 pods have one, and minCount is 3." in said
    assert "3 red-3 none 0/2 nodes are available: 2 Insufficient cpu." in said
    assert ("red-1 and red-2 would wait on permit" in said) == (version == "1.35")
    found = asked.json(version)
    assert found["group"]["verdict"] == "waits"
    assert [each["node"] for each in found["group"]["members"]] == ["n1", "n2", None]
    last = found["group"]["members"][-1]["explanation"]["nodes"]
    assert [each["refusals"][0]["reasons"] for each in last] == [["Insufficient cpu"]] * 2


@pytest.mark.parametrize("version", sorted(GATES))
def test_a_gang_of_which_too_few_pods_exist_is_kept_out_of_the_queue(version: str, asked: Asked) -> None:
    said = asked.cluster(*gang(3), node("n1", 4), red(1), red(2)).explain(version)
    assert "red-1 is not in the queue: waiting for minCount pods from a gang to appear in scheduling queue." in said
    assert "2 pods of the group exist; minCount is 3." in said
    found = asked.json(version)
    assert (found["group"]["verdict"], found["decisions"], found["choice"]["kind"]) == ("kept", [], "gated")


def test_a_gated_pod_keeps_its_gang_out_of_the_queue_in_1_37_alone(asked: Asked) -> None:
    gated = red(3, schedulingGates=[{"name": "wait"}])
    asked.cluster(*gang(2), node("n1", 4), red(1), red(2), gated)
    assert "red-1 is not in the queue: red-3 has scheduling gates." in asked.explain("1.37")
    for version in ("1.35", "1.36"):
        assert "2 of 3 pods have a node, and minCount is 2: those are bound." in asked.explain(version)
    assert "red-3 is not in the queue: red-3 has scheduling gates." in asked.explain("1.36", of="red-3")


@pytest.mark.parametrize("version", sorted(GATES))
def test_it_may_depend_on_the_order_of_the_pods(version: str, asked: Asked) -> None:
    """The pod of two cpus fits if it comes first; then only one of the others does, and both of them fit if it is last."""
    said = asked.cluster(*gang(2), node("n1", 2), red(1, 2), red(2), red(3)).explain(version)
    assert "it depends on the order of its pods, or on the choice among equally good nodes." in said
    assert "In the order red-1, red-2, red-3: 1 of 3 pods has a node, and the group waits." in said
    assert "In the order red-2, red-1, red-3: 2 of 3 pods have a node, and those are bound." in said
    assert {each["kind"] for each in asked.json(version)["group"]["ends"]} == {"placed", "waits"}


def test_what_a_gang_of_higher_priority_evicts(asked: Asked) -> None:
    urgent: Json = {"priority": 5, "preemptionPolicy": "PreemptLowerPriority"}
    group, workload = gang(2)
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 5}
    group["spec"]["priorityClassName"] = "high"
    pods = [red(number, priorityClassName="high", **urgent) for number in (1, 2)]
    asked.cluster(high, group, workload, node("n1", 1), node("n2", 1), *pods, pod("old", on="n1"))
    assert "red-1 to n2, red-2 to n1 would be nominated, evicting old on n1" in asked.explain("1.37") or (
        "red-1 to n1, red-2 to n2 would be nominated, evicting old on n1" in asked.explain("1.37")
    )
    found = asked.json("1.37")["group"]
    assert found["verdict"] == "preempts"
    assert {each["name"] for end in found["ends"] for each in end["victims"]} == {"old"}
    assert "red-2 preempts by itself, as soon as it is tried; what follows is not modelled." in asked.explain(
        "1.36", ends=2
    )
    assert asked.json("1.35")["group"]["verdict"] == "alone"


def test_a_volume_that_a_pod_takes_is_not_left_for_those_after_it(asked: Asked) -> None:
    local = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "local"},
             "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"}  # fmt: skip
    there = {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"]}]}]}}  # fmt: skip
    common = {"storageClassName": "local", "accessModes": ["ReadWriteOnce"]}
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"},
              "spec": {**common, "capacity": {"storage": "1Gi"}, "local": {"path": "/d"}, "nodeAffinity": there}}  # fmt: skip
    claims = [
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": each},
         "spec": {**common, "resources": {"requests": {"storage": "1Gi"}}}} for each in ("c1", "c2")
    ]  # fmt: skip
    pods = [
        red(number, volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": f"c{number}"}}]) for number in (1, 2)
    ]
    said = asked.cluster(*gang(2), node("n1", 4), local, volume, *claims, *pods).explain("1.37")
    assert "1 red-1 n1 the only feasible node" in said
    assert "2 red-2 none 0/1 nodes are available: 1 node(s) didn't find available persistent volumes to bind." in said
    assert "The group red waits: in every order of its pods too few pods find a node." in said


def low(together: bool) -> list[Json]:
    """A PodGroup whose pods are evicted all or none, or each by itself, with a pod on each of two nodes."""
    mode = {"disruptionMode": {"all": {}}} if together else {}
    policy = {"gang": {"minCount": 2}}
    group = {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "low"}, "spec": {"schedulingPolicy": policy, **mode}}  # fmt: skip
    pods = [pod(f"low-{each}", on=f"n{each}", schedulingGroup={"podGroupName": "low"}) for each in (1, 2)]
    return [group, *pods, node("n1", 1), node("n2", 1)]


def test_a_pod_without_a_group_evicts_whole_units(asked: Asked) -> None:
    said = asked.cluster(*low(True), pod("high", priority=9)).explain("1.37", of="high")
    assert "n1 low-1 (priority 0), low-2 (priority 0, on n2) 0 least" in said
    assert "n1, evicting low-1, low-2 n2, evicting low-1, low-2" in said
    said = asked.cluster(*low(False), pod("high", priority=9)).explain("1.37", of="high")
    assert "n1, evicting low-1 n2, evicting low-2" in said
    found = asked.cluster(*low(True), pod("high", priority=9)).json("1.37", of="high")
    assert [[one["name"] for one in each["victims"]] for each in found["preemption"]["allowed"]] == [["low-1", "low-2"]] * 2  # fmt: skip


def test_the_victims_of_the_only_way_may_be_elsewhere(asked: Asked) -> None:
    high = pod("high", priority=9, nodeSelector={"kubernetes.io/hostname": "n1"})
    said = asked.cluster(*low(True), high).explain("1.37", of="high")
    assert "high would be nominated to n1, and the victims evicted; it waits until they have ended." in said


def test_what_a_pod_evicts_in_too_many_orders_is_unknown(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_units, "MOST_ORDERS", 0)
    said = asked.cluster(*low(True), pod("high", priority=9)).explain("1.37", of="high", ends=2)
    assert f"Unknown: {of_units.TOO_MANY_ORDERS}." in said


def test_a_bound_pod_is_explained_as_if_it_were_pending(asked: Asked) -> None:
    said = asked.cluster(*gang(2), node("n1", 2), red(1, on="n1"), red(2, on="n1")).explain("1.37")
    assert "bound to n1; explained as if it were pending now" in said
    assert "2 of 2 pods have a node, and minCount is 2: those are bound." in said


def test_a_page_says_first_what_happens_to_the_gang(asked: Asked, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    asked.cluster(*gang(3), node("n1", 1), red(1), red(2), red(3)).explain("1.37", "--html", str(file))
    page = file.read_text()
    assert "In the shown cycle 1 of 3 pods have a node; minCount is 3." in page
    assert page.count("with those before it on their nodes") == 2
    assert "Not tried, as too few pods are left: red-3." in page


def test_commands_that_know_no_gangs_refuse_the_gate_and_name_those_that_do(
    asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    file = asked.cluster(*gang(2), node("n1", 2), red(1), red(2)).folder / "cluster.json"
    for command in (
        ["victims", "red-1"],
        ["capacity", "red-1"],
        ["drain", "n1"],
        ["fail", "n1"],
        ["check", "--pod", "red-1"],
    ):
        assert (
            main([*command, str(file), "--profile", "kubernetes-1.37", "--feature-gates", "GenericWorkload=true"]) == 3
        )
        assert "GenericWorkload=true is modelled in explain, compare, diff, optimum, tla export and in check of a whole scenario only" in capsys.readouterr().err  # fmt: skip


def test_compare_says_which_gangs_are_decided_differently(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    gated = red(3, schedulingGates=[{"name": "wait"}])
    file = asked.cluster(*gang(2), node("n1", 4), red(1), red(2), gated).folder / "cluster.json"
    sides = [each for version in ("1.36", "1.37") for each in ("--profile", GATES[version][0], "--feature-gates", GATES[version][1])]  # fmt: skip
    assert main(["compare", *sides, str(file)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "first binds its group red: 2 of 3 pods have a node, minCount 2" in said
    assert "second leaves its group red out of the queue: red-3 has scheduling gates" in said
    file = asked.cluster(*gang(2), node("n1", 4), red(1), red(2)).folder / "cluster.json"
    assert main(["compare", *sides, str(file)]) == 0
    assert "0 differing" in capsys.readouterr().out


def test_diff_compares_the_cycle_of_a_group(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(asked.cluster(*gang(2), node("n1", 2), red(1), red(2)).folder / "cluster.json")
    for version, code in (("1.37", 0), ("1.36", 0), ("1.35", 3)):
        profile, gates = GATES[version]
        assert main(["diff", file, "--profile", profile, "--feature-gates", gates]) == code
        said = capsys.readouterr()
        assert ("Bind(red-1, n1, with red-2 on n1)" in said.out) == (code == 0)
    assert "gang scheduling of 1.35 is not compared; explain and check model it" in said.err


@pytest.mark.parametrize(("version", "bound"), [("1.36", True), ("1.37", False)])
def test_check_and_optimum_count_a_gated_pod_of_a_group(version: str, bound: bool, asked: Asked) -> None:
    """In 1.37 it keeps its group out of the queue; in 1.36 the others are tried without it."""
    gated = red(3, schedulingGates=[{"name": "wait"}])
    profile, gates = GATES[version]
    scenario = {
        "apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "metadata": {"name": "gated"},
        "spec": {"profile": profile, "featureGates": gates.split(","), "properties": ["eventually_bound(red-1)"]},
    }  # fmt: skip
    asked.cluster(*gang(2), node("n1", 4), red(1), red(2), gated, scenario)
    cluster = schedcheck.read(asked.folder / "cluster.json")
    assert schedcheck.check(cluster).exit_code == (0 if bound else 1)
    best = schedcheck.optimum(cluster).to_json()
    assert [each["placed"] for each in best["outcomes"]] == [{"0": 2 if bound else 0}]


@pytest.mark.parametrize(("room", "code"), [(2, 0), (1, 1)])
def test_an_exported_group_is_judged_as_by_check(
    room: int, code: int, asked: Asked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile, gates = GATES["1.37"]
    file = str(asked.cluster(*gang(2), node("n1", room), red(1), red(2)).folder / "cluster.json")
    given = [file, "--profile", profile, "--feature-gates", gates, "--property", "all_pods_eventually_bound"]
    assert main(["check", *given, "--quiet"]) == code
    assert main(["tla", "export", *given, "--output", str(tmp_path / "exported")]) == 0
    (module,) = (tmp_path / "exported").glob("MC_*.tla")
    capsys.readouterr()
    assert main(["tla", "check", str(module), "--quiet"]) == code
    assert ("all_pods_eventually_bound does not hold" in capsys.readouterr().out) == (code == 1)
