"""Random PodGroups whose victims are evicted one by one, terminate and go, after which the group is tried again: `evicting_group`

Evictions, the news of them and the ends of victims come in any order; an eviction may fail. While a victim runs, no pod of the group may be tried.
Once the last one is known to terminate, all of them may, and at once if an eviction failed. Then the next cycle is judged.
"""

from dataclasses import replace
from random import Random

from schedcheck.checker.differential.standing import informed
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.framework.handle import ClientError
from schedcheck.model.production.machine.api import Api
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.kubernetes.group_decisions import known_endings
from schedcheck.spec.kubernetes.pod_groups import pod_group
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.test_group_preemption import allowed, seen
from tests.live.grouping import contested, read
from tests.support.pod_groups import GROUPED

Key = tuple[str, str]
QUEUED = ("active", "backing off")
"""The places of pods that are tried as soon as their backoff is over."""


class Evicting:
    """A PodGroup after its first cycle, its victims, and their API server."""

    def __init__(self, chance: Random, there: Snapshot) -> None:
        self.chance, self.there, self.now, self.failed = chance, there, 0.0, False
        self.scheduler = informed(there.pods, there, (GROUPED,), clock=lambda: self.now)
        assert isinstance(self.scheduler.handle.client, Api)
        self.api = self.scheduler.handle.client
        self.delivery = Delivery(self.scheduler)
        self.members = {each.key for each in there.pods if each.scheduling_group == "g" and not each.node_name}
        _, _, evicted = seen(self.scheduler)
        self.victims = [each for each in there.pods if each.name in evicted]
        self.fails = chance.choice(self.victims).key if self.victims and chance.random() < 0.25 else None
        evict = self.api.evict

        def called(victim: Pod, preemptor: Pod) -> None:
            if victim.key == self.fails:
                self.failed, self.fails = True, None
                raise ClientError("no connection")
            evict(victim, preemptor)

        self.api.evict = called  # type: ignore[method-assign]

    def _running(self) -> list[tuple[Evictions, tuple[str, ...]]]:
        """The evictions that can go on, each with its preemptor."""
        known = (each for each in self.scheduler.handle.background if isinstance(each, Evictions))
        return [(each, key) for each in known for key, one in each.running.items() if not each.awaits(one)]

    def _terminating(self) -> list[Pod]:
        return [each for each in self.api.pods.values() if each.terminating]

    def _goes(self, pod: Pod) -> None:
        """The API server deletes a pod that has terminated."""
        del self.api.pods[pod.key]
        self.api.changes.append((pod, None))

    def _step(self) -> None:
        """Go on with an eviction, deliver a change, or let a victim end."""
        running, going = self._running(), self._terminating()
        steps = [*["evict"] * len(running), *["deliver"] * min(2, len(self.api.changes))]
        match self.chance.choice(steps if not going or self.chance.random() < 0.8 else ["end"]):
            case "evict":
                evictions, key = running[0]
                evictions.step(key)
            case "deliver":
                self.delivery.pod(*self.api.changes.pop(0))
            case _:
                self._goes(self.chance.choice(going))

    def _places(self) -> dict[Key, str]:
        return {key: place for key, place in self.scheduler.queue.places() if key in self.members}

    def carried_out(self) -> None:
        """Carry out the evictions, and judge when the pods of the group may be tried.

        Kubernetes 1.37: IsPodRunningPreemption and prepareCandidateAsync in pkg/scheduler/framework/preemption/executor.go.
        """
        while self._running() or self.api.changes:
            self._step()
            known = self.scheduler.handle.listers.pods
            alive = [each for each in self.victims if each.key in known and not known[each.key].terminating]
            early = [key for key, place in self._places().items() if place in QUEUED]
            assert not (early and alive) or self.failed, f"{early} may be tried, although {alive} still run"
        places = self._places()
        wanted = ("active",) if self.failed else QUEUED
        asleep = sorted(key for key in self.members if places.get(key) not in wanted)
        assert not asleep, f"{asleep} are {places}, after the evictions for their group"

    def again(self) -> None:
        """Let victims end, and judge the next cycle of the group."""
        for each in self._terminating():
            if self.chance.random() < 0.8:
                self._goes(each)
        while self.api.changes:
            self.delivery.pod(*self.api.changes.pop(0))
        self.now += 20.0
        self.scheduler.queue.flush_backoff()
        pods = tuple(sorted(self.api.pods.values(), key=lambda each: each.key))
        there = replace(self.there, pods=pods)
        group = pod_group(next(each for each in pods if each.key in self.members), there)
        assert group is not None
        why, ends = known_endings(group, there, GROUPED)
        made = seen(self.scheduler)
        assert why or made in {allowed(each, there) for each in ends}, f"{made} is no end that is allowed"


def evicting_group(start: str) -> None:
    """Judge a PodGroup that preempts, up to its second cycle."""
    chance = Random(f"evicting {start}")
    there = read(contested(chance, 0))
    members = [each for each in there.pods if each.scheduling_group == "g" and not each.node_name]
    if pod_group(members[0], there) is None or not any(each in turn(there, GROUPED) for each in members):
        return
    evicting = Evicting(chance, there)
    if evicting.victims:
        evicting.carried_out()
        evicting.again()
