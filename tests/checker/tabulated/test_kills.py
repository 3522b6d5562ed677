"""A run that is killed at any moment and gone on with ends as one that nobody kills."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_ten_runs_that_are_killed_end_alike() -> None:
    # In a process of its own, which has no threads when it forks.
    ended = subprocess.run(
        [sys.executable, "-m", "tests.checker.tabulated.kills", "seven", "10"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "10 of 10 identical" in ended.stdout
    assert "'killed at a call': 7" in ended.stdout
