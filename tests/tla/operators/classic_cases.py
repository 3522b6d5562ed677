"""The smallest known scenarios in which a broken definition of the classic scheduler shows at once: `CASES`"""

from dataclasses import replace

from frozendict import frozendict

from schedcheck.model.scenario import Scenario
from schedcheck.spec.classic.predicates.no_volume_zone_conflict import STABLE, ZONE
from schedcheck.spec.objects import Container, Node, Pod, PodDisruptionBudget, Service
from schedcheck.spec.terms import Affinity, LabelSelector, PodAffinityTerm
from tests.tla.random_kubernetes import HOSTNAME

BILLION, GIBI = 10**9, 2**30
GPU = "example.com/gpu"
WEB = frozendict(app="web")


def node(name: str, cpu: int = 2000, memory: int = 2 * GIBI, pods: int = 10, zone: str = "") -> Node:
    amounts = frozendict({"cpu": cpu, "memory": memory, "pods": pods, GPU: 1})
    labels = frozendict({HOSTNAME: name, **({ZONE: zone} if zone else {})})
    return Node(name, labels=labels, allocatable=amounts, capacity=amounts, ready="True")


def pod(name: str, cpu: int | None = 1000, where: str = "", priority: int = 0, **more: object) -> Pod:
    requests = frozendict({} if cpu is None else {"cpu": cpu * BILLION // 1000})
    fields = {"containers": (Container(requests),), **more}
    return Pod(name, node_name=where, priority=priority, **fields)  # type: ignore[arg-type]


def early(*objects: Pod | Node, budgets: tuple[PodDisruptionBudget, ...] = (), service: bool = False) -> Scenario:
    pods = tuple(sorted((each for each in objects if isinstance(each, Pod)), key=lambda each: each.key))
    nodes = tuple(each for each in objects if isinstance(each, Node))
    services = (Service("web", selector=WEB),) if service else ()
    return Scenario("classic", pods, nodes, profile="classic", budgets=budgets, services=services)


def company(key: str) -> PodAffinityTerm:
    return PodAffinityTerm(key, LabelSelector(WEB))


LARGE = {"cpu": 100_000, "memory": 200 * GIBI}
NONE_MAY_GO = (PodDisruptionBudget("b", selector=LabelSelector(WEB), disruptions_allowed=0),)

CASES = {
    "the capacity of a node is compared": early(replace(node("n"), allocatable=node("n", cpu=1000).allocatable), pod("a", 2000)),
    "requests beside cpu and memory are compared": early(
        node("n"), pod("a", containers=(Container(frozendict({GPU: 2 * BILLION})),))
    ),
    "the pod itself is counted": early(node("n", pods=0), pod("a")),
    "a node that is not ready takes no pod": early(Node("n", allocatable=node("n").allocatable, ready="False"), pod("a")),
    "affinity is not checked after an anti-affinity conflict": early(
        node("n"),
        pod("objector", where="n", labels=WEB, affinity=Affinity(anti_required=(company(HOSTNAME),))),
        pod("web", priority=10, labels=WEB, affinity=Affinity(pod_required=(company(HOSTNAME), company(ZONE)))),
    ),
    "zone spreading has twice the weight of node spreading": early(
        node("n1", zone="a", **LARGE),
        node("n2", zone="b", **LARGE),
        node("n3", zone="a", **LARGE),
        *(pod(f"there-{number}", None, where, labels=WEB) for number, where in enumerate(("n2", "n3", "n3"))),
        pod("web", None, labels=WEB),
        service=True,
    ),
    "the stable zone label defines a zone": early(
        *(replace(each, labels=each.labels.set(STABLE[ZONE], zone)) for each, zone in zip(
            (node("n1", **LARGE), node("n2", **LARGE), node("n3", **LARGE)), "aba", strict=True
        )),
        *(pod(f"there-{number}", None, where, labels=WEB) for number, where in enumerate(("n2", "n3", "n3"))),
        pod("web", None, labels=WEB),
        service=True,
    ),
    "a request of 0 is not replaced by the default": early(node("n1", cpu=1000), node("n2", cpu=500), pod("a", 0)),
    "terminating pods are not counted": early(
        node("n1", **LARGE), node("n2", **LARGE), pod("there", None, "n1", labels=WEB, terminating=True),
        pod("web", None, labels=WEB), service=True,
    ),
    "pods whose eviction violates a budget are reprieved first": early(
        node("n1"), node("n2"), pod("v", 1000, "n1", 1, labels=WEB), pod("w", 1000, "n1", 5),
        pod("x", 2000, "n2", 3, labels=WEB), pod("a", 2000, priority=10), budgets=NONE_MAY_GO,
    ),
    "a budget with 0 disruptions allowed is violated": early(
        node("n1"), node("n2"), pod("v", 2000, "n1", 0, labels=WEB), pod("w", 2000, "n2", 1), pod("a", 2000, priority=10),
        budgets=NONE_MAY_GO,
    ),
    "a pod that leaves room is reprieved": early(node("n"), pod("v", 1000, "n"), pod("w", 1000, "n"), pod("a", 1000, priority=10)),
    "a pod with preemptionPolicy Never evicts no pod": early(
        node("n"), pod("v", 2000, "n"), pod("a", 1000, priority=10, preemption_policy="Never")
    ),
    "a preemptor waits for the terminating pods on its nominated node": early(
        node("n"), pod("v", 1000, "n", terminating=True), pod("w", 1000, "n"),
        pod("a", 2000, priority=10, nominated_node_name="n"),
    ),
    "resolvability is decided with the nominated pods counted": early(
        node("n"), pod("v", 1000, "n"), pod("first", 1000, priority=20, nominated_node_name="n"), pod("a", 1000, priority=10)
    ),
    "room is kept for nominated pods": early(
        node("n"), pod("a", 2000, priority=10, nominated_node_name="n"), pod("b", 1000)
    ),
    "a nominated pod does not satisfy required affinity": early(
        node("n"), pod("db", 1000, priority=10, nominated_node_name="n", labels=WEB),
        pod("a", 1000, affinity=Affinity(pod_required=(company(HOSTNAME),))),
    ),
    "room is kept for nominated pods of equal priority": early(node("n"), pod("a", 2000, nominated_node_name="n"), pod("b", 1000)),
    "a terminating pod is not taken from the queue": early(node("n"), pod("a", terminating=True)),
    "a pod loses its nomination if no eviction could help": early(
        replace(node("n"), ready="False"), pod("a", nominated_node_name="n")
    ),
    "a pod keeps its nomination if evicting is insufficient": early(
        node("n"), pod("a", 3000, nominated_node_name="n")
    ),
    "pods of lower priority lose their nomination": early(
        node("n"), pod("v", 2000, "n"), pod("low", 2000, priority=5, nominated_node_name="n"), pod("a", 2000, priority=10)
    ),
    "pods lose their nomination even if all victims are terminating": early(
        node("n"), pod("v", 2000, "n", terminating=True), pod("low", 2000, priority=5, nominated_node_name="n"),
        pod("a", 2000, priority=10),
    ),
}  # fmt: skip
