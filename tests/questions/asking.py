"""A question as a user types it: `asked` runs the command line in the folder of the repository, and a question that hangs fails."""

import io
import json
import shlex
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

from schedcheck.cli import main

ROOT = Path(__file__).parents[2]
DUMPS = "tests/data/questions"
SECONDS = 100
"""Seconds of the processor after which a question counts as one without an answer; how fast it is, benchmarks/ says."""


@dataclass(frozen=True)
class Said:
    """An answer: its exit code, its text with each run of white space as one blank, and what standard error says."""

    code: int
    lines: str
    err: str

    @property
    def text(self) -> str:
        return " ".join(self.lines.split())

    @property
    def json(self) -> Any:
        return json.loads(self.lines)


def asked(command: str, seconds: float = SECONDS) -> Said:
    """Return the answer to a command line; `EKS`, `GKE`, `K3S` and `OPENSHIFT` stand for the dumps."""
    words = shlex.split(command)
    assert words[0] == "schedcheck"
    words = [f"{DUMPS}/{word.lower()}" if word in ("EKS", "GKE", "K3S", "OPENSHIFT") else word for word in words[1:]]
    out, err = io.StringIO(), io.StringIO()
    began = process_time()
    with chdir(ROOT), redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    assert process_time() - began < seconds, command
    return Said(code, out.getvalue(), err.getvalue())


Asked = Callable[[str], Said]
