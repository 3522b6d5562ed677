"""Whether all pods that leave some nodes find another place, and whether a drain ends: `Relocation`, `relocation`.

Counting proves what it can, in a cluster of any size. The rest is explored state by state.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from schedcheck.checker.check import Checked, check
from schedcheck.checker.followed import bad_end, is_large, soon
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import doing, resume
from schedcheck.checker.properties.behaviours import SYSTEM
from schedcheck.checker.relocation.counting import Counting, Place
from schedcheck.checker.relocation.leaving import Leaving
from schedcheck.checker.relocation.others import Others
from schedcheck.checker.result import Bounds, Progress, Verdict, Violation
from schedcheck.model.environment import Evict, newly_arrived
from schedcheck.model.profiles import plugins_of
from schedcheck.model.scenario import Scenario, snapshot_of
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import protects, spare, spare_of
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.properties.kinds import Eventually, Fairness, LeadsTo, Property

Key = tuple[str, str]

FAIR = Fairness(weak=SYSTEM, strong=(Evict,))
"""The scheduler and the controllers act whenever they can all the time; kubectl drain repeats each eviction."""

BLOCKED, ENDS, OPEN = "blocks", "allows", "open"
"""What counting says of a budget: it refuses an eviction for good, it allows all in the end, or neither."""


@dataclass(frozen=True)
class Protected:
    """A budget that protects pods that leave: the verdict of counting, and a sentence on it."""

    budget: PodDisruptionBudget
    verdict: str
    why: str


@dataclass(frozen=True)
class Relocation:
    """What was found out about the pods that leave some nodes.

    - `places`: of each pod that is created again, by key, what counting says. - `budgets`: those that protect evicted
    pods. - `evicting`: pods that may evict others, as far as counting tells. - `explored`: the exploration of what
    counting leaves open; None if it leaves nothing open.
    """

    leaving: Leaving
    places: dict[Key, Place]
    budgets: tuple[Protected, ...]
    evicting: tuple[Pod, ...]
    explored: Checked | None

    @property
    def counted(self) -> bool:
        """Whether counting alone decides."""
        return self.explored is None

    @property
    def proved(self) -> bool:
        """Whether counting proves that everything ends well."""
        placed = not self.evicting and all(each.proved for each in self.places.values())
        return placed and all(each.verdict == ENDS for each in self.budgets)

    @property
    def blocked(self) -> tuple[Protected, ...]:
        """The budgets that refuse an eviction for good."""
        return tuple(each for each in self.budgets if each.verdict == BLOCKED)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What the exploration found, each with a behaviour: a shortest one, unless it was followed to its end."""
        return () if self.explored is None else self.explored.result.violations

    @property
    def end(self) -> Snapshot | None:
        """The cluster at the end of the first violation; None if there is none."""
        if self.explored is None or not self.violations:
            return None
        end: Snapshot = self.explored.machine.view(self.violations[0].trace[-1].state)
        return end

    @property
    def stuck(self) -> tuple[Pod, ...]:
        """The pods that the drain has not evicted at the end of the violation."""
        going = {pod.key for pod in (*self.leaving.movers, *self.leaving.lost)}
        there = self.end.pods if self.end is not None and self.leaving.drain else ()
        return tuple(pod for pod in there if pod.key in going and pod.node_name in self.leaving.nodes)

    @property
    def waiting(self) -> tuple[Pod, ...]:
        """The pods that have no place at the end of the violation."""
        moving = {pod.key for pod in self.leaving.movers}
        there = self.end.pods if self.end is not None else ()
        return tuple(pod for pod in there if pod.key in moving and not pod.node_name)

    @property
    def known(self) -> bool:
        """Whether the answer is certain."""
        if self.blocked or self.violations or self.explored is None:
            return True
        return not self.explored.result.stopped and not self.explored.result.unknown

    @property
    def undecided(self) -> str:
        """Why the answer is not certain: what is not modelled, or the limit that was reached; empty if it is certain."""
        if self.known or self.explored is None:
            return ""
        reasons = dict.fromkeys(why for _, why in self.explored.result.unknown)
        return "; ".join(reasons) or self.explored.result.stopped

    @property
    def verdict(self) -> Verdict:
        """HOLDS, VIOLATED or GAVE_UP; UNKNOWN if it depends on what is not modelled."""
        if self.succeeds:
            return Verdict.HOLDS
        if self.known:
            return Verdict.VIOLATED
        return Verdict.UNKNOWN if self.explored and self.explored.result.unknown else Verdict.GAVE_UP

    @property
    def succeeds(self) -> bool:
        """Whether it is certain that everything ends well."""
        return self.known and not self.blocked and not self.violations


def relocation(
    leaving: Leaving,
    cut: Callable[[Scenario, frozenset[Key]], Scenario],
    bounds: Bounds | None = None,
    report: Callable[[Progress], None] | None = None,
    nowhere: Callable[[Leaving], tuple[Pod, ...]] | None = None,
) -> Relocation:
    """Return what is found out; `cut` reduces a scenario to what influences some of its pods.

    In a large cluster the pods that `nowhere` gives are explored alone: those that no node takes again.
    """
    doing("counting the places of the pods that leave")
    scenario = leaving.scenario
    found = counted(leaving)
    if found.blocked or found.proved:
        return found
    keys = frozenset(pod.key for pod in (*leaving.movers, *leaving.lost))
    part = replace(cut(scenario, keys), rules=scenario.rules)
    asked = (*_drained(leaving), *(_placed(pod) for pod in leaving.movers))
    bounds = bounds or Bounds()

    def explored(limits: Bounds) -> Checked:
        return check(part, bounds=limits, report=report, rules=asked, alone=True)

    most = min(soon(part), bounds.max_states or soon(part))
    # A single state of a large cluster takes long.
    if nowhere is not None and is_large(part) and (alone := nowhere(leaving)):
        return replace(found, explored=_alone(leaving, alone, bounds, report))
    made = explored(replace(bounds, max_states=most))
    if made.result.stopped == f"{parameter('limits.states')} {most}" and not made.result.violations:
        resume()
        made = bad_end(made, asked, bounds.seconds) or explored(bounds)
    return replace(found, explored=made)


def _alone(
    leaving: Leaving, pods: tuple[Pod, ...], bounds: Bounds, report: Callable[[Progress], None] | None
) -> Checked:
    """Return the exploration of these pods alone: whatever the others do, each waits for good once it has left."""
    scenario = leaving.scenario
    keys = frozenset(pod.key for pod in pods)
    number = len(scenario.pods) - len(pods)
    note = f"left out, as they make no place for the pods that wait: {number:,} other pod{'' if number == 1 else 's'}"
    rules = (replace(rule, pods=tuple(key for key in rule.pods if key in keys)) for rule in scenario.rules)
    part = replace(
        scenario,
        pods=tuple(pod for pod in scenario.pods if pod.key in keys),
        absent=frozenset(),
        rules=tuple(rules),
        budgets=(),
        cut=(*scenario.cut, note),
    )
    return check(part, bounds=bounds, report=report, rules=tuple(map(_placed, pods)), alone=True)


def counted(leaving: Leaving) -> Relocation:
    """Return what counting alone says; it decides if a budget blocks, or if everything is `proved`."""
    places, evicting = _places(leaving)
    budgets = tuple(_protected(leaving, places, evicting)) if leaving.drain else ()
    return Relocation(leaving, places, budgets, evicting, None)


def _places(leaving: Leaving) -> tuple[dict[Key, Place], tuple[Pod, ...]]:
    """Return what counting says of each pod that is created again, and the pods that may evict others."""
    scenario = leaving.scenario
    gone = {pod.key for pod in (*leaving.movers, *leaving.lost)}
    there = tuple(pod for pod in scenario.pods if pod.key not in gone and not completed(pod))
    snapshot = _snapshot(scenario, there)
    counting = Counting(snapshot, leaving.nodes)
    absent = tuple(newly_arrived(pod) for pod in there if pod.key in scenario.absent)
    waiting = tuple(pod for plugins in scenario.plugins for pod in sorted(turn(snapshot, plugins), key=str))
    for_good: dict[Pod, bool] = {}

    def waits_for_good(pod: Pod) -> bool:
        alike = replace(pod, name="", uid="")
        if alike not in for_good:
            for_good[alike] = counting.waits_for_good(pod, plugins_of(pod, scenario))
        return for_good[alike]

    waiting = tuple(pod for pod in waiting if not waits_for_good(pod))
    pending = (*waiting, *(pod for pod in absent if not pod.node_name))
    fresh = dict(zip((pod.key for pod in leaving.movers), leaving.fresh, strict=True))
    known: dict[Pod, Place] = {}

    others = Others((*fresh.values(), *leaving.lost, *pending))

    def place(pod: Pod) -> Place:
        # Pods of one workload are alike but for their names.
        alike = replace(pod, name="", uid="")
        if alike not in known:
            known[alike] = counting.place(pod, plugins_of(pod, scenario), others)
        return known[alike]

    places = {key: place(pod) for key, pod in fresh.items()}
    unplaced = [pod for pod in (*fresh.values(), *pending) if not place(pod).proved]
    lowest = min((pod.priority for pod in scenario.pods if not completed(pod)), default=0)
    evicting = [pod for pod in unplaced if pod.priority > lowest and pod.preemption_policy != "Never"]
    return places, tuple(evicting)


def _snapshot(scenario: Scenario, pods: tuple[Pod, ...]) -> Snapshot:
    """Return the cluster with these pods; those that are absent at first are left out."""
    present = tuple(pod for pod in pods if pod.key not in scenario.absent)
    return snapshot_of(scenario, present, scenario.nodes, scenario.budgets)


def _protected(leaving: Leaving, places: dict[Key, Place], evicting: tuple[Pod, ...]) -> Iterable[Protected]:
    """Yield each budget that protects an evicted pod, with what counting says of it."""
    scenario = leaving.scenario
    going = (*leaving.movers, *leaving.lost)
    snapshot = _snapshot(scenario, scenario.pods)
    for budget in scenario.budgets:
        own = [pod for pod in going if protects(budget, pod)]
        if not own:
            continue
        several = [pod for pod in own if sum(protects(each, pod) for each in scenario.budgets) > 1]
        number = sum(protects(budget, pod) and not completed(pod) for pod in scenario.pods)
        now = spare(budget, snapshot, kubelet=False)
        if several:
            yield Protected(budget, BLOCKED, f"the API evicts no pod that several budgets protect, as {several[0]}")
        elif spare_of(budget, number) <= 0 and budget.disruptions_allowed <= 0:
            yield Protected(budget, BLOCKED, "it allows no eviction, even if all its pods are healthy")
        elif now <= 0 or budget.disruptions_allowed > now:
            yield Protected(
                budget, OPEN, f"its status allows {_evictions(budget.disruptions_allowed)}, its pods {now:,}"
            )
        elif evicting or any(pod in leaving.lost or not places[pod.key].proved for pod in own):
            yield Protected(budget, OPEN, "it depends on whether its evicted pods find another place")
        else:
            yield Protected(budget, ENDS, "each evicted pod finds another place, and the next may be evicted")


def _evictions(number: int) -> str:
    return f"{number:,} eviction{'' if number == 1 else 's'}"


def _drained(leaving: Leaving) -> Iterable[Property]:
    """Yield the property that a drain ends."""
    if not leaving.drain:
        return
    keys = {pod.key for pod in (*leaving.movers, *leaving.lost)}
    nodes, names = frozenset(leaving.nodes), frozenset(name for _, name in keys)

    def empty(snapshot: Snapshot) -> bool:
        return not any(pod.key in keys and pod.node_name in nodes for pod in snapshot.pods)

    yield Eventually(
        "drained", "All pods that the drain evicts leave the nodes in the end.", empty, FAIR, mentions=names
    )


def _placed(pod: Pod) -> Property:
    """Return the property that the pod is bound again in the end."""
    key = pod.key

    def waits(snapshot: Snapshot) -> bool:
        place = bisect_left(snapshot.pods, key, key=lambda each: each.key)
        there = snapshot.pods[place : place + 1]
        return any(each.key == key and each.node_name == "" and not completed(each) for each in there)

    def bound(snapshot: Snapshot) -> bool:
        return not waits(snapshot)

    return LeadsTo(
        f"placed({pod})", f"{pod} is bound again in the end.", waits, bound, FAIR, mentions=frozenset({pod.name})
    )
