"""`--format junit`, `sarif` and `github` of lint, check, drain, fail and deploy: each says what the text form says"""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from schedcheck.checker.limits import timer
from schedcheck.cli import CI, main
from schedcheck.findings.rules import RULES
from schedcheck.report.ci.written import FORMATS

LINT = "examples/lint/cluster.yaml"
COMMANDS = {
    "holds": ("check", "examples/gpu-small"),
    "violated": ("check", "examples/gpu-small-without-taints"),
    "gave up": ("check", "examples/gpu-small", "--max-states", "10"),
    "drained": ("drain", "n1", "examples/drain"),
    "not drained": ("drain", "n2", "examples/drain"),
    "in turn": ("drain", "n2,n3", "examples/drain", "--in-turn"),
    "failed": ("fail", "--any", "1", "examples/drain"),
    "deployed": ("deploy", "examples/deploy/web-2-repaired.yaml", "--onto", "examples/deploy/cluster.yaml"),
    "not deployed": ("deploy", "examples/deploy/web-2.yaml", "--onto", "examples/deploy/cluster.yaml"),
    "lint": ("lint", LINT),
    "lint of a dump": ("lint", "examples/dump"),
    "lint of a configuration": ("lint", "--config", "examples/lint/wrong.conf"),
}


def printed(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    code = main(list(argv))
    return code, capsys.readouterr().out


@pytest.mark.parametrize("argv", COMMANDS.values(), ids=COMMANDS)
def test_each_format_tells_a_failure_exactly_where_the_exit_code_does(
    argv: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    monkeypatch.chdir(request.config.rootpath)
    code = printed(capsys, *argv)[0]
    same, text = printed(capsys, *argv, "--format", "junit")
    root = ElementTree.fromstring(text)
    failures, errors = int(root.attrib["failures"]), int(root.attrib["errors"])
    assert same == code == (1 if failures else 2 if errors else 0)
    same, text = printed(capsys, *argv, "--format", "sarif")
    results = json.loads(text)["runs"][0]["results"]
    kinds = {(each["kind"], each["level"]) for each in results}
    assert same == code == (1 if ("fail", "error") in kinds else 2 if ("open", "none") in kinds else 0)
    same, text = printed(capsys, *argv, "--format", "github")
    assert same == code and ("::error " in text) is (code == 1)


def test_each_finding_of_lint_is_at_the_line_of_its_field(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(request.config.rootpath)
    text = printed(capsys, "lint", LINT, "--format", "github")[1]
    found = re.findall(r"^::\w+ file=([^,]*),line=(\d+),col=(\d+),title=([\w-]+)::", text, re.MULTILINE)
    lines = Path(LINT).read_text().splitlines()
    keys = {rule: lines[int(line) - 1][int(column) - 1 :].split(":")[0] for _, line, column, rule in found}
    assert keys == {
        "budget-blocks-drain": "maxUnavailable",
        "pod-fits-no-node": "nodeSelector",
        "replicas-cannot-all-be-placed": "podAntiAffinity",
        "service-selects-nothing": "selector",
        "daemonset-misses-node": "spec",  # it has no tolerations
    }
    assert {file for file, *_ in found} == {LINT}


def test_junit_has_a_case_for_each_rule_and_says_which_were_left_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(request.config.rootpath)
    text = printed(capsys, "lint", LINT, "--ignore", "budget-blocks-drain", "--format", "junit")[1]
    cases = ElementTree.fromstring(text).findall("testsuite/testcase")
    assert [each.attrib["name"] for each in cases] == list(RULES)
    skipped = [each.attrib["name"] for each in cases if each.find("skipped") is not None]
    assert skipped == ["budget-blocks-drain"]


def test_an_answer_that_is_unknown_as_a_whole_is_told_in_each_format(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import schedcheck

    def unknown(*_: object, **__: object) -> None:
        raise schedcheck.Unanswerable("nobody knows")

    monkeypatch.setattr(schedcheck, "lint", unknown)
    file = tmp_path / "a.yaml"
    file.write_text("{apiVersion: v1, kind: Node, metadata: {name: a}}")
    for format, said in (
        ("junit", 'errors="1"'),
        ("sarif", '"kind": "open"'),
        ("github", "::warning title=unknown%3A"),
    ):
        code, text = printed(capsys, "lint", str(file), "--format", format)
        assert code == 2 and said in text and "nobody knows" in text


@pytest.mark.parametrize("format", ["junit", "sarif", "github", "json", "text"])
@pytest.mark.parametrize("limit", ["--time=0.001", "--memory=0.001"])
def test_a_limit_before_any_answer_is_told_in_each_format_of_continuous_integration(
    format: str, limit: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    monkeypatch.chdir(request.config.rootpath)
    monkeypatch.setattr(timer, "SECONDS_BETWEEN_LOOKS", 0.001)
    code = main(["drain", "n2", "examples/drain", "--format", format, limit])
    out, err = capsys.readouterr()
    assert code == 2 and re.fullmatch(r"schedcheck: gave up at --\w+ 0.001.*\n", err)
    assert (*FORMATS,) == CI
    said = {"junit": 'errors="1"', "sarif": '"kind": "open"', "github": "::warning title=unknown"}
    assert said[format] in out if format in said else out == ""


@pytest.mark.parametrize("more", [("--selector", "app=web"), ("--scheduler", "none")])
def test_what_has_no_form_for_continuous_integration_is_refused(
    more: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    monkeypatch.chdir(request.config.rootpath)
    assert main(["check", "examples/gpu-small", *more, "--format", "junit"]) == 3
    assert f"--format: 'junit': not possible with {more[0]}" in capsys.readouterr().err
