"""Times `schedcheck serve`: a filter of many nodes sent whole, and many clients at once.

`python -m benchmarks.serving` prints the medians; `python -m benchmarks.serving 50 60` asks with 50 clients for 60 s.
"""

import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.realistic import realistic
from schedcheck.manifests import seen
from schedcheck.manifests.documents import Document
from schedcheck.manifests.objects import cluster as cluster_of
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.filter import verdicts
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Snapshot

NODES, PODS = 1000, 10_000
IMAGES = 50
"""A kubelet reports the 50 largest images of its node."""

Json = dict[str, Any]


def grown(given: Json, number: int) -> Json:
    """Return a node with the fields that a real one has beside those that are read: about 10 KB of JSON."""
    heard = f"2026-01-01T00:00:{number % 60:02}Z"
    conditions = [
        {
            "type": kind,
            "status": status,
            "reason": f"Kubelet{kind}",
            "message": "kubelet says so",
            "lastHeartbeatTime": heard,
        }
        for kind, status in (
            ("MemoryPressure", "False"),
            ("DiskPressure", "False"),
            ("PIDPressure", "False"),
            ("Ready", "True"),
        )
    ]
    images = [
        {"names": [f"registry.example/team-{each % 7}/app-{each}@sha256:{each:064x}", f"registry.example/team-{each % 7}/app-{each}:v1"],
         "sizeBytes": 10**7 + each}
        for each in range(IMAGES)
    ]  # fmt: skip
    name = given["metadata"]["name"]
    status = given["status"] | {
        "capacity": given["status"]["allocatable"], "conditions": conditions, "images": images,
        "addresses": [{"type": "InternalIP", "address": f"10.0.{number // 250}.{number % 250}"}],
        "nodeInfo": {"kubeletVersion": "v1.34.1", "machineID": f"{number:032x}", "osImage": "Linux", "architecture": "amd64"},
    }  # fmt: skip
    metadata = given["metadata"] | {
        "uid": f"00000000-0000-0000-0000-{number:012x}", "resourceVersion": str(10**6 + number),
        "annotations": {f"example.com/annotation-{each}": f"{name}-{each}" * 3 for each in range(8)},
    }  # fmt: skip
    return {**given, "metadata": metadata, "status": status}


def objects(nodes: int, pods: int) -> list[Json]:
    """Return the objects of a realistic cluster, with nodes as large as real ones."""
    found = list(realistic(nodes, pods))
    return [grown(each, number) if each["kind"] == "Node" else each for number, each in enumerate(found)]


def waiting(cluster: list[Json], most: int) -> list[Json]:
    """Return the first pending pods."""
    return [each for each in cluster if each["kind"] == "Pod" and "nodeName" not in each["spec"]][:most]


@contextmanager
def serving(cluster: list[Json], folder: Path, *options: str) -> Iterator[tuple[int, int]]:
    """Run the server on this cluster and yield its port and its process id; it ends by SIGTERM with exit code 0."""
    file = folder / "cluster.json"
    file.write_text(json.dumps({"kind": "List", "items": cluster}))
    command = [sys.executable, "-m", "schedcheck", "serve", str(file), "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        line = next(each for each in process.stderr if "serving at" in each)
        threading.Thread(target=process.stderr.read, daemon=True).start()
        try:
            yield int(line.rpartition(":")[2]), process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0


def asked(connection: http.client.HTTPConnection, path: str, body: bytes) -> tuple[int, Any]:
    """Post a body; return the status code and the answer."""
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def resident(process: int) -> float:
    """Return the MiB that a process holds."""
    line = next(each for each in Path(f"/proc/{process}/status").read_text().splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


@dataclass
class Filtered:
    """The seconds of each filter, the MiB of a body, and the MiB that the server held at the end."""

    seconds: list[float]
    megabytes: float
    resident: float


def filters(nodes: int, pods: int, times: int, folder: Path) -> Filtered:
    """Time filters of all nodes, sent whole, of several pods in turn."""
    cluster = objects(nodes, pods)
    whole = [each for each in cluster if each["kind"] == "Node"]
    bodies = [json.dumps({"Pod": each, "Nodes": {"items": whole}}).encode() for each in waiting(cluster, 20)]
    seconds = []
    with serving(cluster, folder) as (port, process), ExitStack() as stack:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        stack.callback(connection.close)
        for number in range(times):
            begun = time.perf_counter()
            connection.request("POST", "/filter", bodies[number % len(bodies)], {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            seconds.append(time.perf_counter() - begun)
            assert answer.status == 200, (number, text[:300])
            assert len(json.loads(text)["Nodes"]["items"]) <= nodes
        held = resident(process)
    return Filtered(seconds, len(bodies[0]) / 2**20, held)


@dataclass
class Load:
    """The answers of many clients: how many, those that were wrong, errors, and the memory before and after."""

    answers: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    before: float = 0.0
    after: float = 0.0


def expected(pod: Json, snapshot: Snapshot) -> set[str]:
    """Return the nodes that the definitions admit."""
    key = pod["metadata"]["namespace"], pod["metadata"]["name"]
    one = next(each for each in snapshot.pods if each.key == key)
    return {name for name, each in verdicts(taken_up(one, snapshot, DEFAULT_PLUGINS)).items() if each.refusal is None}


def _wrong(connection: http.client.HTTPConnection, body: bytes, names: set[str]) -> str:
    """Ask, and return what is wrong with the answer; empty if it has these nodes."""
    try:
        code, answer = asked(connection, "/filter", body)
    except (OSError, http.client.HTTPException) as error:
        return repr(error)
    kept = {each["metadata"]["name"] for each in answer["Nodes"]["items"]} if code == 200 else set()
    return "" if code == 200 and kept == names else f"{code}: {sorted(kept ^ names)[:3]}"


def load(clients: int, seconds: float, nodes: int, pods: int, folder: Path) -> Load:
    """Ask with many clients at once; every answer is compared with that of the definitions."""
    cluster = objects(nodes, pods)
    snapshot = seen(cluster_of([Document("cluster", 1, {"kind": "List", "items": cluster})])).snapshot()
    whole = [each for each in cluster if each["kind"] == "Node"]
    questions = [
        (json.dumps({"Pod": each, "Nodes": {"items": whole}}).encode(), expected(each, snapshot))
        for each in waiting(cluster, 10)
    ]
    made, lock = Load(), threading.Lock()
    with serving(cluster, folder, "--max-requests", str(2 * clients), "--time", "60") as (port, process):
        with closing(http.client.HTTPConnection("127.0.0.1", port)) as first:
            for body, _ in questions:
                asked(first, "/filter", body)
        made.before, end = resident(process), time.monotonic() + seconds

        def client(own: int) -> None:
            with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
                number = own
                while time.monotonic() < end:
                    body, names = questions[number % len(questions)]
                    begun = time.perf_counter()
                    why = _wrong(connection, body, names)
                    with lock:
                        made.answers += 1
                        made.seconds.append(time.perf_counter() - begun)
                        made.wrong += [why] if why else []
                    number += 1

        threads = [threading.Thread(target=client, args=(each,)) for each in range(clients)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        made.after = resident(process)
    return made


def main(*arguments: str) -> None:
    with TemporaryDirectory() as name:
        if arguments:
            clients, seconds = int(arguments[0]), float(arguments[1])
            found = load(clients, seconds, 20, 100, Path(name))
            print(f"{clients} clients, {seconds:g} s: {found.answers:,} answers, {len(found.wrong)} wrong or failed,"
                  f" median {1000 * statistics.median(found.seconds):.0f} ms, memory {found.before:.0f} to {found.after:.0f} MiB")  # fmt: skip
            return
        one = filters(NODES, PODS, 60, Path(name))
        times = sorted(1000 * each for each in one.seconds)
        print(f"filter of {NODES:,} nodes ({one.megabytes:.1f} MiB) in a cluster of {PODS:,} pods: first {1000 * one.seconds[0]:.0f} ms,"
              f" median {statistics.median(times):.0f} ms, at most {times[-1]:.0f} ms, memory {one.resident:.0f} MiB")  # fmt: skip


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "200")
    main(*sys.argv[1:])
