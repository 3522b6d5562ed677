"""The recorded scores of kube-scheduler, case by case and field by field."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schedcheck.cluster.documents import Document
from schedcheck.cluster.objects import Cluster, cluster
from schedcheck.spec.binding import completed
from schedcheck.spec.departures import ALL_DEPARTURES, Departures
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.viability.scores import Scored, scored

RECORDED = Path(__file__).parent
FAMILIES = sorted(
    path.name.removesuffix(".jsonl.gz") for path in RECORDED.glob("*.jsonl.gz") if path.name != "quantities.jsonl.gz"
)
KINDS = {
    "nodes": "Node",
    "pods": "Pod",
    "pdbs": "PodDisruptionBudget",
    "priorityClasses": "PriorityClass",
    "services": "Service",
    "replicaSets": "ReplicaSet",
    "statefulSets": "StatefulSet",
    "replicationControllers": "ReplicationController",
    "namespaces": "Namespace",
}

Case = dict[str, Any]


def cases(family: str) -> Iterator[Case]:
    with gzip.open(RECORDED / f"{family}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def read(case: Case) -> tuple[Pod, Snapshot]:
    """The pod to be placed, and the snapshot without it."""
    objects = [(kind, item) for field, kind in KINDS.items() for item in case.get(field) or ()]
    values = [*(item | {"kind": kind} for kind, item in objects), case["pod"] | {"kind": "Pod"}]
    everything: Cluster = cluster(Document(case["id"], number, value) for number, value in enumerate(values, start=1))
    metadata = case["pod"]["metadata"]
    (pod,) = (each for each in everything.pods if each.key == (metadata["namespace"], metadata["name"]))
    there = tuple(each for each in everything.pods if each.node_name and not completed(each))
    return pod, Snapshot(
        there,
        everything.nodes,
        everything.namespaces,
        everything.budgets,
        everything.services,
        everything.controllers,
    )


def answer(case: Case, expected: Case, departures: Departures) -> Scored:
    pod, snapshot = read(case)
    nodes = tuple(node for node in snapshot.nodes if node.name in expected["feasible"])
    return scored(pod, nodes, snapshot, departures) if nodes else Scored()


def differences(case: Case, expected: Case, departures: Departures) -> Iterator[tuple[str, Any, Any]]:
    """Each field in which the answer is another, with what is recorded and what is said here."""
    found = answer(case, expected, departures)
    said = {"scoreError": found.error, "skipScore": sorted(found.skipped)}
    recorded = {"scoreError": expected.get("scoreError"), "skipScore": expected["skipScore"]}
    if expected["decision"]["mode"] == "scored":
        said["decision.hosts"], recorded["decision.hosts"] = list(found.best), expected["decision"]["hosts"]
    if expected["decision"]["kind"] == "error" and "scoreError" in expected:
        said["real.message"], recorded["real.message"] = found.error, expected["real"]["message"]
    for name, node in expected["nodes"].items():
        for field, scores in (("raw", found.raw), ("norm", found.normalised), ("weighted", found.weighted)):
            said[f"{name}.{field}"] = {plugin: by_node[name] for plugin, by_node in scores.items() if name in by_node}
            recorded[f"{name}.{field}"] = node.get(field, {})
        said[f"{name}.total"], recorded[f"{name}.total"] = found.total.get(name), node.get("total")
    yield from ((field, recorded[field], said[field]) for field in recorded if recorded[field] != said[field])


@pytest.mark.parametrize("family", FAMILIES)
def test_every_recorded_score_is_ours(family: str) -> None:
    found = [
        (recorded["id"], *difference)
        for recorded in cases(family)
        for difference in differences(recorded["case"], recorded["expected"], ALL_DEPARTURES)
    ]
    assert found == []
