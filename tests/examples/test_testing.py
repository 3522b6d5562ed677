"""The schedulers of examples/testing pass the tests beside them, and with a mistake they fail with its clause"""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "examples" / "testing"
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=1")
LOADED = () if entry_points(group="pytest11", name="schedcheck") else ("-p", "schedcheck.pytest_plugin")
COMMANDS: dict[str, tuple[str, ...]] = {
    "go": ("go", "test", "-count=1", "./..."),
    "node": ("node", "--test"),
    "python": (*PYTEST, *LOADED, "--rootdir=.", "-c", os.devnull),
}
"""The tests of each recipe; the one in Python runs apart from the configuration of this project."""

TWINS = [
    ("go", "scheduler.go", 'taint.Effect != "PreferNoSchedule"', 'taint.Effect == "NoSchedule"', "filters"),
    ("go", "scheduler.go", "if node.Spec.Unschedulable", "if false", "filters"),
    ("go", "scheduler.go", "asked <= free", "asked < free", "feasibleNode"),
    ("go", "scheduler.go", "count, used := 1, 0", "count, used := 0, 0", "filters"),
    ("go", "plugin.go", "node(s) had untolerated taint", "node(s) had taint", "refusals"),
    ("go", "plugin.go", '"UnschedulableAndUnresolvable"', '"Unschedulable"', "refusals"),
    (
        "go",
        "plugin.go",
        "untolerated(pod, node.Spec.Taints) == nil",
        'one := untolerated(pod, node.Spec.Taints); one == nil || one.Effect == "NoExecute"',
        "filters",
    ),
    ("node", "scheduler.js", "&& free(pod, there)", "", "filters"),
    ("node", "scheduler.js", '|| here === "0.0.0.0"', "", "filters"),
    ("node", "scheduler.js", "here === there ||", "true ||", "feasibleNode"),
    ("node", "scheduler.js", "labels[key] === value", "true", "filters"),
    ("python", "scheduler.py", '*([CORDONED] if spec.get("unschedulable") else ())', "", "filters"),
    ("python", "scheduler.py", "any(tolerates(each, taint) for", "any(True for", "filters"),
    ("python", "scheduler.py", "one[:2] == two[:2] and", "False and", "filters"),
]
"""For each mistake the recipe, its file, the text that is replaced and its replacement, and the clause that is broken."""


@pytest.fixture
def schedcheck(tmp_path: Path) -> Path:
    """The command schedcheck of this tree."""
    command = tmp_path / "schedcheck"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m schedcheck "$@"\n')
    command.chmod(0o755)
    return command


def run(recipe: str, folder: Path, schedcheck: Path) -> subprocess.CompletedProcess[str]:
    command = COMMANDS[recipe]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    settings = {
        "SCHEDCHECK": str(schedcheck),
        "PYTHONPATH": str(ROOT),
        "GOTOOLCHAIN": "local",
        "GOPROXY": "off",
        "GOFLAGS": "",
    }
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **settings, "PYTEST_ADDOPTS": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )


def copy(recipe: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECIPES / recipe, tmp_path / recipe, ignore=shutil.ignore_patterns("__pycache__")))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("recipe", COMMANDS)
def test_the_scheduler_of_a_recipe_passes_its_tests(recipe: str, tmp_path: Path, schedcheck: Path) -> None:
    made = run(recipe, copy(recipe, tmp_path), schedcheck)
    assert made.returncode == 0, made.stdout


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "twin",
    [
        pytest.param(place, id=f"{recipe}-{place}", marks=pytest.mark.slow if recipe == "python" else ())
        for place, (recipe, *_) in enumerate(TWINS)
    ],
)
def test_a_mistake_is_refused_by_the_clause_that_it_breaks(twin: int, tmp_path: Path, schedcheck: Path) -> None:
    recipe, name, right, wrong, clause = TWINS[twin]
    folder = copy(recipe, tmp_path)
    text = (folder / name).read_text()
    assert text.count(right) == 1
    (folder / name).write_text(text.replace(right, wrong))
    made = run(recipe, folder, schedcheck)
    assert made.returncode == 1, made.stdout
    assert (f"is refused by {clause}: " if recipe != "python" else f"clause   {clause}: ") in made.stdout


@pytest.mark.medium
def test_the_failure_on_the_page_is_that_of_go_test(tmp_path: Path, schedcheck: Path) -> None:
    folder = copy("go", tmp_path)
    file = folder / "scheduler.go"
    file.write_text(file.read_text().replace(TWINS[0][2], TWINS[0][3]))
    made = run("go", folder, schedcheck)
    (shown,) = re.findall(r"^```text\n(.*?)^```$", (ROOT / "docs" / "testing.md").read_text(), re.DOTALL | re.MULTILINE)
    assert [line for line in shown.splitlines() if line not in made.stdout] == []


@pytest.mark.parametrize("recipe", ["go", "node"])
def test_an_oracle_that_cannot_be_started_fails_the_tests(recipe: str, tmp_path: Path) -> None:
    made = run(recipe, copy(recipe, tmp_path), tmp_path / "nowhere")
    assert made.returncode == 1
    assert "nowhere" in made.stdout


def test_every_recipe_is_run() -> None:
    assert {each.name for each in RECIPES.iterdir() if each.is_dir()} == COMMANDS.keys()
