"""The sights of kube-scheduler: for a pod to be placed, `OfKube`, and for questions about a node, `of_nodes`.

These are the projections that the footprints of its filters and scores declare, for a pod without volumes.
"""

from collections.abc import Collection, Hashable, Iterable
from dataclasses import replace
from functools import cache, cached_property

from frozendict import frozendict

from schedcheck.checker.tabulated.layout.sight import Sight, nameless
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.footprints import UNSEEN, Paths, Width, below, cut, footprint
from schedcheck.spec.importance import kind
from schedcheck.spec.kubernetes.default_spread import constrained
from schedcheck.spec.kubernetes.filter import FOOTPRINTS
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import concerned
from schedcheck.spec.kubernetes.filters.pod_topology_spread import there
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.inter_pod_affinity import votes_on
from schedcheck.spec.kubernetes.scores.pod_topology_spread import soft_constraints
from schedcheck.spec.kubernetes.scores.scored import SCORE_PLUGINS
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.terms import NO_AFFINITY, NodeSelectorTerm

NEAR = tuple(plugin for plugin in SCORE_PLUGINS if footprint(plugin.raw).width <= Width.NODE)
"""The plugins whose raw score of a node depends on no other node."""

PLACE: Paths = frozenset({"name", "namespace", "node_name", "nominated_node_name", "phase"})
"""The fields that are shown of every pod: its name, its place and its phase."""

OCCUPYING: Paths = frozenset[str]().union(
    *(
        below("occupants", each.paths)
        for each in (*FOOTPRINTS.values(), *(footprint(plugin.raw) for plugin in NEAR))
        if each.width <= Width.NODE
    )
) - {"volumes"}
"""The fields of pods on the node that the filters and scores of a pod without volumes look at."""

AFAR: Paths = frozenset({"labels", "affinity", "terminating"})
"""The fields of pods on any node that PodTopologySpread and InterPodAffinity look at."""


def of_nodes() -> Sight:
    """Return the sight for questions about a node and its bound pods, whatever these pods do next."""
    return Sight(
        near=lambda pod: replace(shown_to_nodes(pod), name="", node_name="") if pod.node_name else None,
        node=lambda node: (node,),
    )


SHOWN_OF_OCCUPANTS: Paths = OCCUPYING | PLACE | {"labels", "containers", "init_containers"}


def shown_to_nodes(pod: Pod) -> Pod:
    """Return the part of a pod that questions about its node can see."""
    shown: Pod = cut(pod, SHOWN_OF_OCCUPANTS)
    return shown


class OfKube:
    """The sight of kube-scheduler for a pod to be placed; it does not depend on the pod's name and nomination."""

    def __init__(self, pod: Pod, scenario: Scenario, profiles: Iterable[Profile]) -> None:
        self.pod = pod
        self.scenario = scenario
        self.plugins = [by_scheduler_name(pod, each.plugins) for each in profiles]
        self.constant = Snapshot(
            namespaces=scenario.namespaces, services=scenario.services, controllers=scenario.owners
        )
        # The pod's priority only decides which nominated pods count.
        self.nameless = replace(pod, priority=0)
        # The same few values are asked for again and again.
        self.occupying, self.afar = cache(self._occupying), cache(self._afar)
        self.victim, self.company = cache(self._victim), cache(self._company)
        self.shown_near, self.shown_afar = cache(self._shown_near), cache(self._shown_afar)
        self.shown_node, self.far_node = cache(self._shown_node), cache(self._shown_far_node)
        self.asker, self.node_label = cache(self._asker), cache(self._node_label)

    @cached_property
    def soft(self) -> tuple[SpreadConstraint, ...]:
        """The topology spread constraints that score."""
        return tuple(each for plugins in self.plugins for each in self._soft(plugins))

    def _soft(self, plugins: Plugins) -> tuple[SpreadConstraint, ...]:
        spreading = constrained(self.pod, self.constant, plugins.arguments)
        return soft_constraints(spreading, self.constant, plugins.arguments)

    @cached_property
    def hard(self) -> tuple[SpreadConstraint, ...]:
        """The topology spread constraints that filter."""
        return tuple(
            each
            for plugins in self.plugins
            for each in constrained(self.pod, self.constant, plugins.arguments).spread
            if each.required
        )

    @cached_property
    def keeps_company(self) -> bool:
        """Whether inter-pod affinity may matter: the pod has terms, or terms of another pod may match it."""
        return any(map(self._concerned, self.scenario.pods)) or bool(
            self.pod.affinity.pod_terms or self.pod.affinity.anti_required
        )

    @cached_property
    def looks_far(self) -> bool:
        """Whether the answer for a node may depend on pods elsewhere."""
        return bool(self.hard) or self.keeps_company

    @cached_property
    def keys(self) -> Collection[str] | None:
        """The keys of the node labels that matter; None for all labels."""
        terms = (*self.pod.affinity.node_required, *(each.term for each in self.pod.affinity.node_preferred))
        if self.looks_far or any(each.arguments.added_affinity.required for each in self.plugins):
            return None
        if any(each.arguments.added_affinity.preferred for each in self.plugins) or any(map(_by_name, terms)):
            return None
        return {*self.pod.node_selector, *(each.key for term in terms for each in term.match_expressions)}

    def _concerned(self, other: Pod) -> bool:
        return concerned(self.pod, other, self.constant) or votes_on(self.pod, other, self.constant)

    def admission(self) -> Sight:
        """Return the sight of ADMISSION: whether the pod may go to a node, and with which scores."""
        return Sight(self.occupying, self.afar, self.near_node, self._far_node, False, self.keys is None)

    def eviction(self) -> Sight:
        """Return the sight of EVICTION: which pods this pod may evict from a node."""
        evicts = any(each.priority < self.pod.priority for each in self.scenario.pods)
        return Sight(self._endangered, self.afar, self.near_node, self._far_node, budgets=evicts)

    def choice(self) -> Sight:
        """Return the sight of CHOICE: the node to bind to, given the answers for each node."""
        if not self.soft:
            return Sight()
        return Sight(far=self._counted_softly, nodes=lambda node: (node and self.far_node(node),))

    def outcome(self) -> Sight:
        """Return the sight of OUTCOME: what happens when no node is feasible, given the answers for each node."""
        return Sight()

    def _occupying(self, other: Pod) -> Hashable:
        """Return what `other` occupies on the node, None if it does not count.

        Of the pods that are only nominated there, those of at least the pod's priority count.
        """
        if completed(other) or (not other.node_name and other.priority < self.pod.priority):
            return None
        return bool(other.node_name), nameless(self.near(other, counts=not other.node_name))

    def _endangered(self, other: Pod) -> Hashable:
        """Return the same, with a name for pods of lower priority: they may be evicted or lose a nomination."""
        if not completed(other) and other.priority < self.pod.priority:
            return bool(other.node_name), self.victim(other), other.key
        return self.occupying(other)

    def _afar(self, other: Pod) -> Hashable:
        if not other.node_name or completed(other):
            return None
        spread = tuple(there(each, self.pod, other) for each in self.hard)
        terms = (other.namespace, other.labels, other.affinity) if self._concerned(other) else None
        return (spread, terms) if any(spread) or terms else None

    def _counted_softly(self, other: Pod) -> Hashable:
        if not other.node_name or completed(other):
            return None
        found = tuple(there(each, self.pod, other) for each in self.soft)
        return found if any(found) else None

    def shown_to_choice(self, snapshot: Snapshot) -> Snapshot:
        """Return all nodes, and those pods that a scoring spread constraint counts."""
        counted = (each for each in snapshot.pods if self._counted_softly(each) is not None)
        return replace(snapshot, pods=tuple(map(self.shown_afar, counted)), budgets=UNSEEN)

    def _far_node(self, node: Node | None) -> Hashable:
        return (node and self.far_node(node),) if self.looks_far else None

    def _victim(self, other: Pod) -> Hashable:
        """Return what describes a pod that may be evicted or lose a nomination, without its name and node."""
        return kind(replace(other, node_name="", nominated_node_name=""), self.scenario.budgets)

    def near(self, other: Pod, counts: bool) -> Pod:
        """Return the visible part of a pod that points at the node; `counts`: it is nominated, to be added there."""
        shown: Pod = cut(other, OCCUPYING | PLACE | (AFAR if counts and self.looks_far else frozenset()))
        return shown

    def _company(self, other: Pod, node: str) -> Hashable:
        """Return what a question about the named node sees of a pod, leaving out pods that may be evicted there."""
        near = self.occupying(other) if node in (other.node_name, other.nominated_node_name) else None
        if other.node_name and other.priority < self.pod.priority:
            near = None
        afar = self.afar(other)
        return None if near is afar is None else (near, None if afar is None else (other.node_name, afar))

    def _asker(self, pod: Pod, node: str) -> Pod:
        """Return the pod as the named node sees it: a nomination to another node is removed, as it does not matter."""
        return pod if pod.nominated_node_name in ("", node) else replace(pod, nominated_node_name="")

    def place(self, other: Pod, node: str) -> str:
        """Return the node a pod is bound to, as the named node sees it; empty if the pod points at that node."""
        return "" if node in (other.node_name, other.nominated_node_name) else other.node_name

    def _node_label(self, shown: Node, pod: Pod) -> Hashable:
        """Return what tells the node apart: if names matter, with its name and whether the pod is nominated.

        The nomination matters to filters only if PreFilter narrows the nodes to some names.
        """
        return (shown, pod.nominated_node_name == shown.name) if self.keys is None else replace(shown, name="")

    def sees_near(self, other: Pod) -> bool:
        """Whether a pod that points at the node is seen."""
        return self.occupying(other) is not None

    def sees_afar(self, other: Pod) -> bool:
        """Whether a pod that points at another node, or at none, is seen."""
        return self.afar(other) is not None

    def _shown_node(self, node: Node) -> Node:
        """Return the visible part of the node in question, with its name."""
        shown = self.near_node(node)
        assert shown is not None
        return replace(shown, name=node.name)

    def _shown_near(self, other: Pod, evicting: bool) -> Pod:
        """Return the visible part of a pod that points at the node, with the fields that compare it with the pod."""
        if evicting and other.priority < self.pod.priority:
            return other
        paths = OCCUPYING | PLACE | (AFAR if self.looks_far else frozenset())
        shown: Pod = cut(other, paths if other.node_name and not evicting else paths | {"priority"})
        # Filters read the volumes and affinity of pods added to the node; neither concerns the pod.
        shown = replace(shown, volumes=())
        return shown if self.looks_far else replace(shown, affinity=NO_AFFINITY)

    def _shown_afar(self, other: Pod) -> Pod:
        """Return the visible part of a pod on any other node."""
        shown: Pod = cut(other, PLACE | AFAR)
        return shown

    def near_node(self, node: Node | None) -> Node | None:
        """Return the visible part of the node in question."""
        if node is None:
            return None
        labels = (
            node.labels if self.keys is None else {key: node.labels[key] for key in self.keys if key in node.labels}
        )
        return replace(
            node,
            name=node.name if self.keys is None else "",
            labels=frozendict(labels),
            **dict.fromkeys(("phase", "ready", "images", "capacity", "conditions"), UNSEEN),
        )

    def _shown_far_node(self, node: Node) -> Node:
        """Return the visible part of any other node."""
        shown: Node = cut(node, frozenset({"name", "labels", "taints"}))
        return shown


def _by_name(term: NodeSelectorTerm) -> bool:
    return term.match_fields != ()
