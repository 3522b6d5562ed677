"""Small simulations, made by hand or drawn from a seed: `begun`, `finished`, `drawn_start`, `NO_DELAY`."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from frozendict import frozendict

from schedcheck.model.simulation.delays import DELAYS, Delay, Delays
from schedcheck.model.simulation.simulation import Simulation
from schedcheck.model.simulation.timeline import (
    Add,
    Arrive,
    Event,
    OnNodes,
    OnPods,
    Scale,
    Start,
    Timed,
    Traits,
    When,
)
from schedcheck.model.simulation.world import Happening
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot, Taint, Toleration
from schedcheck.spec.terms import Affinity, LabelSelector, PodAffinityTerm
from tests.support.building import container

NO_DELAY = Delays(frozendict({name: Delay(0.0, 0.0, each.meaning) for name, each in DELAYS.items()}))
HOSTNAME = "kubernetes.io/hostname"
EVICTING = Taint("broken", "NoExecute")


def a_node(name: str, cpu: int = 1, **fields: object) -> Node:
    labels = frozendict({HOSTNAME: name, "zone": name[-1]})
    made = Node(name, labels, frozendict({"cpu": 1000 * cpu, "pods": 110}))
    return replace(made, **fields)  # type: ignore[arg-type]


def a_pod(name: str, cpu: float = 1, **fields: object) -> Pod:
    return replace(Pod(name, containers=(container(cpu),)), **fields)  # type: ignore[arg-type]


def of_owner(kind: str, owner: str, number: int, cpu: float = 1, **fields: object) -> list[Pod]:
    own = {"owner": (kind, owner), "labels": frozendict({"app": owner})}
    return [a_pod(f"{owner}-{each}", cpu, **{**own, **fields}) for each in range(number)]


def a_budget(app: str, expected: int, most: int = 1) -> PodDisruptionBudget:
    selector = LabelSelector(frozendict({"app": app}))
    return PodDisruptionBudget(app, selector=selector, max_unavailable=most, expected=expected)


def start_of(
    nodes: Iterable[Node], pods: Iterable[Pod], *timeline: Timed, until: float = 600.0, **more: object
) -> Start:
    return replace(Start(Snapshot.of(pods, nodes), until, timeline), **more)  # type: ignore[arg-type]


def begun(start: Start, seed: int = 0) -> tuple[Simulation, list[Happening]]:
    """A simulation that has begun, and the list to which it adds what happens."""
    made, story = Simulation(start), list[Happening]()
    made.world.heard = story.append
    made.seed(seed, 0)
    return made, story


def finished(start: Start, seed: int = 0) -> tuple[Simulation, list[Happening]]:
    """A simulation at its end, and what has happened."""
    made, story = begun(start, seed)
    while made.step():
        pass
    return made, story


def told(story: Iterable[Happening], *actions: str) -> list[tuple[float, str]]:
    """The times and the texts of these actions."""
    return [(each.time, str(each)) for each in story if each.action in actions]


def once(time: float, event: Event) -> Timed:
    return Timed(When(time), event)


def drawn_start(seed: int, until: float = 900.0) -> Start:
    """A small cluster with owners of several kinds, budgets, priorities and a timeline of every kind of event."""
    chance = Random(f"start {seed}")
    nodes = [a_node(f"n{each}", chance.randint(2, 4)) for each in range(chance.randint(2, 4))]
    names = [node.name for node in nodes]
    bearing = (Toleration("broken", "Exists", "", "NoExecute", chance.choice([None, 0, 20])),)
    apart = Affinity(anti_required=(PodAffinityTerm(HOSTNAME, LabelSelector(frozendict({"app": "db"}))),))
    pods = [
        *of_owner("ReplicaSet", "web", chance.randint(1, 4), 0.5),
        *of_owner("StatefulSet", "db", chance.randint(1, 3), 1, affinity=apart),
        *of_owner("ReplicaSet", "low", chance.randint(0, 3), 1, priority=-5, tolerations=bearing),
    ]
    pods = [replace(pod, priority=chance.choice([0, 0, 10])) if pod.owner[1] == "web" else pod for pod in pods]
    budgets = (a_budget("db", sum(pod.owner[1] == "db" for pod in pods)), a_budget("web", 3))
    events: list[Event] = [
        Arrive(tuple(of_owner("Job", "job", 2, 1)), Traits(grace=5.0, runs=40.0)),
        Arrive((a_pod("alone", 2, priority=20),), Traits(runs=30.0)),
        Arrive(tuple(of_owner("ReplicaSet", "more", 2, 1, priority=5))),
        Scale(("default", "ReplicaSet", "web"), chance.randint(0, 6), of_owner("ReplicaSet", "web", 1, 0.5)[0]),
        Scale(("default", "StatefulSet", "db"), chance.randint(0, 3), of_owner("StatefulSet", "db", 1)[0]),
        OnPods("delete", (("default", "web-0"),)),
        OnPods("evict", labels=frozendict({"app": "db"})),
        Add((a_node("n9", 3),), names[0]),
        *(OnNodes(each, (chance.choice(names),)) for each in ("fail", "cordon", "uncordon", "drain", "unready")),
        *(OnNodes(each, tuple(names)) for each in ("return", "ready", "uncordon")),
        OnNodes("unreachable", (chance.choice(names),)),
        OnNodes("taint", (chance.choice(names),), EVICTING),
        OnNodes("untaint", tuple(names), EVICTING),
        OnNodes("label", (chance.choice(names),), key="zone", value="z"),
    ]
    chance.shuffle(events)
    timeline = tuple(once(chance.uniform(0, 0.7 * until), each) for each in events[: chance.randint(4, len(events))])
    again = Timed(When(10.0, every=chance.choice([40.0, None]), mean=60.0, until=200.0), events[0])
    again = replace(again, when=replace(again.when, mean=None)) if again.when.every else again
    snapshot = replace(Snapshot.of(pods, nodes), budgets=budgets)
    return Start(snapshot, until, (*timeline, again), {pod.key: Traits(grace=10.0) for pod in pods})
