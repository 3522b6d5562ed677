"""The explored graph: where formulas hold in it, and its labelled edges for the search for fair cycles."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from schedcheck.checker.language.checking.exploring import Exploration
from schedcheck.checker.language.checking.formulas import Both, Either, Fair, Predicate, Temporal
from schedcheck.checker.language.evaluation.acting import NEXT
from schedcheck.checker.language.evaluation.steps import has_step
from schedcheck.checker.language.evaluation.system import Formula
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.liveness.graph import OUTSIDE, Flags, Graph, Numbers, graph


class FormulaJudge:
    """The explored graph, with a memo of the states and steps where each formula holds."""

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
        """The number of states."""
        return len(self.exploration.states)

    def where(self, of: Temporal) -> Flags:
        """Return in which states a formula without temporal operators holds."""
        match of:
            case Both():
                return np.array(np.logical_and.reduce([self.where(each) for each in of.parts]), dtype=np.bool_)
            case Either():
                return np.array(np.logical_or.reduce([self.where(each) for each in of.parts]), dtype=np.bool_)
            case Predicate():
                return np.equal(self._predicate(of.formula), of.holds)
        raise AssertionError(of)

    def all_of(self, of: Sequence[Predicate]) -> Flags:
        """Return in which states all these predicates hold."""
        found = np.ones(self.states, dtype=np.bool_)
        for each in of:
            found &= self.where(each)
        return found

    def _predicate(self, of: Formula) -> Flags:
        def judged() -> Iterator[bool]:
            return (self.system.in_state(of, state) for state in self.exploration.states)

        return self._once(of, judged, self.states)

    def steps(self, of: Formula) -> Flags:
        """Return of which steps an action holds."""
        states = self.exploration.states

        def judged() -> Iterator[bool]:
            pairs = zip(self.sources.tolist(), self.targets.tolist(), strict=True)
            return (self.system.in_step(of, states[source], states[target]) for source, target in pairs)

        return self._once(of, judged, len(self.sources))

    def enabled(self, of: Formula) -> Flags:
        """Return in which states an action is enabled."""

        def judged() -> Iterator[bool]:
            act, running = of.act(NEXT), self.system.running
            for state in self.exploration.states:
                running.state, running.unsettled = state, False
                yield has_step(running, act, [])

        return self._once(of, judged, self.states, "enabled")

    def changing(self, fair: Fair) -> Formula:
        """Return the action `<<A>>_v` of a fairness condition."""
        if id(fair) not in self._changing:
            node = fair.formula.node
            assert isinstance(node, tree.Fairness)
            action = tree.Action(True, node.action, node.subscript, at=node.at)
            self._kept.append(fair)
            self._changing[id(fair)] = Formula(action, fair.formula.scope, fair.formula.frame)
        return self._changing[id(fair)]

    def _once(self, of: Formula, judged: Callable[[], Iterator[bool]], count: int, what: str = "") -> Flags:
        key = (id(of), what)
        if key not in self._known:
            self._kept.append(of)
            self._known[key] = np.fromiter(judged(), dtype=np.bool_, count=count)
        return self._known[key]


@dataclass
class Labels:
    """The labelled edges among some states; some labels stand for what must happen infinitely often."""

    judge: FormulaJudge
    among: Flags
    sources: list[Numbers] = field(default_factory=list)
    targets: list[Numbers] = field(default_factory=list)
    labels: list[Numbers] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    weak: list[bool] = field(default_factory=list)
    strong: list[bool] = field(default_factory=list)

    def label(self, weak: bool = False, strong: bool = False) -> int:
        """Add a label; return its number."""
        self.texts.append(str(len(self.texts)))
        self.weak.append(weak)
        self.strong.append(strong)
        return len(self.texts) - 1

    def edges(self, chosen: Flags, label: int) -> None:
        """Add these edges with this label."""
        chosen = chosen & self.among[self.judge.sources] & self.among[self.judge.targets]
        self._add(self.judge.sources[chosen], self.judge.targets[chosen], label)

    def possible(self, where: Flags, label: int) -> None:
        """Note that a step with the label is enabled in these states."""
        sources = np.flatnonzero(where)
        self._add(sources, np.full(len(sources), OUTSIDE), label)

    def _add(self, sources: Numbers, targets: Numbers, label: int) -> None:
        self.sources.append(sources)
        self.targets.append(targets)
        self.labels.append(np.full(len(sources), label))

    def graph(self, initial: Numbers) -> Graph:
        """Return the graph of all labelled edges."""
        sources, targets, labels = (
            np.concatenate(each) if each else np.zeros(0, dtype=np.int32)
            for each in (self.sources, self.targets, self.labels)
        )
        kinds = (object,) * len(self.texts)
        return graph(self.judge.states, initial, sources, targets, labels, self.texts, kinds)
