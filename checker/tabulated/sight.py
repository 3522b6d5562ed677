"""What a question sees of a state: `Sight`, `of_kube_scheduler`, `of_everything`, `of_nodes`.

A sight puts each value that another pod or a node may have into a class, or leaves it out. Pods of one class are counted,
so that a question is asked once for all states that show it as many of each class. What is left out is not shown to the
specification, which ends in OutsideFootprint if it looks at it all the same.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from frozendict import frozendict

from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.feasibility.cycle import FOOTPRINTS
from schedcheck.spec.feasibility.default_spread import constrained
from schedcheck.spec.feasibility.inter_pod_affinity import concerned
from schedcheck.spec.feasibility.pod_topology_spread import there
from schedcheck.spec.footprints import UNSEEN, Paths, Width, below, cut, footprint
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.plugins import Plugins
from schedcheck.spec.preemption.ties import kind
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.properties import Step
from schedcheck.spec.terms import NO_AFFINITY, NodeSelectorTerm
from schedcheck.spec.viability.inter_pod_affinity import votes_on
from schedcheck.spec.viability.pod_topology_spread import soft_constraints
from schedcheck.spec.viability.scores import SCORE_PLUGINS

OF_ALL_WHO_WAIT = frozenset({"room_left_to_the_nominated"})
"""Properties of a binding that ask what holds of all who wait for the node, whom it may concern where anybody is."""

OfPod = Callable[[Pod], Hashable]
OfNode = Callable[[Node | None], Hashable]

NEAR = tuple(plugin for plugin in SCORE_PLUGINS if footprint(plugin.raw).width <= Width.NODE)
"""The plugins whose raw score of a node looks at no other."""

PLACE: Paths = frozenset({"name", "namespace", "node_name", "nominated_node_name", "phase"})
"""What is shown of every pod: what it is called, and where it is."""

OCCUPYING: Paths = frozenset[str]().union(
    *(
        below("occupants", each.paths)
        for each in (*FOOTPRINTS.values(), *(footprint(plugin.raw) for plugin in NEAR))
        if each.width <= Width.NODE
    )
) - {"volumes"}
"""What the filters and scores of a pod without volumes look at of those on the node."""

AFAR: Paths = frozenset({"labels", "affinity", "terminating"})
"""What spread and inter-pod affinity look at of those who are anywhere."""


def unseen(thing: Any) -> Hashable:
    """The class of what is left out."""
    return None


@dataclass(frozen=True)
class Sight:
    """What a question sees, by classes: of the pods that point at its node, of those that do at any, of its node, of all.

    `budgets`: it sees what budgets allow. `named`: nodes that are alike are told apart. None is the class of whatever is
    not seen.
    """

    near: OfPod = unseen
    far: OfPod = unseen
    node: OfNode = unseen
    nodes: OfNode = unseen
    budgets: bool = False
    named: bool = True


def of_everything(exact: bool) -> Sight:
    """The sight of all there is; pods that differ in nothing but their names are told apart if `exact`."""
    return Sight(lambda pod: _whole(pod, exact), lambda pod: _whole(pod, False), lambda n: (n,), lambda n: (n,), True)


def _whole(pod: Pod, exact: bool) -> Hashable:
    """The pod wherever it is, if it is one of several whose names matter with its name."""
    own = pod if pod.volumes or exact else replace(pod, name="")
    return replace(own, node_name=str(bool(pod.node_name)), nominated_node_name=str(bool(pod.nominated_node_name)))


def of_nodes() -> Sight:
    """The sight of what is asked of a node with the pods on it, whatever these are about to do."""
    return Sight(
        near=lambda pod: replace(shown_to_nodes(pod), name="", node_name="") if pod.node_name else None,
        node=lambda node: (node,),
    )


SHOWN_OF_OCCUPANTS: Paths = OCCUPYING | PLACE | {"labels", "containers", "init_containers"}


def shown_to_nodes(pod: Pod) -> Pod:
    """A pod as far as it is seen where something is asked of its node."""
    shown: Pod = cut(pod, SHOWN_OF_OCCUPANTS)
    return shown


class OfKube:
    """What kube-scheduler sees for a pod that is to be placed, whatever it is called and nominated to."""

    def __init__(self, pod: Pod, scenario: Scenario, profiles: Iterable[Profile]) -> None:
        self.pod = pod
        self.scenario = scenario
        self.plugins = [by_scheduler_name(pod, each.plugins) for each in profiles]
        self.constant = Snapshot(
            namespaces=scenario.namespaces, services=scenario.services, controllers=scenario.owners
        )
        # How important it is says only who counts beside it.
        self.whoever = replace(pod, priority=0)
        # The same few values are looked at again and again.
        self.occupying, self.afar = cache(self._occupying), cache(self._afar)
        self.victim, self.company = cache(self._victim), cache(self._company)
        self.shown_near, self.shown_afar = cache(self._shown_near), cache(self._shown_afar)
        self.shown_node, self.far_node = cache(self._shown_node), cache(self._shown_far_node)
        self.asker, self.node_label = cache(self._asker), cache(self._node_label)

    @cached_property
    def soft(self) -> tuple[SpreadConstraint, ...]:
        """The constraints of spread that score."""
        return tuple(each for plugins in self.plugins for each in self._soft(plugins))

    def _soft(self, plugins: Plugins) -> tuple[SpreadConstraint, ...]:
        spreading = constrained(self.pod, self.constant, plugins.arguments)
        return soft_constraints(spreading, self.constant, plugins.arguments)

    @cached_property
    def hard(self) -> tuple[SpreadConstraint, ...]:
        """The constraints of spread that filter."""
        return tuple(
            each
            for plugins in self.plugins
            for each in constrained(self.pod, self.constant, plugins.arguments).spread
            if each.required
        )

    @cached_property
    def keeps_company(self) -> bool:
        """Whether it may matter to the pod where others are, or to others where it is."""
        return any(map(self._concerned, self.scenario.pods)) or bool(
            self.pod.affinity.pod_terms or self.pod.affinity.anti_required
        )

    @cached_property
    def looks_far(self) -> bool:
        """Whether what holds of a node may depend on pods that are elsewhere."""
        return bool(self.hard) or self.keeps_company

    @cached_property
    def keys(self) -> Collection[str] | None:
        """The labels of a node that are looked at, None for all."""
        terms = (*self.pod.affinity.node_required, *(each.term for each in self.pod.affinity.node_preferred))
        if self.looks_far or any(each.arguments.added_affinity.required for each in self.plugins):
            return None
        if any(each.arguments.added_affinity.preferred for each in self.plugins) or any(map(_by_name, terms)):
            return None
        return {*self.pod.node_selector, *(each.key for term in terms for each in term.match_expressions)}

    def _concerned(self, other: Pod) -> bool:
        return concerned(self.pod, other, self.constant) or votes_on(self.pod, other, self.constant)

    def admission(self) -> Sight:
        """Of whether the pod may go to a node, and how good that is."""
        return Sight(self.occupying, self.afar, self.near_node, self._far_node, False, self.keys is None)

    def eviction(self) -> Sight:
        """Of whom the pod may evict from a node."""
        return Sight(self._endangered, self.afar, self.near_node, self._far_node, True, True)

    def choice(self) -> Sight:
        """Of which node it is bound to, beside what was answered of each node."""
        if not self.soft:
            return Sight()
        return Sight(far=self._counted_softly, nodes=lambda node: (node and self.far_node(node),))

    def outcome(self) -> Sight:
        """Of what is done where it is bound to none, beside what was answered of each node."""
        return Sight()

    def _occupying(self, other: Pod) -> Hashable:
        """What it takes on the node; of those who wait for it only who comes before the pod counts."""
        if completed(other) or (not other.node_name and other.priority < self.pod.priority):
            return None
        return bool(other.node_name), nameless(self.near(other, counts=not other.node_name))

    def _endangered(self, other: Pod) -> Hashable:
        """The same; who may be evicted, or loses a nomination, is told by name."""
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

    def _far_node(self, node: Node | None) -> Hashable:
        return (node and self.far_node(node),) if self.looks_far else None

    def _victim(self, other: Pod) -> Hashable:
        """What a pod that may be evicted, or lose a nomination, is like but for its name and its node."""
        return kind(replace(other, node_name="", nominated_node_name=""), self.scenario.budgets)

    def near(self, other: Pod, counts: bool) -> Pod:
        """A pod that points at the node, as far as it is seen; `counts`: it may be tried there."""
        shown: Pod = cut(other, OCCUPYING | PLACE | (AFAR if counts and self.looks_far else frozenset()))
        return shown

    def _company(self, other: Pod, node: str) -> Hashable:
        """What is seen of a pod by what is asked of the node of this name, beside whom may be evicted there."""
        near = self.occupying(other) if node in (other.node_name, other.nominated_node_name) else None
        if other.node_name and other.priority < self.pod.priority:
            near = None
        afar = self.afar(other)
        return near, None if afar is None else (other.node_name, afar)

    def _asker(self, pod: Pod, node: str) -> Pod:
        """The pod as it asks of the node of this name: what else it is nominated to does not matter."""
        return pod if pod.nominated_node_name in ("", node) else replace(pod, nominated_node_name="")

    def place(self, other: Pod, node: str) -> str:
        """Where a pod is, as it is seen from the node of this name."""
        return "" if node in (other.node_name, other.nominated_node_name) else other.node_name

    def _node_label(self, shown: Node, pod: Pod) -> Hashable:
        """The node that is asked of, as far as it is told from others, and whether the pod is nominated to it."""
        return shown if self.keys is None else replace(shown, name=""), pod.nominated_node_name == shown.name

    def sees_near(self, other: Pod) -> bool:
        """Whether a pod that points at the node is seen."""
        return self.occupying(other) is not None

    def sees_afar(self, other: Pod) -> bool:
        """Whether a pod is seen that does not."""
        return self.afar(other) is not None

    def _shown_node(self, node: Node) -> Node:
        """The node that is asked of, as it is shown."""
        shown = self.near_node(node)
        assert shown is not None
        return replace(shown, name=node.name)

    def _shown_near(self, other: Pod, evicting: bool) -> Pod:
        """The same as it is shown, with what compares it with the pod."""
        if evicting and other.priority < self.pod.priority:
            return other
        paths = OCCUPYING | PLACE | (AFAR if self.looks_far else frozenset())
        shown: Pod = cut(other, paths if other.node_name and not evicting else paths | {"priority"})
        # Of whoever is tried there it is asked what it mounts, and requires of the pod: nothing that concerns the pod.
        shown = replace(shown, volumes=())
        return shown if self.looks_far else replace(shown, affinity=NO_AFFINITY)

    def _shown_afar(self, other: Pod) -> Pod:
        """A pod that is on any other node, as far as it is seen."""
        shown: Pod = cut(other, PLACE | AFAR)
        return shown

    def near_node(self, node: Node | None) -> Node | None:
        """The node that is asked of, as far as it is seen."""
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
        """Any other node, as far as it is seen."""
        shown: Node = cut(node, frozenset({"name", "labels", "taints"}))
        return shown


def _by_name(term: NodeSelectorTerm) -> bool:
    return term.match_fields != ()


class Sights:
    """The sights of all questions: `of` has for each question and value of a pod the number of one of `all`.

    Questions are in the order ADMISSION, EVICTION, CHOICE, OUTCOME.
    """

    def __init__(
        self,
        values: Sequence[Pod | None],
        scenario: Scenario,
        profiles: tuple[Profile, Profile],
        questions: Sequence[Step],
    ) -> None:
        self.values = values
        self.scenario = scenario
        self.profiles = profiles
        self.by_kube = bool(profiles[0].plugins)
        self.far_questions = any(each.name in OF_ALL_WHO_WAIT for each in questions)
        self._kubes: dict[Pod | None, OfKube | None] = {}
        self._of_who: dict[Pod, OfKube] = {}
        self.all: list[Sight] = []
        self.of: list[list[int]] = [[], [], [], []]
        numbers: dict[Hashable, int] = {}
        for pod in values:
            for question, (name, sight) in enumerate(self._sights(pod)):
                if (question, name) not in numbers:
                    numbers[question, name] = len(self.all)
                    self.all.append(sight)
                self.of[question].append(numbers[question, name])

    def of_kube(self, pod: Pod | None) -> OfKube | None:
        """What kube-scheduler sees for the pod; None where it is shown everything."""
        if pod not in self._kubes:
            self._kubes[pod] = self._of_kube(pod)
        return self._kubes[pod]

    def _of_kube(self, pod: Pod | None) -> OfKube | None:
        if not self.by_kube or pod is None or pod.node_name or pod.volumes or self.far_questions:
            return None
        who = nameless(pod)
        if who not in self._of_who:
            self._of_who[who] = OfKube(who, self.scenario, self.profiles)
        return self._of_who[who]

    def near(self, nodes: int) -> Iterator[int]:
        """Of ADMISSION and EVICTION, each value of a pod and each node a number, the same where it is asked alike."""
        for evicting in (False, True):
            numbers: dict[Hashable, int] = {}
            for value, pod in enumerate(self.values):
                seen = self.of_kube(pod)
                for node in range(nodes):
                    asked: Hashable = value, node
                    if pod is not None and seen is not None:
                        here = pod.nominated_node_name == self.scenario.nodes[node].name
                        named = evicting or seen.admission().named
                        asked = seen.pod, here, node if named else -1
                    yield numbers.setdefault(asked, len(numbers))

    def _sights(self, pod: Pod | None) -> Iterator[tuple[Hashable, Sight]]:
        """The sights of the four questions asked for this value, each with what is the same where the sight is."""
        seen = self.of_kube(pod)
        if seen is not None:
            sights = seen.admission(), seen.eviction(), seen.choice(), seen.outcome()
            yield from ((seen.pod, sight) for sight in sights)
        elif self.by_kube:
            asks = pod is not None and not pod.node_name
            for exact in (False, True, False, False):
                yield (exact, of_everything(exact)) if asks else (None, Sight())
        else:
            sight = of_everything(True)
            yield from [(None, sight if self.wide else replace(sight, far=unseen, nodes=unseen))] * 4

    @cached_property
    def judged(self) -> Sight:
        """The sight of what is asked of nodes with the pods on them."""
        return of_nodes() if self.by_kube else self.all[0]

    @cached_property
    def wide(self) -> bool:
        """Whether what the printed model says of a pod and a node may depend on pods that are elsewhere."""
        scenario = self.scenario
        return bool(scenario.services or scenario.owners) or any(
            pod.spread or pod.affinity.pod_terms or pod.annotated_affinity.pod_terms or pod.volumes
            for pod in scenario.pods
        )


def nameless(pod: Pod) -> Pod:
    """The pod without what it is called, and where it is or waits."""
    return replace(pod, name="", node_name="", nominated_node_name="")
