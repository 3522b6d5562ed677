"""Standard output: a reader that is slow gets the whole answer, though the timer of the limits ticks and nothing is buffered"""

import os
import subprocess
import sys
import time

SIZE = 200_000
PROGRAM = f"""
from schedcheck.checker.limits.timer import limited
from schedcheck.report.text.terminal import output

with limited(seconds=100):
    output().out("x" * {SIZE}, highlight=False)
"""


def test_an_answer_that_is_read_slowly_arrives_as_a_whole() -> None:
    """A pipe holds 64 KiB; the timer interrupts the write that waits for the reader."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        first = process.stdout.read1(1)
        time.sleep(0.5)
        rest = process.stdout.read()
    assert (first + rest).decode() == "x" * SIZE + "\n"
    assert process.returncode == 0
