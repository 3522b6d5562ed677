"""Random small scenarios of kube-scheduler with many identical and many pending pods: `crowd`

Replicas that differ only in their names, on different nodes, with priorities, spread, inter-pod affinity, budgets,
ports, volumes and events; so that anything missing in a key causes a difference in some scenario.
"""

from dataclasses import replace
from random import Random
from typing import Any

from frozendict import frozendict

from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import (
    Container,
    HostPort,
    Node,
    NodeImage,
    Pod,
    PodDisruptionBudget,
    Service,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.storage import GCEPersistentDisk, Volume
from schedcheck.spec.terms import Affinity, PodAffinityTerm, PreferredNodeTerm, PreferredPodTerm, Requirement
from tests.support.building import GPU, HOSTNAME, container, node, node_term, pod, scenario, selector, term

APPS = ("web", "db")
ZONE = "topology.kubernetes.io/zone"
MORE = ("bind_feasible", "no_wait_while_feasible", "victims_needed", "no_overcommit", "stays_on(app=web, pool=a)")


def crowd(seed: int) -> Scenario:
    """A scenario of up to five pods, some of them identical, on up to three nodes."""
    random = Random(seed)
    nodes = _nodes(random)
    pods = _pods(random, nodes)
    names = " ".join(each.name for each in pods)
    here = [each.name for each in pods if random.random() < 0.3]
    controllers = {"disruption"} if random.random() < 0.5 else set()
    controllers |= {"kubelet"} if random.random() < 0.2 else set()
    asked: tuple[str, ...] = ()
    if random.random() < 0.3:
        asked = tuple(random.sample((*MORE, "room_left_to_the_nominated", "room_kept", "bind_most_viable"), 3))
    return scenario(
        *pods,
        *nodes,
        absent=" ".join(name for name in names.split() if name not in here),
        rules=_rules(random, pods, nodes),
        profile=random.choice(("kubernetes", "kubernetes", "kubernetes-documented")),
        victims=random.choice(("absent", "pending")),
        completed=random.choice(("absent", "kept")),
        budgets=_budgets(random),
        services=(Service("web", selector=frozen(app="web")),) if random.random() < 0.3 else (),
        controllers=frozenset(controllers),
        properties=asked,
    )


def _nodes(random: Random) -> list[Node]:
    """Two or three nodes, most of them identical."""
    cpu = random.choice((1, 2, 2, 3))
    found = []
    for number in range(1, random.choice((2, 3, 3)) + 1):
        odd = random.random() < 0.3
        labels = {HOSTNAME: f"n{number}", ZONE: random.choice("aab"), "pool": random.choice("aab")}
        found.append(
            node(
                f"n{number}",
                cpu + odd,
                pods=random.choice((110, 110, 2)),
                labels={key: value for key, value in labels.items() if random.random() < 0.9},
                taints=random.choice(((), (), (), (GPU,), (Taint("soft", "PreferNoSchedule"),))),
                images=(NodeImage(("image",), 300 << 20),) if random.random() < 0.2 else (),
            )
        )
    return found


def _pods(random: Random, nodes: list[Node]) -> list[Pod]:
    """Two groups of replicas."""
    found = []
    for group, count in enumerate(random.choice(((3, 1), (2, 2), (2, 1), (4, 1), (3, 2), (1, 1))), 1):
        like = _pod(random)
        for number in range(1, count + 1):
            each = replace(like, name=f"{'pq'[group - 1]}{number}")
            if random.random() < 0.15:
                each = replace(each, priority=each.priority + random.choice((0, 10)), labels=_labels(random))
            if random.random() < 0.1:
                each = replace(each, node_name=random.choice(nodes).name)
            found.append(each)
    return found


def _pod(random: Random) -> Pod:
    fields: dict[str, Any] = {"labels": _labels(random), "priority": random.choice((0, 0, 10, 20))}
    if random.random() < 0.2:
        fields["start_time"] = random.choice((1, 2))
    if random.random() < 0.1:
        fields["preemption_policy"] = "Never"
    if random.random() < 0.3:
        fields["spread"] = tuple(_constraint(random) for _ in range(random.choice((1, 1, 2))))
    if random.random() < 0.5:
        fields["affinity"] = _affinity(random)
    if random.random() < 0.2:
        fields["node_selector"] = frozen(pool=random.choice("ab"))
    if random.random() < 0.3:
        fields["tolerations"] = (Toleration("gpu", "Exists"),)
    if random.random() < 0.1:
        fields["volumes"] = (Volume("disk", GCEPersistentDisk("disk", random.random() < 0.5)),)
    cpu = random.choice((0.5, 1, 1, 2))
    fields["containers"] = (
        Container(container(cpu).requests, image="image", ports=(HostPort(80),) if random.random() < 0.2 else ()),
    )
    return pod("p", **fields)


def _labels(random: Random) -> Any:
    return frozen(app=random.choice(APPS)) if random.random() < 0.9 else frozen()


def _constraint(random: Random) -> SpreadConstraint:
    return SpreadConstraint(
        random.choice((1, 1, 2)),
        random.choice((ZONE, HOSTNAME)),
        required=random.random() < 0.6,
        selector=selector(app=random.choice(APPS)) if random.random() < 0.9 else random.choice((None, selector())),
        min_domains=random.choice((1, 1, 2)),
        affinity_honored=random.random() < 0.7,
        taints_honored=random.random() < 0.3,
    )


def _affinity(random: Random) -> Affinity:
    """Terms of one kind or two."""
    kinds = {
        "pod_required": lambda: (_term(random),),
        "anti_required": lambda: (_term(random),),
        "pod_preferred": lambda: (PreferredPodTerm(random.choice((1, 50)), _term(random)),),
        "anti_preferred": lambda: (PreferredPodTerm(random.choice((1, 50)), _term(random)),),
        "node_preferred": lambda: (PreferredNodeTerm(10, node_term(Requirement("pool", "In", ("a",)))),),
        "node_required": lambda: (
            node_term(fields=(Requirement("metadata.name", "In", (random.choice(("n1", "n2")),)),)),
        ),
    }
    return Affinity(**{name: kinds[name]() for name in random.sample(sorted(kinds), random.choice((1, 1, 2)))})


def _term(random: Random) -> PodAffinityTerm:
    return term(random.choice((ZONE, HOSTNAME)), selector(app=random.choice(APPS)))


def _rules(random: Random, pods: list[Pod], nodes: list[Node]) -> list[Rule]:
    """Pods arrive; they may leave, and something may happen to a node."""
    keys = tuple(each.key for each in pods)
    found = [Rule("arrive", pods=keys)]
    found += [Rule("complete", pods=keys, bound=random.choice((1, 2)))] if random.random() < 0.6 else []
    found += [Rule("delete", pods=keys[:1], bound=1)] if random.random() < 0.3 else []
    found += [Rule("evict", pods=keys[-1:], bound=1)] if random.random() < 0.2 else []
    name = random.choice(nodes).name
    match random.choice(("", "", "cordon", "fail", "taint", "label")):
        case "cordon":
            found += [Rule("cordon", nodes=(name,), bound=1), Rule("uncordon", nodes=(name,), bound=1)]
        case "fail":
            found += [Rule("fail", nodes=(name,), bound=1), Rule("return", nodes=(name,), bound=1)]
        case "taint":
            found.append(Rule("taint", nodes=(name,), bound=1, taint=GPU))
        case "label":
            key = random.choice((ZONE, "pool"))
            found.append(Rule("label", nodes=(name,), bound=1, label_key=key, label_values=("b", None)))
    return found


def _budgets(random: Random) -> tuple[PodDisruptionBudget, ...]:
    return tuple(
        PodDisruptionBudget(
            f"budget-{app}",
            selector=selector(app=app),
            min_available=random.choice((0, 1, 2)),
            disruptions_allowed=random.choice((0, 0, 1)),
            disrupted=frozenset({"p1"}) if random.random() < 0.1 else frozenset(),
        )
        for app in APPS
        if random.random() < 0.4
    )


def frozen(**labels: str) -> Any:
    """Labels."""
    return frozendict(labels)
