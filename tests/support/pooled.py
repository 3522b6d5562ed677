"""Nodes and pools of a cluster autoscaler, and what it may do with them at first: `actions`."""

from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.model.controllers import AddNode, EvictForScaleDown, GiveUp, RemoveNode, ScaleDown
from schedcheck.model.pooling import NodePool, NodePools
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Node, PodDisruptionBudget, SpreadConstraint
from tests.support.building import HOSTNAME, node, scenario, selector

OWNED: dict[str, Any] = {"owner": ("ReplicaSet", "web"), "labels": {"app": "web"}}
ACTIONS = (AddNode, ScaleDown, EvictForScaleDown, GiveUp, RemoveNode)


def of_pool(name: str, cpu: int = 4, **fields: Any) -> Node:
    """A node of the pool that the name begins with, with 10 of memory."""
    labels = {"node-pool": name.split("-", maxsplit=1)[0], HOSTNAME: name, **fields.pop("labels", {})}
    return node(name, cpu, labels=labels, allocatable={"memory": 10, **fields.pop("allocatable", {})}, **fields)


def pool(name: str = "a", least: int = 0, most: int = 3, **fields: Any) -> NodePool:
    """A pool whose template is like `of_pool`."""
    labels = frozendict({"node-pool": name, **fields.pop("labels", {})})
    taints = fields.pop("taints", ())
    template = Node(name, labels, frozendict({"cpu": 4000, "memory": 10, "pods": 110}), taints)
    return NodePool(name, least, most, template, **fields)


def with_pools(
    *things: Any, pools: tuple[NodePool, ...] = (pool(),), options: dict[str, Any] | None = None, **fields: Any
) -> Scenario:
    """A scenario of kube-scheduler with these pools."""
    given = NodePools(pools, **(options or {}))
    made = scenario(
        *(each for each in things if not isinstance(each, PodDisruptionBudget)), profile="kubernetes", **fields
    )
    budgets = tuple(each for each in things if isinstance(each, PodDisruptionBudget))
    return replace(made, node_pools=given, budgets=budgets)


def machine(each: Scenario) -> Reference:
    return Reference(each, profile_of(each))


def first(each: Scenario) -> State:
    return next(iter(machine(each).initial_states()))


def actions(*things: Any, **fields: Any) -> list[str]:
    """What the autoscaler may do at first, in order."""
    each = with_pools(*things, **fields)
    return sorted(str(action) for action, _ in machine(each).steps(first(each)) if isinstance(action, ACTIONS))


def spread(**fields: Any) -> tuple[SpreadConstraint, ...]:
    return (SpreadConstraint(1, HOSTNAME, selector=selector(app="web"), **fields),)
