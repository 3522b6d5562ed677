"""Events, after each of which a pod that some plugins have rejected moves exactly if `waking` says so: `hinted`

The pod is rejected in the name of any plugins, whether they would have rejected it or not, so that each hint is asked often, about what helps
and about what does not: objects of other names and namespaces, nominated pods, fields that no plugin reads. An own plugin has hints that say
yes, no, or fail, or none; or it registers no event. Some plugins have answered Pending. Some events come while the pod is being tried.
"""

from dataclasses import dataclass, replace
from typing import Any

from schedcheck.checker.differential.standing import drained, informed
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import SUCCESS, Status
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.search.flips import objects
from tests.checker.differential.search.hinted_changes import READ, changes, question
from tests.checker.differential.search.waking import BOUND, DEFINED, WAITING, Asked, Event, events, heard
from tests.model.production.framework.made_up import factory

OWN = "Own"
ACTIONS = {
    "comes": Action.ADD,
    "goes": Action.DELETE,
    "labels": Action.UPDATE_NODE_LABEL | Action.UPDATE_POD_LABEL,
    "taints": Action.UPDATE_NODE_TAINT,
    "allocatable": Action.UPDATE_NODE_ALLOCATABLE,
    "tolerations": Action.UPDATE_POD_TOLERATIONS,
    "shrinks": Action.UPDATE_POD_SCALE_DOWN,
    "changes": Action.UPDATE,
}
ANSWERS = ("none", "yes", "no", "fails")


@dataclass(frozen=True)
class Own:
    """A plugin that is registered for events of a resource, with a hint; for all events without a resource."""

    resource: str
    whats: tuple[str, ...]
    answer: str
    name: str = OWN

    def reserve(self, state: object, pod: Pod, node: str) -> Status:
        """Reserve the pod."""
        return SUCCESS

    def unreserve(self, state: object, pod: Pod, node: str) -> None:
        """Do nothing."""

    def events(self) -> tuple[EventOfInterest, ...]:
        """Return the events, with the hint."""
        action = Action(0)
        for what in self.whats:
            action |= ACTIONS[what]
        hint = None if self.answer == "none" else self._hint
        return (EventOfInterest(ClusterEvent(Resource(self.resource), action), hint),)

    def _hint(self, pod: Pod, before: Any, after: Any) -> bool:
        if self.answer == "fails":
            raise ValueError("no such object")
        return self.answer == "yes"

    def wakes(self, event: Event) -> bool:
        """Whether the event wakes a pod that the plugin rejected: a hint that fails, or is missing, says yes."""
        resources = (BOUND, WAITING) if self.resource == "Pod" else (self.resource,)
        update = event.what not in ("comes", "goes")
        heard = event.what in self.whats or ("changes" in self.whats and update)
        return event.resource in resources and heard and self.answer != "no"


class Silent:
    """A plugin that registers no events, so that every event may help."""

    name = OWN

    def reserve(self, state: object, pod: Pod, node: str) -> Status:
        """Reserve the pod."""
        return SUCCESS

    def unreserve(self, state: object, pod: Pod, node: str) -> None:
        """Do nothing."""

    def wakes(self, event: Event) -> bool:
        """Whether the event wakes a pod that the plugin rejected."""
        return True


def own(chance: Chance) -> Own | Silent:
    """Return an own plugin."""
    if chance.often(0.15):
        return Silent()
    resource = chance.one("Node", "Node", "Pod", BOUND, WAITING, "PersistentVolumeClaim", "CSINode")
    pod = ("comes", "goes", "labels", "tolerations", "shrinks", "changes")
    whats = {
        "Node": ("comes", "goes", "labels", "taints", "allocatable", "changes"),
        "Pod": pod,
        BOUND: pod,
        WAITING: pod,
    }
    some = whats.get(resource, ("comes", "goes", "changes"))
    return Own(resource, tuple(chance.some(some, 1, len(some))), chance.choice(ANSWERS))


def registered(plugins: Plugins, made: Own | Silent) -> tuple[Registry, Plugins]:
    """Return the profile with the own plugin."""
    registry = default_registry()
    registry.register(OWN, factory(made))
    return registry, replace(plugins, points=plugins.points.set("reserve", (*plugins.at("reserve"), OWN)))


def rejectors(chance: Chance) -> tuple[str, ...]:
    """Return the plugins that have rejected the pod: one as a rule."""
    names = sorted({*DEFINED, *READ} - {"NodeName", "DefaultPreemption"})
    one = chance.one(*names, *names, *names, "NodeName", "DefaultPreemption", OWN, OWN, OWN)
    return (one, chance.choice([*names, OWN])) if chance.often(0.15) else (one,)


class Rejected:
    """A scheduler whose queue holds one pod that was rejected in the name of any plugins."""

    def __init__(self, question: Question, by: tuple[str, ...], pending: tuple[str, ...], made: Own | Silent) -> None:
        self.asked, self.there, self.plugins = question
        self.by, self.pending, self.own, self.now, self.since = by, pending, made, 0.0, 0.0
        registry, profile = registered(self.plugins, made)
        everyone = (*self.there.pods, self.asked)
        self.scheduler: Scheduler = informed(everyone, self.there, (profile,), lambda: registry, clock=lambda: self.now)
        drained(self.scheduler, self.asked.key)
        self.delivery = Delivery(self.scheduler)

    def reject(self, meanwhile: Any = lambda: None) -> bool:
        """Try the pod and put it back as rejected, unless it is gated; `meanwhile` happens in between. Return whether it was tried."""
        self.now += 100.0
        self.scheduler.queue.flush_backoff()
        queued = self.scheduler.queue.pop()
        if queued is None or queued.key != self.asked.key:
            return False
        meanwhile()
        # The pod is put back as it is by now: handleSchedulingFailure in pkg/scheduler/schedule_one.go.
        queued.info = PodInfo(self.asked)
        queued.refused_by, queued.pending = set(self.by) - set(self.pending), set(self.pending)
        self.scheduler.queue.put_back(queued)
        self.since = self.now
        return True

    def place(self) -> str:
        """Return where the pod is in the queue."""
        return next((place for key, place in self.scheduler.queue.places() if key == self.asked.key), "")

    def happen(self, asked: Pod, there: Snapshot) -> list[Event]:
        """Tell the scheduler of every difference; return the events."""
        was, now = objects(self.asked, self.there), objects(asked, there)
        told: list[Event] = []
        for key in [key for key in {**was, **now} if was.get(key) != now.get(key)]:
            before, after = was.get(key), now.get(key)
            kind = after if after is not None else before
            deliver: Any = self.delivery.stored
            if key[0] in ("Pod", "Node"):
                deliver = self.delivery.pod if isinstance(kind, Pod) else self.delivery.node
            deliver(before, after)
            told += events(before, after, self.plugins.departures)
        self.asked, self.there = asked, there
        return told

    def wanted(self, told: list[Event], *, in_flight: bool) -> str:
        """Return where the pod belongs after these events: the first that wakes it decides, and in flight the strongest.

        A plugin that had answered Pending makes the pod active at once. After a backoff that is over it is active, too.
        """
        asked = Asked(self.asked, self.there, self.plugins)
        waking = [
            {plugin for plugin in (*self.by, *self.pending) if self._wakes(plugin, asked, event)}
            for event in told
            if heard(event, self.asked, in_flight=in_flight)
        ]
        waking = [each for each in waking if each]
        if not waking:
            return "unschedulable"
        decisive = set[str]().union(*(waking if in_flight else waking[:1]))
        return "active" if self.now > self.since or decisive & set(self.pending) else "backing off"

    def _wakes(self, plugin: str, asked: Asked, event: Event) -> bool:
        return self.own.wakes(event) if plugin == OWN else DEFINED[plugin](asked, event)


def hinted(start: str, steps: int = 5) -> None:
    """Let some events happen to a rejected pod, and judge after each whether and where the pod moves."""
    chance = Chance(f"hinted {start}")
    by = rejectors(chance)
    chosen, asked = question(chance, by)
    pending = by[:1] if chance.often(0.2) else ()
    made = Rejected(asked, by, pending, own(chance))
    if not made.reject():
        return
    for _ in range(steps):
        if made.place() != "unschedulable" and not made.reject():
            return
        after = next(changes(chance, chosen, made.asked, made.there), None)
        in_flight, waits = chance.often(0.2), chance.often(0.3)
        if after is not None and not _step(made, after, in_flight=in_flight, waits=waits):
            return


def _step(made: Rejected, after: tuple[Pod, Snapshot], *, in_flight: bool, waits: bool) -> bool:
    """Let one change happen, perhaps while the pod is tried, perhaps after its backoff, and judge where the pod is then.

    Return false if another pod had its turn.
    """
    told: list[Event] = []
    if in_flight:
        made.scheduler.queue.activate(made.asked)
        if not made.reject(lambda: told.extend(made.happen(*after))):
            return False
    else:
        made.now += 50.0 if waits else 0.0
        told = made.happen(*after)
    place, wanted = made.place(), made.wanted(told, in_flight=in_flight)
    assert place == wanted, (
        f"{made.asked} was rejected by {made.by}, Pending {made.pending}, and is {place}, not {wanted}, after {told}"
    )
    return True
