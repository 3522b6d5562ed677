"""The verbs of the extender: what is certain is refused, what is open passes, and a judge lets everything pass"""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import schedcheck
from schedcheck.checker.opinions import known
from tests.schedcheck.serving.asking import a_node, a_pod, named, read, server, whole

SCHEMA = files("schedcheck") / "schemas" / "difference.schema.json"
VALIDATOR = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
FULL = (a_node("n1"), a_node("n2"), a_pod("big", "4", on="n1"))


def test_a_node_that_is_full_is_refused_and_the_others_are_returned_as_they_were_sent() -> None:
    asked = server(*FULL)
    found = asked.post("/filter", whole(a_pod("p"), *FULL[:2]))
    assert found == {
        "Nodes": {"metadata": {}, "items": [FULL[1]]},
        "NodeNames": None,
        "FailedNodes": {"n1": "NodeResourcesFit: Insufficient cpu"},
        "FailedAndUnresolvableNodes": {},
        "Error": "",
    }


def test_node_names_are_answered_by_names() -> None:
    asked = server(*FULL)
    found = asked.post("/filter", named(a_pod("p", "5"), "n1", "n2"))
    assert (found["Nodes"], found["NodeNames"], found["FailedNodes"]) == (None, [], {})
    assert sorted(found["FailedAndUnresolvableNodes"]) == ["n1", "n2"]


def test_without_a_cluster_only_pod_and_node_decide() -> None:
    asked = server()
    port = {"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}], "resources": {"requests": {"cpu": "1"}}}
    pod = a_pod("p", containers=[port])
    tainted = a_node("n2", taints=[{"key": "k", "effect": "NoSchedule"}])
    answer = asked.client.post("/filter", json=whole(pod, a_node("n1"), tainted, a_node("n3", "500m")))
    found = answer.json()
    assert [each["metadata"]["name"] for each in found["Nodes"]["items"]] == ["n1"]
    assert sorted(found["FailedAndUnresolvableNodes"]) == ["n2", "n3"]
    assert "NodePorts: the other objects of the cluster are not known" in answer.headers["Schedcheck-Open"]
    assert asked.post("/filter", named(pod, "n1", "n2"))["NodeNames"] == ["n1", "n2"]


def test_what_the_cluster_does_not_hold_is_open() -> None:
    volume = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
    asked = server(*FULL)
    answer = asked.client.post("/filter", json=named(a_pod("p", **volume), "n1", "n2", "n9"))
    assert answer.json()["NodeNames"] == ["n2", "n9"]
    open_ = answer.headers["Schedcheck-Open"]
    assert (
        "VolumeBinding: the cluster was read without PersistentVolumeClaims" in open_ and "node: not known: n9" in open_
    )
    with_claims = server(
        *FULL, {"kind": "PersistentVolumeClaim", "metadata": {"name": "other", "namespace": "shop"}, "spec": {}}
    )
    assert with_claims.post("/filter", named(a_pod("p", **volume), "n2"))["NodeNames"] == []


def test_a_pod_of_another_scheduler_passes() -> None:
    asked = server(*FULL)
    answer = asked.client.post("/filter", json=named(a_pod("p", schedulerName="other"), "n1", "n2"))
    assert answer.json()["NodeNames"] == ["n1", "n2"]
    assert answer.headers["Schedcheck-Open"] == "scheduler: no profile has the schedulerName other"


def test_a_judge_lets_everything_pass_and_reports_the_difference_in_its_least_form() -> None:
    more = [a_pod(f"small-{number}", "100m", on="n1") for number in range(3)]
    asked = server(*FULL, *more, judge_only=True)
    found = asked.post("/filter", whole(a_pod("p"), *FULL[:2]))
    assert found["Nodes"]["items"] == list(FULL[:2]) and found["FailedNodes"] == {}
    (told,) = asked.differences(1)
    assert told["pod"] == {"kind": "Pod", "namespace": "shop", "name": "p"} and told["nodes"] == ["n1"]
    assert (told["verdict"], told["plugin"], told["effect"]) == ("refused", "NodeResourcesFit", "none")
    least = told["smallest"]
    assert list(VALIDATOR.iter_errors(told)) == []
    assert list(VALIDATOR.iter_errors({name: each for name, each in told.items() if name != "nodes"}))
    assert least["least"] and [(each["kind"], each["metadata"]["name"]) for each in least["items"]] == [
        ("Node", "n1"),
        ("Pod", "big"),
        ("Pod", "p"),
    ]
    # The least form is a cluster of its own, in which the same is refused.
    again = server(*least["items"][:2])
    assert again.post("/filter", named(a_pod("p"), "n1"))["FailedNodes"] == {"n1": "NodeResourcesFit: Insufficient cpu"}


def test_a_difference_is_reported_once() -> None:
    asked = server(*FULL, judge_only=True)
    for _ in range(3):
        asked.post("/filter", whole(a_pod("p"), *FULL[:2]))
    asked.post("/filter", whole(a_pod("q"), *FULL[:2]))
    assert [each["pod"]["name"] for each in asked.differences(2)] == ["p", "q"]


def test_a_judge_reports_a_feasible_node_that_was_not_sent() -> None:
    asked = server(a_node("n1"), a_node("n2"), judge_only=True)
    asked.post("/filter", named(a_pod("p"), "n1"))
    (told,) = asked.differences(1)
    assert list(VALIDATOR.iter_errors(told)) == []
    assert (told["nodes"], told["verdict"], told["smallest"]) == (["n2"], "left out", None)


def test_the_best_nodes_get_the_highest_score() -> None:
    asked = server(*FULL, a_pod("half", "2", on="n2"), a_node("n3"))
    assert asked.post("/prioritize", named(a_pod("p", "500m"), "n2", "n3")) == [
        {"Host": "n2", "Score": 0},
        {"Host": "n3", "Score": 10},
    ]
    same = [{"Host": "n1", "Score": 0}, {"Host": "n2", "Score": 0}]
    assert server().post("/prioritize", whole(a_pod("p"), *FULL[:2])) == same
    assert server(*FULL, judge_only=True).post("/prioritize", whole(a_pod("p"), *FULL[:2])) == same


CONTEST = (a_node("n1"), a_node("n2"), a_pod("low", "4", on="n1", priority=1), a_pod("high", "4", on="n2", priority=9))


def victims(*names: str, violations: int = 0) -> dict[str, Any]:
    return {"Pods": [each for each in CONTEST[2:] if each["metadata"]["name"] in names], "NumPDBViolations": violations}


def meta(*names: str) -> dict[str, Any]:
    return {"Pods": [{"UID": f"u-{name}"} for name in names], "NumPDBViolations": 0}


def test_candidates_of_the_specification_are_kept_and_others_are_dropped() -> None:
    asked = server(*CONTEST)
    message = {"Pod": a_pod("p", "2", priority=5), "NodeNameToVictims": {"n1": victims("low"), "n2": victims("high")}}
    found = asked.post("/preempt", message)
    assert found == {"NodeNameToMetaVictims": {"n1": meta("low")}}
    (told,) = asked.differences(1)
    assert list(VALIDATOR.iter_errors(told)) == []
    assert told["nodes"] == ["n2"] and told["reasons"] == ["shop/high has the priority 9, and shop/p 5"]


@pytest.mark.parametrize(
    ("offered", "why"),
    [
        ({"n1": victims("low", violations=1)}, "0 violations of budgets, not 1"),
        ({"n1": victims()}, "the victims are shop/low, not none"),
        ({"n2": victims("low")}, "shop/low is on n1"),
    ],
)
def test_a_wrong_candidate_is_dropped(offered: Any, why: str) -> None:
    asked = server(*CONTEST)
    message = {"Pod": a_pod("p", "2", priority=5), "NodeNameToVictims": offered, "NodeNameToMetaVictims": None}
    assert asked.post("/preempt", message) == {"NodeNameToMetaVictims": {}}
    assert asked.differences(1)[0]["reasons"] == [why]


def test_victims_are_found_by_their_uids_and_unknown_ones_pass() -> None:
    asked = server(*CONTEST)
    message = {"Pod": a_pod("p", "2", priority=5), "NodeNameToMetaVictims": {"n1": meta("low"), "n2": meta("high")}}
    assert list(asked.post("/preempt", message)["NodeNameToMetaVictims"]) == ["n1"]
    unknown = {"Pod": a_pod("p", "2", priority=5), "NodeNameToMetaVictims": {"n1": meta("who")}}
    assert list(asked.post("/preempt", unknown)["NodeNameToMetaVictims"]) == ["n1"]
    judge = server(*CONTEST, judge_only=True)
    assert list(judge.post("/preempt", message)["NodeNameToMetaVictims"]) == ["n1", "n2"]


def test_without_a_cluster_only_wrong_priorities_and_places_are_refused() -> None:
    message = {"Pod": a_pod("p", "2", priority=5), "NodeNameToVictims": {"n1": victims("low"), "n2": victims("high")}}
    assert list(server().post("/preempt", message)["NodeNameToMetaVictims"]) == ["n1"]


BIND = {"PodName": "p", "PodNamespace": "shop", "PodUID": "u-p", "Node": "n2"}


def test_no_binding_is_made_unless_bindings_are_recorded() -> None:
    asked = server(*FULL)
    asked.post("/filter", named(a_pod("p"), "n2"))
    assert asked.post("/bind", BIND) == {"Error": "no binding was made: this server has no connection to the cluster"}
    refused = asked.post("/bind", {**BIND, "Node": "n1"})
    assert refused == {"Error": "n1 is refused by NodeResourcesFit: Insufficient cpu"}


def test_a_recorded_binding_counts_from_then_on() -> None:
    asked = server(*FULL, record_bindings=True)
    assert asked.post("/bind", BIND) == {"Error": "no binding was recorded: the pod is not known"}
    assert asked.post("/filter", named(a_pod("p", "3"), "n2"))["NodeNames"] == ["n2"]
    assert asked.post("/bind", BIND) == {"Error": ""}
    assert asked.post("/filter", named(a_pod("q", "2"), "n2"))["NodeNames"] == []
    assert asked.client.get("/v1/cluster").json()["pods"] == 2


def test_names_of_fields_are_read_in_any_letter_case() -> None:
    asked = server(*FULL)
    assert asked.post("/filter", {"pod": a_pod("p"), "nodenames": ["n1", "n2"]})["NodeNames"] == ["n2"]


CONFIGURATION = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins: {filter: {disabled: [{name: TaintToleration}]}}
extenders:
- urlPrefix: http://127.0.0.1:1/spec/v2/
  filterVerb: narrow
  weight: 1
  managedResources: [{name: example.com/licence, ignoredByScheduler: true}]
- urlPrefix: http://127.0.0.1:2
  prioritizeVerb: rate
  weight: 1
"""


def test_paths_and_profiles_are_those_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONFIGURATION)
    profile = schedcheck.kubernetes(config=tmp_path / "config.yaml")
    with pytest.raises(schedcheck.InputError, match=r"service\.extender: expected one of the extenders"):
        server(profile=profile)
    asked = server(profile=profile, extender="http://127.0.0.1:1/spec/v2/")
    licences = {"requests": {"example.com/licence": "1"}}
    pod = a_pod("p", containers=[{"name": "c", "resources": licences}])
    tainted = a_node("n1", taints=[{"key": "k", "effect": "NoSchedule"}])
    assert asked.post("/spec/v2/narrow", whole(pod, tainted))["Nodes"]["items"] == [tainted]
    assert asked.client.post("/filter", json={}).status_code == 404
    assert asked.client.post("/rate", json={}).status_code == 404


def test_a_filter_that_is_forgotten_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that leaves NodeResourcesFit open lets the full node pass, and the first test of this file fails."""
    broken = known.OF_POD_AND_NODE - {"NodeResourcesFit"}
    monkeypatch.setattr(known, "OF_POD_AND_NODE", broken)
    found = server().post("/filter", whole(a_pod("p", "9"), *FULL[:2]))
    assert len(found["Nodes"]["items"]) == 2
    monkeypatch.undo()
    assert server().post("/filter", whole(a_pod("p", "9"), *FULL[:2]))["Nodes"]["items"] == []


def test_a_cluster_with_a_scenario_is_refused() -> None:
    scenario = {"apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "metadata": {"name": "s"}, "spec": {}}
    with pytest.raises(schedcheck.InputError, match="is no object of a cluster"):
        schedcheck.asgi(read(a_node("n1"), scenario))
