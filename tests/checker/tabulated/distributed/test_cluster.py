"""Ray itself: a cluster of two nodes on this machine, of which one is killed"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="ray is not installed; it comes with schedcheck[ray]")
ROOT = Path(__file__).parents[4]


def said(*command: str) -> str:
    """Run the module; return what it says."""
    ended = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_two_nodes_explore_like_one_machine() -> None:
    title, *_, row = said("benchmarks.machines", "--pods", "4", "--runs", "1").strip().splitlines()
    assert title.strip() == "nodes at 127.0.0.1"
    assert row.split()[0] == "4"


@pytest.mark.slow
def test_runs_that_lose_a_node_end_alike() -> None:
    found = said("tests.checker.tabulated.ray_kills", "seven", "4")
    assert re.search(r"\n4 of 4 identical, [1-4] of them lost parts\n$", found)
