"""The further pods placed one after another in one order of ties: `Followed`, `followed`.

The production scheduler places them, without preemption, and every node is searched. Ties are drawn from a seeded
source. The specification judges all placements, or an even sample of them in a large cluster; `judged` says how many.
"""

from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from schedcheck.checker.capacity.question import Question
from schedcheck.checker.differential.standing import informed
from schedcheck.checker.limits.timer import doing
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.versions import as_the_code
from schedcheck.spec.objects import Pod

SEED = 0
MOST_FOLLOWED = 2000
"""The most placements that are followed."""

JUDGED = 60_000
"""As many nodes and pods are looked at to judge placements; a small cluster has all of its placements judged."""

FEWEST_JUDGED = 3


class NotAllowed(Exception):
    """A placement of the production scheduler that the specification does not allow."""


@dataclass(frozen=True)
class Followed:
    """The nodes of the pods in the order of their placement; `ended` if the next one fits on no node."""

    hosts: tuple[str, ...]
    ended: bool
    judged: int

    @property
    def by_node(self) -> dict[str, int]:
        """The number of pods on each node that has any."""
        return {host: self.hosts.count(host) for host in dict.fromkeys(self.hosts)}


class Bound:
    """An API server that accepts every binding."""

    def bind(self, pod: Pod, node: str) -> None:
        """Accept the binding."""

    def nominate(self, pod: Pod, node: str) -> None:
        """Accept the nomination."""

    def evict(self, pod: Pod, preemptor: Pod) -> None:
        """Accept the eviction."""


def followed(asked: Question, most: int, seed: int = SEED) -> Followed:
    """Return the placements of at most this many pods, in one order of ties.

    Raises: NotAllowed.
    """
    doing("placing one pod after another")
    waits = any(each.nominated_node_name and not each.node_name for each in asked.snapshot.pods)
    by_production = as_the_code(asked.plugins.departures) and not waits
    hosts = (_by_production if by_production else _by_definition)(asked, most, Random(seed))
    judged = _judge(asked, hosts, len(hosts) < most) if by_production else len(hosts)
    return Followed(hosts, len(hosts) < most, judged)


def _by_definition(asked: Question, most: int, chance: Random) -> tuple[str, ...]:
    """Place the pods by the choices of the specification."""
    hosts: list[str] = []
    while len(hosts) < most:
        choice = asked.choice(hosts)
        if choice.kind != "scheduled":
            break
        hosts.append(chance.choice(choice.hosts))
    return tuple(hosts)


def without_preemption(plugins: Plugins) -> Plugins:
    """Return the profile without PostFilter."""
    return replace(plugins, points=plugins.points.set("postFilter", ()))


def _by_production(asked: Question, most: int, chance: Random) -> tuple[str, ...]:
    """Place the pods by the production scheduler, which sums up the cluster once."""
    bound = tuple(each for each in asked.snapshot.pods if each.node_name)
    scheduler = informed(bound, asked.snapshot, (without_preemption(asked.plugins),))
    scheduler.handle.client, scheduler.handle.random = Bound(), chance
    hosts: list[str] = []
    for pod in islice(asked.pods(), most):
        host = _placed(scheduler, replace(pod, scheduler_name=asked.plugins.scheduler_name, scheduling_gates=()))
        if host is None:
            break
        hosts.append(host)
    return tuple(hosts)


def _placed(scheduler: Scheduler, pod: Pod) -> str | None:
    """Return the node to which the scheduler binds the pod; None if it fits on none."""
    Delivery(scheduler).pod(None, pod)
    binding = scheduler.schedule_one()
    if binding is None:
        return None
    scheduler.finish(binding)
    return binding.node


def _judge(asked: Question, hosts: tuple[str, ...], ended: bool) -> int:
    """Judge placements, and the end; return how many placements were judged. Raises: NotAllowed."""
    doing("judging the placements by the specification")
    size = len(asked.snapshot.pods) + len(asked.snapshot.nodes)
    chosen = sampled(len(hosts), max(FEWEST_JUDGED, JUDGED // max(size, 1)))
    for number in chosen:
        if hosts[number] not in asked.choice(hosts[:number]).hosts:
            raise NotAllowed(f"placement {number + 1} on {hosts[number]} is not allowed")
    if ended and asked.choice(hosts).kind == "scheduled":
        raise NotAllowed(f"one more pod fits after {len(hosts)}")
    return len(chosen)


def sampled(number: int, most: int) -> list[int]:
    """Return at most this many of the numbers below `number`, evenly, with the first and the last."""
    if number <= most:
        return list(range(number))
    return sorted({round(each * (number - 1) / (most - 1)) for each in range(most)})
