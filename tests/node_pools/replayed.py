"""What the model allows the cluster autoscaler to decide on a cluster: `allowed`, and how decisions differ: `difference`."""

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
Allowed = tuple[frozenset[Growth], frozenset[tuple[str, ...]]]


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


def allowed(scenario: Scenario) -> Allowed:
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


def decisions(case: Json) -> Allowed:
    """Return the growth and the sets of nodes that were decided in a case."""
    up = {tuple(sorted(each["up"].items())) for each in case["decisions"] if "up" in each}
    down = {tuple(each["down"]) for each in case["decisions"] if "down" in each}
    return frozenset(up), frozenset(down)


def refused(case: Json, grown: frozenset[Growth], marked: frozenset[tuple[str, ...]]) -> str:
    """Return which decisions of a case the model does not allow; empty if it allows all."""
    up, down = decisions(case)
    if not up <= grown:
        return f"grows {sorted(up)}: the model allows {sorted(grown)}"
    return "" if down <= marked else f"marks {sorted(down)}: the model allows {sorted(marked)}"


def unseen(case: Json, grown: frozenset[Growth], marked: frozenset[tuple[str, ...]]) -> list[Any]:
    """Return what the model allows and was not decided in a case.

    All nodes have been unneeded for long, so that no decision leaves out nodes that it might have marked as well: of the
    sets of nodes only those are compared that are in no larger one.
    """
    up, down = decisions(case)
    largest = {each for each in marked if not any({*each} < {*other} for other in marked)}
    return [*sorted(grown - up), *sorted(largest - down)]


def difference(case: Json, grown: frozenset[Growth], marked: frozenset[tuple[str, ...]]) -> str:
    """Return how the decisions of a case differ from what the model allows; empty if they do not."""
    missing = unseen(case, grown, marked)
    return refused(case, grown, marked) or (f"never decides {missing}" if missing else "")
