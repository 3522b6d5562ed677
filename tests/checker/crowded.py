"""Random crowded nodes: `crowded`, a pod without room, the node, and a snapshot in which evictions could make room.

Everything that affects evictions occurs: resources, ports, the number of pods, labels, affinity and anti-affinity in
both directions, topology spread, budgets that share pods, start times, terminating pods, and pods that may not be
evicted.
"""

import random
from typing import NamedTuple

from frozendict import frozendict

from schedcheck.spec.objects import (
    Container,
    HostPort,
    Node,
    Pod,
    PodDisruptionBudget,
    Snapshot,
    SpreadConstraint,
)
from schedcheck.spec.terms import NO_AFFINITY, Affinity, LabelSelector, PodAffinityTerm, Requirement
from tests.support.building import HOSTNAME, UNIT

OWN = 3
"""The priority of the pod without room."""


class Crowded(NamedTuple):
    """The pod without room, the node, and the snapshot."""

    pod: Pod
    node: Node
    snapshot: Snapshot


def crowded(seed: int, most: int = 6) -> Crowded:
    """A node with at most this many pods of lower priority."""
    chance = random.Random(seed)
    nodes = tuple(_node(name, chance) for name in ("n1", "n2"))
    pod = _pod("new", "", OWN, chance, wants=3)
    others = [_pod(f"p{number:02}", "n1", chance.choice((-1, 0, 1, 2)), chance) for number in range(most)]
    others = others[: chance.randint(1, most)]
    away = [_pod(f"q{number}", "n2", 0, chance) for number in range(chance.randint(0, 2))]
    equals = [_pod(f"r{number}", "n1", OWN + number, chance) for number in range(chance.choice((0, 0, 1)))]
    waiting = [_pod("w", "", OWN, chance, nominated="n1") for _ in range(chance.choice((0, 0, 0, 1)))]
    pods = sorted([pod, *others, *away, *equals, *waiting], key=lambda each: each.key)
    budgets = tuple(_budget(f"b{number}", chance) for number in range(chance.randint(0, 3)))
    return Crowded(pod, nodes[0], Snapshot(tuple(pods), nodes, (), budgets))


def _node(name: str, chance: random.Random) -> Node:
    labels = {HOSTNAME: name, "zone": chance.choice("ab")}
    amounts = {"cpu": chance.choice((1000, 2000, 4000)), "gpu.example/a": 2, "pods": chance.choice((3, 110, 110))}
    return Node(name, labels=frozendict(labels), allocatable=frozendict(amounts))


def _pod(name: str, node: str, priority: int, chance: random.Random, *, wants: int = 1, nominated: str = "") -> Pod:
    amounts = {"cpu": wants * chance.choice((0, UNIT // 4, UNIT // 2, UNIT))}
    if chance.random() < 0.3:
        amounts["gpu.example/a"] = UNIT
    ports = (HostPort(80, ip=chance.choice(("", "10.0.0.1"))),) if chance.random() < 0.15 else ()
    return Pod(
        name,
        labels=frozendict({"app": chance.choice("abc")} if chance.random() < 0.8 else {}),
        node_name=node,
        nominated_node_name=nominated,
        phase="Running" if node else "Pending",
        priority=priority,
        containers=(Container(frozendict(amounts), ports=ports),),
        affinity=_affinity(chance) if chance.random() < 0.3 else NO_AFFINITY,
        spread=_spread(chance) if chance.random() < 0.2 else (),
        start_time=chance.choice((None, 1, 2)) if node else None,
        terminating=node != "" and chance.random() < 0.1,
    )


def _affinity(chance: random.Random) -> Affinity:
    terms = (PodAffinityTerm(chance.choice((HOSTNAME, "zone")), _selector(chance)),)
    return Affinity(anti_required=terms) if chance.random() < 0.6 else Affinity(pod_required=terms)


def _spread(chance: random.Random) -> tuple[SpreadConstraint, ...]:
    return (SpreadConstraint(chance.choice((1, 2)), chance.choice((HOSTNAME, "zone")), selector=_selector(chance)),)


def _selector(chance: random.Random) -> LabelSelector:
    if chance.random() < 0.2:
        return LabelSelector(match_expressions=(Requirement("app", "In", ("a", "b")),))
    return LabelSelector(frozendict(app=chance.choice("abc")))


def _budget(name: str, chance: random.Random) -> PodDisruptionBudget:
    return PodDisruptionBudget(
        name,
        selector=chance.choice((None, LabelSelector(), *(_selector(chance) for _ in range(6)))),
        disruptions_allowed=chance.choice((-1, 0, 0, 1, 2)),
        disrupted=frozenset({"p01"} if chance.random() < 0.2 else ()),
    )
