"""A live cluster for random lives, with what `Live` alone does not check: `World`

Evictions delete only pods that a cycle chose as victims; exactly the specified volumes are assumed; a cycle that
nominates begins to evict exactly its victims.
"""

from collections.abc import Callable, Container, Sequence
from typing import Any

from schedcheck.checker.differential.assumed_volumes import set_aside
from schedcheck.checker.extenders.as_values import judged
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.cycle.scheduler import Binding, Stage
from schedcheck.model.production.framework.handle import ClientError
from schedcheck.model.production.queue.scheduling_queue import LONGEST_UNSCHEDULABLE
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Bind
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import CSIDriver
from tests.checker.differential.search.accounts import Backoffs, Expiries, Signals, replaced
from tests.checker.differential.search.calls import Calls, not_tried, waits_on_permit
from tests.model.production.live import EXPIRY, PERMIT, Live, due


class World(Live):
    """A live cluster in which more is checked after every step."""

    deaf: tuple[str, ...] = ("Gate", "NodeVolumeLimits", "VolumeRestrictions")
    """The plugins that have no hint for some event after which a pod that they rejected fits."""

    def __init__(self, *things: Any, **options: Any) -> None:
        self.unsound = self.lost_nodes = self.lost_drivers = False
        self.chosen: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
        super().__init__(*things, **options)

    def start(self) -> None:
        """Start a scheduler that knows nothing; what an earlier one had chosen is no concern of it."""
        self.chosen = {}
        self.calls = Calls()
        self.unevicted = set[tuple[str, ...]]()
        self.uncleared = set[tuple[str, ...]]()
        # Successors have come in the name of a preemptor; they may be queued when their evictions begin.
        self.successors = set[tuple[str, ...]]()
        self.aside: dict[int, Any] = {}
        self.permitted: dict[int, set[str]] = {}
        self.waits: dict[tuple[str, ...], float] = {}
        self.backoffs: Backoffs | None = None
        super().start()
        self.backoffs, self.signals = Backoffs(self.scheduler), Signals()
        self.signals.hear(self.scheduler)
        if self.expires:
            Expiries(self.scheduler.cache, EXPIRY)

    def evict(self, pod: Pod, preemptor: Pod) -> None:
        """Delete a victim, which a cycle of its preemptor must have chosen."""
        chosen = self.chosen.get(preemptor.identity, set())
        assert pod.identity in chosen, f"{pod} is evicted for {preemptor}, which chose {sorted(chosen)}"
        assert not waits_on_permit(pod, self.bindings), f"{pod} is deleted, although it waits on Permit"
        try:
            super().evict(pod, preemptor)
        except ClientError:
            self.unevicted.add(preemptor.identity)
            raise

    def nominate(self, pod: Pod, node: str) -> None:
        """Write a nomination; note the preemptors for which one could not be cleared."""
        self.calls.written.append((pod.key, node))
        try:
            super().nominate(pod, node)
        except ClientError:
            self.uncleared |= {each for each in self._running() if each[:2] in self.stepped}
            raise

    def _running(self) -> set[tuple[str, ...]]:
        """The preemptors whose evictions are under way."""
        handle: Any = self.scheduler.handle
        return {each for background in handle.background for each in background.running}

    def evicting(self) -> None:
        """Take a step of an eviction; check that a preemptor whose eviction fails is active at once, backoff or not.

        Kubernetes 1.37: prepareCandidateAsync in pkg/scheduler/framework/preemption/executor.go.
        """
        self.unevicted = set()
        stepped = [key for background in self.scheduler.handle.background for key in due(background)[:1]]
        self.calls.written.clear()
        super().evicting()
        cleared = self.calls.wrongly_cleared(stepped)
        assert not cleared, cleared
        wrong = self._asleep(self.unevicted)
        assert not wrong, f"{wrong} wait on, although their evictions failed"

    def _asleep(self, those: Container[tuple[str, ...]]) -> list[Pod]:
        """Return those pods that wait for an event, or back off, and are not gated."""
        queue = self.scheduler.queue
        asleep = [*queue.unschedulable.values(), *queue.backing_off, *queue.erring]
        return [each.pod for each in asleep if each.identity in those and not each.gate]

    def _judge(self, made: Conclusion, there: Snapshot) -> None:
        super()._judge(made, there)
        self._evicts(made)
        self.calls.preempts(self._preemptor(made), made, there)

    def _evicts(self, made: Conclusion) -> None:
        """Check that a cycle that nominates begins to evict exactly the victims that are not terminating yet."""
        placed = {pod.identity for pod in self.stores["pod"].values() if pod.node_name}
        placed |= {each.pod.identity for each in self.bindings} | set(self.scheduler.cache.assumed)
        alive = {victim.identity for victim in made.victims if not victim.terminating}
        assert alive <= placed, f"{sorted(alive - placed)} are victims, and have no place"
        running = {
            key: {victim.identity for victim in each.victims}
            for background in self.scheduler.handle.background
            for key, each in background.running.items()  # type: ignore[attr-defined]
        }
        if alive:
            found = running.get(self._preemptor(made).identity, set())
            assert found == alive, f"{sorted(found)} are evicted for {made.pod}, which chose {sorted(alive)}"

    def _preemptor(self, made: Conclusion) -> Pod:
        """Return the pod that has this name by now: Preempt in framework/preemption/preemption.go of 1.37."""
        found: Pod = self.scheduler.handle.listers.pods.get(made.pod.key, made.pod)
        return found

    def cycle(self, meanwhile: Callable[[], None] | None = None) -> None:
        """Run one cycle, and check which volumes it assumes."""
        there, before = self.known(), self._assumed()
        skipped = not_tried(self.stores["pod"].values(), self.scheduler.cache.assumed)
        noted = dict(self.scheduler.queue.nominator.node_of)
        old = {id(each) for each in self.bindings}
        evicting = self._evicting()
        concluded = self._hearing(meanwhile)
        tried = None if concluded is None else concluded.pod.identity
        assert tried not in evicting - self.successors, f"{tried} is tried while its victims are still to be evicted"
        assert meanwhile is not None or tried not in skipped, f"{tried} is tried, and is being deleted or bound"
        new = [each for each in self.bindings if id(each) not in old]
        self.unsound |= any(noted.get(each.pod.key, each.node) != each.node for each in new)
        gone = replaced(new, self.stores["pod"])
        assert not gone, f"{gone} are being bound, and are not there"
        self.waits |= {each.pod.identity: self.now for each in new}
        self.permitted |= {id(each): set() for each in new}
        if meanwhile is None and concluded is not None:
            self._sets_aside(new, there, before)
            wrong = self.calls.not_written(concluded, self.objects["pod"].get(concluded.pod.key), bound=bool(new))
            assert concluded.pod.key in self.unwritten or not wrong, wrong

    def _evicting(self) -> set[tuple[str, ...]]:
        """The preemptors with victims to be evicted that are not known to terminate, to be complete or gone."""
        handle: Any = self.scheduler.handle
        running = [each for background in handle.background for each in background.running.values()]
        known = self.stores["pod"].values()
        alive = {each.identity for each in known if not (each.terminating or completed(each))}
        return {each.preemptor.identity for each in running if any(one.identity in alive for one in each.victims)}

    def _hearing(self, meanwhile: Callable[[], None] | None) -> Conclusion | None:
        """Run one cycle, and record its victims before anything else happens."""
        outcome = self.scheduler.carry_out

        def heard(attempt: Any) -> Binding | None:
            made = self.scheduler.concluded
            if made is not None and made.nominated:
                one = self._preemptor(made)
                self.chosen.setdefault(one.identity, set()).update(each.identity for each in made.victims)
                self.successors |= {one.identity} - {made.pod.identity}
            return outcome(attempt)

        self.scheduler.carry_out = heard  # type: ignore[method-assign]
        try:
            super().cycle(meanwhile)
        finally:
            self.scheduler.carry_out = outcome  # type: ignore[method-assign]
        return self.scheduler.concluded

    def _assumed(self) -> tuple[dict[Any, Any], dict[Any, Any]]:
        assumed = self.scheduler.handle.assumed
        return dict(assumed.volumes), dict(assumed.claims)

    def _sets_aside(self, new: Sequence[Binding], there: Snapshot, before: Any) -> None:
        """Check that exactly the specified volumes are assumed when a binding begins, and none else."""
        volumes, claims = before
        for binding in new:
            node = next(each for each in there.nodes if each.name == binding.node)
            more = set_aside(binding.pod, node, there.storage)
            volumes |= {each.name: each for each in more.volumes}
            claims |= {each.key: each for each in more.claims}
            self.aside[id(binding)] = binding, more
        now = self._assumed()
        assert now == (volumes, claims), f"{now} are assumed for {(volumes, claims)}"

    def permit(self, allowed: bool, place: int = 0, plugin: str = "") -> None:
        """Let one plugin allow or reject one of the pods that wait for a permit."""
        waiting = list(self.scheduler.handle.waiting)
        if waiting:
            one = waiting[place % len(waiting)]
            name = plugin or self.ledger.name
            for each in self.bindings:
                if allowed and each.pod.identity == one.pod.identity:
                    self.permitted[id(each)].add(name)
            one.allow(name) if allowed else one.reject(name, "not now")
        self.look()

    def _something(self) -> bool | None:
        """Do the next piece of work; at rest every permit is given.

        If permits expired here, a gated pod that has waited for five minutes would wake the rejected pods without end.
        """
        waiting = [each for each in self.scheduler.handle.waiting if each.signal is None]
        if waiting and not any(self.streams.values()):
            for name in (self.ledger.name, "Gate"):
                self.permit(True, list(self.scheduler.handle.waiting).index(waiting[0]), name)
            return True
        return super()._something()

    def look(self) -> None:
        """Check all invariants, and that the active pods have backed off, but for preemptors with a call that failed.

        Such a preemptor is active as soon as its evictions have ended. Kubernetes 1.37: prepareCandidateAsync.
        """
        super().look()
        ended = self.uncleared - self._running()
        self.uncleared -= ended
        wrong = self._asleep(ended)
        assert not wrong, f"{wrong} wait on, although a nomination could not be cleared for them"
        early = [] if self.backoffs is None else self.backoffs.early()
        assert not [each for each in early if each.key not in self.forced], f"{early} back off no more"

    def wait(self, seconds: float) -> None:
        """Advance the clock, and check that whatever has waited too long waits no more."""
        super().wait(seconds)
        late = [] if self.backoffs is None else self.backoffs.late()
        assert not late, f"{late} back off for too long"
        for each in self.scheduler.handle.waiting:
            begun = self.waits.get(each.pod.identity, self.now)
            asked = (id(one) for one in self.bindings if one.pod.identity == each.pod.identity)
            said = set[str]().union(*(self.permitted.get(one, ()) for one in asked))
            longest = 2 * PERMIT if self.ledger.name in said else PERMIT
            assert each.signal is not None or self.now - begun < longest, f"{each.pod} waits too long for its permit"
        for queued in self.scheduler.queue.unschedulable.values():
            since = self.since.get(queued.identity, self.now)
            assert queued.gate or self.now - since <= LONGEST_UNSCHEDULABLE, f"{queued.pod} is never tried again"

    def _advance(self, binding: Binding) -> bool:
        """Take one step of a binding, and check that it has its permits, and that a failed one gives its volumes back."""
        before, asks = self._assumed(), binding.stage is Stage.PERMIT
        waits = {self.ledger.name, "Gate"} if binding.pod.labels.get("permit") == "wait" else set()
        queued = binding.pod.identity
        waiting = self.scheduler.handle.waiting.get(binding.pod) if asks else None
        first, rejector = self.signals.first(waiting), self.signals.rejector(waiting)
        done = super()._advance(binding)
        passed = asks and binding in self.bindings and binding.stage is not Stage.PERMIT
        assert first in (None, passed), f"{binding.pod} was {'allowed' if first else 'rejected'} first, and then not"
        assert not passed or waits <= self.permitted[id(binding)], f"{binding.pod} is bound without the permit of all"
        if rejector:
            self._waits_for(rejector, queued)
        _, more = self.aside.get(id(binding), (binding, None))
        if more is None or binding in self.bindings:
            return done
        self.aside.pop(id(binding), None)
        failed = queued not in self.scheduler.cache.assumed and queued not in self.scheduler.cache.pods
        if failed and self.objects["pod"].get(binding.pod.key, binding.pod).node_name == "":
            volumes, claims = before
            mine = {each.name for each in more.volumes}, {each.key for each in more.claims}
            volumes = {name: each for name, each in volumes.items() if name not in mine[0]}
            claims = {key: each for key, each in claims.items() if key not in mine[1]}
            assert self._assumed() == (volumes, claims), f"{binding.pod} has not given its volumes back"
            if not self.bindings and not any(self.streams.values()):
                self.no_lost_wakeup()
        return done

    def _waits_for(self, plugin: str, tried: tuple[str, ...]) -> None:
        """Check that a pod that a plugin rejected on Permit, and that is in the queue again, waits for this plugin.

        Kubernetes 1.37: WaitOnPermit in pkg/scheduler/framework/runtime/framework.go, handleBindingCycleError in schedule_one.go.
        """
        queue = self.scheduler.queue
        there = (*queue.unschedulable.values(), *queue.backing_off, *queue.erring, *queue.active)
        wrong = [each.pod for each in there if each.identity == tried and plugin not in each.rejectors]
        assert not wrong, f"{wrong} do not wait for {plugin}, which rejected them on Permit"

    def _put(self, thing: Any) -> None:
        """Create or change an object; note if it is a driver that asks no more for capacity."""
        if isinstance(thing, CSIDriver):
            known = self.objects["stored"].get((CSIDriver.__name__, thing.name))
            self.lost_drivers |= known is not None and known.storage_capacity and not thing.storage_capacity
        super()._put(thing)

    def _tell(self, kind: str, name: Any, after: Any) -> None:
        """Deliver a change; check the nominations, and whom it lets in: the next one may close a gate behind them."""
        before, queue = self.stores[kind].get(name), self.scheduler.queue
        noted = dict(queue.nominator.node_of)
        self.unsound |= isinstance(after, Pod) and self._is_bound_elsewhere(after, noted.get(name, ""))
        queued = {each.identity for heap in (queue.active, queue.backing_off, queue.erring) for each in heap}
        queued |= {each.identity for each in queue.unschedulable.values()}
        super()._tell(kind, name, after)
        wrong = sorted(self._let_in())
        assert not wrong, "; ".join(wrong)
        now = dict(queue.nominator.node_of)
        if isinstance(before, Pod) and isinstance(after, Pod) and before.identity == after.identity in queued:
            self._keeps_nominations(before, after, noted, now)
        others = {key for key in {**noted, **now} if noted.get(key) != now.get(key)} - {name}
        assert not others, f"a change of {name} changes the nominations of {sorted(others)}"

    def _is_bound_elsewhere(self, after: Pod, nominated: str) -> bool:
        """Whether a pod comes bound to another node than the one that it is assumed on, or nominated to.

        kube-scheduler then frees the room there without an event, and the binding cycle of an assumed pod ends without one
        (kubernetes#134859, open). A nominated pod that it assumes on another node itself frees its room without an event too.
        Kubernetes 1.37: AddPod in pkg/scheduler/backend/cache/cache.go, handleBindingCycleError and assume in schedule_one.go,
        deletePodFromSchedulingQueue in eventhandlers.go.
        """
        cache = self.scheduler.cache
        known = cache.pods[after.identity].pod.node_name if after.identity in cache.assumed else nominated
        return after.node_name != "" and known not in ("", after.node_name)

    def _keeps_nominations(self, before: Pod, after: Pod, noted: dict[Any, str], now: dict[Any, str]) -> None:
        """Check that an update that names no node, before or after, keeps what the scheduler alone knows.

        Kubernetes 1.37: UpdateNominatedPod in pkg/scheduler/backend/queue/nominator.go.
        """
        if before == after or after.node_name or completed(after):
            return
        silent = not before.nominated_node_name and not after.nominated_node_name
        kept = noted.get(after.key, "") if silent else after.nominated_node_name
        found = now.get(after.key, "")
        assert found == kept, f"{after} is nominated to {found or 'no node'} by an update, not {kept or 'none'}"

    def delete(self, *things: Any) -> None:
        """Delete objects; note if nodes or drivers are among them."""
        self.lost_nodes |= any(isinstance(each, Node) for each in things)
        self.lost_drivers |= any(isinstance(each, CSIDriver) for each in things)
        super().delete(*things)

    def no_lost_wakeup(self) -> None:
        """Check that no pod sleeps that could be bound, unless kube-scheduler itself has no hint that could wake it.

        It has none for labels of namespaces, and hardly any for limits and disks in use; nor for anti-affinity that ends
        with a node, or capacity that a driver asked for that is gone or asks no more. `flips` checks each of these events alone.
        """
        there = self.known()
        deaf = {self.ledger.name, *self.deaf}
        deaf |= {"InterPodAffinity"} if self.lost_nodes else set()
        deaf |= {"VolumeBinding"} if self.lost_drivers else set()
        for queued in () if self.unsound else self.scheduler.queue.unschedulable.values():
            if not queued.gate and not deaf & queued.rejectors:
                could = judged(queued.pod, there, self.judged, self.extenders).decisions
                assert not any(isinstance(each, Bind) for each in could), (
                    f"{queued.pod} sleeps: {' or '.join(map(str, could))}"
                )
