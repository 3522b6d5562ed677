"""Pods that are nominated to a node count there, and on no other node, as if they were bound"""

from dataclasses import replace
from typing import Any

import pytest

from schedcheck.model.production.cycle.algorithm import Suggestion, scheduled
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot, SpreadConstraint
from schedcheck.spec.storage import (
    ClaimReference,
    ClaimSource,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    Volume,
)
from tests.model.production.cluster import cluster
from tests.support.building import node, pod, selector, snapshot

A, B = node("a", 4, labels={"zone": "a"}), node("b", 4, labels={"zone": "b"})
SPREAD = (SpreadConstraint(1, "zone", selector=selector(app="web")),)
WEB: dict[str, Any] = {"labels": {"app": "web"}, "spread": SPREAD}
ALONE = {"volumes": (Volume("data", ClaimSource("data")),)}
DISK = Volume("disk", GCEPersistentDisk("disk"))
STORAGE = Storage(
    claims=(PersistentVolumeClaim("data", access_modes=("ReadWriteOncePod",), volume_name="pv", bind_completed=True),),
    volumes=(PersistentVolume("pv", claim=ClaimReference("default", "data")),),
)


def hosts(asked: Pod, there: Snapshot) -> set[str]:
    """The nodes that may be chosen, as the production scheduler and as the specification say."""
    known = cluster(there, pending=[asked])
    found = scheduled(*known.cycle(asked), known.handle.snapshot)
    bound = {each.node.name for each in decision(asked, there, DEFAULT_PLUGINS)}
    assert isinstance(found, Suggestion) and set(found.hosts) == bound
    return bound


@pytest.mark.parametrize(("on", "free"), [("a", {"b"}), ("b", {"a"})])
def test_a_nominated_pod_counts_in_its_domain_against_the_least_of_the_others(on: str, free: set[str]) -> None:
    first = pod("first", 1, priority=5, nominated_node_name=on, **WEB)
    assert hosts(pod("p", 1, **WEB), snapshot(A, B, first)) == free


@pytest.mark.parametrize(("on", "free"), [("a", {"b"}), ("b", {"a"})])
def test_a_claim_for_one_pod_is_in_use_only_where_its_pod_is_nominated(on: str, free: set[str]) -> None:
    first = pod("first", 1, priority=5, nominated_node_name=on, **ALONE)
    second = pod("second", 1, priority=5, nominated_node_name="b" if on == "a" else "a")
    there = replace(snapshot(A, B, first, second), storage=STORAGE)
    # Without a disk the plugin would leave out its filter, since no pod has the claim in use yet.
    assert hosts(pod("p", 1, volumes=(*ALONE["volumes"], DISK)), there) == free


@pytest.mark.parametrize("where", ["a", "b", "gone"])
def test_a_pod_that_is_nominated_to_a_node_that_is_gone_counts_nowhere(where: str) -> None:
    first = pod("first", 4, priority=5, nominated_node_name=where)
    assert hosts(pod("p", 1), snapshot(A, B, first)) == {"a", "b"} - {where}
