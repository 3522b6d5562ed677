"""`-l` and `-n` of the commands that ask about pods: which pods they choose, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.cli import main

NODE = "{{apiVersion: v1, kind: Node, metadata: {{name: {}, labels: {{zone: a}}}}, status: {{allocatable: {{cpu: '4', memory: 8Gi, pods: '110'}}}}}}"
POD = (
    "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: {space}, labels: {{app: {app}}}}},"
    " spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: '{cpu}'}}}}}}]}}}}"
)
PODS = (("web-1", "default", "web", 1), ("web-2", "default", "web", 1), ("web-9", "default", "web", 9))
OTHERS = (("db", "default", "db", 1), ("api", "shop", "api", 1))


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    """Return a file with two nodes; three pods with app=web, of which one fits no node; one of app=db, one in shop."""
    pods = [POD.format(name=name, space=space, app=app, cpu=cpu) for name, space, app, cpu in (*PODS, *OTHERS)]
    file = tmp_path / "cluster.yaml"
    file.write_text("\n---\n".join([NODE.format("n1"), NODE.format("n2"), *pods]))
    return str(file)


def told(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 0) -> Any:
    assert main([*argv, "--format", "json"]) == code
    return json.loads(capsys.readouterr().out)


SELECTING = ("check", "explain", "victims", "capacity", "diff", "optimum", "simulate", "compare", "lint", "deploy")


def words(command: str, file: str) -> list[str]:
    """Return the command about a file, without what it selects."""
    more = {"compare": ["--config", "examples/compare/most-allocated.yaml"], "deploy": ["--onto", file]}
    return [command, *more.get(command, []), file]


@pytest.mark.parametrize("command", SELECTING)
@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("app=wbe", "have these labels|has these labels"),
        ("app==web,,", "expected labels"),
        ("app in web", "expected labels"),
        ("", "expected labels"),
    ],
)
def test_a_selector_that_selects_nothing_or_is_none_is_one_line(
    command: str, selector: str, expected: str, cluster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words(command, cluster), "-l", selector]) == 3
    out, said = capsys.readouterr()
    (line,) = said.splitlines()
    assert line.startswith(f"schedcheck: --selector: '{selector}': ")
    assert any(each in line for each in expected.split("|"))
    assert "wbe" not in selector or "the nearest: app=web, " in line
    assert not out


@pytest.mark.parametrize("command", ["drain", "fail"])
def test_a_selector_of_nodes_that_selects_nothing_names_the_nearest_labels(
    command: str, cluster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "-l", "zone=b", cluster]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "schedcheck: --selector: 'zone=b': no node has these labels; the nearest: zone=a"


@pytest.mark.parametrize("command", sorted({*SELECTING} - {"deploy"}))
def test_a_namespace_without_selected_pods_is_one_line(
    command: str, cluster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words(command, cluster), "-l", "app=web", "-n", "shop"]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("pods of these namespaces have them: default")


@pytest.mark.parametrize(("command", "code"), [("check", 1), ("victims", 0), ("capacity", 0)])
def test_each_selected_pod_is_asked_about_and_equal_pods_share_an_answer(
    command: str, code: int, cluster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(capsys, command, cluster, "-l", "app=web", code=code)
    assert [[pod["name"] for pod in each["pods"]] for each in found["groups"]] == [["web-1", "web-2"], ["web-9"]]
    assert (found["notAsked"], found["stopped"], found["exitCode"]) == (0, None, code)
    name = ["--pod", "web-9"] if command == "check" else ["web-9"]
    alone = told(capsys, command, *name, cluster, code=code)
    assert _without_time(found["groups"][1]["answer"]) == _without_time(alone)


def _without_time(answer: Any) -> Any:
    """Return the answer without figures that differ between two runs."""
    return {key: value for key, value in answer.items() if key not in ("counts", "seconds")}


def test_all_namespaces_are_those_of_every_selected_pod(cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "victims", cluster, "-l", "app in (db,api)", "-A")
    assert [each["pods"][0]["name"] for each in found["groups"]] == ["db", "api"]
    assert main(["victims", cluster, "db", "-A"]) == 3
    assert main(["victims", cluster, "-l", "app=db", "-A", "-n", "shop"]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == ["needs --selector", "excludes --namespace"]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("check", "-l", "app=web", "--pod", "web-1"), "--selector: cannot be given together with --pod"),
        (("check", "-l", "app=web", "--trace", "t.itf.json"), "--trace: not possible with --selector"),
        (("capacity", "-l", "app=web", "--empty"), "--empty: not possible with --selector"),
        (("capacity", "-l", "app=web", "--nodes", "cpu=1"), "--nodes: not possible with --selector"),
        (("diff", "-l", "app=web", "--explore"), "--selector: not possible with --explore"),
    ],
)
def test_options_that_do_not_fit_a_selector_are_refused(
    options: tuple[str, ...], line: str, cluster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*options, cluster]) == 3
    assert capsys.readouterr().err.splitlines() == [f"schedcheck: {line}"]


def test_diff_compares_only_the_selected_pods(cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = schedcheck.diff(schedcheck.read(cluster), selector="app=web")
    assert sorted(pod.name for pod, _ in found.agreed) == ["web-1", "web-2", "web-9"]
    assert [pod.name for pod, _ in schedcheck.diff(schedcheck.read(cluster), namespace="shop").agreed] == ["api"]


def test_optimum_places_only_the_selected_pods_and_notes_the_others(cluster: str) -> None:
    found = schedcheck.optimum(schedcheck.read(cluster), selector="app=db")
    assert set(found.placement) == {"default/db"}
    assert "left out, as not selected: 4 pending pods" in found.notes


def test_simulate_lists_only_the_workloads_of_selected_pods(cluster: str) -> None:
    owned = "name: api, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: api, uid: u, controller: true}]"
    text = Path(cluster).read_text().replace("name: api", owned, 1)
    Path(cluster).write_text(text)
    given = schedcheck.read(cluster)
    names = [
        [each.name for each in schedcheck.simulate(given, until="9s", sample=sample).summary.workloads]
        for sample in (
            schedcheck.Sample(runs=1, cores=1, judge=0, namespace=space) for space in (None, "default", "shop")
        )
    ]
    assert len(names[0]) == 2
    assert [names[1], names[2]] == [["pods without an owner"], [each for each in names[0] if "api" in each]]


def test_lint_keeps_only_findings_about_selected_pods(cluster: str) -> None:
    things = {each.thing.name for each in schedcheck.lint(schedcheck.read(cluster)).findings}
    assert "web-9" in things
    of_web = schedcheck.lint(schedcheck.read(cluster), selector="app=web").findings
    assert {each.thing.name for each in of_web} == {"web-9"}
    assert not schedcheck.lint(schedcheck.read(cluster), selector="app=db").findings


DAEMONS = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: ops, labels: {team: infra}}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {nodeSelector: {gpu: 'yes'}, containers: [{name: c, image: i}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: other, namespace: ops, labels: {team: other}}
spec:
  selector: {matchLabels: {app: other}}
  template:
    metadata: {labels: {app: other}}
    spec: {nodeSelector: {gpu: 'yes'}, containers: [{name: c, image: i}]}
"""
"""Two DaemonSets without any pod."""


@pytest.mark.parametrize("chosen", ["team=infra", "app=agent"])
def test_lint_keeps_a_daemon_set_without_pods_by_its_labels_or_those_of_its_template(cluster: str, chosen: str) -> None:
    Path(cluster).write_text(f"{Path(cluster).read_text()}\n---{DAEMONS}")
    given = schedcheck.read(cluster)
    both = {each.thing.name for each in schedcheck.lint(given).findings if each.rule == "daemonset-misses-node"}
    assert both == {"agent", "other"}
    for namespace in (None, "ops"):
        (one,) = schedcheck.lint(given, selector=chosen, namespace=namespace).findings
        assert (one.rule, one.thing.name) == ("daemonset-misses-node", "agent")
    with pytest.raises(schedcheck.InputError):
        schedcheck.lint(given, selector=chosen, namespace="shop")


def test_lint_keeps_a_budget_of_a_selected_template_without_pods(tmp_path: Path) -> None:
    budget = (
        "{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: {0}, namespace: ops}},"
        " spec: {{maxUnavailable: 0, selector: {{matchLabels: {{app: {0}}}}}}}}}"
    )
    texts = [NODE.format("n1"), DAEMONS, budget.format("agent"), budget.format("other")]
    (tmp_path / "all.yaml").write_text("\n---\n".join(texts))
    given = schedcheck.read(str(tmp_path / "all.yaml"))
    kept = schedcheck.lint(given, selector="team=infra").findings
    assert {each.thing.name for each in kept} == {"agent"}
    whole = [each for each in schedcheck.lint(given).findings if each.thing.name == "agent"]
    assert sorted(each.rule for each in kept) == sorted(each.rule for each in whole)


def test_deploy_applies_only_the_manifests_with_the_labels(tmp_path: Path) -> None:
    (tmp_path / "there.yaml").write_text(NODE.format("n1"))
    pods = [POD.format(name=name, space=space, app=app, cpu=cpu) for name, space, app, cpu in OTHERS]
    (tmp_path / "new.yaml").write_text("\n---\n".join(pods))
    found = schedcheck.deploy(tmp_path / "new.yaml", onto=tmp_path / "there.yaml", selector="app=db")
    assert [str(each) for each in found.changes if each.what == "added"] == ["pod/db"]


def test_the_time_of_each_selected_is_that_of_all_pods_together(cluster: str) -> None:
    given = schedcheck.read(cluster)
    left: list[float | None] = []

    def ask(name: str, limits: schedcheck.Limits) -> schedcheck.Capacity:
        left.append(limits.seconds)
        return schedcheck.capacity(given, name)

    schedcheck.each_selected(given, "app", ask, namespace=None, limits=schedcheck.Limits(50))
    assert all(each is not None and each <= 50 for each in left)
    assert left == sorted(left, key=lambda each: -(each or 0)) and len(left) == 4


def test_pods_with_claims_that_are_made_for_them_have_answers_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without uids such pods differ in their names alone, but each claim has the name of its pod."""
    volume = "volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}], containers"
    plain = [POD.format(name=name, space="default", app="web", cpu=1) for name in ("a", "b")]
    for pods, expected in ((plain, 1), ([each.replace("containers", volume) for each in plain], 2)):
        file = tmp_path / "pods.yaml"
        file.write_text("\n---\n".join([NODE.format("n1"), *pods]))
        main(["victims", str(file), "-l", "app=web", "--format", "json"])
        answer = json.loads(capsys.readouterr().out)
        assert len(answer["groups"]) == expected
