"""The files for others' tools at the root: the action, the hook and the workflows, as far as they run here"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.cli import main
from schedcheck.commands.application import LIMITED

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))


def loaded(path: str | Path) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def steps(workflow: Any) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


ACTION = loaded("action.yml")
SCRIPTS = [
    (f"{name}: {each.get('name', each['run'])}", each["run"])
    for name, of in [("action", ACTION["runs"]["steps"]), *((path.stem, steps(loaded(path))) for path in WORKFLOWS)]
    for each in of
    if "run" in each
]


def test_the_workflows_run_make_targets_that_exist_for_each_supported_python() -> None:
    assert [path.stem for path in WORKFLOWS] == ["ci", "release"]
    targets = {each for _, script in SCRIPTS for each in re.findall(r"\bmake ([a-z-]+)", script)}
    assert {"test", "lint", "slow", "wheel"} <= targets <= TARGETS
    versions = loaded(WORKFLOWS[0])["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    local = (ROOT / ".ci" / "run").read_text()
    assert set(re.findall(r"^make ([a-z-]+)", local, re.MULTILINE)) <= targets


def test_workflows_may_read_and_only_a_release_may_more() -> None:
    for path in WORKFLOWS:
        found = loaded(path)
        assert found["permissions"] == {"contents": "read"}
        more = {each for job in found["jobs"].values() for each in job.get("permissions", {}).items()}
        assert more <= {
            ("contents", "read"),
            ("id-token", "write"),
            ("attestations", "write"),
            ("pages", "write"),
            ("contents", "write"),
        }
        assert path.stem == "release" or not more
        checkouts = [each for each in steps(found) if each.get("uses", "").startswith("actions/checkout@")]
        assert checkouts and all(each["with"] == {"persist-credentials": False} for each in checkouts)
    jobs = loaded(WORKFLOWS[1])["jobs"]
    assert set(jobs["publish"]["permissions"]) == {"id-token"}
    uploading = {name for name, job in jobs.items() if job["permissions"].get("contents") == "write"}
    assert uploading == {"plugin"} and jobs["plugin"]["needs"] == "publish"
    writing = {name for name, job in jobs.items() if job["permissions"].get("pages") == "write"}
    assert writing == {"site"} and jobs["site"]["needs"] == "publish"


def test_every_action_that_is_used_has_a_version() -> None:
    used = [
        each["uses"]
        for of in (ACTION["runs"]["steps"], *map(steps, map(loaded, WORKFLOWS)))
        for each in of
        if "uses" in each
    ]
    assert all(each == "./" or re.fullmatch(r"[\w.-]+(/[\w.-]+)+@(release/)?v\d+", each) for each in used)


@pytest.mark.parametrize(("name", "script"), SCRIPTS, ids=[name for name, _ in SCRIPTS])
def test_no_expression_is_pasted_into_a_script_and_bash_parses_it(name: str, script: str) -> None:
    assert "${{" not in script
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


def run_action(folder: Path, **inputs: str) -> tuple[int, str, str]:
    """The exit code, the standard output and the outputs of the step that runs a command, with these inputs."""
    given = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()} | inputs
    (step,) = (each for each in ACTION["runs"]["steps"] if each.get("id") == "run")
    env = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], value)
        for name, value in step["env"].items()
    }
    bin_ = folder / "bin"
    bin_.mkdir(exist_ok=True)
    program = bin_ / "schedcheck"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m schedcheck "$@"\n')
    program.chmod(0o755)
    told = folder / "outputs"
    told.write_text("")
    path = f"{bin_}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={**os.environ, **env, "PATH": path, "GITHUB_OUTPUT": str(told), "PYTHONPATH": str(ROOT)},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, told.read_text()


def test_the_action_runs_a_command_with_its_arguments_line_by_line(tmp_path: Path) -> None:
    odd = tmp_path / "a folder; echo injected"
    shutil.copytree(ROOT / "examples" / "lint", odd)
    code, out, told = run_action(tmp_path, args=f"{odd}\n\n--ignore\npod-fits-no-node\n")
    assert (code, told) == (0, "exit-code=1\n")
    assert "::error file=" in out and "title=budget-blocks-drain" in out and "title=pod-fits-no-node" not in out
    assert "\ninjected" not in out


def test_the_action_writes_a_file_of_sarif(tmp_path: Path) -> None:
    file = tmp_path / "out.sarif"
    code, out, told = run_action(tmp_path, args="examples/git-folder", format="sarif", output=str(file))
    assert (code, out, told) == (0, "", "exit-code=0\n")
    assert json.loads(file.read_text())["version"] == "2.1.0"


def test_the_hook_runs_a_command_that_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    (hook,) = loaded(".pre-commit-hooks.yaml")
    required = {"id", "name", "entry", "language"}
    assert required <= set(hook) <= required | {"description", "files", "pass_filenames", "require_serial"}
    program, command = hook["entry"].split()
    assert program == "schedcheck" and command in LIMITED and hook["pass_filenames"] is False
    assert re.search(hook["files"], "a/b.yaml") and not re.search(hook["files"], "a/b.yaml.md")
    monkeypatch.chdir(ROOT)
    assert main([command, "examples/git-folder"]) == 0
    assert main([command, "examples/lint"]) == 1


def test_the_template_asks_for_the_command_that_writes_a_report() -> None:
    text = (ROOT / ".github" / "ISSUE_TEMPLATE" / "bug.yml").read_text()
    assert "schedcheck report-bug" in text
    assert [each["type"] for each in yaml.safe_load(text)["body"]] == ["textarea", "input", "textarea"]
