"""Behaviours in a large cluster: the production scheduler decides, and the specification judges: `Behaviour`.

The scheduler, which sums up the cluster once, decides about one pod at a time, and draws among ties. Its steps
alternate at random with those of the controllers and kubelets. A behaviour ends when no controller has anything to
do and the specification allows no decision on any pending pod but to wait. Samples of the placements are judged too.

The status of budgets is not updated: that may be late, and no pod waits because of it.
"""

from bisect import insort
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from random import Random
from typing import Any

from schedcheck.checker.alike import nameless
from schedcheck.checker.deploying.question import Deploying
from schedcheck.checker.differential.standing import informed
from schedcheck.checker.limits.clock import Clock
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.trials import TooManyOrders
from schedcheck.model.controllers.owners import RECREATING
from schedcheck.model.controllers.rollouts import Remove, moves
from schedcheck.model.environment import newly_arrived
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.machine.api import Api, Choices
from schedcheck.model.profiles import plugins_of
from schedcheck.model.rollouts import Key, Rollout
from schedcheck.model.scenario import snapshot_of
from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.kubernetes.versions import as_the_code
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import departing

JUDGED = 3
"""How many placements of a behaviour are judged."""

ROUNDS = 20
"""How often pods that wait are tried once more before the behaviour is given up."""

AN_HOUR = 3600.0


class NotAllowed(Exception):
    """A placement of the production scheduler that the specification does not allow."""


def follows(asked: Deploying) -> bool:
    """Whether the production scheduler decides as the profile of the scenario does."""
    profiles = departing(asked.scenario.profile, asked.scenario.plugins)
    plain = all(as_the_code(each.departures) for each in profiles)
    return plain and not any(each.extenders or each.unasked or each.rules for each in profiles)


class Behaviour:
    """One behaviour: its pods by key, and its actions in words."""

    def __init__(self, asked: Deploying, seed: int) -> None:
        self.asked, self.chance = asked, Random(seed)
        scenario = asked.scenario
        self.pods = {pod.key: pod for pod in scenario.pods if pod.key not in scenario.absent}
        self.origins = {pod.key: pod for pod in scenario.pods}
        self.scales = [each.start for each in scenario.rollouts]
        self.nodes = {node.name: node for node in scenario.nodes}
        self.ready = {node.name for node in scenario.nodes if node.ready == "True"}
        self.unknown = {node.name for node in scenario.nodes if node.ready == "Unknown"}
        self.kubelet = "kubelet" in scenario.controllers
        self.actions: list[str] = []
        self.decided: dict[int, Bind | Nominate] = {}
        self.written: list[tuple[int, Key, Pod | None]] = []
        self.evicted: list[tuple[str, str]] = []
        self.now, self.judged = 0.0, 0
        bound = [pod for pod in self.pods.values() if pod.node_name]
        waiting = [pod for pod in self.pods.values() if not pod.node_name]
        self.scheduler = informed(bound, self.snapshot(), scenario.plugins, clock=lambda: self.now)
        self.api = Api({pod.key: pod for pod in bound}, Choices(()), 0)
        self.scheduler.handle.client, self.scheduler.handle.random = self.api, self.chance
        self.delivery = Delivery(self.scheduler)
        # Pods whose state may change: all others stay as they are.
        self.lively = {key for key, pod in self.pods.items() if pod.terminating and pod.node_name} | asked.keys
        self.managed = {key: number for number, each in enumerate(scenario.rollouts) for key in each.keys}
        for pod in waiting:
            self.api.pods[pod.key] = pod
            self.delivery.pod(None, pod)
        self.first = dict(self.pods)
        self.asleep = self._lulled()

    def snapshot(self) -> Snapshot:
        """Return the cluster."""
        return self._cluster(self.pods)

    def _cluster(self, found: Mapping[Key, Pod]) -> Snapshot:
        scenario = self.asked.scenario
        pods = tuple(sorted(found.values(), key=lambda each: each.key))
        return snapshot_of(scenario, pods, scenario.nodes, scenario.budgets)

    def trail(self) -> tuple[tuple[Any, Snapshot], ...]:
        """Return the first cluster without an action, then each action, as text if it is no decision, with the cluster after it."""
        pods = dict(self.first)
        found: list[tuple[Any, Snapshot]] = []
        # What a decision writes belongs to it, also if an eviction was noted between.
        changes = {
            number: list(some) for number, some in groupby(sorted(self.written, key=itemgetter(0)), itemgetter(0))
        }
        for number, text in enumerate((None, *self.actions)):
            for _, key, pod in changes.get(number, ()):
                if pod is None:
                    pods.pop(key, None)
                else:
                    pods[key] = pod
            found.append((self.decided.get(number, text), self._cluster(pods)))
        return tuple(found)

    def _write(self, key: Key, pod: Pod | None, number: int | None = None) -> None:
        """Keep what becomes of a pod, by the number of the action that does it: the last one."""
        self.written.append((len(self.actions) if number is None else number, key, pod))

    def _lulled(self) -> list[Pod]:
        """Take the pods from the queue that now can only wait, and return them."""
        able = {pod.key for pod in self._able()}
        idle = [pod for pod in self._pending() if pod.key not in able]
        for pod in idle:
            self.scheduler.queue.active.remove(pod.key)
        return idle

    def to_the_end(self, clock: Clock, most: int) -> bool:
        """Follow the behaviour; return whether it has come to its end within so many steps."""
        rounds = 0
        while len(self.actions) < most:
            clock.look()
            steps = list(self._steps())
            ready = self._queued()
            if ready and (not steps or self.chance.random() < 0.5):
                self._schedule()
            elif steps:
                self.chance.choice(steps)()
            elif able := self._able():
                rounds += 1
                if rounds > ROUNDS:
                    return False
                self._wake(able)
            else:
                return True
        return False

    def _queued(self) -> bool:
        """Whether a pod may be tried; every backoff is over."""
        self.now += AN_HOUR
        self.scheduler.queue.flush_backoff()
        return len(self.scheduler.queue.active) > 0

    def _schedule(self) -> None:
        binding = self.scheduler.schedule_one()
        if binding is not None:
            if self.judged < JUDGED and binding.pod.key in self.asked.forms:
                self._judge(self.pods[binding.pod.key], binding.node, self.snapshot())
            self.actions.append(f"Bind({binding.pod}, {binding.node})")
            self.decided[len(self.actions)] = Bind(self.pods[binding.pod.key], self.nodes[binding.node])
            self.scheduler.finish(binding)
        made = self.scheduler.concluded
        if binding is None and made is not None and made.nominated:
            victims = ", ".join(sorted(str(each) for each in made.victims))
            self.actions.append(f"Nominate({made.pod}, {made.nominated}, {{{victims}}})")
            nominated = Nominate(self.pods[made.pod.key], self.nodes[made.nominated], frozenset(made.victims))
            self.decided[len(self.actions)] = nominated
            self.evicted += [(str(each), str(made.pod)) for each in made.victims]
        self.scheduler.concluded = None
        self.scheduler.run_background()
        self._deliver()

    def _deliver(self) -> None:
        """Deliver what the scheduler has written."""
        number = len(self.actions)
        while self.api.changes:
            before, after = self.api.changes.pop(0)
            assert isinstance(after, Pod)
            evicts = after.terminating and not (isinstance(before, Pod) and before.terminating)
            if evicts:
                self.actions.append(f"EvictVictim({after})")
            self.pods[after.key] = after
            self._write(after.key, after, None if evicts else number)
            self.lively.add(after.key)
            self.delivery.pod(before if isinstance(before, Pod) else None, after)
            self.scheduler.run_background()

    def _judge(self, pod: Pod, node: str, before: Snapshot) -> None:
        """Raises: NotAllowed if the specification does not allow the binding."""
        self.judged += 1
        judge, plugins = CycleJudge(before), plugins_of(pod, self.asked.scenario)
        if not judge.judges(pod, plugins):
            return
        allowed = {
            each.node.name for each in judge.judged(pod, plugins, frozenset()).decisions if isinstance(each, Bind)
        }
        if node not in allowed:
            raise NotAllowed(f"{pod} on {node}")

    def _steps(self) -> Iterator[Callable[[], None]]:
        """Yield what the controllers and kubelets may do."""
        for number, rollout in enumerate(self.asked.scenario.rollouts):
            yield from self._of_rollout(number, rollout)
        for key in sorted(self.lively):
            pod = self.pods.get(key)
            if pod is None:
                origin = self.origins.get(key)
                if origin is not None and key not in self.managed and origin.owner[0] in RECREATING:
                    yield partial(self._create, newly_arrived(origin))
            elif pod.terminating and pod.node_name and pod.node_name not in self.unknown:
                yield partial(self._change, pod, None, f"{'End' if self.kubelet else 'Terminate'}({pod})")
            elif self.kubelet and key in self.managed and pod.node_name in self.ready and pod.phase == "Pending":
                yield partial(self._change, pod, replace(pod, phase="Running"), f"Start({pod})")

    def _of_rollout(self, number: int, rollout: Rollout) -> Iterator[Callable[[], None]]:
        for action, scales, pod in moves(rollout, self.scales[number], self.pods):
            if pod is None:
                yield partial(self._scale, number, scales, str(action))
            elif isinstance(action, Remove):
                left = replace(pod, terminating=True) if pod.node_name else None
                yield partial(self._change, pod, left, str(action))
            else:
                yield partial(self._create, pod)

    def _scale(self, number: int, scales: tuple[int, int], said: str) -> None:
        self.scales[number] = scales
        self.actions.append(said)

    def _create(self, pod: Pod) -> None:
        self.actions.append(f"Create({pod})")
        self.pods[pod.key] = self.api.pods[pod.key] = pod
        self._write(pod.key, pod)
        self.delivery.pod(None, pod)

    def _change(self, before: Pod, after: Pod | None, said: str) -> None:
        self.actions.append(said)
        self._write(before.key, after)
        if after is None:
            del self.pods[before.key], self.api.pods[before.key]
        else:
            self.pods[after.key] = self.api.pods[after.key] = after
        self.delivery.pod(before, after)
        self.scheduler.run_background()

    def _pending(self) -> list[Pod]:
        names = {each.scheduler_name for each in self.asked.scenario.plugins}
        found: list[Pod] = []
        for pod in self.pods.values():
            if not pod.node_name and not pod.terminating and not pod.scheduling_gates and pod.scheduler_name in names:
                insort(found, pod, key=lambda each: each.key)
        return found

    def _able(self) -> list[Pod]:
        """Return the pending pods on which the specification allows more than to wait."""
        judge = CycleJudge(self.snapshot())
        known: dict[Pod, bool] = {}

        def able(pod: Pod) -> bool:
            alike = replace(nameless(pod), start_time=None)
            if alike not in known:
                plugins = plugins_of(pod, self.asked.scenario)
                try:
                    if known.setdefault(alike, judge.judges(pod, plugins) and bool(judge.feasible(pod, plugins))):
                        return True
                    decisions = judge.judged(pod, plugins, frozenset()).decisions
                    known[alike] = not all(isinstance(each, Wait) and not each.unnominated for each in decisions)
                except TooManyOrders:
                    known[alike] = True
            return known[alike]

        return [pod for pod in self._pending() if able(pod)]

    def _wake(self, pods: list[Pod]) -> None:
        """Let these pods be tried again."""
        for pod in pods:
            self.scheduler.queue.delete(pod)
            self.scheduler.queue.add(pod)


def ended(asked: Deploying, seed: int, clock: Clock, most: int) -> Behaviour | None:
    """Return a behaviour at its end; None if it is long. Raises: NotAllowed."""
    made = Behaviour(asked, seed)
    return made if made.to_the_end(clock, most) else None
