"""`schedcheck explain -l`: every selected pod is explained as by itself, and pods with the same answer stand together."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import schedcheck
from schedcheck.api import explain_selected
from schedcheck.api.explain import explained
from schedcheck.checker.limits import timer
from schedcheck.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"
Write = Callable[..., str]


def pod(name: str, cpu: str = "1", namespace: str = "default", phase: str = "", **spec: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    meta = {"name": name, "namespace": namespace, "labels": {"app": "web", "size": cpu}}
    found: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": [container], **spec}}  # fmt: skip
    return found | ({"status": {"phase": phase}} if phase else {})


def node(name: str, cpu: str = "4") -> dict[str, Any]:
    status = {"allocatable": {"cpu": cpu, "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(*objects: dict[str, Any]) -> str:
        file = tmp_path / "cluster.yaml"
        file.write_text(yaml.safe_dump_all(objects))
        return str(file)

    return written


def groups(*argv: str, capsys: pytest.CaptureFixture[str], code: int = 0) -> list[list[str]]:
    assert main(["explain", *argv, "--format", "json"]) == code
    return [[each["name"] for each in group["pods"]] for group in json.loads(capsys.readouterr().out)["groups"]]


def test_pods_with_the_same_answer_stand_together_and_others_apart(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(node("n1"), pod("a"), pod("b", cpu="9"), pod("c"), pod("d", cpu="8"))
    assert groups("-l", "app=web", file, capsys=capsys) == [["a", "c"], ["b"], ["d"]]
    assert groups("-l", "size in (8,9)", file, capsys=capsys) == [["b"], ["d"]]
    assert groups("-l", "size!=8,app", file, capsys=capsys) == [["a", "c"], ["b"]]


def test_a_pod_with_a_claim_that_is_made_for_it_has_an_answer_of_its_own(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    own = {"volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]}
    file = write(node("n1"), pod("a", **own), pod("b", **own))
    main(["explain", "-l", "app=web", file, "--format", "json"])
    told = [json.dumps(each["explanation"]) for each in json.loads(capsys.readouterr().out)["groups"]]
    assert [[name in text for name in ("a-v", "b-v")] for text in told] == [[True, False], [False, True]]


def test_pending_pods_stand_before_bound_ones_which_name_their_node(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(node("n1"), node("n2"), pod("a", nodeName="n1"), pod("b", nodeName="n2"), pod("z"))
    # The cluster without a has as much room on n1 as that without b has on n2, but they are other nodes.
    assert groups("-l", "app=web", file, capsys=capsys) == [["z"], ["a"], ["b"]]
    assert main(["explain", "-l", "app=web", file]) == 0
    assert "2 of 3: a (on n1)" in capsys.readouterr().out


def test_the_namespace_is_chosen_as_by_kubectl(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(node("n1"), pod("a"), pod("b", namespace="shop"))
    assert groups("-l", "app=web", file, capsys=capsys) == [["a"]]
    assert groups("-l", "app=web", "-n", "shop", file, capsys=capsys) == [["b"]]
    everywhere = groups("-l", "app=web", "-A", file, capsys=capsys)
    assert [name for group in everywhere for name in group] == ["a", "b"]


def test_pods_that_have_ended_are_named_apart(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(node("n1"), pod("a"), pod("b", phase="Succeeded"))
    assert main(["explain", "-l", "app=web", file, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(each["name"], each["phase"]) for each in found["ended"]] == [("b", "Succeeded")]
    assert [[each["name"] for each in group["pods"]] for group in found["groups"]] == [["a"]]
    assert main(["explain", "-l", "app=web", file]) == 0
    assert "1 pod of the namespace default with app=web, 1 answer; 1 pod more has ended" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-l", "app=none"], "--selector: 'app=none': no pod of the namespace default has these labels"),
        (["-l", "app=web", "-n", "shop"], "has these labels; pods of these namespaces have them: default"),
        (["-l", "app=none", "-A"], "--selector: 'app=none': no pod has these labels"),
        (["-l", "=web"], "--selector: '=web': expected labels"),
        (["-l", "app=web", "-A", "-n", "shop"], "--all-namespaces: excludes --namespace"),
        (["-A", "a"], "--all-namespaces: needs --selector"),
    ],
)
def test_a_wrong_selection_is_one_line(
    argv: list[str], message: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", *argv, write(node("n1"), pod("a"))]) == 3
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["-l", "app=web"], [], ["web-1"]])
def test_an_input_without_files_is_one_line(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *argv]) == 3
    assert "FILES: expected" in capsys.readouterr().err


def differing(found: schedcheck.Explanations, cluster: schedcheck.Cluster, profile: str) -> list[str]:
    """The pods whose own explanation says something else than that of their group, up to their names."""
    wrong = []
    for group in found.groups:
        shown = group.explanation
        for each in group.pods:
            own = schedcheck.explain(cluster, "/".join(each.key), profile=profile)
            same = (own.kind, own.best, own.event, own.nodes) == (shown.kind, shown.best, shown.event, shown.nodes)
            mine = [str(decision).replace(str(own.pod), "") for decision in own.decisions or ()]
            told = [str(decision).replace(str(shown.pod), "") for decision in shown.decisions or ()]
            if not same or mine != told or bool(own.stood) != bool(shown.stood):
                wrong.append(str(each))
    return wrong


@pytest.mark.parametrize("profile", ["kubernetes", "classic", "corrected"])
@pytest.mark.parametrize("folder", ["git-folder", "spread", "deploy/cluster.yaml", "affinity-deadlock"])
def test_each_pod_of_a_group_has_the_answer_of_the_group(folder: str, profile: str) -> None:
    cluster = schedcheck.read(EXAMPLES / folder)
    found = schedcheck.explain_selected(cluster, "app", namespace=None, profile=profile)
    assert sum(len(group.pods) for group in found.groups) == sum("app" in each.labels for each in cluster.pods) > 0
    assert differing(found, cluster, profile) == []


def test_groups_that_forget_the_nodes_are_noticed(monkeypatch: pytest.MonkeyPatch, write: Write) -> None:
    monkeypatch.setattr(explain_selected, "_essence", lambda found: found.kind)
    cluster = schedcheck.read(write(node("n1"), node("n2", cpu="2"), pod("a"), pod("b", cpu="3")))
    found = schedcheck.explain_selected(cluster, "app=web", profile="kubernetes")
    assert differing(found, cluster, "kubernetes") == ["b"]


def test_one_explanation_for_pods_of_other_sizes_is_noticed(monkeypatch: pytest.MonkeyPatch, write: Write) -> None:
    cluster = schedcheck.read(write(node("n1"), pod("a"), pod("b", cpu="9")))
    assert differing(schedcheck.explain_selected(cluster, "app=web"), cluster, "kubernetes") == []
    monkeypatch.setattr(explain_selected, "nameless", lambda pod: pod.namespace)
    assert differing(schedcheck.explain_selected(cluster, "app=web"), cluster, "kubernetes") == ["b"]


def test_a_limit_keeps_the_pods_that_were_explained(
    monkeypatch: pytest.MonkeyPatch, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    real, asked = explained, []

    def slow(*given: Any) -> Any:
        asked.append(given[0])
        if len(asked) % 2 == 0:
            raise timer.LimitReached("--time 1")
        return real(*given)

    monkeypatch.setattr(explain_selected, "explained", slow)
    file = write(node("n1"), pod("a"), pod("b", cpu="2"), pod("c", cpu="3"))
    assert groups("-l", "app=web", file, capsys=capsys, code=2) == [["a"]]
    assert main(["explain", "-l", "app=web", file]) == 2
    assert "2 pods more were not explained (--time 1)" in " ".join(capsys.readouterr().out.split())


def test_a_pod_shared_by_the_group_keeps_its_own_name_in_decisions(write: Write) -> None:
    found = schedcheck.explain_selected(schedcheck.read(write(node("n1"), pod("a"), pod("c"))), "app=web")
    (group,) = found.groups
    assert [str(each) for each in group.pods] == ["a", "c"]
    assert [str(each) for each in group.explanation.decisions or ()] == ["Bind(a, n1)"]
    assert replace(group.explanation.pod, name="c") == group.pods[1]
