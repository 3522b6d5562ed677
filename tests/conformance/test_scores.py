"""The recorded scores of kube-scheduler, case by case and field by field."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schedcheck.cluster.documents import Document
from schedcheck.cluster.fields import Field
from schedcheck.cluster.objects import cluster
from schedcheck.cluster.selecting import selecting
from schedcheck.spec.binding import completed
from schedcheck.spec.departures import ALL_DEPARTURES, Departure, Departures
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.viability.scores import Scored, scored

RECORDED = Path(__file__).parent
FAMILIES = sorted(
    path.name.removesuffix(".jsonl.gz") for path in RECORDED.glob("*.jsonl.gz") if path.name != "quantities.jsonl.gz"
)
KINDS = {
    "nodes": "Node",
    "pods": "Pod",
    "priorityClasses": "PriorityClass",
    "services": "Service",
    "namespaces": "Namespace",
}

CONTROLLERS = {
    "replicaSets": "ReplicaSet",
    "statefulSets": "StatefulSet",
    "replicationControllers": "ReplicationController",
}

MUTATED = "quirk-podlevel-overhead-mutates"

Case = dict[str, Any]


def cases(family: str) -> Iterator[Case]:
    with gzip.open(RECORDED / f"{family}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def read(case: Case) -> tuple[Pod, Snapshot]:
    """The pod to be placed, and the snapshot without it; budgets are left out, as no score looks at them."""
    objects = [(kind, item) for field, kind in KINDS.items() for item in case.get(field) or ()]
    values = [*(item | {"kind": kind} for kind, item in objects), case["pod"] | {"kind": "Pod"}]
    everything = cluster(Document(case["id"], number, value) for number, value in enumerate(values, start=1))
    controllers = tuple(
        selecting(kind, Field(Document(case["id"], 0, item), item))
        for field, kind in CONTROLLERS.items()
        for item in case.get(field) or ()
    )
    metadata = case["pod"]["metadata"]
    (pod,) = (each for each in everything.pods if each.key == (metadata["namespace"], metadata["name"]))
    there = tuple(each for each in everything.pods if each.node_name and not completed(each))
    return pod, Snapshot(
        there, everything.nodes, everything.namespaces, services=everything.services, controllers=controllers
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


def all_differences(family: str, departures: Departures) -> list[tuple[str, str, Any, Any]]:
    return [
        (recorded["id"], *difference)
        for recorded in cases(family)
        for difference in differences(recorded["case"], recorded["expected"], departures)
    ]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_recorded_score_is_ours(family: str) -> None:
    found = [each for each in all_differences(family, ALL_DEPARTURES) if each[0] != MUTATED]
    assert found == []


def test_the_pod_that_is_changed_by_reading_it_is_rated_as_specified() -> None:
    """The case says itself that it is no ground truth: by the specification 1.75Gi are requested, and 2.5Gi are rated.

    kube-scheduler adds the overhead again whenever it reads the requests of this pod, here for the fourth time.
    """
    found = {
        field: (recorded, said)
        for case, field, recorded, said in all_differences("quirks", ALL_DEPARTURES)
        if case == MUTATED
    }
    assert found.keys() == {
        f"{name}.{field}" for name in ("n2", "n3") for field in ("raw", "norm", "weighted", "total")
    }
    balanced = {
        name: tuple(scores["NodeResourcesBalancedAllocation"] for scores in found[f"{name}.raw"])
        for name in ("n2", "n3")
    }
    assert balanced == {"n2": (50, 61), "n3": (84, 89)}


@pytest.mark.parametrize(
    ("departure", "cases_of_it"),
    [
        (Departure.NAMESPACE_SELECTOR_ON_NO_LABELS, {"interpod-00383", "interpod-00953", "mixed-01060"}),
        (Departure.POD_LEVEL_UNRATED, {"quirk-fit-podlevel", "mixed-00370", "resources-00082"}),
    ],
)
def test_a_departure_is_seen_in_recorded_scores(departure: Departure, cases_of_it: set[str]) -> None:
    families = ("interpod", "mixed", "quirks", "resources")
    found = {each[0] for family in families for each in all_differences(family, ALL_DEPARTURES - {departure})}
    assert cases_of_it <= found
