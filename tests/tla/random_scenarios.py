"""Small scenarios drawn at random, such that every filter, rating, fault, event and bound has its turn."""

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from frozendict import frozendict

from schedcheck.model.scenario import NODE_EVENTS, POD_EVENTS, Rule, Scenario
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import (
    Affinity,
    Amounts,
    Container,
    Labels,
    LabelSelector,
    Namespace,
    Node,
    NodeSelectorTerm,
    Pod,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
    Taint,
    Toleration,
)

BILLION = 10**9
KEYS = ("kubernetes.io/hostname", "zone", "size")
VALUES = ("a", "b", "1", "05", "10")
NAMESPACES = ("default", "other")
TAINTS = (Taint("gpu", "NoSchedule"), Taint("gpu", "PreferNoSchedule", "x"), Taint("old", "NoExecute", "yes"))
Drawn = TypeVar("Drawn")


def random_scenario(seed: int) -> Scenario:
    random = Random(seed)
    nodes = tuple(node(random, f"n{number}") for number in range(1, random.randint(2, 4)))
    pods = tuple(
        sorted((pod(random, f"p{number}", nodes) for number in range(1, random.randint(3, 5))), key=Pod.key.fget)
    )  # type: ignore[arg-type]
    rules = tuple(rule(random, pods, nodes) for _ in range(random.randint(2, 6)))
    arrivals = frozenset(key for each in rules if each.event == "arrive" for key in each.pods)
    return Scenario(
        name=f"random {seed}",
        pods=pods,
        nodes=nodes,
        namespaces=several(random, 2, lambda: None) and (Namespace("other", labels(random, ("team",))),),
        absent=frozenset(key for key in sorted(arrivals) if random.random() < 0.7),
        rules=rules,
        faults=frozenset(fault for fault in Fault if random.random() < random.choice((0, 0, 0.1, 0.5))),
        rated_resource=random.choice(("cpu", "cpu", "memory", "pods")),
        victims=random.choice(("absent", "pending")),
        completed=random.choice(("absent", "kept")),
        constraints=chance(
            random,
            0.2,
            lambda: (
                f"{random.choice(('at_most_present', 'at_most_unbound', 'at_most_bound'))}({random.randint(1, 2)})",
            ),
            (),
        ),
    )


def chance(random: Random, probability: float, draw: Callable[[], Drawn], otherwise: Drawn) -> Drawn:
    return draw() if random.random() < probability else otherwise


def several(random: Random, most: int, draw: Callable[[], Drawn]) -> tuple[Drawn, ...]:
    return tuple(draw() for _ in range(random.randint(0, most)))


def some(random: Random, of: Sequence[Drawn], probability: float = 0.7) -> tuple[Drawn, ...]:
    return tuple(each for each in of if random.random() < probability)


def labels(random: Random, keys: Sequence[str] = KEYS) -> Labels:
    return frozendict({key: random.choice(VALUES) for key in some(random, keys, 0.6)})


def node(random: Random, name: str) -> Node:
    allocatable = {
        "cpu": 500 * random.randint(0, 8),
        "pods": random.choice((0, 1, 2, 3, 110)),
        "memory": 1024 * random.randint(1, 4),
    }
    return Node(
        name,
        labels=frozendict({**labels(random), **({"kubernetes.io/hostname": name} if random.random() < 0.7 else {})}),
        allocatable=frozendict(
            {key: allocatable[key] for key in some(random, ("cpu", "memory"), 0.9)} | {"pods": allocatable["pods"]}
        ),
        taints=some(random, TAINTS, 0.15),
        unschedulable=random.random() < 0.1,
        phase=random.choice(("", "Running")),
    )


def amounts(random: Random, probability: float = 0.8) -> Amounts:
    given = {}
    if random.random() < probability:
        given["cpu"] = random.choice((0, 500, 1000, 1500, 2000)) * BILLION // 1000
    if random.random() < probability / 3:
        given["memory"] = random.choice((512, 1024, 2048)) * BILLION
    return frozendict(given)


def container(random: Random, sidecars: bool = False) -> Container:
    return Container(amounts(random), sidecar=sidecars and random.random() < 0.4)


def requirement(random: Random) -> Requirement:
    operator = random.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
    values = (
        ()
        if operator.endswith("ist") or operator == "Exists"
        else tuple(random.sample(VALUES, 1 if operator in {"Gt", "Lt"} else 2))
    )
    return Requirement(random.choice(KEYS), operator, values)


def node_term(random: Random) -> NodeSelectorTerm:
    field = Requirement("metadata.name", random.choice(("In", "NotIn")), (random.choice(("n1", "n2")),))
    return NodeSelectorTerm(several(random, 2, lambda: requirement(random)), chance(random, 0.3, lambda: (field,), ()))


def selector(random: Random, keys: Sequence[str]) -> LabelSelector | None:
    if random.random() < 0.15:
        return None
    chosen = frozendict({random.choice(keys): random.choice(VALUES[:2])}) if random.random() < 0.6 else frozendict()
    expression = Requirement(random.choice(keys), random.choice(("In", "NotIn", "Exists", "DoesNotExist")), VALUES[:1])
    return LabelSelector(chosen, chance(random, 0.3, lambda: (expression,), ()))


def pod_term(random: Random) -> PodAffinityTerm:
    return PodAffinityTerm(
        random.choice(KEYS[:2]),
        selector(random, ("app", "tier")),
        chance(random, 0.3, lambda: some(random, NAMESPACES), ()),
        chance(random, 0.3, lambda: selector(random, ("team",)), None),
    )


def affinity(random: Random) -> Affinity:
    return Affinity(
        chance(random, 0.2, lambda: several(random, 2, lambda: node_term(random)), ()),
        several(random, 2, lambda: PreferredNodeTerm(random.randint(1, 100), node_term(random))),
        chance(random, 0.2, lambda: several(random, 2, lambda: pod_term(random)), ()),
        several(random, 1, lambda: PreferredPodTerm(random.randint(1, 100), pod_term(random))),
        chance(random, 0.3, lambda: several(random, 2, lambda: pod_term(random)), ()),
        several(random, 1, lambda: PreferredPodTerm(random.randint(1, 100), pod_term(random))),
    )


def toleration(random: Random) -> Toleration:
    return Toleration(
        random.choice(("", "gpu", "old", "node.kubernetes.io/unschedulable")),
        random.choice(("", "Equal", "Exists", "Exists")),
        random.choice(("", "x", "yes")),
        random.choice(("", "", "NoSchedule", "NoExecute")),
    )


def pod(random: Random, name: str, nodes: Sequence[Node]) -> Pod:
    where = random.choice(("", "", "", "n1", nodes[-1].name, "gone"))
    return Pod(
        name,
        namespace=random.choice(("default", "default", "other")),
        labels=frozendict({key: random.choice(VALUES[:2]) for key in some(random, ("app", "tier"))}),
        node_name=where,
        phase=random.choice(("Pending", "Pending", "Pending", "Succeeded", "Failed"))
        if random.random() < 0.3
        else "Pending",
        priority=random.choice((-5, 0, 0, 10, 20, 30)),
        preemption_policy=random.choice(("PreemptLowerPriority",) * 4 + ("Never",)),
        node_selector=chance(random, 0.15, lambda: labels(random, KEYS[1:]), frozendict()),
        affinity=chance(random, 0.6, lambda: affinity(random), Affinity()),
        tolerations=several(random, 2, lambda: toleration(random)),
        init_containers=several(random, 2, lambda: container(random, sidecars=True)),
        containers=several(random, 2, lambda: container(random)),
        overhead=chance(random, 0.15, lambda: amounts(random), frozendict()),
        pod_requests=chance(random, 0.15, lambda: amounts(random), frozendict()),
    )


def rule(random: Random, pods: Sequence[Pod], nodes: Sequence[Node]) -> Rule:
    event = random.choice((*POD_EVENTS, *NODE_EVENTS, "arrive", "complete"))
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
