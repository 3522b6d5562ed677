"""`explain` and `check` with `--profile classic`: predicates and priorities of the classic scheduler, and its Policy"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.checker.exploring import memo
from schedcheck.cli import main
from tests.schedcheck.commands.test_explain import GPU, node, pod

CLASSIC = ("--profile", "classic")
JSON = ("--format", "json")


@pytest.fixture
def explain(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """The text of `explain` on these objects, or its JSON."""

    def explained(name: str, *objects: dict[str, Any], options: tuple[str, ...] = ()) -> Any:
        file = tmp_path / "cluster.yaml"
        file.write_text(yaml.safe_dump_all(objects))
        assert main(["explain", name, str(file), *CLASSIC, *options]) == 0
        text = capsys.readouterr().out
        return json.loads(text) if "json" in options else " ".join(text.split())

    return explained


@pytest.fixture
def policy(tmp_path: Path) -> Any:
    def written(**fields: Any) -> tuple[str, str]:
        (tmp_path / "policy.json").write_text(json.dumps({"kind": "Policy", "apiVersion": "v1", **fields}))
        return "--policy", str(tmp_path / "policy.json")

    return written


def with_memory(made: dict[str, Any], memory: str = "1000Mi", **status: Any) -> dict[str, Any]:
    made["status"]["allocatable"]["memory"] = memory
    made["status"] |= status
    return made


def test_every_score_is_shown_before_and_after_its_weight_with_the_sum(explain: Any, policy: Any) -> None:
    """Of 4 cpu 1 is requested: 7. Of 1000Mi of memory 200Mi are requested: 8. The mean is 7; the shares differ by 1/20."""
    weights = {"LeastRequestedPriority": 2, "BalancedResourceAllocation": 3}
    options = policy(priorities=[{"name": name, "weight": weight} for name, weight in weights.items()])
    objects = (pod("p"), with_memory(node("small")), with_memory(node("tiny", "0")))
    answer = explain("p", *objects, options=(*options, *JSON))
    small, tiny = answer["nodes"]
    assert small["scores"] == {
        "LeastRequestedPriority": {"raw": 7, "normalised": None, "weighted": 14},
        "BalancedResourceAllocation": {"raw": 9, "normalised": None, "weighted": 27},
    }
    assert (small["total"], answer["weights"], answer["choice"]["nodes"]) == (41, weights, ["small"])
    assert tiny["refusals"] == [
        {"plugin": "GeneralPredicates", "code": "Unschedulable", "reasons": ["Insufficient cpu"]}
    ]
    text = explain("p", *objects, options=options)
    assert "small 0 to 10 7 9 weighted 14 27 41 best" in text
    assert "tiny fails GeneralPredicates may help Insufficient cpu" in text
    assert text.endswith("p would be bound to small.")


def test_all_nodes_of_the_best_sum_are_named(explain: Any) -> None:
    assert explain("p", pod("p"), node("a"), node("b")).endswith("p would be bound to any one of: a b.")


def test_the_victims_and_the_reason_for_waiting_are_shown(explain: Any) -> None:
    full = pod("there", "4", node="n1")
    assert explain("p", pod("p", priority=1), full, node("n1")).endswith(
        "No node passes. What may be evicted for p: from n1: there (priority 0)"
    )
    answer = explain("p", pod("p", priority=1), full, node("n1"), options=JSON)
    assert answer["preemption"]["allowed"] == [
        {"node": "n1", "victims": [{"kind": "Pod", "namespace": "default", "name": "there"}]}
    ]
    assert answer["message"] is None
    unready = with_memory(node("n1"), conditions=[{"type": "Ready", "status": "False"}])
    assert explain("p", pod("p"), unready).endswith("p waits: 0/1 nodes are available: 1 node(s) were not ready.")


def test_a_bound_pod_is_explained_as_if_it_were_pending(explain: Any) -> None:
    answer = explain("p", pod("p", "4", node="n1"), node("n1"), options=JSON)
    assert (answer["pod"]["node"], answer["choice"]["nodes"]) == ("n1", ["n1"])


def test_capacity_counts_unless_by_allocatable_is_given(explain: Any) -> None:
    tight = with_memory(node("n1", "1"), capacity={"cpu": "4", "pods": "110", "memory": "1000Mi"})
    assert explain("p", pod("p", "2"), tight, options=JSON)["choice"]["nodes"] == ["n1"]
    assert explain("p", pod("p", "2"), tight, options=(*JSON, "--by-allocatable"))["choice"]["nodes"] == []


def test_the_environment_variable_sets_the_volume_limit(explain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    disks = [{"name": name, "awsElasticBlockStore": {"volumeID": name}} for name in ("a", "b")]
    objects = (pod("p", volumes=disks), node("n1"))
    assert explain("p", *objects, options=JSON)["choice"]["nodes"] == ["n1"]
    monkeypatch.setenv("KUBE_MAX_PD_VOLS", "1")
    answer = explain("p", *objects, options=JSON)
    assert [each["reasons"] for each in answer["nodes"][0]["refusals"]] == [["node(s) exceed max volume count"]]
    monkeypatch.setenv("KUBE_MAX_PD_VOLS", "-1")
    assert explain("p", *objects, options=JSON)["choice"]["nodes"] == ["n1"]


@pytest.mark.parametrize("option", [("--policy", "p.json"), ("--by-allocatable",)])
@pytest.mark.parametrize("command", [("explain", "web-1"), ("check",)])
def test_options_of_the_classic_scheduler_are_refused_with_other_profiles(
    option: tuple[str, ...], command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, GPU, *option]) == 3
    assert f"{option[0]}: belongs to --profile classic" in capsys.readouterr().err


def test_victims_are_not_computed_with_too_many_equally_important_pods(
    explain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 9 pods there are 9! = 362880 orders, more than 2^16. With a limit of 2^7, 5! = 120 are tried and 720 are not."""
    there = [pod(f"p{number}", f"{number + 1}m", node="n1") for number in range(9)]
    wanted = pod("p", "1", priority=1)
    assert explain("p", wanted, *there, node("n1", "1")).endswith(
        "p waits: its victims are not computed, as there are 362880 orders in which equally important pods may be"
        " reprieved on n1 for p"
    )
    monkeypatch.setattr(memo, "MOST_IN_JEOPARDY", 7)
    assert "p waits" not in explain("p", wanted, *there[:5], node("n1", "1"))
    assert "there are 720 orders" in explain("p", wanted, *there[:6], node("n1", "1"))


def test_an_unreadable_policy_is_reported_in_one_line(policy: Any, capsys: pytest.CaptureFixture[str]) -> None:
    options = policy(priorities=[{"name": "EqualPriority", "weight": 0}])
    assert main(["explain", "web-1", GPU, *CLASSIC, *options]) == 3
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "policy.json: document 1: priorities[0].weight: 0: expected an integer from 1" in told


BUDGET = str(Path(GPU).parent / "budget-kept")


def checked(options: tuple[str, ...], capsys: pytest.CaptureFixture[str], example: str = GPU) -> dict[str, Any]:
    code = main(["check", example, *CLASSIC, *options, "--quiet", *JSON])
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert answer["exitCode"] == code
    return answer


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("example", "reduces"), [(BUDGET, True), (GPU, False)], ids=["no preemption", "preemption"])
def test_symmetry_changes_no_verdict_about_a_classic_scenario(
    example: str, reduces: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """With different priorities a pod may be nominated to a node; symmetry does not permute nominations and is then
    off.
    """
    reduced, whole = checked((), capsys, example), checked(("--no-symmetry",), capsys, example)
    verdicts = [{each["name"]: each["verdict"] for each in answer["properties"]} for answer in (reduced, whole)]
    assert verdicts[0] == verdicts[1]
    assert set(verdicts[0].values()) == {"holds"}
    assert reduced["exitCode"] == whole["exitCode"] == 0
    assert (reduced["counts"]["distinct"] < whole["counts"]["distinct"]) is reduces


def test_without_predicates_pods_are_bound_to_infeasible_nodes(policy: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answer = checked(policy(predicates=[]), capsys)
    violated = {each["name"] for each in answer["properties"] if each["verdict"] == "violated"}
    assert answer["exitCode"] == 1
    assert violated


@pytest.mark.medium
def test_a_question_about_a_pod_leaves_nothing_out_under_classic(capsys: pytest.CaptureFixture[str]) -> None:
    answer = checked(("--pod", "web-1"), capsys)
    assert "nothing was left out, as the early scheduler reads everything" in json.dumps(answer)


def test_a_pod_whose_victim_still_terminates_waits_and_evicts_no_other_pod(explain: Any) -> None:
    """Two nodes are full of pods of lower priority; on one of them a victim terminates."""
    nodes = [with_memory(node(name, "1")) for name in ("small", "other")]
    low = [pod(f"low-{where}", node=where) for where in ("small", "other")]
    wanted = pod("high", priority=10)
    evicting = explain("high", *nodes, *low, wanted, options=JSON)
    assert {each["node"] for each in evicting["preemption"]["allowed"]} == {"small", "other"}
    wanted["status"] = {"nominatedNodeName": "small"}
    low[0]["metadata"] |= {"deletionTimestamp": "2024-01-01T00:00:00Z"}
    waiting = explain("high", *nodes, *low, wanted, options=JSON)
    assert (waiting["preemption"], waiting["choice"]["nodes"]) == (None, [])
    assert waiting["message"] == "0/2 nodes are available: 2 Insufficient cpu."


AVOIDING = {"preferAvoidPods": [{"podSignature": {"podController": {"kind": "ReplicaSet", "uid": "1"}}}]}
AVOID = {"name": "NodePreferAvoidPodsPriority", "weight": 10000}


def avoiding(name: str, said: Any) -> dict[str, Any]:
    made = node(name)
    text = said if isinstance(said, str) else json.dumps(said)
    made["metadata"]["annotations"] = {"scheduler.alpha.kubernetes.io/preferAvoidPods": text}
    return made


def controlled(**reference: str) -> dict[str, Any]:
    made = pod("p")
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "controller": True, **reference}
    made["metadata"]["ownerReferences"] = [owner]
    return made


def test_a_node_is_avoided_by_pods_of_the_controllers_in_its_annotation(explain: Any, policy: Any) -> None:
    options = (*policy(priorities=[AVOID]), *JSON)
    nodes = (avoiding("a", AVOIDING), node("b"))
    assert explain("p", controlled(uid="1"), *nodes, options=options)["choice"]["nodes"] == ["b"]
    assert explain("p", controlled(uid="2"), *nodes, options=options)["choice"]["nodes"] == ["a", "b"]
    assert explain("p", pod("p"), *nodes, options=options)["choice"]["nodes"] == ["a", "b"]


def test_a_controller_without_a_uid_is_refused_where_a_node_avoids_some(
    policy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asking = policy(priorities=[AVOID])
    for objects, code in (
        ((controlled(), avoiding("a", AVOIDING)), 3),
        ((controlled(), avoiding("a", "{}")), 0),
        ((controlled(kind="Job", apiVersion="batch/v1"), avoiding("a", AVOIDING)), 0),
    ):
        (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all(objects))
        assert main(["explain", "p", str(tmp_path / "cluster.yaml"), *CLASSIC, *asking]) == code
        assert ("as a has; that of p is not in the input" in capsys.readouterr().err) is (code == 3)
        assert main(["explain", "p", str(tmp_path / "cluster.yaml"), *CLASSIC]) == 0
        capsys.readouterr()


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("{", "expected the pods to avoid in JSON"),
        ({"preferAvoidPods": {}}, "preferAvoidPods: {}: expected a list"),
        ({"preferAvoidPods": [{}]}, "preferAvoidPods[0].podSignature.podController: expected a controller"),
    ],
)
def test_an_unreadable_annotation_is_reported_in_one_line(
    said: Any, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all((pod("p"), avoiding("a", said))))
    assert main(["explain", "p", str(tmp_path / "cluster.yaml"), *CLASSIC]) == 3
    told = capsys.readouterr().err
    assert message in told and told.count("\n") == 1


def test_topology_spread_is_seen_where_the_policy_reads_it(explain: Any, policy: Any) -> None:
    """Without EvenPodsSpread the early scheduler ignores the field, and says so."""
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
    nodes = [node("a"), node("b")]
    for each in nodes:
        each["metadata"]["labels"] = {"zone": each["metadata"]["name"]}
    objects = (pod("p", topologySpreadConstraints=[constraint]), pod("there", node="a"), *nodes)
    blind = explain("p", *objects, options=JSON)
    assert [each["field"] for each in blind["fieldsNotLookedAt"]] == ["Pod.spec.topologySpreadConstraints"]
    assert blind["choice"]["nodes"] != []
    seeing = explain("p", *objects, options=(*policy(predicates=[{"name": "EvenPodsSpread"}]), *JSON))
    assert ("fieldsNotLookedAt" in seeing, seeing["choice"]["nodes"]) == (False, ["b"])


def test_victims_and_optimum_follow_the_policy(policy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Node n1 is full of pods; without predicates no victim is needed, and the label makes n2 the better node."""
    low, high, labelled = pod("low", "4", node="n1"), pod("high", "4", priority=9), node("n2", "1")
    labelled["metadata"]["labels"] = {"fast": ""}
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all((node("n1"), labelled, low, high)))
    preferred = [{"name": "Fast", "weight": 7, "argument": {"labelPreference": {"label": "fast", "presence": True}}}]
    options = (str(tmp_path / "cluster.yaml"), *CLASSIC, *policy(predicates=[], priorities=preferred), "--quiet", *JSON)
    assert main(["victims", "high", *options]) == 0
    assert [each["ways"]["least"]["victims"] for each in json.loads(capsys.readouterr().out)["nodes"]] == [[], []]
    assert main(["optimum", *options]) == 0
    assert json.loads(capsys.readouterr().out)["optimum"]["placement"][0]["node"] == "n2"
    assert main(["victims", "high", str(tmp_path / "cluster.yaml"), *CLASSIC, "--quiet", *JSON]) == 0
    least = {each["node"]: each["ways"]["least"] for each in json.loads(capsys.readouterr().out)["nodes"]}
    assert [each["name"] for each in least["n1"]["victims"]] == ["low"]


def test_victims_and_optimum_follow_the_classic_scheduler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On node small a victim of 2 cpu is enough; node tainted is empty but not tolerated."""
    tainted = node("tainted")
    tainted["spec"] = {"taints": [{"key": "t", "effect": "NoSchedule"}]}
    low = [pod(f"low-{cpu}", cpu=str(cpu), node="small") for cpu in (1, 2)]
    objects = (with_memory(node("small")), with_memory(tainted), *low, pod("high", cpu="3", priority=9), pod("tiny"))
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all(objects))
    files = (str(tmp_path / "cluster.yaml"), *CLASSIC, "--quiet", *JSON)
    assert main(["victims", "high", *files]) == 0
    of_nodes = {each["node"]: each["ways"]["least"] for each in json.loads(capsys.readouterr().out)["nodes"]}
    assert [each["name"] for each in of_nodes["small"]["victims"]] == ["low-2"]
    assert of_nodes["tainted"] is None
    assert main(["optimum", *files]) == 0
    best = json.loads(capsys.readouterr().out)["optimum"]
    assert best["proved"]
    assert [(each["name"], each["node"]) for each in best["placement"]] == [("tiny", "small")]
