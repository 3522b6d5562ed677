"""Volumes that name a claim, and the counted uses of a ReadWriteOncePod claim in a dry run"""

from types import SimpleNamespace
from typing import Any

import pytest

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.verdicts import PASSED, REFUSED
from schedcheck.model.production.plugins.volume_restrictions import KEY, FilterState, VolumeRestrictions
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.volumes.matching import names
from schedcheck.spec.kubernetes.plugins import DEFAULT_ARGUMENTS
from schedcheck.spec.storage import ClaimReference, PersistentVolume, PersistentVolumeClaim
from tests.model.production.cluster import cluster
from tests.support.building import claiming, node, snapshot

CLAIM = PersistentVolumeClaim("claim", "middle", uid="1")


@pytest.mark.parametrize(
    ("namespace", "name", "uid", "named"),
    [
        ("middle", "claim", "", True),
        ("middle", "claim", "1", True),
        ("middle", "claim", "2", False),
        ("middle", "a", "", False),
        ("middle", "z", "", False),
        ("a", "claim", "", False),
        ("z", "claim", "", False),
    ],
)
def test_a_volume_names_a_claim_by_namespace_name_and_uid(namespace: str, name: str, uid: str, named: bool) -> None:
    assert names(PersistentVolume("v", claim=ClaimReference(namespace, name, uid)), CLAIM) is named
    assert not names(PersistentVolume("v"), CLAIM)


def test_uses_are_added_and_removed_in_the_dry_run_of_each_node() -> None:
    plugin, state = VolumeRestrictions(DEFAULT_ARGUMENTS, Handle()), CycleState()
    state.write(KEY, FilterState(frozenset({"c", "d"}), 1))
    nodes: Any = SimpleNamespace(worlds=[0, 2, 2])
    users = [
        PodInfo(claiming(*claims, name=f"p{number}")) for number, claims in enumerate((("c",), ("c", "d"), ("e",)))
    ]
    asked = PodInfo(claiming("c", "d"))
    plugin.add_pods(state, asked, nodes, users)
    assert state.read(KEY, FilterState).changes == {0: 1, 2: 2}
    plugin.add_pods(state, asked, nodes, users)
    assert state.read(KEY, FilterState).changes == {0: 2, 2: 4}
    plugin.remove_pods(state, asked, nodes, users)
    assert state.read(KEY, FilterState).changes == {0: 1, 2: 2}


@pytest.mark.parametrize(("used", "less", "refused"), [(1, False, True), (1, True, False), (0, True, False)])
def test_a_node_is_rejected_while_uses_outnumber_removals(used: int, less: bool, refused: bool) -> None:
    """As in kube-scheduler, a use of an equally named claim in another namespace is subtracted too; the count never
    falls below 0.
    """
    nodes = cluster(snapshot(node("n1"), node("n2"))).handle.snapshot.all().tried()
    plugin, state, asked = VolumeRestrictions(DEFAULT_ARGUMENTS, Handle()), CycleState(), PodInfo(claiming("c"))
    state.write(KEY, FilterState(frozenset({"c"}), used))
    if less:
        user = PodInfo(claiming("c", name="other", namespace="x"))
        plugin.remove_pods(state, asked, nodes, [user, user])
    assert plugin.filter(state, asked, nodes).codes.tolist() == [REFUSED if refused else PASSED] * 2
