"""Cases of a lost machine are done again: Ray itself, with two nodes on this machine"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="ray is not installed; it comes with schedcheck[ray]")
ROOT = Path(__file__).parents[3]

LOST = """
import os
from schedcheck.checker.machines.cases import in_turn
from schedcheck.checker.machines.machines import ClusterFailed, Machines

def do(given, case):
    os._exit(1)

try:
    list(in_turn(Machines(workers=1), do, None, [1]))
except ClusterFailed as error:
    print(str(error).split(":")[0])
"""


@pytest.mark.slow
def test_a_lost_worker_prints_nothing_but_the_answer() -> None:
    ended = subprocess.run([sys.executable, "-c", LOST], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stdout == "a case was given up, as its worker was lost\n"


@pytest.mark.slow
def test_results_are_those_of_one_process_if_a_machine_is_lost() -> None:
    command = [sys.executable, "-m", "tests.checker.machines.kills", "2"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(r"\n2 of 2 identical, [12] of them with cases done again\n$", ended.stdout)
