"""The result of a tabulated exploration, in the form of the direct explorer: `found`."""

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property

from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.timer import answer, doing, reason
from schedcheck.checker.liveness.graph import Explored, Graph
from schedcheck.checker.liveness.temporal import Evaluate, broken
from schedcheck.checker.properties.vacuity import Vacuous
from schedcheck.checker.result import CUT_OFF, Result, Verdict, Violation
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.results.behaviours import behaviour, broken_step
from schedcheck.checker.tabulated.results.edges import Edges, edges
from schedcheck.checker.tabulated.results.graph import lost, steps
from schedcheck.checker.tabulated.results.numbering import Unpacked, graph_of
from schedcheck.checker.tabulated.results.states import Judging
from schedcheck.checker.tabulated.results.truths import truths
from schedcheck.checker.tabulated.results.vacuous import vacuous
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.spec.properties.kinds import Always, Can, Premise, Property, Sometimes, Step, Temporal


def found(
    explorer: Explorer,
    judging: Judging,
    questions: Sequence[Property],
    of_steps: Sequence[Step],
    places: Mapping[int, Premise],
    *,
    keep_graph: bool,
) -> tuple[Result, Explored | None]:
    """Return the result, and the graph if it is to be kept; `places` has the premises by their numbers."""
    if explorer.broken or judging.broken:
        answer()
    violations = list(_on_the_way(explorer, judging, questions, of_steps))
    undecided = [each.name for each in questions if isinstance(each, Can | Temporal)]
    undecided += sorted(judging.unwitnessed)
    whole = _Whole(explorer, questions, judging.unwitnessed)
    untested: Vacuous = ()
    graph = None
    try:
        if not explorer.stopped and not violations:
            doing("checking properties of the whole graph")
            violations, undecided = whole.judged()
            untested = vacuous(explorer, questions, places, whole.changing())
        if keep_graph:
            graph = whole.graph
    except KeyboardInterrupt as end:
        explorer.stopped = reason(end)
    except Beyond as bound:
        explorer.stopped = str(bound)
    progress = explorer.progress()
    done, stuck = explorer.ended
    kinds = explorer.plan.machine.kinds()
    result = Result(
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
        vacuous=untested,
        way_to_stuck=lambda: () if explorer.stuck is None else tuple(behaviour(explorer, explorer.stuck)),
    )
    return result, graph


def _on_the_way(
    explorer: Explorer, judging: Judging, questions: Sequence[Property], of_steps: Sequence[Step]
) -> Iterator[Violation]:
    """Yield the violations found during the exploration, in the order of the properties."""
    for question in questions:
        if isinstance(question, Step) and of_steps.index(question) in explorer.broken:
            yield broken_step(explorer, question, explorer.broken[of_steps.index(question)].before)
        elif isinstance(question, Always) and question.name in judging.broken:
            yield Violation(question, tuple(behaviour(explorer, judging.broken[question.name])))


class _Whole:
    """The properties that need the complete exploration."""

    def __init__(self, explorer: Explorer, questions: Sequence[Property], unwitnessed: Container[str]) -> None:
        self.explorer = explorer
        self.questions = questions
        self.unwitnessed = unwitnessed
        self.temporal = [each for each in questions if isinstance(each, Temporal)]

    @cached_property
    def edges(self) -> Edges:
        """The steps with their actions. Raises Beyond."""
        return edges(self.explorer, self.explorer.bounds.graph)

    @cached_property
    def graph(self) -> Explored:
        """The graph of the exploration. Raises Beyond."""
        graph, words = self._numbered
        return Explored(graph, Unpacked(self.explorer.plan, words))

    def changing(self) -> tuple[type, ...]:
        """Return the kinds of steps that change the state; all kinds if there is no graph to tell."""
        return self.graph.graph.kinds if "graph" in vars(self) else tuple(self.explorer.plan.machine.kinds())

    @cached_property
    def _numbered(self) -> tuple[Graph, Words]:
        found = graph_of(self.edges)
        # The edges are no longer needed, and take as much memory as the graph.
        del self.edges
        return found

    def judged(self) -> tuple[list[Violation], list[str]]:
        """Return the violations, and the names of the undecided properties, because of constraints or of a bound."""
        violations: list[Violation] = []
        undecided: list[str] = []
        try:
            for question, violation in self._one_by_one():
                if violation is not None:
                    violations.append(violation)
                else:
                    undecided.append(question.name)
            endless_behaviours = self._endless_behaviours()
        except Beyond as bound:
            self.explorer.stopped = str(bound)
            told = {each.property.name for each in violations}
            left = [each.name for each in self.temporal if each.name not in told]
            return violations, list(dict.fromkeys([*undecided, *left]))
        if self.explorer.cut_off:
            broken_ones = {each.property.name for each in endless_behaviours}
            undecided += [each.name for each in self.temporal if each.name not in broken_ones]
        if undecided:
            self.explorer.stopped = f"{CUT_OFF} {', '.join(undecided)}"
        return violations + endless_behaviours, undecided

    def _one_by_one(self) -> Iterator[tuple[Property, Violation | None]]:
        """Yield `sometimes` properties without a witness, and states from which a goal is no longer reachable.

        None stands for an answer that states beyond a constraint would decide.
        """
        explorer, cut_off = self.explorer, self.explorer.cut_off
        asked = [each for each in self.questions if isinstance(each, Can)]
        losses = lost(explorer, steps(explorer), asked) if asked else iter(())
        for question in self.questions:
            if isinstance(question, Sometimes) and question.name in self.unwitnessed:
                yield question, None if cut_off else Violation(question, ())
            if isinstance(question, Can):
                nearest, unclear = next(losses)
                if nearest is not None:
                    yield question, Violation(question, tuple(behaviour(explorer, nearest)))
                elif unclear:
                    yield question, None

    def _endless_behaviours(self) -> list[Violation]:
        """Return infinite behaviours that break temporal properties, each run again on the machine."""
        if not self.temporal:
            return []
        plan, words = self.explorer.plan, self._numbered[1]

        def judging(question: Temporal) -> Evaluate:
            return lambda predicate: truths(plan, words, question, predicate)

        return broken(plan.machine, self.graph, self.temporal, judging, self.explorer.bounds.graph)
