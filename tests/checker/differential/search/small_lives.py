"""Random lives of small clusters, whose pods and nodes have the features of one definition: `small_live`, ...

Few pods on one or two nodes get into each other's way, so that most events matter. Pods may come with a nomination. In
`stored_live` the pods have volumes, and their permits and bindings often fail. In `crowded_live` more pods of one priority
come than there is room for, and time passes before each step. In `late_live` changes arrive one by one, behind the cycles.
"""

from collections.abc import Callable
from dataclasses import replace

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.storage import Stored
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Namespace, Node, Pod, PodDisruptionBudget, Snapshot, Toleration
from schedcheck.spec.values import Labels
from tests.checker.differential.enumeration.spaces import NODES
from tests.checker.differential.enumeration.storage_vocabulary import STORAGE
from tests.checker.differential.enumeration.vocabulary import FEATURES, NAMED
from tests.checker.differential.search import small
from tests.checker.differential.search.lives import Life
from tests.checker.differential.search.small_flips import BARRING, LISTS

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


class StoredLife(SmallLife):
    """A life of pods with volumes, whose permits and bindings often fail."""

    def _begun(self, start: int | str, calm: bool) -> Chance:
        chance = Chance(f"stored life {start}")
        self.chosen = small.features(chance, STORAGE)
        if chance.often(0.3):
            self.chosen = (*self.chosen, NAMED[chance.choice(CONTENDED)])
        events = {each for each in EVENTS if chance.often(0.8 if each in ("waiting", "faults") else 0.3)}
        stored = {"volumes"} if small.beside(chance, self.chosen).storage != Snapshot().storage else set[str]()
        chance.features = frozenset(events | stored)
        return chance


class CrowdedLife(SmallLife):
    """A life of more pods than there is room for, most of one priority; time passes before each step."""

    def _begun(self, start: int | str, calm: bool) -> Chance:
        chance = Chance(f"crowded life {start}")
        self.chosen = (NAMED["resources"], *(NAMED[each] for each in chance.some(BARRING, 0, 1)))
        chance.features = frozenset(each for each in EVENTS if chance.often(0.2))
        return chance

    def _steps(self, calm: bool) -> list[Callable[[], None]]:
        own = [self.cycle, self.one_cycle, self.one_cycle, self.advance]
        some = [self.pod_comes, self.pod_comes, self.node_comes, self.node_changes, self.pod_goes, self.pod_changes]
        return [*own, *some, *([self.deliver, self.deliver_all] if "late" in self.chance.features else ())]

    def one_cycle(self) -> None:
        """Run one cycle alone, so that time passes before the next."""
        self.world.cycle()

    def run(self, steps: int, *, calm: bool = False) -> None:
        """Take this number of random steps, each some time after the last, then settle."""
        for _ in range(steps):
            self.world.wait(self.chance.one(0.1, 0.5, 1.0, 2.0, 5.0))
            self.chance.choice(self.steps)()
        self.world.settle()


class LateLife(SmallLife):
    """A life of pods that preempt, whose changes arrive one by one, behind what the scheduler itself has done."""

    def _begun(self, start: int | str, calm: bool) -> Chance:
        chance = Chance(f"late life {start}")
        others = chance.some([each for each in CONTENDED if each != "preemption"], 0, 1)
        self.chosen = (NAMED["preemption"], *(NAMED[each] for each in others))
        chance.features = frozenset({"late", "nominations"} | ({"waiting"} if chance.often(0.2) else set()))
        return chance

    def _steps(self, calm: bool) -> list[Callable[[], None]]:
        own = [self.cycle, self.cycle, self.deliver, self.deliver, self.deliver_all, self.evicting, self.advance]
        some = [self.pod_comes, self.pod_comes, self.pod_changes, self.pod_changes, self.pod_changes, self.pod_goes]
        return [*own, *some, self.node_changes, self.wait]

    def _heard(self) -> None:
        """Deliver nothing: that is a step of its own."""


def small_live(start: str, steps: int = 25, *, calm: bool = False) -> None:
    """Live one small life of this number of steps. Raises: AssertionError at the first violation."""
    SmallLife(start, calm=calm).run(steps, calm=calm)


def stored_live(start: str, steps: int = 25) -> None:
    """Live one life of pods with volumes. Raises: AssertionError at the first violation."""
    StoredLife(start).run(steps)


def crowded_live(start: str, steps: int = 40) -> None:
    """Live one life of pods without room. Raises: AssertionError at the first violation."""
    CrowdedLife(start).run(steps)


def late_live(start: str, steps: int = 30) -> None:
    """Live one life behind its events. Raises: AssertionError at the first violation."""
    LateLife(start).run(steps)
