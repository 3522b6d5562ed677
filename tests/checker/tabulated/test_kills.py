"""A run that is killed at any moment and resumed ends like an undisturbed one"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_ten_killed_and_resumed_runs_end_alike() -> None:
    # In a separate process, which has no threads when it forks.
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
