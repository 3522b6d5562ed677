"""`schedcheck lint`: exit codes, formats, and the configuration"""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

import schedcheck
from schedcheck.checker.limits.timer import LimitReached
from schedcheck.cli import main
from schedcheck.findings.finding import Change, Finding, Found, Severity, Thing
from schedcheck.findings.rules import RULES, findings
from schedcheck.report.text.findings import finding_lines
from tests.support.linting import Manifest, deployment, guard, host, waiting

EXAMPLES = Path(__file__).parents[3] / "examples"
FINE = [
    str(EXAMPLES / name) for name in ("affinity-deadlock", "budget-kept", "git-folder", "gpu", "spread", "zone-lost")
]


def written(folder: Path, *manifests: Manifest) -> str:
    file = folder / "cluster.yaml"
    file.write_text(yaml.safe_dump_all(manifests))
    return str(file)


def test_errors_warnings_notes_and_the_unknown_have_their_exit_codes(tmp_path: Path) -> None:
    fine = deployment()
    assert main(["lint", written(tmp_path, fine, host("a"))]) == 0
    assert main(["lint", written(tmp_path, fine, host("a"), guard(app="x", minAvailable=1))]) == 0
    assert main(["lint", "--strict", written(tmp_path, fine, host("a"), guard(app="x", minAvailable=1))]) == 1
    assert main(["lint", written(tmp_path, fine, host("a"), guard(minAvailable=1))]) == 1
    claims = waiting(resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu"}])
    assert main(["lint", written(tmp_path, claims, host("a"))]) == 2
    assert main(["lint", str(tmp_path / "nothing.yaml")]) == 3
    assert main(["lint"]) == 3


def test_an_ignored_rule_is_left_out_and_an_unknown_one_is_wrong_usage(tmp_path: Path) -> None:
    file = written(tmp_path, deployment(), host("a"), guard(minAvailable=1))
    assert main(["lint", file, "--ignore", "budget-blocks-drain"]) == 0
    assert main(["lint", file, "--ignore", "budget-blocks-drains"]) == 3


def test_only_findings_of_the_namespace_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = str(EXAMPLES / "dump")
    whole = schedcheck.lint(schedcheck.read(dump)).findings
    found = schedcheck.lint(schedcheck.read(dump), namespace="shop").findings
    assert found and set(found) < set(whole)
    assert set(found) == {each for each in whole if each.thing.namespace == "shop"}
    configuration = tmp_path / "wrong.yaml"
    configuration.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: x\n"
    )
    wrong = schedcheck.kubernetes(config=str(configuration))
    kept = schedcheck.lint(schedcheck.read(dump), profile=wrong, namespace="shop")
    assert "KubeSchedulerConfiguration" in {each.thing.kind for each in kept.findings}
    capsys.readouterr()
    assert main(["lint", "-n", "shp", dump]) == 3
    line = capsys.readouterr().err.splitlines()[-1]
    assert line == "schedcheck: --namespace: 'shp': no object is in this namespace; the nearest: shop"


@pytest.mark.parametrize("folder", FINE, ids=lambda folder: Path(folder).name)
def test_nothing_is_found_in_an_example_that_is_fine(folder: str) -> None:
    told = schedcheck.lint(schedcheck.read(folder))
    assert [each for each in told.findings if each.severity is not Severity.NOTE] == []


def test_the_findings_about_the_live_cluster_are_those_that_its_page_explains() -> None:
    told = schedcheck.lint(schedcheck.read(EXAMPLES / "dump"))
    errors = {(each.rule, each.thing.name) for each in told.findings if each.severity is Severity.ERROR}
    assert errors == {
        ("budget-blocks-drain", "search"),
        ("pod-fits-no-node", "import"),
        ("pod-fits-no-node", "notebook"),
        ("pod-fits-no-node", "backup"),
    }
    warnings = {(each.rule, each.thing.name) for each in told.findings if each.severity is Severity.WARNING}
    daemons = {("daemonset-misses-node", name) for name in ("kindnet", "kube-proxy", "node-exporter")}
    assert warnings == {("budget-exhausted", "db"), ("replicas-wait-for-nodes", "db"), *daemons}


def test_json_and_python_give_the_same_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", str(EXAMPLES / "dump"), "--format", "json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert shown == schedcheck.lint(schedcheck.read(EXAMPLES / "dump")).to_json()
    assert {each["rule"] for each in shown["findings"]} <= set(RULES)


def test_a_configuration_is_checked_alone_or_with_a_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configured = str(EXAMPLES / "configuration" / "configuration.yaml")
    assert main(["lint", "--config", configured]) == 0
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\na: 1\nb: 2\n")
    assert main(["lint", "--config", str(wrong), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out.partition("\n\n")[2] or "{}") or {}
    told = schedcheck.lint(profile=schedcheck.kubernetes(config=wrong))
    assert [each.field for each in told.findings] == ["a", "b"]
    assert found == {} or found == told.to_json()
    file = written(tmp_path, waiting(cpu="64"), host("a"))
    rules = {
        each.rule
        for each in schedcheck.lint(schedcheck.read(file), profile=schedcheck.kubernetes(config=wrong)).findings
    }
    assert rules == {"configuration-refused"}


def test_a_filter_that_the_configuration_disables_refuses_nothing(tmp_path: Path) -> None:
    file = written(tmp_path, waiting(nodeSelector={"disk": "ssd"}), host("a"))
    assert main(["lint", file]) == 1
    without = tmp_path / "without.yaml"
    plugins = {"multiPoint": {"disabled": [{"name": "NodeAffinity"}]}}
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    without.write_text(yaml.safe_dump({**head, "profiles": [{"plugins": plugins}]}))
    assert main(["lint", file, "--config", str(without)]) == 0


def test_a_name_is_never_broken_in_the_middle() -> None:
    long = "ip-10-0-123-45.eu-central-1.compute.internal.example.com"
    found = Finding(
        "r",
        Severity.NOTE,
        Thing("Node", "", long),
        "",
        f"{long} and {long}.",
        (f"{long}: x",),
        (Change(("s",), (long,)),),
    )
    lines = list(finding_lines(found, 40))
    assert sum(line.count(long) for line in lines) == 5


def test_every_rule_is_on_the_page() -> None:
    page = (EXAMPLES.parent / "docs" / "lint.md").read_text()
    assert [rule for rule in RULES if f"`{rule}`" not in page] == []


def test_a_limit_leaves_what_was_found_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*given: Any) -> Iterator[Found]:
        yield from islice(findings(*given), 1)
        raise LimitReached("--time 1")

    monkeypatch.setattr("schedcheck.api.lint.findings", interrupted)
    blocking = written(tmp_path, deployment(), host("a"), guard(minAvailable=1))
    assert main(["lint", blocking, "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert ([each["rule"] for each in found["findings"]], found["stopped"]) == (["budget-blocks-drain"], "--time 1")
    fine = written(tmp_path, deployment(), host("a"), guard(app="x", minAvailable=1))
    assert main(["lint", fine]) == 2
    assert "Not all rules were asked (--time 1)." in capsys.readouterr().out
