"""Small random snapshots that exercise every filter and score of kube-scheduler and every departure

Terms, selectors, labels and tolerations are drawn as for the printed model.
"""

from dataclasses import dataclass, replace
from random import Random

from frozendict import frozendict

from schedcheck.spec.objects import (
    Container,
    Controller,
    HostPort,
    Namespace,
    Node,
    NodeImage,
    Pod,
    PodDisruptionBudget,
    Service,
    Snapshot,
    SpreadConstraint,
    Toleration,
)
from schedcheck.spec.storage import ImageSource, Volume
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
from schedcheck.tla_export.amounts import Scale
from tests.tla.random_scenarios import (
    BILLION,
    HOSTNAME,
    KEYS,
    NAMESPACES,
    TAINTS,
    VALUES,
    chance,
    labels,
    node_term,
    pod_term,
    selector,
    several,
    some,
    templated,
    toleration,
)

ZONE = "topology.kubernetes.io/zone"
MEBIBYTE = 1024 * 1024
HUNDRED = 100 * MEBIBYTE
FEATURES = ("InPlacePodResize", "RestartAllContainers")
IMAGES = ("a:latest", "b:1", "local:5000/c:latest")
# Every share of up to four nodes is a whole number of mebibytes.
SIZES = (12, 120, 600, 1200, 3000)
OWNERS = ("ReplicaSet", "ReplicationController", "apps.example.com/v1, Kind=ReplicaSet")
ALIKE: Labels = frozendict({"app": "a"})
STARTS = (1, 2, 3, 4, 5)
CORDONED = Toleration("node.kubernetes.io/unschedulable", "Exists")
GATE = "example.com/gate"

# The amounts in random snapshots are multiples of these.
SCALE = Scale({"cpu": 100, "memory": HUNDRED, "pods": 1, "example.com/gpu": 1, "uncounted": 1}, 1)


@dataclass(frozen=True)
class Theme:
    """The probability of each kind of object."""

    taints: float = 0.05
    node_terms: float = 0.05
    pod_terms: float = 0.05
    parts: float = 0.1
    ports: float = 0.05
    spread: float = 0.05
    images: float = 0.2
    nominated: float = 0.1
    defaults: float = 0.1
    names: float = 0.0
    terminating: float = 0.1
    full: float = 0.1
    alike: float = 0.1
    pressing: float = 0.1
    late: float = 0.1


THEMES = (
    Theme(taints=0.6),
    Theme(node_terms=0.9),
    Theme(names=0.7, nominated=0.7),
    Theme(pod_terms=0.8, alike=0.7),
    Theme(pod_terms=0.7, nominated=0.8, alike=0.4),
    Theme(parts=0.8, full=0.5),
    Theme(ports=0.7, nominated=0.4),
    Theme(spread=0.8, terminating=0.5, alike=0.8),
    Theme(spread=0.8, taints=0.4, node_terms=0.3, nominated=0.5, terminating=0.4, alike=0.6),
    Theme(images=0.9, defaults=0.9, alike=0.6),
    Theme(0, 0, 0, 0.3, 0, 0, 0.3, 0, 0.3, full=0.6),
    Theme(full=0.9, pressing=0.9, nominated=0.4, alike=0.6),
    Theme(full=0.9, pressing=0.9, late=0.6, terminating=0.3, nominated=0.8),
    Theme(ports=0.8, pod_terms=0.3, spread=0.3, pressing=0.9, alike=0.6),
)


def random_snapshot(seed: int) -> Snapshot:
    """Up to four nodes, a few pods running on them, and some pending ones."""
    random = Random(seed)
    theme = THEMES[seed % len(THEMES)]
    crowded = theme.pressing > 0.5
    nodes = tuple(node(random, theme, f"n{number}") for number in range(1, random.randint(2, 4 - crowded) + 1))
    most = 7 - 2 * (theme.late > 0.5)
    running = [
        pod(random, theme, f"r{number}", random.choice(nodes).name)
        for number in range(random.randint(1 + 3 * crowded, most))
    ]
    waiting = [pod(random, theme, f"w{number}", "") for number in range(1 + (random.random() < theme.nominated + 0.2))]
    running = [templated(each, nodes, seed) for each in running]
    spaces = tuple(Namespace(name, labels(random, ("team",), VALUES[:2])) for name in some(random, NAMESPACES))
    pods = (*(_nominated(random, theme, each, nodes) for each in waiting), *running)
    later = Random(f"{seed}, features and image volumes")
    return replace(
        Snapshot.of(
            tuple(_mounting(later, theme, _requiring(later, each)) for each in pods),
            tuple(replace(each, declared_features=_features(later, 0.8)) for each in nodes),
            spaces,
        ),
        services=several(random, theme.defaults, 2, lambda: _service(random)),
        controllers=tuple(_controller(random, kind) for kind in OWNERS[:2] if random.random() < theme.defaults),
        budgets=tuple(_budget(random, theme, f"b{number}") for number in range(random.choice((0, 1, 1, 2)))),
    )


def _features(random: Random, share: float) -> frozenset[str]:
    return frozenset(some(random, FEATURES, share))


def _requiring(random: Random, pod: Pod) -> Pod:
    """The pod, sometimes with features that it requires of its node."""
    return replace(pod, required_features=_features(random, 0.5)) if random.random() < 0.15 else pod


def _mounting(random: Random, theme: Theme, pod: Pod) -> Pod:
    """The pod, sometimes with images that it mounts; the names of the volumes are those that a record reads back as."""
    images = several(random, theme.images / 2, 2, lambda: ImageSource(random.choice(("a", *IMAGES, "other"))))
    return replace(pod, volumes=tuple(Volume(f"image-{number}", each) for number, each in enumerate(images, 1)))


def _service(random: Random) -> Service:
    return Service("s", "default" if random.random() < 0.8 else "other", labels(random, ("app",), VALUES[:2]))


def _controller(random: Random, kind: str) -> Controller:
    namespace = "default" if random.random() < 0.8 else "other"
    if kind == "ReplicaSet":
        return Controller(kind, "rs", namespace, selector(random, ("app",)))
    return Controller(kind, "rs", namespace, LabelSelector(frozendict(app=random.choice(VALUES[:2]))))


def _budget(random: Random, theme: Theme, name: str) -> PodDisruptionBudget:
    return PodDisruptionBudget(
        name,
        "default" if random.random() < 0.8 else "other",
        selector=LabelSelector() if random.random() < 0.2 else _budgeted(random, theme),
        disruptions_allowed=random.choice((-1, 0, 1, 1, 1, 2)),
        disrupted=frozenset(some(random, ("r0", "r1", "r2"), 0.1)),
    )


def _budgeted(random: Random, theme: Theme) -> LabelSelector | None:
    lacking = LabelSelector(NO_LABELS, (Requirement("app", "DoesNotExist"),))
    return lacking if random.random() < 0.2 else _selector(random, theme)


def _nominated(random: Random, theme: Theme, pod: Pod, nodes: tuple[Node, ...]) -> Pod:
    if random.random() > theme.nominated:
        return pod
    return replace(pod, nominated_node_name=random.choice((*nodes, Node("gone"))).name)


def node(random: Random, theme: Theme, name: str) -> Node:
    own = {key: random.choice(VALUES[:2]) for key in (ZONE, "zone") if random.random() < 0.7}
    host = {HOSTNAME: name} if random.random() < 0.95 else {}
    allocatable = {
        "cpu": 100 * random.choice((7, 10, 12) if random.random() < theme.full else (20, 25, 30)),
        "memory": HUNDRED * random.choice((9, 10) if random.random() < theme.full else (16, 33, 40)),
        "pods": random.choice((2, 4)) if random.random() < theme.full else 110,
        "example.com/gpu": random.choice((1, 2)),
    }
    return Node(
        name,
        labels=frozendict({**labels(random, ("size",), VALUES[2:]), **own, **host}),
        allocatable=frozendict({key: each for key, each in allocatable.items() if random.random() < 0.97}),
        taints=some(random, TAINTS, theme.taints / 2.5),
        unschedulable=random.random() < theme.taints / 2,
        images=several(random, theme.images, 2, lambda: _image(random)),
    )


def _image(random: Random) -> NodeImage:
    return NodeImage(tuple(random.sample(IMAGES, random.randint(1, 2))), MEBIBYTE * random.choice(SIZES))


def pressing_amounts(random: Random) -> Amounts:
    return frozendict({"cpu": random.choice((2, 3, 4)) * BILLION // 10})


def amounts(random: Random) -> Amounts:
    given: dict[str, int] = {}
    if random.random() < 0.7:
        given["cpu"] = random.choice((0, 1, 2, 3, 5, 8)) * BILLION // 10
    if random.random() < 0.6:
        given["memory"] = random.choice((0, 1, 2, 3, 5)) * HUNDRED * BILLION
    if random.random() < 0.1:
        given["example.com/gpu"] = random.choice((0, 1, 1, 3)) * BILLION
    if random.random() < 0.05:
        given["uncounted"] = BILLION
    return frozendict(given)


def container(random: Random, theme: Theme, *, init: bool = False) -> Container:
    return Container(
        pressing_amounts(random) if random.random() < theme.pressing else amounts(random),
        sidecar=init and random.random() < 0.5,
        image=random.choice(("a", *IMAGES, "other")),
        ports=several(random, theme.ports, 2, lambda: _port(random)),
        allocated=chance(random, theme.parts / 3, lambda: amounts(random), frozendict()),
        actual=chance(random, theme.parts / 3, lambda: amounts(random), None),
    )


def _port(random: Random) -> HostPort:
    return HostPort(
        random.choice((80, 443)), random.choice(("TCP", "TCP", "UDP")), random.choice(("", "10.0.0.1", "::"))
    )


def _selector(random: Random, theme: Theme) -> LabelSelector | None:
    return LabelSelector(ALIKE) if random.random() < theme.alike else selector(random, ("app",))


def spread_constraint(random: Random, theme: Theme) -> SpreadConstraint:
    return SpreadConstraint(
        max_skew=random.choice((1, 1, 2, 3)),
        topology_key=random.choice((HOSTNAME, "zone", ZONE)),
        required=random.random() < 0.5,
        selector=LabelSelector() if random.random() < 0.1 else _selector(random, theme),
        min_domains=random.choice((1, 1, 2, 3)),
        affinity_honored=random.random() < 0.6,
        taints_honored=random.random() < 0.4,
    )


def naming_term(random: Random) -> NodeSelectorTerm:
    """A term that names nodes, sometimes a contradiction, or also requires a label."""
    lists = tuple(
        Requirement("metadata.name", "In", (random.choice(("n1", "n2", "n3")),))
        for _ in range(random.choice((1, 1, 1, 2)))
    )
    return NodeSelectorTerm(several(random, 0.2, 1, lambda: Requirement("zone", "Exists")), lists)


def _company(random: Random, theme: Theme) -> PodAffinityTerm:
    """A term that sometimes selects namespaces by a label that they lack."""
    term = pod_term(random)
    if random.random() < theme.alike:
        return replace(term, label_selector=LabelSelector(ALIKE), namespaces=(), namespace_selector=None)
    if random.random() > 0.2:
        return term
    lacking = Requirement("team", *random.choice((("DoesNotExist", ()), ("NotIn", VALUES[:1]))))
    return replace(term, namespace_selector=LabelSelector(NO_LABELS, (lacking,)))


def affinity(random: Random, theme: Theme) -> Affinity:
    def weight() -> int:
        return random.choice((1, 7, 30, 100))

    nodes, pods = theme.node_terms, theme.pod_terms
    preferred = PreferredNodeTerm(random.choice((0, 1, 30, 100)), node_term(random))
    unreadable = replace(
        preferred, term=replace(preferred.term, match_expressions=(Requirement("size", "Gt", ("-1",)),))
    )
    return Affinity(
        several(random, nodes / 3, 2, lambda: unreadable.term if random.random() < 0.1 else node_term(random))
        or several(random, theme.names, 2, lambda: naming_term(random)),
        several(random, nodes, 2, lambda: unreadable if random.random() < 0.05 else preferred),
        tuple(dict.fromkeys(several(random, pods / 2, 2, lambda: _company(random, theme)))),
        several(random, pods, 2, lambda: PreferredPodTerm(weight(), _company(random, theme))),
        several(random, pods / 3, 2, lambda: _company(random, theme)),
        several(random, pods / 2, 2, lambda: PreferredPodTerm(weight(), _company(random, theme))),
    )


def pod(random: Random, theme: Theme, name: str, where: str) -> Pod:
    parts, alike = theme.parts, random.random() < theme.alike
    terminating = random.random() < (theme.terminating if where else 0.05)
    priority = random.choice((0, 0, 5)) if random.random() < 0.9 else 10
    return Pod(
        name,
        namespace="default" if alike else random.choice(NAMESPACES),
        labels=ALIKE if alike else labels(random, ("app",), VALUES[:2]),
        node_name=where,
        phase=random.choice(("Succeeded", "Failed")) if where and random.random() < 0.05 else "Pending",
        priority=10 * (random.random() < theme.pressing + 0.3) + random.choice((0, 1)) if where == "" else priority,
        preemption_policy="Never" if random.random() < 0.08 else "PreemptLowerPriority",
        scheduler_name="other" if random.random() < 0.05 else "default-scheduler",
        start_time=None if random.random() < theme.late else random.choice(STARTS),
        preempted=terminating and random.random() < 0.7,
        node_selector=chance(random, theme.node_terms / 4, lambda: labels(random, KEYS[1:], VALUES[:2]), NO_LABELS),
        empty_node_selector=random.random() < 0.05,
        affinity=affinity(random, theme),
        tolerations=several(random, theme.taints, 2, lambda: CORDONED if random.random() < 0.3 else toleration(random)),
        init_containers=several(random, parts, 2, lambda: container(random, theme, init=True)),
        containers=several(random, 0.95, 2, lambda: container(random, theme)),
        overhead=chance(random, parts / 3, lambda: amounts(random), frozendict()),
        pod_requests=chance(random, parts / 3, lambda: amounts(random), frozendict()),
        owner=(random.choice(OWNERS), "rs") if random.random() < theme.defaults else ("", ""),
        terminating=terminating,
        spread=several(random, theme.spread, 2, lambda: spread_constraint(random, theme)),
        scheduling_gates=several(random, 0.05, 1, lambda: GATE),
        pod_allocated=chance(random, parts, lambda: amounts(random), frozendict()),
        pod_actual=chance(random, parts, lambda: amounts(random), None),
        resize_infeasible=random.random() < parts / 3,
    )
