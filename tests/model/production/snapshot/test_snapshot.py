"""Volume users in a dry run: those of the snapshot, without removed pods and with added ones"""

from itertools import permutations

import pytest

from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes
from tests.model.production.cluster import cluster
from tests.support.building import claiming, node, snapshot


def users(nodes: Nodes) -> dict[str, set[str]]:
    """The names of the pods with volumes on each node."""
    return {name: {info.pod.name for info in nodes.volume_users(place)} for place, name in enumerate(nodes.names())}


@pytest.mark.parametrize(("gone", "stays", "stays_too"), list(permutations("abc")))
def test_removing_a_pod_in_one_dry_run_leaves_it_in_the_others(gone: str, stays: str, stays_too: str) -> None:
    there = {name: claiming("x", name=name, on="n1") for name in "abc"}
    every = cluster(snapshot(node("n1"), node("n2"), *there.values(), claiming("x", name="d", on="n2")))
    before = every.handle.snapshot.all()
    tried = before.tried()
    assert tried.trial is not None
    world = [tried.names().index("n1")]
    tried.trial.change(world, [PodInfo(there[gone])], -1)
    assert users(tried) == {"n1": {stays, stays_too}, "n2": {"d"}}
    tried.trial.change(world, [PodInfo(there[stays])], -1)
    assert users(tried) == {"n1": {stays_too}, "n2": {"d"}}
    tried.trial.change(world, [PodInfo(there[gone])], 1)
    assert users(tried) == {"n1": {gone, stays_too}, "n2": {"d"}}
    assert users(before) == {"n1": set("abc"), "n2": {"d"}}
