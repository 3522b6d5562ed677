"""The vocabulary of each feature of pods and nodes: `FEATURES`, and those that meet in one definition: `THEMES`"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.checker.drawing.objects import HOSTNAME, UNIT
from schedcheck.spec.kubernetes.plugins import AddedAffinity, Arguments, ScoringStrategy
from schedcheck.spec.objects import (
    Container,
    Controller,
    HostPort,
    Namespace,
    NodeImage,
    PodDisruptionBudget,
    Service,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.terms import (
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)
from tests.checker.differential.enumeration.spaces import Change, Feature, same
from tests.checker.differential.enumeration.storage_vocabulary import STORAGE

GPU = "example.com/gpu"
CORDON = "node.kubernetes.io/unschedulable"
FEATURE = "RestartAllContainersOnContainerExits"
MIB = 2**20
A = LabelSelector(frozendict(app="a"))
X = LabelSelector(frozendict(team="x"))


def having(**fields: Any) -> Change:
    """Give the object these fields."""
    return lambda thing: replace(thing, **fields)


def both(*changes: Change) -> Change:
    """Make several changes in turn."""

    def made(thing: Any) -> Any:
        for each in changes:
            thing = each(thing)
        return thing

    return made


def labelled(**labels: str) -> Change:
    """Add labels."""
    return lambda thing: replace(thing, labels=thing.labels | labels)


def amounts(**requests: int) -> Any:
    """Return requests; `gpu` is an extended resource."""
    return frozendict({GPU if name == "gpu" else name: UNIT * amount for name, amount in requests.items()})


def asking(**requests: int) -> Change:
    """Let the first container request these amounts."""
    return _contained(lambda one: replace(one, requests=one.requests | amounts(**requests)))


def _contained(change: Callable[[Container], Container]) -> Change:
    return lambda pod: replace(pod, containers=(change(pod.containers[0]), *pod.containers[1:]))


def room(**allocatable: int) -> Change:
    """Let the node offer these amounts, cpu in cpus."""
    made = {GPU if name == "gpu" else name: n * (1000 if name == "cpu" else 1) for name, n in allocatable.items()}
    return lambda node: replace(node, allocatable=node.allocatable | made)


def fitting(**parts: Any) -> Change:
    """Add terms to the affinity."""

    def made(pod: Any) -> Any:
        joined = {part: (*getattr(pod.affinity, part), *terms) for part, terms in parts.items()}
        return replace(pod, affinity=replace(pod.affinity, **joined))

    return made


def near(*terms: PodAffinityTerm) -> Change:
    """Require these affinity terms."""
    return fitting(pod_required=terms)


def apart(*terms: PodAffinityTerm) -> Change:
    """Require these anti-affinity terms."""
    return fitting(anti_required=terms)


def preferring(weight: int, term: PodAffinityTerm, *, anti: bool = False) -> Change:
    """Prefer this term."""
    return fitting(**{"anti_preferred" if anti else "pod_preferred": (PreferredPodTerm(weight, term),)})


def where(*expressions: Requirement, fields: tuple[Requirement, ...] = ()) -> NodeSelectorTerm:
    """Return a node selector term."""
    return NodeSelectorTerm(expressions, fields)


def named(name: str, operator: str = "In") -> tuple[Requirement, ...]:
    """Return the field selector of a node's name."""
    return (Requirement("metadata.name", operator, (name,)),)


def zone(*values: str, operator: str = "In") -> Requirement:
    """Return a requirement of the zone."""
    return Requirement("zone", operator, values)


def spreading(key: str = "zone", **fields: Any) -> Change:
    """Add a spread constraint."""
    constraint = SpreadConstraint(fields.pop("max_skew", 1), key, selector=fields.pop("selector", A), **fields)
    return lambda pod: replace(pod, spread=(*pod.spread, constraint))


def begins(*containers: Container) -> Change:
    """Add init containers."""
    return lambda pod: replace(pod, init_containers=(*pod.init_containers, *containers))


def ports(*listed: HostPort) -> Change:
    """Add host ports to the first container."""
    return _contained(lambda one: replace(one, ports=(*one.ports, *listed)))


def image(name: str) -> Change:
    """Let the first container run this image."""
    return _contained(lambda one: replace(one, image=name))


def sized(**fields: Any) -> Change:
    """Give the first container these fields."""
    return _contained(lambda one: replace(one, **fields))


def arguing(**fields: Any) -> Change:
    """Give the plugins these arguments."""
    return lambda plugins: replace(plugins, arguments=replace(plugins.arguments, **fields))


def pending(pod: Any) -> Any:
    """Nominate the pod to its node instead."""
    waits = replace(pod, node_name="", nominated_node_name=pod.node_name, phase="Pending", start_time=None)
    return replace(waits, terminating=False, preempted=False)


def budget(allowed: int = 0, **fields: Any) -> Change:
    """Add a disruption budget."""
    one = PodDisruptionBudget("b", selector=fields.pop("selector", A), disruptions_allowed=allowed, **fields)
    return having(budgets=(one,))


def spaces(**teams: str) -> Change:
    """Let there be these namespaces, each with a team, or without labels."""
    return having(namespaces=tuple(Namespace(name, frozendict({"team": team} if team else {})) for name, team in teams.items()))  # fmt: skip


APP, OTHER_APP = labelled(app="a"), labelled(app="b")
ZONE_A, ZONE_B = labelled(zone="a"), labelled(zone="b")
TAINT, CORDONED = Taint("t", "NoSchedule"), Taint(CORDON, "NoSchedule")
HIGH, LOW = having(priority=5), having(priority=-1)
AT_HOST, AT_ZONE = PodAffinityTerm(HOSTNAME, A), PodAffinityTerm("zone", A)
GONE = having(terminating=True, preempted=True)
ON_80 = HostPort(80)
ELSEWHERE = having(namespace="other")


def _unlabelled(node: Any) -> Any:
    return replace(node, labels=frozendict())


def _without_a(node: Any) -> Any:
    return replace(node, labels=frozendict({key: each for key, each in node.labels.items() if key != HOSTNAME}))


def _tainted(*taints: Taint) -> Change:
    return lambda node: replace(node, taints=(*node.taints, *taints))


def _tolerating(*tolerations: Toleration) -> Change:
    return lambda pod: replace(pod, tolerations=(*pod.tolerations, *tolerations))


def _images(*sizes: tuple[str, int]) -> Change:
    return having(images=tuple(NodeImage((name,), size * MIB) for name, size in sizes))


def _parts(cpu: int, **fields: Any) -> Container:
    return Container(amounts(cpu=cpu), **fields)


def _in(*names: str, selected: LabelSelector | None = None, key: str = HOSTNAME) -> PodAffinityTerm:
    return PodAffinityTerm(key, A, names, selected)


ADDED: Callable[..., Arguments] = Arguments
FEATURES: tuple[Feature, ...] = (
    Feature("resources", (same, asking(cpu=1), asking(cpu=2), asking(memory=2), asking(cpu=1, memory=1)),
            (asking(cpu=1), same, asking(cpu=2), asking(memory=1)),
            (room(cpu=2), same, room(cpu=1), room(pods=1), room(cpu=3, memory=2))),
    Feature("effective requests",
            (asking(cpu=1), begins(_parts(2)), both(asking(cpu=1), begins(_parts(1, sidecar=True))),
             both(asking(cpu=1), having(overhead=amounts(cpu=1))), having(pod_requests=amounts(cpu=2)),
             begins(_parts(1, sidecar=True), _parts(1)), begins(_parts(1), _parts(1, sidecar=True))),
            (asking(cpu=1), begins(_parts(2)), both(asking(cpu=1), begins(_parts(1, sidecar=True))),
             both(asking(cpu=1), having(overhead=amounts(cpu=1))), having(pod_requests=amounts(cpu=2))),
            (room(cpu=2), room(cpu=3), room(cpu=4))),
    Feature("resizes", (asking(cpu=1), asking(cpu=2)),
            (asking(cpu=1), both(asking(cpu=1), sized(actual=amounts(cpu=2))),
             both(asking(cpu=1), sized(allocated=amounts(cpu=2))), both(asking(cpu=2), sized(actual=amounts(cpu=1))),
             both(asking(cpu=2), sized(actual=amounts(cpu=1)), having(resize_infeasible=True)),
             both(having(pod_requests=amounts(cpu=1)), having(pod_actual=amounts(cpu=2)))),
            (room(cpu=2), room(cpu=3))),
    Feature("extended resources", (asking(gpu=1), same, asking(gpu=2)), (asking(gpu=1), same),
            (room(gpu=1), same, room(gpu=2), room(gpu=3))),
    Feature("taints", (same, _tolerating(Toleration("t", "Exists")), _tolerating(Toleration("t", "", "v")),
                       _tolerating(Toleration(operator="Exists")), _tolerating(Toleration("t", "Exists", effect="NoExecute")),
                       _tolerating(Toleration("t", "Exists", effect="PreferNoSchedule"))),
            (same, _tolerating(Toleration("t", "Exists"))),
            (same, _tainted(TAINT), _tainted(Taint("t", "PreferNoSchedule")), _tainted(Taint("t", "NoSchedule", "v")),
             _tainted(Taint("u", "NoExecute")), _tainted(TAINT, Taint("u", "PreferNoSchedule")))),
    Feature("cordons", (same, _tolerating(Toleration(CORDON, "Exists"))), (same, OTHER_APP),
            (same, having(unschedulable=True), both(having(unschedulable=True), _tainted(CORDONED)))),
    Feature("node affinity",
            (same, having(node_selector=frozendict(zone="a")), fitting(node_required=(where(fields=named("gone")),)),
             fitting(node_required=(where(fields=named("n1")),)), fitting(node_required=(where(fields=named("n2")),)),
             fitting(node_required=(where(fields=named("n1", "NotIn")),)),
             fitting(node_required=(where(fields=named("n2", "NotIn")),)), fitting(node_required=(where(zone("a")),)),
             fitting(node_required=(where(zone("a"), zone("b")), where(zone("b")))), fitting(node_required=(where(),)),
             fitting(node_required=(where(zone(operator="DoesNotExist")),)),
             fitting(node_required=(where(zone("a", operator="NotIn")),)),
             fitting(node_required=(where(zone("4", operator="Gt")),)),
             fitting(node_required=(where(zone("4", operator="Lt")), where(zone("a"), fields=named("gone"))))),
            (same, APP), (ZONE_A, ZONE_B, same, labelled(zone="5"))),
    Feature("node preferences",
            (same, fitting(node_preferred=(PreferredNodeTerm(10, where(zone("a"))),)),
             fitting(node_preferred=(PreferredNodeTerm(10, where(zone("a"))), PreferredNodeTerm(1, where(zone("b"))))),
             fitting(node_preferred=(PreferredNodeTerm(5, where(fields=named("n1"))),)),
             fitting(node_preferred=(PreferredNodeTerm(5, where(fields=named("n2"))),)),
             fitting(node_preferred=(PreferredNodeTerm(5, where()),))), nodes=(ZONE_A, ZONE_B, same)),
    Feature("affinity", (near(AT_HOST), both(APP, near(AT_ZONE)), near(AT_ZONE), both(APP, near(AT_HOST)),
                         near(AT_ZONE, PodAffinityTerm(HOSTNAME, LabelSelector(frozendict(app="b")))),
                         near(PodAffinityTerm("zone", LabelSelector(match_expressions=(Requirement("app", "Exists"),)))),
                         both(APP, near(PodAffinityTerm("rack", A)))),
            (APP, same, OTHER_APP, both(APP, having(terminating=True))), (ZONE_A, ZONE_B, same, _unlabelled)),
    Feature("anti-affinity", (both(APP, apart(AT_HOST)), APP, apart(AT_ZONE), same, OTHER_APP,
                              apart(AT_HOST, PodAffinityTerm(HOSTNAME, LabelSelector(frozendict(app="b"))))),
            (APP, apart(AT_ZONE), OTHER_APP, both(APP, apart(AT_HOST)), same,
             apart(PodAffinityTerm(HOSTNAME, LabelSelector(frozendict(app="b"))), AT_HOST)),
            (ZONE_A, ZONE_B, same, _without_a)),
    Feature("pod preferences", (preferring(10, AT_HOST), APP, preferring(10, AT_ZONE, anti=True), same,
                                both(preferring(10, AT_HOST), preferring(5, AT_ZONE, anti=True))),
            (APP, preferring(10, AT_HOST), near(AT_HOST), same, preferring(7, AT_ZONE, anti=True)), (ZONE_A, ZONE_B, same)),
    Feature("namespaces", (near(_in("other")), apart(_in(selected=X)), both(APP, ELSEWHERE), near(_in("other", selected=X)), APP,
                           apart(_in("default", selected=X)), near(_in(selected=LabelSelector())), preferring(5, _in(selected=X))),
            (APP, both(APP, ELSEWHERE), apart(_in(selected=X)), apart(_in("other")), apart(_in("other", selected=X)),
             both(ELSEWHERE, apart(_in(selected=LabelSelector()))), both(ELSEWHERE, preferring(5, _in(selected=X)))),
            beside=(spaces(default="x", other="y"), spaces(default="y", other="x"), spaces(default="", other=""), spaces(default="x"))),
    Feature("spread", (both(APP, spreading()), spreading(), both(APP, spreading(HOSTNAME, min_domains=3)),
                       both(APP, spreading(max_skew=2)), both(APP, spreading(min_domains=2)), both(OTHER_APP, spreading(HOSTNAME)),
                       both(APP, spreading(), spreading(HOSTNAME)), both(APP, spreading(selector=LabelSelector())),
                       both(APP, spreading(selector=None)), both(APP, spreading("rack"))),
            (APP, OTHER_APP, both(APP, ELSEWHERE), both(APP, having(terminating=True))), (ZONE_A, ZONE_B, same)),
    Feature("spread policies",
            tuple(both(APP, change, spreading(affinity_honored=affinity, taints_honored=taints))
                  for taints in (True, False) for affinity in (True, False)
                  for change in (same, having(node_selector=frozendict(zone="a")))),
            (APP, same), (ZONE_A, ZONE_B, both(ZONE_B, _tainted(TAINT)), both(ZONE_B, _tainted(Taint("t", "PreferNoSchedule"))),
                          both(ZONE_B, having(unschedulable=True)), both(ZONE_B, having(unschedulable=True), _tainted(CORDONED)))),
    Feature("soft spread", (both(APP, spreading(required=False)), spreading(HOSTNAME, required=False), both(APP, spreading(required=False, max_skew=3)),
                            both(APP, spreading(required=False), spreading(HOSTNAME, required=False))),
            (APP, OTHER_APP, both(APP, having(terminating=True)), both(APP, ELSEWHERE)), (ZONE_A, ZONE_B, same, _without_a)),
    Feature("default constraints", (both(APP, having(owner=("ReplicaSet", "r"))), APP, both(OTHER_APP, having(owner=("StatefulSet", "s")))),
            (APP, OTHER_APP, both(APP, having(terminating=True))), (same, ZONE_A, _without_a),
            (same, having(services=(Service("s", selector=frozendict(app="a")),)), having(controllers=(Controller("ReplicaSet", "r", selector=A),)),
             having(services=(Service("s", "other", frozendict(app="a")),))),
            (same, arguing(default_constraints=(SpreadConstraint(1, "zone", True),)), arguing(default_constraints=()))),
    Feature("ports", (ports(ON_80), ports(HostPort(80, ip="10.0.0.1")), begins(Container(sidecar=True, ports=(ON_80,))),
                      ports(HostPort(80, "UDP")), begins(Container(ports=(ON_80,))), ports(HostPort(80, ip="0.0.0.0")), ports(HostPort(443), ON_80)),
            (ports(ON_80), ports(HostPort(80, ip="10.0.0.2")), begins(Container(sidecar=True, ports=(ON_80,))), ports(HostPort(80, "UDP")),
             ports(HostPort(80, ip="10.0.0.1")), ports(HostPort(443)))),
    Feature("images", (image("a"), image("a:latest"), image("b:1"), same, both(image("a"), begins(Container(image="b:1")))),
            nodes=(_images(("a:latest", 600)), same, _images(("b:1", 300)), _images(("a:latest", 600), ("b:1", 300)), _images(("b:2", 900)))),
    Feature("preemption", (both(HIGH, asking(cpu=2)), both(HIGH, asking(cpu=1)), both(HIGH, asking(cpu=2), having(preemption_policy="Never")), asking(cpu=2)),
            (asking(cpu=1), both(asking(cpu=1), having(priority=1)), both(asking(cpu=2), having(start_time=2)), both(asking(cpu=1), having(priority=9)),
             both(asking(cpu=1), having(start_time=2)), both(asking(cpu=2), having(priority=1)), both(asking(cpu=1), LOW), both(asking(cpu=1), HIGH)),
            (room(cpu=2), room(cpu=3), room(cpu=1))),
    Feature("room for pods", (HIGH, same), (same, having(priority=1), having(priority=9)), (room(pods=1), room(pods=2), same)),
    Feature("waits for victims", tuple(both(HIGH, asking(cpu=1), having(nominated_node_name=name)) for name in ("n1", "n2", "", "gone")),
            (both(asking(cpu=1), GONE), asking(cpu=1), both(asking(cpu=1), having(terminating=True)), both(asking(cpu=1), GONE, having(priority=9))),
            (room(cpu=1), both(room(cpu=1), _tainted(TAINT)), room(cpu=2))),
    Feature("budgets", (both(HIGH, asking(cpu=2)), both(HIGH, asking(cpu=1))),
            (both(APP, asking(cpu=1)), both(APP, asking(cpu=2), having(priority=1)), asking(cpu=1), both(asking(cpu=1), having(priority=2))),
            (room(cpu=2), room(cpu=3)),
            (same, budget(), budget(1, disrupted=frozenset({"p0"})), budget(1, disrupted=frozenset({"p1"})), budget(1), budget(selector=LabelSelector()),
             budget(selector=None), budget(namespace="other"), budget(-1))),
    Feature("nominations", (asking(cpu=1), both(HIGH, asking(cpu=1)), both(asking(cpu=1), having(nominated_node_name="n1")),
                            both(asking(cpu=1), having(nominated_node_name="n2")), both(HIGH, asking(cpu=2))),
            (both(asking(cpu=1), pending), asking(cpu=1), both(HIGH, asking(cpu=1), pending), both(asking(cpu=1), LOW, pending), both(APP, HIGH, pending)),
            (room(cpu=1), room(cpu=2))),
    Feature("declared features", (having(required_features=frozenset({FEATURE})), same), nodes=(same, having(declared_features=frozenset({FEATURE})))),
    *STORAGE,
    Feature("arguments", plugins=(
        same, arguing(hard_pod_affinity_weight=100), arguing(ignore_preferred_terms_of_existing_pods=True),
        arguing(scoring_strategy=ScoringStrategy("MostAllocated", (("cpu", 1), ("memory", 1)))),
        arguing(scoring_strategy=ScoringStrategy("RequestedToCapacityRatio", (("cpu", 1),), ((0, 0), (50, 10), (100, 0)))),
        arguing(added_affinity=AddedAffinity((where(zone("a")),))),
        arguing(added_affinity=AddedAffinity(None, (PreferredNodeTerm(3, where(zone("a"))),))), arguing(hard_pod_affinity_weight=0),
        arguing(ignored_resources=frozenset({GPU})), arguing(ignored_groups=frozenset({"example.com"})), arguing(balanced=("cpu", GPU)))),
)  # fmt: skip
NAMED = {each.name: each for each in FEATURES}
THEMES: tuple[tuple[str, ...], ...] = (
    ("resources", "effective requests", "resizes", "extended resources", "arguments", "images"),
    ("taints", "cordons", "node affinity", "node preferences", "declared features", "arguments"),
    ("affinity", "anti-affinity", "pod preferences", "namespaces", "arguments", "nominations"),
    ("spread", "spread policies", "soft spread", "default constraints", "taints", "node affinity", "nominations", "namespaces"),
    ("preemption", "budgets", "waits for victims", "nominations", "room for pods", "taints", "anti-affinity", "node affinity", "ports", "affinity"),
    tuple(each.name for each in STORAGE),
    (*(each.name for each in STORAGE), "arguments", "preemption", "node affinity"),
    ("preemption", "budgets"),
    ("preemption", "waits for victims", "nominations"),
    ("spread", "spread policies", "nominations", "namespaces"),
    ("pod preferences", "affinity", "arguments"),
)  # fmt: skip
"""Names of features that one definition reads."""
