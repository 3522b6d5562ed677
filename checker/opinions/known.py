"""What is known of a cluster, and what stays open about a pod: `Known`, `Seen`, `NOTHING`.

A scheduler sends an extender the pod and the nodes, but no other pods, volumes or namespaces. These are known only from
a cluster that was read.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from frozendict import frozendict

from schedcheck.checker.vectors.filtering import prepared
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.spec.kubernetes.filters.dynamic_resources import claiming
from schedcheck.spec.kubernetes.plugins import VOLUME_PLUGINS, Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import ClaimSource, Ephemeral

OF_POD_AND_NODE = frozenset(
    {"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodeResourcesFit", "NodeDeclaredFeatures"}
)  # fmt: skip
"""The filters whose refusal is certain whatever other pods there are.

NodeResourcesFit is asked about an empty node: other pods only take more.
"""

KEPT = 4
"""How many judges are kept: each holds sums over all nodes and pods."""


@dataclass(frozen=True)
class Seen:
    """What is known for a pod: the judge of the cluster, the profile of what is certain, and the parts that stay open.

    open
        Plugins about which nothing certain is known for this pod, each with the reason.
    """

    pod: Pod
    plugins: Plugins
    open: tuple[tuple[str, str], ...]
    judge: CycleJudge

    @cached_property
    def snapshot(self) -> Snapshot:
        """The snapshot without the pod, and without pods that have ended."""
        there = self.judge.there.running
        return replace(there, pods=tuple(each for each in there.pods if each.key != self.pod.key))


@dataclass
class Known:
    """A cluster: its snapshot, or None if only what a request holds is known; and the kinds of object that it has."""

    snapshot: Snapshot | None = None
    kinds: frozenset[str] = frozenset()
    _judges: "OrderedDict[object, CycleJudge]" = field(default_factory=OrderedDict)
    _profiles: "OrderedDict[object, tuple[Plugins, Plugins]]" = field(default_factory=OrderedDict)

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """The nodes of the cluster by name."""
        return {} if self.snapshot is None else {node.name: node for node in self.snapshot.nodes}

    @cached_property
    def pods(self) -> dict[tuple[str, str], Pod]:
        """The pods of the cluster by namespace and name."""
        return {} if self.snapshot is None else {pod.key: pod for pod in self.snapshot.pods}

    def has(self, node: Node) -> bool:
        """Whether the cluster has this node, as it is."""
        own = self.nodes.get(node.name)
        return own is node or own == node

    def same(self, node: Node) -> Node:
        """Return the node of the cluster if it equals this one, else this one."""
        own = self.nodes.get(node.name)
        return own if own is not None and own == node else node

    def seen(self, pod: Pod, nodes: Sequence[Node], plugins: Plugins) -> Seen:
        """Return what is known for this pod; the nodes that were sent replace those of the cluster."""
        left_out = tuple(self._open(pod, plugins))
        known = self._reduced(plugins, frozenset(name for name, _ in left_out))
        judge = self._judge(pod, nodes)
        return Seen(pod, known, left_out, judge)

    def warm(self, profiles: Sequence[Plugins]) -> None:
        """Compute the sums over the cluster that most questions need, so that the first one does not wait for them."""
        nobody = Pod("")
        for plugins in profiles:
            seen = self.seen(nobody, (), plugins)
            if prepared(seen.plugins):
                seen.judge.profile(seen.plugins)[0].numbers(seen.judge.cycle(nobody, seen.plugins))

    def with_bound(self, pod: Pod, node: str) -> "Known":
        """Return the cluster in which the pod is bound to the node."""
        if self.snapshot is None:
            return self
        pods = {**self.pods, pod.key: replace(pod, node_name=node, nominated_node_name="")}
        return Known(replace(self.snapshot, pods=tuple(pods[key] for key in sorted(pods))), self.kinds)

    def _judge(self, pod: Pod, nodes: Sequence[Node]) -> CycleJudge:
        """Return the judge of the cluster with these nodes, without a pod of this name that is on a node."""
        changed = tuple(node for node in nodes if not self.has(node))
        other = self.pods.get(pod.key)
        without = other is not None and other.node_name != ""
        key = changed, pod.key if without else None
        if key not in self._judges:
            base = self.snapshot or Snapshot()
            there = replace(base, nodes=tuple(node for _, node in sorted({**self.nodes, **_named(changed)}.items())))
            if without and other is not None:
                there = replace(there, pods=tuple(each for each in there.pods if each.key != pod.key))
            self._judges[key] = CycleJudge(there)
        self._judges.move_to_end(key)
        if len(self._judges) > KEPT:
            # The judge of the cluster as it was read is asked most often.
            self._judges.pop(next(each for each in self._judges if each != ((), None)))
        return self._judges[key]

    def _reduced(self, plugins: Plugins, left_out: Collection[str]) -> Plugins:
        """Return the profile without these plugins at preFilter, filter, preScore and score.

        One object for each profile: judges keep results by it.
        """
        key = id(plugins), frozenset(left_out)
        if key not in self._profiles:
            points = {
                point: tuple(each for each in names if each not in left_out) for point, names in plugins.points.items()
            }
            # The profile is kept too, so that no other one gets its identity.
            self._profiles[key] = plugins, replace(plugins, points=frozendict(points), unasked=(), extenders=())
            if len(self._profiles) > 256:
                self._profiles.popitem(last=False)
        return self._profiles[key][1]

    def _open(self, pod: Pod, plugins: Plugins) -> Iterator[tuple[str, str]]:
        """Yield the filters of the profile about which nothing certain is known, with the reason."""
        for name in plugins.at("filter"):
            why = self._why_open(name, pod, plugins)
            if why:
                yield name, why

    def _why_open(self, name: str, pod: Pod, plugins: Plugins) -> str:
        if name not in KNOWN_FILTERS:
            return "its definition is not known"
        if name in ("DynamicResources", "NodeResourcesFit") and self._backed(pod, plugins):
            return "extended resources that device classes back are not modelled"
        if not _concerns(name, pod, plugins):
            return ""
        if name == "DynamicResources":
            return "resource claims are not modelled"
        if self.snapshot is None and name not in OF_POD_AND_NODE:
            return "the other objects of the cluster are not known"
        if name in VOLUME_PLUGINS and _claims(pod) and "PersistentVolumeClaim" not in self.kinds:
            return "the cluster was read without PersistentVolumeClaims"
        if name == "InterPodAffinity" and "Namespace" not in self.kinds and self._selects_namespaces(pod):
            return "the cluster was read without Namespaces"
        if name == "PodTopologySpread" and self._spread_by_default(pod, plugins):
            return "the cluster was read without Services and controllers"
        return ""

    def _backed(self, pod: Pod, plugins: Plugins) -> bool:
        """Whether the pod has no claims and needs devices all the same."""
        there = None if pod.resource_claims else self.snapshot
        return there is not None and claiming(pod, there.devices, plugins.departures)

    def _selects_namespaces(self, pod: Pod) -> bool:
        return _selects(pod) or any(_selects(each) for each in self.pods.values())

    def _spread_by_default(self, pod: Pod, plugins: Plugins) -> bool:
        """Whether a default constraint may refuse nodes, by selectors of objects that were not read."""
        defaults = plugins.arguments.default_constraints or ()
        owners = {"Service", "ReplicaSet", "StatefulSet", "ReplicationController"}
        return not pod.spread and any(each.required for each in defaults) and self.kinds.isdisjoint(owners)


KNOWN_FILTERS = OF_POD_AND_NODE | {
    "NodePorts",
    *VOLUME_PLUGINS,
    "PodTopologySpread",
    "InterPodAffinity",
    "DynamicResources",
}
"""The filters of kube-scheduler."""


def _named(nodes: Sequence[Node]) -> dict[str, Node]:
    return {node.name: node for node in nodes}


def _concerns(name: str, pod: Pod, plugins: Plugins) -> bool:
    """Whether the filter may refuse a node for this pod."""
    if name in VOLUME_PLUGINS:
        return pod.volumes != ()
    if name == "NodePorts":
        return any(port.port for each in (*pod.containers, *pod.init_containers) for port in each.ports)
    if name == "PodTopologySpread":
        defaults = plugins.arguments.default_constraints or ()
        return any(each.required for each in (*pod.spread, *defaults))
    return name != "DynamicResources" or pod.resource_claims != ()


def _claims(pod: Pod) -> bool:
    return any(isinstance(each.source, ClaimSource | Ephemeral) for each in pod.volumes)


def _selects(pod: Pod) -> bool:
    """Whether a term of the pod selects namespaces by labels."""
    affinity = pod.affinity
    terms = (
        *affinity.pod_required,
        *affinity.anti_required,
        *(each.term for each in (*affinity.pod_preferred, *affinity.anti_preferred)),
    )
    return any(each.namespace_selector is not None for each in terms)
