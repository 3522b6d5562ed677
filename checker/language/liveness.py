r"""What must happen in the end: temporal properties of the explored graph, under the fairness of the specification.

A property is broken by a fair behaviour of which its negation holds. The negation is put as alternatives, each a
conjunction of: what holds initially, what holds from some point on (`<>(p /\ []q)`), what comes again and again
(`[]<>p`, or a step of an action), and steps that come to an end (`<>[][~A]_v`). The search for fair rounds is that of
`checker.fairness`; whatever comes again and again is put to it as an action that must be treated fairly: one that is
possible where p does not hold and is never taken, or one that is possible everywhere and taken by the steps meant.

A behaviour may rest for ever wherever fairness lets it, as in TLC.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product

import numpy as np

from schedcheck.checker.fairness import Round
from schedcheck.checker.graph import OUTSIDE, Flags, Graph, graph
from schedcheck.checker.language import formulas, tree
from schedcheck.checker.language.actions import NEXT, has_step
from schedcheck.checker.language.errors import Unevaluable
from schedcheck.checker.language.exploring import Exploration, Found
from schedcheck.checker.language.formulas import Always, Both, Either, Eventually, Fair, Predicate, Steps, Temporal
from schedcheck.checker.language.system import Formula
from schedcheck.checker.lassos import Lasso, lasso
from schedcheck.checker.memory import Beyond
from schedcheck.checker.result import Stage
from schedcheck.checker.temporal import NotABehaviour, needed


@dataclass(frozen=True)
class Breaking:
    """One way of breaking a property: behaviours that begin where `first` holds, come to a point where `start` holds,
    from there on are where `inside` holds, in the end are where `last` holds and take no `never` step, meet each of
    `often` and take each of `taken` again and again, and are fair. Predicates are joined by "and".
    """

    first: tuple[Predicate, ...] = ()
    start: tuple[Predicate, ...] = ()
    inside: tuple[Predicate, ...] = ()
    last: tuple[Predicate, ...] = ()
    often: tuple[Temporal, ...] = ()
    taken: tuple[Steps, ...] = ()
    never: tuple[Steps, ...] = ()
    fair: tuple[Fair, ...] = ()
    anchored: bool = False
    at_once: bool = False


class NotSupported(Unevaluable):
    """A temporal property that this checker does not decide."""


def negated(of: Temporal) -> Temporal:
    """The negation, with <> and [] inside out."""
    match of:
        case Predicate() | Steps() | Fair():
            return replace(of, holds=not of.holds)
        case Both():
            return Either(tuple(map(negated, of.parts)))
        case Either():
            return Both(tuple(map(negated, of.parts)))
        case Always():
            return Eventually(negated(of.part))
        case Eventually():
            return Always(negated(of.part))


def alternatives(of: Temporal) -> Iterator[tuple[Temporal, ...]]:
    """The formula as alternatives, each of parts that must all hold."""
    match of:
        case Both():
            for chosen in product(*(tuple(alternatives(each)) for each in of.parts)):
                yield tuple(part for parts in chosen for part in parts)
        case Either():
            for each in of.parts:
                yield from alternatives(each)
        case Eventually(Either(parts)):
            for each in parts:
                yield from alternatives(Eventually(each))
        case Always(Both(parts)):
            yield from alternatives(Both(tuple(map(Always, parts))))
        case _:
            yield (of,)


def breaking(parts: Sequence[Temporal], name: str) -> Breaking:
    """What a conjunction asks of a behaviour. Raises NotSupported."""
    made = Breaking()
    for part in parts:
        made = _with(made, part, name)
    return made


def _with(made: Breaking, part: Temporal, name: str) -> Breaking:
    match part:
        case Predicate():
            return replace(made, first=(*made.first, part))
        case Fair(holds=True):
            return replace(made, fair=(*made.fair, part))
        case Fair():
            return _unfair(made, part)
        case Eventually(Always(Steps() as steps)):
            return replace(made, never=(*made.never, replace(steps, holds=not steps.holds)))
        case Always(Eventually(Steps() as steps)):
            return replace(made, taken=(*made.taken, steps))
        case Always(Eventually(inner)) if _of_states(inner):
            return replace(made, often=(*made.often, inner))
        case Eventually(Always(Predicate() as inner)) | Eventually(Always(Eventually(Always(Predicate() as inner)))):
            return replace(made, last=(*made.last, inner))
        case Eventually(Always(Both(inner))) if all(isinstance(each, Predicate) for each in inner):
            return replace(made, last=(*made.last, *(each for each in inner if isinstance(each, Predicate))))
        case Always(Predicate() as inner) if not made.anchored:
            return replace(made, inside=(*made.inside, inner), anchored=True, at_once=True)
        case Eventually(inner) if not made.anchored:
            return _anchored(made, inner, name)
    raise NotSupported(f"the temporal property {name} is of a form that is not supported")


def _anchored(made: Breaking, inner: Temporal, name: str) -> Breaking:
    """<>(p /\\ []q)."""
    start: list[Predicate] = []
    inside: list[Predicate] = []
    for each in inner.parts if isinstance(inner, Both) else (inner,):
        match each:
            case Predicate():
                start.append(each)
            case Always(Predicate() as always):
                inside.append(always)
            case Always(Both(parts)) if all(isinstance(one, Predicate) for one in parts):
                inside += [one for one in parts if isinstance(one, Predicate)]
            case _:
                raise NotSupported(f"the temporal property {name} is of a form that is not supported")
    return replace(made, start=tuple(start), inside=tuple(inside), anchored=True)


def _of_states(of: Temporal) -> bool:
    match of:
        case Predicate():
            return True
        case Both() | Either():
            return all(map(_of_states, of.parts))
    return False


def _unfair(made: Breaking, part: Fair) -> Breaking:
    """What breaks fairness: the action is possible always (or, strongly, again and again), and in the end never taken."""
    node = part.formula.node
    assert isinstance(node, tree.Fairness)
    scope, frame = part.formula.scope, part.formula.frame
    changing = tree.Action(True, node.action, node.subscript, at=node.at)
    enabled = Predicate(Formula(tree.Apply("ENABLED", (changing,), at=node.at), scope, frame))
    never = Steps(Formula(changing, scope, frame))
    if part.strong:
        return replace(made, often=(*made.often, enabled), never=(*made.never, never))
    return replace(made, last=(*made.last, enabled), never=(*made.never, never))


class Judge:
    """The explored graph, and where the formulas that are asked hold, each found once."""

    def __init__(self, exploration: Exploration) -> None:
        self.exploration = exploration
        self.system = exploration.system
        self.sources = np.array(exploration.sources, dtype=np.int32)
        self.targets = np.array(exploration.targets, dtype=np.int32)
        pairs = np.unique(np.stack([self.sources, self.targets], axis=1), axis=0) if len(self.sources) else None
        if pairs is not None:
            self.sources, self.targets = pairs[:, 0], pairs[:, 1]
        self._known: dict[tuple[int, str], Flags] = {}
        self._kept: list[object] = []
        self._changing: dict[int, Formula] = {}

    @property
    def states(self) -> int:
        """How many states there are."""
        return len(self.exploration.states)

    def where(self, of: Temporal) -> Flags:
        """In which states a formula without temporal operators holds."""
        match of:
            case Both():
                return np.logical_and.reduce([self.where(each) for each in of.parts])
            case Either():
                return np.logical_or.reduce([self.where(each) for each in of.parts])
            case Predicate():
                return self._predicate(of.formula) == of.holds
        raise AssertionError(of)

    def all_of(self, of: Sequence[Predicate]) -> Flags:
        """In which states all of these hold."""
        found = np.ones(self.states, dtype=np.bool_)
        for each in of:
            found &= self.where(each)
        return found

    def _predicate(self, of: Formula) -> Flags:
        def judged() -> Iterator[bool]:
            return (self.system.in_state(of, state) for state in self.exploration.states)

        return self._once(of, judged, self.states)

    def steps(self, of: Formula) -> Flags:
        """Which steps an action is."""
        states = self.exploration.states

        def judged() -> Iterator[bool]:
            pairs = zip(self.sources.tolist(), self.targets.tolist(), strict=True)
            return (self.system.in_step(of, states[source], states[target]) for source, target in pairs)

        return self._once(of, judged, len(self.sources))

    def enabled(self, of: Formula) -> Flags:
        """In which states an action is possible."""

        def judged() -> Iterator[bool]:
            act, running = of.act(NEXT), self.system.running
            for state in self.exploration.states:
                running.state, running.unsettled = state, False
                yield has_step(running, act, [])

        return self._once(of, judged, self.states, "enabled")

    def changing(self, fair: Fair) -> Formula:
        """<<A>>_v of a fairness condition."""
        if id(fair) not in self._changing:
            node = fair.formula.node
            assert isinstance(node, tree.Fairness)
            action = tree.Action(True, node.action, node.subscript, at=node.at)
            self._kept.append(fair)
            self._changing[id(fair)] = Formula(action, fair.formula.scope, fair.formula.frame)
        return self._changing[id(fair)]

    def _once(self, of: Formula, judged: object, count: int, what: str = "") -> Flags:
        key = (id(of), what)
        if key not in self._known:
            assert callable(judged)
            self._kept.append(of)
            self._known[key] = np.fromiter(judged(), dtype=np.bool_, count=count)
        return self._known[key]


@dataclass
class _Labels:
    """The edges of a graph with labels, some of which stand for what must come again and again."""

    judge: Judge
    sources: list[np.ndarray] = field(default_factory=list)
    targets: list[np.ndarray] = field(default_factory=list)
    labels: list[np.ndarray] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    weak: list[bool] = field(default_factory=list)
    strong: list[bool] = field(default_factory=list)

    def label(self, weak: bool = False, strong: bool = False) -> int:
        """A new label."""
        self.texts.append(str(len(self.texts)))
        self.weak.append(weak)
        self.strong.append(strong)
        return len(self.texts) - 1

    def edges(self, chosen: Flags, label: int) -> None:
        """Give these edges a label too."""
        self._add(self.judge.sources[chosen], self.judge.targets[chosen], label)

    def possible(self, where: Flags, label: int) -> None:
        """Say that a step of a label is possible in these states."""
        sources = np.flatnonzero(where)
        self._add(sources, np.full(len(sources), OUTSIDE), label)

    def _add(self, sources: np.ndarray, targets: np.ndarray, label: int) -> None:
        self.sources.append(sources)
        self.targets.append(targets)
        self.labels.append(np.full(len(sources), label))

    def graph(self, initial: np.ndarray) -> Graph:
        """The graph of all of them."""
        sources, targets, labels = (
            np.concatenate(each) if each else np.zeros(0, dtype=np.int32)
            for each in (self.sources, self.targets, self.labels)
        )
        kinds = (object,) * len(self.texts)
        return graph(self.judge.states, initial, sources, targets, labels, self.texts, kinds)


def counterexample(judge: Judge, fairness: Sequence[Fair], way: Breaking) -> tuple[Graph, Lasso] | None:
    """A fair behaviour that breaks a property in this way; None where there is none."""
    edges = _Labels(judge)
    never = np.zeros(len(judge.sources), dtype=np.bool_)
    for each in way.never:
        never |= judge.steps(each.formula) == each.holds
    plain, excluded = edges.label(), edges.label()
    edges.edges(~never, plain)
    edges.edges(never, excluded)
    for fair in (*fairness, *way.fair):
        changing = judge.changing(fair)
        label = edges.label(weak=not fair.strong, strong=fair.strong)
        edges.edges(judge.steps(changing) & ~never, label)
        edges.possible(judge.enabled(changing), label)
    for often in way.often:
        edges.possible(~judge.where(often), edges.label(weak=True))
    for taken in way.taken:
        label = edges.label(weak=True)
        edges.edges((judge.steps(taken.formula) == taken.holds) & ~never, label)
        edges.possible(np.ones(judge.states, dtype=np.bool_), label)
    initial = np.array(judge.exploration.initial, dtype=np.int32)
    made = edges.graph(initial[judge.all_of(way.first)[initial]])
    if needed(made) > judge.exploration.bounds.graph:
        raise Beyond(f"--graph-memory {judge.exploration.bounds.graph:g}: the graph needs {needed(made):.2g} GiB")
    allowed = np.ones(len(edges.texts), dtype=np.bool_)
    allowed[excluded] = False
    everywhere = np.ones(judge.states, dtype=np.bool_)
    inside = judge.all_of(way.inside)
    wanted = Round(inside, everywhere, allowed, np.array(edges.weak), np.array(edges.strong))
    found = lasso(
        made, judge.all_of(way.start), wanted, at_once=way.at_once, last=judge.all_of(way.last)
    )
    return None if found is None else (made, found)


def violations(exploration: Exploration) -> list[Found]:
    """The temporal properties that the explored graph breaks, each with a behaviour. Raises NotSupported."""
    ways = {
        name: [breaking(parts, name) for parts in alternatives(negated(asked))] for name, asked in _by_name(exploration)
    }
    judge = Judge(exploration)
    found: list[Found] = []
    for name, alternatives_ in ways.items():
        for way in alternatives_:
            shown = counterexample(judge, exploration.model.fairness, way)
            if shown is not None:
                found.append(_found_in(exploration, name, *shown))
                break
    return found


def _by_name(exploration: Exploration) -> Iterator[tuple[str, Temporal]]:
    """The temporal parts of each property together."""
    parts: dict[str, list[Temporal]] = {}
    for name, part in exploration.temporal:
        parts.setdefault(name, []).append(part)
    return ((name, Both(tuple(each))) for name, each in parts.items())


def _found_in(exploration: Exploration, name: str, within: Graph, behaviour: Lasso) -> Found:
    """The behaviour of a lasso."""
    numbers = [behaviour.first, *(int(within.targets[edge]) for edge in (*behaviour.prefix, *behaviour.round))]
    stages = [Stage(None, exploration.states[numbers[0]])]
    stages += [_step(exploration, before, after) for before, after in pairwise(numbers)]
    return Found(name, f"{name} does not hold", tuple(stages), len(behaviour.prefix))


def _step(exploration: Exploration, before: int, after: int) -> Stage:
    """The step from one stored state to another, taken again. Raises NotABehaviour where there is none."""
    stage = exploration.stage(before, after)
    steps = exploration.system.successors(exploration.states[before])
    if exploration.model.view is None and all(state != stage.state for _, state in steps):
        raise NotABehaviour(f"no step from {exploration.states[before]!r} to {stage.state!r}")
    return stage
