"""A pod tried on one node, on a snapshot reduced to what kube-scheduler sees: `Trials`, `Shown`.

Nothing of the specification is repeated here: its own functions are called, on a cycle that holds one node. Their
answers are kept in memos and handed to them where they would compute the same again.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from schedcheck.checker.tabulated.answers.parts import OF_THE_NODE, Parts, Remembering
from schedcheck.checker.tabulated.layout.kube_sight import NEAR, OfKube
from schedcheck.checker.tabulated.layout.sights import Sights
from schedcheck.spec.binding import completed
from schedcheck.spec.footprints import UNSEEN, Width
from schedcheck.spec.kubernetes import missing_state
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.filter import FILTERS, FOOTPRINTS, Verdict, verdicts
from schedcheck.spec.kubernetes.node_info import NodeInfo, node_info, node_infos
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import Scores
from schedcheck.spec.kubernetes.scores.scored import SCORE_PLUGINS
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.refusal import Code, Refusal, unschedulable

COMPANY = next(plugin for plugin in SCORE_PLUGINS if plugin.name == "InterPodAffinity")
"""InterPodAffinity; its raw score of a node does not depend on the other nodes to choose from."""

RATED = (*NEAR, COMPANY)

Raw = tuple[int, ...]
"""The raw scores of a node by the plugins of `RATED`."""

FAR = frozenset(name for name, each in FOOTPRINTS.items() if each.width > Width.NODE)
"""The filters that look at more than one node."""

Part = str
ALL, NEAR_ALONE, FAR_ALONE = "all", "near", "far"
"""Which filters are asked: all, those that look at one node, or those that look at more."""

Answer = TypeVar("Answer")


class Shown(NamedTuple):
    """The subject of a question: the pod, the node, and the snapshot with both."""

    pod: Pod
    node: Node
    snapshot: Snapshot


class Like(NamedTuple):
    """A pod as shown for a node, with numbers that stand for what questions see of it there.

    The pod is kept so that no other object gets its identity. `near` is what questions about one node see of it (-1 if
    it is on another node), `all` what questions about all nodes see. `far` is what is counted of it on its node,
    whatever the question's node (-1 if nothing is).
    """

    shown: Pod
    near: int
    all: int
    far: int


class Counted(NamedTuple):
    """What the counts over all nodes depend on: a number for the counted pods and all nodes, and the nominated pods here."""

    all: int
    nominated: tuple[int, ...]


class Trials:
    """Trials of pods on nodes, with memos of their results."""

    def __init__(self, sights: Sights) -> None:
        self.sights = sights
        self._composed = Parts()
        self._shown: Shown | None = None
        self._of_shown: dict[str, Cycle] = {}
        self._known: dict[Hashable, Any] = {}
        self._numbers: dict[Hashable, int] = {}
        self._labelled: dict[Hashable, tuple[Pod, int]] = {}
        self._like: dict[tuple[int, int, str], Like] = {}

    def number(self, label: Hashable) -> int:
        """Return a number that stands for the label."""
        return self._numbers.setdefault(label, len(self._numbers))

    def victim(self, seen: OfKube, pod: Pod) -> int:
        """Return the number of what describes a pod that may be evicted, without its name and node."""
        return self._number_of((None, id(seen), id(pod)), pod, lambda: seen.victim(pod))

    def company(self, seen: OfKube, pod: Pod, node: str) -> int:
        """Return the number of what a question about the named node sees of a pod that is not evicted; -1 if nothing."""
        return self._number_of((node, id(seen), id(pod)), pod, lambda: seen.company(pod, node))

    def _number_of(self, which: Hashable, pod: Pod, label: Callable[[], Hashable]) -> int:
        """Return the number of the pod's label, -1 for None. The pod is kept, so that its identity stays valid."""
        known = self._labelled.get(which)
        if known is None:
            found = label()
            known = self._labelled[which] = pod, -1 if found is None else self.number(found)
        return known[1]

    def shown(self, pod: Pod, node: Node, snapshot: Snapshot, evicting: bool) -> Shown:
        """Return the node and the snapshot reduced to what is seen; `evicting`: for a question about evictions."""
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
        cut = (
            snapshot.namespaces,
            budgets,
            snapshot.services,
            snapshot.controllers,
            snapshot.storage,
            snapshot.devices,
        )
        return Shown(pod, here, Snapshot(tuple(pods), nodes, *cut))

    def _noted(self, seen: OfKube, pod: Pod, shown: Pod, node: str) -> Pod:
        which = id(seen), id(shown), node
        if which not in self._like:
            place = seen.place(pod, node)
            near = -1 if place else self.number(seen.occupying(pod))
            afar = seen.afar(pod)
            far = -1 if afar is None else self.number((pod.node_name, afar))
            self._like[which] = Like(shown, near, self.number((near, place, afar)), far)
        return shown

    def verdict(self, shown: Shown, profile: Profile) -> Verdict:
        """Return the verdict of the pod's cycle on the node, without its text."""
        seen = self.sights.of_kube(shown.pod)
        if seen is None or not seen.looks_far:
            return self._once(shown, profile, ALL, _verdict)
        near = self._once(shown, profile, NEAR_ALONE, _verdict)
        far = self._afar(shown, profile, seen)
        if near.refusal is None or far.refusal is None:
            return far if near.refusal is None else near
        # The first filter to refuse is not known then; it does not matter if both refusals are equal.
        return near if near == far else self._once(shown, profile, ALL, _verdict)

    def _afar(self, shown: Shown, profile: Profile, seen: OfKube) -> Verdict:
        """Return the verdict of the filters that look at more than one node.

        They depend on the counts over all nodes, and on what the trial adds to them: the node and its nominated pods.
        """
        counted, plugins = self._counted(seen, shown), by_scheduler_name(shown.pod, profile.plugins)
        if counted is None:
            return self._once(shown, profile, FAR_ALONE, _verdict)
        asked = _asked(seen, plugins)
        counts = self._composed.counts((asked, counted.all), lambda: self.cycle(shown, profile))
        here = seen.far_node(shown.node), shown.pod.nominated_node_name == shown.node.name
        question = _verdict, asked, counts, here, counted.nominated
        known: Verdict | None = self._known.get(question)
        if known is None:
            known = self._known[question] = _verdict(self._part(self.cycle(shown, profile), FAR_ALONE), shown.node)
        return known

    def raw(self, shown: Shown, profile: Profile) -> Raw:
        """Return the raw scores of the node by the plugins of `RATED`."""
        near = self._once(shown, profile, NEAR_ALONE, _raw)
        seen = self.sights.of_kube(shown.pod)
        if seen is not None and not seen.keeps_company:
            return *near, 0
        counted = None if seen is None else self._counted(seen, shown)
        if seen is None or counted is None:
            return *near, self._once(shown, profile, FAR_ALONE, _of_company)[shown.node.name]
        question = _of_company, _asked(seen, by_scheduler_name(shown.pod, profile.plugins)), counted.all
        if question not in self._known:
            self._known[question] = _of_company(self.cycle(shown, profile), shown.node)
        return *near, self._known[question][shown.node.name]

    def _once(self, shown: Shown, profile: Profile, part: Part, asked: Callable[[Cycle, Node], Answer]) -> Answer:
        """Return the answer for the pod's cycle and the node, computed once for all cases that look the same."""
        seen = self.sights.of_kube(shown.pod)
        plugins = by_scheduler_name(shown.pod, profile.plugins)
        like = None if seen is None else self._question(seen, shown, plugins, part is not NEAR_ALONE)
        question = None if like is None else (asked, part, like)
        known: Answer | None = self._known.get(question)
        if known is None:
            made = self.cycle(shown, profile)
            known = asked(self._part(made, part), shown.node)
            if question is not None:
                self._known[question] = known
        return known

    def evicting(self, shown: Shown, profile: Profile) -> Cycle:
        """Return the pod's cycle without the filters that admit the pod to the node whatever pods are there."""
        made, seen = self.cycle(shown, profile), self.sights.of_kube(shown.pod)
        if seen is None or seen.keeps_company:
            return made
        like = seen.nameless, seen.node_label(shown.node, shown.pod)
        return self._composed.only(made, like, lambda name: not _passes(made, name))

    def _part(self, made: Cycle, part: Part) -> Cycle:
        """Return the cycle with all filters, only those that look at one node, or only those that look at more."""
        if part is ALL:
            return made
        return self._composed.only(made, part, lambda name: (name in FAR) == (part is FAR_ALONE))

    def _question(self, seen: OfKube, shown: Shown, plugins: Plugins, far: bool) -> Hashable:
        """Return what the answers depend on; None if a shown pod was replaced by another object."""
        numbers = []
        for pod in shown.snapshot.pods:
            if pod is not shown.pod:
                like = self._like.get((id(seen), id(pod), shown.node.name))
                if like is None:
                    return None
                if far or like.near >= 0:
                    numbers.append(like.all if far else like.near)
        numbers.sort()
        nodes = shown.snapshot.nodes if far and seen.looks_far else ()
        return _asked(seen, plugins), seen.node_label(shown.node, shown.pod), tuple(numbers), nodes

    def cycle(self, shown: Shown, profile: Profile) -> Cycle:
        """Return the pod's cycle in which one node is tried; the cycles of the last question are kept."""
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
        info = Remembering(whole.node, whole.pods, whole.ports, known=self._composed.requested)
        # Of the other nodes only the counted pods are known, not what these request or occupy.
        cluster = tuple(
            info if each is node else NodeInfo(each, there.get(each.name, ()), frozenset()) for each in others.nodes
        )
        made = Cycle(pod, others, plugins, (info,), cluster)
        counted = self._counted(seen, shown) if seen.looks_far else None
        known = None if counted is None else (_asked(seen, plugins), counted.all)
        return self._composed.prepared(made, id(seen), counted=known, changes=seen.keeps_company)

    def _counted(self, seen: OfKube, shown: Shown) -> Counted | None:
        """Return what stands for the pods that count on all nodes; None if a shown pod was replaced by another object."""
        numbers, nominated = [], []
        for pod in shown.snapshot.pods:
            if pod is not shown.pod:
                like = self._like.get((id(seen), id(pod), shown.node.name))
                if like is None:
                    return None
                if like.far >= 0:
                    numbers.append(like.far)
                elif not pod.node_name and like.near >= 0:
                    nominated.append(like.near)
        whole = tuple(sorted(numbers)), tuple(map(seen.far_node, shown.snapshot.nodes))
        return Counted(self.number(whole), tuple(sorted(nominated)))

    def of_all(self, pod: Pod, snapshot: Snapshot, profile: Profile) -> Cycle:
        """Return the pod's cycle in which every node is tried."""
        made = taken_up(pod, snapshot, by_scheduler_name(pod, profile.plugins))
        seen = self.sights.of_kube(pod)
        return made if seen is None else self._composed.prepared(made, id(seen), changes=seen.keeps_company)


def _passes(made: Cycle, name: str) -> bool:
    """Whether the cycle leaves the filter out, or the filter looks at the node alone and admits the pod."""
    plugins = made.plugins
    if name not in FILTERS or missing_state.unprepared_to_filter(name, plugins):
        return False
    if name in made.skipped and Departure.SKIPPED_SEES_NO_NOMINATED in plugins.departures:
        return True
    return name in OF_THE_NODE and FILTERS[name](made, made.infos[0]) is None


def _asked(seen: OfKube, plugins: Plugins) -> Hashable:
    """Return what stands for the pod and the plugins.

    Within a profile a scheduler name stands for one set of plugins; the judge differs only in departures.
    """
    return seen.nameless, plugins.scheduler_name, plugins.departures


def _verdict(made: Cycle, node: Node) -> Verdict:
    return plain(verdicts(made)[node.name])


def _raw(made: Cycle, node: Node) -> Raw:
    return tuple(plugin.raw(made.pod, (node,), made.snapshot, made.plugins)[node.name] for plugin in NEAR)


def _of_company(made: Cycle, node: Node) -> Scores:
    """Return the raw score of every node by `COMPANY`."""
    return COMPANY.raw(made.pod, made.snapshot.nodes, made.snapshot, made.plugins)


def plain(verdict: Verdict) -> Verdict:
    """Return the verdict without its text."""
    return verdict if verdict.refusal is None else replace(verdict, refusal=reduced(verdict.refusal))


def reduced(refusal: Refusal) -> Refusal:
    """Return the refusal with its code alone."""
    return Refusal("", refusal.code, ())


def for_choice(verdict: Verdict) -> Verdict:
    """Reduce a verdict to what matters to the choice: feasible, refused, or failed with an error."""
    if verdict.refusal is None or verdict.refusal.code == Code.ERROR:
        return verdict
    return Verdict(unschedulable(""), "filter")
