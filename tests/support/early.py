"""Hypothesis strategies for questions to the early scheduler: a pod, a cluster, and a Policy.

The values are drawn from few, so that pods compete for room, ports, disks and domains. Every predicate and priority that
a Policy may name is drawn.
"""

from dataclasses import replace
from functools import cache
from typing import Any

from frozendict import frozendict
from hypothesis import strategies as st

from schedcheck.checker.drawing import contests as preempting
from schedcheck.checker.drawing import objects as strategies
from schedcheck.checker.drawing.objects import rarely, tuples
from schedcheck.checker.drawing.storage import CLAIMS, mounts, storages
from schedcheck.checker.drawing.volumes import CLAIMS_THERE, claims_in_order, on_nodes
from schedcheck.model.classic import fitting, prioritizing
from schedcheck.spec.classic import filtering, ranking
from schedcheck.spec.classic.policy import (
    DEFAULT_PREDICATES,
    DEFAULT_PRIORITIES,
    MANDATORY,
    Classic,
    LabelPreference,
    LabelPresence,
    ServiceAffinity,
    Weighted,
)
from schedcheck.spec.classic.predicates.no_volume_zone_conflict import REGION, STABLE, ZONE
from schedcheck.spec.objects import (
    Container,
    Controller,
    HostPort,
    Node,
    NodeImage,
    Pod,
    PodDisruptionBudget,
    Service,
    Snapshot,
)
from schedcheck.spec.storage import (
    ISCSI,
    WAIT_FOR_FIRST_CONSUMER,
    AWSElasticBlockStore,
    AzureDisk,
    Cinder,
    ClaimReference,
    ClaimSource,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    Volume,
)
from schedcheck.spec.terms import (
    NO_AFFINITY,
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredPodTerm,
    Requirement,
)
from tests.support.building import HOSTNAME

Question = tuple[Pod, Snapshot, Classic]
PREDICATES = filtering.NAMES & fitting.PREDICATES.keys()
PRIORITIES = ranking.NAMES & prioritizing.PRIORITIES.keys()
"""The names that both the definitions and the production scheduler have."""
RATING = Classic(priorities=(*DEFAULT_PRIORITIES, Weighted("InterPodAffinityPriority", 2)), hard_weight=7)
MEBIBYTE = 2**20
CONDITIONS = ("MemoryPressure", "DiskPressure", "PIDPressure", "OutOfDisk", "NetworkUnavailable")


@st.composite
def policies(draw: st.DrawFn) -> Classic:
    """A policy: the default predicates, some, or all; priorities with weights, of which some take a label."""
    some = draw(st.lists(st.sampled_from(sorted(PREDICATES)), unique=True, max_size=8))
    plain = draw(st.sampled_from((DEFAULT_PREDICATES, DEFAULT_PREDICATES, tuple(sorted(PREDICATES)), tuple(some))))
    presence = st.builds(
        LabelPresence, st.just("Region"), st.just(("app",)) | st.just(("zone", "app")), st.booleans()
    )  # fmt: skip
    rated = draw(st.lists(st.sampled_from(sorted(PRIORITIES)), unique=True, max_size=6))
    weighted = tuple(Weighted(name, draw(st.integers(1, 5))) for name in rated)
    label = draw(rarely((), st.builds(Weighted, st.just("Apart"), st.integers(1, 3), st.sampled_from(("zone", "app")))))
    weighted = (*weighted, label) if isinstance(label, Weighted) else weighted
    liked = st.builds(LabelPreference, st.sampled_from(("zone", "app")), st.booleans())
    weighted = (*weighted, Weighted("Liked", 2, preference=draw(liked))) if draw(strategies.QUARTERS) == 3 else weighted
    return Classic(
        predicates=tuple(dict.fromkeys((*MANDATORY, *plain))),
        label_presence=draw(rarely((), tuples(presence, 1, 1))),
        service_affinity=draw(rarely((), st.just((ServiceAffinity("Zoned", ("zone", "app")),)))),
        priorities=draw(st.sampled_from((DEFAULT_PRIORITIES, weighted, weighted))),
        by_allocatable=draw(st.booleans()),
        most_volumes=draw(st.sampled_from(("", "", "1", "2", "-1", "x"))),
        hard_weight=draw(st.sampled_from((1, 1, 7))),
    )


@cache
def disks() -> st.SearchStrategy[Any]:
    reading = st.booleans()
    portals = st.sampled_from(("t", "t:3260", "u"))
    return st.one_of(
        st.builds(GCEPersistentDisk, st.sampled_from("de"), reading),
        st.builds(AWSElasticBlockStore, st.sampled_from(("vol-1", "vol-2"))),
        st.builds(ISCSI, portals, st.sampled_from("ij"), st.integers(0, 1), reading),
        st.builds(AzureDisk, st.sampled_from("de"), st.just("uri")) | st.builds(Cinder, st.sampled_from("de")),
    )


@cache
def volumes() -> st.SearchStrategy[tuple[Volume, ...]]:
    """The volumes of a pod: inline disks, claims of either kind of storage, ephemeral volumes."""
    claims = st.builds(ClaimSource, st.sampled_from((*CLAIMS, *CLAIMS_THERE)))
    return tuples(st.builds(Volume, st.sampled_from("vw"), claims | disks())) | mounts()


@cache
def containers() -> st.SearchStrategy[tuple[Container, ...]]:
    ports = rarely((), tuples(st.builds(HostPort, st.sampled_from((0, 80, 81)), st.sampled_from(("TCP", "UDP")))))
    amounts = strategies.amounts() | st.dictionaries(
        st.sampled_from(("cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "odd", "requests.a/b", "kubernetes.io/x")),
        st.sampled_from((0, 10**9 // 2, 10**9, 300 * MEBIBYTE * 10**9)),
    ).map(frozendict)  # fmt: skip
    return tuples(st.builds(Container, amounts, st.booleans(), st.sampled_from(("", "a", "b")), ports))


@st.composite
def richer(draw: st.DrawFn, pod: Pod, *, stored: bool = False) -> Pod:
    """The pod with what the other strategies omit."""
    fields: dict[str, Any] = {"start_time": draw(st.sampled_from((None, 1, 1, 2))) if pod.node_name else None}
    if draw(st.booleans()):
        fields["containers"] = draw(containers())
    if pod.node_name and draw(strategies.QUARTERS) == 3:
        fields["terminating"] = True
    fields["affinity"] = strategies.admitted(pod.affinity)
    fields["annotated_affinity"] = draw(rarely(NO_AFFINITY, strategies.affinities().map(strategies.admitted)))
    if stored:
        fields["volumes"] = draw(volumes())
    return replace(pod, **fields)


@st.composite
def richer_nodes(draw: st.DrawFn, node: Node) -> Node:
    """The node with conditions, images, zones under old and new names, capacity, and memory to speak of."""
    keys = (ZONE, REGION, STABLE[ZONE], STABLE[REGION])
    places = draw(rarely({}, st.dictionaries(st.sampled_from(keys), st.sampled_from("ab"))))
    more = st.sampled_from((0, 1000 * MEBIBYTE, 4000 * MEBIBYTE))
    amounts = node.allocatable.set("memory", draw(more)) if draw(st.booleans()) else node.allocatable
    amounts = amounts.set("ephemeral-storage", 5) if draw(st.booleans()) else amounts
    cpu = draw(st.sampled_from((0, 500, 1000, 4000)))
    sizes = st.sampled_from((0, 22 * MEBIBYTE, 23 * MEBIBYTE, 400 * MEBIBYTE, 1000 * MEBIBYTE))
    images = tuples(st.builds(NodeImage, st.sampled_from((("a",), ("a", "b"), ("b",))), sizes))
    conditions = rarely({}, st.dictionaries(st.sampled_from(CONDITIONS), st.sampled_from(("True", "Unknown"))))
    return replace(
        node,
        labels=frozendict({**node.labels, **places}),
        allocatable=amounts,
        capacity=frozendict({**amounts, "cpu": cpu}) if draw(st.booleans()) else frozendict(),
        ready=draw(rarely("True", st.sampled_from(("False", "Unknown")))),
        conditions=frozendict(draw(conditions)),
        images=draw(images),
    )


@cache
def services() -> st.SearchStrategy[tuple[Service, ...]]:
    selectors = st.dictionaries(st.sampled_from(strategies.KEYS), st.sampled_from("ab"), max_size=1).map(frozendict)
    built = st.builds(Service, st.sampled_from("st"), st.sampled_from(strategies.NAMESPACES), selectors)
    return st.lists(built, max_size=3, unique_by=lambda each: (each.namespace, each.name)).map(_in_order)


@cache
def controllers() -> st.SearchStrategy[tuple[Controller, ...]]:
    kinds = st.sampled_from(("ReplicationController", "ReplicaSet", "StatefulSet"))
    built = st.builds(Controller, kinds, st.sampled_from("cd"), st.sampled_from(strategies.NAMESPACES), _selectors())
    return st.lists(built, max_size=2, unique_by=lambda each: (each.namespace, each.name)).map(_in_order)


def _selectors() -> st.SearchStrategy[LabelSelector | None]:
    return strategies.label_selectors().map(strategies.admitted_selector)


def _in_order(things: list[Any]) -> tuple[Any, ...]:
    return tuple(sorted(things, key=lambda each: (each.namespace, each.name)))


@st.composite
def budgets(draw: st.DrawFn) -> tuple[PodDisruptionBudget, ...]:
    built = st.builds(
        PodDisruptionBudget,
        st.just("b"),
        st.sampled_from(strategies.NAMESPACES),
        selector=_selectors() | st.just(LabelSelector(frozendict(app="a"))),
        disruptions_allowed=st.integers(-1, 1),
    )
    return tuple(replace(each, name=f"b{place}") for place, each in enumerate(draw(st.lists(built, max_size=2))))


def storage(names: tuple[str, ...]) -> st.SearchStrategy[Storage]:
    """Storage on nodes of these names."""
    renamed = dict(zip("mn", names, strict=False))
    return (storages() | claims_in_order()).map(lambda made: on_nodes(made, renamed))


@st.composite
def questions(draw: st.DrawFn, *, stored: bool = False) -> Question:
    """A pod of any kind among pods of any kind."""
    there: Snapshot = draw(strategies.snapshots(5))
    names = tuple(node.name for node in there.nodes)
    nodes = tuple(draw(richer_nodes(node)) for node in there.nodes)
    pods = [draw(richer(pod, stored=stored)) for pod in there.pods if pod.phase in ("Pending", "Running")]
    waiting = st.sampled_from(("", *names))
    pods = [pod if pod.node_name else replace(pod, nominated_node_name=draw(waiting)) for pod in pods]
    asked = draw(richer(draw(strategies.pods("asked")), stored=stored))
    asked = replace(asked, phase="Pending", nominated_node_name=draw(st.sampled_from(("", *names, "gone"))))
    known = replace(
        there,
        pods=Snapshot.of([*pods, asked]).pods,
        nodes=nodes,
        services=draw(services()),
        controllers=draw(controllers()),
        budgets=draw(budgets()),
        storage=draw(storage(names)) if stored else there.storage,
    )
    return asked, known, draw(policies())


@st.composite
def contests(draw: st.DrawFn, *, stored: bool = False) -> Question:
    """A pod of priority 5 in a crowded cluster."""
    asked, there = draw(preempting.contests())
    names = tuple(node.name for node in there.nodes)
    zones = st.sampled_from(({}, {"zone": "a"}, {"zone": "b"}))
    nodes = [replace(node, labels=frozendict({**node.labels, **draw(zones)})) for node in there.nodes]
    taken, pods = draw(rarely(False, st.just(True))), [*there.pods, asked]
    if stored:
        pods = [replace(pod, volumes=draw(volumes())) for pod in pods]
    if taken:
        nodes = [draw(richer_nodes(node)) for node in nodes]
        pods = [draw(richer(pod, stored=stored)) for pod in pods]
    (asked,) = (pod for pod in pods if pod.name == preempting.PREEMPTOR)
    known = Snapshot.of(pods, nodes)
    known = replace(known, budgets=there.budgets, storage=draw(storage(names)) if stored else there.storage)
    return asked, known, draw(st.sampled_from((Classic(), Classic(by_allocatable=True))) | policies())


@cache
def company() -> st.SearchStrategy[Affinity]:
    """An affinity to the pods of the group or the other one, in one or two domains."""
    terms = st.builds(PodAffinityTerm, st.sampled_from((HOSTNAME, "zone")), st.sampled_from(preempting.SELECTORS[:2]))
    weighted = st.builds(PreferredPodTerm, st.integers(1, 9), terms)
    both = tuples(
        st.builds(PodAffinityTerm, st.sampled_from((HOSTNAME, "zone")), st.just(preempting.SELECTORS[0])), 2, 1
    )
    return st.one_of(
        both.map(lambda found: Affinity(pod_required=found)),
        tuples(terms, 2, 1).map(lambda found: Affinity(anti_required=found)),
        tuples(weighted, 2, 1).map(lambda found: Affinity(pod_preferred=found)),
        tuples(weighted, 2, 1).map(lambda found: Affinity(anti_preferred=found)),
    )


@st.composite
def grouped(draw: st.DrawFn) -> Question:
    """Pods of one service and controller on nodes in zones, some nominated, with affinity to each other."""
    names = ("n1", "n2", "n3", "n4")[: draw(st.integers(1, 4))]
    zones = st.sampled_from(("a", "b", ""))
    nodes = []
    for name in names:
        zone = draw(zones)
        labels = {HOSTNAME: name, **({ZONE: zone, "zone": zone} if zone else {})}
        amounts = frozendict(cpu=draw(st.sampled_from((1000, 2000))), memory=2000 * MEBIBYTE, pods=20)
        nodes.append(Node(name, labels=frozendict(labels), allocatable=amounts))

    def member(name: str, where: str, priority: int) -> Pod:
        requests = frozendict(cpu=draw(st.sampled_from((0, 10**8, 5 * 10**8))))
        made = Pod(name, labels=draw(preempting.labels()), node_name=where, priority=priority)
        return replace(
            made,
            affinity=draw(st.just(NO_AFFINITY) | company()),
            containers=(Container(requests),),
            terminating=where != "" and draw(rarely(False, st.just(True))),
        )

    placed = [
        member(f"p{number}", draw(st.sampled_from(names)), draw(st.integers(0, 2)))
        for number in range(draw(st.integers(0, 5)))
    ]
    coming = [
        replace(member(f"w{number}", "", draw(st.integers(1, 3))), nominated_node_name=draw(st.sampled_from(names)))
        for number in range(draw(st.integers(0, 1)))
    ]
    asked = member("asked", "", 2)
    web = LabelSelector(frozendict(app="a"))
    known = replace(
        Snapshot.of([*placed, *coming, asked], nodes),
        services=(Service("web", selector=frozendict(app="a")),),
        controllers=draw(rarely((), st.just((Controller("ReplicaSet", "web", selector=web),)))),
    )
    zoned = replace(RATING, service_affinity=(ServiceAffinity("Zoned", ("zone",)),))
    return asked, known, draw(st.just(RATING) | st.just(zoned) | policies())


@st.composite
def evictions(draw: st.DrawFn) -> Question:
    """A pod for which others must go, on nodes full of pods that differ in priority, start and budget alone."""
    names = ("n1", "n2", "n3")[: draw(st.integers(1, 3))]
    nodes = [Node(name, frozendict({HOSTNAME: name}), frozendict(cpu=2000, pods=9)) for name in names]
    sizes = st.sampled_from((5 * 10**8, 10**9, 10**9))

    def lower(name: str, where: str) -> Pod:
        return Pod(
            name,
            labels=draw(preempting.labels()),
            node_name=where,
            priority=draw(st.sampled_from((-1, 0, 0, 1))),
            containers=(Container(frozendict(cpu=draw(sizes))),),
            start_time=draw(st.sampled_from((None, 1, 2))),
        )

    pods = [lower(f"{name}-{place}", name) for name in names for place in range(draw(st.integers(2, 3)))]
    if draw(st.booleans()):
        pods.append(replace(lower("w", ""), priority=3, nominated_node_name=draw(st.sampled_from(names))))
    asked = Pod("asked", priority=5, containers=(Container(frozendict(cpu=draw(st.sampled_from((10**9, 2 * 10**9))))),))
    return asked, replace(Snapshot.of([*pods, asked], nodes), budgets=draw(budgets())), Classic()


VOLUMED = (
    "CheckVolumeBinding",
    "NoDiskConflict",
    "NoVolumeNodeConflict",
    "NoVolumeZoneConflict",
    *sorted(name for name in PREDICATES if name.endswith("VolumeCount")),
)
CLASSES = (
    StorageClass("local", "kubernetes.io/no-provisioner", WAIT_FOR_FIRST_CONSUMER),
    StorageClass("made", "example.com/disks", WAIT_FOR_FIRST_CONSUMER),
    StorageClass("now", "example.com/disks"),
)


@cache
def persistent_volumes(name: str) -> st.SearchStrategy[PersistentVolume]:
    zones = st.sampled_from(({}, {ZONE: "a"}, {STABLE[ZONE]: "a"}, {STABLE[ZONE]: "b"})).map(frozendict)
    here = (NodeSelectorTerm((Requirement("zone", "In", ("a",)),)),)
    return st.builds(
        PersistentVolume,
        st.just(name),
        zones,
        capacity=st.integers(1, 3),
        storage_class=st.just("local"),
        claim=rarely(None, st.just(ClaimReference("default", "c"))),
        node_affinity=st.sampled_from((None, None, here)),
        source=disks(),
    )


@cache
def persistent_claims(name: str) -> st.SearchStrategy[PersistentVolumeClaim]:
    bound = st.builds(
        PersistentVolumeClaim,
        st.just(name),
        volume_name=st.sampled_from(("v", "w", "v", "w", "gone")),
        bind_completed=rarely(True, st.just(False)),
    )
    classes = st.sampled_from(("local", "local", "made", "now"))
    return bound | st.builds(PersistentVolumeClaim, st.just(name), storage_class=classes, request=st.integers(1, 3))


@st.composite
def volumed(draw: st.DrawFn) -> Question:
    """Pods with inline disks and claims on nodes in zones, and a policy with predicates about volumes."""
    names = ("n1", "n2")[: draw(st.integers(1, 2))]
    places = st.sampled_from(({}, {"zone": "a"}, {ZONE: "a"}, {STABLE[ZONE]: "a", "zone": "a"}, {STABLE[ZONE]: "b"}))
    nodes = [Node(name, frozendict(draw(places)), frozendict(cpu=1000, pods=9)) for name in names]
    sources = disks() | disks() | st.builds(ClaimSource, st.sampled_from("cde"))
    mounted = tuples(st.builds(Volume, st.just("v"), sources), 2, 1)
    pods = [
        Pod(
            f"p{place}", node_name=draw(st.sampled_from(names)), volumes=draw(mounted), priority=draw(st.integers(0, 1))
        )
        for place in range(draw(st.integers(0, 3)))
    ]
    asked = Pod("asked", volumes=draw(mounted), priority=1)
    known = Storage(
        tuple(draw(persistent_volumes(name)) for name in "vw"),
        tuple(draw(persistent_claims(name)) for name in "cd"),
        CLASSES,
    )
    some = draw(st.lists(st.sampled_from(VOLUMED), unique=True, min_size=1))
    classic = Classic(predicates=(*MANDATORY, *some), most_volumes=draw(st.sampled_from(("", "1", "2"))))
    return asked, replace(Snapshot.of([*pods, asked], nodes), storage=known), classic


ASKED: dict[str, st.SearchStrategy[Question]] = {
    "early contests": contests(),
    "early questions": questions(),
    "early groups": grouped(),
    "early stored": questions(stored=True),
    "early storing contests": contests(stored=True),
    "early volumes": volumed(),
    "early evictions": evictions(),
}
"""Crowded clusters, pods of every kind, groups of pods, the first two with volumes, pods with little but volumes, and pods
for which others must go.
"""
