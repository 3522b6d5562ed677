"""The controllers that run by default: `called_for`, `by_itself`; and those that a question needs: `settled`.

Without these controllers the answer about a failing node would be wrong. A pod whose node is gone is collected as
garbage, and a NoExecute taint evicts. A deleted pod stays on an unreachable node until the node is gone
(docs/decisions/by-default.md).
"""

from collections.abc import Iterable
from dataclasses import replace

from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.selections import PodKey
from schedcheck.model.controllers import RECREATING, bears, conditioned
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Node, Pod, Toleration

FAILING = frozenset({"podgc"})
EVICTING = frozenset({"lifecycle", "kubelet", "podgc"})
ONLY_SO = "what holds, or can no longer happen, is proved only under this assumption"
CONDITIONS = frozenset({"unready", "unreachable", "shutdown"})


def called_for(rules: Iterable[Rule], pods: Iterable[Pod]) -> frozenset[str]:
    """Return the controllers that a scenario's events on nodes require: none unless a node fails or evicts its pods."""
    events = {"evicts" if rule.event in CONDITIONS or _evicts(rule) else rule.event for rule in rules}
    found = EVICTING if "evicts" in events else FAILING if "fail" in events else frozenset[str]()
    return found | owning(pods) if found else found


def by_itself(cluster: Cluster) -> frozenset[str]:
    """Return the controllers that have work to do in the cluster as it is."""
    owners = owning((*cluster.pods, *cluster.lost))
    if any(node.ready == "Unknown" for node in cluster.nodes):
        return EVICTING | owners
    unwell = any(node.ready != "True" or _taints(node) for node in cluster.nodes)
    return frozenset({"lifecycle"}) | owners if unwell else owners


def owning(pods: Iterable[Pod]) -> frozenset[str]:
    """Return the controller `owners` if some pod has an owner that recreates it."""
    return frozenset({"owners"}) if any(pod.owner[0] in RECREATING for pod in pods) else frozenset()


def _evicts(rule: Rule) -> bool:
    return rule.event == "taint" and rule.taint is not None and rule.taint.effect == "NoExecute"


def _taints(node: Node) -> bool:
    return any(taint.effect == "NoExecute" for taint in node.taints)


def settled(scenario: Scenario, asked: frozenset[PodKey]) -> tuple[Scenario, tuple[str, ...]]:
    """Return the scenario for a question about these pods, and the assumptions made.

    If no pod asked about would be evicted by a taint, the others are assumed to stay. Pods whose node is gone are
    assumed not to be made again. Each such pod would multiply the states. A scenario with events on nodes is not
    changed.
    """
    if any(rule.nodes for rule in scenario.rules):
        return scenario, ()
    nodes = {node.name: node for node in scenario.nodes}
    lost = {pod.key for pod in scenario.pods if pod.node_name and pod.node_name not in nodes} & scenario.absent - asked
    bound = [pod for pod in scenario.pods if pod.node_name in nodes and pod.key not in scenario.absent]
    leaving = {pod.key for pod in bound if not bears(pod, conditioned(nodes[pod.node_name]))}
    granted = [f"{len(lost):,} whose nodes are gone are not recreated"] if lost else []
    controllers, bearing = scenario.controllers, frozenset[PodKey]()
    if "lifecycle" in controllers and leaving and not leaving & asked:
        granted.append(f"{len(leaving):,} that a taint would evict stay")
        controllers -= EVICTING
    elif "lifecycle" in controllers:
        # A pod without an owner is never created again, so that it may bear the taints to stay.
        again = {key for rule in scenario.rules if rule.event == "arrive" for key in rule.pods}
        able = (pod for pod in bound if pod.owner[0] not in RECREATING and not pod.terminating)
        bearing = frozenset(pod.key for pod in able if scenario.victims != "pending") & leaving - asked - again
        granted += [f"{len(bearing):,} that a taint would evict stay"] if bearing else []
    made = replace(
        scenario,
        pods=tuple(_bearing(pod) if pod.key in bearing else pod for pod in scenario.pods if pod.key not in lost),
        nodes=tuple(
            conditioned(node) if "lifecycle" in controllers and _idle(node, scenario) else node
            for node in scenario.nodes
        ),
        absent=scenario.absent - lost,
        controllers=controllers,
    )
    return made, (f"assumed of pods on nodes that fail: {'; '.join(granted)}; {ONLY_SO}",) if granted else ()


def _bearing(pod: Pod) -> Pod:
    """Return the pod with a toleration of every taint that evicts."""
    return replace(pod, tolerations=(*pod.tolerations, Toleration(operator="Exists", effect="NoExecute")))


def _idle(node: Node, scenario: Scenario) -> bool:
    """Whether no decision depends on when the taints of the node follow its condition: no pod is ever on it.

    It has room for no pod, no pod is created on it, and no pod leaves tainted nodes out where it spreads.
    """
    if not scenario.scheduler.has_plugins or node.allocatable.get("pods", 0) > 0:
        return False
    fits = all("NodeResourcesFit" in each.at(point) for each in scenario.plugins for point in ("preFilter", "filter"))
    plain = not any(each.rules or each.extenders or each.unasked for each in scenario.plugins)
    apart = all(
        node.name not in (pod.node_name, pod.template_node_name) and not any(each.taints_honored for each in pod.spread)
        for pod in scenario.pods
    )
    given = any(each.arguments.default_constraints for each in scenario.plugins)
    return fits and plain and apart and not given
