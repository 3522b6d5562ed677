"""Every Makefile target runs something that exists; targets that no other test covers are run here at a small scale"""

import importlib
import json
import re
import runpy
import shutil
import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.corpus import __main__ as corpus
from tests.tla import regenerate, run_tlc
from tests.tla.operators import __main__ as operators

ROOT = Path(__file__).resolve().parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE)
MODULES = sorted(set(re.findall(r"\$\(BIN\)/python -m ([\w.]+)", MAKEFILE)) - {"pytest", "build"})
FILES = sorted(
    set(re.findall(r"\$\(BIN\)/python ([\w/]+\.py)|\$\(BIN\)/schedcheck \w+ .*?(examples/[\w-]+)", MAKEFILE))
)


def test_every_target_is_declared_phony() -> None:
    assert len(TARGETS) > 20
    assert {"check", "test", "lint", "fuzz", "mutants", "tlc"} <= {*TARGETS}
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert phony is not None and sorted(phony[1].split()) == sorted(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_can_plan_every_target(target: str) -> None:
    asked = ["make", "--dry-run", "--always-make", target, "JAR=tla2tools.jar", "SEED=1", "COUNT=2"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("kind", ["alone", "storage", "devices"])
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_live_groups_asks_for_a_kind(kind: str) -> None:
    asked = [
        "make",
        "--no-print-directory",
        "--dry-run",
        "live-groups",
        "VERSION=1.37",
        f"KIND={kind}",
        "COUNT=2",
        "SEED=1",
    ]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].endswith(
        f"python -m tests.live.groups --version 1.37 --kind {kind} --count 2 --seed 1"
    )


@pytest.mark.parametrize("name", MODULES)
def test_a_module_that_a_target_runs_exists(name: str) -> None:
    found = find_spec(name)
    assert found is not None
    if found.submodule_search_locations is not None:
        assert find_spec(f"{name}.__main__") is not None
    else:
        assert found.origin is not None
        assert '__name__ == "__main__"' in Path(found.origin).read_text(encoding="utf-8")


def test_a_file_that_a_target_reads_exists() -> None:
    named = [each for pair in FILES for each in pair if each]
    assert len(named) >= 3
    assert [each for each in named if not (ROOT / each).exists()] == []


def test_every_benchmark_can_be_run() -> None:
    text = (ROOT / "benchmarks" / "__main__.py").read_text(encoding="utf-8")
    names = re.findall(r"^    (\w+)\.main\(\)$", text, re.MULTILINE)
    assert len(names) > 5
    assert all(callable(importlib.import_module(f"benchmarks.{name}").main) for name in names)


def test_make_corpus_counts_detected_defects(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = [each for each, _ in zip(corpus.defects(), range(3), strict=False)]
    monkeypatch.setattr(corpus, "defects", lambda: iter(few))
    corpus.main()
    assert re.search(r"\b3\b", capsys.readouterr().out)


@pytest.mark.slow
def test_make_parity_reports_the_number_of_different_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["operators", "--snapshots", "1", "--of-each-other", "1"])
    assert operators.main() == 1, "the number of snapshots is too small"
    out = capsys.readouterr().out
    assert re.search(r"^\d+ operators, each on at least \d+ snapshots, \d+ answers, 0 differ$", out, re.MULTILINE)
    assert "never varies" in out


@pytest.mark.parametrize(
    "parts", [("node-pools",), pytest.param(("node-pools", "karpenter"), marks=pytest.mark.medium)]
)
def test_make_parity_of_pools_asks_every_operator_of_node_pools(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], parts: tuple[str, ...]
) -> None:
    asked = [word for part in parts for word in ("--part", part)]
    monkeypatch.setattr(sys, "argv", ["operators", *asked, "--snapshots", "1"])
    assert operators.main() == 1, "the number of snapshots is too small"
    out = capsys.readouterr().out
    assert re.search(r"^\d+ operators, each on at least [1-9]\d* snapshots, \d+ answers, 0 differ$", out, re.MULTILINE)


def test_make_tla_writes_the_existing_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regenerate, "MODELS", tmp_path)
    few = {name: each for name, each in regenerate.scenarios().items() if name in ("MC_label_removed", "MC_gpu")}
    monkeypatch.setattr(regenerate, "scenarios", lambda: few)
    (tmp_path / "MC_old.tla").touch()
    regenerate.main()
    written = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert sorted(written) == ["MC_gpu.cfg", "MC_gpu.tla", "MC_label_removed.cfg", "MC_label_removed.tla"]
    assert all(text == (ROOT / "tla" / "models" / name).read_text(encoding="utf-8") for name, text in written.items())


JAVA = """#!/bin/sh
for last; do :; done
if grep -q INVARIANT "${last%.tla}.cfg"; then echo 'Error: Invariant Some is violated.'; exit 12; fi
echo '13 states generated, 6 distinct states found, 0 states left on queue.'
echo 'The depth of the complete state graph search is 4.'
"""


def test_make_tlc_compares_counts_and_verdicts_with_the_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "java").write_text(JAVA)
    (tmp_path / "java").chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(run_tlc, "MANIFEST", tmp_path / "manifest.json")
    monkeypatch.setattr(sys, "argv", ["run_tlc", "--jar", "none.jar", "MC_label_removed"])
    right = {"distinct": 6, "generated": 13, "depth": 4, "verdict": "violated"}
    for pinned, code in ((right, 0), ({**right, "verdict": "holds"}, 1), ({**right, "distinct": 7}, 1)):
        run_tlc.MANIFEST.write_text(json.dumps({"MC_label_removed": pinned}))
        assert run_tlc.main() == code
        assert ("the manifest has" in capsys.readouterr().out) is bool(code)
    assert right == json.loads((ROOT / "tla" / "manifest.json").read_text())["MC_label_removed"]


def test_make_docs_writes_the_current_output_of_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text('A page.\n\n```console\n$ schedcheck tla eval "1 + 1"\n3\n```\n')
    monkeypatch.setattr(sys, "argv", ["outputs", str(page)])
    # runpy warns about a module that another test imported.
    monkeypatch.delitem(sys.modules, "docs.outputs", raising=False)
    runpy.run_module("docs.outputs", run_name="__main__")
    assert page.read_text() == 'A page.\n\n```console\n$ schedcheck tla eval "1 + 1"\n2\n```\n'
