"""The search for a behaviour that violates a temporal formula, in the graph of all states of a scenario: `Search`.

It uses the search of the module checker (`checker/language/checking/liveness.py`). The fair actions there are formulas.
Here, instances of the machine's actions are fair too, as the scenario's fairness says, and are passed as fair actions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, cast, overload

import numpy as np

from schedcheck.checker.language.checking.breaking import Breaking
from schedcheck.checker.language.checking.formulas import Fair
from schedcheck.checker.language.checking.graphs import FormulaJudge
from schedcheck.checker.language.checking.liveness import counterexample
from schedcheck.checker.language.evaluation.acting import NEXT
from schedcheck.checker.language.evaluation.steps import has_step
from schedcheck.checker.language.evaluation.system import Formula, System
from schedcheck.checker.liveness.graph import Flags, Graph
from schedcheck.checker.liveness.lassos import Lasso
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Fairness

State = tuple[Any, ...]
KEPT = 1 << 14
"""The number of states whose values are cached."""

BEFORE_THE_FAIR = 2
"""The number of labels in the search before those of the fair actions, which have one each, in order."""


class Asking(System):
    """A system whose formulas are evaluated under a guard, which reports a formula without a value."""

    def __init__(self, system: System, guard: Callable[[Callable[[], bool]], bool]) -> None:
        self.__dict__.update(vars(system))
        self._guard = guard

    def in_state(self, asked: Formula, state: State) -> bool:
        """Whether a state predicate holds in the state."""
        return self._guard(lambda: System.in_state(self, asked, state))

    def in_step(self, asked: Formula, state: State, following: State) -> bool:
        """Whether an action formula holds of this step."""
        return self._guard(lambda: System.in_step(self, asked, state, following))

    def able(self, asked: Formula, state: State) -> bool:
        """Whether an action is enabled in the state."""

        def possible() -> bool:
            self.running.state, self.running.unsettled = state, False
            return has_step(self.running, asked.act(NEXT), [])

        return self._guard(possible)


class Values(Sequence[State]):
    """The values of the variables in each state; the last `KEPT` are cached."""

    def __init__(self, count: int, value: Callable[[int], State]) -> None:
        self._count = count
        self._value = lru_cache(KEPT)(value)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, number: int) -> State: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[State]: ...

    def __getitem__(self, number: int | slice) -> State | Sequence[State]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(self._count))]
        if number >= self._count:
            raise IndexError(number)
        return self._value(number)


@dataclass(frozen=True)
class Instance:
    """A fair instance of an action of the machine, by its number in the graph."""

    number: int
    strong: bool


class InGraph(FormulaJudge):
    """The truth of formulas in the states and steps of a machine's graph."""

    def __init__(self, graph: Graph, values: Values, system: Asking, gigabytes: float | None) -> None:
        sources = np.repeat(np.arange(graph.states), np.diff(graph.offsets))
        inside = graph.targets >= 0
        super().__init__(
            cast(
                Any,
                SimpleNamespace(
                    system=system,
                    states=values,
                    sources=sources[inside],
                    targets=graph.targets[inside],
                    initial=graph.initial,
                    bounds=SimpleNamespace(graph=np.inf if gigabytes is None else gigabytes),
                ),
            )
        )
        self._asking = system
        self._from, self._actions, self._within = sources, graph.actions, graph.actions[inside]
        among = self.sources.astype(np.int64) * graph.states + self.targets
        self._pair = np.searchsorted(among, sources[inside].astype(np.int64) * graph.states + graph.targets[inside])

    def changing(self, fair: Any) -> Any:
        """Return <<A>>_v of a fairness condition; an instance of an action stands for itself."""
        return fair if isinstance(fair, Instance) else super().changing(fair)

    def steps(self, of: Any) -> Flags:
        """Return for each step whether it is one of this action."""
        if not isinstance(of, Instance):
            return super().steps(of)
        found = np.zeros(len(self.sources), np.bool_)
        found[self._pair[self._within == of.number]] = True
        return found

    def enabled(self, of: Any) -> Flags:
        """Return for each state whether the action is enabled in it."""
        if not isinstance(of, Instance):
            able = (self._asking.able(of, state) for state in self.exploration.states)
            return np.fromiter(able, np.bool_, self.states)
        found = np.zeros(self.states, np.bool_)
        found[self._from[self._actions == of.number]] = True
        return found


@dataclass(frozen=True)
class Search:
    """The search for a fair behaviour that violates a formula in one of these ways."""

    ways: Sequence[Breaking]
    system: Asking
    value: Callable[[Snapshot], State]
    fairness: Fairness

    def __call__(self, graph: Graph, view: Callable[[int], Snapshot], gigabytes: float | None) -> Lasso | None:
        """Return the lasso with the shortest prefix, None if there is none.

        Raises Beyond if memory does not suffice.
        """
        judge = InGraph(graph, Values(graph.states, lambda number: self.value(view(number))), self.system, gigabytes)
        fair = tuple(self._fair(graph))
        found = [counterexample(judge, cast(Sequence[Fair], fair), way) for way in self.ways]
        lassos = [_of_machine(graph, fair, *each) for each in found if each is not None]
        return min(lassos, key=lambda each: len(each.prefix), default=None)

    def _fair(self, graph: Graph) -> Iterator[Instance]:
        for number, kind in enumerate(graph.kinds):
            if kind in self.fairness.strong or kind in self.fairness.weak:
                yield Instance(number, kind in self.fairness.strong)


def _of_machine(graph: Graph, fair: Sequence[Instance], labelled: Graph, found: Lasso) -> Lasso:
    """Return the lasso in the edges of the machine's graph.

    An edge labelled with a fair instance is an edge of that instance.
    """

    def edge(number: int) -> int:
        source, target = labelled.source(number), labelled.targets[number]
        place = int(labelled.actions[number]) - BEFORE_THE_FAIR
        wanted = fair[place].number if 0 <= place < len(fair) else None
        return next(
            each
            for each in graph.edges_from(source)
            if graph.targets[each] == target and wanted in (None, graph.actions[each])
        )

    return Lasso(found.first, tuple(map(edge, found.prefix)), tuple(map(edge, found.round)))
