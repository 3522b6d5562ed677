"""How long a page of the explorer takes while many people walk through one scenario at once.

    python -m benchmarks.explorer [FILES] [--users 20] [--seconds 300] [--pause 1.0]

Each user opens the start, takes steps at random, goes back now and then, and asks for explanations; between two pages a
user waits. Printed are the median, the 95th percentile and the longest time of a page, with the number of pages and of
answers that are not 200, and the processor time of the server for a page, which does not depend on what else runs.
"""

import argparse
import http.client
import random
import re
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple
from urllib.parse import urlsplit


def walked(address: str, seed: int, seconds: float, pause: float, took: list[float], failed: list[int]) -> None:
    """Walk as one user for so long after the start has come; append the seconds of each page, and the codes that are not 200."""
    chance, parts = random.Random(seed), urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=60)
    with closing(connection):
        _walk(connection, chance, seconds, pause, took, failed)


def _walk(
    connection: http.client.HTTPConnection,
    chance: random.Random,
    seconds: float,
    pause: float,
    took: list[float],
    failed: list[int],
) -> None:
    connection.request("GET", "/")
    answer = connection.getresponse()
    answer.read()
    start = path = answer.headers["Location"]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        begun = time.monotonic()
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        took.append(time.monotonic() - begun)
        if answer.status != 200:
            failed.append(answer.status)
        digest = start.split("/")[1]
        steps = re.findall(rf'<th scope="row"><a href="(/{digest}/[\d.]+)">', text)
        explained = re.findall(rf'href="(/{digest}/[\w.]+/explain\?pod=[^"]+)"', text)
        back = re.findall(rf'href="(/{digest}/[\w.]+)" rel="prev"', text)
        choices = [*steps, *explained[:1], *back]
        path = chance.choice(choices) if choices and chance.random() < 0.97 else start
        time.sleep(chance.uniform(0, 2 * pause))


class Found(NamedTuple):
    """The seconds of each page, the codes that were not 200, and the processor seconds of the server."""

    took: list[float]
    failed: list[int]
    processor: float


def load(files: Sequence[str], users: int, seconds: float, pause: float) -> Found:
    """Start a server, and let the users walk."""
    command = [sys.executable, "-m", "schedcheck", "serve", "--explore", *files, "--port", "0"]
    took: list[float] = []
    failed: list[int] = []
    before = _children()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = next(line.split()[-1] for line in process.stderr if "serving at" in line)
        threads = [
            threading.Thread(target=walked, args=(address, number, seconds, pause, took, failed))
            for number in range(users)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        process.terminate()
    return Found(took, failed, _children() - before)


def _children() -> float:
    """Return the processor seconds of the processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Walk, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("files", nargs="*", default=["examples/reference"])
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--pause", type=float, default=1.0)
    asked = parser.parse_args()
    took, failed, processor = load(asked.files, asked.users, asked.seconds, asked.pause)
    found = sorted(took)
    print(
        f"{asked.users} users, {asked.seconds:g} s, {len(found):,} pages, {len(failed)} not answered with 200: median"
        f" {1000 * statistics.median(found):.0f} ms, 95th percentile {1000 * found[int(0.95 * len(found))]:.0f} ms,"
        f" longest {1000 * found[-1]:.0f} ms; processor time of the server {1000 * processor / len(found):.0f} ms a page"
    )


if __name__ == "__main__":
    main()
