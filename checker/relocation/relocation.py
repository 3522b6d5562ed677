"""Whether all pods that leave some nodes find another place, and whether a drain ends: `Relocation`, `relocation`.

Counting proves what it can, in a cluster of any size. The rest is explored state by state.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from schedcheck.checker.alike import nameless
from schedcheck.checker.check import Checked, check
from schedcheck.checker.followed import bad_end, is_large, soon
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import doing, resume
from schedcheck.checker.relocation.counting import Counting, Place
from schedcheck.checker.relocation.leaving import Leaving
from schedcheck.checker.relocation.others import Others
from schedcheck.checker.relocation.questions import may_return, placed, questions
from schedcheck.checker.result import Bounds, Progress, Verdict, Violation
from schedcheck.model.environment import newly_arrived
from schedcheck.model.profiles import plugins_of
from schedcheck.model.scenario import Scenario, snapshot_of
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import protects, spare, spare_of
from schedcheck.spec.decisions import Bind
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot

Key = tuple[str, str]

RETURNS = Place(0, 0, "it may come back to a node that is drained, as the cordon does not keep it off")

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
    counting leaves open; None if it leaves nothing open. - `peace`: why the places are proved although some pods may evict
    others, in words; empty if they are not, or none may. - `lacking`: the pods that find no place, only because the input lacks their claims.
    """

    leaving: Leaving
    places: dict[Key, Place]
    budgets: tuple[Protected, ...]
    evicting: tuple[Pod, ...]
    explored: Checked | None = None
    peace: str = ""
    lacking: tuple[Pod, ...] = ()

    @property
    def counted(self) -> bool:
        """Whether counting alone decides."""
        return self.explored is None

    @property
    def proved(self) -> bool:
        """Whether counting proves that everything ends well."""
        alone = self.peace != "" or not self.evicting
        places = all(each.proved for each in self.places.values())
        return alone and places and all(each.verdict == ENDS for each in self.budgets)

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
    def returned(self) -> tuple[Bind, ...]:
        """The binding of an evicted pod to a node that is drained, if that is the violation."""
        lasts = [self.violations[0].trace[-1].action] if self.violations and self.leaving.drain else []
        moving = {pod.key for pod in self.leaving.movers}
        bindings = (each for each in lasts if isinstance(each, Bind))
        return tuple(each for each in bindings if each.node.name in self.leaving.nodes and each.pod.key in moving)

    @property
    def stuck(self) -> tuple[Pod, ...]:
        """The pods that the drain has not evicted at the end of the violation."""
        going = {pod.key for pod in (*self.leaving.movers, *self.leaving.lost)}
        there = self.end.pods if self.end is not None and self.leaving.drain and not self.returned else ()
        return tuple(pod for pod in there if pod.key in going and pod.node_name in self.leaving.nodes)

    @property
    def waiting(self) -> tuple[Pod, ...]:
        """The pods that have no place at the end of the violation, and whose claims are known.

        After the binding to a node that is drained other pods may still find one.
        """
        moving = {pod.key for pod in self.leaving.movers} - {pod.key for pod in self.lacking}
        there = self.end.pods if self.end is not None and not self.returned else ()
        return tuple(pod for pod in there if pod.key in moving and not pod.node_name)

    @property
    def known(self) -> bool:
        """Whether the answer is certain."""
        if self.blocked or self.violations or self.explored is None:
            return True
        return not self.explored.result.stopped and not self.explored.result.unknown and not self.lacking

    @property
    def undecided(self) -> str:
        """Why the answer is not certain: see `reason`; empty if it is certain."""
        return "" if self.known else self.reason

    @property
    def reason(self) -> str:
        """What leaves a question open: what is not modelled, claims that the input lacks, or the limit that was reached."""
        if self.explored is None:
            return ""
        reasons = dict.fromkeys(why for _, why in self.explored.result.unknown)
        if self.lacking:
            names = ", ".join(map(str, self.lacking))
            reasons[f"{names} would find no place only because the input has no PersistentVolumeClaims"] = None
        return "; ".join(reasons) or self.explored.result.stopped

    @property
    def verdict(self) -> Verdict:
        """HOLDS, VIOLATED or GAVE_UP; UNKNOWN if it depends on what is not modelled."""
        if self.succeeds:
            return Verdict.HOLDS
        if self.known:
            return Verdict.VIOLATED
        open_ = self.lacking or (self.explored and self.explored.result.unknown)
        return Verdict.UNKNOWN if open_ else Verdict.GAVE_UP

    @property
    def succeeds(self) -> bool:
        """Whether it is certain that everything ends well."""
        return self.known and not self.blocked and not self.violations


@dataclass(frozen=True)
class Further:
    """What is known beyond counting the places of the pods that leave.

    - `beside`: the proof that all ends well although some pods may evict others. - `nowhere`: the pods that no node takes
    again, which are explored alone in a large cluster.
    """

    beside: Callable[[Leaving, Relocation], Relocation | None]
    nowhere: Callable[[Leaving], tuple[Pod, ...]]


def relocation(
    leaving: Leaving,
    cut: Callable[[Scenario, frozenset[Key]], Scenario],
    bounds: Bounds | None = None,
    report: Callable[[Progress], None] | None = None,
    further: Further | None = None,
) -> Relocation:
    """Return what is found out; `cut` reduces a scenario to what influences some of its pods."""
    doing("counting the places of the pods that leave")
    scenario = leaving.scenario
    found = counted(leaving)
    if found.blocked or found.proved:
        return found
    if further is not None and (settled := further.beside(leaving, found)) is not None:
        return settled
    keys = frozenset(pod.key for pod in (*leaving.movers, *leaving.lost))
    part = replace(cut(scenario, keys), rules=scenario.rules)
    asked = questions(leaving)
    bounds = bounds or Bounds()

    def explored(limits: Bounds) -> Checked:
        return check(part, bounds=limits, report=report, rules=asked, alone=True)

    most = min(soon(part), bounds.max_states or soon(part))
    # A single state of a large cluster takes long.
    if further is not None and is_large(part) and (alone := further.nowhere(leaving)):
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
    return check(part, bounds=bounds, report=report, rules=tuple(map(placed, pods)), alone=True)


def counted(leaving: Leaving) -> Relocation:
    """Return what counting alone says; it decides if a budget blocks, or if everything is `proved`."""
    places, evicting = _places(leaving)
    finds = {key for key, each in places.items() if each.proved and not evicting}
    return Relocation(leaving, places, tuple(protected(leaving, lambda pod: pod.key in finds)), evicting)


def _places(leaving: Leaving) -> tuple[dict[Key, Place], tuple[Pod, ...]]:
    """Return what counting says of each pod that is created again, and the pods that may evict others."""
    scenario = leaving.scenario
    gone = {pod.key for pod in (*leaving.movers, *leaving.lost)}
    there = tuple(pod for pod in scenario.pods if pod.key not in gone and not completed(pod))
    snapshot = _snapshot(scenario, there)
    counting = Counting(snapshot, leaving.nodes)
    absent = tuple(newly_arrived(pod) for pod in there if pod.key in scenario.absent)
    waiting = tuple(pod for plugins in scenario.plugins for pod in sorted(turn(snapshot, plugins), key=str))
    waiting = tuple(pod for pod in waiting if not counting.waits_for_good(pod, plugins_of(pod, scenario)))
    pending = (*waiting, *(pod for pod in absent if not pod.node_name))
    fresh = dict(zip((pod.key for pod in leaving.movers), leaving.fresh, strict=True))
    known: dict[Pod, Place] = {}

    others = Others((*fresh.values(), *leaving.lost, *pending))

    def place(pod: Pod) -> Place:
        # Pods of one workload are alike but for their names.
        alike = nameless(pod)
        if alike not in known:
            known[alike] = counting.place(pod, plugins_of(pod, scenario), others)
        return known[alike]

    lowest = min((pod.priority for pod in scenario.pods if not completed(pod)), default=0)
    able = (pod for pod in (*fresh.values(), *pending) if pod.priority > lowest and pod.preemption_policy != "Never")
    evicting = tuple(pod for pod in able if not place(pod).proved)
    return {key: RETURNS if may_return(pod, leaving) else place(pod) for key, pod in fresh.items()}, evicting


def _snapshot(scenario: Scenario, pods: tuple[Pod, ...]) -> Snapshot:
    """Return the cluster with these pods; those that are absent at first are left out."""
    present = tuple(pod for pod in pods if pod.key not in scenario.absent)
    return snapshot_of(scenario, present, scenario.nodes, scenario.budgets)


def protected(leaving: Leaving, finds: Callable[[Pod], bool]) -> Iterable[Protected]:
    """Yield each budget that protects an evicted pod, with what counting says of it.

    finds
        Whether it is proved that an evicted pod is bound again.
    """
    if not leaving.drain:
        return
    scenario = leaving.scenario
    going = (*leaving.movers, *leaving.lost)
    lost = {pod.key for pod in leaving.lost}
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
        elif now <= 0:
            yield Protected(
                budget, OPEN, f"its status allows {_evictions(budget.disruptions_allowed)}, its pods {now:,}"
            )
        elif any(pod.key in lost or not finds(pod) for pod in own):
            yield Protected(budget, OPEN, "it depends on whether its evicted pods find another place")
        else:
            yield Protected(budget, ENDS, "each evicted pod finds another place, and the next may be evicted")


def _evictions(number: int) -> str:
    return f"{number:,} eviction{'' if number == 1 else 's'}"
