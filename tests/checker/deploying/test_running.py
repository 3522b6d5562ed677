"""Applied manifests beside controllers: what is said only of what was explored, and asked also where nothing is applied"""

from functools import partial
from pathlib import Path

import pytest

import schedcheck
from schedcheck.checker.deploying import deployed as answers
from schedcheck.checker.deploying.behaviours import followed
from schedcheck.checker.deploying.deployed import deployed
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.report.text.deploy import conclusions, row
from tests.checker.deploying.test_beside_controllers import deployment, standing
from tests.checker.relocation.test_beside import Document, node, pod, policy, written

CONFIG: Document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}}


def asked(folder: Path, objects: list[Document], manifest: Document, file: Document) -> schedcheck.Deployed:
    controllers = written(folder, objects, ["descheduler"], file)
    written(folder / "new", [manifest], [], None)
    return schedcheck.deploy([folder / "new" / "cluster.yaml"], onto=folder / "cluster.yaml", controllers=controllers)


def duplicates(**fields: bool) -> list[Document]:
    """Two pods of one owner on one node, beside a node that is too small, and a third one."""
    nodes = [node("n1", 4), node("n2", 1), node("n3", 4, **fields)]
    return [*nodes, *(pod(f"web-{each}", "n1", 15, "ReplicaSet") for each in (1, 2))]


def text_of(found: schedcheck.Deployed) -> str:
    return " ".join(answers_of(found))


def answers_of(found: schedcheck.Deployed) -> list[str]:
    return list(conclusions(found.changes, found.found, found.verdict))


def test_controllers_that_never_rest_are_a_violation_also_if_nothing_makes_pods(tmp_path: Path) -> None:
    # One pod more changes nothing of the round, in which the other node has no place for a duplicate.
    small = deployment(1, 1, "a")
    small["metadata"]["name"] = "small"
    for manifest in (CONFIG, small):
        found = asked(tmp_path, duplicates(unschedulable=True), manifest, policy("RemoveDuplicates"))
        answer = found.to_json()
        assert (found.verdict, found.exit_code, answer["rests"]) == (Verdict.VIOLATED, 1, "violated"), manifest["kind"]
        assert [each["property"] for each in answer["bad"]["violated"]] == ["comes_to_rest"]
        assert "No pod is created or deleted." not in text_of(found)


def test_controllers_that_rest_are_said_to_if_nothing_makes_pods(tmp_path: Path) -> None:
    found = asked(tmp_path, duplicates(unschedulable=True), CONFIG, policy("RemoveDuplicates", fit=True))
    assert (found.verdict, found.to_json()["rests"], found.to_json()["by"]) == (Verdict.HOLDS, "holds", "exploration")
    assert answers_of(found)[0].startswith("What is applied creates and deletes no pod.")
    assert "the controllers come to rest; every state was explored (" in text_of(found)


def test_nothing_is_proved_by_counting_beside_controllers_even_if_no_pod_is_to_come(tmp_path: Path) -> None:
    """The workload is scaled down, and the exploration is given up at once."""
    objects = [*duplicates(), *(standing(f"web-5d9c-{each}", "n3", 1) for each in (1, 2)), deployment(1, 2, "a")]
    objects = [each for each in objects if each["metadata"]["name"] not in ("web-1", "web-2")]
    found = asked(tmp_path, objects, deployment(1, 1, "a"), policy("RemoveDuplicates", fit=True))
    assert found.found.asked.keys and not found.found.asked.forms and found.found.by == "exploration"
    given_up = deployed(found.found.asked, lambda scenario, keys: scenario, Bounds(max_states=1))
    assert (given_up.verdict, given_up.by, given_up.rests) == (Verdict.GAVE_UP, "behaviours", "undecided")
    (change,) = (each for each in found.changes if each.rollout)
    assert not row(change, given_up).proved and row(change, given_up).unproved == (
        "not counted, as other controllers run",
    )


def test_a_search_for_rounds_says_nothing_of_the_nodes_and_evictions_of_every_behaviour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All states are explored once more without a graph, after one behaviour was followed."""
    way = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    objects = [
        *(node(f"n{each}", 2) for each in (1, 2, 3)),
        standing("web-5d9c-1", "n1", 5),
        standing("web-5d9c-2", "n2", 5),
    ]
    objects.append(deployment(5, 2, "a", **way))
    file = policy("RemoveDuplicates", fit=True)
    manifest = deployment(5, 2, "b", **way)
    whole = asked(tmp_path, objects, manifest, file)
    monkeypatch.setattr(answers, "SOON", 1)
    monkeypatch.setattr(answers, "followed", partial(followed, behaviours=1))
    found = asked(tmp_path, objects, manifest, file)
    assert found.verdict is whole.verdict is Verdict.HOLDS and found.found.complete
    exact, few = ([each for each in made.to_json()["applied"] if each["nodes"]] for made in (whole, found))
    assert exact[0]["nodesExact"] and set(few[0]["nodes"]) < set(exact[0]["nodes"])
    assert not few[0]["nodesExact"]
    assert "No pod is evicted by preemption." in text_of(whole)
    assert "No pod is evicted by preemption." not in text_of(found)


def test_a_round_that_was_searched_is_not_said_to_be_the_shortest_of_followed_behaviours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "SOON", 1)
    monkeypatch.setattr(answers, "FEWEST", 2)
    monkeypatch.setattr(answers, "followed", partial(followed, behaviours=0))
    found = asked(tmp_path, duplicates(unschedulable=True), CONFIG, policy("RemoveDuplicates"))
    assert found.verdict is Verdict.VIOLATED and found.found.followed is not None and found.found.followed.bad is None
    assert "that were followed to their end" not in text_of(found)
