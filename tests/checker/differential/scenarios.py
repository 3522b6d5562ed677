"""Small clusters in which the production scheduler has to choose, wait, preempt and change its decisions"""

from frozendict import frozendict

from schedcheck.model.production.machine.machine import Production
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Container, HostPort, Pod, PodDisruptionBudget, SpreadConstraint
from schedcheck.spec.profiles import kubernetes
from schedcheck.spec.storage import (
    CSI,
    WAIT_FOR_FIRST_CONSUMER,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from schedcheck.spec.terms import Affinity, Requirement
from tests.support.building import (
    HOSTNAME,
    apart,
    claiming,
    near,
    node,
    node_term,
    on_nodes,
    on_pods,
    pod,
    scenario,
    selector,
    stored,
    term,
)

KUBERNETES = kubernetes("kubernetes", (DEFAULT_PLUGINS,))
ZONE = "zone"
HOSTS = {name: {HOSTNAME: name, ZONE: name[-1]} for name in ("n1", "n2")}
APP = {"app": "a"}
EVEN = (SpreadConstraint(1, ZONE, True, selector(app="a")),)
RATHER_EVEN = (SpreadConstraint(1, ZONE, False, selector(app="a")),)


def holding(name: str, port: int, on: str = "", **fields: object) -> Pod:
    """A pod that holds a host port."""
    return pod(name, 0, on, containers=(Container(frozendict(), ports=(HostPort(port),)),), **fields)


def guarding(name: str, allowed: int = 0, **labels: str) -> PodDisruptionBudget:
    """A budget for the pods with these labels."""
    return PodDisruptionBudget(name, selector=selector(**labels), disruptions_allowed=allowed)


CHOOSES = scenario(
    node("n1", 4, labels=HOSTS["n1"]), node("n2", 3, labels=HOSTS["n2"]), pod("a", 1), pod("b", 2, priority=1),
    pod("c", 1, "n1"), rules=[on_pods("delete", "c", 1)],
)  # fmt: skip
EVICTS_ONE_OF_TWO = scenario(
    node("n1", 2, labels=HOSTS["n1"]), node("n2", 1, labels=HOSTS["n2"]), pod("low", 1, "n1"),
    pod("more", 1, "n1", priority=1), pod("other", 1, "n2", priority=2), pod("p", 1, priority=5),
)  # fmt: skip
SPARES_THE_PROTECTED = scenario(
    node("n1", 2, labels=HOSTS["n1"]), node("n2", 1, labels=HOSTS["n2"]), pod("kept", 1, "n1", labels=APP),
    pod("free", 1, "n1", priority=1), pod("other", 1, "n2", priority=2, labels=APP), pod("p", 1, priority=5),
    budgets=(guarding("budget", app="a"),),
)  # fmt: skip
NOMINATED = scenario(
    node("n1", 2, labels=HOSTS["n1"]), pod("low", 2, "n1"), pod("p", 2, priority=5), pod("late", 2, priority=1),
    rules=[on_pods("arrive", "late", 1)], absent="late",
)  # fmt: skip
TWO_PREEMPTORS = scenario(
    node("n1", 1, labels=HOSTS["n1"]), pod("low", 1, "n1"), pod("p", 1, priority=5), pod("q", 1, priority=6),
)  # fmt: skip
PORTS = scenario(
    node("n1", 1, labels=HOSTS["n1"]), node("n2", 1, labels=HOSTS["n2"]), holding("a", 80, "n1"), holding("b", 80),
    holding("c", 80, priority=1), rules=[on_pods("delete", "a", 1)],
)  # fmt: skip
SHUNS = scenario(
    node("n1", 4, labels=HOSTS["n1"]), node("n2", 4, labels=HOSTS["n2"]), pod("a", 1, "n1", labels=APP),
    pod("b", 1, labels=APP, affinity=apart(term(selected=selector(app="a")))), pod("c", 1, labels=APP),
    rules=[on_nodes("cordon", "n2", 1), on_nodes("uncordon", "n2", 1), on_pods("delete", "a", 1)],
)  # fmt: skip
JOINS = scenario(
    node("n1", 4, labels=HOSTS["n1"]), node("n2", 4, labels=HOSTS["n2"], unschedulable=True),
    pod("a", 1, "n2", labels=APP), pod("b", 1, affinity=near(term(ZONE, selector(app="a")))), pod("c", 1, labels=APP),
    rules=[on_nodes("uncordon", "n2", 1), on_pods("delete", "a", 1)],
)  # fmt: skip
SPREADS = scenario(
    node("n1", 4, labels=HOSTS["n1"]), node("n2", 1, labels=HOSTS["n2"]), pod("a", 1, "n1", labels=APP),
    pod("b", 1, labels=APP, spread=EVEN), pod("c", 1, labels=APP, spread=EVEN),
    rules=[on_nodes("cordon", "n2", 1), on_nodes("uncordon", "n2", 1)],
)  # fmt: skip
EVICTS_AN_ANTI_AFFINE_POD = scenario(
    node("n1", 2, labels=HOSTS["n1"]), node("n2", 0, labels=HOSTS["n2"]), pod("a", 1, "n1", labels=APP),
    pod("b", 1, "n1", priority=1),
    pod("p", 1, priority=5, affinity=Affinity(anti_required=(term(selected=selector(app="a")),))),
)  # fmt: skip
NODE_COMES = scenario(
    node("n1", 1, labels=HOSTS["n1"]), node("n2", 2, labels=HOSTS["n2"]), pod("a", 1, "n1"), pod("p", 2),
    rules=[on_nodes("fail", "n2", 1), on_nodes("return", "n2", 1)],
)  # fmt: skip

DRIVER = "csi.example.com"
BY_NONE = "kubernetes.io/no-provisioner"


def bound_claim(name: str, *modes: str) -> tuple[PersistentVolumeClaim, PersistentVolume]:
    """A claim, and the CSI volume that it is bound to."""
    volume = f"for-{name}"
    return (
        PersistentVolumeClaim(name, volume_name=volume, bind_completed=True, phase="Bound", access_modes=modes),
        PersistentVolume(volume, source=CSI(DRIVER, name), phase="Bound", access_modes=modes),
    )


def attaching(node: str, most: int) -> CSINode:
    """A node to which the driver attaches at most this many volumes."""
    return CSINode(node, frozenset({DRIVER}), frozendict({DRIVER: most}))


def local(name: str, host: str, capacity: int) -> PersistentVolume:
    """A volume that only one node can reach."""
    affinity = (node_term(Requirement(HOSTNAME, "In", (host,))),)
    return PersistentVolume(name, capacity=capacity, storage_class="local", node_affinity=affinity)


def waiting_claim(name: str, made_by: str = "local", request: int = 1) -> PersistentVolumeClaim:
    """A claim that waits for its first consumer."""
    return PersistentVolumeClaim(name, storage_class=made_by, request=request)


CLAIM_FOR_ONE = scenario(
    node("n1", 4, labels=HOSTS["n1"]), claiming("c", name="low", on="n1"), claiming("c", name="p", priority=5),
    claiming("c", name="q", priority=6),
    storage=stored(*bound_claim("c", "ReadWriteOncePod")),
)  # fmt: skip
LAST_PLACE = scenario(
    node("n1", 4, labels=HOSTS["n1"]), node("n2", 4, labels=HOSTS["n2"]), claiming("a", name="a", on="n1"),
    claiming("b", name="b"), claiming("c", name="c", priority=1), rules=[on_pods("delete", "a", 1)],
    storage=stored(*(each for name in "abc" for each in bound_claim(name)), attaching("n1", 2), attaching("n2", 0)),
)  # fmt: skip
MAKES_A_PLACE = scenario(
    node("n1", 4, labels=HOSTS["n1"]), claiming("a", name="a", on="n1"),
    claiming("b", name="b", on="n1", priority=1), claiming("b", "c", name="p", priority=5),
    storage=stored(*(each for name in "abc" for each in bound_claim(name)), attaching("n1", 2)),
)  # fmt: skip
TAKE_VOLUMES = scenario(
    node("n1", 4, labels=HOSTS["n1"]), node("n2", 4, labels=HOSTS["n2"], unschedulable=True),
    claiming("a", name="a"), claiming("b", name="b", priority=1), rules=[on_nodes("uncordon", "n2", 1)],
    storage=stored(
        waiting_claim("a"), waiting_claim("b", request=2), local("v", "n1", 2), local("w", "n2", 1),
        StorageClass("local", BY_NONE, WAIT_FOR_FIRST_CONSUMER),
    ),
)  # fmt: skip
SHARE_A_CLAIM = scenario(
    node("n1", 1, labels=HOSTS["n1"]), node("n2", 2, labels=HOSTS["n2"]), claiming("a", name="a", cpu=1),
    claiming("a", name="b", cpu=1),
    storage=stored(waiting_claim("a", "made"), StorageClass("made", DRIVER, WAIT_FOR_FIRST_CONSUMER)),
)  # fmt: skip

SCENARIOS: dict[str, tuple[Scenario, int]] = {
    "chooses": (CHOOSES, 0),
    "evicts_one_of_two": (EVICTS_ONE_OF_TWO, 0),
    "spares_the_protected": (SPARES_THE_PROTECTED, 0),
    "nominated": (NOMINATED, 0),
    "two_preemptors": (TWO_PREEMPTORS, 0),
    "ports": (PORTS, 0),
    "shuns": (SHUNS, 0),
    "joins": (JOINS, 0),
    "spreads": (SPREADS, 0),
    "evicts_an_anti_affine_pod": (EVICTS_AN_ANTI_AFFINE_POD, 0),
    "node_comes": (NODE_COMES, 0),
    "claim_for_one": (CLAIM_FOR_ONE, 0),
    "last_place": (LAST_PLACE, 0),
    "makes_a_place": (MAKES_A_PLACE, 0),
    "take_volumes": (TAKE_VOLUMES, 1),
    "share_a_claim": (SHARE_A_CLAIM, 1),
}
"""The scenarios, each with the number of calls that may fail."""


def machine(of: Scenario, faults: int = 0) -> Production:
    """The production scheduler of a scenario."""
    return Production(of, Reference(of, KUBERNETES), faults=faults)
