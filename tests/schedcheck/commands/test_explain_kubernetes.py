"""`schedcheck explain --profile kubernetes`: what kube-scheduler does with one pod on every node"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.cli import main
from tests.schedcheck.commands.test_explain import node, pod

KUBERNETES = ("--profile", "kubernetes")


@pytest.fixture
def explain(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """The text of `explain` on these objects, or its JSON."""

    def explained(name: str, *objects: dict[str, Any], options: tuple[str, ...] = ()) -> Any:
        file = tmp_path / "cluster.yaml"
        file.write_text(yaml.safe_dump_all(objects))
        assert main(["explain", name, str(file), *KUBERNETES, *options]) == 0
        text = capsys.readouterr().out
        return json.loads(text) if "json" in options else " ".join(text.split())

    return explained


JSON = ("--format", "json")


def with_memory(made: dict[str, Any], memory: str) -> dict[str, Any]:
    made["status"]["allocatable"]["memory"] = memory
    return made


def test_every_score_is_shown_raw_normalised_and_weighted(explain: Any) -> None:
    """Of 4 cpu 1 is requested: 75 left. Of 1000Mi memory 200Mi by default: 80. The mean is 77, and 85 with 8 cpu."""
    objects = (pod("p"), with_memory(node("small"), "1000Mi"), with_memory(node("large", "8"), "1000Mi"))
    answer = explain("p", *objects, options=JSON)
    small, large = ({each["node"]: each for each in answer["nodes"]}[name] for name in ("small", "large"))
    assert small["scores"]["NodeResourcesFit"] == {"raw": 77, "normalised": 77, "weighted": 77}
    assert large["scores"]["NodeResourcesFit"] == {"raw": 83, "normalised": 83, "weighted": 83}
    # The shares 1/4 and 0 differ by a quarter, 87 for 100 before: 50 + (50 - 13) / 2; 1/8 and 0: 50 + (50 - 7) / 2.
    assert small["scores"]["NodeResourcesBalancedAllocation"]["raw"] == 68
    assert large["scores"]["NodeResourcesBalancedAllocation"]["raw"] == 71
    assert small["scores"]["TaintToleration"] == {"raw": 0, "normalised": 100, "weighted": 300}
    assert (small["total"], large["total"]) == (300 + 77 + 68, 300 + 83 + 71)
    assert answer["choice"] == {"kind": "scheduled", "mode": "scored", "nodes": ["large"], "error": None}
    assert answer["skippedScores"] == ["InterPodAffinity", "NodeAffinity", "PodTopologySpread"]
    text = explain("p", *objects)
    assert "large raw 0 83 71 normalised 100 83 71 weighted 300 83 71 454 best small" in text
    assert text.endswith("p would be bound to large.")


def test_all_nodes_of_the_best_sum_are_named(explain: Any) -> None:
    text = explain("p", pod("p"), node("a"), node("b"))
    assert text.endswith("p would be bound to any one of: a b, each with the same chance.")
    assert "a b raw" in text


def test_a_rejection_is_quoted_and_marked_as_resolvable_or_not(explain: Any) -> None:
    tainted = node("tainted")
    tainted["spec"] = {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}
    objects = (pod("p", "2"), pod("low", "3", node="full"), node("full"), node("little", "1"), tainted)
    answer = explain("p", *objects, options=JSON)
    refusals = {each["node"]: each["refusals"] for each in answer["nodes"]}
    assert refusals["full"] == [
        {"plugin": "NodeResourcesFit", "code": "Unschedulable", "reasons": ["Insufficient cpu"]}
    ]
    assert refusals["little"][0]["code"] == "UnschedulableAndUnresolvable"
    assert refusals["tainted"][0]["reasons"] == ["node(s) had untolerated taint(s)"]
    text = explain("p", *objects)
    assert "full refused NodeResourcesFit may help Insufficient cpu" in text
    assert "little refused NodeResourcesFit cannot help Insufficient cpu" in text


def test_all_rejections_of_a_node_are_shown_with_the_recorded_one(explain: Any) -> None:
    cordoned = node("n1", "1")
    cordoned["spec"] = {"unschedulable": True}
    text = explain("p", pod("p", "2"), cordoned)
    assert text.index("NodeUnschedulable") < text.index("NodeResourcesFit")
    assert "kube-scheduler stops at the first plugin" in text


def test_a_single_feasible_node_is_chosen_without_scores(explain: Any) -> None:
    text = explain("p", pod("p", "2"), node("n1"), node("m", "1"))
    assert text.endswith("p would be bound to n1, the only feasible node; nothing is scored then.")


def test_a_feasible_nominated_node_is_chosen(explain: Any) -> None:
    nominated = pod("p")
    nominated["metadata"]["uid"] = "u"
    nominated["status"] = {"nominatedNodeName": "a"}
    text = explain("p", nominated, node("a"), node("b", "64"))
    assert text.endswith("p is nominated to a, which is feasible: it would be bound there.")


def test_room_is_kept_for_a_nominated_pod(explain: Any) -> None:
    other = pod("other", "3", priority=5)
    other["metadata"]["uid"] = "u"
    other["status"] = {"nominatedNodeName": "n1"}
    assert "n1 refused NodeResourcesFit" in explain("p", pod("p", "2"), other, node("n1"))
    assert "bound to n1" in explain("p", pod("p", "2", priority=6), other, node("n1"))


def test_scheduling_gates_are_reported(explain: Any) -> None:
    text = explain("p", pod("p", schedulingGates=[{"name": "wait"}]), node("n1"))
    assert "p is not in the queue: waiting for scheduling gates: [wait]. Without its gates:" in text


def test_the_documented_profile_differs_where_kube_scheduler_departs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """By a defect up to 1.36, a namespace selector that matches the empty label set selects every namespace."""
    term = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {},
        "namespaceSelector": {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]},
    }
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    foreign = pod("foreign", node="n1")
    foreign["metadata"]["namespace"] = "theirs"
    named = node("n1")
    named["metadata"]["labels"] = {"kubernetes.io/hostname": "n1"}
    theirs = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "theirs", "labels": {"team": "b"}}}
    file = tmp_path / "cluster.yaml"
    file.write_text(yaml.safe_dump_all([pod("p", affinity=apart), foreign, named, theirs]))
    for profile, bound in (("kubernetes-1.36", False), ("kubernetes-documented", True)):
        assert main(["explain", "p", str(file), "--profile", profile]) == 0
        assert ("would be bound to n1" in capsys.readouterr().out) == bound


def test_an_ended_pod_is_not_scheduled(explain: Any) -> None:
    ended = pod("p", node="n1")
    ended["status"] = {"phase": "Succeeded"}
    assert "has ended" in explain("p", ended, node("n1"))
    assert explain("p", ended, node("n1"), options=JSON)["completed"] is True


def test_without_nodes_that_is_all_that_is_reported(explain: Any) -> None:
    assert "There are no nodes." in explain("p", pod("p"))


def test_without_a_feasible_node_the_message_and_the_victims_are_shown(explain: Any) -> None:
    """On `near` one of two pods of priority 1 is the victim, on `far` one of priority 5: the lower maximum wins."""
    objects = (
        pod("p", "2", priority=9),
        pod("heavy", "3", priority=5, node="far"),
        pod("a", "2", priority=1, node="near"),
        pod("b", "2", priority=1, node="near"),
        node("far"),
        node("near"),
    )
    answer = explain("p", *objects, options=JSON)["preemption"]
    assert answer["event"] == (
        "0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node near, "
        "preempting 1 victims"
    )
    assert [(each["node"], [v["name"] for v in each["victims"]]) for each in answer["candidates"]] == [
        ("far", ["heavy"]),
        ("near", ["a"]),
        ("near", ["b"]),
    ]
    assert answer["selected"] == ["near"] and answer["ineligible"] is None
    text = explain("p", *objects)
    assert "near b (priority 1) 0 least" in text
    assert "The event says: 0/2 nodes are available: 2 Insufficient cpu." in text
    assert text.endswith("it waits until the victims have ended: near, evicting a near, evicting b")


def test_an_ineligible_preemptor_waits(explain: Any) -> None:
    objects = (pod("p", "2", priority=9, preemptionPolicy="Never"), pod("low", "3", node="n1"), node("n1"))
    answer = explain("p", *objects, options=JSON)["preemption"]
    assert answer["ineligible"] == "not eligible due to preemptionPolicy=Never."
    assert answer["candidates"] == [] and answer["selected"] == []
    assert explain("p", *objects).endswith("p waits.")


def test_a_useless_eviction_is_shown_with_its_reason(explain: Any) -> None:
    objects = (pod("p", "2", priority=9), pod("top", "3", priority=9, node="n1"), node("n1"))
    answer = explain("p", *objects, options=JSON)["preemption"]
    assert answer["statuses"]["n1"]["reasons"] == ["No preemption victims found for incoming pod"]
    assert "n1 No preemption victims found for incoming pod" in explain("p", *objects)
