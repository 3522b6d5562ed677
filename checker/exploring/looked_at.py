"""What a decision of kube-scheduler looks at in a snapshot, as a key: equal keys have equal decisions: `LookedAt`.

A node that PreFilter leaves out, or that a filter refuses for good by its own fields, is the same to a pod whatever
pods are on it: no eviction helps there, and it is not scored. Of the pods there only those count that may matter on
other nodes: by a term of either pod, by topology spread, by volumes. Pending pods count once they are nominated.

`tests/checker/exploring/test_looked_at.py` compares the decisions in snapshots with equal keys.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

from schedcheck.spec.kubernetes import missing_state
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import FILTERS, FOOTPRINTS
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import concerned
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.inter_pod_affinity import votes_on
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.refusal import Code

NODE_ALONE: Final = frozenset(
    name
    for name, each in FOOTPRINTS.items()
    if {path.partition(".")[0] for path in each.paths} == {"node"} and name not in missing_state.FILTER
)
"""The filters that look at the pod and at the node, but at no other pod."""


@dataclass(frozen=True)
class Sight:
    """What a pod looks at whatever the pods around it do.

    - `everything`: all objects count, as for a rule of the user, which may look at any of them.
    - `spreads`: the pods of its namespace count on any node.
    - `named`: the nodes that PreFilter leaves; None for all.
    """

    everything: bool
    spreads: bool
    named: frozenset[str] | None


class LookedAt:
    """The keys of the decisions in the snapshots of one exploration, which differ in pods, nodes and budgets alone."""

    def __init__(self) -> None:
        self._sights: dict[tuple[Pod, str], Sight] = {}
        self._refused: dict[tuple[Pod, str, Node], bool] = {}
        self._far: dict[tuple[Pod, int], tuple[Pod, ...]] = {}
        # The objects whose identities are in keys.
        self._kept: dict[int, NodeInfo] = {}

    def key(self, pod: Pod, snapshot: Snapshot, plugins: Plugins, infos: tuple[NodeInfo, ...]) -> Hashable:
        """Return the key for a pod of the snapshot that needs no devices.

        A node of `infos` with the same pods is always the same object.
        """
        sight = self._sight(pod, snapshot, plugins, infos)
        if sight.everything:
            return pod, plugins.scheduler_name, snapshot.pods, snapshot.nodes, snapshot.budgets
        closed = {info.node.name for info in infos if self._closed(pod, info.node, sight, plugins)}
        seen = tuple(
            (info.node, self._from_afar(pod, info, sight, snapshot)) if info.node.name in closed else self._whole(info)
            for info in infos
        )
        nominated = tuple(
            other
            for other in snapshot.pods
            if other.nominated_node_name not in ("", *closed) and not other.node_name and other.priority >= pod.priority
        )
        return pod, plugins.scheduler_name, seen, nominated, snapshot.budgets

    def _sight(self, pod: Pod, snapshot: Snapshot, plugins: Plugins, infos: tuple[NodeInfo, ...]) -> Sight:
        known = pod, plugins.scheduler_name
        if known not in self._sights:
            made = Cycle(pod, snapshot - frozenset({pod}), plugins, infos, infos)
            whole = plugins.rules != () or made.rejection is not None
            self._sights[known] = Sight(whole, bool(made.spreading.spread), made.named)
        return self._sights[known]

    def _whole(self, info: NodeInfo) -> int:
        self._kept[id(info)] = info
        return id(info)

    def _closed(self, pod: Pod, node: Node, sight: Sight, plugins: Plugins) -> bool:
        """Whether the node is closed to the pod whatever pods are on it."""
        if node.name == pod.nominated_node_name:
            return False
        if sight.named is not None and node.name not in sight.named:
            return True
        known = pod, plugins.scheduler_name, node
        if known not in self._refused:
            self._refused[known] = _refused_for_good(pod, node, plugins)
        return self._refused[known]

    def _from_afar(self, pod: Pod, info: NodeInfo, sight: Sight, snapshot: Snapshot) -> tuple[Pod, ...]:
        """Return the pods on a closed node that may matter on other nodes."""
        known = pod, self._whole(info)
        if known not in self._far:
            self._far[known] = tuple(
                other
                for other in info.pods
                if (sight.spreads and other.namespace == pod.namespace)
                or (_stored(pod) and _stored(other))
                or concerned(pod, other, snapshot)
                or votes_on(pod, other, snapshot)
            )
        return self._far[known]


def _stored(pod: Pod) -> bool:
    """Whether the pod has a volume that another pod may have too."""
    return any(each.source is not None for each in pod.volumes)


def _refused_for_good(pod: Pod, node: Node, plugins: Plugins) -> bool:
    """Whether the first filter that refuses the node looks at no pods, and no eviction helps."""
    alone = NodeInfo(node, (), frozenset())
    cycle = Cycle(pod, Snapshot(nodes=(node,)), plugins, (alone,), (alone,))
    for name in plugins.at("filter"):
        if name not in NODE_ALONE:
            return False
        refusal = FILTERS[name](cycle, alone)
        if refusal is not None:
            return refusal.code == Code.UNRESOLVABLE and name not in cycle.skipped
    return False
