"""Random small clusters with several pending pods: `waiting`."""

import random

from frozendict import frozendict

from schedcheck.spec.objects import Container, Node, Pod, Snapshot
from schedcheck.spec.terms import (
    NO_AFFINITY,
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)
from tests.support.building import HOSTNAME, UNIT


def waiting(seed: int, most: int = 4) -> Snapshot:
    """Two or three nodes, a few running pods, and at most this many pending pods."""
    chance = random.Random(seed)
    names = ("n1", "n2", "n3")[: chance.choice((2, 2, 3))]
    nodes = tuple(_node(name, chance) for name in names)
    running = [_pod(f"r{number}", chance.choice(names), chance) for number in range(chance.randint(0, 2))]
    pending = [_pod(f"w{number}", "", chance) for number in range(chance.randint(1, most))]
    return Snapshot.of([*running, *pending], nodes)


def _node(name: str, chance: random.Random) -> Node:
    labels = frozendict({HOSTNAME: name, "zone": chance.choice("ab")})
    return Node(name, labels, frozendict({"cpu": chance.choice((1000, 2000, 3000)), "pods": chance.choice((2, 110))}))


def _pod(name: str, node: str, chance: random.Random) -> Pod:
    amounts = frozendict(cpu=chance.choice((0, UNIT // 2, UNIT, UNIT)))
    return Pod(
        name,
        labels=frozendict(app=chance.choice("ab")),
        node_name=node,
        priority=chance.choice((0, 0, 1)),
        containers=(Container(amounts),),
        affinity=_affinity(chance) if chance.random() < 0.4 else NO_AFFINITY,
    )


def _affinity(chance: random.Random) -> Affinity:
    term = PodAffinityTerm(chance.choice((HOSTNAME, "zone")), LabelSelector(frozendict(app=chance.choice("ab"))))
    preferred = (PreferredPodTerm(chance.choice((1, 30)), term),)
    zone = NodeSelectorTerm((Requirement("zone", "In", (chance.choice("ab"),)),))
    return chance.choice(
        (
            Affinity(pod_required=(term,)),
            Affinity(anti_required=(term,)),
            Affinity(pod_preferred=preferred),
            Affinity(anti_preferred=preferred),
            Affinity(node_preferred=(PreferredNodeTerm(20, zone),)),
        )
    )
