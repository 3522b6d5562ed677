"""The judge of kube-scheduler: `of_kubernetes`, for the plugins of a profile.

A set of victims is judged by the scheduling cycle in the snapshot without them, as if they had never existed.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from frozendict import frozendict

from schedcheck.checker.incremental.trials import Trials, occupied_by
from schedcheck.checker.victims.casualty import NOBODY as NO_START
from schedcheck.checker.victims.judges import NOBODY, Judge, Limit, Objection
from schedcheck.checker.victims.kubernetes_criteria import kubernetes
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.importance import Order, by_importance, jeopardy
from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.filter import antitone, refusals, verdicts, with_nominated
from schedcheck.spec.kubernetes.filters.node_ports import clash
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.node_info import NodeInfo, host_ports
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption import choice
from schedcheck.spec.kubernetes.preemption.disruption import violating, violations
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.preemption import LOWEST_PRIORITY
from schedcheck.spec.requests import allocatable


def of_kubernetes(plugins: Plugins) -> Judge:
    """Return the judge of kube-scheduler with these plugins."""
    trials = Trials(plugins)

    def feasibility(pod: Pod, node: Node, snapshot: Snapshot, victims: VictimSet = NOBODY, /) -> bool:
        return verdicts(trials.cycle(pod, node, snapshot, victims))[node.name].refusal is None

    def objections(pod: Pod, node: Node, snapshot: Snapshot, victims: VictimSet = NOBODY, /) -> tuple[Objection, ...]:
        made = trials.cycle(pod, node, snapshot, victims)
        refused = (
            [refusal for info in _tried(made, node) for refusal in refusals(made, info)] if not made.rejection else []
        )
        found = {Objection(each.plugin, "; ".join(each.reasons), antitone(each)): None for each in refused}
        verdict = verdicts(made)[node.name].refusal
        # A plugin that excludes a node in PreFilter reads no pod but the incoming one.
        if verdict is not None and not found:
            return (Objection(verdict.plugin or "PreFilter", "; ".join(verdict.reasons), True),)
        return tuple(found)

    def limits(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Limit, ...]:
        made = cycle(pod, snapshot, plugins)
        stated: dict[str, Callable[[Pod, NodeInfo], Iterator[Limit]]]
        stated = {"NodeResourcesFit": partial(_resources, plugins), "NodePorts": _ports}
        names = [name for name in plugins.at("filter") if name in stated]
        return tuple(limit for info in _tried(made, node) for name in names for limit in stated[name](pod, info))

    return Judge(
        feasibility=feasibility,
        objections=objections,
        limits=limits,
        jeopardy=lambda pod, node, snapshot: jeopardy(pod, node, snapshot, NO_FAULTS),
        casualty=lambda victims, snapshot: casualty(victims, snapshot, plugins.departures),
        criteria=kubernetes(plugins.departures),
        reprieve_order=lambda order, snapshot: violators_first(order, snapshot, plugins.departures),
    )


def casualty(victims: frozenset[Pod], snapshot: Snapshot, departures: Departures) -> tuple[Any, ...]:
    """Return the damage of evicting `victims`, compared item by item, with each budget charged only for them."""
    alone = departures - {Departure.BUDGETS_CHARGED_FOR_ALL}
    order = by_importance(sorted(victims, key=lambda pod: pod.key))
    if not order:
        return 0, LOWEST_PRIORITY, 0, 0, NO_START
    node = next(node for node in snapshot.nodes if node.name == order[0].node_name)
    return choice.casualty(Candidate(node, order, violations(order, victims, snapshot.budgets_over(order), alone)))


def violators_first(order: Order, snapshot: Snapshot, departures: Departures) -> Order:
    """Return the pods with those first whose eviction violates a budget by kube-scheduler's count.

    Each group is in the order of importance.
    """
    violators = violating(order, snapshot.budgets_over(order), departures)
    return (*(pod for pod in order if pod in violators), *(pod for pod in order if pod not in violators))


def _tried(made: Cycle, node: Node) -> Iterator[NodeInfo]:
    """Yield the node as the filters see it: as it is, and with the pods nominated to it."""
    for info in (each for each in made.infos if each.node == node):
        yield info
        crowded = with_nominated(made, info)
        if crowded is not None:
            yield crowded


def _resources(plugins: Plugins, pod: Pod, info: NodeInfo) -> Iterator[Limit]:
    """Yield the limits of NodeResourcesFit: one place among the pods, and each resource that it checks."""
    yield Limit("pods", len(info.pods) + 1 - allocatable(info.node, "pods"), frozendict.fromkeys(info.pods, 1))
    for resource, amount in sorted(looked_for(pod, plugins.arguments).items()):
        if amount > 0:
            freed = {other: occupied_by(other, plugins.departures).get(resource, 0) for other in info.pods}
            needed = sum(freed.values()) + amount - allocatable(info.node, resource)
            yield Limit(resource, needed, frozendict(freed))


def _ports(pod: Pod, info: NodeInfo) -> Iterator[Limit]:
    """Yield the limits of NodePorts: every pod that holds a requested port must be evicted."""
    for port in sorted(host_ports(pod), key=str):
        holders = [other for other in info.pods if any(clash(port, held) for held in host_ports(other))]
        if holders:
            yield Limit(f"port {port.port}/{port.protocol}", len(holders), frozendict.fromkeys(holders, 1))
