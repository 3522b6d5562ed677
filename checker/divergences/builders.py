"""Pods, nodes and budgets from which domains are built, in whole cpus."""

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
"""One cpu in billionths, the unit of container requests."""

DAY = 24 * 3600 * 10**6
DAYS = (20_089 * DAY, 20_090 * DAY, 20_091 * DAY)
"""The first three days of 2025, in microseconds since 1970."""

ZONE = "topology.kubernetes.io/zone"
APP: Labels = frozendict(app="a")
FOR_APP = LabelSelector(APP)
PORT = (HostPort(80),)
DRIVER = "csi.example.com"


def containers(cpu: int = 0, ports: tuple[HostPort, ...] = ()) -> tuple[Container, ...]:
    """Return one container that requests this many cpus; with 0 it has no request."""
    return (Container(frozendict(cpu=cpu * CPU) if cpu else frozendict(), image="pause", ports=ports),)


def nodes(cpus: Iterable[int] = (0,), labels: Labels = NO_LABELS) -> tuple[Node, ...]:
    """Return one node for each number of cpus."""
    return tuple(
        Node("", labels, frozendict({**({"cpu": 1000 * cpu} if cpu else {}), "pods": EVERY_NODE_TAKES})) for cpu in cpus
    )


def bound(**fields: object) -> Pod:
    """Return a running pod, bound to some node."""
    return Pod("", node_name=SOMEWHERE, phase="Running", **{"containers": containers(), **fields})  # type: ignore[arg-type]


def nominated(**fields: object) -> Pod:
    """Return a pending pod that is nominated to some node."""
    return Pod("", nominated_node_name=SOMEWHERE, **{"containers": containers(), **fields})  # type: ignore[arg-type]


def late(**fields: object) -> Pod:
    """Return a pod that arrives later."""
    return Pod("", **{"containers": containers(), **fields})  # type: ignore[arg-type]


def waiting(**fields: object) -> Pod:
    """Return the pending pod that a case is about."""
    return Pod("pending", **{"containers": containers(), **fields})  # type: ignore[arg-type]


def apart(selector: LabelSelector, spaces: LabelSelector | None = None) -> Affinity:
    """Return the required anti-affinity to the selected pods, per host."""
    return Affinity(anti_required=(PodAffinityTerm(HOSTNAME, selector, namespace_selector=spaces),))


def space(name: str, **labels: str) -> Namespace:
    """Return a namespace with these labels and the label of its name."""
    return Namespace(name, frozendict({"kubernetes.io/metadata.name": name, **labels}))


def budgets(*selectors: LabelSelector, most: int = 1) -> tuple[PodDisruptionBudget, ...]:
    """Return a budget for each selector and each number of allowed disruptions up to `most`."""
    return tuple(
        PodDisruptionBudget("", selector=selector, disruptions_allowed=allowed)
        for selector, allowed in product(selectors, range(most + 1))
    )
