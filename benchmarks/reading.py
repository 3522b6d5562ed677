"""Time and memory of reading the dump of a large cluster.

python -m benchmarks.reading [NODES PODS] makes dumps such as `kubectl get nodes,pods,pdb -A -o json` writes, of 5,000
nodes and 50,000 pods by default, and of a tenth of them as YAML; each is read in a process of its own.
"""

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from schedcheck.manifests import read, yaml_text

SEED = 1
PODS_OF_A_BUDGET = 20
TIMES = {"creationTimestamp": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"}


def metadata(kind: str, name: str, number: int, **more: Any) -> dict[str, Any]:
    uid = f"{kind}-{number:08}-0000-4000-8000"
    return {
        "name": name,
        "uid": uid,
        "resourceVersion": str(number),
        "creationTimestamp": "2026-01-01T00:00:00Z",
    } | more


def node(number: int, chance: random.Random) -> dict[str, Any]:
    name, cpus = f"node-{number}", chance.choice([8, 16, 32])
    room = {"cpu": str(cpus), "memory": f"{cpus * 4 * 1024**2}Ki", "pods": "110", "ephemeral-storage": "95551679124"}
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{number % 3}"}
    conditions = [
        {"type": kind, "status": "False", "reason": f"Kubelet{kind}", "message": "kubelet says so", **TIMES}
        for kind in ("MemoryPressure", "DiskPressure", "PIDPressure")
    ]
    images = [{"names": [f"registry.example/{each}:1"], "sizeBytes": each * 10**6} for each in range(10)]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata("node", name, number, labels=labels),
        "spec": {"providerID": f"cloud://{name}"},
        "status": {
            "allocatable": room,
            "capacity": room,
            "conditions": [*conditions, {"type": "Ready", "status": "True", **TIMES}],
            "images": images,
            "nodeInfo": {"kubeletVersion": "v1.34.1", "osImage": "Linux", "architecture": "amd64"},
        },
    }


def pod(number: int, nodes: int, chance: random.Random) -> dict[str, Any]:
    application = f"app-{number // PODS_OF_A_BUDGET}"
    maker = f"{application}-{hash_of(application)}"
    name = f"{maker}-{number % PODS_OF_A_BUDGET:05}"
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": maker, "uid": maker, "controller": True}
    labels = {"app": application, "pod-template-hash": hash_of(application)}
    bound = chance.random() < 0.98
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": application}}}
    borne = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    spec = {
        "containers": [
            {
                "name": each,
                "image": f"registry.example/{each}:1",
                "resources": {
                    "requests": {"cpu": f"{10 * (1 + number % 40)}m", "memory": "128Mi"},
                    "limits": {"memory": "256Mi"},
                },
                "volumeMounts": [{"mountPath": "/var/run/secrets", "name": "kube-api-access", "readOnly": True}],
                "terminationMessagePath": "/dev/termination-log",
            }
            for each in ("main", "sidecar")
        ],
        "volumes": [{"name": "kube-api-access", "projected": {"sources": [{"configMap": {"name": "root-ca"}}]}}],
        "priority": 0,
        "preemptionPolicy": "PreemptLowerPriority",
        "schedulerName": "default-scheduler",
        "serviceAccountName": "default",
        "tolerations": [
            {"key": f"node.kubernetes.io/{key}", **borne} for key in ("not-ready", "unreachable")
        ],
        "affinity": {
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": term}]
            }
        },
        **({"nodeName": f"node-{chance.randrange(nodes)}"} if bound else {}),
    }  # fmt: skip
    conditions = [{"type": kind, "status": "True", **TIMES} for kind in ("Initialized", "Ready", "PodScheduled")]
    own = metadata(
        "pod", name, number, namespace=namespace_of(number // PODS_OF_A_BUDGET), labels=labels, ownerReferences=[owner]
    )
    status = {"phase": "Running" if bound else "Pending", "conditions": conditions if bound else []}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": own, "spec": spec, "status": status}


def hash_of(application: str) -> str:
    return f"{random.Random(application).randrange(16**10):010x}"


def namespace_of(application: int) -> str:
    return f"team-{application % 50}"


def budget(number: int) -> dict[str, Any]:
    application = f"app-{number}"
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata("budget", application, number, namespace=namespace_of(number)),
        "spec": {"maxUnavailable": "10%", "selector": {"matchLabels": {"app": application}}},
        "status": {"disruptionsAllowed": 0, "expectedPods": 0},
    }


def objects(nodes: int, pods: int) -> Iterator[dict[str, Any]]:
    """Yield the objects of a cluster, the same for the same numbers."""
    chance = random.Random(SEED)
    yield from (node(number, chance) for number in range(nodes))
    yield from (pod(number, nodes, chance) for number in range(pods))
    yield from (budget(number) for number in range(pods // PODS_OF_A_BUDGET))


def write(path: Path, nodes: int, pods: int) -> None:
    """Write a List of the objects, as kubectl does."""
    dump = {"apiVersion": "v1", "kind": "List", "items": list(objects(nodes, pods))}
    with path.open("w", encoding="utf-8") as file:
        if path.suffix == ".json":
            json.dump(dump, file, indent=2)
        else:
            file.write(yaml_text([dump]))


def alone(*arguments: object) -> list[str]:
    """Run this module with these arguments in a process of its own, whose memory is its own, and return its output."""
    command = [sys.executable, "-m", "benchmarks.reading", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def read_one(path: str) -> None:
    """Print the numbers of pods and nodes, and the seconds and MiB that reading the file takes."""
    begun = time.perf_counter()
    cluster = read([path])
    seconds = time.perf_counter() - begun
    print(len(cluster.pods), len(cluster.nodes), seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main(nodes: int = 5_000, pods: int = 50_000) -> None:
    """Print a table with a row for each file."""
    table = Table(title="reading a dump")
    for heading in ("file", "nodes", "pods", "MB", "seconds", "MiB at most"):
        table.add_column(heading, justify="left" if heading == "file" else "right")
    with TemporaryDirectory() as folder:
        for name, share in (("dump.json", 1), ("dump.yaml", 10)):
            path = Path(folder) / name
            alone("--write", path, nodes // share, pods // share)
            read_pods, read_nodes, seconds, memory = map(float, alone("--read", path))
            counts = (f"{read_nodes:,.0f}", f"{read_pods:,.0f}", f"{path.stat().st_size / 10**6:.0f}")
            table.add_row(name, *counts, f"{seconds:.1f}", f"{memory:,.0f}")
    Console().print(table)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--read", path]:
            read_one(path)
        case ["--write", path, nodes, pods]:
            write(Path(path), int(nodes), int(pods))
        case numbers:
            main(*map(int, numbers))
