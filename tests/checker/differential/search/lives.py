"""Random lives of a scheduler, each with a random subset of the features and of the events: `live`

Pods, nodes and storage objects come, change and go; budgets and namespaces change; calls fail; changes arrive late, all
at once, in the middle of a cycle, or not at all. Everything is checked after every step.
"""

from collections.abc import Callable
from dataclasses import replace

from schedcheck.checker.differential.standing import looking_at
from schedcheck.checker.drawing.quick.chance import FEATURES, Chance
from schedcheck.checker.drawing.quick.pods import leaving, named, node, pod
from schedcheck.checker.drawing.quick.questions import arguments, budgets, namespaces, snapshot
from schedcheck.checker.drawing.quick.storage import CLAIMS, DRIVERS, VOLUMES, drawn, stored_object
from schedcheck.checker.drawing.quick.terms import NODE_NAMES, pod_labels, tolerations
from schedcheck.checker.drawing.storage import Stored
from schedcheck.model.production.framework.events import EventOfInterest
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Namespace, Node, Pod, PodDisruptionBudget, Snapshot, Toleration
from schedcheck.spec.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from schedcheck.spec.values import Labels
from tests.checker.differential.search.own import GATED, Binder, Profile, bound_by, with_own
from tests.checker.differential.search.paces import Paces
from tests.checker.differential.search.ports import held, without_ports
from tests.checker.differential.search.world import World
from tests.support.building import resized
from tests.support.extending import Ruled

LIVED = (*(each for each in FEATURES if each not in {"versions", "configurations", "devices", "terminating", "image-sizes"}),
         "waiting", "gates", "extenders", "faults", "restarts", "late")  # fmt: skip
CALM = tuple(each for each in LIVED if each not in {"faults", "restarts", "late", "waiting"})
"""The features of a life in which one event happens after the other."""
NODE_FIELDS = ("labels", "allocatable", "taints", "unschedulable", "images", "declared_features")
POD_NAMES = ("p", "q", "r", "s", "t", "u")
PLACES = ("n1", "n2", "n3", "n4")
STORED: tuple[tuple[type, tuple[str, ...]], ...] = (
    (PersistentVolume, VOLUMES), (PersistentVolumeClaim, CLAIMS), (StorageClass, ("local", "made", "now")),
    (CSINode, PLACES[:3]), (CSIDriver, DRIVERS), (CSIStorageCapacity, ("k0", "k1")), (VolumeAttachment, ("a0", "a1")),
)  # fmt: skip


class Life(Paces):
    """One life: a chance, and a world that it changes step by step."""

    made_of: type[World] = World
    wakes: tuple[EventOfInterest, ...] = ()  # after which a pod is tried again that was rejected on Permit

    def __init__(self, start: int | str, *, calm: bool = False) -> None:
        self.chance = chance = self._begun(start, calm)
        there = self._there()
        pods = [replace(self._bound(each), name=f"b{number}") for number, each in enumerate(there.pods)]
        expires = chance.often(0.3)
        things = [*there.nodes, *(without_ports(each) if expires or n else each for n, each in enumerate(pods))]
        if expires:
            chance.features -= {"ports"}
        plugins: Plugins = looking_at(100, self._plugins())
        beside = replace(Snapshot(), namespaces=there.namespaces, budgets=there.budgets)
        beside = replace(beside, services=there.services, controllers=there.controllers)
        storage = there.storage
        self.world = self.made_of(
            *things,
            *storage.volumes, *storage.claims, *storage.classes, *storage.nodes, *storage.drivers, *storage.capacities,
            *storage.attachments,
            profile=self._profile(plugins),
            judged=plugins,
            beside=beside,
            extenders=self._extenders() if chance.has("extenders", 0.8) else (),
            expires=expires,
            listed=chance.often(0.7),
            wakes=self.wakes,
        )  # fmt: skip
        self.steps = self._steps(calm)

    def _begun(self, start: int | str, calm: bool) -> Chance:
        chance = Chance.of(f"life {start}", CALM if calm else LIVED)
        if chance.often(0.6):
            chance.features |= {"cpu"} | ({"priorities"} if chance.often(0.5) else set())
        return chance

    def _there(self) -> Snapshot:
        """Return the cluster at the beginning."""
        return snapshot(self.chance, 3, 3)

    def _plugins(self) -> Plugins:
        argued = self.chance.has("arguments", 0.5)
        return replace(DEFAULT_PLUGINS, arguments=arguments(self.chance)) if argued else DEFAULT_PLUGINS

    def _profile(self, plugins: Plugins) -> Profile:
        return with_own(plugins)

    def _new_pod(self, name: str, on: str) -> Pod:
        return pod(self.chance, name, on)

    def _new_node(self, name: str) -> Node:
        return node(self.chance, name)

    def _new_stored(self) -> Stored | None:
        """Return a storage object; None if there is none to draw."""
        kind, names = self.chance.choice(STORED)
        return stored_object(self.chance, kind, self.chance.choice(names))

    def _labels(self) -> Labels:
        return pod_labels(self.chance)

    def _tolerations(self) -> tuple[Toleration, ...]:
        return tolerations(self.chance)

    def _budgets(self) -> tuple[PodDisruptionBudget, ...]:
        return budgets(self.chance)

    def _namespaces(self) -> tuple[Namespace, ...]:
        return namespaces(self.chance)

    def _bound(self, one: Pod) -> Pod:
        return one if one.node_name else replace(one, node_name=self.chance.choice(PLACES[:2]), nominated_node_name="")

    def _extenders(self) -> tuple[Ruled, ...]:
        chance = self.chance

        def one(place: int) -> Ruled:
            binds, down = chance.often(0.4), chance.often(0.2)
            failing, hopeless = frozenset(chance.some(PLACES, 0, 2)), frozenset(chance.some(PLACES, 0, 1))
            return Binder(
                failing=chance.one(None, lambda node: node.name in failing),
                hopeless=chance.one(None, None, lambda node: node.name in hopeless),
                scores=chance.one(None, {name: chance.randint(0, 10) for name in NODE_NAMES}),
                choosing=chance.one(None, lambda offered: offered),
                binds=binds,
                ignorable=chance.often(0.5) or (binds and down),
                down=down,
                weight=chance.randint(1, 3),
                name=f"extender{place}",
                manages=chance.one((), (), ("cpu",), ("example.com/gpu",)),
                how=bound_by(lambda: self.world),
            )

        return tuple(one(place) for place in range(chance.randint(1, 2)))

    def _steps(self, calm: bool) -> list[Callable[[], None]]:
        """Return the steps of this life: the scheduler's own, and some of the others, each more or less often."""
        own = [self.cycle, self.cycle, self.cycle, self.advance, self.advance, self.evicting, self.wait] * (not calm)
        some = [
            self.pod_comes, self.pod_comes, self.pod_comes_bound, self.pod_goes, self.pods_go, self.pod_is_made_anew,
            self.pod_changes, self.pod_changes, self.pod_is_bound_by_another, self.node_comes, self.node_changes,
            self.node_goes, self.settle, self.nomination_changes,
        ]  # fmt: skip
        features = self.chance.features
        if drawn(features):
            some += [self.storage_changes] * 3
        if features & {"budgets", "namespaces"}:
            some += [self.beside_changes]
        if "late" in features:
            own += [self.deliver, self.deliver, self.deliver_all]
            some += [self.miss, self.repeat]
        if "waiting" in features:
            own += [self.permit]
        if "faults" in features:
            some += [self.call_goes_wrong]
        if "restarts" in features:
            some += [self.restart]
        chosen = self.chance.sample(some, max(3, self.chance.randint(len(some) // 3, len(some))))
        return [*own, *(each for each in chosen for _ in range(self.chance.randint(1, 3)))]

    def run(self, steps: int, *, calm: bool = False) -> None:
        """Take this number of random steps, then settle; a calm life settles after each, so its steps are events."""
        for _ in range(steps):
            self.chance.choice(self.steps)()
            if calm:
                self.world.settle()
        self.world.settle()

    # What happens around the scheduler.

    def _heard(self) -> None:
        """Deliver everything now, in the middle of the next cycle, or later."""
        if "late" not in self.chance.features or self.chance.often(0.5):
            self.world.deliver_all()
        elif self.chance.often(0.3):
            self.world.cycle(self.world.tell_all)

    def _pod(self, which: Callable[[Pod], bool] = lambda _: True) -> Pod | None:
        found = sorted((each for each in self.world.objects["pod"].values() if which(each)), key=lambda each: each.key)
        return self.chance.choice(found) if found else None

    def _made(self, name: str, on: str = "") -> Pod:
        chance = self.chance
        known = sorted(self.world.objects["pod"].values(), key=lambda each: each.key)
        if known and chance.often(0.3):
            like = replace(
                chance.choice(known), name=name, node_name=on, uid="", nominated_node_name="", terminating=False,
                preempted=False, phase="Pending",
            )  # fmt: skip
        else:
            like = replace(self._new_pod(name, on), terminating=False, preempted=False)
        extra = {"permit": "wait"} if chance.has("waiting", 0.6) else {}
        extra |= {GATED: "1"} if chance.has("gates", 0.3) else {}
        gates = ("g",) if chance.has("gates", 0.2) and not on else ()
        made = replace(like, labels=like.labels | extra, scheduling_gates=gates)
        return without_ports(made) if on else made

    def _key(self, name: str) -> tuple[str, str] | None:
        return next((key for key in self.world.objects["pod"] if key[1] == name), None)

    def pod_comes(self) -> None:
        name = self.chance.choice(POD_NAMES)
        if self._key(name) is None:
            self.world.put(self._made(name))
        self._heard()

    def pod_comes_bound(self) -> None:
        name = self.chance.choice(POD_NAMES)
        if self._key(name) is None:
            self.world.put(self._made(name, self.chance.choice(PLACES)))
        self._heard()

    def pod_goes(self) -> None:
        one = self._pod()
        if one is not None:
            self.world.delete(one)
        self._heard()

    def pods_go(self) -> None:
        """Several pods of a node are deleted at once, or begin to terminate."""
        on = self.chance.choice(PLACES)
        for one in [
            each for each in self.world.objects["pod"].values() if each.node_name == on and not each.terminating
        ]:
            if self.chance.often(0.7):
                self.world.delete(one) if self.chance.often(0.5) else self.world.put(replace(one, terminating=True))
        self._heard()

    def pod_is_made_anew(self) -> None:
        one = self._pod()
        if one is not None:
            self.world.delete(one)
            again = replace(self._made(one.name, self.chance.one("", "", *PLACES)), namespace=one.namespace)
            self.world.put(replace(again, scheduling_gates=()))
        self._heard()

    def pod_changes(self) -> None:
        """One aspect of a pod changes; nothing of one that is being deleted."""
        one = self._pod(lambda each: not each.terminating)
        if one is not None:
            self.world.put(self._changed(one))
        self._heard()

    def _changed(self, one: Pod) -> Pod:
        chance = self.chance
        kept = {key: value for key, value in one.labels.items() if key in ("permit", GATED)}
        match chance.randrange(8):
            case 0:
                return replace(one, terminating=True)
            case 1 if one.node_name:
                return replace(one, phase="Succeeded")
            case 2 | 3:
                return replace(one, labels=self._labels() | kept)
            case 4:
                return replace(one, tolerations=(*one.tolerations, *self._tolerations()))
            case 5:
                return replace(one, scheduling_gates=())
            case 6 if one.node_name:
                return resized(one)
            case 7 if GATED in one.labels:
                return replace(one, labels=one.labels.delete(GATED))
        return leaving(chance, one) if one.node_name else one

    def nomination_changes(self) -> None:
        """Somebody else writes or clears a nomination."""
        one = self._pod(lambda each: not each.node_name and not each.terminating)
        if one is not None and "nominations" in self.chance.features:
            self.world.unwritten.add(one.key)
            self.world.put(replace(one, nominated_node_name=self.chance.one("", *PLACES)))
        self._heard()

    def pod_is_bound_by_another(self) -> None:
        one = self._pod(lambda each: not (each.node_name or each.terminating or each.scheduling_gates or held(each)))
        if one is not None:
            self.world.put(replace(one, node_name=self.chance.choice(PLACES), nominated_node_name=""))
        self._heard()

    def node_comes(self) -> None:
        name = self.chance.choice(PLACES)
        there = sorted(self.world.objects["node"].values(), key=lambda each: each.name)
        alike = there and self.chance.often(0.4)
        self.world.put(named(self.chance.choice(there), name) if alike else self._new_node(name))
        self._heard()

    def node_changes(self) -> None:
        """One aspect of a node changes."""
        there = sorted(self.world.objects["node"].values(), key=lambda each: each.name)
        if there:
            one, chance = self.chance.choice(there), self.chance
            other = self._new_node(one.name)
            field = chance.choice(NODE_FIELDS)
            fields = {"taints": (), "unschedulable": False} if chance.often(0.15) else {field: getattr(other, field)}
            self.world.put(replace(one, **fields))
        self._heard()

    def node_goes(self) -> None:
        there: list[Node] = sorted(self.world.objects["node"].values(), key=lambda each: each.name)
        if there:
            one = self.chance.choice(there)
            self.world.delete(one)
            if self.chance.often(0.4):
                self.world.put(one)
        self._heard()

    def storage_changes(self) -> None:
        """A storage object comes, changes or goes."""
        made = self._new_stored()
        if made is None:
            return
        key = type(made).__name__, getattr(made, "key", made.name)
        known = self.world.objects["stored"].get(key)
        # A class may be made anew, but its binding mode does not change; nor does the topology of a capacity.
        anew = isinstance(made, StorageClass) or (
            isinstance(made, CSIStorageCapacity) and known is not None and known.node_topology != made.node_topology
        )
        if known is not None and (anew or self.chance.often(0.3)):
            self.world.delete(known)
        else:
            self.world.put(made)
        self._heard()

    def beside_changes(self) -> None:
        """Budgets change, or the labels of namespaces; no event tells the scheduler."""
        beside = self.world.beside
        if "budgets" in self.chance.features and self.chance.often(0.6):
            self.world.look_beside(replace(beside, budgets=self._budgets()))
        else:
            self.world.unsound = True
            self.world.look_beside(replace(beside, namespaces=self._namespaces()))

    def call_goes_wrong(self) -> None:
        self.world.faults[self.chance.one("bind", "bind", "nominate", "evict")] = self.chance.one("fails", "is lost")
        if self.chance.often(0.2):
            self.world.ledger.failing = True


def live(start: int | str, steps: int = 30, *, calm: bool = False) -> None:
    """Live one life of this number of steps. Raises: AssertionError at the first violation."""
    Life(start, calm=calm).run(steps, calm=calm)
