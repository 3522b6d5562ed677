"""Temporal properties of the explored graph, under the fairness of the specification.

A fair behaviour breaks a property if it satisfies its negation (`checker.language.checking.breaking`). Fair cycles are
found by `checker.liveness.fair_cycles`. A condition that must hold infinitely often is given to it as a fair action.
For a predicate p, this action is enabled where p does not hold, and never taken. For steps, it is enabled everywhere,
and taken by these steps. A behaviour may stutter without end wherever fairness permits it, as in TLC.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from schedcheck.checker.language.checking.breaking import Breaking, alternatives, breaking, negated
from schedcheck.checker.language.checking.explored import Found
from schedcheck.checker.language.checking.exploring import Exploration
from schedcheck.checker.language.checking.formulas import Both, Fair, Temporal
from schedcheck.checker.language.checking.graphs import FormulaJudge, Labels
from schedcheck.checker.language.checking.meeting import Meeting
from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.liveness.fair_cycles import Round, fair_components
from schedcheck.checker.liveness.graph import Flags, Graph
from schedcheck.checker.liveness.lassos import Lasso, lasso
from schedcheck.checker.liveness.paths import prefix
from schedcheck.checker.liveness.temporal import NotABehaviour, needed
from schedcheck.checker.result import Stage


def counterexample(judge: FormulaJudge, fairness: Sequence[Fair], way: Breaking) -> tuple[Graph, Lasso] | None:
    """Return a fair behaviour that breaks a property in this way; None if there is none. Raises Beyond."""
    edges = Labels(judge, judge.all_of(way.always))
    never = np.zeros(len(judge.sources), dtype=np.bool_)
    for each in way.never:
        never |= judge.steps(each.formula) == each.holds
    along = np.ones(len(judge.sources), dtype=np.bool_)
    for each in way.along:
        along &= judge.steps(each.formula) == each.holds
    plain, excluded = edges.label(), edges.label()
    edges.edges(~never & along, plain)
    edges.edges(never & along, excluded)
    for fair in (*fairness, *way.fair):
        changing = judge.changing(fair)
        label = edges.label(weak=not fair.strong, strong=fair.strong)
        edges.edges(judge.steps(changing) & ~never & along, label)
        edges.possible(judge.enabled(changing), label)
    for often in way.often:
        edges.possible(~judge.where(often), edges.label(weak=True))
    for taken in way.taken:
        label = edges.label(weak=True)
        edges.edges((judge.steps(taken.formula) == taken.holds) & ~never & along, label)
        edges.possible(np.ones(judge.states, dtype=np.bool_), label)
    once = []
    for each in way.once_taken:
        once.append(edges.label())
        edges.edges((judge.steps(each.formula) == each.holds) & along, once[-1])
    initial = np.array(judge.exploration.initial, dtype=np.int32)
    made = edges.graph(initial[judge.all_of((*way.first, *way.always))[initial]])
    meeting = Meeting(made, [judge.all_of(each) for each in way.once], once)
    if needed(made) * meeting.copies > judge.exploration.bounds.graph:
        more = needed(made) * meeting.copies
        raise Beyond(f"{parameter('limits.graph')} {judge.exploration.bounds.graph:g}: the graph needs {more:.2g} GiB")
    allowed = np.ones(len(edges.texts), dtype=np.bool_)
    allowed[[excluded, *once]] = False
    inside = meeting.in_each(judge.all_of((*way.inside, *way.always)))
    last = meeting.in_each(judge.all_of(way.last)) & meeting.everything_met()
    wanted = Round(inside, np.ones_like(inside), allowed, np.array(edges.weak), np.array(edges.strong))
    start, graph = meeting.in_each(judge.all_of(way.start)), meeting.copied()
    if way.then:
        then = meeting.in_each(judge.all_of(way.then))
        found = _in_two(graph, start, then, replace(wanted, inside=inside & last))
    else:
        found = lasso(graph, start, wanted, at_once=False, last=last)
    return None if found is None else (made, meeting.within(found))


def _in_two(graph: Graph, start: Flags, then: Flags, wanted: Round) -> Lasso | None:
    """Return a fair behaviour that reaches `start`, later `then`, and ends in a wanted cycle; None if there is none."""
    lasting = fair_components(graph, wanted) >= 0
    sources = np.repeat(np.arange(graph.states), np.diff(graph.offsets))
    inside = graph.targets >= 0
    while True:
        before = np.count_nonzero(lasting)
        lasting[sources[inside][lasting[graph.targets[inside]]]] = True
        if np.count_nonzero(lasting) == before:
            break
    found = prefix(graph, start, np.ones_like(start), then & lasting, at_once=False)
    if found is None:
        return None
    edges, end = found
    rest = lasso(replace(graph, initial=np.array([end], dtype=np.int32)), np.ones_like(start), wanted, at_once=False)
    assert rest is not None
    return Lasso(graph.source(edges[0]) if edges else end, (*edges, *rest.prefix), rest.round)


def violations(exploration: Exploration) -> list[Found]:
    """Return the temporal properties that the explored graph breaks, each with a behaviour. Raises NotSupported."""
    assumed = exploration.model.assumed
    ways = {
        name: [breaking(parts, name) for parts in alternatives(Both((negated(asked), *assumed)))]
        for name, asked in _by_name(exploration)
    }
    judge = FormulaJudge(exploration)
    found: list[Found] = []
    for name, alternatives_ in ways.items():
        for way in alternatives_:
            shown = counterexample(judge, exploration.model.fairness, way)
            if shown is not None:
                found.append(_found_in(exploration, name, *shown))
                break
    return found


def _by_name(exploration: Exploration) -> Iterator[tuple[str, Temporal]]:
    """Yield each property with the conjunction of its temporal parts."""
    parts: dict[str, list[Temporal]] = {}
    for name, part in exploration.temporal:
        parts.setdefault(name, []).append(part)
    return ((name, Both(tuple(each))) for name, each in parts.items())


def _found_in(exploration: Exploration, name: str, within: Graph, behaviour: Lasso) -> Found:
    """Return the violation that a lasso shows."""
    numbers = [behaviour.first, *(int(within.targets[edge]) for edge in (*behaviour.prefix, *behaviour.round))]
    stages = [Stage(None, exploration.states[numbers[0]])]
    stages += [_step(exploration, before, after) for before, after in pairwise(numbers)]
    return Found(name, f"{name} does not hold", tuple(stages), len(behaviour.prefix))


def _step(exploration: Exploration, before: int, after: int) -> Stage:
    """Return the step between two stored states, taken again. Raises NotABehaviour if there is no such step."""
    stage = exploration.stage(before, after)
    steps = exploration.system.successors(exploration.states[before])
    if exploration.model.view is None and all(state != stage.state for _, state in steps):
        raise NotABehaviour(f"no step from {exploration.states[before]!r} to {stage.state!r}")
    return stage
