"""Random small scenarios of a workload that an autoscaler scales: `drawn`"""

from dataclasses import replace
from random import Random

from schedcheck.model.autoscaling import Autoscaler, Behavior, Direction, Metric, Policy
from schedcheck.model.rollouts import Rollout
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Pod
from tests.support.building import node, pod

KINDS = ("Deployment", "Deployment", "ReplicaSet", "StatefulSet", "StatefulSet")
TOLERANCES = (0.1, 0.1, 0.0, 0.5)


def drawn(seed: int) -> Scenario:
    """Two to four pods of a workload on one or two nodes, an autoscaler, and few events."""
    random = Random(seed)
    most = random.choice((2, 2, 3))
    number = most + random.choice((0, 0, 1))
    kind = random.choice(KINDS)
    owner = {"Deployment": ("ReplicaSet", "web-1")}.get(kind, (kind, "web"))
    forms = tuple(pod(f"web-{each}", 1, labels={"app": "web"}, owner=owner) for each in range(number))
    states = [random.choice("-wrr") for _ in forms]
    pods = tuple(
        replace(form, node_name="n1", phase="Running") if state == "r" else form
        for form, state in zip(forms, states, strict=True)
    )
    replicas = random.randint(0, number) if random.random() < 0.3 else random.randint(1, most)
    nodes = tuple(node(f"n{each}", random.choice((2, 4))) for each in range(1, random.choice((1, 1, 2)) + 1))
    costs = {forms[0].key: random.choice((-1, 1))} if kind != "StatefulSet" and random.random() < 0.3 else {}
    workload = Rollout(
        kind, "web", "default", replicas, forms, ordered=kind == "StatefulSet" and random.random() < 0.5, costs=costs
    )
    return Scenario(
        name="autoscaled", profile="kubernetes", pods=pods, nodes=nodes, rules=_rules(random, kind, pods),
        absent=frozenset(form.key for form, state in zip(forms, states, strict=True) if state == "-"),
        controllers=frozenset({"kubelet", *(["podgc"] if random.random() < 0.2 else [])}), rollouts=(workload,),
        autoscalers=(_autoscaler(random, most),), properties=("never_above(app=web, 9)",),
    )  # fmt: skip


def _rules(random: Random, kind: str, pods: tuple[Pod, ...]) -> tuple[Rule, ...]:
    rules = []
    if random.random() < 0.4:
        given = random.choice((None, None, 1, 2))
        rules.append(Rule("apply", bound=1, workloads=(f"{kind.lower()}/web",), replicas=given))
    if random.random() < 0.3:
        event = random.choice(("complete", "delete", "evict"))
        rules.append(Rule(event, pods=tuple(each.key for each in pods[:2]), bound=1))
    if random.random() < 0.15:
        rules.append(Rule(random.choice(("unready", "fail")), nodes=("n1",), bound=1))
    return tuple(rules)


def _autoscaler(random: Random, most: int) -> Autoscaler:
    readings = tuple(sorted({random.choice((20, 45, 50, 55, 90, 200)) for _ in range(random.choice((1, 2)))}))
    starting = (random.choice((50, 200)),) if random.random() < 0.3 else None
    metrics = tuple(_metric(random) for _ in range(random.choice((1, 1, 2))))
    behavior = Behavior(_direction(random), _direction(random)) if random.random() < 0.5 else None
    return Autoscaler(
        "web", random.choice((1, 1, 2)), most, metrics, behavior, readings, starting,
        probed=random.random() < 0.3, given=random.random() < 0.5,
    )  # fmt: skip


def _metric(random: Random) -> Metric:
    aim = random.choice(("Utilization",) * 5 + ("AverageValue", "Value", "ValuePerReplica"))
    if aim == "Utilization":
        target = random.choice((50, 50, 80, 120))
        return Metric(random.choice(("cpu", "cpu", "memory")), target, random.random() < 0.9)
    values = tuple(sorted({random.choice((100, 500, 1000, 2000)) for _ in range(random.choice((1, 2)))}))
    if aim == "AverageValue":
        return Metric("queue", 500, aim="AverageValue", resource=False, values=values)
    return Metric("queue", 500, aim="Value" if aim == "Value" else "ValuePerReplica", resource=False, values=values)


def _direction(random: Random) -> Direction:
    policies = (Policy("Pods", random.choice((1, 2))), Policy("Percent", random.choice((10, 50, 100))))
    return Direction(
        policies=random.choice((policies, policies[:1], policies[1:])), select=random.choice(("Max", "Max", "Min", "Disabled")),
        waits=random.random() < 0.5, tolerance=random.choice(TOLERANCES),
    )  # fmt: skip
