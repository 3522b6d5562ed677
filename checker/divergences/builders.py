"""Pods, nodes and budgets of which a domain is made, in whole cpus."""

from collections.abc import Iterable
from itertools import product

from frozendict import frozendict

from schedcheck.checker.divergences.case import EVERY_NODE_TAKES
from schedcheck.checker.divergences.domain import SOMEWHERE
from schedcheck.spec.kubernetes.scores.pod_topology_spread import HOSTNAME
from schedcheck.spec.objects import Container, HostPort, Namespace, Node, Pod, PodDisruptionBudget
from schedcheck.spec.terms import Affinity, LabelSelector, PodAffinityTerm
from schedcheck.spec.values import NO_LABELS, Labels

CPU = 10**9
"""Container requests are in billionths."""

DAY = 24 * 3600 * 10**6
DAYS = (20_089 * DAY, 20_090 * DAY, 20_091 * DAY)
"""The first three days of 2025, in microseconds since 1970."""

ZONE = "topology.kubernetes.io/zone"
APP: Labels = frozendict(app="a")
FOR_APP = LabelSelector(APP)
PORT = (HostPort(80),)
DRIVER = "csi.example.com"


def containers(cpu: int = 0, ports: tuple[HostPort, ...] = ()) -> tuple[Container, ...]:
    """One container that requests so many cpus; with 0 it requests none."""
    return (Container(frozendict(cpu=cpu * CPU) if cpu else frozendict(), image="pause", ports=ports),)


def nodes(cpus: Iterable[int] = (0,), labels: Labels = NO_LABELS) -> tuple[Node, ...]:
    """A node for each of these numbers of cpus."""
    return tuple(
        Node("", labels, frozendict({**({"cpu": 1000 * cpu} if cpu else {}), "pods": EVERY_NODE_TAKES})) for cpu in cpus
    )


def bound(**fields: object) -> Pod:
    """A pod that runs on some node."""
    return Pod("", node_name=SOMEWHERE, phase="Running", **{"containers": containers(), **fields})  # type: ignore[arg-type]


def nominated(**fields: object) -> Pod:
    """A pod that waits for some node to which it is nominated."""
    return Pod("", nominated_node_name=SOMEWHERE, **{"containers": containers(), **fields})  # type: ignore[arg-type]


def late(**fields: object) -> Pod:
    """A pod that arrives later."""
    return Pod("", **{"containers": containers(), **fields})  # type: ignore[arg-type]


def waiting(**fields: object) -> Pod:
    """The pod that is to be placed."""
    return Pod("pending", **{"containers": containers(), **fields})  # type: ignore[arg-type]


def apart(selector: LabelSelector, spaces: LabelSelector | None = None) -> Affinity:
    """No pod of the selection on the same node."""
    return Affinity(anti_required=(PodAffinityTerm(HOSTNAME, selector, namespace_selector=spaces),))


def space(name: str, **labels: str) -> Namespace:
    """A namespace with these labels, and the one that each has."""
    return Namespace(name, frozendict({"kubernetes.io/metadata.name": name, **labels}))


def budgets(*selectors: LabelSelector, most: int = 1) -> tuple[PodDisruptionBudget, ...]:
    """A budget for each of the selectors and each number of disruptions that it may allow."""
    return tuple(
        PodDisruptionBudget("", selector=selector, disruptions_allowed=allowed)
        for selector, allowed in product(selectors, range(most + 1))
    )
