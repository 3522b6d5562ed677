"""Small random scenarios that exercise every filter, rating, fault, event and bound

A scenario has a theme with a high probability and only little of everything else: with too many restrictions at once,
nothing is feasible and no definition matters.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from frozendict import frozendict

from schedcheck.model.scenario import NODE_EVENTS, POD_EVENTS, Rule, Scenario
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Container, Namespace, Node, Pod, Taint, Toleration
from schedcheck.spec.terms import (
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)
from schedcheck.spec.values import NO_LABELS, Amounts, Labels

BILLION = 10**9
HOSTNAME = "kubernetes.io/hostname"
KEYS = (HOSTNAME, "zone", "size")
VALUES = ("a", "b", "1", "05", "10")
NAMESPACES = ("default", "other")
TAINTS = (Taint("gpu", "NoSchedule"), Taint("gpu", "PreferNoSchedule", "x"), Taint("old", "NoExecute", "yes"))
CONSTRAINTS = ("at_most_present", "at_most_unbound", "at_most_bound")
Drawn = TypeVar("Drawn")


@dataclass(frozen=True)
class Theme:
    """The probability of each kind of object."""

    node_terms: float = 0.1
    pod_terms: float = 0.1
    parts: float = 0.1
    taints: float = 0.1
    crowd: bool = False


THEMES = (
    Theme(node_terms=0.8),
    Theme(pod_terms=0.8),
    Theme(parts=0.8),
    Theme(taints=0.6),
    Theme(crowd=True),
    Theme(0, 0, 0, 0, crowd=True),
)


def random_scenario(seed: int) -> Scenario:
    random = Random(seed)
    theme = random.choice(THEMES)
    nodes = tuple(node(random, theme, f"n{number}") for number in range(1, random.randint(2, 3) + 1))
    drawn = [pod(random, theme, f"p{number}", nodes) for number in range(1, random.randint(2, 4 + theme.crowd) + 1)]
    pods = tuple(sorted(drawn, key=lambda each: each.key))
    rules = tuple(rule(random, pods, nodes) for _ in range(random.randint(1 if theme.crowd else 2, 5 - theme.crowd)))
    arrivals = sorted({key for each in rules if each.event == "arrive" for key in each.pods})
    faulty = random.choice((0, 0, 0.1, 0.4))
    return Scenario(
        name=f"random {seed}",
        pods=pods,
        nodes=nodes,
        namespaces=tuple(Namespace(name, labels(random, ("team",), VALUES[:2])) for name in some(random, NAMESPACES)),
        absent=frozenset(some(random, arrivals)),
        rules=rules,
        faults=frozenset(str(fault) for fault in some(random, tuple(Fault), faulty)),
        rated_resource=random.choice(("cpu", "cpu", "memory", "pods")),
        victims=random.choice(("absent", "pending")),
        completed=random.choice(("absent", "kept")),
        constraints=chance(random, 0.2, lambda: (f"{random.choice(CONSTRAINTS)}({random.randint(1, 3)})",), ()),
    )


def templated(pod: Pod, nodes: Sequence[Node], seed: int) -> Pod:
    """The pod, whose template may name a node; drawn with a generator of its own, so that other draws stay the same."""
    random = Random(f"template of {pod.name} in {seed}")
    return replace(pod, template_node_name=random.choice(nodes).name) if random.random() < 0.15 else pod


def chance(random: Random, probability: float, draw: Callable[[], Drawn], otherwise: Drawn) -> Drawn:
    return draw() if random.random() < probability else otherwise


def several(random: Random, probability: float, most: int, draw: Callable[[], Drawn]) -> tuple[Drawn, ...]:
    return tuple(draw() for _ in range(random.randint(1, most))) if random.random() < probability else ()


def some(random: Random, of: Sequence[Drawn], probability: float = 0.7) -> tuple[Drawn, ...]:
    return tuple(each for each in of if random.random() < probability)


def labels(random: Random, keys: Sequence[str], values: Sequence[str] = VALUES) -> Labels:
    return frozendict({key: random.choice(values) for key in some(random, keys)})


def node(random: Random, theme: Theme, name: str) -> Node:
    own = {"zone": random.choice(VALUES[:2])} if random.random() < 0.6 else {}
    allocatable = {"cpu": 500 * random.randint(1, 6), "pods": random.choice((1, 2, 3, 110)), "memory": 3072}
    return Node(
        name,
        labels=frozendict({**labels(random, ("size",), VALUES[2:]), **own, HOSTNAME: name}),
        allocatable=frozendict({key: amount for key, amount in allocatable.items() if random.random() < 0.95}),
        taints=some(random, TAINTS, theme.taints / 2),
        unschedulable=random.random() < theme.taints / 2,
        phase=random.choice(("", "Running")),
    )


def amounts(random: Random, *cpus: int) -> Amounts:
    given = {"cpu": random.choice(cpus) * BILLION // 1000}
    if random.random() < 0.3:
        given["memory"] = random.choice((0, 1024, 2048)) * BILLION
    return frozendict(given) if random.random() < 0.9 else frozendict()


def container(random: Random, *, init: bool = False) -> Container:
    return Container(amounts(random, 500, 500, 1000, 1500), sidecar=init and random.random() < 0.5)


def requirement(random: Random) -> Requirement:
    operator = random.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
    if operator in {"Gt", "Lt"}:
        return Requirement("size", operator, (random.choice(VALUES),))
    values = (*random.sample(VALUES[:3], 2), "n1") if operator.endswith("In") else ()
    return Requirement(random.choice(KEYS), operator, values)


def node_term(random: Random) -> NodeSelectorTerm:
    field = Requirement("metadata.name", random.choice(("In", "NotIn")), (random.choice(("n1", "n2")),))
    expressions = several(random, 0.8, 2, lambda: requirement(random))
    return NodeSelectorTerm(expressions, several(random, 0.3, 1, lambda: field))


def selector(random: Random, keys: Sequence[str]) -> LabelSelector | None:
    if random.random() < 0.1:
        return None
    chosen = labels(random, keys[:1], VALUES[:2])
    expression = Requirement(random.choice(keys), random.choice(("In", "NotIn", "Exists", "DoesNotExist")), VALUES[:1])
    return LabelSelector(chosen, several(random, 0.3, 1, lambda: expression))


def pod_term(random: Random) -> PodAffinityTerm:
    return PodAffinityTerm(
        random.choice(KEYS[:2]),
        selector(random, ("app",)),
        chance(random, 0.3, lambda: some(random, NAMESPACES), ()),
        chance(random, 0.4, lambda: selector(random, ("team",)), None),
    )


def affinity(random: Random, theme: Theme) -> Affinity:
    def weight() -> int:
        return random.choice((1, 10, 30, 100))

    nodes, pods = theme.node_terms, theme.pod_terms
    return Affinity(
        several(random, nodes / 2, 2, lambda: node_term(random)),
        several(random, nodes, 2, lambda: PreferredNodeTerm(weight(), node_term(random))),
        several(random, pods / 2, 2, lambda: pod_term(random)),
        several(random, pods / 2, 2, lambda: PreferredPodTerm(weight(), pod_term(random))),
        several(random, pods / 2, 2, lambda: pod_term(random)),
        several(random, pods / 2, 2, lambda: PreferredPodTerm(weight(), pod_term(random))),
    )


def toleration(random: Random) -> Toleration:
    return Toleration(
        random.choice(("", "gpu", "old", "node.kubernetes.io/unschedulable")),
        random.choice(("", "Equal", "Exists", "Exists")),
        random.choice(("", "x", "yes")),
        random.choice(("", "", "NoSchedule", "NoExecute")),
    )


def pod(random: Random, theme: Theme, name: str, nodes: Sequence[Node]) -> Pod:
    where = random.choice(("", "", *(each.name for each in nodes), *(() if theme.crowd else ("", "gone"))))
    phase = random.choice(("Succeeded", "Failed")) if random.random() < 0.1 else "Pending"
    return Pod(
        name,
        namespace=random.choice(NAMESPACES),
        labels=labels(random, ("app",), VALUES[:2]),
        node_name=where,
        phase=phase,
        priority=random.choice((-5, -3, 0, 10, 10, 20, 30)),
        preemption_policy="Never" if random.random() < 0.15 else "PreemptLowerPriority",
        node_selector=chance(random, theme.node_terms / 3, lambda: labels(random, KEYS[1:], VALUES[:2]), NO_LABELS),
        affinity=affinity(random, theme),
        tolerations=several(random, theme.taints, 2, lambda: toleration(random)),
        init_containers=several(random, theme.parts, 3, lambda: container(random, init=True)),
        containers=several(random, 0.9, 1 + (theme.parts > 0.5), lambda: container(random)),
        overhead=chance(random, theme.parts / 3, lambda: amounts(random, 500), frozendict()),
        pod_requests=chance(random, theme.parts / 3, lambda: amounts(random, 0, 500, 1000), frozendict()),
    )


def rule(random: Random, pods: Sequence[Pod], nodes: Sequence[Node]) -> Rule:
    event = random.choice((*POD_EVENTS, *NODE_EVENTS, "arrive", "arrive", "complete", "complete"))
    bound = random.choice((None, None, 1, 2))
    if event in POD_EVENTS:
        return Rule(event, pods=some(random, [each.key for each in pods], 0.8), bound=bound)
    names = some(random, [each.name for each in nodes], 0.8)
    if event in {"taint", "untaint"}:
        return Rule(event, nodes=names, bound=bound, taint=random.choice(TAINTS))
    if event == "label":
        values = tuple(random.sample((*VALUES, None), random.randint(1, 3)))
        return Rule(event, nodes=names, bound=bound, label_key=random.choice(KEYS), label_values=values)
    return Rule(event, nodes=names, bound=bound)
