"""An exploration that was prepared and answered before, as arrays alone: `Warm`, `explored`.

Exploring needs neither the scenario nor the specification if the tables hold every answer. So a process that finds these
arrays explores without importing either. It judges every state and step anew; with a question that has no answer, or a
property that is broken, it gives no result.
"""

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

from schedcheck.checker.limits.cores import cores
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.arrays import Answers
from schedcheck.checker.tabulated.loops.chunks import Chunks
from schedcheck.checker.tabulated.loops.orbits import Orbits
from schedcheck.checker.tabulated.loops.program import Program
from schedcheck.checker.tabulated.results.clerks import Judged, Nodes
from schedcheck.checker.tabulated.search.explorer import Explorer

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.answers.oracle import Oracle
    from schedcheck.checker.tabulated.search.plan import Plan


class Counts(NamedTuple):
    """The counts of a complete exploration; `met` has the numbers of the premises that were met."""

    distinct: int
    generated: int
    depth: int
    coverage: tuple[int, ...]
    done: int
    stuck: int
    met: tuple[int, ...]


class Warm(NamedTuple):
    """All that an exploration reads, and the counts that it ended with.

    - `first`: the initial state; `nodes`: the nodes that were judged with the properties they break.
    - `of_nodes`: the number of properties of nodes; `looked_for`: the numbers of premises among the properties of steps.
    """

    program: Program
    chunks: Chunks
    first: Words
    answers: Answers
    nodes: Judged
    orbits: Orbits | None
    of_nodes: int
    judged: bool
    looked_for: tuple[int, ...]
    counts: Counts


class _Missing(Exception):
    """A question arose that has no answer."""


class _Answered:
    """The tables of another run, to which nothing is added."""

    forgot = 0

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def answers(self) -> Answers:
        """Return the tables."""
        return self._answers

    def answer(self, *question: object) -> NoReturn:
        """Raises _Missing."""
        raise _Missing


class _Judging:
    """The properties of nodes, judged on the new states of each level."""

    def __init__(self, plan: "Plan", warm: Warm) -> None:
        self.broken: dict[str, Words] = {}
        self._nodes, self._of_nodes = Nodes(plan, cores(), warm.nodes), warm.of_nodes

    def __call__(self, states: Words, /) -> bool:
        """Judge the states; return whether one breaks a property. Raises _Missing."""
        if self._of_nodes:
            self._nodes(states, _unknown)
        found = ((str(number), self._nodes.broken(number)) for number in range(self._of_nodes))
        self.broken = {number: least for number, least in found if least is not None}
        return self.broken != {}

    def counts(self) -> dict[str, Any]:
        """Return nothing, as nothing is resumed."""
        return {}

    def count_from(self, counts: dict[str, Any], /) -> None:
        """Resume nothing."""


def counts_of(explorer: Explorer) -> Counts:
    """Return the counts of a complete exploration."""
    progress = explorer.progress()
    coverage, met = tuple(explorer.coverage), tuple(sorted(explorer.met))
    return Counts(progress.distinct, progress.generated, explorer.depth, coverage, *explorer.ended, met)


def explored(warm: Warm) -> tuple[Counts, float] | None:
    """Explore; return the counts and the seconds. None if a property is broken or a question has no answer."""
    # The explorer reads no other parts of a plan and an oracle.
    plan = cast("Plan", SimpleNamespace(program=warm.program, chunks=warm.chunks, first=warm.first))
    judging, oracle = _Judging(plan, warm), cast("Oracle", _Answered(warm.answers))
    explorer = Explorer(
        plan, oracle, judged=warm.judged, judge=judging, orbits=warm.orbits, looked_for=frozenset(warm.looked_for)
    )
    try:
        explorer.run()
    except _Missing:
        return None
    if explorer.stopped or explorer.broken or judging.broken or explorer.cut_off:
        return None
    return counts_of(explorer), explorer.progress().seconds


def _unknown(*question: object) -> NoReturn:
    raise _Missing
