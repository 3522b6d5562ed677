"""Small random scenarios with kube-scheduler, with the classic scheduler, and with controllers"""

from dataclasses import replace
from random import Random

from frozendict import frozendict

from schedcheck.model.pod_garbage_collection import OUT_OF_SERVICE
from schedcheck.model.scenario import CONTROLLERS, Rule, Scenario
from schedcheck.spec.classic.predicates.no_volume_zone_conflict import ZONE
from schedcheck.spec.objects import Namespace, Node, Pod, PodDisruptionBudget, Snapshot, Taint, Toleration
from schedcheck.spec.terms import LabelSelector
from schedcheck.tla_export.classic_model import CONDITIONS
from tests.tla.random_kubernetes import random_snapshot
from tests.tla.random_scenarios import NAMESPACES, VALUES, labels, random_scenario, rule, some, templated

OWNERS = (("", ""), ("ReplicaSet", "rs"), ("Job", "j"), ("Node", "n1"))
SECONDS = (None, None, 300)
KEYS = ("", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
COUNTS = (0, 1, 2, "30%", "50%", "100%")


def random_cluster(seed: int) -> Scenario:
    """A scenario of kube-scheduler with at most three nodes and four pods, some of them pending."""
    random = Random(seed)
    drawn = random_snapshot(seed)
    waiting = [pod for pod in drawn.pods if not pod.node_name]
    running = [pod for pod in drawn.pods if pod.node_name]
    kept = (*waiting, *random.sample(running, min(len(running), 4 - len(waiting))))
    return replace(
        around(seed, random, Snapshot.of(kept, drawn.nodes[:3], drawn.namespaces), random.choice((0, 0, 0.4, 0.8))),
        profile=random.choice(("kubernetes", "kubernetes", "kubernetes-documented")),
        faults=frozenset(),
        services=drawn.services,
        owners=drawn.controllers,
        budgets=tuple(counting(random, each) for each in drawn.budgets),
    )


def random_classic(seed: int) -> Scenario:
    """A scenario of the classic scheduler: without namespace selectors, which it ignores, and with node conditions."""
    random, made = Random(seed), random_cluster(seed)
    nodes = tuple(
        replace(
            node,
            capacity=frozendict({name: number + number // 2 for name, number in node.allocatable.items()}),
            conditions=frozendict(
                {kind: random.choice(("True", "False")) for kind in sorted(CONDITIONS) if random.random() < 0.1}
            ),
            labels=frozendict({**node.labels, **({ZONE: random.choice("ab")} if random.random() < 0.7 else {})}),
            ready="True" if random.random() < 0.7 else node.ready,
        )
        for node in made.nodes
    )
    policy = replace(made.policy, by_allocatable=random.random() < 0.3)
    return replace(made, name=f"random classic {seed}", profile="classic", nodes=nodes, policy=policy)


def controlled(seed: int) -> Scenario:
    """A scenario of the corrected model with some controllers."""
    random, drawn = Random(seed), random_scenario(seed)
    made = around(seed, random, Snapshot.of(drawn.pods[:3], drawn.nodes, drawn.namespaces), 0.6)
    budgets = tuple(
        PodDisruptionBudget(
            f"b{number}",
            random.choice(NAMESPACES),
            LabelSelector(labels(random, ("app",), VALUES[:2])),
            disruptions_allowed=random.choice((0, 1, 2)),
        )
        for number in range(random.choice((0, 1, 2)))
    )
    return replace(made, budgets=tuple(counting(random, each) for each in budgets))


def around(seed: int, random: Random, snapshot: Snapshot, running: float) -> Scenario:
    """Random events around the objects of a snapshot; `running` is the probability of each controller."""
    after = (templated(looked_after(random, pod), snapshot.nodes, seed) for pod in snapshot.pods)
    pods = tuple(sorted(after, key=lambda pod: pod.key))
    nodes = tuple(replace(node, ready=random.choice(("True", "True", "False", "Unknown"))) for node in snapshot.nodes)
    nodes = tuple(perhaps_out_of_service(node, seed) for node in nodes)
    rules = tuple(bounded(random, pods, nodes) for _ in range(random.randint(1, 3)))
    arrivals = sorted({key for each in rules if each.event == "arrive" for key in each.pods})
    return Scenario(
        name=f"random cluster {seed}",
        pods=pods,
        nodes=nodes,
        namespaces=tuple(Namespace(each.name, each.labels) for each in snapshot.namespaces),
        absent=frozenset(some(random, arrivals)),
        rules=rules,
        victims=random.choice(("absent", "pending")),
        completed=random.choice(("absent", "kept")),
        controllers=frozenset(some(random, CONTROLLERS, running)),
        properties=("type_correct",),
    )


def perhaps_out_of_service(node: Node, seed: int) -> Node:
    """The node, possibly marked as out of service; drawn with a generator of its own, so that other draws stay the
    same.
    """
    marked = Random(f"{node.name} in {seed}").random() < 0.2
    return replace(node, taints=(*node.taints, Taint(OUT_OF_SERVICE, "NoExecute"))) if marked else node


def looked_after(random: Random, pod: Pod) -> Pod:
    """The pod, possibly with an owner and with tolerations of unready nodes."""
    more = tuple(
        Toleration(random.choice(KEYS), "Exists", "", random.choice(("", "NoExecute")), random.choice(SECONDS))
        for _ in range(random.choice((0, 0, 1, 2)))
    )
    running = pod.node_name and pod.phase == "Pending" and random.random() < 0.5
    return replace(
        pod,
        owner=random.choice((pod.owner, *OWNERS)),
        tolerations=(*pod.tolerations, *more),
        phase="Running" if running else pod.phase,
    )


def bounded(random: Random, pods: tuple[Pod, ...], nodes: tuple[Node, ...]) -> Rule:
    """A rule, usually bounded, to limit the number of states."""
    drawn = rule(random, pods, nodes)
    return drawn if random.random() < 0.3 else replace(drawn, bound=random.choice((1, 1, 2)))


def counting(random: Random, budget: PodDisruptionBudget) -> PodDisruptionBudget:
    """The budget with minAvailable or maxUnavailable."""
    counted = replace(budget, expected=random.choice((0, 1, 2, 3)))
    which = random.choice(("min_available", "max_unavailable", ""))
    return replace(counted, **{which: random.choice(COUNTS)}) if which else counted
