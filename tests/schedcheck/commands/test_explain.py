"""`schedcheck explain`: what the specification says about one pod on every node"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.cli import main
from schedcheck.spec.published.feasibility import FILTERS
from schedcheck.spec.published.viability import RATINGS

EXAMPLES = Path(__file__).parents[3] / "examples"
GPU = str(EXAMPLES / "gpu-small")


def pod(name: str, cpu: str = "1", priority: int = 0, node: str = "", **spec: Any) -> dict[str, Any]:
    container = {"name": "main", "resources": {"requests": {"cpu": cpu}}}
    placed = {"nodeName": node} if node else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"priority": priority, "containers": [container], **placed, **spec},
    }


def node(name: str, cpu: str = "4") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": {"cpu": cpu, "pods": "110"}},
    }


@pytest.fixture
def explain(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """The text of `explain` on these objects under the published model, or its JSON."""

    def explained(name: str, *objects: dict[str, Any], options: tuple[str, ...] = ()) -> Any:
        file = tmp_path / "cluster.yaml"
        file.write_text(yaml.safe_dump_all(objects))
        assert main(["explain", name, str(file), "--profile", "corrected", *options]) == 0
        text = capsys.readouterr().out
        return json.loads(text) if "json" in options else " ".join(text.split())

    return explained


def test_each_node_is_listed_with_its_filters_and_ratings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "training-1", GPU, "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    nodes = {each["node"]: each for each in answer["nodes"]}
    reason = "insufficient nvidia.com/gpu (requests 1, 0 left)"
    lacking = "lacks the label nvidia.com/gpu.present=true"
    assert nodes["cpu-1"]["refusals"] == [
        {"plugin": "Resources", "code": None, "reasons": [reason]},
        {"plugin": "NodeSelector", "code": None, "reasons": [lacking]},
    ]
    assert (nodes["cpu-1"]["feasible"], nodes["cpu-1"]["total"]) == (False, None)
    ratings = {rating.name: 50 if rating is RATINGS[0] else 0 for rating in RATINGS}
    assert {name: each["weighted"] for name, each in nodes["gpu-1"]["scores"].items()} == ratings
    assert nodes["gpu-1"]["total"] == 50
    assert [each["text"] for each in answer["decisions"]] == ["Bind(training-1, gpu-1)", "Bind(training-1, gpu-2)"]
    assert [each["name"] for each in answer["ahead"]] == ["web-1", "web-2"]


def test_the_text_gives_reasons_and_the_chosen_node(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "default/training-1", GPU]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^cpu-1 cpu-2  refused   1.2 Resources     insufficient nvidia.com/gpu", out, re.MULTILINE)
    assert re.search(r"^gpu-1 gpu-2  feasible  all ", out, re.MULTILINE)
    assert re.search(r"^gpu-1 gpu-2 +50 +0 +0 +0 +50  best$", out, re.MULTILINE)
    assert "training-1 would be bound to any one of: gpu-1 gpu-2." in out
    assert "web-1 (priority 1,000), web-2 (priority 1,000)" in " ".join(out.split())
    for filter_ in FILTERS:
        assert f"{filter_.name} ({filter_.section})" in out


def test_a_bound_pod_is_explained_as_if_it_were_pending(explain: Any) -> None:
    objects = (pod("web", "4", node="a"), node("a"), node("b", "3"))
    assert "bound to a; explained as if it were pending now" in explain("web", *objects)
    answer = explain("web", *objects, options=("--format", "json"))
    assert answer["pod"]["node"] == "a"
    assert [each["text"] for each in answer["decisions"]] == ["Bind(web, a)"]


def test_a_pod_bound_to_a_missing_node_is_explained(explain: Any) -> None:
    assert "bound to gone, a node that the input lacks" in explain("web", pod("web", node="gone"), node("a"))


def test_all_least_sets_of_victims_are_named(explain: Any) -> None:
    objects = [node("a", "2"), node("b", "2"), pod("web", "2", priority=9)]
    objects += [pod(f"{where}-{number}", priority=number, node=where) for where in "ab" for number in (1, 2)]
    text = explain("web", *objects)
    assert "No node is feasible. What may be evicted for web, of equal and least damage, any one of:" in text
    assert "from a: a-1 (priority 1), a-2 (priority 2)" in text
    assert "from b: b-1 (priority 1), b-2 (priority 2)" in text
    kinds = {each["kind"] for each in explain("web", *objects, options=("--format", "json"))["decisions"]}
    assert kinds == {"Preempt"}


@pytest.mark.parametrize(
    ("priority", "spec", "why"),
    [
        (0, {}, "there is no pod of lower priority to evict"),
        (9, {"preemptionPolicy": "Never"}, "its preemptionPolicy is Never"),
        (9, {"nodeSelector": {"disk": "ssd"}}, "no eviction of pods of lower priority would make one feasible"),
    ],
)
def test_a_waiting_pod_is_shown_with_the_reason_for_no_eviction(
    explain: Any, priority: int, spec: dict[str, Any], why: str
) -> None:
    text = explain("web", node("a", "1"), pod("old", node="a"), pod("web", priority=priority, **spec))
    assert f"No node is feasible, and {why}: web waits." in text


def test_more_than_16_lower_priority_pods_on_a_node_are_too_many_to_try(explain: Any) -> None:
    def cluster(count: int) -> list[dict[str, Any]]:
        return [node("a", str(count)), pod("web", "1", priority=9)] + [
            pod(f"p{number:02}", node="a") for number in range(count)
        ]

    text = explain("web", *cluster(17))
    assert "on a alone there are 17 such pods, 131,072 sets" in text
    assert "Without any pod of lower priority it would fit on: a." in text
    answer = explain("web", *cluster(17), options=("--format", "json"))
    assert (answer["decisions"], answer["lowerPriority"]) == (None, {"a": 17})


@pytest.mark.slow
def test_up_to_16_lower_priority_pods_on_a_node_are_tried(explain: Any) -> None:
    objects = [node("a", "16"), pod("web", "1", priority=9)] + [pod(f"p{n:02}", node="a") for n in range(16)]
    assert len(explain("web", *objects, options=("--format", "json"))["decisions"]) == 16


def test_affinity_sees_the_pods_of_other_nodes(explain: Any) -> None:
    apart = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "zone"}
    rule = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    nodes = [node(name) for name in "ab"]
    for each in nodes:
        each["metadata"]["labels"] = {"zone": "one"}
    other = pod("db-0", node="a", affinity=rule)
    other["metadata"]["labels"] = {"app": "db"}
    alike = pod("db-1")
    alike["metadata"]["labels"] = {"app": "db"}
    text = explain("db-1", *nodes, other, alike)
    assert "a b refused 1.5 ExistingAntiAffinity the required anti-affinity of db-0" in text


def test_a_fault_is_explained_as_in_the_printed_model(explain: Any) -> None:
    text = explain("web", node("a"), pod("web"), options=("--fault", "overlapping-case"))
    assert "corrected, 1 fault on: overlapping-case" in text
    assert "web would be bound to a. What may be evicted for web, of least damage: from a: no pod" in text


def test_an_ended_pod_is_reported_as_ended(explain: Any) -> None:
    job = pod("job", node="a") | {"status": {"phase": "Succeeded"}}
    assert explain("job", node("a"), job) == "job has ended (Succeeded): no scheduler tries it again."
    assert explain("job", node("a"), job, options=("--format", "json"))["completed"] is True


def test_without_nodes_the_pod_waits(explain: Any) -> None:
    text = explain("web", pod("web"))
    assert "There are no nodes." in text
    assert "web waits." in text


def test_an_unknown_pod_is_refused_with_the_nearest_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "trainin-1", GPU]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == ("schedcheck: POD: 'trainin-1': no pod has this name; the nearest: training-1, training-2\n")
