"""The production scheduler in simulated time: deliveries, scheduling cycles, bindings, evictions, flushes: `Scheduling`.

Every decision and every move between the queues is that of `model.production`; here is only when it takes its steps.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Binding, Scheduler
from schedcheck.model.production.framework.handle import Identity
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.model.simulation.agenda import Agenda
from schedcheck.model.simulation.delays import FLUSH, FLUSH_UNSCHEDULABLE
from schedcheck.model.simulation.timeline import Start
from schedcheck.model.simulation.world import World
from schedcheck.spec.device_objects import NO_DEVICES
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget

Concluded = Callable[[Conclusion], None]
Beginning = Callable[[], Concluded | None]


class Scheduling:
    """One scheduler that watches the world. `beginning` is called before each cycle; what it returns, with the result."""

    def __init__(self, start: Start, agenda: Agenda, world: World, chance: Random) -> None:
        self._agenda, self._world = agenda, world
        self.scheduler = Scheduler(
            start.registry(),
            start.plugins,
            world,
            lambda: agenda.now,
            backoff=start.backoff,
            random=chance,
            recorder=self._record,
        )
        listers = self.scheduler.handle.listers
        there = start.snapshot
        listers.namespaces = {namespace.name: namespace.labels for namespace in there.namespaces}
        listers.budgets, listers.services = there.budgets, there.services
        listers.controllers, listers.storage = there.controllers, there.storage
        # Allocations are not simulated. The classes tell which extended resources stand for devices.
        listers.devices = replace(NO_DEVICES, classes=there.devices.classes)
        self.devices = there.devices
        """The devices at the start."""
        self._delivery = Delivery(self.scheduler)
        for node in there.nodes:
            self._delivery.node(None, node)
        for pod in there.pods:
            self._delivery.pod(None, pod)
        self.bindings: dict[tuple[str, ...], Binding] = {}
        self.messages: dict[tuple[str, ...], str] = {}
        """The last message about each unbound pod, by its identity."""
        self.cycles = 0
        self.beginning: Beginning = lambda: None
        self._free_at = 0.0
        self._latest = {"pod": 0.0, "node": 0.0}
        self._planned: set[str] = set()
        self._evicting: set[Identity] = set()
        world.pod_watchers.append(lambda before, after: self._hear("pod", before, after))
        world.node_watchers.append(lambda before, after: self._hear("node", before, after))

    def begin(self) -> None:
        """Take up the pods that wait at the start."""
        self._look()

    def budgets(self, budgets: tuple[PodDisruptionBudget, ...]) -> None:
        """Take note of changed budgets."""
        self.scheduler.handle.listers.budgets = budgets

    def _hear(self, kind: str, before: Pod | Node | None, after: Pod | Node | None) -> None:
        """Deliver a change after a delay, the changes of one kind in their order."""
        time = max(self._latest[kind], self._agenda.now + self._agenda.draw("informer"))
        self._latest[kind] = time

        def deliver() -> None:
            told: Any = self._delivery.node if kind == "node" else self._delivery.pod
            told(before, after)
            if kind == "pod" and after is None and before is not None:
                self.messages.pop(before.identity, None)  # type: ignore[union-attr]
            self._look()

        self._agenda.at(time, deliver)

    def _record(self, pod: Pod, reason: str, message: str) -> None:
        if reason == "FailedScheduling":
            self.messages[pod.identity] = message
        elif reason == "Scheduled":
            self.messages.pop(pod.identity, None)

    def _look(self) -> None:
        """Plan what the scheduler has to do: the next cycle, the next steps of evictions, and the flushes."""
        queue = self.scheduler.queue
        if len(queue.active) or len(queue.backing_off):
            self._plan("cycle", self._free_at, self._cycle)
        if len(queue.backing_off) or len(queue.erring):
            self._plan("flush", self._next(FLUSH), queue.flush_backoff)
        if queue.unschedulable:
            self._plan("flush unschedulable", self._next(FLUSH_UNSCHEDULABLE), queue.flush_unschedulable)
        for background in self.scheduler.handle.background:
            assert isinstance(background, Evictions)
            for key, each in background.running.items():
                if key not in self._evicting and not background.awaits(each):
                    self._evicting.add(key)
                    self._agenda.after("call", lambda key=key, of=background: self._evict(of, key))  # type: ignore[misc]

    def _next(self, interval: float) -> float:
        """Return the next multiple of an interval, after now."""
        return (math.floor(self._agenda.now / interval) + 1) * interval

    def _plan(self, name: str, time: float, act: Callable[[], None]) -> None:
        if name in self._planned:
            return
        self._planned.add(name)

        def once() -> None:
            self._planned.discard(name)
            act()
            self._look()

        self._agenda.at(time, once)

    def _cycle(self) -> None:
        """Run one scheduling cycle, which begins now."""
        scheduler = self.scheduler
        if not len(scheduler.queue.active) and not len(scheduler.queue.backing_off):
            return
        concluding = self.beginning()
        scheduler.concluded = None
        binding = scheduler.schedule_one()
        made = _last(scheduler)
        if made is not None:
            self.cycles += 1
            if concluding is not None:
                concluding(made)
            if not made.hosts:
                words = f"waits for the eviction of {len(made.victims)} on {made.nominated}" if made.nominated else ""
                self._world.tell("Wait", made.pod, "", words or made.message)
        self._free_at = self._agenda.now + self._agenda.draw("cycle")
        if binding is not None:
            self.bindings[binding.pod.identity] = binding
            time = self._free_at + self._agenda.draw("binding")
            self._agenda.at(time, lambda: self._bind(binding))

    def _bind(self, binding: Binding) -> None:
        """Finish a binding cycle; no plugin of kube-scheduler lets a pod wait on Permit."""
        self.scheduler.finish(binding)
        del self.bindings[binding.pod.identity]
        self._look()

    def _evict(self, background: Evictions, key: Identity) -> None:
        """Take the next step of the evictions for one preemptor."""
        self._evicting.discard(key)
        if key in background.running and not background.awaits(background.running[key]):
            background.step(key)
        self._look()


def _last(scheduler: Scheduler) -> Conclusion | None:
    """Return the result of the last cycle, None if it searched for no node."""
    return scheduler.concluded
