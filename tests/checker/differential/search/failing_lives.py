"""Random small lives in which the steps of binding cycles fail: `failing_live`

Own plugins stand before and behind all others at Reserve, Permit and PreBind. They refuse a pod, or fail, at the point that a
label of it says, the first time. Pods fail, calls fail, and pods are deleted in between. In `repeating_live` they do so several times.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.model.production.cycle.scheduler import Binding
from schedcheck.model.production.framework.events import EventOfInterest
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, error, unschedulable
from schedcheck.model.production.queue.queued_pod import Backoff
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search.accounts import Attempts
from tests.checker.differential.search.own import Profile, with_own
from tests.checker.differential.search.plugged_lives import WAKES
from tests.checker.differential.search.small_flips import BARRING
from tests.checker.differential.search.small_lives import CONTENDED, SmallLife
from tests.checker.differential.search.world import World
from tests.model.production.framework.made_up import factory
from tests.model.production.live import PERMIT, Ledger

OWN = ("FirstOfAll", "LastOfAll")
POINTS = ("reserve", "permit", "preBind", "postBind")
FAILS = "fails"
"""The label of a pod that says at which point which own plugin refuses it, or fails."""


@dataclass
class Failing:
    """A plugin that refuses a pod or fails at one point, the first time, or the first few times; every call is accounted for."""

    name: str
    world: Callable[[], "FailingWorld"]
    failed: dict[tuple[str, ...], int] = field(default_factory=dict)

    def _answer(self, point: str, pod: Pod) -> Status:
        told, often = pod.labels.get(FAILS, "").split("."), self.failed.get(pod.identity, 0)
        said, answers = SUCCESS, told[-1].split("-")
        if told[:2] == [self.name, point] and often < len(answers):
            self.failed[pod.identity] = often + 1
            said = unschedulable("not here") if answers[often] == "refuses" else error("no connection")
        self.world().attempts.heard(pod, point, self.name, well=said.success)
        return said

    def reserve(self, state: object, pod: Pod, node: str) -> Status:
        """Reserve the pod, or not."""
        return self._answer("reserve", pod)

    def unreserve(self, state: object, pod: Pod, node: str) -> None:
        """Undo everything."""
        self.world().attempts.heard(pod, "unreserve", self.name, well=True)

    def permit(self, state: object, pod: Pod, node: str) -> tuple[Status, float]:
        """Permit the pod, or let it wait for the ledger as well, or refuse it."""
        said = self._answer("permit", pod)
        waits = said.success and pod.labels.get("permit") == "both" and self.name == OWN[0]
        return (Status(Code.WAIT), PERMIT) if waits else (said, 0.0)

    def pre_bind(self, state: object, pod: Pod, node: str) -> Status:
        """Prepare the binding, or not."""
        return self._answer("preBind", pod)

    def post_bind(self, state: object, pod: Pod, node: str) -> None:
        """Note the binding."""
        self.world().attempts.heard(pod, "postBind", self.name, well=True)

    def events(self) -> tuple[EventOfInterest, ...]:
        """Wake refused pods by the events of other own plugins."""
        return WAKES


class FailingWorld(World):
    """A live cluster in which the calls of two own plugins are accounted for, attempt by attempt."""

    deaf = (*World.deaf, *OWN)

    def start(self) -> None:
        """Start a scheduler, and no attempt."""
        self.attempts = Attempts(OWN, POINTS)
        super().start()

    def cycle(self, meanwhile: Callable[[], None] | None = None) -> None:
        """Run one cycle, and check the calls of an attempt that it has ended."""
        super().cycle(meanwhile)
        self._ended()

    def _advance(self, binding: Binding) -> bool:
        """Take one step of a binding, and check the calls of an attempt that it has ended."""
        done = super()._advance(binding)
        self._ended()
        return done

    def _ended(self) -> None:
        wrong = self.attempts.wrong({each.pod.identity for each in self.bindings})
        assert not wrong, wrong


def with_failing(
    plugins: Plugins, world: Callable[[], FailingWorld], kind: Callable[..., Failing] = Failing
) -> Profile:
    """Return the profile of other lives with own plugins of this kind before and behind all others."""
    made = with_own(plugins)

    def more(ledger: Ledger) -> tuple[Registry, Plugins]:
        registry, known = made(ledger)
        points = known.points
        for name in OWN:
            registry.register(name, factory(kind(name, world)))
        for point in POINTS:
            points = points.set(point, (OWN[0], *points[point], OWN[1]))
        return registry, replace(known, points=points)

    return more


class FailingLife(SmallLife):
    """A life of pods that fail on their way to a node, or on it."""

    made_of = FailingWorld
    wakes = WAKES
    world: FailingWorld

    def _begun(self, start: int | str, calm: bool) -> Chance:
        chance = Chance(f"failing life {start}")
        barring = chance.some(("resources", *BARRING), 1, 2)
        contended = ("preemption",) if chance.often(0.5) else chance.some(CONTENDED, 0, 1)
        self.chosen = tuple(NAMED[each] for each in dict.fromkeys((*barring, *contended)))
        events = {each for each in ("faults", "late", "gates", "waiting", "restarts") if chance.often(0.3)}
        chance.features = frozenset(events)
        return chance

    def _profile(self, plugins: Plugins) -> Profile:
        return with_failing(plugins, lambda: self.world)

    def _made(self, name: str, on: str = "") -> Pod:
        made = super()._made(name, on)
        if self.chance.often(0.5):
            return made
        told = ".".join((self.chance.choice(OWN), self.chance.choice(POINTS[:3]), self.chance.one("refuses", "fails")))
        return replace(made, labels=made.labels | {FAILS: told})

    def _steps(self, calm: bool) -> list[Callable[[], None]]:
        own: list[Callable[[], None]] = [self.cycle, self.cycle, self.advance, self.advance, self.advance, self.wait]
        own += [self.evicting, self.permit] if "waiting" in self.chance.features else [self.evicting]
        some = [self.pod_comes, self.pod_comes, self.node_changes, self.pod_goes, self.pod_changes, self.node_goes]
        late = [self.deliver, self.deliver_all] if "late" in self.chance.features else []
        faults = [self.call_goes_wrong, self.call_goes_wrong] if "faults" in self.chance.features else []
        rest = [self.pod_fails, self.pod_fails, self.node_comes, self.pod_comes_bound]
        rest += [self.eviction_fails, self.eviction_fails] if NAMED["preemption"] in self.chosen else []
        return [*own, *some, *late, *faults, *rest, *([self.restart] if "restarts" in self.chance.features else [])]

    def eviction_fails(self) -> None:
        """The next call of an eviction that is under way fails, or its answer is lost."""
        if any(each.running for each in self.world.scheduler.handle.background):
            self.world.faults["evict"] = self.chance.one("fails", "fails", "is lost")
            self.world.evicting()
            self.world.faults.pop("evict", None)

    def pod_fails(self) -> None:
        """A pod fails: usually one on a node, now and then one that waits or is being bound."""
        one = self._pod(lambda each: bool(each.node_name) or self.chance.often(0.2))
        if one is not None:
            self.world.put(replace(one, phase="Failed"))
        self._heard()


def failing_live(start: str, steps: int = 35) -> None:
    """Live one life of pods that fail, of this number of steps. Raises: AssertionError at the first violation."""
    FailingLife(start).run(steps)


SEVERAL = (
    "fails-refuses",
    "fails-fails-refuses",
    "fails-fails-refuses",
    "refuses-fails-fails",
    "refuses-refuses-fails-refuses",
)
"""What a plugin answers to a pod, attempt by attempt."""


class RepeatingLife(FailingLife):
    """A life of pods that fail several times, and are refused in between, at Reserve or at Permit."""

    def _made(self, name: str, on: str = "") -> Pod:
        made = SmallLife._made(self, name, on)
        told = ".".join((self.chance.choice(OWN), self.chance.choice(POINTS[:2]), self.chance.choice(SEVERAL)))
        return replace(made, labels=made.labels | {FAILS: told})

    def wait(self) -> None:
        """Let about as much time pass as a backoff takes."""
        self.world.wait(self.chance.one(1.0, 1.0, 2.0, 4.0))

    def _steps(self, calm: bool) -> list[Callable[[], None]]:
        return [*super()._steps(calm), self.wait, self.wait, self.cycle, self.cycle, self.node_changes]


BACKOFFS = ((1.0, 0.0), (1.0, 1.0), (1.0, 2.0), (2.0, 7.0), (5.0, 5.0), (0.5, 3.0), (3.0, 120.0))
"""Initial and greatest backoffs, in seconds."""


class PacedLife(RepeatingLife):
    """A life of such pods in a scheduler with other backoffs than usual."""

    def _begun(self, start: int | str, calm: bool) -> Chance:
        chance = super()._begun(start, calm)
        self.paces = chance.choice(BACKOFFS)
        self.made_of = type(FailingWorld.__name__, (FailingWorld,), {"backoff": Backoff(*self.paces)})
        return chance

    def wait(self) -> None:
        """Let about as much time pass as a backoff takes."""
        initial, most = self.paces
        self.world.wait(self.chance.one(0.5, initial, initial, 2 * initial, 4 * initial, most))


def paced_live(start: str, steps: int = 40) -> None:
    """Live one life with other backoffs, of this number of steps. Raises: AssertionError at the first violation."""
    PacedLife(f"paced {start}").run(steps)


def repeating_live(start: str, steps: int = 40) -> None:
    """Live one life of pods that fail several times, of this number of steps. Raises: AssertionError at the first violation."""
    RepeatingLife(f"repeating {start}").run(steps)
