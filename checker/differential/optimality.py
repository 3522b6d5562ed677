"""The distance of the production scheduler from the optimum: by casualty, by score, and by its final placement.

kube-scheduler promises none of these: its victims are those of a greedy reprieve, and it binds one pod at a time. The
properties claim that where it is not optimal the specification is not either, and a row of docs/divergences.md explains
it. They also claim that it is never better than the optimum, as then one of the two would be wrong.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from schedcheck.checker.divergences.rows import DEPARTING
from schedcheck.checker.divergences.victims import CHOOSING
from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.placement.optimum import Optimum, optimum
from schedcheck.checker.placement.outcomes import outcomes
from schedcheck.checker.placement.worth import Worth, worth
from schedcheck.checker.refinement.mapping import known, with_pod
from schedcheck.checker.victims.kubernetes_judge import of_kubernetes
from schedcheck.checker.victims.least import least_of_nodes
from schedcheck.checker.victims.problem import question
from schedcheck.model.nominations import Terminate
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.machine.actions import Advance, Deliver, Evicting, Try
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.spec.binding import completed, unbound
from schedcheck.spec.decisions import Nominate
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.control_loop import decision, taken_up
from schedcheck.spec.kubernetes.filter import feasible
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.select_host import choice, scores_of
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.placement import Placement
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.properties.kinds import Step

GOES_ON = (Deliver, Advance, Evicting, Try, Terminate)
"""The steps that a scheduler takes by itself until it is at rest."""


@dataclass(frozen=True)
class Damage:
    """The damage of a nomination, item by item, and the least possible one; None if no set of victims is known to help.

    `victims` is the number of its victims, `fewest` that of the least damage. `allowed`: the specification allows the
    nomination. `rows` are the divergences that explain more damage, or why it does not help. If not `proved`, the least
    is only the best found.
    """

    made: tuple[Any, ...]
    least: tuple[Any, ...] | None
    victims: int
    fewest: int
    allowed: bool
    rows: tuple[str, ...]
    proved: bool

    @property
    def equal(self) -> bool:
        """Whether the damage is the least possible."""
        return self.made == self.least

    @property
    def accounted(self) -> bool:
        """A nomination does the least damage, or a divergence explains more and the specification allows it."""
        return not self.proved or self.equal or (self.allowed and self.rows != ())


def damage(concluded: Conclusion, snapshot: Snapshot, plugins: Plugins, spent: Spent | None = None) -> Damage | None:
    """Return the damage of a cycle's nomination, None without one; `snapshot` is the knowledge at its beginning."""
    if not concluded.nominated:
        return None
    pod, there = concluded.pod, with_pod(concluded.pod, snapshot)
    there = there - frozenset(each for each in there.pods if completed(each))
    judge = of_kubernetes(plugins)
    nodes = [info.node for info in DryRun(taken_up(pod, there, plugins)).potential_nodes]
    found = least_of_nodes([question(pod, node, there, judge) for node in nodes], spent)
    victims = frozenset(concluded.victims)
    least = None if found.least is None else found.least.casualty
    made = judge.casualty(victims, there)
    node = next(node for node in there.nodes if node.name == concluded.nominated)
    nominated = Nominate(pod, node, victims)
    # Only a scheduler with a departure accepts a set of victims that does not help.
    rows = CHOOSING if least is not None and made > least else DEPARTING
    return Damage(
        made,
        least,
        len(victims),
        0 if found.least is None else len(found.least.victims or ()),
        nominated in decision(pod, there, plugins),
        tuple(row.name for row in rows if row.covers(nominated, there)) if found.proved and made != least else (),
        found.proved,
    )


@dataclass(frozen=True)
class Rating:
    """The scores of the nodes that might have been chosen, and the highest score; `mode` is how the choice was made."""

    chosen: tuple[int, ...]
    highest: int
    mode: str

    @property
    def lost(self) -> int:
        """The distance of the lowest of these scores from the highest score."""
        return self.highest - min(self.chosen)

    @property
    def accounted(self) -> bool:
        """The highest score was chosen, or else the node to which the pod was nominated."""
        return self.lost == 0 or self.mode == "nominated"


def rating(concluded: Conclusion, snapshot: Snapshot, plugins: Plugins) -> Rating | None:
    """Return the scores of the hosts of a cycle; None if there is no host, or scoring fails."""
    made = taken_up(concluded.pod, with_pod(concluded.pod, snapshot), plugins)
    scores = scores_of(made, tuple(feasible(made)))
    if not concluded.hosts or scores.error is not None:
        return None
    lowest = min(scores.total.values(), default=0) - 1
    return Rating(
        tuple(scores.total.get(host, lowest) for host in concluded.hosts),
        max(scores.total.values(), default=0),
        choice(made).mode,
    )


def optimality(machine: Production) -> tuple[Step, Step]:
    """Return the properties of every cycle, over `Watched`."""

    def accounted(measure: Callable[..., Damage | Rating | None]) -> Callable[[State, Any, State], bool]:
        def holds(before: State, action: Any, after: State) -> bool:
            if action.concluded is None:
                return True
            plugins = by_scheduler_name(action.concluded.pod, machine.scenario.plugins)
            found = measure(action.concluded, known(machine, before), plugins)
            return found is None or found.accounted

        return holds

    return (
        Step("damage_accounted", Damage.accounted.__doc__ or "", (Try,), accounted(damage)),
        Step("rating_accounted", Rating.accounted.__doc__ or "", (Try,), accounted(rating)),
    )


@dataclass(frozen=True)
class Rest:
    """The placement that the scheduler made of the pending pods, compared with the best placement of all at once.

    `reachable` is whether the specification can reach the same worth with as many evictions. If not `proved`, the best
    is only the best found, or the reachable outcomes are not all known.
    """

    made: Worth
    best: Worth
    evicted: int
    reachable: bool
    proved: bool

    @property
    def equal(self) -> bool:
        """Whether the placement is as good as the best."""
        return self.made == self.best

    @property
    def missing(self) -> int:
        """The number of pods by which the best placement places more."""
        return sum(number for _, number in self.best.placed) - sum(number for _, number in self.made.placed)

    @property
    def accounted(self) -> bool:
        """Whether the specification can reach the same, and it is no better than the best, unless pods were evicted."""
        good_enough = (self.made.placed, self.made.score) <= (self.best.placed, self.best.score)
        return not self.proved or (self.reachable and (good_enough or self.evicted > 0))


def at_rest(machine: Production, profile: Profile, chance: Random, spent: Spent) -> Rest:
    """Return the end that the production scheduler reaches by itself by random steps."""
    (state,) = machine.initial_states()
    begun = machine.view(state)
    while steps := _own_steps(machine, state):
        state = chance.choice(steps)
    waiting = tuple(sorted(unbound(begun, NO_FAULTS), key=lambda pod: pod.key))
    end = machine.view(state)
    still = {pod.key for pod in end.pods if pod.node_name}
    evicted = frozenset(pod for pod in begun.pods if pod.node_name and pod.key not in still)
    made = worth(_placement(end, waiting), waiting, begun - evicted, profile)
    best: Optimum = optimum(begun, profile, spent)
    ends = outcomes(machine.scenario, waiting, profile, spent)
    reachable = any(each.worth == made and len(each.evicted) == len(evicted) for each in ends.found)
    proved = best.proved and not ends.stopped
    return Rest(made, worth(best.placement, waiting, begun, profile), len(evicted), reachable, proved)


def _own_steps(machine: Production, state: State) -> Sequence[State]:
    """Return the next states by the scheduler's own steps, without waiting for a timer."""
    return [after for action, after in machine.steps(state) if isinstance(action, GOES_ON) and after != state]


def _placement(end: Snapshot, waiting: Sequence[Any]) -> Placement:
    """Return the nodes of the pods that were pending."""
    nodes = {node.name: node for node in end.nodes}
    there = {pod.key: pod.node_name for pod in end.pods}
    return Placement({pod: nodes[there[pod.key]] for pod in waiting if there.get(pod.key, "") in nodes})
