"""The reachable outcomes of the control loop for the pending pods, to compare with the optimum.

Only the scheduler takes steps, in every order that its definitions allow.
"""

import time
from collections import Counter
from dataclasses import dataclass, replace

from frozendict import frozendict

from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.memo import remembering
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import doing, reason
from schedcheck.checker.placement.worth import Worth, worth
from schedcheck.checker.result import Bounds
from schedcheck.model.nominations import TimeOut
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Unknown
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.placement import Placement
from schedcheck.spec.profiles import Profile

AFTERWARDS = 0.5
"""The most seconds spent on scoring outcomes once the search for them has been stopped."""


@dataclass(frozen=True)
class ReachedPlacement:
    """A final state of the loop: the nodes of the pods that were pending, and the evicted pods."""

    placement: Placement
    evicted: tuple[Pod, ...]
    worth: Worth


@dataclass(frozen=True)
class Outcomes:
    """All outcomes, the best first; those found so far if `stopped` names a bound. `states` is the number explored.

    `timed_out`: time limits of pods that wait on permit may end on the way. `unknown`: a decision on the way is unknown.
    """

    found: tuple[ReachedPlacement, ...]
    states: int
    stopped: str
    timed_out: bool = False
    unknown: bool = False


def outcomes(scenario: Scenario, waiting: tuple[Pod, ...], profile: Profile, spent: Spent) -> Outcomes:
    """Return the outcome of every state that the scheduler alone can reach and does not leave.

    If the effort has already ended, nothing is explored.
    """
    if spent.ended:
        return Outcomes((), 0, spent.ended)
    doing("exploring what the scheduler can reach")
    still = replace(
        scenario,
        absent=frozenset(),
        rules=(),
        controllers=frozenset(),
        descheduler=None,
        node_pools=None,
        karpenter=None,
        properties=(),
        constraints=(),
        cut=(),
    )
    clock = spent.clock()
    machine = Reference(still, remembering(profile, still.pods, clock))
    bounds = Bounds(seconds=spent.effort.seconds, memory=spent.effort.memory)
    exploration: Exploration[State] = Exploration(machine, (), bounds=bounds, clock=clock)
    result = breadth_first(exploration)
    whole = machine.view(next(iter(machine.initial_states())))
    found: set[ReachedPlacement] = set()
    stopped = result.stopped
    # After a stopped search only a short time is spent on scoring its states.
    end = time.monotonic() + min(AFTERWARDS, 0.05 * spent.effort.seconds) if stopped else spent.end
    try:
        for state in exploration.resting:
            if time.monotonic() > end:
                stopped = stopped or f"{parameter('limits.seconds')} {spent.effort.seconds:g}"
                break
            found.add(_outcome(machine.view(state), whole, waiting, profile))
    except KeyboardInterrupt as pressed:
        stopped = reason(pressed)
    ordered = sorted(found, key=lambda each: (each.worth.placed, each.worth.score, _text(each)), reverse=True)
    happened = (bool(result.coverage.get(kind.__name__)) for kind in (TimeOut, Unknown))
    return Outcomes(tuple(ordered), result.distinct, stopped, *happened)


def _text(outcome: ReachedPlacement) -> str:
    return f"{outcome.evicted} {sorted((str(pod), str(node)) for pod, node in outcome.placement.items())}"


def _outcome(end: Snapshot, begun: Snapshot, waiting: tuple[Pod, ...], profile: Profile) -> ReachedPlacement:
    nodes = {node.name: node for node in end.nodes}
    there = {pod.key: pod for pod in end.pods}
    placement = frozendict(
        {
            pod: nodes[there[pod.key].node_name]
            for pod in waiting
            if pod.key in there and there[pod.key].node_name in nodes
        }
    )
    evicted = tuple(
        pod for pod in begun.pods if pod.node_name and (pod.key not in there or not there[pod.key].node_name)
    )
    left = begun - frozenset(evicted)
    return ReachedPlacement(placement, evicted, worth(placement, waiting, left, profile))


def histogram(found: Outcomes) -> list[tuple[Worth, int, int]]:
    """Return the number of outcomes by worth and number of evictions, the best first."""
    counted = Counter((each.worth, len(each.evicted)) for each in found.found)
    ordered = sorted(counted, key=lambda each: (each[0].placed, each[0].score, -each[1]), reverse=True)
    return [(value, evictions, counted[value, evictions]) for value, evictions in ordered]
