"""Decisions of a simulated run judged by the specification: `Sampled`, `judged`.

Each is judged on what the scheduler knew when its cycle began, as in `checker.differential`. In a large cluster the
scheduler stops at enough feasible nodes and at enough candidates of preemption. It may find any of them, so the nodes that
it found are taken as given: they must be feasible and enough of them, and only among them the choice must be the best.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from schedcheck.checker.differential.decisions import (
    TOO_MANY_ORDERS,
    Difference,
    concluded_decisions,
    departing,
    difference,
)
from schedcheck.checker.refinement.mapping import with_pod
from schedcheck.checker.vectors.classes import Numbers
from schedcheck.checker.vectors.counting import Counting
from schedcheck.checker.vectors.filtering import PASSED
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.trials import Run, TooManyOrders, permitted_nominations
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.volumes.assumed import assuming
from schedcheck.model.simulation.scheduling import Scheduling
from schedcheck.model.simulation.timeline import Key
from schedcheck.spec.device_objects import NO_DEVICES
from schedcheck.spec.kubernetes import control_loop
from schedcheck.spec.kubernetes.extended_cycle import Judgement
from schedcheck.spec.kubernetes.filters.dynamic_resources import claiming
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.sampling import FEWEST_NODES, enough
from schedcheck.spec.objects import Namespace, Pod, Snapshot
from schedcheck.spec.profiles import by_scheduler_name

OUTSIDE = -1
"""The number of a feasible node at which the search had already stopped."""


@dataclass(frozen=True)
class Decided:
    """A decision: its number in the run, its time, the knowledge of the scheduler before it, and the nodes it found."""

    number: int
    time: float
    known: Callable[[], Snapshot]
    made: Conclusion
    found: tuple[str, ...]
    plugins: Plugins


@dataclass(frozen=True)
class Judged:
    """The judgement of a decision: a difference, or why it is unknown; neither if it is allowed."""

    number: int
    time: float
    difference: Difference | None = None
    unknown: str = ""


class Sampled:
    """A sample of the decisions of a run, each equally likely to be in it, whatever their number: a reservoir."""

    def __init__(self, scheduling: Scheduling, plugins: tuple[Plugins, ...], size: int, chance: Random) -> None:
        self._scheduling, self._size, self._chance = scheduling, size, chance
        self._plugins = plugins
        self.kept: list[Decided] = []
        self._devices = scheduling.devices
        self.claiming: dict[Key, int] = {}
        """The pods that need devices, each with the number of the first decision on it."""

    def beginning(self) -> Callable[[Conclusion], None]:
        """Draw whether the next decision is in the sample, and if so keep what the scheduler knows.

        A pod that needs devices is noted in any case.
        """
        number = self._scheduling.cycles
        kept = self._keeping(number)
        devices = self._devices

        def concluded(made: Conclusion) -> None:
            departures = by_scheduler_name(made.pod, self._plugins).departures
            if claiming(made.pod, devices, departures):
                self.claiming.setdefault(made.pod.key, number + 1)
            if kept is not None:
                kept(made)

        return concluded

    def _keeping(self, number: int) -> Callable[[Conclusion], None] | None:
        """Return what keeps the decision of this number; None if it is not drawn."""
        place = number if number < self._size else self._chance.randrange(number + 1)
        if place >= self._size:
            return None
        known = knowledge(self._scheduling)

        def concluded(made: Conclusion) -> None:
            plugins = by_scheduler_name(made.pod, self._plugins)
            found = tuple(made.found.names()) if made.found is not None else made.candidates
            frozen = replace(made, rows=dict(made.rows), found=None)
            now = self._scheduling.scheduler.clock()
            decided = Decided(number + 1, now, known, frozen, found, plugins)
            if place < len(self.kept):
                self.kept[place] = decided
            else:
                self.kept.append(decided)

        return concluded

    def of_devices(self) -> dict[int, str]:
        """Return the first decision on each pod that needs devices, by its number, with why it is unknown."""
        return {
            number: f"{'/'.join(key)} needs devices, whose allocation is not simulated"
            for key, number in self.claiming.items()
        }

    def in_order(self) -> list[Decided]:
        """Return the sample in the order of time."""
        return sorted(self.kept, key=lambda each: each.number)


def knowledge(scheduling: Scheduling) -> Callable[[], Snapshot]:
    """Return what the scheduler knows now, put together when it is called for.

    That is the delivered objects, the nominations, and the pods and volumes assumed.
    """
    scheduler = scheduling.scheduler
    listers, cache = scheduler.handle.listers, scheduler.cache
    told, nominated = dict(listers.pods), dict(scheduler.queue.nominator.node_of)
    assumed = [cache.pods[identity].pod for identity in cache.assumed]
    assumed += [each.pod for each in scheduling.bindings.values() if _counts(each.pod, told)]
    nodes = [info.node for info in cache.nodes.values() if info.node is not None]
    namespaces = [Namespace(name, labels) for name, labels in listers.namespaces.items()]
    aside = scheduler.handle.assumed
    volumes, claims = tuple(aside.volumes.values()), tuple(aside.claims.values())
    budgets, services, controllers, storage = listers.budgets, listers.services, listers.controllers, listers.storage
    devices = listers.devices

    def known() -> Snapshot:
        pods = {
            pod.identity: pod if pod.node_name else replace(pod, nominated_node_name=nominated.get(pod.key, ""))
            for pod in told.values()
        }
        pods |= {pod.identity: pod for pod in assumed}
        made = Snapshot.of(pods.values(), nodes, namespaces)
        return replace(
            made,
            budgets=budgets,
            services=services,
            controllers=controllers,
            storage=assuming(storage, volumes, claims),
            devices=devices,
        )

    return known


def _counts(pod: Pod, told: dict[tuple[str, str], Pod]) -> bool:
    """Whether a pod being bound uses room on its node: neither its binding nor its end is delivered yet."""
    known = told.get(pod.key)
    return known is not None and known.uid == pod.uid and not known.node_name and not known.terminating


def judged(decided: Decided) -> Judged:
    """Return the judgement of one decision."""
    made, plugins = decided.made, decided.plugins
    there = with_pod(made.pod, decided.known())
    if made.pod.resource_claims:
        # What becomes of claims is not simulated.
        there = replace(there, devices=NO_DEVICES)
    why = control_loop.unmodelled(made.pod, there, plugins)
    if why:
        return Judged(decided.number, decided.time, unknown=why)
    judge = CycleJudge(there)
    if not judge.judges(made.pod, plugins):
        if len(there.nodes) >= FEWEST_NODES:
            return Judged(decided.number, decided.time, unknown="the plugins are judged on small clusters only")
        return Judged(decided.number, decided.time, difference(made, there, plugins))
    try:
        said = judgement(judge, there, decided)
    except TooManyOrders:
        return Judged(decided.number, decided.time, unknown=TOO_MANY_ORDERS)
    return Judged(decided.number, decided.time, departing(made, there, plugins, said))


def judgement(judge: CycleJudge, there: Snapshot, decided: Decided) -> Judgement:
    """Return what the specification allows, given the feasible nodes, or the candidates, that the scheduler has found."""
    made, plugins = decided.made, decided.plugins
    filtering, _ = judge.profile(plugins)
    cycle = judge.cycle(made.pod, plugins)
    numbers = filtering.numbers(cycle)
    own = concluded_decisions(made, there)
    if made.hosts and _is_a_sample(decided, judge, cycle, numbers):
        found = [judge.there.place[name] for name in decided.found]
        outside = np.setdiff1d(np.flatnonzero(numbers == PASSED), found)
        numbers = numbers.copy()
        numbers[outside] = OUTSIDE
    if made.nominated and made.victims and decided.found:
        run = Run(cycle, judge.verdicts(numbers, filtering), judge.potential(numbers, filtering))
        some = tuple(each for each in run.potential if each.node.name in frozenset(decided.found))
        if not np.any(numbers == PASSED) and len(some) == len(decided.found) >= _candidates(
            len(run.potential), plugins
        ):
            narrow = replace(run, potential=some)
            if narrow.said.code == "Success":
                return Judgement(permitted_nominations(narrow, own), run.verdicts)
    return judge.judged_by(cycle, numbers, plugins, own)


def _is_a_sample(decided: Decided, judge: CycleJudge, cycle: Counting, numbers: Numbers) -> bool:
    """Whether the nodes found are feasible, and as many as end a search."""
    feasible = {judge.there.names[place] for place in np.flatnonzero(numbers == PASSED)}
    plugins = decided.plugins
    searched = judge.there.names if cycle.named is None else cycle.named
    wanted = enough(len(searched), plugins) if plugins.at("score") else 1
    return len(decided.found) == wanted < len(feasible) and feasible.issuperset(decided.found)


def _candidates(potential: int, plugins: Plugins) -> int:
    """Return how many candidates end a dry run on so many nodes; all of them if that is less."""
    arguments = plugins.arguments
    most = max(potential * arguments.min_candidate_nodes_percentage // 100, arguments.min_candidate_nodes_absolute)
    return most if most < potential else potential + 1
