"""Limits and interrupts: every command stops in time and reports what it knows by then"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.realistic import write

ROOT = Path(__file__).parents[3]
AT_MOST = 20.0
"""The seconds by which a stop may be late on a busy machine; the slow inputs here would take minutes."""

WAITING = """
apiVersion: v1
kind: Pod
metadata: {{name: w{0}}}
spec: {{priority: {1}, containers: [{{name: c, image: i, resources: {{requests: {{cpu: {2}m}}}}}}]}}
---
"""
NODE = """
apiVersion: v1
kind: Node
metadata: {{name: n{0}, labels: {{zone: z{0}}}}}
status: {{allocatable: {{cpu: {1}m, memory: 8Gi, pods: "110"}}}}
---
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cluster with 600 nodes."""
    file = tmp_path_factory.mktemp("large") / "cluster.json"
    write(file, 600, 6000)
    return file


@pytest.fixture(scope="module")
def pending(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cluster with 2,000 nodes and 798 pending pods, which takes 5 s to read and 9 s to compare on a quiet machine."""
    file = tmp_path_factory.mktemp("pending") / "cluster.json"
    write(file, 2_000, 40_000)
    return file


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pending pods and nodes of many sizes: no best placement is proved soon, and there are many outcomes."""
    file = tmp_path_factory.mktemp("crowd") / "crowd.yaml"
    pods = "".join(WAITING.format(n, n % 3, 310 + 37 * n) for n in range(14))
    nodes = "".join(NODE.format(n, 1500 + 113 * n) for n in range(6))
    file.write_text(pods + nodes, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def scarce(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pod that requests cpu and memory on 400 nodes full of pods of different sizes, so that sums prove little."""
    chance = random.Random(1)
    items: list[dict[str, Any]] = [_pod("new", "", 9, 9000, 18_000)]
    for number in range(400):
        sizes = [(chance.randrange(50, 2001, 50), chance.randint(64, 4096)) for _ in range(40)]
        cpu, memory = (sum(size[place] for size in sizes) for place in (0, 1))
        amounts = {"cpu": f"{cpu}m", "memory": f"{memory}Mi", "pods": "110"}
        items.append({**_object("Node", f"n{number}"), "status": {"allocatable": amounts}})
        items += [_pod(f"p{number}-{n}", f"n{number}", chance.randrange(4), *size) for n, size in enumerate(sizes)]
    file = tmp_path_factory.mktemp("scarce") / "cluster.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
    return file


def _object(kind: str, name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}}


def _pod(name: str, node: str, priority: int, cpu: int, memory: int) -> dict[str, Any]:
    requests = {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}
    container = {"name": "c", "image": "i", "resources": {"requests": requests}}
    return {**_object("Pod", name), "spec": {"nodeName": node, "priority": priority, "containers": [container]}}


def run(*argv: object, after: float | None = None) -> tuple[int, str, str, float]:
    """Run the command and return exit code, outputs and seconds; interrupt after `after` seconds, excluded from the
    count.
    """
    command = [sys.executable, "-m", "schedcheck", *map(str, argv)]
    environment = {**os.environ, "SCHEDCHECK_TABLES": "none", "COLUMNS": "200"}
    begun = time.monotonic()
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            if after is not None:
                time.sleep(after)
                process.send_signal(signal.SIGINT)
                begun = time.monotonic()
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
    return process.returncode, out, err, time.monotonic() - begun


def test_reading_stops_at_the_limit(large: Path) -> None:
    code, out, err, seconds = run("explain", "team-0/large", large, "--profile", "kubernetes", "--time", "0.2")
    assert (code, out) == (2, "")
    assert "gave up at --time 0.2" in err
    assert seconds < AT_MOST


def test_victims_stops_at_the_limit_and_covers_the_nodes_examined_so_far(scarce: Path) -> None:
    argv = ("victims", "new", scarce, "--profile", "kubernetes", "--time", "6", "--format", "json")
    code, out, err, seconds = run(*argv)
    assert seconds < 6 + AT_MOST
    assert code == 2
    if "gave up at --time 6" in err:
        # A busy machine may not have come to the first node.
        assert "looking at node" not in err
        return
    said = json.loads(out)
    assert said["stopped"] == "--time 6"
    assert 0 < said["notLookedAt"] == 400 - len(said["nodes"])


@pytest.mark.parametrize("ending", [{"after": 4.0}, {}])
def test_optimum_reports_what_it_has_found_so_far(crowd: Path, ending: dict[str, float]) -> None:
    code, out, err, seconds = run(
        "optimum", crowd, "--profile", "corrected", "--time", "100" if ending else "6", **ending
    )
    assert seconds < 6 + AT_MOST
    assert code == 2
    assert ("interrupted" if ending else "--time 6") in out, err
    assert "not all" in out or "not proved" in out


def test_smallest_reports_how_far_it_came() -> None:
    code, out, err, seconds = run("smallest", "--objects", "4", "--total", "200", "--time", "4")
    assert seconds < AT_MOST
    assert (code, out) == (2, "")
    assert "gave up at --time 4, while trying the clusters of" in err


def before_the_first(out: str, err: str, seconds: int) -> bool:
    """Whether the limit came before there was anything to count, as it may on a machine that is busy."""
    return out == "" and f"gave up at --time {seconds}" in err


def test_conformance_counts_the_compared_records() -> None:
    files = [ROOT / "tests" / "data" / "conformance" / "mixed.jsonl.gz"] * 50
    code, out, err, seconds = run("conformance", "--profile", "kubernetes-1.34.1", *files, "--time", "3")
    assert seconds < AT_MOST
    assert code == 2
    if before_the_first(out, err, 3):
        return
    assert "records were compared (" in out and "(--time 3)" in out
    assert "values agree" in out


def test_diff_counts_the_compared_pods(pending: Path) -> None:
    code, out, err, seconds = run("diff", pending, "--time", "5")
    assert seconds < 5 + AT_MOST
    assert code == 2
    if before_the_first(out, err, 5):
        return
    assert "more were not compared (--time 5)" in out
    assert ", 0 differing" in out


FORMULA = '[]<>(\\A p \\in Pods(Objects) : p.Spec.NodeName # "")'


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["direct", "tabulated"])
def test_a_temporal_formula_respects_the_limit_and_reports_counts(engine: str) -> None:
    """Without the search for loops, which finds a violation."""
    argv = ("check", "examples/reference", "--engine", engine, "--no-directed", "--property", FORMULA, "--time", "20")
    code, out, _, seconds = run(*argv)
    assert seconds < 20 + AT_MOST
    assert code == 2
    assert "Gave up at --time 20" in out
    assert "distinct" in out


def test_an_evaluation_respects_its_limits() -> None:
    code, out, err, seconds = run("tla", "eval", "Cardinality({s \\in SUBSET (1..23) : TRUE})", "--time", "1")
    assert (code, out) == (2, "")
    assert "gave up at --time 1" in err
    assert seconds < AT_MOST
    code, out, err, _ = run("tla", "eval", "{<<f, g>> : f \\in [1..6 -> 1..10], g \\in {1}} = {}", "--memory", "0.2")
    assert (code, out) == (2, "")
    assert "gave up at --memory 0.2" in err


def test_a_module_check_respects_the_default_memory_limit(tmp_path: Path) -> None:
    (tmp_path / "Big.tla").write_text(
        "---- MODULE Big ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = {}\n"
        "Next == x' \\in {{s} : s \\in SUBSET (1..24)}\n====\n",
        encoding="utf-8",
    )
    (tmp_path / "Big.cfg").write_text("INIT Init\nNEXT Next\n", encoding="utf-8")
    code, out, err, _ = run("tla", "check", tmp_path / "Big.tla")
    assert code in (2, 3)
    assert "SUBSET" in err or "--memory 4" in out


def test_an_interrupt_ends_a_comparison_with_a_partial_result(pending: Path) -> None:
    code, out, err, seconds = run("diff", pending, after=5.0)
    assert seconds < AT_MOST
    assert code == 2
    assert "more were not compared (interrupted)" in out or "schedcheck: interrupted" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("limit", ["--time", "--memory"])
def test_a_limit_beyond_all_numbers_is_no_limit(limit: str) -> None:
    code, out, err, _ = run("optimum", ROOT / "examples" / "capacity", limit, "1e400", "--quiet")
    assert (code, err) == (0, "")
    assert out != ""
