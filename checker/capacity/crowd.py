"""Given pods that are to be placed together, by the scheduler: `Crowd`, `placed`.

The pods come in the order of the queue: of higher priority first, then by namespace and name. A pod that fits on no node
is tried again once others were placed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from schedcheck.checker.capacity.following import (
    FEWEST_JUDGED,
    JUDGED,
    SEED,
    Bound,
    NotAllowed,
    sampled,
    without_preemption,
)
from schedcheck.checker.differential.standing import drained, informed
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.vectors.filtering import prepared
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.spec.kubernetes.control_loop import UNMODELLED
from schedcheck.spec.kubernetes.filters.dynamic_resources import claiming
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.select_host import Choice
from schedcheck.spec.kubernetes.versions import as_the_code
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.spec.unasked_extenders import concerned

Ways = tuple[tuple[Pod, str], ...]
"""Pods with their nodes, in the order in which they are placed."""


@dataclass(frozen=True)
class Crowd:
    """Pods without nodes and nominations, the snapshot without them, and the profiles of the scheduler."""

    pods: tuple[Pod, ...]
    snapshot: Snapshot
    profiles: tuple[Plugins, ...]

    def plugins(self, pod: Pod) -> Plugins:
        """Return the profile of a pod."""
        return by_scheduler_name(pod, self.profiles)

    @cached_property
    def judge(self) -> CycleJudge:
        """The specification on the snapshot."""
        return CycleJudge(self.snapshot)

    def after(self, ways: Iterable[tuple[Pod, str]]) -> Snapshot:
        """Return the snapshot after these pods are bound."""
        more = (replace(pod, node_name=host) for pod, host in ways)
        return replace(self.snapshot, pods=tuple(sorted((*self.snapshot.pods, *more), key=lambda each: each.key)))

    def choice(self, pod: Pod, ways: Iterable[tuple[Pod, str]]) -> Choice:
        """Return the end of the pod's cycle after these pods are bound."""
        return CycleJudge(self.after(ways)).choice(pod, self.plugins(pod))


@dataclass(frozen=True)
class Placed:
    """The pods that the scheduler places in one order of ties, those that it leaves, and how many placements were judged."""

    ways: Ways
    left: tuple[Pod, ...]
    judged: int


def unanswerable(crowd: Crowd) -> str:
    """Return why it is not known whether these pods fit, with the name of one; empty if it is."""
    for pod in crowd.pods:
        plugins = crowd.plugins(pod)
        if plugins.extenders or concerned(pod, plugins.unasked):
            return f"an extender of the configuration decides about {pod}"
        if not prepared(plugins):
            return "the configuration has filters of which only kube-scheduler's are known"
        if claiming(pod, crowd.snapshot.devices, plugins.departures):
            return f"{UNMODELLED}; {pod} has some"
        if crowd.judge.cycle(pod, plugins).claims.waiting:
            return f"the claims of {pod} are bound to volumes when it is placed, which is not modelled"
    return ""


def placed(crowd: Crowd, seed: int = SEED) -> Placed:
    """Return what the scheduler places, without preemption, in one order of ties.

    Raises: NotAllowed.
    """
    doing("placing one pod after another")
    chance = Random(seed)
    waiting = sorted(crowd.pods, key=lambda pod: (-pod.priority, pod.key))
    ways: list[tuple[Pod, str]] = []
    while waiting:
        found = _run(replace(crowd, snapshot=crowd.after(ways)), waiting, chance)
        ways += found
        there = {pod.key for pod, _ in found}
        waiting = [pod for pod in waiting if pod.key not in there]
        if not found:
            break
    return Placed(tuple(ways), tuple(waiting), _judge(crowd, ways, waiting))


def _run(crowd: Crowd, waiting: list[Pod], chance: Random) -> list[tuple[Pod, str]]:
    """Try each of the pods once, in order; return those that are placed."""
    if not all(as_the_code(each.departures) for each in crowd.profiles):
        return _by_definition(crowd, waiting, chance)
    bound = tuple(each for each in crowd.snapshot.pods if each.node_name)
    scheduler = informed(bound, crowd.snapshot, tuple(map(without_preemption, crowd.profiles)))
    scheduler.handle.client, scheduler.handle.random = Bound(), chance
    found = ((pod, _tried(scheduler, pod)) for pod in waiting)
    return [(pod, host) for pod, host in found if host is not None]


def _tried(scheduler: Scheduler, pod: Pod) -> str | None:
    Delivery(scheduler).pod(None, pod)
    drained(scheduler, pod.key)
    binding = scheduler.schedule_one()
    if binding is None:
        return None
    scheduler.finish(binding)
    return binding.node


def _by_definition(crowd: Crowd, waiting: list[Pod], chance: Random) -> list[tuple[Pod, str]]:
    found: list[tuple[Pod, str]] = []
    for pod in waiting:
        choice = crowd.choice(pod, found)
        if choice.kind == "scheduled":
            found.append((pod, chance.choice(choice.hosts)))
    return found


def _judge(crowd: Crowd, ways: list[tuple[Pod, str]], left: list[Pod]) -> int:
    """Judge placements, and that no pod left fits; return how many placements were judged. Raises: NotAllowed."""
    doing("judging the placements by the specification")
    size = max(len(crowd.snapshot.pods) + len(crowd.snapshot.nodes), 1)
    most = max(FEWEST_JUDGED, JUDGED // size)
    chosen = sampled(len(ways), most)
    for number in chosen:
        pod, host = ways[number]
        if host not in crowd.choice(pod, ways[:number]).hosts:
            raise NotAllowed(f"placement of {pod} on {host} is not allowed")
    end = CycleJudge(crowd.after(ways))
    for number in sampled(len(left), most):
        if end.choice(left[number], crowd.plugins(left[number])).kind == "scheduled":
            raise NotAllowed(f"{left[number]} fits and is left")
    return len(chosen)
