"""A scenario explored over tables: `prepared`.

What is asked of decisions is in the tables; what is asked of states is asked of all new ones of a level together. The
result has the counts, verdict and length of counterexample of the direct explorer.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

from schedcheck.checker.memory import Beyond
from schedcheck.checker.result import Bounds, Progress, Result, Stage, Verdict, Violation
from schedcheck.checker.symmetry import Slots
from schedcheck.checker.tabulated.arrays import MOST_SUCCESSORS
from schedcheck.checker.tabulated.checkpoint import Checkpoint
from schedcheck.checker.tabulated.columns import TooWide
from schedcheck.checker.tabulated.disk import Disk, room_for
from schedcheck.checker.tabulated.explorer import SUCCESSORS, Explorer, cores
from schedcheck.checker.tabulated.graph import lost, steps
from schedcheck.checker.tabulated.identity import identity, of_answers
from schedcheck.checker.tabulated.kube import Kube
from schedcheck.checker.tabulated.layout import BITS, Words
from schedcheck.checker.tabulated.oracle import OF_CHOICES, OF_OPTIONS, OF_OUTCOMES, Loop, Oracle
from schedcheck.checker.tabulated.orbits import orbits
from schedcheck.checker.tabulated.printed import Printed
from schedcheck.checker.tabulated.program import Plan
from schedcheck.checker.tabulated.states import Judging
from schedcheck.checker.tabulated.tables import Tables
from schedcheck.checker.tabulated.traces import least_predecessors
from schedcheck.model.reference import Reference, State
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties import Always, Can, Ends, Property, Sometimes, Step


def refusal(machine: Reference, questions: Sequence[Property]) -> str | None:
    """Why the scenario is not explored over tables with these questions, None where nothing speaks against it."""
    scenario = machine.scenario
    if machine.profile.policy is not None:
        return f"the decisions of the profile {scenario.profile} are not tabulated"
    if len(scenario.pods) > BITS:
        return f"{len(scenario.pods)} pods are more than {BITS}, and a node may hold any of them"
    if any(each.rules for each in scenario.plugins):
        return "a rule of one's own may look at anything"
    if scenario.constraints:
        return "constraints are not tabulated"
    for question in questions:
        if isinstance(question, Ends):
            return f"{question.name} asks for a behaviour without an end"
        if isinstance(question, Step) and not _tabulated(question):
            return f"{question.name} looks at more than is tabulated"
    return None


def _tabulated(question: Step) -> bool:
    name = question.name
    return name in OF_OPTIONS | OF_OUTCOMES | OF_CHOICES or name.startswith(("never_evicted(", "budget_kept("))


class Ready(Protocol):
    """What explores a machine over tables."""

    def __call__(
        self,
        bounds: Bounds | None,
        report: Callable[[Progress], None] | None,
        folder: Path | None = None,
        tables: Tables | None = None,
    ) -> Result:
        """Explore it; with a folder levels are kept in it, and it goes on from those that are there. Raises Unusable.

        What the specification answers is kept in the tables, and is not asked again.
        """
        ...


def prepared(
    machine: Reference,
    judge: Profile,
    questions: Sequence[Property],
    classes: tuple[Sequence[Slots], Sequence[Slots]] | None = None,
) -> Ready:
    """What explores the machine over tables, up to swaps within `classes` of pods and of nodes where they are given.

    Raises TooWide where something does not fit into tables.
    """
    why = refusal(machine, questions)
    if why is not None:
        raise TooWide(why)
    of_steps = [each for each in questions if isinstance(each, Step)]
    if len(of_steps) > BITS:
        raise TooWide(f"{len(of_steps)} properties of steps are more than {BITS}")
    plan = Plan(machine, judge, of_steps, classes or ((), ()))
    oracle = Oracle(plan, _loop(plan, of_steps))
    swaps = None if classes is None else orbits(plan, *classes)

    def explored(
        bounds: Bounds | None,
        report: Callable[[Progress], None] | None,
        folder: Path | None = None,
        tables: Tables | None = None,
    ) -> Result:
        if tables is None:
            return kept(bounds, report, folder)
        name = of_answers(plan, questions, classes)
        known = tables.read(name)
        if known is not None and not oracle.take(known):
            tables.say(f"{tables.folder}: answers of another shape are asked anew")
        result = kept(bounds, report, folder)
        if any(oracle.asked):
            tables.write(name, oracle.arrays())
        return result

    def kept(bounds: Bounds | None, report: Callable[[Progress], None] | None, folder: Path | None) -> Result:
        if folder is None:
            return run(bounds, report, None)
        with closing(Checkpoint(folder, identity(plan, questions, classes), plan.layout.words)) as checkpoint:
            memory = bounds.memory if bounds else None
            room = room_for(memory, cores(), plan.layout.words, SUCCESSORS + 2 * MOST_SUCCESSORS)
            return run(bounds, report, Disk(checkpoint, room))

    def run(bounds: Bounds | None, report: Callable[[Progress], None] | None, disk: Disk | None) -> Result:
        judging = Judging(plan, [each for each in questions if isinstance(each, Always | Sometimes)])
        explorer = Explorer(
            plan,
            oracle,
            bounds=bounds,
            judged=any(each.name == "highest_priority_first" for each in of_steps),
            judge=judging,
            orbits=swaps,
            report=report,
            disk=disk,
        )
        try:
            explorer.run()
        except KeyboardInterrupt:
            explorer.stopped = "interrupted"
        except Beyond as bound:
            explorer.stopped = str(bound)
        return _result(explorer, judging, questions, of_steps)

    return explored


def _loop(plan: Plan, steps: Sequence[Step]) -> Loop:
    if plan.nominates:
        return Kube(plan, steps)
    return Printed(plan.machine.profile, plan.judge, plan.wide, tuple(steps))


def _result(explorer: Explorer, judging: Judging, questions: Sequence[Property], of_steps: Sequence[Step]) -> Result:
    violations = []
    for question in questions:
        if isinstance(question, Step) and of_steps.index(question) in explorer.broken:
            found = explorer.broken[of_steps.index(question)]
            violations.append(_violation(explorer, question, found.before))
        elif isinstance(question, Always) and question.name in judging.broken:
            violations.append(Violation(question, tuple(_behaviour(explorer, judging.broken[question.name]))))
    undecided = [each.name for each in questions if isinstance(each, Can)] + sorted(judging.unwitnessed)
    if not explorer.stopped and not violations:
        violations = list(_of_the_whole(explorer, questions, judging.unwitnessed))
        undecided = []
    progress = explorer.progress()
    done, stuck = explorer.ended
    kinds = explorer.plan.machine.kinds()
    return Result(
        verdict=Verdict.VIOLATED if violations else Verdict.GAVE_UP if explorer.stopped else Verdict.HOLDS,
        distinct=progress.distinct,
        generated=progress.generated,
        depth=explorer.depth,
        queue=progress.queue,
        coverage={kind.__name__: count for kind, count in zip(kinds, explorer.coverage, strict=True)},
        done=done,
        stuck=stuck,
        violations=tuple(violations),
        undecided=tuple(undecided),
        stopped=explorer.stopped,
        seconds=progress.seconds,
        orbits=explorer.orbits is not None,
    )


def _of_the_whole(
    explorer: Explorer, questions: Sequence[Property], unwitnessed: Container[str]
) -> Iterator[Violation]:
    """What only all states together show: properties without a witness, and states from which there is no way back."""
    graph = steps(explorer) if any(isinstance(each, Can) for each in questions) else None
    for question in questions:
        if isinstance(question, Sometimes) and question.name in unwitnessed:
            yield Violation(question, ())
        if isinstance(question, Can) and graph is not None:
            words = lost(explorer, graph, question)
            if words is not None:
                yield Violation(question, tuple(_behaviour(explorer, words)))


def _violation(explorer: Explorer, question: Step, before: Words) -> Violation:
    """The broken property with a trace to the state from which a step breaks it, and that step."""
    behaviour = _behaviour(explorer, explorer.stands_for(before))
    machine, here = explorer.plan.machine, behaviour[-1].state
    last = [
        Stage(action, state)
        for action, state in machine.steps(here)
        if type(action) in question.kinds and not question.holds(machine.view(here), action, machine.view(state))
    ]
    return Violation(question, (*behaviour, min(last, key=lambda stage: (str(stage.action), repr(stage.state)))))


def _behaviour(explorer: Explorer, words: Words) -> list[Stage]:
    """A shortest behaviour that ends in this state, or in one that symmetry makes equal to it; each step is run."""
    plan = explorer.plan

    def form(state: State) -> bytes:
        return explorer.stands_for(plan.packed(state)).tobytes()

    stages = [Stage(None, plan.slots.first)]
    for target in least_predecessors(explorer, words)[1:]:
        steps = (Stage(action, after) for action, after in plan.machine.steps(stages[-1].state))
        stages.append(
            min((each for each in steps if form(each.state) == target.tobytes()), key=lambda each: str(each.action))
        )
    return stages
