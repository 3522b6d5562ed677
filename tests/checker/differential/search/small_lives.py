"""Random lives of small clusters, whose pods and nodes have the features of one definition: `small_live`

Few pods on one or two nodes get into each other's way, so that most events matter. Pods may come with a nomination.
"""

from dataclasses import replace

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.storage import Stored
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Namespace, Node, Pod, PodDisruptionBudget, Snapshot, Toleration
from schedcheck.spec.values import Labels
from tests.checker.differential.enumeration.spaces import NODES
from tests.checker.differential.enumeration.vocabulary import FEATURES, NAMED
from tests.checker.differential.search import small
from tests.checker.differential.search.lives import Life
from tests.checker.differential.search.small_flips import LISTS

EVENTS = ("waiting", "gates", "extenders", "faults", "restarts", "late")
CALM_EVENTS = ("gates", "extenders")
CONTENDED = ("preemption", "resources", "nominations", "room for pods", "waits for victims", "anti-affinity")
"""Features by which pods get into each other's way."""


class SmallLife(Life):
    """A life whose objects have the values of a few features."""

    def _begun(self, start: int | str, calm: bool) -> Chance:
        chance = Chance(f"small life {start}")
        chosen = small.features(chance, FEATURES)
        if chance.often(0.6):
            chosen = (*chosen, NAMED[chance.choice(CONTENDED)])
        self.chosen = tuple(dict.fromkeys(chosen))
        events = {each for each in (CALM_EVENTS if calm else EVENTS) if chance.often(0.4)}
        objects = {"budgets", "namespaces"} & {each.name for each in self.chosen}
        stored = {"volumes"} if small.beside(chance, self.chosen).storage != Snapshot().storage else set[str]()
        chance.features = frozenset(events | objects | stored | {"nominations"})
        return chance

    def _there(self) -> Snapshot:
        chance = self.chance
        nodes = small.nodes(chance, self.chosen, 2)
        places = [*(each.name for each in nodes), *[""] * len(nodes)]
        pods = [self._new_pod(f"b{number}", chance.choice(places)) for number in range(chance.one(0, 1, 2, 2, 3))]
        beside = small.beside(chance, self.chosen)
        made = Snapshot.of(pods, nodes, beside.namespaces)
        return replace(beside, pods=made.pods, nodes=made.nodes, namespaces=made.namespaces)

    def _plugins(self) -> Plugins:
        return small.plugins(self.chance, self.chosen)

    def _new_pod(self, name: str, on: str) -> Pod:
        made = small.pod(self.chance, self.chosen, name, on)
        if on:
            return replace(made, nominated_node_name="", terminating=False, preempted=False)
        return replace(made, nominated_node_name=self.chance.choice(NODES[:2])) if self.chance.often(0.15) else made

    def _bound(self, one: Pod) -> Pod:
        """Return a pod of the beginning, which may wait."""
        return one

    def _new_node(self, name: str) -> Node:
        return small.node(self.chance, self.chosen, name)

    def _new_stored(self) -> Stored | None:
        storage = small.beside(self.chance, self.chosen).storage
        listed = [each for name in LISTS for each in getattr(storage, name)]
        return self.chance.choice(listed) if listed else None

    def _labels(self) -> Labels:
        return self._new_pod("x", "").labels

    def _tolerations(self) -> tuple[Toleration, ...]:
        return self._new_pod("x", "").tolerations

    def _budgets(self) -> tuple[PodDisruptionBudget, ...]:
        return small.beside(self.chance, self.chosen).budgets

    def _namespaces(self) -> tuple[Namespace, ...]:
        return small.beside(self.chance, self.chosen).namespaces


def small_live(start: str, steps: int = 25, *, calm: bool = False) -> None:
    """Live one small life of this number of steps. Raises: AssertionError at the first violation."""
    SmallLife(start, calm=calm).run(steps, calm=calm)
