"""A pod tried on one node, of which kube-scheduler is shown what it sees and nothing else: `Trials`, `Shown`.

Nothing of the specification is said here again: its own functions are asked, of a cycle that holds one node. What they
answered is remembered, and given to them where they would find it out once more.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from schedcheck.checker.tabulated.sight import NEAR, OfKube, Sights
from schedcheck.spec.binding import completed
from schedcheck.spec.feasibility.cycle import Cycle, Verdict, verdicts
from schedcheck.spec.feasibility.node_info import NodeInfo, node_info, node_infos
from schedcheck.spec.feasibility.refusal import Refusal
from schedcheck.spec.footprints import UNSEEN
from schedcheck.spec.kubernetes import taken_up
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.plugins import Plugins
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.values import Amounts
from schedcheck.spec.viability.scores import SCORE_PLUGINS

AT_PRE_FILTER = ("outcomes", "asked", "rejection", "skipped", "narrowing", "named")
"""What a cycle finds out before it tries a node."""

Requested = dict[tuple[int, ...], tuple[tuple[Pod, ...], Amounts]]
"""What several pods request together, by their identities in this process; the pods are kept, so that these stay theirs."""


COMPANY = next(plugin for plugin in SCORE_PLUGINS if plugin.name == "InterPodAffinity")
"""Its raw score of a node does not depend on which others there are to choose from."""

RATED = (*NEAR, COMPANY)

Raw = tuple[int, ...]
"""The raw scores of a node by the plugins of `RATED`."""

Answer = TypeVar("Answer")


class Shown(NamedTuple):
    """What a question is asked of: the pod, the node, and the snapshot with both."""

    pod: Pod
    node: Node
    snapshot: Snapshot


@dataclass(frozen=True)
class Remembering(NodeInfo):
    """A node with pods of which it is remembered what they request together."""

    known: Requested = field(default_factory=dict, compare=False)

    @cached_property
    def requested(self) -> Amounts:
        """What the pods request together."""
        which = tuple(map(id, self.pods))
        if which not in self.known:
            self.known[which] = self.pods, NodeInfo(self.node, self.pods, self.ports).requested
        return self.known[which][1]


class Trials:
    """Pods tried on nodes, and what came of it."""

    def __init__(self, sights: Sights) -> None:
        self.sights = sights
        self._cycles: dict[Hashable, Cycle] = {}
        self._requested: Requested = {}
        self._shown: Shown | None = None
        self._of_shown: dict[str, Cycle] = {}
        self._known: dict[Hashable, Any] = {}
        self._numbers: dict[Hashable, int] = {}
        # Of each pod that was shown, by its identity, the number of what it is like; it is kept so that this stays its own.
        self._like: dict[tuple[int, int], tuple[Pod, int]] = {}

    def number(self, label: Hashable) -> int:
        """A number that stands for the label."""
        return self._numbers.setdefault(label, len(self._numbers))

    def shown(self, pod: Pod, node: Node, snapshot: Snapshot, evicting: bool) -> Shown:
        """The node, and the snapshot cut down to what is seen; `evicting`: it is asked who may be evicted there."""
        seen = self.sights.of_kube(pod)
        if seen is None:
            return Shown(pod, node, snapshot)
        pod = seen.asker(pod, node.name)
        pods = []
        for each in snapshot.pods:
            if each.key == pod.key:
                pods.append(pod)
            elif node.name in (each.node_name, each.nominated_node_name):
                if seen.sees_near(each):
                    pods.append(self._noted(seen, each, seen.shown_near(each, evicting), node.name))
            elif seen.sees_afar(each):
                pods.append(self._noted(seen, each, seen.shown_afar(each), node.name))
        here = seen.shown_node(node)
        nodes: tuple[Node, ...] = (here,)
        if seen.looks_far:
            nodes = tuple(here if each.name == node.name else seen.far_node(each) for each in snapshot.nodes)
        budgets = snapshot.budgets if evicting else UNSEEN
        cut = (snapshot.namespaces, budgets, snapshot.services, snapshot.controllers, snapshot.storage)
        return Shown(pod, here, Snapshot(tuple(pods), nodes, *cut))

    def _noted(self, seen: OfKube, pod: Pod, shown: Pod, node: str) -> Pod:
        which = id(seen), id(shown)
        if which not in self._like:
            self._like[which] = shown, self.number((seen.occupying(pod), seen.place(pod, node), seen.afar(pod)))
        return shown

    def verdict(self, shown: Shown, profile: Profile) -> Verdict:
        """What the cycle of the pod says of the node, without its text."""
        return self._once(shown, profile, self._verdict)

    def raw(self, shown: Shown, profile: Profile) -> Raw:
        """The raw scores of the node."""
        return self._once(shown, profile, self._raw)

    def _verdict(self, made: Cycle, node: Node) -> Verdict:
        return plain(verdicts(made)[node.name])

    def _raw(self, made: Cycle, node: Node) -> Raw:
        seen = self.sights.of_kube(made.pod)
        heard = RATED if seen is None or seen.keeps_company else NEAR
        return tuple(
            plugin.raw(made.pod, (node,), made.snapshot, made.plugins)[node.name] if plugin in heard else 0
            for plugin in RATED
        )

    def _once(self, shown: Shown, profile: Profile, asked: Callable[[Cycle, Node], Answer]) -> Answer:
        """What is answered of the cycle of the pod and the node; it is remembered what was, of what is seen as this is."""
        seen = self.sights.of_kube(shown.pod)
        like = None if seen is None else self._question(seen, shown, by_scheduler_name(shown.pod, profile.plugins))
        question = None if like is None else (asked.__name__, like)
        known: Answer | None = self._known.get(question)
        if known is None:
            known = asked(self.cycle(shown, profile), shown.node)
            if question is not None:
                self._known[question] = known
        return known

    def _question(self, seen: OfKube, shown: Shown, plugins: Plugins) -> Hashable:
        """What the answers depend on; None where something was changed that was shown."""
        numbers = []
        for pod in shown.snapshot.pods:
            if pod is not shown.pod:
                like = self._like.get((id(seen), id(pod)))
                if like is None:
                    return None
                numbers.append(like[1])
        numbers.sort()
        nodes = shown.snapshot.nodes if seen.looks_far else ()
        # Of the plugins of a profile one name has one meaning; it is departures that the judge differs in.
        named = plugins.scheduler_name, plugins.departures
        return seen.whoever, named, seen.node_label(shown.node, shown.pod), tuple(numbers), nodes

    def cycle(self, shown: Shown, profile: Profile) -> Cycle:
        """The cycle of the pod in which one node is tried; that of the question that was asked last is kept."""
        if shown is not self._shown:
            self._shown, self._of_shown = shown, {}
        if profile.name not in self._of_shown:
            self._of_shown[profile.name] = self._cycle(shown, profile)
        return self._of_shown[profile.name]

    def _cycle(self, shown: Shown, profile: Profile) -> Cycle:
        pod, node, snapshot = shown
        plugins = by_scheduler_name(pod, profile.plugins)
        ended = frozenset(each for each in snapshot.pods if completed(each) or each.key == pod.key)
        others = snapshot - ended
        seen = self.sights.of_kube(pod)
        if seen is None:
            infos = node_infos(others)
            return Cycle(pod, others, plugins, tuple(info for info in infos if info.node == node), infos)
        there = others.pods_by_node
        whole = node_info(node, there.get(node.name, ()))
        info = Remembering(whole.node, whole.pods, whole.ports, known=self._requested)
        # What is known of the other nodes is who of those counts there that are seen, not what they hold of the node.
        cluster = tuple(
            info if each is node else NodeInfo(each, there.get(each.name, ()), frozenset()) for each in others.nodes
        )
        return self._prepared(seen, Cycle(pod, others, plugins, (info,), cluster))

    def of_all(self, pod: Pod, snapshot: Snapshot, profile: Profile) -> Cycle:
        """The cycle of the pod in which every node is tried."""
        made = taken_up(pod, snapshot, by_scheduler_name(pod, profile.plugins))
        seen = self.sights.of_kube(pod)
        return made if seen is None else self._prepared(seen, made)

    def _prepared(self, seen: OfKube, made: Cycle) -> Cycle:
        """The cycle, which is told what plugins say at PreFilter if that depends on nothing but the pod."""
        if not seen.looks_far:
            plugins = made.plugins
            named = id(seen), made.pod.nominated_node_name, plugins.scheduler_name, plugins.departures
            first = self._cycles.setdefault(named, made)
            vars(made).update({name: getattr(first, name) for name in AT_PRE_FILTER})
        return made


def plain(verdict: Verdict) -> Verdict:
    """The verdict without its text."""
    return verdict if verdict.refusal is None else replace(verdict, refusal=reduced(verdict.refusal))


def reduced(refusal: Refusal) -> Refusal:
    """What matters of a refusal."""
    return Refusal("", refusal.code, ())
