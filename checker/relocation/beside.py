"""Whether a drain ends, all pods have places and all comes to rest while other controllers run: `beside`, `outcomes`, `why_open`.

Counting proves no place here. It places each other pod once and keeps every node; a descheduler or an autoscaler may evict a
pod again after it was placed, and adds and removes nodes. So the whole cluster is explored. What is proved beside some
controllers is that a budget refuses an eviction for good (`refused`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from schedcheck.checker.check import Checked, Search, check
from schedcheck.checker.followed import bad_end, soon
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import doing, resume
from schedcheck.checker.properties.behaviours import COMES_TO_REST
from schedcheck.checker.relocation.counting import Place
from schedcheck.checker.relocation.leaving import Leaving
from schedcheck.checker.relocation.questions import ELSEWHERE, ENDS, PLACED
from schedcheck.checker.relocation.questions import beside as questions
from schedcheck.checker.relocation.relocation import BLOCKED, Protected, Relocation, protected
from schedcheck.checker.result import Bounds, Progress, Verdict, Violation
from schedcheck.model.controllers.disruption import starts_later
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod
from schedcheck.spec.properties.kinds import Property

UNCOUNTED = "not counted, as other controllers run"

BY_THE_API = frozenset({"owners", "disruption", "kubelet", "podgc", "descheduler"})
"""Controllers that take a pod off a node that exists through the eviction API alone, and that remove no node."""

HOLDS, BROKEN, UNDECIDED = "holds", "violated", "undecided"
SHARE = 4
"""Behaviours are followed to their end for one part of so many of the time."""


def beside(
    leaving: Leaving, bounds: Bounds | None = None, report: Callable[[Progress], None] | None = None
) -> Relocation:
    """Return what is found out about pods that leave while `leaving.running` run as well."""
    bounds = bounds or Bounds()
    places = {pod.key: Place(0, 0, UNCOUNTED) for pod in leaving.movers}
    found = Relocation(leaving, places, tuple(refused(leaving)), ())
    if found.blocked:
        return found
    doing("exploring the cluster beside its controllers")
    whole, asked = _whole(leaving.scenario), questions(leaving)

    def explored(limits: Bounds, rules: Sequence[Property] = asked) -> Checked:
        return check(whole, bounds=limits, search=Search(directed=True), report=report, rules=rules, alone=True)

    most = min(soon(whole), bounds.max_states or soon(whole))
    made = explored(replace(bounds, max_states=most))
    if made.result.stopped == f"{parameter('limits.states')} {most}" and not made.result.violations:
        resume()
        made = bad_end(made, asked, bounds.seconds and bounds.seconds / SHARE) or explored(bounds)
    if _rests_alone(made):
        # A round that was found early says nothing of the other questions.
        others = explored(bounds, [each for each in asked if each.name != COMES_TO_REST])
        made = _joined(others, made)
    return replace(found, explored=made)


def _rests_alone(made: Checked) -> bool:
    """Whether the exploration ended early with a round, and with no other violation."""
    broken = {each.property.name for each in made.result.violations}
    return broken == {COMES_TO_REST} and made.result.undecided != ()


def _joined(others: Checked, round_: Checked) -> Checked:
    """Return the exploration of the other questions, with the round."""
    violations = (*others.result.violations, *round_.result.violations)
    result = replace(others.result, verdict=Verdict.VIOLATED, violations=violations)
    return replace(others, properties=round_.properties, result=result)


def refused(leaving: Leaving) -> Iterator[Protected]:
    """Yield the budgets that refuse an eviction for good, which no controller that runs can change.

    Such a budget allows nothing even if all its pods are healthy, or the API evicts none of its pods, as several budgets
    protect it. The number of its pods never grows, as no workload is scaled. Its pod on the drained node then leaves by
    none of the steps that exist: the API refuses every eviction, also those of a descheduler; a preemptor has a greater
    priority, and no pod has one; no node is removed, no taint evicts, and nothing completes. A pod that its kubelet has
    still to start is left out, as the API evicts it without asking a budget.
    """
    if _evicted_by_the_api_alone(leaving) and _none_preempts(leaving):
        started = replace(leaving, movers=_started(leaving, leaving.movers), lost=_started(leaving, leaving.lost))
        yield from (each for each in protected(started, lambda pod: False) if each.verdict == BLOCKED)


def _started(leaving: Leaving, pods: Iterable[Pod]) -> tuple[Pod, ...]:
    """Return the pods that no kubelet has still to start."""
    return tuple(pod for pod in pods if not starts_later(pod, leaving.scenario))


def _evicted_by_the_api_alone(leaving: Leaving) -> bool:
    """Whether no controller that runs removes a pod from an existing node but through the API, or changes their number."""
    return leaving.running <= BY_THE_API and not leaving.scenario.rollouts


def _none_preempts(leaving: Leaving) -> bool:
    """Whether no pod has a greater priority than one that leaves."""
    highest = max((pod.priority for pod in leaving.scenario.pods), default=0)
    return all(pod.priority == highest for pod in (*leaving.movers, *leaving.lost))


def _whole(scenario: Scenario) -> Scenario:
    note = "nothing was left out, as controllers may look at every pod and node"
    return replace(scenario, cut=(*scenario.cut, note))


def outcomes(found: Relocation) -> dict[str, str]:
    """Return whether the drain ends, pods have places, and all rests: "holds", "violated" or "undecided"."""
    kinds: dict[str, tuple[str, ...]] = {"ends": (ENDS, ELSEWHERE)} if found.leaving.drain else {}
    kinds |= {"placed": (PLACED,), "rests": (COMES_TO_REST,)}
    answers = {name: _outcome(found, of) for name, of in kinds.items()}
    return answers | ({"ends": BROKEN} if found.blocked else {})


def _outcome(found: Relocation, kinds: tuple[str, ...]) -> str:
    """Return the answer about the properties of these kinds."""
    if any(each.property.name.startswith(kinds) for each in found.violations):
        return BROKEN
    if found.explored is None:
        return UNDECIDED
    result = found.explored.result
    open_ended = any(name.startswith(kinds) for name in result.undecided)
    return UNDECIDED if result.stopped or result.unknown or open_ended else HOLDS


def why_open(found: Relocation) -> str:
    """Return why something about the drain or the failure is not decided; empty if all is, or a violation was enough."""
    if not found.leaving.running:
        return found.reason if found.lacking else found.undecided
    if UNDECIDED not in outcomes(found).values():
        return found.undecided
    if found.explored is None:
        return "nothing was explored, as the drain does not end"
    return found.reason or "the exploration ended with the violation"


def told(found: Relocation) -> tuple[Violation, ...]:
    """Return the violations that are shown: of each kind the first, in the order of the questions."""
    first: dict[str, Violation] = {}
    for each in found.violations:
        first.setdefault(each.property.name.partition("(")[0], each)
    return tuple(first.values())
