"""Behaviours after manifests are applied: explored all, or followed to their end: `Ending`, `explored`, `followed`."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random
from re import compile
from typing import Any, TypeVar

from schedcheck.checker.check import Checked, check
from schedcheck.checker.deploying.at_scale import NotAllowed, ended, follows
from schedcheck.checker.deploying.question import OTHERS, Deploying, properties
from schedcheck.checker.followed import BEHAVIOURS, SEED, kept, to_the_end
from schedcheck.checker.limits.clock import Clock, OutOfTime
from schedcheck.checker.limits.timer import answer, doing, reason
from schedcheck.checker.properties.behaviours import COMES_TO_REST
from schedcheck.checker.result import Bounds, Progress, Stage
from schedcheck.model.machine import Machine
from schedcheck.model.nominations import EvictVictim
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.rollouts import Key
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Nominate
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.properties.kinds import Property

LARGE, WORK, LONGEST_AT_SCALE = 120, 60_000, 50_000
"""From how many pods and nodes on the production scheduler decides; as many are looked at over all behaviours; and the
most steps of one.
"""

Name = TypeVar("Name", Key, str)

NOMINATE = compile(r"Nominate\((?P<pod>[^,]+), (?P<node>[^,]+), \{(?P<victims>[^}]*)\}\)")


Trail = Callable[[], tuple[tuple[Any, Snapshot], ...]]
"""A behaviour, made when it is asked for: each action, or its text, with the cluster after it; the first has none."""


@dataclass(frozen=True)
class Seen:
    """What was seen in behaviours.

    - `nodes`: the nodes to which each pod to come was bound, by key. - `bound`: the least and the greatest number of
    pods that each rollout has on nodes at the end, by its text. - `evicted`: the evicted pods, each with those for
    which it was.
    """

    nodes: Mapping[Key, frozenset[str]] = field(default_factory=dict)
    bound: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    evicted: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Ending:
    """A behaviour that ends badly: the properties that it breaks, its actions, and the cluster at its end.

    `loop`: the number of actions after which it repeats the others forever; None if it rests at its end. `trail` returns
    the first cluster without an action, then each action with the cluster after it.
    """

    broken: tuple[Property, ...]
    actions: tuple[str, ...]
    end: Snapshot
    loop: int | None = None
    trail: Trail = field(default=tuple, repr=False, compare=False)


def explored(
    part: Scenario, asked: Sequence[Property], bounds: Bounds, report: Callable[[Progress], None] | None
) -> Checked:
    """Explore every behaviour of the part of the cluster, as far as the bounds allow."""
    return check(part, bounds=bounds, report=report, rules=asked, alone=True, keep_graph=True)


def seen_in_all(found: Checked, asked: Deploying) -> Seen:
    """Return what is seen in the explored states."""
    machine, graph = found.machine, found.graph
    assert isinstance(machine, Reference) and graph is not None
    nodes: dict[Key, set[str]] = {key: set() for key in asked.forms}
    slots = {key: slot for slot, key in enumerate(pod.key for pod in machine.scenario.pods) if key in nodes}
    ends: list[Snapshot] = []
    for number, state in enumerate(graph.states):
        for key, slot in slots.items():
            pod = state.pods[slot]
            if pod is not None and pod.node_name and _to_come(asked, pod):
                nodes[key].add(pod.node_name)
        if not graph.graph.edges_from(number):
            ends.append(machine.view(state))
    evicted: dict[str, set[str]] = {}
    for text, kind in zip(graph.graph.texts, graph.graph.kinds, strict=True):
        if kind is Nominate and (said := NOMINATE.fullmatch(text)):
            for victim in filter(None, said["victims"].split(", ")):
                evicted.setdefault(victim, set()).add(said["pod"])
    return Seen(_frozen(nodes), _bound(ends, asked), _frozen(evicted))


def _to_come(asked: Deploying, pod: Pod) -> bool:
    """Whether this is the pod to come and not the former one of the same name."""
    return pod.uid == asked.forms[pod.key].uid


def _bound(ends: Iterable[Snapshot], asked: Deploying) -> dict[str, tuple[int, int]]:
    """Return the least and the greatest number of bound pods of each rollout in these snapshots."""
    numbers: dict[str, list[int]] = {str(each): [] for each in asked.scenario.rollouts}
    for end in ends:
        for rollout in asked.scenario.rollouts:
            kept = {form.key for form in rollout.forms[: rollout.partition]}
            numbers[str(rollout)].append(
                sum(
                    pod.node_name != "" and not pod.terminating and (rollout.updated(pod) or pod.key in kept)
                    for pod in end.pods
                    if pod.key in rollout.keys
                )
            )
    return {name: (min(each), max(each)) for name, each in numbers.items() if each}


def _frozen(sets: Mapping[Name, set[str]]) -> dict[Name, frozenset[str]]:
    return {key: frozenset(each) for key, each in sets.items()}


@dataclass(frozen=True)
class Followed:
    """The behaviours that were followed: how many to their end, what was seen, and the shortest that ends badly.

    `stopped`: the limit that ended it before all were followed; empty if none did.
    """

    number: int
    seen: Seen
    bad: Ending | None
    stopped: str = ""


def followed(asked: Deploying, bounds: Bounds, behaviours: int = BEHAVIOURS) -> Followed:
    """Follow some behaviours, drawn at random, to a state that no step changes."""
    doing("following some behaviours to their end")
    clock, rules = Clock(bounds.seconds), properties(asked)
    ends: list[Snapshot] = []
    nodes: dict[Key, set[str]] = {key: set() for key in asked.forms}
    evicted: dict[str, set[str]] = {}
    bad: Ending | None = None
    stopped = ""
    try:
        for actions, end, victims, trail in ways(asked, clock, behaviours):
            ends.append(end)
            for pod in end.pods:
                if pod.key in nodes and pod.node_name and _to_come(asked, pod):
                    nodes[pod.key].add(pod.node_name)
            for victim, preemptor in victims:
                evicted.setdefault(victim, set()).add(preemptor)
            broken = tuple(each for each in rules if not kept(each, end))
            if broken and (bad is None or len(actions) < len(bad.actions)):
                bad = Ending(broken, actions, end, trail=trail)
    except KeyboardInterrupt as interrupted:
        stopped = reason(interrupted)
    except OutOfTime as over:
        stopped = str(over)
        answer()
    seen = Seen(_frozen(nodes), _bound(ends, asked), _frozen(evicted))
    return Followed(len(ends), seen, bad, stopped)


Way = tuple[tuple[str, ...], Snapshot, list[tuple[str, str]], Trail]
"""The actions of a behaviour, the cluster at its end, the evicted pods with their preemptors, and all of it."""


def ways(asked: Deploying, clock: Clock, behaviours: int) -> Iterator[Way]:
    """Yield behaviours that have come to their end; in a large cluster few, as the production scheduler decides."""
    size = len(asked.scenario.pods) + len(asked.scenario.nodes)
    if size > LARGE and not asked.running and follows(asked):
        for seed in range(max(1, min(behaviours, WORK // size))):
            with suppress(NotAllowed):
                if (made := ended(asked, seed, clock, LONGEST_AT_SCALE)) is not None:
                    yield tuple(made.actions), made.snapshot(), made.evicted, made.trail
        return
    machine, chance = Reference(asked.scenario, profile_of(asked.scenario)), Random(SEED)
    for _ in range(behaviours):
        trace = to_the_end(machine, chance, clock)
        if trace is not None:
            actions = tuple(str(stage.action) for stage in trace[1:])
            yield actions, machine.view(trace[-1].state), list(_evictions(trace)), partial(_trail, machine, trace)


def _trail(machine: Machine[Any], trace: Sequence[Stage]) -> tuple[tuple[Any, Snapshot], ...]:
    return tuple((stage.action, machine.view(stage.state)) for stage in trace)


def _evictions(trace: Sequence[Stage]) -> Iterator[tuple[str, str]]:
    """Yield each pod that is evicted, with the preemptor."""
    victims = Counter(stage.action.pod for stage in trace if isinstance(stage.action, EvictVictim))
    for stage in trace:
        if isinstance(stage.action, Nominate):
            yield from ((str(each), str(stage.action.pod)) for each in stage.action.victims if victims[str(each)])


def _rank(question: Property) -> int:
    """Return the place of a property among those that a behaviour is shown of: what is applied first, a round last."""
    return 2 if question.name == COMES_TO_REST else 1 if question.name.startswith(OTHERS) else 0


def ending(found: Checked) -> Ending | None:
    """Return the shortest explored behaviour that ends badly; None if there is none."""
    violations = [each for each in found.result.violations if each.trace]
    if not violations:
        return None
    first = min(violations, key=lambda each: (_rank(each.property), len(each.trace)))
    broken = tuple(each.property for each in violations if each.trace == first.trace)
    actions = tuple(str(stage.action) for stage in first.trace[1:])
    loop = first.loop if first.loop is not None and first.loop < len(actions) else None
    trail = partial(_trail, found.machine, first.trace)
    return Ending(broken, actions, found.machine.view(first.trace[-1].state), loop, trail)
