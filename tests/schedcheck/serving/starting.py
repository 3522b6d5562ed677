"""The server as a process of its own: `started`, `Process`."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any


@dataclass
class Process:
    """A running server: its address, its process, and the lines of its outputs so far."""

    address: str
    process: "subprocess.Popen[str]"
    out: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(60)


def _lines(stream: IO[str], into: list[str]) -> None:
    for line in stream:
        into.append(line)


@contextmanager
def running(*arguments: str) -> Iterator[Process]:
    """Run `schedcheck serve` at a free port, and kill it at the end if it still runs."""
    command = [sys.executable, "-m", "schedcheck", "serve", *arguments, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None and process.stdout is not None
        told: list[str] = []
        for line in process.stderr:
            told.append(line)
            if "serving at" in line:
                break
        else:
            raise AssertionError("".join(told))
        made = Process(told[-1].split()[-1], process, told=told)
        threading.Thread(target=_lines, args=(process.stderr, made.told), daemon=True).start()
        threading.Thread(target=_lines, args=(process.stdout, made.out), daemon=True).start()
        try:
            yield made
        finally:
            process.kill()


@contextmanager
def started(cluster: Any, *options: str) -> Iterator[str]:
    """Run the server on a cluster, and yield its address; it must end with exit code 0."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "cluster.json"
        file.write_text(json.dumps(cluster))
        with running(str(file), *options) as made:
            yield made.address
            assert made.stop() == 0
