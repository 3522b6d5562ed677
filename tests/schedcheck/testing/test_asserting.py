"""`assert_allowed` passes what the specification allows, and says of anything else why it does not"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from schedcheck import InputError, read
from schedcheck.checker.drawing.kinds import Asked
from schedcheck.report.json.judged import decision_json
from schedcheck.spec.decisions import Wait
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.testing import NotAllowed, as_objects, asked, assert_allowed, cluster_of

Object = dict[str, Any]


def node(name: str, cpu: str) -> Object:
    return {"kind": "Node", "metadata": {"name": name}, "status": {"allocatable": {"cpu": cpu, "pods": "9"}}}


def pod(name: str, cpu: str = "1", priority: int = 0, on: str = "", namespace: str = "default") -> Object:
    containers = [{"name": "main", "image": "app", "resources": {"requests": {"cpu": cpu}}}]
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": name},
        "spec": {"priority": priority, "containers": containers, **({"nodeName": on} if on else {})},
        "status": {"phase": "Running" if on else "Pending"},
    }


TWO = [node("n1", "4"), node("n2", "2"), node("n3", "500m"), pod("web")]
FULL = [node("n1", "2"), node("n2", "2"), pod("a", "2", 0, "n1"), pod("b", "2", 5, "n2"), pod("high", "2", 10)]


def told(*given: Any, **options: Any) -> list[str]:
    with pytest.raises(NotAllowed) as failed:
        assert_allowed(*given, **options)
    return str(failed.value).splitlines()


def test_an_allowed_decision_passes_and_is_returned_with_its_judgement() -> None:
    found = assert_allowed(TWO, "web", {"kind": "bind", "node": "n1"})
    assert (found.verdict, found.numbers.score, found.numbers.best_score) == ("allowed", 450, 450)


def test_a_node_with_a_lower_score_is_refused_with_both_scores() -> None:
    assert told(TWO, "web", {"kind": "bind", "node": "n2"}) == [
        "web: bind to n2 is not allowed (kubernetes, best)",
        "  clause   bestScore: a pod is bound to a feasible node with the highest score",
        "  because  n2 has the score 425, and n1 450",
        "  allowed  bind to n1",
        "  score    425, the best is 450",
        "  judged   decision 1 of 1, scores 0 of 2, refusals 0 of 3",
    ]


def test_a_lower_score_is_no_fault_where_only_feasibility_is_asked() -> None:
    assert assert_allowed(TWO, "web", {"kind": "bind", "node": "n2"}, strictness="feasible").verdict == "allowed"
    assert "  because  n3 is refused by NodeResourcesFit: Insufficient cpu" in told(
        TWO, "web", {"kind": "bind", "node": "n3"}, strictness="feasible"
    )


def test_victims_are_refused_with_the_criterion_in_which_they_are_worse() -> None:
    lines = told(FULL, "high", {"kind": "nominate", "node": "n2", "victims": ["default/b"]}, least=True)
    assert lines[0] == "high: nominate to n2, evicting default/b is not allowed (kubernetes, best)"
    assert "  allowed  nominate to n1, evicting default/a" in lines
    assert "  victims  highest priority 5 (allowed 0, possible 0)" in lines
    assert not any("count" in line for line in lines)


def test_scores_that_are_told_are_judged_where_exactness_is_asked() -> None:
    reply = {"kind": "bind", "node": "n1", "scores": {"n1": 475, "n2": 451}}
    assert assert_allowed(TWO, "web", reply).verdict == "allowed"
    assert told(TWO, "web", reply, strictness="exact")[1].startswith("  clause   scores: ")


def test_the_pod_may_be_an_object_that_replaces_the_one_of_its_name() -> None:
    small = pod("web", "100m")
    assert_allowed({"items": TWO}, small, {"kind": "bind", "node": "n3"}, strictness="feasible")
    told({"items": TWO}, "web", {"kind": "bind", "node": "n3"}, strictness="feasible")
    other = pod("new", "100m", namespace="shop")
    assert assert_allowed(iter(TWO), other, {"kind": "bind", "node": "n1"}).pod.key == ("shop", "new")


def test_a_cluster_may_be_a_path_or_was_read_before(tmp_path: Path) -> None:
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"kind": "List", "items": TWO}))
    for cluster in (file, str(file), read(file), cluster_of(TWO)):
        assert_allowed(cluster, "default/web", {"kind": "bind", "node": "n1"})
        with pytest.raises(InputError, match=r"^pod: expected the name of a pod"):
            assert_allowed(cluster, pod("web"), {"kind": "bind", "node": "n1"})


UNKNOWN = {**pod("gpu"), "spec": {**pod("gpu")["spec"], "resourceClaims": [{"name": "gpu", "resourceClaimName": "g"}]}}


def test_an_unknown_decision_fails_unless_that_is_allowed() -> None:
    reply = {"kind": "bind", "node": "n1"}
    assert "is neither allowed nor refused: it is unknown" in told(TWO, UNKNOWN, reply)[0]
    assert assert_allowed(TWO, UNKNOWN, reply, allow_unknown=True).verdict == "unknown"
    with pytest.raises(NotAllowed):
        assert_allowed(TWO, "web", {"kind": "bind", "node": "n3"}, allow_unknown=True)


@pytest.mark.parametrize(
    ("cluster", "name", "reply", "message"),
    [
        (TWO, "web", {"kind": "bnd"}, "reply.kind: 'bnd': expected one of bind, nominate, evict, unschedulable, error"),
        (TWO, "none", {"kind": "unschedulable"}, "pod: 'none'"),
        ([{"kind": "Node"}], "web", {"kind": "unschedulable"}, "cluster: document 1: "),
        ([1, None], "web", {"kind": "unschedulable"}, "cluster: document 1: "),
        ([1, None], pod("web"), {"kind": "unschedulable"}, "cluster: document 1: "),
        ({"items": 5}, pod("web"), {"kind": "unschedulable"}, "cluster: items: 5: expected a list"),
        (5, "web", {"kind": "unschedulable"}, "cluster: 5: expected a cluster, a list of objects, or the path"),
        (TWO, 5, {"kind": "unschedulable"}, "pod: 5: expected the name of a pod, or a Pod object"),
        (TWO, {}, {"kind": "unschedulable"}, "cluster: document 1: items[4].metadata.name: expected a name"),
        (
            TWO,
            {"metadata": [1]},
            {"kind": "unschedulable"},
            "cluster: document 1: items[4].metadata: a list: expected a map",
        ),
        (TWO, "web", {"kind": "bind", "node": 5}, "reply.node: 5: expected a string"),
    ],
)
def test_what_cannot_be_read_is_an_error_and_no_failure(cluster: Any, name: Any, reply: Object, message: str) -> None:
    with pytest.raises(InputError) as error:
        assert_allowed(cluster, name, reply)
    assert message in str(error.value)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(asked())
def test_every_decision_of_the_specification_passes_and_no_other_kind_does(question: Asked) -> None:
    pod, snapshot = question
    one, cluster = as_objects(question)
    decided = decision(pod, snapshot, DEFAULT_PLUGINS)
    for each in decided:
        reply = decision_json(each)
        if isinstance(each, Wait):
            reply = {"kind": "error" if reply["message"].startswith("running") else "unschedulable"}
        assert_allowed(cluster, one, reply)
    if not any(isinstance(each, Wait) for each in decided):
        told(cluster, one, {"kind": "unschedulable"})


def test_assertions_do_not_import_hypothesis() -> None:
    program = "from schedcheck.testing import Driven, assert_allowed; import sys; print('hypothesis' in sys.modules)"
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert made.stdout == "False\n"
