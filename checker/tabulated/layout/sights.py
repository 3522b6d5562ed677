"""The sights of all questions of a plan: `Sights`."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from schedcheck.checker.tabulated.layout.kube_sight import OfKube, of_nodes
from schedcheck.checker.tabulated.layout.sight import Sight, nameless, of_all_pods, of_everything, unseen
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.filters.dynamic_resources import claiming
from schedcheck.spec.objects import Pod
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.properties.kinds import Step

OF_ALL_WHO_WAIT = frozenset({"room_left_to_the_nominated"})
"""Properties of a binding that ask about all pods nominated to the node; they may depend on pods anywhere."""


class Sights:
    """The sights of all questions; `of` gives an index into `all` for each question and value of a pod.

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
        self.everyone = any(each.rules for each in scenario.plugins)
        self.far_questions = any(each.name in OF_ALL_WHO_WAIT for each in questions)
        self._kubes: dict[Pod | None, OfKube | None] = {}
        self._of_kind: dict[Pod, OfKube] = {}
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
        """Return what kube-scheduler sees for the pod; None if it is shown everything."""
        if pod not in self._kubes:
            self._kubes[pod] = self._of_kube(pod)
        return self._kubes[pod]

    def _of_kube(self, pod: Pod | None) -> OfKube | None:
        if pod is None or self.why_whole(pod):
            return None
        kind = nameless(pod)
        if kind not in self._of_kind:
            self._of_kind[kind] = OfKube(kind, self.scenario, self.profiles)
        return self._of_kind[kind]

    def why_whole(self, pod: Pod) -> str:
        """Return why questions about the pod see everything, and their answers come from whole cycles; empty if not."""
        if not self.by_kube:
            return "the scheduler has no plugins"
        if pod.node_name:
            return "the pod is bound"
        if pod.volumes:
            return "the pod has volumes"
        plugins = [by_scheduler_name(pod, each.plugins) for each in self.profiles]
        if any(claiming(pod, self.scenario.devices, each.departures) for each in plugins):
            return "the pod needs devices"
        if pod.scheduling_group or pod.waits_on:
            return "the pod is placed with others"
        if self.far_questions:
            return "a property reads all pods that wait for a node"
        if self.everyone:
            return "an out-of-tree plugin has rules"
        if any(each.extenders or each.unasked for each in plugins):
            return "there are extenders"
        return ""

    def near(self, nodes: int) -> Iterator[int]:
        """Yield a number for each pod value and node, for ADMISSION, then EVICTION; equal numbers mean one question."""
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
        """Yield the sights of the four questions for this value, each with a label that equal sights share."""
        seen = self.of_kube(pod)
        if seen is not None:
            sights = seen.admission(), seen.eviction(), seen.choice(), seen.outcome()
            yield from ((seen.pod, sight) for sight in sights)
        elif self.by_kube and self.everyone:
            asks = pod is not None and not pod.node_name
            yield from [(True, of_all_pods()) if asks else (None, Sight())] * 4
        elif self.by_kube:
            asks = pod is not None and not pod.node_name
            for exact in (False, True, False, False):
                yield (exact, of_everything(exact)) if asks else (None, Sight())
        else:
            sight = of_everything(True)
            yield from [(None, sight if self.wide else replace(sight, far=unseen, nodes=unseen))] * 4

    @cached_property
    def judged(self) -> Sight:
        """The sight of questions about nodes and their pods."""
        return of_nodes() if self.by_kube or not self.all else self.all[0]

    @cached_property
    def wide(self) -> bool:
        """Whether the printed model's answer for a pod and a node may depend on pods elsewhere."""
        scenario = self.scenario
        return bool(scenario.services or scenario.owners or self.everyone) or any(
            pod.spread or pod.affinity.pod_terms or pod.annotated_affinity.pod_terms or pod.volumes
            for pod in scenario.pods
        )
