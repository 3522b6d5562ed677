"""Invariants of the production machine's states: what the scheduler knows, and where its pods are."""

from collections.abc import Callable
from typing import Any

from schedcheck.model.production.cycle.delivery import seen
from schedcheck.model.production.machine.machine import State
from schedcheck.spec.objects import Node


def lags_only_by_deliveries(state: State) -> bool:
    """The scheduler knows the objects as they are, except for changes that are still to be delivered."""
    pods = {pod.key: pod for pod in state.memory.pods}
    nodes = {node.name: node for node in state.memory.nodes}
    for before, after in state.pods:
        _follow(pods, before, after, seen)
    for before, after in state.nodes:
        _follow(nodes, before, after, lambda node: node)
    there = {pod.key: pod for pod in state.objects.pods if seen(pod) is not None and pod is not None}
    return pods == there and nodes == {node.name: node for node in state.objects.nodes if node is not None}


def _follow(known: dict[Any, Any], before: Any, after: Any, visible: Callable[[Any], Any]) -> None:
    """Apply a change to the known objects."""
    thing = before if before is not None else after
    key = thing.name if isinstance(thing, Node) else thing.key
    if visible(after) is None:
        known.pop(key, None)
    else:
        known[key] = after


def in_one_place(state: State) -> bool:
    """No pod is in two places of the queue, or both in the queue and in a binding cycle."""
    places = [waiter.pod.key for waiter in state.memory.waiters] + [each.pod.key for each in state.memory.bindings]
    return len(places) == len(set(places))


def no_pod_lost(state: State) -> bool:
    """Every known unbound pod is terminating, queued, being bound or assumed; no other pod is queued."""
    waiting = {waiter.pod.key for waiter in state.memory.waiters}
    under_way = {each.pod.key for each in state.memory.bindings} | {pod.key for pod in state.memory.assumed}
    known = {pod.key: pod for pod in state.memory.pods if not pod.node_name}
    return all(pod.terminating or key in waiting | under_way for key, pod in known.items()) and waiting <= set(known)


def assumed_pods_are_being_bound(state: State) -> bool:
    """Every assumed pod is being bound to its node, is bound there already, or has an undelivered change."""
    there = {pod.key: pod.node_name for pod in state.objects.pods if pod is not None}
    undelivered = {before.key for before, _ in state.pods if before is not None and not isinstance(before, Node)}
    binding = {(each.pod.key, each.node) for each in state.memory.bindings}
    return all(
        (pod.key, pod.node_name) in binding or (there.get(pod.key) == pod.node_name) or pod.key in undelivered
        for pod in state.memory.assumed
    )


def reserved_volumes_are_assumed(state: State) -> bool:
    """The volumes and claims that are reserved for a pod in its binding cycle are assumed."""
    memory = state.memory
    volumes, claims = {each.name for each in memory.volumes}, {each.key for each in memory.claims}
    reserved = [each.reserved for each in memory.bindings]
    return all(volumes.issuperset(each.volumes) and claims.issuperset(each.claims) for each in reserved)


INVARIANTS = (
    lags_only_by_deliveries,
    in_one_place,
    no_pod_lost,
    assumed_pods_are_being_bound,
    reserved_volumes_are_assumed,
)
"""All invariants of this module."""
