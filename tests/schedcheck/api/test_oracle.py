"""The oracle answers every line, in order, by a verdict or by an error that names the place."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import schedcheck
from schedcheck.checker.judging.judged import CLAUSES
from schedcheck.checker.limits import timer
from tests.schedcheck.api.test_schemas import schema

ROOT = Path(__file__).parents[3]
DECISIONS = (ROOT / "examples" / "oracle" / "decisions.jsonl").read_bytes().splitlines()
ANSWERS, QUESTIONS = (Draft202012Validator(schema(name)) for name in ("oracle", "question"))


def node(name: str, cpu: str = "4") -> dict[str, Any]:
    return {"kind": "Node", "metadata": {"name": name}, "status": {"allocatable": {"cpu": cpu, "pods": "9"}}}


def pod(name: str, cpu: str = "1", **spec: Any) -> dict[str, Any]:
    containers = [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]
    return {"kind": "Pod", "metadata": {"name": name}, "spec": {"containers": containers, **spec}}


TWO = {"items": [node("n1"), node("n2", "8"), pod("p")]}


def answers(*lines: Any, **options: Any) -> list[dict[str, Any]]:
    given = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines]
    found = [json.loads(each.text()) for each in schedcheck.oracle(given, **options)]
    for each in found:
        assert list(ANSWERS.iter_errors(each)) == []
    return found


def bind(name: str) -> dict[str, Any]:
    return {"kind": "bind", "node": name}


def test_the_example_is_answered_line_by_line() -> None:
    for line in DECISIONS:
        assert list(QUESTIONS.iter_errors(json.loads(line))) == []
    found = answers(*DECISIONS)
    assert [each["id"] for each in found] == [1, 2, 3, 4, 5, 6, 7]
    assert [each["verdict"] for each in found] == [
        "allowed", "refused", "allowed", "refused", "allowed", "unknown", None,
    ]  # fmt: skip
    clauses = [each["clause"]["name"] for each in found if each["clause"]]
    assert clauses == ["filters", "leastCasualty"]


def test_what_is_allowed_is_in_the_form_of_a_decision_and_allowed_again() -> None:
    for line, answer in zip(DECISIONS, answers(*DECISIONS), strict=True):
        cluster = json.loads(DECISIONS[0])["cluster"]
        for decision in answer["allowed"]:
            again = json.loads(line) | {"cluster": cluster, "decision": decision, "strictness": "exact"}
            assert list(QUESTIONS.iter_errors(again)) == []
            assert [each["verdict"] for each in answers(again)] == ["allowed"]


def test_a_pod_that_is_given_whole_replaces_the_one_of_its_name() -> None:
    large = {"cluster": TWO, "pod": pod("p", "6"), "decision": bind("n1")}
    small = {"pod": "p", "decision": bind("n1"), "strictness": "feasible"}
    added = {"pod": pod("q", "6"), "decision": bind("n2")}
    found = answers(large, small, added)
    assert [each["verdict"] for each in found] == ["refused", "allowed", "allowed"]
    assert found[2]["pod"] == {"kind": "Pod", "namespace": "default", "name": "q"}


ERRORS: dict[str, tuple[Any, str]] = {
    "no JSON": (b"{", "input: line 1: not JSON: "),
    "no text": (b'{"pod": "\xff"}', "input: line 1: expected text in UTF-8"),
    "deep": (b'{"id":' + b"[" * 100_000, "input: line 1: not JSON: nested too deeply"),
    "infinite": (b'{"id": 1e999}', "input: line 1: not JSON: expected a finite number, not 1e999"),
    "no number": (b'{"id": NaN}', "input: line 1: not JSON: expected a finite number, not NaN"),
    "a list": ([], "input: line 1: []: expected a map"),
    "another field": ({"pods": "p"}, "input: line 1: pods: unknown field; did you mean 'pod'?"),
    "no pod": ({"cluster": TWO}, "input: line 1: pod: expected a pod, or its namespace/name"),
    "no cluster": ({"pod": "p"}, "input: line 1: cluster: expected a cluster, as no line before has one"),
    "another pod": (
        {"cluster": TWO, "pod": "q"},
        "input: line 1: pod: 'q': no pod has this name; the input has p",
    ),
    "a quantity": (
        {"cluster": {"items": [node("n1", "4x")]}, "pod": "p"},
        "input: line 1: cluster.items[0].status.allocatable.cpu: '4x': ",
    ),
    "a quantity of the pod": (
        {"cluster": TWO, "pod": pod("p", "1y")},
        "input: line 1: pod.spec.containers[0].resources.requests.cpu: '1y': ",
    ),
    "two of one name": (
        {"cluster": {"items": [node("n1"), node("n1")]}, "pod": "p"},
        "input: line 1: cluster.items[1].metadata.name: 'n1': another Node has this name",
    ),
    "a pod of another group": (
        {"cluster": TWO, "pod": pod("p") | {"apiVersion": "example.com/v1"}},
        "input: line 1: pod.apiVersion: 'example.com/v1': expected v1",
    ),
    "a kind": (
        {"cluster": TWO, "pod": "p", "decision": {"kind": "place"}},
        "input: line 1: decision.kind: 'place': expected one of bind, nominate, evict, unschedulable, error",
    ),
    "no node": (
        {"cluster": TWO, "pod": "p", "decision": {"kind": "bind"}},
        "input: line 1: decision.node: expected the name of a node",
    ),
    "victims of a bind": (
        {"cluster": TWO, "pod": "p", "decision": bind("n1") | {"victims": []}},
        "input: line 1: decision.victims: []: belongs to no bind",
    ),
    "no victims": (
        {"cluster": TWO, "pod": "p", "decision": {"kind": "evict"}},
        "input: line 1: decision.victims: expected a list of pods, each as namespace/name",
    ),
    "a victim": (
        {"cluster": TWO, "pod": "p", "decision": {"kind": "evict", "victims": ["q"]}},
        "input: line 1: decision.victims[0]: 'q': expected namespace/name",
    ),
    "a score": (
        {"cluster": TWO, "pod": "p", "decision": bind("n1") | {"scores": {"n1": "9"}}},
        "input: line 1: decision.scores.n1: '9': expected an integer",
    ),
    "strictness": (
        {"cluster": TWO, "pod": "p", "strictness": "strict"},
        "input: line 1: strictness: 'strict': expected one of feasible, best, exact",
    ),
}


@pytest.mark.parametrize("what", ERRORS)
def test_a_line_that_cannot_be_read_is_answered_by_its_error_and_the_next_one_is_read(what: str) -> None:
    line, message = ERRORS[what]
    wrong, right = answers(line, {"id": "next", "cluster": TWO, "pod": "p", "decision": bind("n2")})
    assert wrong["error"].startswith(message)
    assert (right["id"], right["verdict"]) == ("next", "allowed")


def test_a_line_that_is_too_long_is_refused() -> None:
    wrong, right = answers(b" " * 2000 + b"{}", {"cluster": TWO, "pod": "p"}, longest=1000)
    assert wrong["error"] == "input: line 1: expected at most 1,000 bytes in a line"
    assert right["verdict"] is None


def test_an_empty_line_is_left_out() -> None:
    assert answers(b"\n", b"  \n") == []


def test_a_rule_and_a_configuration_join_in(tmp_path: Path) -> None:
    question = {"cluster": TWO, "pod": "p", "decision": bind("n2")}
    rules = tmp_path / "house_rules_of_the_oracle.py"
    rules.write_text(
        "from schedcheck.rule import always\n\n\n@always\ndef n2_is_empty(snapshot):\n"
        '    "Nobody is on n2."\n    return not snapshot.pods_by_node.get("n2")\n'
    )
    import sys

    sys.path.insert(0, str(tmp_path))
    try:
        profile = schedcheck.kubernetes(rules=["house_rules_of_the_oracle"])
        (found,) = answers(question, profile=profile)
    finally:
        sys.path.remove(str(tmp_path))
    assert (found["verdict"], found["clause"]["name"]) == ("refused", "rule")
    assert found["reasons"] == ["n2_is_empty: Nobody is on n2."]
    most = tmp_path / "most.yaml"
    most.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- pluginConfig:\n"
        "  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n        type: MostAllocated\n"
        "        resources: [{name: cpu, weight: 1}]\n"
    )
    (found,) = answers(question, profile=schedcheck.kubernetes(config=most))
    assert (found["verdict"], found["clause"]["name"]) == ("refused", "bestScore")


def test_amounts_that_kube_scheduler_cannot_count_are_unknown() -> None:
    huge = {"items": [node("n1", "9223372036854775807"), pod("p")]}
    (found,) = answers({"cluster": huge, "pod": "p", "decision": bind("n1")})
    assert found["verdict"] == "unknown"


def test_one_decision_is_judged_from_python() -> None:
    cluster = schedcheck.read(ROOT / "examples" / "least-casualty")
    found = schedcheck.judge(
        cluster, "platform", {"kind": "unschedulable"}, profile="kubernetes", least=True
    )  # fmt: skip
    assert (found.verdict, found.clause, found.exit_code) == ("refused", "preempts", 1)
    with pytest.raises(schedcheck.InputError, match=r"reply\.kind: 'place': expected one of bind"):
        schedcheck.judge(cluster, "platform", {"kind": "place"})
    with pytest.raises(schedcheck.InputError, match="strictness: 'strict': expected one of feasible"):
        schedcheck.judge(cluster, "platform", {"kind": "error"}, strictness="strict")  # type: ignore[arg-type]
    reply = schedcheck.Reply("nominate", "node-2")
    assert schedcheck.judge(cluster, "platform", reply, profile="kubernetes").exit_code == 0


def test_the_example_of_the_page_is_the_fourth_line_and_its_answer() -> None:
    page = (ROOT / "docs" / "oracle.md").read_text()
    question, answer = (
        json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    )
    assert question == json.loads(DECISIONS[3])
    assert answer | {"schedcheck": ""} == answers(*DECISIONS)[3] | {"schedcheck": ""}


def test_the_page_has_every_clause() -> None:
    page = (ROOT / "docs" / "oracle.md").read_text()
    table = page[page.index("| clause | demand |") :]
    assert re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.MULTILINE) == [*CLAUSES.items()]


def test_equal_clusters_are_read_once_and_unequal_ones_again() -> None:
    """In Python 1 equals true, and only one of them is a priority."""
    first = {
        "cluster": {"items": [node("n1"), pod("p", priority=1)]},
        "pod": pod("p", priority=1),
        "decision": bind("n1"),
    }
    second = {"cluster": {"items": [node("n1"), pod("p", priority=True)]}, "pod": "p", "decision": bind("n1")}
    taken = {"cluster": {"items": [node("n1"), pod("p", priority=1), pod("q", "4", nodeName="n1")]}} | {
        key: first[key] for key in ("pod", "decision")
    }
    found = answers(first, first, second, first, taken, first)
    assert [each.get("verdict") for each in found] == ["allowed", "allowed", None, "allowed", "refused", "allowed"]
    assert found[2]["error"] == "input: line 3: cluster.items[1].spec.priority: true: expected an integer"


def test_objects_are_taken_as_the_api_server_stores_them() -> None:
    """A manifest that is applied would get tolerations for 300 seconds, and a Deployment would make pods."""
    tainted = node("n1") | {"spec": {"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]}}
    (found,) = answers({"cluster": {"items": [tainted]}, "pod": pod("p"), "decision": bind("n1")})
    assert found["clause"]["name"] == "filters"
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("p", "4")["spec"]}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    cluster = {"items": [node("n1"), web, pod("p")]}
    (found,) = answers({"cluster": cluster, "pod": "p", "decision": bind("n1")}, profile="corrected")
    assert found["verdict"] == "allowed"
    high = {"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7, "globalDefault": True}
    low, other = pod("low", "4", nodeName="n1"), pod("p", "4", priorityClassName="high")
    nominate = {"kind": "nominate", "node": "n1", "victims": ["default/low"]}
    (found,) = answers({"cluster": {"items": [node("n1"), low, high]}, "pod": other, "decision": nominate})
    assert found["verdict"] == "allowed"


def test_a_pod_of_helm_is_stored_as_any_other() -> None:
    hook = pod("p") | {"metadata": {"name": "p", "annotations": {"helm.sh/hook": "post-install"}}}
    (found,) = answers({"cluster": TWO, "pod": hook, "decision": bind("n2")})
    assert found["verdict"] == "allowed"


def test_the_time_of_a_line_begins_with_the_line_and_not_with_the_command() -> None:
    large = {"items": [node(f"n{number}") for number in range(1500)]}
    question = {"cluster": large, "pod": pod("p"), "decision": bind("n1")}
    with timer.counted():
        assert timer._Process.begun is not None
        timer._Process.begun -= 1000
        (found,) = answers(question, limits=schedcheck.Limits(seconds=500))
    assert found["verdict"] == "allowed"
