"""What is to be checked of a module: a configuration put into effect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from schedcheck.checker.language import formulas, tree
from schedcheck.checker.language.defined import Operator
from schedcheck.checker.language.errors import Misread, Unevaluable
from schedcheck.checker.language.evaluator import assumptions, evaluated
from schedcheck.checker.language.formulas import Temporal
from schedcheck.checker.language.modules import Universe
from schedcheck.checker.language.running import deep
from schedcheck.checker.language.scopes import Missing
from schedcheck.checker.language.system import Formula, System, formula
from schedcheck.checker.language.values import ModelValue, Value


@dataclass(frozen=True)
class Wanted:
    """What a configuration asks: names of definitions of the root module.

    `values` gives constants their values, `overridden` the definitions that stand for constants or operators;
    `values_in` and `overridden_in` do the same within one module.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    overridden: Mapping[str, str] = field(default_factory=dict)
    values_in: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    overridden_in: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    specification: str | None = None
    init: str | None = None
    next: str | None = None
    invariants: Sequence[str] = ()
    properties: Sequence[str] = ()
    constraints: Sequence[str] = ()
    action_constraints: Sequence[str] = ()
    symmetry: str | None = None
    view: str | None = None
    deadlock: bool = True


class Model:
    """A module with a configuration: the system, what it is asked, and under which fairness."""

    def __init__(self, modules: Mapping[str, tree.Module], root: str, wanted: Wanted) -> None:
        self.wanted: Final = wanted
        self.universe: Final = Universe(
            modules, wanted.values, wanted.overridden, wanted.overridden_in, wanted.values_in
        )
        self.root: Final = modules[root]
        with deep():
            self._load(root)

    def _load(self, root: str) -> None:
        wanted, universe = self.wanted, self.universe
        universe.load(root)
        self._all_given()
        assumptions(universe)
        self.fairness: list[formulas.Fair] = []
        initial, following = self._specification()
        self.system = System(universe, initial, following)
        self.invariants = {name: self.named(name) for name in wanted.invariants}
        self.constraints = [self.named(name) for name in wanted.constraints]
        self.action_constraints = [self.named(name) for name in wanted.action_constraints]
        self.properties: dict[str, Temporal] = {
            name: formulas.opened(self.named(name)) for name in wanted.properties
        }
        self.view = None if wanted.view is None else self.named(wanted.view)

    def named(self, name: str) -> Formula:
        """The formula of this name. Raises Misread where the root module defines none."""
        if self.universe.root.find(name) is None:
            raise Misread(f"the configuration names {name}, which the module does not define", self.root.at)
        return formula(tree.Name(name, at=self._at(name)), self.universe)

    def _at(self, name: str) -> tree.Position:
        found = self.universe.root.find(name)
        return found.node.at if isinstance(found, Operator) else self.root.at

    def _all_given(self) -> None:
        """Raise Misread where a constant of the root module has no value."""
        for name, meaning in self.universe.root.names.items():
            if isinstance(meaning, Missing):
                raise Misread(f"the constant {name} has no value in the configuration", self.root.at)

    def _specification(self) -> tuple[list[Formula], Formula | None]:
        wanted = self.wanted
        if wanted.specification is None:
            initial = [] if wanted.init is None else [self.named(wanted.init)]
            following = None if wanted.next is None else self.named(wanted.next)
            if (initial == []) != (following is None):
                raise Misread("the configuration gives one of INIT and NEXT without the other", self.root.at)
            return initial, following
        return self._opened(wanted.specification)

    def _opened(self, name: str) -> tuple[list[Formula], Formula | None]:
        """The initial predicates and the next-state action that a specification says; its fairness is kept."""
        initial: list[Formula] = []
        following: Formula | None = None
        for part in formulas.conjuncts(formulas.opened(self.named(name))):
            match part:
                case formulas.Predicate(holds=True):
                    initial.append(part.formula)
                case formulas.Always(formulas.Steps() as steps) if following is None:
                    following = steps.formula
                case formulas.Fair(holds=True):
                    self.fairness.append(part)
                case _:
                    raise Unevaluable(
                        f"{name} has a part that is no initial predicate, no [][Next]_v and no fairness", self._at(name)
                    )
        if not initial:
            raise Unevaluable(f"{name} has no initial predicate", self._at(name))
        return initial, None if following is None else _action(following)

    def symmetries(self) -> list[dict[ModelValue, ModelValue]]:
        """The permutations that the configuration says states are alike under, the identity aside."""
        if self.wanted.symmetry is None:
            return []
        with deep():
            known = evaluated(tree.Name(self.wanted.symmetry, at=self.root.at), self.universe)
        found = []
        for each in known:
            if not all(isinstance(one, ModelValue) for pair in each.items() for one in pair):
                raise Unevaluable(f"{self.wanted.symmetry} permutes values that are no model values", self.root.at)
            found.append({one: other for one, other in each.items() if one is not other})
        return [each for each in found if each]


def _action(steps: Formula) -> Formula:
    """The action A of [A]_v: a step that changes nothing leads nowhere new, and TLC does not count it."""
    assert isinstance(steps.node, tree.Action)
    return Formula(steps.node.action, steps.scope, steps.frame)
