"""What `capacity`, `drain` and `fail` predict is what then happens"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from tests.control_plane.api import Api
from tests.control_plane.clusters import ZONE, budgets_current, cleared, filled
from tests.control_plane.conftest import Start
from tests.control_plane.objects import budget, node, pod_spec, replica_set
from tests.control_plane.plane import ControlPlane
from tests.control_plane.waiting import Late, nodes_ready, settled, wait_for

pytestmark = [pytest.mark.control_plane, pytest.mark.slow]
Json = dict[str, Any]
LIMITS = schedcheck.Limits(seconds=20)
PATIENCE = 25.0
"""The seconds after which a drain that budgets refuse is given up."""

MORE = 100
"""More pods of one form than any of the clusters has room for."""


def cluster_of(api: Api, folder: Path) -> schedcheck.Cluster:
    """Return the cluster as a user would dump it."""
    file = folder / "dump.json"
    file.write_text(json.dumps(api.dump()))
    return schedcheck.read(str(file))


def pods_of(api: Api, app: str) -> list[Json]:
    """Return the pods of a workload."""
    return [each for each in api.list("Pod") if each["metadata"]["labels"]["app"] == app]


def pending(api: Api) -> set[str]:
    """Return the workloads with pods that are not bound."""
    return {each["metadata"]["labels"]["app"] for each in api.list("Pod") if not each["spec"].get("nodeName")}


def scaled(api: Api, name: str, replicas: int) -> int:
    """Scale a workload, and return how many of its pods are bound in the end."""
    api.patch("ReplicaSet", name, {"spec": {"replicas": replicas}})
    wait_for(lambda: len(pods_of(api, name)) == replicas, f"{replicas} pods of {name}")
    settled(api, quiet=2)
    return sum(bool(each["spec"].get("nodeName")) for each in pods_of(api, name))


def test_as_many_more_pods_are_bound_as_capacity_says(start: Start, tmp_path: Path) -> None:
    api, certain, asked = start().api, 0, 0
    for seed in range(4):
        filled(api, seed, number=6, workloads=3, most=5)
        for name in ("w0", "w1", "w2"):
            there = len(pods_of(api, name))
            before = sum(bool(each["spec"].get("nodeName")) for each in pods_of(api, name))
            if before < there:
                continue
            said = schedcheck.capacity(cluster_of(api, tmp_path), f"rs/{name}", limits=LIMITS)
            more = scaled(api, name, there + MORE) - there
            print(seed, name, said.least, said.greatest, said.best, said.proved, "really", more)
            assert said.least is None or said.least <= more
            assert said.greatest is None or more <= said.greatest
            assert not said.proved or more <= said.best
            certain += said.least is not None and said.least == said.greatest
            asked += 1
            scaled(api, name, there)
        cleared(api)
    assert asked >= 8
    assert certain >= asked // 2


def empty(plane: ControlPlane, names: set[str]) -> bool:
    """Ask for the eviction of every pod on these nodes, and return whether there is none any more."""
    there = [each for each in plane.api.list("Pod") if each["spec"].get("nodeName") in names]
    for each in there:
        if not each["metadata"].get("deletionTimestamp"):
            plane.api.evict("default", each["metadata"]["name"])
    return not there


def drained(plane: ControlPlane, names: set[str]) -> tuple[bool, set[str]]:
    """Drain nodes together, as kubectl drain does; return whether that ends, and the workloads with pods without a place."""
    for each in sorted(names):
        plane.cordon(each)
    try:
        wait_for(lambda: empty(plane, names), "the nodes are empty", PATIENCE)
        ended = True
    except Late:
        ended = False
    settled(plane.api, quiet=2)
    return ended, pending(plane.api)


def failed(plane: ControlPlane, names: set[str]) -> tuple[bool, set[str]]:
    """Lose nodes for good; return True once all pods on them are gone, and the workloads with pods without a place.

    Raises: Late, if some stay.
    """
    for each in sorted(names):
        plane.fail(each)
        plane.api.delete("Node", each)
    wait_for(
        lambda: not [each for each in plane.api.list("Pod") if each["spec"].get("nodeName") in names],
        "they are collected",
    )
    settled(plane.api, quiet=3)
    return True, pending(plane.api)


def outcome(said: schedcheck.Relocated, ended: bool, without: set[str]) -> str:
    """Return the prediction and what happened, in words; raise if they contradict each other."""
    (case,) = said.cases
    happened = "ends well" if ended and not without else "ends badly"
    if said.verdict is schedcheck.Verdict.HOLDS:
        assert happened == "ends well", (said.to_json(), ended, without)
    if case.blocked:
        assert not ended, (said.to_json(), without)
    return f"{said.verdict.value}, {happened}"


@pytest.mark.parametrize("how", ["drain", "fail"])
def test_drains_and_failures_end_as_predicted(how: str, start: Start, tmp_path: Path) -> None:
    plane = start()
    seen: Counter[str] = Counter()
    for seed in range(6 if how == "drain" else 3):
        chance = filled(plane.api, 10 + seed, number=5, workloads=4, most=4)
        if pending(plane.api):
            seen["not asked: pods are pending before"] += 1
            cleared(plane.api)
            continue
        names = set(chance.sample([f"n{each}" for each in range(5)], chance.choice((1, 2))))
        asked = schedcheck.drain if how == "drain" else schedcheck.fail
        said = asked(cluster_of(plane.api, tmp_path), sorted(names), limits=LIMITS)
        happened = (drained if how == "drain" else failed)(plane, names)
        seen[outcome(said, *happened)] += 1
        print(how, seed, sorted(names), said.verdict.value, happened, flush=True)
        cleared(plane.api)
    print(how, dict(seen))
    assert seen["holds, ends well"] >= 1


def zoned(api: Api) -> None:
    """Create three nodes in three zones, and a workload with one pod in each of two."""
    api.create_all(node(f"n{each}", {"cpu": "4", "memory": "8Gi"}, {ZONE: f"z{each}"}) for each in range(3))
    wait_for(lambda: nodes_ready(api), "the nodes are ready")
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": "db"}}}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    api.create(replica_set("db", 2, pod_spec({"cpu": "1"}, affinity=apart)))
    settled(api, quiet=2)


def test_pods_find_no_place_and_budgets_refuse_where_it_is_predicted(start: Start, tmp_path: Path) -> None:
    plane = start()
    api = plane.api
    zoned(api)
    places = {each["spec"]["nodeName"] for each in pods_of(api, "db")}
    free = ({"n0", "n1", "n2"} - places).pop()
    one = min(places)
    said = schedcheck.drain(cluster_of(api, tmp_path), sorted(places), limits=LIMITS)
    assert said.verdict is schedcheck.Verdict.VIOLATED
    alone = schedcheck.drain(cluster_of(api, tmp_path), [one], limits=LIMITS)
    assert alone.verdict is schedcheck.Verdict.HOLDS
    assert drained(plane, {one}) == (True, set())
    assert {each["spec"]["nodeName"] for each in pods_of(api, "db")} == places - {one} | {free}
    plane.cordon(one, unschedulable=False)

    api.create(budget("db", minAvailable=2))
    wait_for(lambda: budgets_current(api), "the budget is up to date")
    said = schedcheck.drain(cluster_of(api, tmp_path), [free], limits=LIMITS)
    assert said.cases[0].blocked
    assert not drained(plane, {free})[0]
    plane.cordon(free, unschedulable=False)

    both = sorted({each["spec"]["nodeName"] for each in pods_of(api, "db")})
    said = schedcheck.fail(cluster_of(api, tmp_path), both, limits=LIMITS)
    assert said.verdict is schedcheck.Verdict.VIOLATED
    assert failed(plane, set(both)) == (True, {"db"})
