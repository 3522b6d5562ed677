"""Defects of scores, of the effect of nominated pods, and of the search for victims: `SCORING`"""

from dataclasses import replace
from typing import Any

from frozendict import frozendict
from pytest import MonkeyPatch

from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.framework.status import Status
from schedcheck.model.production.plugins import node_resources_balanced_allocation, pod_topology_spread
from schedcheck.model.production.plugins.resource_scores import used_and_room
from schedcheck.model.production.plugins.spread_constraints import among
from schedcheck.model.production.preemption import victims
from schedcheck.model.production.preemption.evaluator import Evaluator
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Container, Node, NodeImage, Service, Snapshot
from tests.corpus.decisions import FOO, Decided, K, hosts, only, put, spread
from tests.corpus.victims import of_the_same_priority
from tests.support.building import HOSTNAME, container, node, pod, snapshot

MIB = 2**20


def rated_by(plugin: str) -> Plugins:
    """The default profile with this plugin as the only one that scores."""
    points = DEFAULT_PLUGINS.points.set("score", (plugin,))
    return replace(DEFAULT_PLUGINS, points=points.set("preScore", (plugin,)) if plugin != "ImageLocality" else points)


def of_two(cpu: float, megabytes: int) -> tuple[Container, ...]:
    return (container(cpu, memory=megabytes * MIB),)


def counted_when_added(patch: MonkeyPatch) -> None:
    """The number of nodes with an image is the one from when the node was added."""
    add, put_images = Cache.add_node, NodeTable._put_images
    frozen: dict[str, dict[str, Any]] = {}

    def adding(self: Cache, each: Node) -> None:
        add(self, each)
        names = [name for image in each.images for name in image.names]
        frozen[each.name] = {name: (self.images[name].size, len(self.images[name].nodes)) for name in names}

    def putting(self: NodeTable, row: int, images: Any) -> None:
        put_images(self, row, frozen[self.node(row).name])

    patch.setattr(Cache, "add_node", adding)
    patch.setattr(NodeTable, "_put_images", putting)
    patch.setattr(NodeTable, "count_image", lambda self, name, nodes: None)


def always_strict(patch: MonkeyPatch) -> None:
    """A node without every topology key is left out even under the system default constraints."""
    state = pod_topology_spread._score_state
    patch.setattr(pod_topology_spread, "_score_state", lambda *given: state(*given[:-1], True))


def first_node_for_all(patch: MonkeyPatch) -> None:
    """If the first node has no victims, no pod is evicted anywhere."""
    victims_on = victims.victims_on

    def drained(framework: Any, state: Any, each: Any, nodes: Any) -> Any:
        said = victims_on(framework, state, each, nodes)
        return [said[0]] * len(said) if isinstance(said[0], Status) else said

    patch.setattr(victims, "victims_on", drained)


def among_neighbours(patch: MonkeyPatch) -> None:
    """Victims are searched only in the first zone."""
    candidates = Evaluator.candidates

    def near(self: Evaluator, framework: Any, state: Any, each: Any, statuses: Any) -> Any:
        snapshot = self._handle.snapshot
        zones = snapshot.table.labels.column("zone").numbers[snapshot.rows]
        rows = snapshot.rows
        snapshot.rows = rows[zones == zones[0]]
        try:
            return candidates(self, framework, state, each, statuses)
        finally:
            snapshot.rows = rows

    patch.setattr(Evaluator, "candidates", near)


IMAGE = (NodeImage(("x:latest",), 800 * MIB),)
TWO_GIB = {"memory": 2048 * MIB}
BARE = tuple(pod(f"bare{number}", on="n1", containers=(Container(),)) for number in range(30))
SERVED: Snapshot = replace(
    snapshot(
        node("n1", labels={HOSTNAME: "n1"}), node("n2", labels={HOSTNAME: "n2"}),
        pod("a", 0, "n1", labels=FOO), pod("b", 0, "n1", labels=FOO),
    ),
    services=(Service("s", selector=frozendict(FOO)),),
)  # fmt: skip

SCORING = (
    Decided(
        f"{K}105220", pod(containers=of_two(0.1, 100)),
        snapshot(
            node("n1", 2, allocatable=TWO_GIB), node("n2", 2, allocatable=TWO_GIB), *BARE,
            pod("real", on="n1", containers=of_two(1, 0)), pod("a", on="n2", containers=of_two(0.5, 500)),
        ),
        only("Bind(p, n2)"),
        put(node_resources_balanced_allocation, "used_and_room",
            lambda resource, request, nodes, rated: used_and_room(resource, request, nodes, rated=True)),
        rated_by("NodeResourcesBalancedAllocation"),
    ),
    Decided(
        f"{K}116673", pod(containers=(Container(frozendict(), image="x"),)),
        snapshot(node("n1", images=IMAGE), node("n2", images=IMAGE)), only("Bind(p, n1)", "Bind(p, n2)"),
        counted_when_added, rated_by("ImageLocality"),
    ),
    Decided(
        f"{K}102136", pod(labels=FOO), SERVED, only("Bind(p, n2)"), always_strict, rated_by("PodTopologySpread"),
    ),
    Decided(
        "kubernetes-sigs/scheduler-plugins#381", pod(labels=FOO, spread=spread("zone")),
        snapshot(*hosts(n1=0, n2=0), pod("n", 0, namespace="other", labels=FOO, priority=1, nominated_node_name="n1")),
        only("Bind(p, n1)", "Bind(p, n2)"),
        put(pod_topology_spread, "among",
            lambda constraint, each, other: among(constraint, each, replace(other, namespace=each.namespace))),
    ),
    Decided(
        "kubernetes-sigs/kueue#4165", pod(cpu=1, priority=1), snapshot(node("n1", 1), pod("v", 1, "n1", priority=1)),
        only("Wait(p)"),
        put(NodeTable, "pods_below", of_the_same_priority),
    ),
    Decided(
        "kubernetes-sigs/kueue#3583", pod(cpu=1, priority=2),
        snapshot(*hosts(n1=0, n2=1), pod("v", 1, "n2", priority=1)), only("Nominate(p, n2, {v})"), among_neighbours,
    ),
    Decided(
        "volcano-sh/volcano@7910fbd6f", pod(cpu=1, priority=5),
        snapshot(node("n1", 1), node("n2", 1), pod("w", 1, "n1", priority=5), pod("v", 1, "n2", priority=1)), only("Nominate(p, n2, {v})"),
        first_node_for_all,
    ),
)  # fmt: skip
