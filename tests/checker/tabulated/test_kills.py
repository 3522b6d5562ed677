"""A run that is killed at any moment and resumed ends like an undisturbed one"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("moments", "kinds"),
    [(2, "'killed at a call': 1"), pytest.param(10, "'killed at a call': 7", marks=pytest.mark.slow)],
)
def test_killed_and_resumed_runs_end_alike(moments: int, kinds: str) -> None:
    # In a separate process, which has no threads when it forks.
    ended = subprocess.run(
        [sys.executable, "-m", "tests.checker.tabulated.kills", "seven", str(moments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"{moments} of {moments} identical" in ended.stdout
    assert kinds in ended.stdout
