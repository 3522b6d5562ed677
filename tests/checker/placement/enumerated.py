"""Small clusters with pending pods, and all of their feasible placements by the definitions: `known`"""

import random
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from frozendict import frozendict

from schedcheck.checker.placement import optimum
from schedcheck.checker.placement.worth import Worth, worth
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Container, Controller, HostPort, Node, Pod, Snapshot, SpreadConstraint, Taint
from schedcheck.spec.placement import Placement, around, feasible_placement, possible_placements
from schedcheck.spec.profiles import kubernetes
from schedcheck.spec.terms import Affinity, LabelSelector, PreferredNodeTerm, Requirement
from tests.checker.liveness.waiting import waiting
from tests.support.building import HOSTNAME, near, node, node_term, pod, preferring, selector, snapshot, term

KUBERNETES = kubernetes("kubernetes", (DEFAULT_PLUGINS,))
SEEDS = range(36)
OWNER = ("ReplicaSet", "a")


def drawn(seed: int) -> Snapshot:
    """A small cluster whose pods and nodes use much of what scores and filters read."""
    chance = random.Random(1000 + seed)
    there = waiting(seed, 2 if seed % 6 else 3)
    pods = tuple(_pod(each, chance, there) for each in there.pods)
    nodes = tuple(_node(each, chance) for each in there.nodes)
    owners = (Controller(*OWNER, selector=selector(app="a")),)
    return replace(there, pods=pods, nodes=nodes, controllers=owners)


def _pod(given: Pod, chance: random.Random, there: Snapshot) -> Pod:
    cpu = given.containers[0].requests["cpu"]
    memory = chance.choice((0, 1, 2)) * 10**9 * 2**20
    ports = (HostPort(80),) if chance.random() < 0.2 else ()
    constraint = SpreadConstraint(
        1, chance.choice(("zone", HOSTNAME)), chance.random() < 0.5, LabelSelector(frozendict(app=chance.choice("ab")))
    )
    return replace(
        given,
        containers=(Container(frozendict(cpu=cpu, memory=memory), ports=ports),),
        spread=(constraint,) if chance.random() < 0.4 else (),
        owner=OWNER if chance.random() < 0.3 else given.owner,
        nominated_node_name=chance.choice(there.nodes).name if not given.node_name and chance.random() < 0.2 else "",
    )


def _node(given: Node, chance: random.Random) -> Node:
    taints = (Taint("slow", "PreferNoSchedule"),) if chance.random() < 0.3 else ()
    return replace(given, allocatable=given.allocatable | {"memory": chance.choice((4, 16)) * 2**20}, taints=taints)


@dataclass(frozen=True)
class Known:
    """A cluster with its feasible placements, the viability of each pod there, and their worth, by the definitions."""

    there: Snapshot
    pods: tuple[Pod, ...]
    feasible: tuple[tuple[Placement, frozendict[Pod, int], Worth], ...]

    @property
    def best(self) -> Worth:
        return max((worth for _, _, worth in self.feasible), key=lambda each: each.rank)


def known_of(there: Snapshot) -> Known:
    pods = optimum.waiting(there, KUBERNETES)
    placements = (
        each for each in possible_placements(frozenset(pods), there) if feasible_placement(each, there, KUBERNETES)
    )
    found = []
    for each in placements:
        rated = {pod: KUBERNETES.viability(pod, where, around(pod, each, there)) for pod, where in each.items()}
        found.append((each, frozendict(rated), worth(each, pods, there, KUBERNETES)))
    return Known(there, pods, tuple(found))


def zones(*cpus: int) -> list[Node]:
    """Two nodes in two zones, with these cpus."""
    return [
        node(f"n{zone}", cpu, labels={HOSTNAME: f"n{zone}", "zone": zone}) for zone, cpu in zip("ab", cpus, strict=True)
    ]


def spreading(*, required: bool) -> Snapshot:
    """Two pods that spread over two zones, in one of which a third one is."""
    constraint = SpreadConstraint(1, "zone", required, selector(app="a"))
    alike: dict[str, Any] = {"labels": {"app": "a"}, "spread": (constraint,)}
    return snapshot(pod("old", 1, "na", labels={"app": "a"}), pod("p", 1, **alike), pod("q", 1, **alike), *zones(9, 9))


def friends() -> Snapshot:
    """Two pods, each with required affinity to the other."""
    a = pod("a", 1, labels={"app": "a"}, affinity=near(term(HOSTNAME, selector(app="b"))))
    b = pod("b", 1, labels={"app": "b"}, affinity=near(term(HOSTNAME, selector(app="a"))))
    return snapshot(a, b, node("n", 4, labels={HOSTNAME: "n"}))


def followed() -> Snapshot:
    """A pod that prefers to be near another pending pod."""
    first = pod("p", 1, affinity=preferring(30, term("zone", selector(app="b"))))
    return snapshot(first, pod("q", 1, labels={"app": "b"}), *zones(9, 9))


def preferred() -> Snapshot:
    """A pod that prefers one zone to the other, and a pod that may take its place there."""
    terms = (node_term(Requirement("zone", "In", (zone,))) for zone in "ab")
    wishes = tuple(PreferredNodeTerm(weight, each) for weight, each in zip((100, 50), terms, strict=True))
    return snapshot(pod("p", 2, affinity=Affinity(node_preferred=wishes)), pod("q", 2), *zones(3, 3))


def sevenths() -> Snapshot:
    """Pods whose scores are truncated on their node."""
    return snapshot(pod("p", 1), pod("q", 1), node("n", 7))


CRAFTED = (spreading(required=True), spreading(required=False), friends(), followed(), preferred(), sevenths())


@cache
def known() -> tuple[Known, ...]:
    return tuple(known_of(each) for each in (*CRAFTED, *map(drawn, SEEDS)))
