"""Defects of single decisions: a pod, its cluster, the right decisions, and the reinserted defect: `DECISIONS`"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from pytest import MonkeyPatch

from schedcheck.model.production.cache.node_tree import NodeTree
from schedcheck.model.production.cycle import algorithm
from schedcheck.model.production.framework.extender import Victims
from schedcheck.model.production.framework.status import unresolvable, unschedulable
from schedcheck.model.production.framework.verdicts import PASSED, REFUSED, UNRESOLVED, NodeStatuses, verdicts
from schedcheck.model.production.plugins import (
    inter_pod_affinity,
    node_affinity,
    node_unschedulable,
    pod_topology_spread,
    resource_scores,
)
from schedcheck.model.production.plugins.inter_pod_affinity import FILTER_KEY, InterPodAffinity
from schedcheck.model.production.plugins.node_affinity import NodeAffinity
from schedcheck.model.production.plugins.node_unschedulable import NodeUnschedulable
from schedcheck.model.production.plugins.pod_topology_spread import PodTopologySpread
from schedcheck.model.production.plugins.spread_constraints import included
from schedcheck.model.production.plugins.volume_binding import VolumeBinding
from schedcheck.model.production.preemption import amounts, victims
from schedcheck.model.production.preemption.evaluator import Evaluator
from schedcheck.model.production.preemption.worlds import World
from schedcheck.model.production.snapshot import pod_info
from schedcheck.model.production.snapshot.pod_info import ANY_ADDRESS, PodInfo
from schedcheck.model.production.snapshot.requests import occupied
from schedcheck.model.production.snapshot.terms import own
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins, ScoringStrategy
from schedcheck.spec.objects import Container, HostPort, Pod, Snapshot, SpreadConstraint, Taint, Toleration
from schedcheck.spec.storage import PersistentVolume, PersistentVolumeClaim
from schedcheck.spec.terms import Affinity, Requirement
from tests.checker.differential.scenarios import guarding
from tests.support.building import (
    HOSTNAME,
    UNIT,
    apart,
    claiming,
    container,
    near,
    node,
    node_term,
    pod,
    selector,
    snapshot,
    stored,
    term,
)

FOO = {"foo": "x"}
CORDONED = Taint("node.kubernetes.io/unschedulable", "NoSchedule")


@dataclass(frozen=True)
class Decided:
    """A defect of this number; `right` contains all allowed decisions about the pod, as texts."""

    id: str
    pod: Pod
    there: Snapshot
    right: frozenset[str]
    defect: Callable[[MonkeyPatch], None]
    plugins: Plugins = DEFAULT_PLUGINS


def named_after_hosts(patch: MonkeyPatch) -> None:
    """The nodes are narrowed to those named like the hostname labels that a volume requires."""
    asked = VolumeBinding.pre_filter

    def narrowing(self: VolumeBinding, state: Any, info: PodInfo, snapshot: Any) -> Any:
        status, _ = asked(self, state, info, snapshot)
        claims = self._storage.claims
        volumes = (self._storage.volume(each.volume_name) for each in claims if each.name in info.claims)
        terms = (term for volume in volumes if volume is not None for term in volume.node_affinity or ())
        expressions = (each for term in terms for each in term.match_expressions if each.key == HOSTNAME)
        return status, frozenset(value for each in expressions for value in each.values) or None

    patch.setattr(VolumeBinding, "pre_filter", narrowing)


def put(owner: Any, name: str, twin: Any) -> Callable[[MonkeyPatch], None]:
    """A defect that replaces an attribute of the owner."""
    return lambda patch: patch.setattr(owner, name, twin)


def only(*texts: str) -> frozenset[str]:
    return frozenset(texts)


def spread(key: str, **fields: Any) -> tuple[SpreadConstraint, ...]:
    return (SpreadConstraint(1, key, True, selector(foo="x"), **fields),)


def named(name: str) -> Requirement:
    return Requirement("metadata.name", "In", (name,))


without_init_containers = put(
    PodInfo, "occupied", lambda self, departures: occupied(replace(self.pod, init_containers=()), departures)
)  # fmt: skip


def without_overhead(patch: MonkeyPatch) -> None:
    requested = pod_info.requested
    patch.setattr(pod_info, "requested", lambda each: requested(replace(each, overhead=type(each.overhead)())))


def without_sidecar_ports(patch: MonkeyPatch) -> None:
    def ports(info: PodInfo) -> frozenset[Any]:
        held = (port for each in info.pod.containers for port in each.ports)
        return frozenset((port.ip or ANY_ADDRESS, port.protocol, port.port) for port in held)

    patch.setattr(PodInfo, "ports", property(ports))


def terminating_counted(patch: MonkeyPatch) -> None:
    def counted(constraint: Any, each: Pod, table: Any) -> Any:
        kinds = table.pods.kinds
        return table.pods.per_node(kinds.selected(constraint.selector) & kinds.within([each.namespace]), table.size)

    patch.setattr(pod_topology_spread, "counted", counted)


def all_terms_at_once(patch: MonkeyPatch) -> None:
    """Anti-affinity counts only pods that all of its terms select."""
    spoken, pre_filter = inter_pod_affinity._spoken_of, InterPodAffinity.pre_filter
    far: list[Any] = []

    def remembering(self: InterPodAffinity, state: Any, info: PodInfo, there: Any) -> Any:
        far[:] = [own(each, info.pod, self._namespaces) for each in info.pod.affinity.anti_required]
        return pre_filter(self, state, info, there)

    def of_all(one: Any, there: Any) -> Any:
        return reduce(np.logical_and, [spoken(each, there) for each in far]) if one in far else spoken(one, there)

    patch.setattr(InterPodAffinity, "pre_filter", remembering)
    patch.setattr(inter_pod_affinity, "_spoken_of", of_all)


def first_of_group_as_documented(patch: MonkeyPatch) -> None:
    """A matching pod ends the first-of-group exception even on a node without the topology key."""
    pre_filter = InterPodAffinity.pre_filter

    def counting(self: InterPodAffinity, state: Any, info: PodInfo, there: Any) -> Any:
        said = pre_filter(self, state, info, there)
        found = state.read(FILTER_KEY, inter_pod_affinity.FilterState)
        company = reduce(np.logical_and, [inter_pod_affinity._spoken_of(each, there) for each in found.near])
        found.first_of_group &= not inter_pod_affinity._counted(company, there)[1].any()
        return said

    patch.setattr(InterPodAffinity, "pre_filter", counting)


def one_term_for_all(patch: MonkeyPatch) -> None:
    """One contradictory required node term rejects the pod."""
    pre_filter = NodeAffinity.pre_filter

    def hasty(self: NodeAffinity, state: Any, info: PodInfo, there: Any) -> Any:
        if any(node_affinity._names(each) == frozenset() for each in info.pod.affinity.node_required):
            return unresolvable(node_affinity.CONFLICT), None
        return pre_filter(self, state, info, there)

    patch.setattr(NodeAffinity, "pre_filter", hasty)


def skipped_without_domains(patch: MonkeyPatch) -> None:
    pre_filter = PodTopologySpread.pre_filter

    def forgiving(self: PodTopologySpread, state: Any, info: PodInfo, there: Any) -> Any:
        said = pre_filter(self, state, info, there)
        nodes = there.all()
        keys = (nodes.table.labels.column(each.topology_key).numbers[nodes.rows] for each in info.pod.spread)
        return said if any(each.any() for each in keys) else (pod_topology_spread.SKIP, None)

    patch.setattr(PodTopologySpread, "pre_filter", forgiving)


def always_resolvable(patch: MonkeyPatch) -> None:
    verdict = PodTopologySpread.filter

    def soft(self: PodTopologySpread, state: Any, info: PodInfo, nodes: Any) -> Any:
        said = verdict(self, state, info, nodes)
        return replace(said, codes=np.where(said.codes == UNRESOLVED, REFUSED, said.codes))

    patch.setattr(PodTopologySpread, "filter", soft)


def tied_to_its_node(patch: MonkeyPatch) -> None:
    """A pod waits for a victim on its nominated node even if the node has become unresolvable."""
    ineligible = Evaluator.ineligible
    patch.setattr(
        Evaluator, "ineligible", lambda self, each, statuses: ineligible(self, each, NodeStatuses(unschedulable("")))
    )


def disrupted_charged(patch: MonkeyPatch) -> None:
    protects = victims._protects
    patch.setattr(
        victims, "_protects", lambda budget, each: protects(replace(budget, disrupted=frozenset()), each)
    )  # fmt: skip


def round_robin_to_the_shortest(self: NodeTree) -> list[str]:
    return [name for row in zip(*self._zones.values(), strict=False) for name in row]


def victims_as_they_came(patch: MonkeyPatch) -> None:
    """The first victim is the first that was not reprieved, which is not the most important one."""

    def told(self: World) -> Any:
        return Victims(tuple(info.pod for info in self.victims), self.violations)

    patch.setattr(World, "told", told)
    patch.setattr(amounts, "highest", lambda lost, found: found[np.arange(len(found)), lost.argmax(axis=1)])


def no_victim_is_reprieved(framework: Any, state: Any, info: Any, tried: Any, worlds: dict[int, World]) -> None:
    for world in worlds.values():
        world.lost = [True] * len(world.order)


def everywhere(self: Any, state: Any, info: Any, nodes: Any) -> Any:
    return verdicts(np.full(len(nodes), PASSED))


def counted_where_untainted(constraint: Any, each: Pod, nodes: Any) -> Any:
    return included(replace(constraint, taints_honored=True), each, nodes)


def counted_where_no_taint(constraint: Any, each: Pod, nodes: Any) -> Any:
    clean = np.array([not nodes.table.node(int(row)).taints for row in nodes.rows])
    return included(replace(constraint, taints_honored=False), each, nodes) & clean


def hosts(**cpus: int) -> tuple[Any, ...]:
    return tuple(node(name, cpu, labels={HOSTNAME: name, "zone": name}) for name, cpu in cpus.items())


def guarded(there: Snapshot, *budgets: Any) -> Snapshot:
    return replace(there, budgets=budgets)


SIDECAR = (Container(type(pod().labels)(), True, ports=(HostPort(8081),)),)
MOST_ALLOCATED = replace(
    DEFAULT_PLUGINS,
    arguments=replace(DEFAULT_PLUGINS.arguments, scoring_strategy=ScoringStrategy("MostAllocated", (("cpu", 1),), ())),
)
PREEMPTION_ALONE = replace(DEFAULT_PLUGINS, points=DEFAULT_PLUGINS.points.set("postFilter", ("DefaultPreemption",)))
"""If DynamicResources comes first, it ends with an error for a pod rejected before its PreFilter ran."""
GONE_SOON = {"terminating": True, "preempted": True}
K = "kubernetes/kubernetes#"

DECISIONS = (
    Decided(
        f"{K}89092", pod(cpu=2), snapshot(node("n1", 4), pod("a", 1, "n1", init_containers=(container(3),))),
        only("Wait(p)"), without_init_containers,
    ),
    Decided(
        "volcano-sh/volcano#1333", pod(cpu=7),
        snapshot(node("n1", 8), pod("a", 0.1, "n1", init_containers=(container(7),))),
        only("Wait(p)"), without_init_containers,
    ),
    Decided(
        "kubernetes-sigs/scheduler-plugins@49c8bf0c", pod(cpu=0.8, overhead={"cpu": 3 * UNIT // 10}),
        snapshot(node("n1", 1)), only("Wait(p)"), without_overhead,
    ),
    Decided(
        f"{K}87621", pod(labels=FOO, spread=spread("zone")),
        snapshot(*hosts(n1=0, n2=0), pod("a", 0, "n1", labels=FOO, terminating=True), pod("b", 0, "n2", labels=FOO)),
        only("Bind(p, n1)"), terminating_counted,
    ),
    Decided(
        f"{K}62567",
        pod(affinity=apart(*(term(selected=selector(Requirement(key, "Exists"))) for key in "ab"))),
        snapshot(*hosts(n1=0), pod("q", 0, "n1", labels={"b": ""})), only("Wait(p)"), all_terms_at_once,
    ),
    Decided(
        f"{K}129319", pod(labels=FOO, affinity=near(term("rack", selector(foo="x")))),
        snapshot(node("n1"), node("n2", labels={"rack": "a"}), pod("q", 0, "n1", labels=FOO)),
        only("Bind(p, n2)"), first_of_group_as_documented,
    ),
    Decided(
        f"{K}115047",
        pod(affinity=Affinity(node_required=(
            node_term(fields=(named("n1"), named("n2"))), node_term(Requirement("foo", "In", ("bar",))),
        ))),
        snapshot(node("n1"), node("n2", labels={"foo": "bar"})), only("Bind(p, n2)"), one_term_for_all,
    ),
    Decided(
        f"{K}132037", pod(init_containers=SIDECAR), snapshot(node("n1"), pod("a", 0, "n1", init_containers=SIDECAR)),
        only("Wait(p)"), without_sidecar_ports,
    ),
    Decided(
        f"{K}58648", pod(), snapshot(node("n1", unschedulable=True)), only("Wait(p)"),
        put(NodeUnschedulable, "filter", everywhere),
    ),
    Decided(
        "kai-scheduler/KAI-Scheduler#1933", pod(tolerations=(Toleration(CORDONED.key, "Exists"),)),
        snapshot(node("n1", unschedulable=True, taints=(CORDONED,))), only("Bind(p, n1)"),
        put(node_unschedulable, "tolerates", lambda *_: False),
    ),
    Decided(
        f"{K}106396", pod(labels=FOO, spread=spread(HOSTNAME)),
        snapshot(*hosts(n1=0), node("n2", labels={HOSTNAME: "n2"}, unschedulable=True, taints=(CORDONED,)),
                 pod("a", 0, "n1", labels=FOO)),
        only("Wait(p)"), put(pod_topology_spread, "included", counted_where_untainted),
    ),
    Decided(
        f"{K}112357", pod(labels=FOO, spread=spread("zone", taints_honored=True)),
        snapshot(*hosts(n1=0), node("n2", labels={"zone": "b"}, taints=(Taint("k", "PreferNoSchedule"),)),
                 pod("a", 0, "n1", labels=FOO)),
        only("Bind(p, n2)"), put(pod_topology_spread, "included", counted_where_no_taint),
    ),
    Decided(
        f"{K}95808", pod(labels=FOO, spread=spread("rack")), snapshot(*hosts(n1=0, n2=0)), only("Wait(p)"),
        skipped_without_domains,
    ),
    Decided(
        f"{K}92579", pod(priority=10, labels=FOO, spread=spread("rack")),
        snapshot(node("n1", labels={"rack": "r1"}, taints=(Taint("t", "NoSchedule"),)), node("n2"),
                 pod("v", 0, "n2", priority=1)),
        only("Wait(p)"), always_resolvable,
    ),
    Decided(
        f"{K}119770", pod(cpu=1, priority=10, affinity=Affinity(node_required=(node_term(fields=(named("n2"),)),))),
        snapshot(node("n1", 1), node("n2", 1), pod("v1", 1, "n1", priority=1), pod("v2", 1, "n2", priority=1)),
        only("Nominate(p, n2, {v2})"), put(algorithm, "unresolvable", unschedulable),
    ),
    Decided(
        f"{K}119782",
        pod(cpu=1, priority=10, affinity=Affinity(node_required=(node_term(fields=(named("n1"), named("n2"))),))),
        snapshot(node("n1", 1), pod("v", 1, "n1", priority=1)), only("Wait(p)"),
        put(NodeStatuses, "with_code", lambda self, code, rows: rows), PREEMPTION_ALONE,
    ),
    Decided(
        f"{K}128307", pod(cpu=2, priority=1000),
        guarded(
            snapshot(node("n1", 2), node("n2", 2), pod("hi", 1, "n1", priority=500),
                     pod("lo", 1, "n1", priority=10, labels=FOO), pod("mid", 2, "n2", priority=200, labels=FOO)),
            guarding("budget", foo="x"),
        ),
        only("Nominate(p, n2, {mid})"), victims_as_they_came,
    ),
    Decided(
        f"{K}92475", pod(cpu=2, priority=10),
        guarded(
            snapshot(node("n1", 2), node("n2", 2), pod("a", 1, "n1", priority=1, labels=FOO),
                     pod("b", 1, "n1", priority=1, labels=FOO), pod("c", 2, "n2", priority=2)),
            replace(guarding("budget", 1, foo="x"), disrupted=frozenset({"a"})),
        ),
        only("Nominate(p, n1, {a, b})"), disrupted_charged,
    ),
    Decided(
        f"{K}92600", pod(cpu=1, priority=10, nominated_node_name="n1"),
        snapshot(node("n1", 1, taints=(Taint("t", "NoSchedule"),)), node("n2", 1),
                 pod("a", 1, "n1", priority=1, **GONE_SOON), pod("b", 1, "n2", priority=1)),
        only("Nominate(p, n2, {b})"), tied_to_its_node,
    ),
    Decided(
        "kai-scheduler/KAI-Scheduler#2115", pod(cpu=1, priority=10, affinity=apart(term(selected=selector(foo="x")))),
        snapshot(*hosts(n1=1), pod("v", 1, "n1", priority=1, labels=FOO)), only("Nominate(p, n1, {v})"),
        put(InterPodAffinity, "remove_pods", lambda *_: None),
    ),
    Decided(
        "volcano-sh/volcano#5994", pod(cpu=1, priority=10),
        snapshot(node("n1", 3), *(pod(f"v{place}", 1, "n1") for place in range(3))), only("Nominate(p, n1, {v2})"),
        put(victims, "_reprieve", no_victim_is_reprieved),
    ),
    Decided(
        f"{K}102925", pod(), snapshot(node("n1", 1), node("n2", 1), *(pod(f"a{place}", 0, "n1") for place in range(12))),
        only("Bind(p, n1)"),
        put(resource_scores, "most_allocated",
            lambda used, room: np.where(used > room, 0, np.minimum(used, room) * 100 // room)),
        MOST_ALLOCATED,
    ),
    Decided(
        f"{K}91601", pod(),
        snapshot(*(node(name, labels={"topology.kubernetes.io/zone": name[0]}) for name in ("a1", "a2", "a3", "b1", "b2"))),
        only(*(f"Bind(p, {name})" for name in ("a1", "a2", "a3", "b1", "b2"))),
        put(NodeTree, "names", round_robin_to_the_shortest),
    ),
    Decided(
        f"{K}125336", claiming("c"),
        replace(
            snapshot(node("node-1", 1, labels={HOSTNAME: "h1"}), node("h1", 1, labels={HOSTNAME: "other"})),
            storage=stored(
                PersistentVolumeClaim("c", volume_name="v", bind_completed=True),
                PersistentVolume("v", node_affinity=(node_term(Requirement(HOSTNAME, "In", ("h1",))),)),
            ),
        ),
        only("Bind(p, node-1)"), named_after_hosts,
    ),
)  # fmt: skip
"""The simplest decisions of the corpus."""
