"""A model to check: a module with its configuration put into effect."""

from collections.abc import Mapping
from typing import Final

from schedcheck.checker.language.checking import formulas
from schedcheck.checker.language.checking.formulas import Temporal
from schedcheck.checker.language.environment.running import deep
from schedcheck.checker.language.environment.scopes import TEMPORAL, Missing
from schedcheck.checker.language.evaluation.configuration import Configuration
from schedcheck.checker.language.evaluation.evaluator import assumptions, evaluated
from schedcheck.checker.language.evaluation.given import universe
from schedcheck.checker.language.evaluation.levels import level
from schedcheck.checker.language.evaluation.system import Formula, System, formula
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Misread, Unevaluable
from schedcheck.checker.language.values.values import Function, ModelValue


class Model:
    """A module with a configuration: the system, the properties asked, and the fairness.

    `assumed` has the other temporal formulas of the specification. `untranslated`: the module has a PlusCal algorithm
    without a translation.
    """

    def __init__(
        self, modules: Mapping[str, tree.Module], root: str, asked: Configuration, untranslated: bool = False
    ) -> None:
        self.asked: Final = asked
        self.untranslated: Final = untranslated
        self.root: Final = modules[root]
        self.deadlock: Final = asked.check_deadlock is not False
        self.universe: Final = universe(modules, asked)
        with deep():
            self._load(root)

    def _load(self, root: str) -> None:
        asked = self.asked
        self.universe.load(root)
        self.universe.running.deadlock = self.deadlock
        self._all_given()
        assumptions(self.universe)
        self.fairness: list[formulas.Fair] = []
        self.assumed: list[Temporal] = []
        initial, following = self._specification()
        self.system = System(self.universe, initial, following)
        self.invariants = {each.name: self.named(each) for each in asked.invariants}
        self.constraints = [self.named(each) for each in asked.constraints]
        self.action_constraints = [self.named(each) for each in asked.action_constraints]
        self.properties: dict[str, Temporal] = {
            each.name: formulas.opened(self.named(each)) for each in asked.properties
        }
        self.view = None if asked.view is None else self.named(asked.view)
        if asked.alias is not None:
            self.named(asked.alias)
        self.possible = {each.name: self._witness(each) for each in asked.possible}
        self.postconditions = {each.name: self.named(each) for each in asked.postconditions}

    def named(self, name: tree.Name) -> Formula:
        """Return the formula of this name. Raises Misread if the root module does not define it."""
        if self.universe.root.find(name.name) is None:
            why = f": the PlusCal algorithm of {self.root.name} is not translated" if self.untranslated else ""
            raise Misread(f"{self.root.name} does not define {name.name}{why}", name.at)
        return formula(name, self.universe)

    def _witness(self, name: tree.Name) -> Formula:
        """Return what must be true somewhere. Raises Misread if it is temporal."""
        found = self.named(name)
        if level(name, found.scope).level >= TEMPORAL:
            raise Misread(f"{name.name} is a temporal formula: expected a formula of a state or of a step", name.at)
        return found

    def _all_given(self) -> None:
        """Raise Misread if a constant of the root module has no value."""
        for name, meaning in self.universe.root.names.items():
            if isinstance(meaning, Missing) and meaning.constant:
                raise Misread(f"the constant {name} has no value in the configuration", self.root.at)

    def _specification(self) -> tuple[list[Formula], Formula | None]:
        asked = self.asked
        if asked.specification is not None:
            return self._opened(asked.specification)
        if (asked.init is None) != (asked.next is None):
            said = asked.init or asked.next
            assert said is not None
            raise Misread("one of INIT and NEXT is given without the other", said.at)
        if asked.init is None or asked.next is None:
            return [], None
        return [self.named(asked.init)], self.named(asked.next)

    def _opened(self, name: tree.Name) -> tuple[list[Formula], Formula | None]:
        """Return the initial predicates and next-state action of a specification; keep its fairness.

        Raises Unevaluable for any other part.
        """
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
                case formulas.Always(formulas.Eventually()) | formulas.Eventually(formulas.Always()):
                    self.assumed.append(part)
                case _:
                    raise Unevaluable(
                        f"{name.name} has a part that is no initial predicate, no [][Next]_v and no fairness", name.at
                    )
        if not initial:
            raise Unevaluable(f"{name.name} has no initial predicate", name.at)
        return initial, None if following is None else _action(following)

    @property
    def behaves(self) -> bool:
        """Whether there is a specification to explore; without one, only the assumptions are checked."""
        return self.asked.specification is not None or self.asked.init is not None

    def symmetries(self) -> list[dict[ModelValue, ModelValue]]:
        """Return the permutations in the configuration's SYMMETRY, without the identity. Raises Unevaluable."""
        symmetry = self.asked.symmetry
        if symmetry is None:
            return []
        with deep():
            known = evaluated(symmetry, self.universe)
        found = []
        for each in known:
            if not isinstance(each, Function) or not all(
                isinstance(one, ModelValue) for one in (*each, *each.values())
            ):
                raise Unevaluable(f"{symmetry.name} permutes values that are no model values", symmetry.at)
            found.append({one: other for one, other in each.items() if one is not other})
        return [each for each in found if each]


def _action(steps: Formula) -> Formula:
    """Return the action A of [A]_v; TLC does not count stuttering steps."""
    assert isinstance(steps.node, tree.Action)
    return Formula(steps.node.action, steps.scope, steps.frame)
