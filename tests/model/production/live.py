"""A live cluster: an API server, its watches, and a scheduler that is checked after every step: `Live`.

News may reach the scheduler late, all at once, or as a deletion noticed afterwards. Each created pod has a uid of its
own.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schedcheck.checker.differential.decisions import difference
from schedcheck.checker.differential.standing import looking_at
from schedcheck.checker.drawing.storage import stored
from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.cycle.delivery import Delivery, Stored, seen
from schedcheck.model.production.cycle.scheduler import Binding, Scheduler, Stage
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.events import ClusterEvent, EventOfInterest
from schedcheck.model.production.framework.extender import Extender
from schedcheck.model.production.framework.handle import ClientError
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Code, Status, error
from schedcheck.model.production.invariants.scheduler import as_if_new, complaints, described, unlike
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.queue.hints import Strategy
from schedcheck.model.production.queue.queued_pod import Backoff
from schedcheck.model.production.volumes.assumed import assuming
from schedcheck.spec.decisions import Wait
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from tests.model.production.framework.made_up import factory

Key = tuple[str, str]
Thing = Pod | Node | Stored
WATCHED = ("stored", "node", "pod")
"""The kinds of object with a watch of their own, in the order in which everything is delivered."""
EXPIRY = 30.0
"""Seconds after which an assumed pod expires that was bound but not delivered."""
JUDGED = looking_at(100, DEFAULT_PLUGINS)
"""The profile by which decisions are judged: the ledger rejects no node."""
PERMIT = 20.0
"""Seconds for which a pod waits for its permit."""


@dataclass
class Ledger:
    """A plugin that makes labelled pods wait for a permit and records the reservations.

    The action `meanwhile` runs in the next cycle, during the search for a node. After a rejection `wakes` wake. A pod
    that is `failing` fails once in Reserve. `nodes` gives the names of the delivered nodes.
    """

    reserved: dict[tuple[str, ...], str] = field(default_factory=dict)
    meanwhile: Callable[[], None] = lambda: None
    wakes: tuple[EventOfInterest, ...] = ()
    nodes: Callable[[], Iterable[str]] = tuple
    failing: bool = False
    name: str = "Ledger"

    def pre_filter(self, state: CycleState, pod: Pod, snapshot: object) -> tuple[Status, None]:
        self.meanwhile()
        return SKIP, None

    def reserve(self, state: CycleState, pod: Pod, node: str) -> Status:
        if self.failing:
            self.failing = False
            return error("conflict")
        assert pod.identity not in self.reserved, f"{pod} is reserved twice"
        self.reserved[pod.identity] = node
        return SUCCESS

    def unreserve(self, state: CycleState, pod: Pod, node: str) -> None:
        assert self.reserved.pop(pod.identity, node) == node, f"{pod} was reserved elsewhere"

    def permit(self, state: CycleState, pod: Pod, node: str) -> tuple[Status, float]:
        return (Status(Code.WAIT), PERMIT) if pod.labels.get("permit") == "wait" else (SUCCESS, 0.0)

    def post_bind(self, state: CycleState, pod: Pod, node: str) -> None:
        assert self.reserved.pop(pod.identity) == node, f"{pod} was bound elsewhere"

    def events(self) -> tuple[EventOfInterest, ...]:
        return self.wakes


def keeping(ledger: Ledger) -> tuple[Registry, Plugins]:
    """The default profile with the ledger, set to examine every node."""
    registry = default_registry()
    registry.register(ledger.name, factory(ledger))
    points = DEFAULT_PLUGINS.points
    for point in ("preFilter", "reserve", "permit", "postBind"):
        points = points.set(point, (*DEFAULT_PLUGINS.at(point), ledger.name))
    return registry, looking_at(100, replace(DEFAULT_PLUGINS, points=points))


def name_of(thing: Thing) -> Any:
    """The name under which an object is stored; volume objects have their type before it."""
    if isinstance(thing, Node):
        return thing.name
    return thing.key if isinstance(thing, Pod) else (type(thing).__name__, getattr(thing, "key", thing.name))


def kind_of(thing: Thing) -> str:
    return "node" if isinstance(thing, Node) else "pod" if isinstance(thing, Pod) else "stored"


class Live:
    """Objects, two watches, and a scheduler. Every method is a step, after which everything is checked.

    `things` exist when the scheduler starts; with `listed` they are already delivered.
    """

    backoff = Backoff()

    def __init__(
        self,
        *things: Thing,
        profile: Callable[[Ledger], tuple[Registry, Plugins]] = keeping,
        wakes: tuple[EventOfInterest, ...] = (),
        extenders: Sequence[Extender] = (),
        expires: bool = False,
        listed: bool = True,
        judged: Plugins = JUDGED,
        beside: Snapshot = Snapshot(),  # noqa: B008
    ) -> None:
        self.now, self.judged = 0.0, judged
        self.profile, self.wakes, self.extenders, self.expires = profile, wakes, extenders, expires
        self.objects: dict[str, dict[Any, Any]] = {kind: {} for kind in WATCHED}
        self.stores: dict[str, dict[Any, Any]] = {kind: {} for kind in WATCHED}
        self.streams: dict[str, deque[tuple[Any, Any]]] = {kind: deque() for kind in WATCHED}
        self.beside = beside
        self.faults: dict[str, str] = {}
        self.unwritten: set[Key] = set()
        self.created = 0
        for each in things:
            self._put(each)
        self.start()
        if listed:
            self.deliver_all()

    def start(self) -> None:
        """Start a scheduler that knows nothing; the existing objects are listed and still have to be delivered."""
        self.ledger = Ledger(wakes=self.wakes, nodes=lambda: self.stores["node"])
        registry, self.plugins = self.profile(self.ledger)
        clock = lambda: self.now  # noqa: E731
        self.scheduler = Scheduler(
            registry, [self.plugins], self, clock, percentage=100, extenders=self.extenders, backoff=self.backoff
        )
        if self.expires:
            self.scheduler.cache = Cache(EXPIRY)
        self.delivery = Delivery(self.scheduler)
        self.bindings: list[Binding] = []
        self.forced: set[Key] = set()
        self.stepped: set[Key] = set()
        self.dropped: set[tuple[str, ...]] = set()
        self.events: list[tuple[ClusterEvent, Any, Any, Any]] = []
        self.tried: dict[tuple[str, ...], int] = {}
        self.since: dict[tuple[str, ...], float] = {}
        self.inside: set[tuple[str, ...]] = set()
        self._hear()
        self.faults.clear()
        self.look_beside(self.beside)
        self.stores = {kind: {} for kind in WATCHED}
        self.streams = {kind: deque(found.items()) for kind, found in self.objects.items()}
        self.listed = {(kind, name) for kind in ("node", "pod") for name in self.objects[kind]}
        self.delivery.listed(
            [self.objects[kind][name] for kind, name in self.listed if _shown(self.objects[kind][name])]
        )
        self.look()

    def look_beside(self, beside: Snapshot) -> None:
        """Let the scheduler know the namespaces, budgets, services and controllers of a snapshot, without an event."""
        self.beside, listers = beside, self.scheduler.handle.listers
        listers.namespaces = {each.name: each.labels for each in beside.namespaces}
        listers.budgets, listers.services = beside.budgets, beside.services
        listers.controllers = beside.controllers

    def _hear(self) -> None:
        """Record every event that is sent to the queue."""
        move_all = self.scheduler.queue.move_all

        def heard(event: ClusterEvent, before: Any, after: Any, concerns: Any = None) -> None:
            self.events.append((event, before, after, concerns))
            move_all(event, before, after, concerns)

        self.scheduler.queue.move_all = heard  # type: ignore[method-assign]

    # Changes of the objects.

    def put(self, *things: Thing) -> None:
        """Create or change objects; a pod keeps its uid."""
        for thing in things:
            self._put(thing)
        self.look()

    def delete(self, *things: Thing) -> None:
        """Delete objects immediately."""
        for thing in things:
            del self.objects[kind_of(thing)][name_of(thing)]
            self.streams[kind_of(thing)].append((name_of(thing), None))
        self.look()

    def _put(self, thing: Thing) -> None:
        known = self.objects[kind_of(thing)].get(name_of(thing))
        if isinstance(thing, Pod):
            self.created += known is None
            thing = replace(thing, uid=str(self.created) if known is None else known.uid)
        self.objects[kind_of(thing)][name_of(thing)] = thing
        self.streams[kind_of(thing)].append((name_of(thing), thing))

    def pod(self, name: str) -> Pod:
        """The current pod of this name."""
        found: Pod = self.objects["pod"]["default", name]
        return found

    # The calls of the scheduler.

    def bind(self, pod: Pod, node: str) -> None:
        def bound(known: Pod) -> Pod:
            if known.node_name or known.terminating:
                raise ClientError("it is on a node, or being deleted")
            return replace(known, node_name=node, nominated_node_name="")

        self._call("bind", pod, bound)

    def nominate(self, pod: Pod, node: str) -> None:
        try:
            self._call("nominate", pod, lambda known: replace(known, nominated_node_name=node))
        except ClientError:
            self.unwritten.add(pod.key)
            # A preemptor for which a nomination could not be cleared is tried again at once, when its victims are evicted.
            self.forced |= self.stepped
            raise

    def evict(self, pod: Pod, preemptor: Pod) -> None:
        try:
            self._call("evict", pod, lambda known: replace(known, terminating=True, preempted=True))
        except ClientError:
            # A preemptor whose eviction fails is tried again at once.
            self.forced.add(preemptor.key)
            raise

    def _call(self, verb: str, pod: Pod, changed: Callable[[Pod], Pod]) -> None:
        fate, known = self.faults.pop(verb, ""), self.objects["pod"].get(pod.key)
        if fate == "fails" or known is None or known.uid != pod.uid:
            raise ClientError(f"{verb} of {pod} failed")
        self._put(changed(known))
        if fate == "is lost":
            raise ClientError(f"the answer to {verb} of {pod} is lost")

    # Deliveries to the scheduler.

    def deliver(self, kind: str, count: int = 1) -> None:
        """Deliver this number of changes."""
        self.tell(kind, count)
        self.look()

    def tell(self, kind: str, count: int) -> None:
        """Deliver this number of changes while something else is in progress."""
        for _ in range(min(count, len(self.streams[kind]))):
            name, after = self.streams[kind].popleft()
            self.listed.discard((kind, name))
            self._tell(kind, name, after)

    def deliver_all(self) -> None:
        """Deliver everything, nodes first."""
        self.tell_all()
        self.look()

    def tell_all(self) -> None:
        """Deliver everything while something else is in progress."""
        for kind in WATCHED:
            self.tell(kind, len(self.streams[kind]))

    def miss(self, kind: str) -> None:
        """Break the watch: undelivered changes are lost, and the objects are listed again and compared with the known
        ones.
        """
        self.streams[kind].clear()
        there, known = self.objects[kind], self.stores[kind]
        self.streams[kind].extend((name, None) for name in known if name not in there)
        self.streams[kind].extend(there.items())
        self.look()

    def repeat(self, kind: str) -> None:
        """Deliver everything known once more."""
        for name, known in list(self.stores[kind].items()):
            self._tell(kind, name, known)
        self.look()

    def _tell(self, kind: str, name: Any, after: Any) -> None:
        before = self.stores[kind].get(name)
        if after is None:
            self.stores[kind].pop(name, None)
        else:
            self.stores[kind][name] = after
        if before is not None or after is not None:
            deliver: dict[str, Callable[[Any, Any], None]] = {
                "node": self.delivery.node, "pod": self.delivery.pod, "stored": self.delivery.stored,
            }  # fmt: skip
            deliver[kind](before, after)

    # Steps of the scheduler.

    def cycle(self, meanwhile: Callable[[], None] | None = None) -> None:
        """Run one scheduling cycle. `meanwhile` may run during the search for a node; the cycle is then not judged."""
        # The snapshot is not brought up to date here: the cycle has to do that, also while a binding is under way.
        before = as_if_new(self.scheduler.cache)
        self.ledger.meanwhile = meanwhile or (lambda: None)
        there, scheduler = self.known(), self.scheduler
        ranks = {each.identity: self._rank(each.pod) for each in scheduler.queue.active}
        heard = len(self.events)
        scheduler.concluded = None
        binding = scheduler.schedule_one()
        if binding is not None:
            self.bindings.append(binding)
        made = scheduler.concluded
        if made is not None:
            stale = list(unlike(described(scheduler.handle.snapshot), before))
            assert not stale, f"the_snapshot_is_as_if_new: a cycle has used an old snapshot, or has changed it: {stale}"
            assert not self.listed, f"{made.pod} was taken up before {sorted(map(str, self.listed))} were delivered"
            self.tried[made.pod.identity] = heard
            self.since[made.pod.identity] = self.now
            first = min(ranks.values(), default=None)
            assert first is None or ranks.get(made.pod.identity) == first, f"{made.pod} was taken up before its turn"
            if meanwhile is None:
                self._judge(made, there)
            self._has_slept_through_nothing(made.pod)
        self.look()

    def _rank(self, pod: Pod) -> tuple[int, float]:
        """The order of the queue: the highest priority first, then the longest wait since creation or the last try."""
        return -pod.priority, self.since.get(pod.identity, self.now)

    def _has_slept_through_nothing(self, pod: Pod) -> None:
        """Check that an unschedulable pod was rejected and that no relevant event has happened since it was popped."""
        queued = self.scheduler.queue.unschedulable.get(pod.key)
        if queued is None or queued.gate or queued.pod.uid != pod.uid:
            return
        for event, before, after, concerns in self.events[self.tried[pod.identity] :]:
            if concerns is None or concerns(queued.pod):
                said = self.scheduler.queue.hints.worth(queued, event, before, after)
                assert said is Strategy.SKIP, f"{pod} has slept through {event}"

    def _judge(self, made: Conclusion, there: Snapshot) -> None:
        """Check that the outcome of a cycle is allowed in the scheduler's view, and that it was carried out."""
        found = difference(made, there, self.judged, self.extenders)
        assert found is None, found
        if not made.hosts and made.nominated is not None and made.pod.key not in self.unwritten:
            noted = self.scheduler.queue.nominator.node_of.get(made.pod.key, "")
            assert noted == made.nominated, f"{made.pod} is nominated to {noted} for {made.nominated}"

    def advance(self, place: int = 0) -> None:
        """Take the next step of a binding cycle unless it has to wait."""
        if self.bindings:
            self._advance(self.bindings[place % len(self.bindings)])
        self.look()

    def _advance(self, binding: Binding) -> bool:
        """Take one step; return whether there was a step to take."""
        waiting = self.scheduler.handle.waiting.get(binding.pod)
        if binding.stage is Stage.PERMIT and waiting is not None and waiting.signal is None:
            return False
        if not self.scheduler.advance(binding):
            self.bindings.remove(binding)
            self._has_slept_through_nothing(binding.pod)
        return True

    def permit(self, allowed: bool, place: int = 0) -> None:
        """Allow or reject one of the pods that wait for a permit."""
        waiting = list(self.scheduler.handle.waiting)
        if waiting:
            one = waiting[place % len(waiting)]
            one.allow(self.ledger.name) if allowed else one.reject(self.ledger.name, "not now")
        self.look()

    def evicting(self) -> None:
        """Take the next step of an eviction."""
        for background in self.scheduler.handle.background:
            for key in due(background)[:1]:
                self.stepped = {key[:2]}
                background.step(key)
                self.stepped = set()
        self.look()

    def wait(self, seconds: float) -> None:
        """Advance the clock."""
        self.now += seconds
        for waiting in self.scheduler.handle.waiting:
            waiting.expired(self.now)
        self.dropped |= set(self.scheduler.cache.expire(self.now))
        self.scheduler.queue.flush_backoff()
        self.scheduler.queue.flush_unschedulable()
        self.look()

    def settle(self) -> None:
        """Run until nothing is left to do; then no schedulable pod is in the unschedulable queue.

        A pod that fails with an error is retried without end, so the loop also ends after enough cycles without other
        work.
        """
        self.faults.clear()
        cycles, steps = 0, 0
        while cycles < 3 * max(1, len(self.objects["pod"])) and (beside := self._something()) is not None:
            cycles, steps = (0 if beside else cycles + 1), steps + 1
            assert steps < 300, "the scheduler does not come to rest"
        self.look()
        assert not any(background.running for background in self.scheduler.handle.background), (
            "an eviction does not end"
        )
        self.no_lost_wakeup()
        self.no_pod_stays_gated_needlessly()
        self.nominations_agree()

    def _something(self) -> bool | None:
        """Do the next piece of work: True for anything but a cycle, False for a cycle, None if there is nothing to do."""
        if any(self.streams.values()):
            self.deliver_all()
            return True
        if any(self._advance(each) for each in list(self.bindings)):
            self.look()
            return True
        if any(map(due, self.scheduler.handle.background)):
            self.evicting()
            return True
        if self.scheduler.handle.waiting.pods:
            self.wait(PERMIT)
            return True
        leaving = [pod for pod in self.objects["pod"].values() if pod.terminating]
        if leaving:
            self.delete(*leaving)
            return True
        queue = self.scheduler.queue
        if not len(queue.active) and (len(queue.backing_off) or len(queue.erring)):
            self.wait(queue.backoff.most + 1.0)
        if len(queue.active):
            self.cycle()
            return False
        return None

    # Checks.

    def known(self) -> Snapshot:
        """The scheduler's view: the delivered objects, the pods being bound, and the nominated pods."""
        nominated = self.scheduler.queue.nominator.node_of
        told = {name: pod for name, pod in self.stores["pod"].items() if _shown(pod)}
        pods = {
            pod.identity: pod if pod.node_name else replace(pod, nominated_node_name=nominated.get(pod.key, ""))
            for pod in told.values()
        }
        held = (self.scheduler.cache.pods[identity].pod for identity in self.scheduler.cache.assumed)
        pods |= {pod.identity: pod for pod in held}
        pods |= {each.pod.identity: each.pod for each in self.bindings if self._counts(each, told)}
        assumed = self.scheduler.handle.assumed
        there = stored(*self.stores["stored"].values())
        return replace(
            self.beside,
            pods=Snapshot.of(pods.values()).pods,
            nodes=Snapshot.of((), self.stores["node"].values()).nodes,
            storage=assuming(there, assumed.volumes.values(), assumed.claims.values()),
        )

    def _counts(self, binding: Binding, told: dict[Key, Pod]) -> bool:
        """Whether a pod being bound uses room there: neither its binding nor its end is delivered yet."""
        known = told.get(binding.pod.key)
        return known is not None and known.uid == binding.pod.uid and not known.node_name and not known.terminating

    def look(self) -> None:
        """Check all invariants."""
        queue = self.scheduler.queue
        waiting = [queued for heap in (queue.active, queue.backing_off, queue.erring) for queued in heap]
        waiting += queue.unschedulable.values()
        self.since = {each.identity: self.since.get(each.identity, self.now) for each in waiting}
        wrong = set(complaints(self.scheduler, self.bindings)) - set(self._excused())
        wrong |= {*self._told(), *self._reserved(), *self._let_in()}
        assert not wrong, "; ".join(sorted(wrong))

    def _let_in(self) -> Iterable[str]:
        """Yield violations of: a pod that enters the activeQ or a backoff is admitted by every PreEnqueue plugin.

        Except DefaultPreemption: a cycle may close its gate for a pod of the same name that came meanwhile.
        """
        queue, inside = self.scheduler.queue, self.inside
        there = {each.identity: each for heap in (queue.active, queue.backing_off, queue.erring) for each in heap}
        self.inside = set(there)
        for identity in there.keys() - inside:
            pod = there[identity].pod
            for plugin in self.scheduler.frameworks[pod.scheduler_name].at("preEnqueue"):
                if plugin.name != "DefaultPreemption" and not plugin.pre_enqueue(pod).success:
                    yield f"{pod} was let in past {plugin.name}"

    def _excused(self) -> Iterable[str]:
        """Yield the excused violations: a failed preemptor is retried at once, and an expired pod is missing until
        delivered.
        """
        for pod in self.stores["pod"].values():
            if pod.key in self.forced:
                yield f"active_pods_have_backed_off: {pod} backs off no more"
            if pod.identity in self.dropped:
                yield f"no_pod_is_lost: {pod} is lost"

    def _told(self) -> Iterable[str]:
        """Yield the differences between what the scheduler knows and what was delivered."""
        told = {name: pod for name, pod in self.stores["pod"].items() if _shown(pod)}
        if self.scheduler.handle.listers.pods != told:
            yield f"pods are known that are not {told}"
        if self.scheduler.handle.listers.storage != stored(*self.stores["stored"].values()):
            yield "storage is known that is not what was delivered"
        nodes = {name: info.node for name, info in self.scheduler.cache.nodes.items() if info.node is not None}
        if nodes != self.stores["node"]:
            yield f"the nodes {sorted(nodes)} are known for {sorted(self.stores['node'])}"
        cache = self.scheduler.cache
        kept = {identity: info.pod for identity, info in cache.pods.items() if identity not in cache.assumed}
        if kept != {pod.identity: pod for pod in told.values() if pod.node_name}:
            yield f"{sorted(map(str, kept.values()))} are kept on nodes, which is not what was delivered"

    def _reserved(self) -> Iterable[str]:
        """Yield violations of: reserved pods are bound, waiting or released; assumed pods are being bound, or are
        bound.
        """
        under_way = {each.pod.identity: each.node for each in self.bindings}
        if self.ledger.reserved != under_way:
            yield f"{self.ledger.reserved} is reserved for {under_way}"
        there = {pod.identity: pod.node_name for pod in self.objects["pod"].values()}
        undelivered = {pod.identity for pod in self.stores["pod"].values()}
        for identity in self.scheduler.cache.assumed:
            node = self.scheduler.cache.pods[identity].pod.node_name
            bound = there.get(identity) == node or (identity not in there and identity in undelivered)
            if under_way.get(identity) != node and not bound:
                yield f"{identity} is assumed on {node}, and neither being bound nor bound"

    def no_lost_wakeup(self) -> None:
        """Check that no schedulable pod is in the unschedulable queue, unless a permit was rejected."""
        there = self.known()
        for queued in self.scheduler.queue.unschedulable.values():
            if not queued.gate and self.ledger.name not in queued.refused_by:
                could = decision(queued.pod, there, self.judged)
                assert all(isinstance(each, Wait) for each in could), (
                    f"{queued.pod} sleeps: {' or '.join(map(str, could))}"
                )

    def no_pod_stays_gated_needlessly(self) -> None:
        """Check that no pod is gated that every PreEnqueue plugin would admit."""
        for queued in self.scheduler.queue.unschedulable.values():
            plugins = self.scheduler.frameworks[queued.pod.scheduler_name].at("preEnqueue")
            open_by_now = all(plugin.pre_enqueue(queued.pod).success for plugin in plugins)
            assert not queued.gate or not open_by_now, f"{queued.pod} is gated by {queued.gate} in vain"

    def nominations_agree(self) -> None:
        """Check that the nominations of its pending pods are those in their objects."""
        ours = (pod for pod in self.objects["pod"].values() if pod.scheduler_name in self.scheduler.frameworks)
        waiting = [pod for pod in ours if _shown(pod) and not pod.node_name]
        written = {pod.key: pod.nominated_node_name for pod in waiting if pod.nominated_node_name}
        noted = self.scheduler.queue.nominator.node_of
        differing = {key for key in {*written, *noted} if written.get(key) != noted.get(key)} - self.unwritten
        assert not differing, f"{noted} are noted for {written}"


def due(evictions: Any) -> list[tuple[str, ...]]:
    """The preemptors whose eviction can continue without waiting for news of the last victim."""
    return [preemptor for preemptor, each in evictions.running.items() if not evictions.awaits(each)]


def _shown(thing: Thing) -> bool:
    """Whether the scheduler sees the object."""
    return not isinstance(thing, Pod) or seen(thing) is not None
