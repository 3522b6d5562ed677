"""A snapshot that is written as objects reads back as the same snapshot"""

import json
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.checker.drawing.kinds import Asked, questions_of
from schedcheck.manifests import read, snapshots
from schedcheck.manifests.snapshots import listed, stored_objects
from schedcheck.spec.objects import Container, Controller, Namespace, Node, Pod, PodDisruptionBudget, Service, Snapshot
from schedcheck.spec.storage import (
    AzureFile,
    Cinder,
    ClaimReference,
    Ephemeral,
    PersistentVolume,
    PersistentVolumeClaim,
    PortworxVolume,
    Storage,
    StorageClass,
    Volume,
    VsphereVolume,
)
from schedcheck.spec.terms import Affinity, LabelSelector, NodeSelectorTerm, Requirement
from tests.support.sizes import on_examples, part_and_whole

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "examples").rglob("*.yaml")
    if re.search(r"^kind: (Node|Pod|Deployment)$", path.read_text(), re.MULTILINE)
    and ("priorityClassName" not in path.read_text() or "kind: PriorityClass" in path.read_text())
)
"""The files with objects that can be read alone."""


def read_back(items: list[dict[str, Any]]) -> Snapshot:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "cluster.json"
        path.write_text(json.dumps(listed(items)))
        return read([path]).snapshot()


def reads_back(question: Asked) -> None:
    _, snapshot = question
    assert read_back(stored_objects(snapshot)) == snapshot


@pytest.mark.parametrize("number", part_and_whole(100, 300))
def test_a_drawn_snapshot_reads_back_unchanged(number: int) -> None:
    on_examples(number, questions_of(), reads_back)


NAMED = Namespace("shop", frozendict({"team": "a", "kubernetes.io/metadata.name": "shop"}))
TERM = NodeSelectorTerm((Requirement("zone", "In", ("a",)),))
SELECTED = LabelSelector(
    frozendict(app="a"), (Requirement("tier", "In", ("x", "y")), Requirement("tier", "NotIn", ("x",)))
)
EVERY_FIELD = Snapshot(
    pods=(
        Pod(
            "web-1",
            "shop",
            owner=("ReplicaSet", "web"),
            owner_uid="u-1",
            containers=(Container(frozendict(cpu=1), image="a"),),
            annotated_affinity=Affinity(node_required=(TERM,)),
            volumes=(
                Volume("a", AzureFile("share", read_only=True)),
                Volume("b", Cinder("c")),
                Volume("c", VsphereVolume("path")),
                Volume("d", PortworxVolume("p")),
                Volume("e"),
                Volume("own", Ephemeral("u-9")),
            ),
        ),
    ),
    nodes=(Node("n1", allocatable=frozendict(cpu=1), capacity=frozendict(cpu=2), avoids=(("ReplicaSet", "u-1"),)),),
    namespaces=(NAMED,),
    budgets=(PodDisruptionBudget("b", "shop", LabelSelector(), max_unavailable="10%", disrupted=frozenset({"web-1"}), expected=1),),
    services=(Service("s", "shop", frozendict(app="a")), Service("t", "shop")),
    controllers=(
        Controller("ReplicaSet", "web", "shop", SELECTED),
        Controller("ReplicationController", "yet", "shop", LabelSelector(frozendict(app="b"))),
    ),
    storage=Storage(
        volumes=(
            PersistentVolume(
                "v",
                frozendict(a="b"),
                5,
                ("ReadWriteOnce",),
                "Block",
                "made",
                ClaimReference("shop", "c", "u-2"),
                "Released",
                (TERM,),
                AzureFile("share"),
                terminating=True,
                attributes_class="gold",
            ),
        ),
        claims=(
            PersistentVolumeClaim(
                "c", "shop", "u-2", "v", "Lost", ("ReadWriteOnce",), 3, SELECTED, "", "Block", True, "n1", "u-9", True, "gold"
            ),
            PersistentVolumeClaim("d", "shop", "u-3"),
        ),
        classes=(StorageClass("made", "example.com/x", "WaitForFirstConsumer", ((Requirement("z", "In", ("a",)),),), True),),
    ),
)  # fmt: skip
"""A snapshot with the fields that are not drawn."""


def test_fields_that_are_not_drawn_read_back_unchanged() -> None:
    assert read_back(stored_objects(EVERY_FIELD)) == EVERY_FIELD


@pytest.mark.parametrize("file", EXAMPLES)
def test_the_snapshot_of_an_example_reads_back_unchanged(file: str) -> None:
    first = read([ROOT / file]).snapshot()
    assert first.pods or first.nodes
    assert as_first(read_back(stored_objects(first)), first) == first


def test_many_examples_are_read_back() -> None:
    assert len(EXAMPLES) >= 80


def as_first(snapshot: Snapshot, first: Snapshot) -> Snapshot:
    """The snapshot with what only other objects of the input tell: the scales that budgets expect, and the node in the
    template of a pod's owner.
    """
    budgets, pods = ({each.key: each for each in things} for things in (first.budgets, first.pods))
    return replace(
        snapshot,
        budgets=tuple(replace(each, expected=budgets[each.key].expected) for each in snapshot.budgets),
        pods=tuple(replace(each, template_node_name=pods[each.key].template_node_name) for each in snapshot.pods),
    )


@pytest.mark.parametrize("name", ["_namespace", "_controller", "_service", "storage_manifests", "manifest"])
def test_a_writer_that_loses_a_kind_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = snapshots.manifest
    lost = {
        "_namespace": lambda each: {"kind": "Namespace", "metadata": {"name": each.name}},
        "_service": lambda each: {"kind": "Service", "metadata": {"name": each.name}},
        "_controller": lambda each, _: {"kind": "Unread", "metadata": {"name": each.name}},
        "storage_manifests": lambda _: iter(()),
        "manifest": lambda each, *rest, **more: (
            whole(replace(each, labels=frozendict(x="y")), *rest, **more)
            if isinstance(each, Node)
            else whole(each, *rest, **more)
        ),
    }
    monkeypatch.setattr(snapshots, name, lost[name])
    assert read_back(stored_objects(EVERY_FIELD)) != EVERY_FIELD
