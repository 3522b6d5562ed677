"""Small random clusters for `capacity`, and its numbers by the definitions alone: `question`, `ends`."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from random import Random

from frozendict import frozendict

from schedcheck.checker.capacity.likes import form
from schedcheck.checker.capacity.question import Question
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.filter import feasible
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.select_host import choice
from schedcheck.spec.objects import Container, HostPort, Node, Pod, Snapshot, SpreadConstraint, Taint
from schedcheck.spec.storage import AWSElasticBlockStore, Volume
from schedcheck.spec.terms import Affinity, LabelSelector, PodAffinityTerm
from schedcheck.spec.values import Labels
from tests.support.building import HOSTNAME, UNIT

ZONE, RACK = "zone", "rack"
KEYS = (HOSTNAME, ZONE, ZONE, RACK)
OWN, OTHER = LabelSelector(frozendict(app="a")), LabelSelector(frozendict(app="b"))
SELECTORS = (OWN, OWN, OWN, OTHER, LabelSelector())
MOST_STATES = 4000

Moves = Callable[[Pod, Snapshot, Plugins], tuple[str, ...]]


def question(seed: int) -> Question:
    """A form of pods and a cluster of two to four nodes, with a few pods of two applications."""
    chance = Random(seed)
    nodes = [_node(f"n{number}", chance) for number in range(chance.randrange(2, 5))]
    bound = [
        replace(_pod(f"{node.name}-{number}", chance), node_name=node.name, terminating=chance.random() < 0.1)
        for node in nodes
        for number in range(chance.randrange(3))
    ]
    asked = _pod("w", chance, picky=True)
    return Question(form(asked), Snapshot.of(bound, nodes), DEFAULT_PLUGINS)


def crossed(seed: int) -> Question:
    """Three or four nodes of different size in two zones and two racks, and pods that spread over both."""
    chance = Random(seed)
    names = [f"n{number}" for number in range(chance.randrange(3, 5))]
    labels = [{HOSTNAME: name, ZONE: chance.choice("ab"), RACK: chance.choice("xy")} for name in names]
    nodes = [
        Node(name, Labels(own), frozendict(cpu=1000 * chance.randrange(1, 5), pods=9))
        for name, own in zip(names, labels, strict=True)
    ]
    spread = tuple(SpreadConstraint(1, key, selector=OWN) for key in (ZONE, RACK))
    asked = Pod("w", labels=frozendict(app="a"), containers=(Container(frozendict(cpu=UNIT)),), spread=spread)
    return Question(form(asked), Snapshot.of((), nodes), DEFAULT_PLUGINS)


def ends(asked: Question, moves: Moves) -> tuple[int, int] | None:
    """The least and greatest number of further pods where each goes to any node of `moves`; None for too many states."""
    level: set[tuple[str, ...]] = {()}
    found: list[int] = []
    states = 0
    for number in count():
        states += len(level)
        if not level or states > MOST_STATES:
            return (min(found), max(found)) if not level else None
        following: set[tuple[str, ...]] = set()
        for hosts in level:
            names = moves(asked.pod, bound(asked, hosts), asked.plugins)
            following |= {tuple(sorted((*hosts, name))) for name in names}
            found += [] if names else [number]
        level = following
    raise AssertionError


def bound(asked: Question, hosts: tuple[str, ...]) -> Snapshot:
    """The snapshot with one more pod on each of these nodes."""
    more = [replace(asked.pod, name=f"more-{number}", node_name=host) for number, host in enumerate(hosts)]
    return replace(asked.snapshot, pods=tuple(sorted((*asked.snapshot.pods, *more), key=lambda pod: pod.key)))


def chosen(pod: Pod, there: Snapshot, plugins: Plugins) -> tuple[str, ...]:
    """The nodes that the scheduler may choose."""
    end = choice(taken_up(pod, there, plugins))
    return end.hosts if end.kind == "scheduled" else ()


def admitted(pod: Pod, there: Snapshot, plugins: Plugins) -> tuple[str, ...]:
    """The nodes that the filters admit."""
    return feasible(taken_up(pod, there, plugins))


def _node(name: str, chance: Random) -> Node:
    labels = {HOSTNAME: name, RACK: chance.choice("xy")}
    if chance.random() < 0.85:
        labels[ZONE] = chance.choice("abc")
    taints = (Taint("t", "NoSchedule"),) if chance.random() < 0.1 else ()
    return Node(
        name, Labels(labels), frozendict(cpu=1000 * chance.randrange(1, 4), pods=chance.choice((2, 4, 9))), taints
    )


def _pod(name: str, chance: Random, *, picky: bool = False) -> Pod:
    app = "a" if picky else chance.choice("aab")
    ports = (HostPort(80),) if chance.random() < 0.1 else ()
    disk = (Volume("d", AWSElasticBlockStore("d")),) if chance.random() < 0.05 else ()
    return Pod(
        name,
        labels=frozendict(app=app),
        containers=(Container(frozendict(cpu=chance.choice((UNIT // 2, UNIT, UNIT))), ports=ports),),
        affinity=_affinity(chance, 0.5 if picky else 0.2),
        spread=tuple(_spread(chance) for _ in range(chance.choice((0, 0, 1, 1, 2)))) if picky else (),
        volumes=disk,
    )


def _affinity(chance: Random, odds: float) -> Affinity:
    def terms(least: float) -> tuple[PodAffinityTerm, ...]:
        number = chance.choice((1, 1, 2)) if chance.random() < least else 0
        return tuple(PodAffinityTerm(chance.choice(KEYS), chance.choice(SELECTORS)) for _ in range(number))

    return Affinity(pod_required=terms(odds / 2), anti_required=terms(odds))


def _spread(chance: Random) -> SpreadConstraint:
    return SpreadConstraint(
        chance.choice((1, 1, 2)),
        chance.choice(KEYS),
        selector=chance.choice(SELECTORS),
        min_domains=chance.choice((1, 1, 1, 2, 3)),
        affinity_honored=chance.random() < 0.5,
        taints_honored=chance.random() < 0.5,
    )
