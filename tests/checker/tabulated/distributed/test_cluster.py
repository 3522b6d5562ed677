"""Ray itself: a cluster of two nodes on this machine, whose workers and nodes are killed"""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="ray is not installed; it comes with schedcheck[ray]")
ROOT = Path(__file__).parents[4]


def killed(scene: str, moments: str) -> str:
    """Run `make ray-kills` at this scale; return what it says."""
    command = [sys.executable, "-m", "tests.checker.tabulated.ray_kills", scene, moments]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_two_nodes_explore_like_one_machine() -> None:
    said = killed("five", "0")
    assert said.startswith("servers on 127.0.0.1 alone")
    assert "undisturbed: identical" in said


@pytest.mark.slow
def test_runs_that_lose_a_node_end_alike() -> None:
    assert killed("seven", "4").endswith("4 of 4 identical, 4 of them lost parts\n")
