"""The commands drain and fail: verdicts, exit codes, texts and messages"""

import json
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.api import relocation
from schedcheck.checker.limits.clock import OutOfTime
from schedcheck.checker.result import Verdict
from schedcheck.cli import main

ROOT = Path(__file__).parents[3]
THREE_ZONES = ", ".join(f"topology.kubernetes.io/zone={zone}" for zone in "abc")
DRAIN, DUMP, ZONES = (str(ROOT / "examples" / name) for name in ("drain", "dump", "zone-lost"))


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main([*argv])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_drain_that_ends_is_proved_by_counting(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "drain", "n2", DRAIN)
    assert code == 0
    assert "proved by counting" in out and "HOLDS" in out


def test_a_drain_that_leaves_a_pod_without_a_place_is_shown_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "drain", "n2,n3", DRAIN, "--format", "json")
    found = json.loads(out)
    (case,) = found["cases"]
    assert (code, found["verdict"], case["by"]) == (1, "violated", "exploration")
    violated = case["violations"][0]
    assert violated["property"] in ("placed(db-0)", "placed(db-1)")
    # Both zones of the other pods are cordoned, and one pod of db is on n1.
    assert [each["name"] for each in violated["waiting"]] == [violated["property"][7:-1]]


@pytest.mark.medium
def test_a_drain_of_the_dump_gets_stuck_at_a_budget(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "drain", "dev-worker", DUMP)
    assert code == 1
    # Two of three pods of data/db run, and its budget wants two.
    assert "data/db-0 stays on dev-worker, as data/db allows no eviction" in " ".join(out.split())


def test_each_zone_is_asked_in_turn(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "fail", "--each", "topology.kubernetes.io/zone", ZONES, "--format", "json")
    found = json.loads(out)
    assert code == 1
    assert [(each["nodes"], each["verdict"]) for each in found["cases"]] == [
        (["node-a"], "violated"),
        (["node-b"], "violated"),
    ]
    code, _, _ = said(capsys, "fail", "--each", "topology.kubernetes.io/zone", DRAIN)
    assert code == 0


def test_a_node_that_is_named_twice_is_drained_once(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = said(capsys, "drain", "n2,node/n2", DRAIN, "--format", "json")
    assert json.loads(out)["cases"][0]["nodes"] == ["n2"]


def test_nodes_are_chosen_by_labels(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "drain", "-l", "topology.kubernetes.io/zone=b", DRAIN, "--format", "json")
    assert code == 0 and json.loads(out)["cases"][0]["nodes"] == ["n2"]


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (("drain", "n2,n9", DRAIN), "schedcheck: NODES: 'n9': no node has this name; the nearest: n1, n2, n3\n"),
        (("drain", DRAIN), "schedcheck: FILES: expected NODES and then FILES\n"),
        (
            ("drain", "n1", "n2", DRAIN),
            "schedcheck: FILES: 'n2': no file or folder has this name; several NODES are separated by commas: node-1,node-2\n",
        ),
        (
            ("fail", "n1", "--any", "1", DRAIN),
            "schedcheck: FILES: 'n1': no file or folder has this name; --selector, --each and --any take no NODES\n",
        ),
        (
            ("drain", "-l", "zone=a b", DRAIN),
            "schedcheck: --selector: 'zone=a b': expected labels, as zone=a,disk!=hdd or 'zone in (a,b)'\n",
        ),
        (
            ("drain", "-l", "zone", DRAIN),
            f"schedcheck: --selector: 'zone': no node has these labels; the nearest: {THREE_ZONES}\n",
        ),
        (
            ("drain", "-l", "zone=z", DRAIN),
            f"schedcheck: --selector: 'zone=z': no node has these labels; the nearest: {THREE_ZONES}\n",
        ),
        (
            ("fail", "--each", "rack", DRAIN),
            "schedcheck: --each: 'rack': no node has this label; the input has kubernetes.io/hostname,"
            " topology.kubernetes.io/zone\n",
        ),
        (
            ("fail", "--each", "a", "-l", "zone=a", DRAIN),
            "schedcheck: NODES: expected one way to choose nodes\n",
        ),
    ],
)
def test_wrong_input_is_one_line(argv: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, *argv, "--quiet")
    assert (code, out, err.splitlines(keepends=True)[-1]) == (3, "", line)


def test_a_limit_is_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "drain", "dev-worker2", DUMP, "--time", "0.001", "--quiet")
    assert code == 2
    assert "HOLDS" not in out


@pytest.mark.parametrize(("cluster", "most"), [(DRAIN, 1), (DRAIN, 2), (ZONES, 1)])
def test_any_so_many_nodes_have_the_verdicts_of_each_set(
    cluster: str, most: int, capsys: pytest.CaptureFixture[str]
) -> None:
    nodes = [node.name for node in schedcheck.read(cluster).nodes]
    sets = list(combinations(sorted(nodes), most))
    alone = {chosen: schedcheck.fail(schedcheck.read(cluster), chosen).verdict.value for chosen in sets}
    code, out, _ = said(capsys, "fail", "--any", str(most), cluster, "--format", "json", "--quiet")
    found = json.loads(out)
    assert {tuple(each["nodes"]): each["verdict"] for each in found["cases"]} == {
        chosen: verdict for chosen, verdict in alone.items() if verdict != "holds"
    }
    assert (found["sets"]["total"], found["sets"]["asked"]) == (len(sets), len(sets))
    assert found["sets"]["held"] == list(alone.values()).count("holds")
    assert code == (1 if "violated" in alone.values() else 2 if set(alone.values()) != {"holds"} else 0)


def test_any_so_many_zones_fail_together(capsys: pytest.CaptureFixture[str]) -> None:
    zones = ("fail", "--each", "topology.kubernetes.io/zone", "--any")
    code, out, _ = said(capsys, *zones, "2", ZONES)
    assert code == 1 and "any 2 of 2 values of topology.kubernetes.io/zone" in " ".join(out.split())
    assert "In 0 of 1 set every pod finds another place." in " ".join(out.split())
    code, _, err = said(capsys, *zones, "3", ZONES)
    assert (code, err.splitlines()[-1]) == (3, "schedcheck: --any: 3: expected 1 to 2, the number of groups")


def test_sets_that_time_leaves_out_are_no_answer(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter([None, OutOfTime("limits.seconds 1")])

    class Once:
        def __init__(self, seconds: float | None) -> None:
            pass

        def look(self) -> None:
            if (end := next(looks)) is not None:
                raise end

    monkeypatch.setattr(relocation, "Clock", Once)
    code, out, _ = said(capsys, "fail", "--any", "1", DRAIN)
    assert code == 2
    assert "In 1 of 3 sets every pod finds another place. 2 were not judged." in " ".join(out.split())


def interrupting(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Let Ctrl-C end the first exploration; return those that were begun."""
    module = sys.modules["schedcheck.checker.relocation.relocation"]
    explored, begun = module.check, list[object]()

    def check(*given: Any, **options: Any) -> Any:
        begun.append(given)
        made = explored(*given, **options)
        return replace(made, result=replace(made.result, stopped="interrupted", violations=(), verdict=Verdict.GAVE_UP))

    monkeypatch.setattr(module, "check", check)
    return begun


@pytest.mark.sampled(1)
@pytest.mark.parametrize("argv", [("drain", "dev-worker2", DUMP), ("fail", "--any", "1", DUMP)])
def test_an_interrupt_ends_the_command_and_not_only_one_search(
    argv: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = interrupting(monkeypatch)
    code, out, _ = said(capsys, *argv, "--quiet")
    assert (code, len(begun)) == (2, 1)
    assert "GAVE UP" in out and "HOLDS" not in out


def test_an_interrupt_names_the_sets_that_are_not_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupting(monkeypatch)
    code, out, err = said(capsys, "fail", "--each", "kubernetes.io/hostname", DUMP)
    assert code == 2 and "HOLDS" not in out
    assert "note: interrupted, so that these are not answered: " in err


def test_a_turn_that_is_not_proved_is_told_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    k3s = str(ROOT / "tests" / "data" / "questions" / "k3s")
    code, out, _ = said(capsys, "drain", "--in-turn", "nuc-rack-1", k3s)
    assert code == 2
    # The volume of Home Assistant is on this node alone, which is cordoned in its turn.
    assert "If nuc-rack-1 is drained last: home/home-assistant-0: no node is feasible for it" in " ".join(out.split())


BESIDE = str(ROOT / "examples" / "drain-beside" / "cluster.yaml")
POLICY = f"descheduler={ROOT / 'examples' / 'drain-beside' / 'policy.yaml'}"
POOLS = ROOT / "examples" / "node-pools-oscillate"
KARPENTER = ROOT / "examples" / "karpenter-oscillate"


def test_a_drain_that_a_descheduler_never_lets_rest_is_shown_as_a_round(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "drain", "node-3", BESIDE)[0] == 0
    code, out, _ = said(capsys, "drain", "node-3", BESIDE, "--controllers", POLICY)
    assert code == 1
    assert "The drain ends in every behaviour.\nEvery pod that leaves the nodes or is moved is bound in the end" in out
    assert "descheduler     evicts web-2 from node-1" in out and "From here on it repeats forever" in out
    code, out, _ = said(capsys, "drain", "node-3", BESIDE, "--controllers", POLICY.replace("policy", "policy-kept"))
    assert code == 0 and "come to rest in every behaviour" in out


def test_the_answers_beside_controllers_are_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = said(capsys, "drain", "node-3", BESIDE, "--controllers", POLICY, "--format", "json")
    (case,) = json.loads(out)["cases"]
    assert case["controllers"] == ["owners", "disruption", "descheduler"]
    assert (case["ends"], case["placed"], case["rests"]) == ("holds", "holds", "violated")
    _, out, _ = said(capsys, "fail", "node-3", BESIDE, "--controllers", POLICY, "--format", "json")
    (case,) = json.loads(out)["cases"]
    assert (case["ends"], case["placed"], case["rests"]) == (None, "holds", "violated")
    _, out, _ = said(capsys, "drain", "node-3", BESIDE, "--format", "json")
    (case,) = json.loads(out)["cases"]
    assert (case["controllers"], case["ends"], case["placed"], case["rests"]) == ([], None, None, None)


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (("drain", "node-3", BESIDE, "--controllers", "deschedular"), "--controllers: 'deschedular': no controller has this name; did you mean 'descheduler'?"),
        (("drain", "node-3", BESIDE, "--controllers", "descheduler"), "--controllers: 'descheduler': expected descheduler=FILE, with a DeschedulerPolicy"),
        (("fail", "node-3", BESIDE, "--controllers", "jobs"), "--controllers: 'jobs': the controller jobs is modelled in check only"),
        (("drain", "node-3", BESIDE, "--controllers", "kubelet=1"), "--controllers: 'kubelet=1': expected no file, as this controller has no configuration"),
        (
            ("drain", "node-3", BESIDE, "--in-turn", "--controllers", "kubelet"),
            "--controllers: 'kubelet': not possible together with a drain of one node after another, which is proved by counting",
        ),
        (
            ("fail", "a-1", str(POOLS / "cluster.yaml"), "--controllers", f"nodePools={POOLS / 'pools.yaml'}"),
            "NODES: 'a-1': the failure of a node of a pool is not modelled together with the controller nodePools",
        ),
        (
            ("fail", "general-1", str(KARPENTER / "cluster.yaml"), "--controllers", f"karpenter={KARPENTER / 'karpenter.yaml'}"),
            "NODES: 'general-1': the failure of a node of a pool is not modelled together with the controller karpenter",
        ),
    ],
)  # fmt: skip
def test_wrong_controllers_are_one_line(argv: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, *argv, "--quiet")
    assert (code, out, err) == (3, "", f"schedcheck: {line}\n")


WAITING = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1, uid: "1", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: r, controller: true}]}
spec: {nodeName: n1, priority: 0, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: big, UID}
spec: {priority: 1000, containers: [{name: c, resources: {requests: {cpu: 1500m}}}]}
"""


@pytest.mark.parametrize("uid", ['uid: "9"', "labels: {a: b}"])
@pytest.mark.parametrize(
    ("argv", "codes"),
    [(("drain", "n1"), (0, 1)), (("fail", "n1"), (0, 1)), (("drain", "--in-turn", "n1"), (0, 2))],
)
def test_a_pod_that_waits_at_first_takes_places_whether_it_has_a_uid_or_not(
    argv: tuple[str, ...], codes: tuple[int, int], uid: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # On n2 there is room for web-1, but not for web-1 and big.
    file = tmp_path / "cluster.yaml"
    found = []
    for text in (WAITING.rpartition("---")[0], WAITING.replace("UID", uid)):
        file.write_text(text)
        found.append(said(capsys, *argv, str(file), "--quiet")[0])
    assert tuple(found) == codes


def test_a_pod_that_a_scenario_calls_absent_never_comes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = "---\napiVersion: schedcheck/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec: {ABSENTcontrollers: [owners]}\n"
    file = tmp_path / "cluster.yaml"
    found = []
    for absent in ("absent: [big], ", ""):
        file.write_text(WAITING.replace("UID", "labels: {a: b}") + scenario.replace("ABSENT", absent))
        found.append(said(capsys, "drain", "n1", str(file), "--quiet")[0])
    assert found == [0, 1]
