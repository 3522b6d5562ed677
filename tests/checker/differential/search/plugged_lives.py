"""Random small lives with plugins of their own at Permit and Bind: `plugged_live`

Most pods wait for two permits, and several wait at once. They are allowed, rejected and deleted in any order, often twice
before the binding goes on, and the plugin that rejects them is registered for events. Own Bind plugins stand before and
behind DefaultBinder: they skip a pod, bind it, or fail once.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.model.production.cycle.scheduler import Binding, Stage
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import ClientError
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status, error
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search.accounts import Binders
from tests.checker.differential.search.own import Profile, with_own
from tests.checker.differential.search.small_flips import BARRING
from tests.checker.differential.search.small_lives import SmallLife
from tests.checker.differential.search.world import World
from tests.model.production.framework.made_up import factory
from tests.model.production.live import Ledger

OWN = ("FirstBinder", "LastBinder")
DEFAULT = "DefaultBinder"
ORDER = (OWN[0], DEFAULT, OWN[1])
BINDS = "binds"
"""The label of a pod that says what the own Bind plugins do with it; without it they skip the pod."""
WAKES = tuple(
    EventOfInterest(each)
    for each in (
        ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_TAINT),
        ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE),
    )
)
"""The events for which the plugin that rejects at Permit is registered."""


@dataclass
class Binds:
    """A Bind plugin that does what a label of the pod says: skip it, bind it, or fail the first time."""

    name: str
    world: Callable[[], "PluggedWorld"]
    failed: set[tuple[str, ...]] = field(default_factory=set)

    def bind(self, state: object, pod: Pod, node: str) -> Status:
        """Answer, and let the account hear of it."""
        told = pod.labels.get(BINDS, "skips")
        world = self.world()
        world.binders.heard(pod, self.name, skips=told == "skips")
        if told == "skips":
            return SKIP
        if told == "fails" and pod.identity not in self.failed:
            self.failed.add(pod.identity)
            return error("no connection")
        try:
            World.bind(world, pod, node)
        except ClientError as failure:
            return error(str(failure))
        return SUCCESS


class PluggedWorld(World):
    """A live cluster in which the answers of the Bind plugins are accounted for."""

    def __init__(self, *things: Any, **options: Any) -> None:
        self.binders = Binders()
        super().__init__(*things, **options)

    def bind(self, pod: Pod, node: str) -> None:
        """Bind a pod for DefaultBinder."""
        self.binders.heard(pod, DEFAULT, skips=False)
        super().bind(pod, node)

    def _advance(self, binding: Binding) -> bool:
        """Take one step of a binding; check whom it asked to bind the pod."""
        binds = binding.stage is Stage.BIND
        self.binders.answers.pop(binding.pod.identity, None)
        done = super()._advance(binding)
        wrong = self.binders.wrong(binding.pod, ORDER) if binds else ""
        assert not wrong, wrong
        return done


def with_binders(plugins: Plugins, world: Callable[[], PluggedWorld]) -> Profile:
    """Return the profile of other lives with own Bind plugins around DefaultBinder."""
    made = with_own(plugins)

    def more(ledger: Ledger) -> tuple[Registry, Plugins]:
        registry, known = made(ledger)
        for name in OWN:
            registry.register(name, factory(Binds(name, world)))
        return registry, replace(known, points=known.points.set("bind", ORDER))

    return more


class PluggedLife(SmallLife):
    """A life of pods that wait on Permit, and that own plugins bind."""

    made_of = PluggedWorld
    wakes = WAKES
    world: PluggedWorld

    def _begun(self, start: int | str, calm: bool) -> Chance:
        chance = Chance(f"plugged life {start}")
        self.chosen = tuple(NAMED[each] for each in chance.some(BARRING, 1, 2))
        events = {each for each in ("faults", "late", "gates") if chance.often(0.3)}
        chance.features = frozenset(events | {"waiting"})
        return chance

    def _profile(self, plugins: Plugins) -> Profile:
        return with_binders(plugins, lambda: self.world)

    def _made(self, name: str, on: str = "") -> Pod:
        made = super()._made(name, on)
        told = self.chance.one("", "", "skips", "binds", "fails")
        return replace(made, labels=made.labels | {BINDS: told}) if told else made

    def _steps(self, calm: bool) -> list[Callable[[], None]]:
        own = [self.cycle, self.cycle, self.permit, self.permit, self.permit, self.advance, self.advance, self.wait]
        some = [self.pod_comes, self.pod_comes, self.pod_comes, self.node_comes, self.node_changes, self.pod_goes]
        late = [self.deliver, self.deliver_all] if "late" in self.chance.features else []
        faults = [self.call_goes_wrong] if "faults" in self.chance.features else []
        return [*own, *some, self.waiting_pod_goes, self.pod_changes, *late, *faults]

    def waiting_pod_goes(self) -> None:
        """Delete a pod that waits on Permit, or has been allowed or rejected there, and tell the scheduler."""
        waiting = [each.pod.key for each in self.world.scheduler.handle.waiting]
        one = self._pod(lambda each: each.key in waiting)
        if one is not None:
            self.world.delete(one)
            self.world.deliver_all()


def plugged_live(start: str, steps: int = 40) -> None:
    """Live one life with own plugins of this number of steps. Raises: AssertionError at the first violation."""
    PluggedLife(start).run(steps)
