"""Random small scenarios of nodes that shut down gracefully: `drawn`"""

from random import Random

from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Pod
from tests.support.building import node, pod

PRIORITIES = ((0,), (0, 10), (5, 10), (0, 10, 20))


def drawn(seed: int) -> Scenario:
    """One to three pods on one or two nodes, of which one shuts down, with few other events."""
    random = Random(seed)
    nodes = tuple(node(f"n{number}", random.choice((1, 2))) for number in range(1, random.choice((1, 2, 2)) + 1))
    pods = tuple(_pod(random, f"p{number}") for number in range(1, random.choice((1, 2, 2, 3)) + 1))
    optional = [each for each in ("owners", "lifecycle", "podgc") if random.random() < 0.5]
    return Scenario(
        name="shut_down",
        profile="kubernetes",
        pods=pods,
        nodes=nodes,
        rules=(Rule("shutdown", nodes=("n1",), bound=1), *_rules(random, pods)),
        controllers=frozenset({"kubelet", *optional}),
        shutdown_priorities=random.choice(PRIORITIES),
        properties=("type_correct",),
    )


def _pod(random: Random, name: str) -> Pod:
    where = random.choice(("n1", "n1", ""))
    phase = random.choice(("Running", "Running", "Pending")) if where else "Pending"
    owner = (random.choice(("ReplicaSet", "StatefulSet", "Job")), "web") if random.random() < 0.6 else ("", "")
    terminating = where != "" and random.random() < 0.15
    priority = random.choice((0, 0, 3, 10, 25))
    return pod(name, 1, where, phase=phase, owner=owner, terminating=terminating, priority=priority)


def _rules(random: Random, pods: tuple[Pod, ...]) -> tuple[Rule, ...]:
    rules = []
    if random.random() < 0.3:
        event = random.choice(("complete", "delete", "evict"))
        rules.append(Rule(event, pods=(pods[0].key,), bound=1))
    if random.random() < 0.5:
        rules.append(Rule(random.choice(("fail", "ready", "unready", "unreachable")), nodes=("n1",), bound=1))
    return tuple(rules)
