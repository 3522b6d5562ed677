"""`make ray-kills`, at a small scale"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]


@pytest.mark.slow
def test_runs_that_lose_workers_and_a_node_end_alike() -> None:
    pytest.importorskip("ray", reason="ray is not installed; it comes with schedcheck[ray]")
    ended = subprocess.run(
        [sys.executable, "-m", "tests.checker.tabulated.ray_kills", "five", "3"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "3 of 3 identical: {'killed nodes': 1, 'killed workers': 2" in ended.stdout
