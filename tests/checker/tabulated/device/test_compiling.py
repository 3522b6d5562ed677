"""The kernels compile to machine code of a real device, also where there is none"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
KERNELS = {"expand_lanes", "canonicalise_lanes", "insert_lanes", "gather_lanes", "move_lanes"}


@pytest.mark.slow
def test_all_kernels_compile_for_a_device() -> None:
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed; it comes with schedcheck[gpu]")
    command = [sys.executable, "-m", "tests.checker.tabulated.device.compiling"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    sizes = dict(line.split() for line in ended.stdout.splitlines())
    assert sizes.keys() == KERNELS
    assert all(int(size) > 0 for size in sizes.values())
