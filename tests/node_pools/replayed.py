"""What the model allows of a recorded decision of the cluster autoscaler: `allowed`, `why_not`."""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import schedcheck
from schedcheck.api.preparing import prepared
from schedcheck.api.values import SILENT, as_profile
from schedcheck.manifests.node_pools import node_pools
from schedcheck.model.controllers.node_pools.estimating import expansions
from schedcheck.model.controllers.node_pools.packing import packings
from schedcheck.model.controllers.node_pools.removing import removals
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario

Json = dict[str, Any]
Growth = tuple[tuple[str, int], ...]


def scenario_of(case: Json) -> Scenario:
    """Return the cluster of a case with its node pools as the only controller. Raises: InputError."""
    with TemporaryDirectory() as folder:
        cluster, pools = Path(folder) / "cluster.json", Path(folder) / "pools.json"
        cluster.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": case["objects"]}))
        pools.write_text(json.dumps(case["pools"]))
        read = schedcheck.read(cluster, whole=True)
        made = prepared(read, as_profile("kubernetes"), SILENT).scenario
        given = node_pools(pools, read, made.pods)
    return replace(made, node_pools=given, controllers=frozenset(), absent=frozenset(), rules=())


def allowed(scenario: Scenario) -> tuple[frozenset[Growth], frozenset[tuple[str, ...]]]:
    """Return the growth that each loop may offer, pool by pool, and the sets of nodes that it may mark; the empty one too.

    One growth is a number for each pool that can grow; all of them are of one packing.
    """
    profile, pools = profile_of(scenario), scenario.node_pools
    assert pools is not None
    machine = Reference(scenario, profile)
    (state,) = machine.initial_states()
    snapshot, grown, marked = machine.view(state), set[Growth](), set[tuple[str, ...]]()
    for packed in packings(snapshot, pools, profile):
        ways: list[Growth] = [()]
        for pool in pools.pools:
            numbers = sorted(expansions(pool, packed, snapshot, pools, profile))
            ways = [(*way, *([(pool.name, number)] if number else [])) for way in ways for number in numbers]
        grown.update(way for way in ways if way)
        if () in ways:
            marked.update(((), *removals(packed.there, snapshot, pools, profile)))
    return frozenset(grown), frozenset(marked)


def why_not(case: Json, grown: frozenset[Growth], marked: frozenset[tuple[str, ...]]) -> str:
    """Return the first decision of a case that the model does not allow; empty if it allows all."""
    for each in case["decisions"]:
        if "up" in each:
            if tuple(sorted(each["up"].items())) not in grown:
                return f"grows {each['up']}: the model allows {sorted(grown)}"
        elif tuple(each.get("down", ())) not in marked:
            return f"marks {each.get('down', [])}: the model allows {sorted(marked)}"
    return ""
