"""The tabulated exploration of a scenario: `prepared`.

Properties of decisions are in the tables. Properties of states are evaluated on all new states of a level together. The
result has the same counts, verdict and counterexample length as that of the direct explorer.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from frozendict import frozendict

from schedcheck.checker.exploring.constraints import limits
from schedcheck.checker.exploring.symmetry import Slots
from schedcheck.checker.limits.clock import Beyond, Clock
from schedcheck.checker.limits.cores import cores
from schedcheck.checker.limits.timer import answer, doing, reason
from schedcheck.checker.liveness.graph import Explored
from schedcheck.checker.machines.machines import Machines
from schedcheck.checker.result import Bounds, Progress, Result, Verdict
from schedcheck.checker.tabulated.answers.identity import identity, of_answers
from schedcheck.checker.tabulated.answers.oracle import OF_CHOICES, OF_OPTIONS, OF_OUTCOMES, Loop, Oracle
from schedcheck.checker.tabulated.answers.tables import Tables
from schedcheck.checker.tabulated.layout.columns import TooWide
from schedcheck.checker.tabulated.layout.layout import BITS
from schedcheck.checker.tabulated.loops.arrays import MOST_SUCCESSORS
from schedcheck.checker.tabulated.loops.objects import is_kept
from schedcheck.checker.tabulated.loops.orbits import orbits
from schedcheck.checker.tabulated.results.changing import leaving_of
from schedcheck.checker.tabulated.results.leaving import Unawaited
from schedcheck.checker.tabulated.results.results import found
from schedcheck.checker.tabulated.results.states import Judging
from schedcheck.checker.tabulated.results.vacuous import looked_for
from schedcheck.checker.tabulated.search.checkpoint import Checkpoint
from schedcheck.checker.tabulated.search.disk import Disk, room_for
from schedcheck.checker.tabulated.search.explorer import SUCCESSORS, Explorer
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.checker.tabulated.search.refused import refusal
from schedcheck.checker.tabulated.search.warm import Warm, counts_of
from schedcheck.checker.tabulated.search.within import within
from schedcheck.checker.tabulated.search.worker import BUFFERS
from schedcheck.model.reference import Reference
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties.kinds import Always, Property, Sometimes, Step
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler

if TYPE_CHECKING:
    import numpy.typing as npt

    from schedcheck.checker.tabulated.distributed.team import Team

OF_WHAT_THEY_LEAVE = "evicted_for_nominated_pod"
"""A property of steps that is read from the state after the step."""


def _tabulated(question: Step) -> bool:
    """Whether the tables hold the property's answers; a user's own property is evaluated on every step."""
    name = question.name
    known = OF_OPTIONS | OF_OUTCOMES | OF_CHOICES | {OF_WHAT_THEY_LEAVE}
    return not question.of_states and (name in known or name.startswith(("never_evicted(", "budget_kept(")))


Run = Callable[[Bounds | None, Callable[[Progress], None] | None, Path | None], tuple[Result, Explored | None]]

STATES = "states"
"""The number of states that a run found, among the arrays of its answers."""


class Ready:
    """A prepared tabulated exploration of a machine."""

    def __init__(self, run: Run, oracle: Oracle, named: Callable[[], str], ended: Sequence[Warm]) -> None:
        """`named` returns the name of the answers; `ended` has what complete runs leave for other processes."""
        self._run, self._oracle, self._named, self._ended = run, oracle, named, ended
        self._answers: dict[str, npt.NDArray[Any]] | None = None

    def found(self, tables: Tables) -> int:
        """Return how many states the run found whose answers are cached in `tables`; 0 if none are."""
        self._answers = tables.read(self._name)
        number = (self._answers or {}).get(STATES)
        return int(number[0]) if number is not None and number.shape == (1,) else 0

    def __call__(
        self,
        bounds: Bounds | None,
        report: Callable[[Progress], None] | None,
        folder: Path | None = None,
        tables: Tables | None = None,
    ) -> tuple[Result, Explored | None]:
        """Explore the machine; return the result, and the graph if it is kept. Raises Unusable.

        With a folder, levels are kept in it, and the exploration resumes from the levels kept there.

        With `tables`, the answers of the specification are kept there and not asked again.
        """
        if tables is None:
            return self._run(bounds, report, folder)
        known = tables.read(self._name) if self._answers is None else self._answers
        if known is not None:
            known.pop(STATES, None)
            if not self._oracle.take(known):
                tables.say(f"{tables.folder}: answers of another shape are recomputed")
        result = self._run(bounds, report, folder)
        if any(self._oracle.asked):
            tables.write(self._name, {**self._oracle.arrays(), STATES: np.array([result[0].distinct])})
        return result

    @property
    def warm(self) -> Warm | None:
        """What the last run leaves, so that another process need not prepare it; None if arrays alone do not suffice."""
        return self._ended[-1] if self._ended else None

    @cached_property
    def _name(self) -> str:
        return self._named()


def prepared(
    machine: Reference,
    judge: Profile,
    questions: Sequence[Property],
    classes: tuple[Sequence[Slots], Sequence[Slots]] | None = None,
    *,
    keep_graph: bool = False,
    clock: Clock | None = None,
    tell: Callable[[str], None] = lambda line: None,
    machines: Machines | None = None,
    on_device: bool = False,
) -> Ready:
    """Return the exploration of the machine over tables, up to swaps within `classes` of pods and nodes, if given.

    The clock bounds the exploration; `tell` receives a line if a property is slow. With `machines` the states are divided
    among workers; `on_device` explores on a graphics processor. Raises TooWide if something does not fit into tables.
    """
    clock = clock or Clock(None)
    why = refusal(machine, questions)
    if why is not None:
        raise TooWide(why)
    all_of_steps = [each for each in questions if isinstance(each, Step)]
    of_steps = [each for each in all_of_steps if _tabulated(each)]
    others = [each for each in all_of_steps if not _tabulated(each)]
    if machines is not None and others:
        raise TooWide(f"{others[0].name} is evaluated on every step, which is not divided among workers")
    if on_device and machine.scenario.constraints:
        raise TooWide(f"the constraint {machine.scenario.constraints[0]} is not followed on a graphics processor")
    premises = dict(enumerate(looked_for(questions), len(of_steps)))
    of_steps += [each for _, each in premises.values()]
    if len(of_steps) > BITS:
        raise TooWide(f"{len(of_steps)} properties of steps are more than {BITS}")
    plan = Plan(machine, judge, of_steps, classes or ((), ()))
    oracle = Oracle(plan, LOOPS[plan.machine.profile.scheduler](plan, of_steps))
    judged = any(each.name == "highest_priority_first" for each in of_steps)
    swaps = None if classes is None else orbits(plan, *classes)
    ended: list[Warm] = []

    def kept(
        bounds: Bounds | None, report: Callable[[Progress], None] | None, folder: Path | None
    ) -> tuple[Result, Explored | None]:
        if machines is not None:
            doing("starting the workers")
            from schedcheck.checker.tabulated.distributed.team import Team

            with closing(Team(machines, tell)) as team:
                result, graph = run(bounds, report, None, team)
                # The states are with the workers, so the way is found while they are there.
                way = result.way_to_stuck()
                return replace(result, way_to_stuck=lambda: way), graph
        if folder is None:
            return run(bounds, report, None)
        with closing(Checkpoint(folder, identity(plan, questions, classes), plan.layout.words)) as checkpoint:
            memory = bounds.memory if bounds else None
            room = room_for(memory, plan.layout.words, cores() * BUFFERS * (SUCCESSORS + 2 * MOST_SUCCESSORS))
            return run(bounds, report, Disk(checkpoint, room))

    def run(
        bounds: Bounds | None,
        report: Callable[[Progress], None] | None,
        disk: Disk | None,
        team: "Team | None" = None,
    ) -> tuple[Result, Explored | None]:
        if report is not None and not is_kept("loops.expand"):
            tell("the loops of the tabulated explorer are compiled, once for each version; that takes half a minute")
        of_states = [each for each in questions if isinstance(each, Always | Sometimes)]
        judging = Judging(plan, of_states, clock.look, tell)
        left = {number: Unawaited(plan) for number, each in enumerate(of_steps) if each.name == OF_WHAT_THEY_LEAVE}
        asked = leaving_of(plan, oracle, others, clock.look, tell, judged=judged)
        explorer = _explorer(team, of_states, on_device=on_device)(
            plan,
            oracle,
            bounds=bounds,
            judged=judged,
            judge=judging,
            orbits=swaps,
            limits=within(plan, limits(plan.scenario.constraints)) if plan.scenario.constraints else None,
            leaving={**left, **dict(enumerate(asked, len(of_steps)))},
            looked_for=frozenset(premises),
            report=report,
            disk=disk,
        )
        doing("exploring over tables")
        try:
            explorer.run()
        except KeyboardInterrupt as end:
            explorer.stopped = reason(end)
        except Beyond as bound:
            explorer.stopped = str(bound)
        clock.stop()
        if explorer.stopped:
            answer()
        places = {number: premise for number, (premise, _) in premises.items()}
        result, graph = found(explorer, judging, questions, [*of_steps, *others], places, keep_graph=keep_graph)
        plain = (
            not explorer.leaving
            and explorer.limits is None
            and all(isinstance(each, Always | Step) for each in questions)
        )
        if result.verdict is Verdict.HOLDS and plain and not judging.slowly and disk is None and team is None:
            ended.append(_warm(explorer, judging, premises))
        return result, graph

    return Ready(kept, oracle, lambda: of_answers(plan, questions, classes), ended)


def _warm(explorer: Explorer, judging: Judging, premises: Iterable[int]) -> Warm:
    """Return what a complete exploration leaves for another process."""
    plan = explorer.plan
    return Warm(
        plan.program,
        plan.chunks,
        plan.first,
        explorer.oracle.answers(),
        judging.judged(),
        explorer.orbits,
        len(judging.of_nodes),
        explorer.judged,
        tuple(sorted(premises)),
        counts_of(explorer),
    )


def _explorer(
    team: "Team | None", of_states: Sequence[Always | Sometimes], *, on_device: bool
) -> Callable[..., Explorer]:
    """Return the explorer of this process, that of a team, or that of a graphics processor. Raises Unusable."""
    if on_device:
        from schedcheck.checker.tabulated.device.cuda import Device
        from schedcheck.checker.tabulated.device.explorer import OnDevice

        return partial(OnDevice, device=Device())
    if team is None:
        return Explorer
    from schedcheck.checker.tabulated.distributed.spread import Spread

    return partial(Spread, team=team, of_states=of_states)


def _printed(plan: Plan, steps: Sequence[Step]) -> Loop:
    from schedcheck.checker.tabulated.answers.printed import Printed

    return Printed(plan.machine.profile, plan.judge, plan.wide, tuple(steps), plan.compares_budgets)


def _kube(plan: Plan, steps: Sequence[Step]) -> Loop:
    from schedcheck.checker.tabulated.answers.kube import Kube

    return Kube(plan, steps)


def _classic(plan: Plan, steps: Sequence[Step]) -> Loop:
    from schedcheck.checker.tabulated.answers.classic import Classic

    own = plan.machine.profile
    return Classic(own, own.policy, plan.wide, tuple(steps), plan.compares_budgets)


LOOPS: Mapping[Scheduler, Callable[[Plan, Sequence[Step]], Loop]] = frozendict(
    {PUBLISHED: _printed, KUBERNETES: _kube, CLASSIC: _classic}
)
"""The loop of each scheduler, of which the tables hold the answers."""
