"""Every field of the objects is drawn by the random clusters of a comparison, except the listed ones"""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import strategies as st

from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.drawing.coverage import Coverage, by_class, classes, drawn, every_family, every_field, table, unused
from tests.support.building import node, pod, snapshot

SIZE = 60
"""The number of clusters of each family: with fewer, rare fields are missed. They take a few seconds."""

UNDRAWN: dict[str, str] = {
    "AzureDisk": "disk_name disk_uri",
    "CSIStorageCapacity": "namespace",
    "Controller": "namespace",
    "ISCSI": "target_portal",
    "Node": "ready capacity conditions avoids",
    "Pod": "scheduler_name host_network scheduling_gates empty_node_selector annotated_affinity template_node_name owner_uid workload scheduling_group waits_on uid restarts",
    "PodDisruptionBudget": "min_available max_unavailable expected",
    "RBD": "image",
    "Snapshot": "devices workloads pod_groups",
    "StorageClass": "default",
}
"""The fields that no cluster uses, by class. A field that is drawn from now on is removed here."""


def undrawn() -> set[tuple[str, str]]:
    return {(of, field) for of, names in UNDRAWN.items() for field in names.split()}


@cache
def found() -> dict[str, Coverage]:
    return every_family(SIZE)


@pytest.mark.slow
def test_every_field_is_drawn_except_the_listed_ones() -> None:
    assert set(unused(found())) == undrawn()


@pytest.mark.medium
def test_a_field_that_is_drawn_no_more_is_detected() -> None:
    without = {family: Coverage() for family in found()}
    for family, each in found().items():
        without[family].used.update({name: count for name, count in each.used.items() if name != ("Pod", "spread")})
    assert set(unused(without)) == undrawn() | {("Pod", "spread")}


def test_the_fields_of_a_cluster_are_counted_once() -> None:
    """A pod with a label, a bound one with another, on a node without labels: names and labels by hand."""
    there = snapshot(replace(node("n", 1), labels={}), pod("a", 1, "n", labels={"x": "1"}))
    counted = Coverage()
    counted.one(pod("p", 1, labels={"x": "2"}), there)
    counted.one(pod("p", 1), snapshot())
    assert counted.used["Pod", "labels"] == 1
    assert counted.used["Pod", "node_name"] == 1
    assert counted.used["Pod", "spread"] == counted.used["Taint", "key"] == 0
    assert counted.used["Snapshot", "nodes"] == 1


def test_a_field_without_a_default_is_used_by_a_second_value() -> None:
    counted = Coverage()
    counted.one(pod("p"))
    assert counted.used["Pod", "name"] == 0
    counted.one(pod("p"))
    assert counted.used["Pod", "name"] == 0
    counted.one(pod("q"))
    assert counted.used["Pod", "name"] == 1


def test_the_seed_decides_what_is_drawn() -> None:
    some: st.SearchStrategy[tuple[Pod, Snapshot, object]] = FAMILIES["questions"]
    assert drawn(some, 20, 3).used == drawn(some, 20, 3).used


@pytest.mark.medium
def test_the_tables_name_every_class_and_field() -> None:
    lines = [*table(found())]
    assert len(lines) == len(every_field()) + 1
    summary = [*by_class(found())]
    assert len(summary) == len(classes())
    assert "Taint                   3 of  3" in summary
    assert any(
        line.startswith("Snapshot ") and line.endswith("without devices, workloads, pod_groups") for line in summary
    )


@pytest.mark.parametrize("of", ["Pod", "Node", "Snapshot", "Affinity", "PersistentVolume"])
def test_the_vocabulary_is_complete(of: str) -> None:
    assert of in classes()


def test_the_plugins_are_not_counted() -> None:
    counted = Coverage()
    counted.one(DEFAULT_PLUGINS)
    assert not counted.used


def test_the_page_lists_the_same_fields() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "production.md").read_text(encoding="utf-8")
    listed = re.findall(r"^(\w+) +\d+ of +\d+  without (.*)$", page, re.MULTILINE)
    assert {of: names.replace(", ", " ") for of, names in listed} == UNDRAWN
