"""Node pools of a cluster autoscaler as the records of tla/NodePools.tla: `pool_constants`, `widened`.

The autoscaler computes with floats. What depends on them is computed here: the order of pods by their size, and how much
pods may request of a node that is little used.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from schedcheck.model.controllers.node_pools.draining import REPLICATED
from schedcheck.model.controllers.node_pools.estimating import size
from schedcheck.model.controllers.node_pools.simulation import alike, kinds
from schedcheck.model.pooling import AGAIN, NodePool, NodePools, daemon
from schedcheck.model.scenario import KARPENTER, NODE_POOLS, Scenario, grouping, permitting
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.owners import version_and_kind
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.devices import claiming
from schedcheck.tla_export.kubernetes_objects import kubernetes_node_record
from schedcheck.tla_export.provisioners import launchable
from schedcheck.tla_export.text import GREATEST, Function, NotExportable, Pairs, Record, Set, Value


def refuse_pools(scenario: Scenario, symmetry: bool) -> None:
    """Raises: NotExportable for node pools, or Karpenter, together with what their module does not have."""
    name = next((each for each in (NODE_POOLS, KARPENTER) if scenario.configured[each] is not None), None)
    if name is None:
        return
    if len(scenario.beside) > 1:
        raise NotExportable(f"the controllers {' and '.join(scenario.beside)} together have no module in tla/")
    if permitting(scenario) or grouping(scenario) or claiming(scenario):
        raise NotExportable(f"the controller {name} beside gangs or resource claims has no module in tla/")
    if scenario.guarded:
        raise NotExportable(f"guards of events beside the controller {name} have no module in tla/")
    if scenario.rollouts:
        raise NotExportable(f"rollouts beside the controller {name} have no module in tla/")
    if symmetry:
        raise NotExportable(f"the symmetry of scenarios with the controller {name} has no module in tla/")


def widened(scenario: Scenario) -> Scenario:
    """Return the scenario with the nodes that its pools may add, which the numbers of a module must fit too."""
    pools = scenario.node_pools
    there = scenario.nodes if pools is None else pools.slots(scenario.nodes)
    return replace(scenario, nodes=(*there, *launchable(scenario)))


def pool_constants(scenario: Scenario, scaled: Scale, image_unit: int) -> dict[str, Value]:
    """Return the constants of tla/NodePools.tla for a widened scenario; none without pools."""
    pools = scenario.node_pools
    if pools is None:
        return {}
    return {
        "AutoscaledPools": Set(tuple(_pool(each, scaled, image_unit) for each in pools.pools)),
        "PoolLabel": pools.label,
        "DrainedNodes": pools.drained,
        "KeptNodes": Set(tuple(sorted(pools.kept))),
        "PodFacts": Pairs(tuple(_facts(scenario.pods, pools))),
        "NodeLimits": Function(
            {node.name: limits for node in scenario.nodes if (limits := _limits(node, pools, scaled))}
        ),
    }


def _pool(pool: NodePool, scaled: Scale, image_unit: int) -> Record:
    simulated = f"template-node-for-{pool.name}"
    return Record(
        {
            "Name": pool.name,
            "Least": pool.least,
            "Most": pool.most,
            "Template": kubernetes_node_record(pool.template, scaled, image_unit),
            "Names": pool.names,
            "Trials": (simulated, *(f"{simulated}-e-{number}" for number in range(pool.most))),
        }
    )


def _facts(pods: tuple[Pod, ...], pools: NodePools) -> Iterator[tuple[Value, Value]]:
    """Yield the identity of each pod with its facts, and that of the pod that it is going to be again."""
    kind, sizes = kinds(pods, pools), {pool.name: _sizes(pool, pods) for pool in pools.pools}
    for number, pod in enumerate(pods):
        facts = pools.of(pod)
        group = next(place for place, other in enumerate(pods) if place == number or alike(pod, other))
        record = Record(
            {
                "Daemon": daemon(pod, facts),
                "Mirror": facts.mirror,
                "Replicated": version_and_kind(pod.owner[0])[1] in REPLICATED,
                "SafeToEvict": facts.safe_to_evict,
                "LocalStorage": facts.local_storage,
                "Kind": kind[pod.key],
                "Group": group,
                "Sizes": Function({name: each[pod.key] for name, each in sizes.items()}),
            }
        )
        for name in (pod.name, f"{pod.name}{AGAIN}"):
            yield (pod.namespace, name), record


def _sizes(pool: NodePool, pods: tuple[Pod, ...]) -> Mapping[tuple[str, str], int]:
    """Return the place of each pod in the order of sizes; equal sizes have the same."""
    found = {pod.key: size(pod, pool.template) for pod in pods}
    places = {each: place for place, each in enumerate(sorted(set(found.values())))}
    return {key: places[each] for key, each in found.items()}


def _limits(node: Node, pools: NodePools, scaled: Scale) -> Record | None:
    """Return how much pods may request of a little used node; None if it is in no pool, or lacks cpu or memory."""
    pool = pools.pool_of(node)
    offered = {resource: node.allocatable.get(resource, 0) for resource in ("cpu", "memory")}
    if pool is None or 0 in offered.values():
        return None
    return Record({each: _limit(amount, scaled.divisors[each], pool.threshold) for each, amount in offered.items()})


def _limit(offered: int, divisor: int, threshold: float) -> int:
    """Return the greatest number whose share of what is offered does not exceed the threshold."""
    found = int(threshold * offered) // divisor + 1
    while found * divisor / offered > threshold:
        found -= 1
    return min(found, GREATEST)
