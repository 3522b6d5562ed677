"""The production scheduler as a state machine: its cycles, API calls and timers interleaved with cluster events.

A state is the objects of the API server, the changes that are not yet delivered, and the memory of the scheduler.
Random choices are branches. An API call may fail, or succeed while its answer is lost; `faults` bounds how often. On
request, changes are also delivered while a decision is carried out and during API calls. A step in which a plugin
raises changes nothing.

Not modelled: what `memory` leaves out; answers that are late but not lost; a pod created under the name of one that the
scheduler still knows, because only its UID would distinguish the two.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Binding, Scheduler
from schedcheck.model.production.framework.extender import Extender
from schedcheck.model.production.framework.handle import Identity
from schedcheck.model.production.framework.out_of_tree import PluginError
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.machine.actions import (
    KINDS,
    Advance,
    BackedOff,
    Deliver,
    Evicting,
    PermitOver,
    Step,
    TimedOut,
    Try,
)
from schedcheck.model.production.machine.api import Api, Change, Choices
from schedcheck.model.production.machine.state import ONE_LENGTH, Key, Memory, now, recalled, remembered
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.reference import Reference
from schedcheck.model.reference import State as Objects
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod, Snapshot


class State(NamedTuple):
    """The objects, the undelivered changes of pods and of nodes, the scheduler's memory, and the faults left."""

    objects: Objects
    pods: tuple[Change, ...] = ()
    nodes: tuple[Change, ...] = ()
    memory: Memory = Memory()
    faults: int = 0


class Production:
    """The machine of a scenario; `environment` changes its objects, and `faults` API calls may fail in all.

    `extenders` makes the extenders of a step, which may draw their answers. With `interrupted`, changes are also
    delivered within a step: between decision and execution, and before an API call returns.
    """

    def __init__(
        self,
        scenario: Scenario,
        environment: Reference,
        *,
        faults: int = 0,
        registry: Callable[[], Registry] = default_registry,
        extenders: Callable[[Choices], Sequence[Extender]] = lambda choices: (),
        interrupted: bool = False,
    ) -> None:
        self.scenario = scenario
        self.environment = environment
        self.faults = faults
        self._registry = registry
        self._extenders = extenders
        self._interrupted = interrupted
        self._slot = {pod.key: slot for slot, pod in enumerate(scenario.pods)}

    def initial_states(self) -> Iterable[State]:
        """Yield the initial states: the objects exist and are delivered to the scheduler."""
        for objects in self.environment.initial_states():
            blank = State(objects, faults=self.faults)
            scheduler, api = self._awake(blank, Choices(()))
            delivery = Delivery(scheduler)
            for node in objects.nodes:
                if node is not None:
                    delivery.node(None, node)
            for pod in objects.pods:
                if pod is not None:
                    delivery.pod(None, pod)
            yield self._asleep(blank, scheduler, api, [])

    def view(self, state: State) -> Snapshot:
        """Return the objects of the API server."""
        return self.environment.view(state.objects)

    def unfinished(self, state: State) -> bool:
        """Whether some pod waits for a node."""
        return self.environment.unfinished(state.objects)

    def admitted(self, state: State) -> set[Key]:
        """Return the queued pods that every PreEnqueue plugin of their profile admits in this state.

        Nominations, which no such plugin reads, are left out: a broken scheduler may have nominated an unknown pod.
        """
        scheduler, _ = self._awake(state, Choices(()))
        recalled(scheduler, state.memory._replace(nominations=()))
        return {
            waiter.pod.key
            for waiter in state.memory.waiters
            if all(
                plugin.pre_enqueue(waiter.pod).success
                for plugin in scheduler.frameworks[waiter.pod.scheduler_name].at("preEnqueue")
            )
        }

    def kinds(self) -> tuple[type, ...]:
        """Return the types of the cluster events, then of the scheduler's own actions."""
        return (*self.environment.kinds_of_events(), *KINDS)

    def steps(self, state: State) -> Iterator[tuple[Any, State]]:
        """Yield the cluster events, deliveries, scheduling cycles, background steps and timeouts."""
        known = {pod.key for pod in (*state.memory.pods, *state.memory.assumed)}
        known |= {each.pod.key for each in state.memory.bindings}
        known |= {pod.key for change in state.pods for pod in change if isinstance(pod, Pod)}
        for event, objects in self.environment.events(state.objects):
            if not self._comes_again(known, state.objects, objects):
                yield event, self._happened(state, objects)
        yield from self._deliveries(state)
        yield from self._cycles(state)
        yield from self._beside(state)
        yield from self._timers(state)

    def _comes_again(self, known: set[Key], before: Objects, after: Objects) -> bool:
        """Whether a pod is created under the name of one that the scheduler may still know."""
        created = zip(self.scenario.pods, before.pods, after.pods, strict=True)
        return any(was is None and now is not None and pod.key in known for pod, was, now in created)

    def _happened(self, state: State, objects: Objects) -> State:
        """Return the state after a cluster event, with the changes still to be delivered."""
        pods = tuple(each for each in zip(state.objects.pods, objects.pods, strict=True) if each[0] != each[1])
        nodes = tuple(each for each in zip(state.objects.nodes, objects.nodes, strict=True) if each[0] != each[1])
        return state._replace(objects=objects, pods=(*state.pods, *pods), nodes=(*state.nodes, *nodes))

    def _deliveries(self, state: State) -> Iterator[tuple[Step, State]]:
        if state.pods:
            yield from self._delivered(state._replace(pods=state.pods[1:]), "pod", *state.pods[0])
        if state.nodes:
            yield from self._delivered(state._replace(nodes=state.nodes[1:]), "node", *state.nodes[0])

    def _delivered(self, left: State, kind: str, before: Any, after: Any) -> Iterator[tuple[Step, State]]:
        """Yield the state after a change was delivered; `left` is the state without that change."""

        def deliver(scheduler: Scheduler, bindings: list[Binding]) -> None:
            told = Delivery(scheduler)
            (told.node if kind == "node" else told.pod)(before, after)

        yield from self._outcomes(left, Deliver, f"{kind} {after or before}", deliver)

    def _cycles(self, state: State) -> Iterator[tuple[Step, State]]:
        """Yield a cycle of the first pod of the activeQ; if that is empty, of any pod backing off after a rejection."""
        waiters = state.memory.waiters
        first: list[Key | None] = [None] if any(waiter.place == "active" for waiter in waiters) else []
        first = first or [waiter.pod.key for waiter in waiters if waiter.place == "refused"]
        for key in first:

            def cycle(scheduler: Scheduler, bindings: list[Binding], key: Key | None = key) -> str:
                if key is not None:
                    queued = scheduler.queue.backing_off.remove(key)
                    assert queued is not None
                    scheduler.queue.active.put(queued)
                tried = scheduler.queue.active.first()
                assert tried is not None
                attempt = scheduler.decide()
                assert isinstance(scheduler.handle.client, Api)
                scheduler.handle.client.meanwhile()
                binding = None if attempt is None else scheduler.carry_out(attempt)
                if binding is not None:
                    bindings.append(binding)
                return f"{tried.pod}, {binding.node}" if binding is not None else str(tried.pod)

            yield from self._outcomes(state, Try, "", cycle)

    def _beside(self, state: State) -> Iterator[tuple[Step, State]]:
        """Yield the next step of each binding cycle that need not wait for Permit, and of each eviction."""
        waiting = {pod.key for pod, _, signal in state.memory.permits if signal is None}
        for place, each in enumerate(state.memory.bindings):
            if each.stage != "permit" or each.pod.key not in waiting:

                def advance(scheduler: Scheduler, bindings: list[Binding], place: int = place) -> None:
                    if not scheduler.advance(bindings[place]):
                        del bindings[place]

                yield from self._outcomes(state, Advance, f"{each.pod}, {each.stage}", advance)
        placed = {pod.identity for pod in state.memory.pods if pod.node_name and not pod.terminating}
        for preemptor, _, victims, _, last, *_ in state.memory.evictions:
            if not victims and last in placed:
                continue

            def evict(scheduler: Scheduler, bindings: list[Binding], key: Identity = preemptor.identity) -> None:
                for background in scheduler.handle.background:
                    if key in background.running:
                        background.step(key)

            yield from self._outcomes(state, Evicting, f"for {preemptor}", evict)

    def _timers(self, state: State) -> Iterator[tuple[Step, State]]:
        for waiter in state.memory.waiters:
            if waiter.failing:
                yield from self._outcomes(state, BackedOff, str(waiter.pod), _backed_off(waiter.pod.key))
            if waiter.place == "unschedulable":
                yield from self._outcomes(state, TimedOut, str(waiter.pod), _timed_out(waiter.pod.key))
        for pod, plugins, signal in state.memory.permits:
            for plugin in plugins if signal is None else ():
                over = _permit_over(pod, plugin)
                yield from self._outcomes(state, PermitOver, f"{pod}, {plugin}", over)

    def _outcomes(
        self,
        state: State,
        kind: Callable[..., Step],
        what: str,
        act: Callable[[Scheduler, list[Binding]], str | None],
    ) -> Iterator[tuple[Step, State]]:
        """Yield every outcome of one action: one for each combination of draws and failing API calls."""
        ways: list[tuple[int, ...]] = [()]
        for way in ways:
            choices = Choices(way)
            scheduler, api = self._awake(state, choices)
            try:
                bindings = recalled(scheduler, state.memory)
                said = act(scheduler, bindings)
                after = self._asleep(state, scheduler, api, bindings)
            except PluginError as error:
                yield kind(what or error.pod, raised=str(error)), state
                continue
            finally:
                ways.extend(choices.others())
            step = kind(said or what, wrong=", ".join(api.wrong))
            if isinstance(step, Try):
                step = replace(step, concluded=scheduler.concluded)
            yield step, after

    def _awake(self, state: State, choices: Choices) -> tuple[Scheduler, Api]:
        """Return a scheduler with empty memory, and the API server that it calls."""
        there = {pod.key: pod for pod in state.objects.pods if pod is not None}
        api = Api(there, choices, state.faults, list(state.pods), list(state.nodes))
        moment = now(state.memory)
        scheduler = Scheduler(
            self._registry(),
            self.scenario.plugins,
            api,
            lambda: moment,
            backoff=ONE_LENGTH,
            percentage=100,
            random=choices,
            extenders=self._extenders(choices),
        )
        listers = scheduler.handle.listers
        listers.namespaces = {namespace.name: namespace.labels for namespace in self.scenario.namespaces}
        listers.budgets = self.environment.budgets(state.objects)
        listers.services, listers.controllers = self.scenario.services, self.scenario.owners
        listers.storage, listers.workloads = self.scenario.storage, self.scenario.workloads
        listers.pod_groups = self.scenario.pod_groups
        if self._interrupted:
            api.meanwhile = _delivering(scheduler, api)
        return scheduler, api

    def _asleep(self, state: State, scheduler: Scheduler, api: Api, bindings: list[Binding]) -> State:
        """Return the state after the step."""
        pods = list(state.objects.pods)
        for key, pod in api.pods.items():
            pods[self._slot[key]] = self.environment.one(pod)
        objects = state.objects._replace(pods=tuple(pods))
        memory = remembered(scheduler, bindings)
        return State(objects, tuple(api.changes), tuple(api.node_changes), memory, api.faults)


def _delivering(scheduler: Scheduler, api: Api) -> Callable[[], None]:
    """Return a function that delivers some of the pending changes; how many, is drawn."""

    def deliver() -> None:
        told = Delivery(scheduler)
        tells: tuple[tuple[list[Change], Callable[[Any, Any], None]], ...] = (
            (api.changes, told.pod),
            (api.node_changes, told.node),
        )
        for changes, tell in tells:
            for _ in range(api.choices.pick(len(changes) + 1) if changes else 0):
                tell(*changes.pop(0))

    return deliver


def _backed_off(key: Key) -> Callable[[Scheduler, list[Binding]], None]:
    def act(scheduler: Scheduler, bindings: list[Binding]) -> None:
        queue = scheduler.queue
        for heap in (queue.backing_off, queue.erring):
            queued = heap.get(key)
            if queued is not None:
                heap.remove(key)
                queued.refusals = queued.errors = 0
                heap.put(queued)
        if key in queue.unschedulable:
            queue.unschedulable[key].refusals = queue.unschedulable[key].errors = 0
        queue.flush_backoff()

    return act


def _timed_out(key: Key) -> Callable[[Scheduler, list[Binding]], None]:
    def act(scheduler: Scheduler, bindings: list[Binding]) -> None:
        scheduler.queue.time_out([scheduler.queue.unschedulable[key]])

    return act


def _permit_over(pod: Pod, plugin: str) -> Callable[[Scheduler, list[Binding]], None]:
    def act(scheduler: Scheduler, bindings: list[Binding]) -> None:
        waiting = scheduler.handle.waiting.get(pod)
        assert waiting is not None
        waiting.reject(plugin, f"rejected due to timeout at plugin {plugin}")

    return act
