"""Checking a model: the search, the temporal properties on the whole graph, and the result."""

from collections.abc import Callable
from dataclasses import dataclass

from schedcheck.checker.language.checking import liveness
from schedcheck.checker.language.checking.explored import Found
from schedcheck.checker.language.checking.exploring import Exploration
from schedcheck.checker.language.checking.keeping import Keeping
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.checking.module_search import USUAL, ModuleSearch
from schedcheck.checker.language.checking.simulating import Simulation
from schedcheck.checker.language.environment.running import deep
from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.timer import answer, doing, limited, reason
from schedcheck.checker.result import Bounds, Progress, Result, Verdict

CUT_OFF = "the constraints cut off states that decide"


@dataclass(frozen=True)
class Checked:
    """The result of a check, its violations (`found`), and the exploration it comes from."""

    result: Result
    found: tuple[Found, ...]
    exploration: Exploration

    @property
    def cut_off(self) -> bool:
        """Whether only the constraints leave a property undecided: no limit was reached, so no run goes on from here."""
        return self.result.stopped.startswith(CUT_OFF)


def check(
    model: Model,
    bounds: Bounds,
    report: Callable[[Progress], None] | None = None,
    search: ModuleSearch = USUAL,
    keeping: Keeping | None = None,
) -> Checked:
    """Explore and judge a model; `keeping` keeps what is explored, and goes on from what was kept.

    Raises TlaError if something cannot be evaluated, and Unusable if the exploration cannot be kept.
    """
    kind = Exploration if search.behaviours is None else Simulation
    exploration = kind(model, bounds, report, search, liveness.violations, keeping)
    exploration.run()
    with deep():
        if exploration.stopped or exploration.broken or exploration.lasting:
            answer()
        found = [*exploration.violations(), *exploration.lasting]
        undecided = list(dict.fromkeys(name for name, _ in exploration.temporal))
        if not exploration.stopped and (search.proceed or not found):
            lasting, undecided = _in_the_end(exploration, undecided)
            known = {each.name for each in found}
            found += [each for each in lasting if each.name not in known]
        if not exploration.stopped and not found:
            found = _afterwards(exploration)
        elif not found:
            undecided += [*exploration.witnesses.missing, *model.postconditions]
    verdict = Verdict.VIOLATED if found else Verdict.GAVE_UP if exploration.stopped else Verdict.HOLDS
    progress = exploration.progress()
    result = Result(
        verdict=verdict,
        distinct=progress.distinct,
        generated=progress.generated,
        depth=progress.depth,
        queue=progress.queue,
        coverage=exploration.coverage,
        done=exploration.ends,
        stuck=0,
        violations=(),
        undecided=tuple(undecided),
        stopped=exploration.stopped,
        seconds=progress.seconds,
        orbits=exploration.orbits,
    )
    return Checked(result, tuple(found), exploration)


def _afterwards(exploration: Exploration) -> list[Found]:
    """Return what was never true but must be, and the postconditions that are false; they may read the counts."""
    missing = exploration.witnesses.missing
    never = [Found(name, f"{name} is true in no reachable state and of no step", ()) for name in missing]
    running, progress = exploration.system.running, exploration.progress()
    running.generated, running.queue = progress.generated, progress.queue
    asked, initial = exploration.model.postconditions, exploration.states[:1]
    return never + [
        Found(name, f"the postcondition {name} is not true", ())
        for name, formula in asked.items()
        if not exploration.system.in_state(formula, initial[0] if initial else ())
    ]


def _in_the_end(exploration: Exploration, names: list[str]) -> tuple[list[Found], list[str]]:
    """Return the violated temporal properties, and the names of those that are undecided."""
    if not names:
        return [], []
    doing("searching behaviours that violate temporal properties")
    try:
        with limited(exploration.bounds.seconds, exploration.bounds.memory):
            found = liveness.violations(exploration)
    except Beyond as bound:
        exploration.stopped = str(bound)
        return [], names
    except KeyboardInterrupt as end:
        exploration.stopped = reason(end)
        return [], names
    cut_off = exploration.cut_off and not exploration.search.within_constraints
    undecided = [name for name in names if name not in {each.name for each in found}] if cut_off else []
    if undecided and not found:
        exploration.stopped = f"{CUT_OFF} {', '.join(undecided)}"
    return found, undecided
