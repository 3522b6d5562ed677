"""The pods that leave some nodes: `Leaving`, `waiting_at_first`, `drained`, `failed`.

A drain cordons the nodes and evicts their pods through the eviction API, as kubectl drain does: pods of DaemonSets and
static pods stay. A node that fails is gone with all its pods. Owners create the next pods; a pod without an owner that
recreates it is lost.

Not modelled: anything else that happens meanwhile. Other pods stay, none completes, and no other node changes, unless a
controller that runs as well does it.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from schedcheck.model.controllers import RECREATING
from schedcheck.model.environment import newly_arrived
from schedcheck.model.scenario import CONTROLLERS, Rule, Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.owners import served_kind


@dataclass(frozen=True)
class Leaving:
    """What becomes of the pods on the nodes that are drained or fail.

    - `scenario`: the cluster at the beginning, with the evictions or the collection as its only steps of the environment.
    - `movers`: the pods that are created again, as they are on the node. - `lost`: those that are not. - `staying`: those
    that a drain leaves where they are. - `running`: the controllers that run as well; empty if none does.
    """

    scenario: Scenario
    nodes: tuple[str, ...]
    movers: tuple[Pod, ...]
    lost: tuple[Pod, ...]
    staying: tuple[Pod, ...]
    drain: bool
    running: frozenset[str] = frozenset()

    @property
    def fresh(self) -> tuple[Pod, ...]:
        """The pods as their owners create them again."""
        return tuple(map(newly_arrived, self.movers))


def waiting_at_first(scenario: Scenario) -> Scenario:
    """Return the scenario in which the pods that would arrive by themselves have arrived.

    The pods that owners create, and those of missing nodes, are left as they are.
    """

    def waits(pod: Pod) -> bool:
        return pod.key in scenario.absent and not pod.node_name and pod.owner[0] not in RECREATING

    pods = tuple(newly_arrived(pod) if waits(pod) else pod for pod in scenario.pods)
    return replace(scenario, pods=pods, absent=scenario.absent - {pod.key for pod in scenario.pods if waits(pod)})


def drained(scenario: Scenario, names: Collection[str], running: frozenset[str] = frozenset()) -> Leaving:
    """Return what a drain of these nodes does to their pods, while these controllers run as well."""
    there = [pod for pod in _on(scenario, names) if not pod.terminating]
    staying, going = _daemons(there)
    evictions = Rule("evict", pods=tuple(pod.key for pod in going), nodes=tuple(sorted(names)))

    def cordoned(node: Node) -> Node:
        return replace(node, unschedulable=True)

    made = replace(
        _quiet(scenario, running),
        nodes=_changed(scenario, names, cordoned),
        rules=(evictions,) if going else (),
        controllers=_plain(running) | {"owners", "disruption"},
    )
    return _leaving(_told_apart(made, names), names, going, staying, running, drain=True)


def failed(scenario: Scenario, names: Collection[str], running: frozenset[str] = frozenset()) -> Leaving:
    """Return what the failure of these nodes for good does to their pods, while these controllers run as well.

    Garbage collection deletes the pods.
    """
    there = _on(scenario, names)
    daemons, going = _daemons(there)
    gone = {pod.key for pod in daemons}
    # Pods of a DaemonSet belong to the node, and are gone with it.
    kept = tuple(pod for pod in scenario.pods if pod.key not in gone)
    made = replace(
        _quiet(scenario, running),
        pods=kept,
        nodes=tuple(node for node in scenario.nodes if node.name not in names),
        controllers=_plain(running) | {"owners", "podgc"},
    )
    return _leaving(_told_apart(made, names), names, going, (), running, drain=False)


def _plain(running: frozenset[str]) -> frozenset[str]:
    """Return those of the controllers that have no configuration of their own."""
    return running & {*CONTROLLERS}


def _told_apart(scenario: Scenario, names: Collection[str]) -> Scenario:
    """Return the scenario in which no new node gets one of these names: it would be taken for the node that has left."""
    pools, karpenter, spent = scenario.node_pools, scenario.karpenter, frozenset(names)
    return replace(
        scenario,
        node_pools=None if pools is None else pools.without_names(spent),
        karpenter=None if karpenter is None else karpenter.without_names(spent),
    )


def _daemons(pods: Iterable[Pod]) -> tuple[tuple[Pod, ...], tuple[Pod, ...]]:
    """Return the pods of DaemonSets and the static ones, and the others."""
    found: tuple[list[Pod], list[Pod]] = ([], [])
    for pod in pods:
        found[served_kind(pod.owner[0]) not in ("DaemonSet", "Node")].append(pod)
    return tuple(found[0]), tuple(found[1])


def _leaving(
    scenario: Scenario,
    names: Collection[str],
    going: tuple[Pod, ...],
    staying: tuple[Pod, ...],
    running: frozenset[str],
    drain: bool,
) -> Leaving:
    lost = tuple(pod for pod in going if pod.owner[0] not in RECREATING)
    movers = tuple(pod for pod in going if pod.owner[0] in RECREATING)
    return Leaving(scenario, tuple(sorted(names)), movers, lost, staying, drain, running)


def _on(scenario: Scenario, names: Collection[str]) -> list[Pod]:
    """Return the pods that are on these nodes and have not ended."""
    there = (pod for pod in scenario.pods if pod.key not in scenario.absent)
    return [pod for pod in there if pod.node_name in names and not completed(pod)]


def _quiet(scenario: Scenario, running: frozenset[str]) -> Scenario:
    """Return the scenario in which nothing happens but decisions: pods whose node is missing are not made again.

    What is assumed of controllers is kept if they run.
    """
    present = tuple(pod for pod in scenario.pods if pod.key not in scenario.absent or pod.owner[0] in RECREATING)
    return replace(scenario, pods=present, rules=(), properties=(), cut=scenario.cut if running else ())


def _changed(scenario: Scenario, names: Collection[str], change: Callable[[Node], Node]) -> tuple[Node, ...]:
    return tuple(change(node) if node.name in names else node for node in scenario.nodes)
