"""Programs that run until they are ended, with their output in files: `Program`, `free_port`"""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

HOST: Final = "127.0.0.1"
PATIENCE: Final = 10.0
"""Seconds for which a program may end by itself."""


class Ended(Exception):
    """A program has ended, or does not answer in time; the text has the end of its output."""


def free_port() -> int:
    """Return a port of the loopback interface on which nothing listens now."""
    with socket.socket() as listening:
        listening.bind((HOST, 0))
        return int(listening.getsockname()[1])


class Program:
    """A program in a group of its own, so that Ctrl-C does not reach it. It is ended by `end`, or when its standard input ends."""

    def __init__(
        self, name: str, command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        self.name, self.output = name, folder / f"{name}.log"
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(
                [str(each) for each in command],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                cwd=folder,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
            )

    def wait_until(self, ready: Callable[[], bool], seconds: float = 120) -> None:
        """Wait until the program is ready. Raises: Ended."""
        limit = time.monotonic() + seconds
        while not ready():
            if self.process.poll() is not None:
                raise Ended(f"{self.name} ended with status {self.process.returncode}:\n{self.last_lines()}")
            if time.monotonic() > limit:
                raise Ended(f"{self.name} is not ready after {seconds:.0f} s:\n{self.last_lines()}")
            time.sleep(0.1)

    def last_lines(self, number: int = 15) -> str:
        """Return the end of the output."""
        return "\n".join(self.output.read_text(errors="replace").splitlines()[-number:])

    def end(self) -> None:
        """End the program: by a signal, and if that does not help by force."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        assert self.process.stdin is not None
        self.process.stdin.close()
