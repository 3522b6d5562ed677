"""Allocations of k8s.io/dynamic-resource-allocation/structured, recorded: each is one of the specified set"""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from schedcheck.manifests.devices import devices
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.spec.device_objects import Allocation, Devices, ResourceClaim, Result
from schedcheck.spec.devices import pools
from schedcheck.spec.devices.allocations import Failure, NotOnNode, allocated_by, allocations, outcome, situation_of
from schedcheck.spec.kubernetes.filters.dynamic_resources import gates
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.quantities import billionths
from tests.support.building import node

FILE = Path(__file__).parents[2] / "data" / "devices" / "allocations.jsonl.gz"
GATES = {each.patch: gates(each.departures) for each in VERSIONS.values()}


def recorded() -> list[dict[str, Any]]:
    with gzip.open(FILE, "rt") as lines:
        return [json.loads(line) for line in lines]


def read(case: dict[str, Any]) -> tuple[Devices, tuple[ResourceClaim, ...]]:
    document = Document("case.json", 1, case)
    fields = {
        "ResourceSlice": Field(document, case["slices"]).items(),
        "DeviceClass": Field(document, case["classes"]).items(),
        "ResourceClaim": Field(document, case["claims"]).items(),
    }
    found = devices(fields)
    shares = tuple(
        Result("r", *each["id"], shared=True, consumed=Field(document, each["capacity"]).quantities())
        for each in case["shares"]
    )
    held = Allocation((*(Result("r", *each) for each in case["allocated"]), *shares))
    return Devices(found.slices, found.classes, (ResourceClaim("held", allocation=held),)), found.claims


def shown(allocation: Allocation) -> tuple[Any, ...]:
    results = sorted(
        (each.request, *each.id, each.admin, tuple(sorted(each.consumed.items()))) for each in allocation.results
    )
    terms = allocation.terms or ()
    return tuple(results), tuple(
        (one.key, one.operator, one.values) for term in terms for one in (*term.match_expressions, *term.match_fields)
    )


def told(result: dict[str, Any]) -> tuple[Any, ...]:
    results = sorted(
        (
            each["request"],
            each["driver"],
            each["pool"],
            each["device"],
            each.get("adminAccess", False),
            tuple(sorted((name, billionths(size)) for name, size in each.get("consumedCapacity", {}).items())),
        )
        for each in result["devices"]["results"]
    )
    terms = result.get("nodeSelector", {}).get("nodeSelectorTerms", [])
    requirements = (one for term in terms for one in (*term.get("matchExpressions", ()), *term.get("matchFields", ())))
    return tuple(results), tuple((one["key"], one["operator"], tuple(one["values"])) for one in requirements)


def agrees(line: dict[str, Any]) -> str:
    """Return the kind of a recorded answer that the specification gives as well; empty if it does not."""
    case, answer = line["case"], line["answer"]
    there = node(case["node"]["metadata"]["name"], labels=case["node"]["metadata"]["labels"])
    known, claims = read(case)
    situation = situation_of(there, known, claims, GATES[line["kubernetes"]])
    try:
        first = outcome(situation)
    except (Failure, NotOnNode) as error:
        return "error" if str(error) == answer.get("error") else ""
    if first is None:
        return "none" if not answer.get("error") and not answer["results"] else ""
    made = tuple(map(told, answer["results"] or ()))
    allowed = {tuple(map(shown, allocated_by(situation, each))) for each in allocations(situation) | {first}}
    return "some" if made in allowed else ""


@pytest.mark.parametrize(("version", "expected"), [("1.37.2", (70, 30, 30)), ("1.34.9", (50, 20, 20))])
def test_recorded_allocations_are_specified(version: str, expected: tuple[int, ...]) -> None:
    found = Counter(agrees(line) for line in recorded() if line["kubernetes"] == version)
    assert (found["some"], found["none"], found["error"], found[""]) == (*expected, 0)


def test_a_pool_of_which_every_generation_counts_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "relevant", lambda *_: True)
    assert "" in {agrees(line) for line in recorded()}
