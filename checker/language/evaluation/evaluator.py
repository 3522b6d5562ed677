"""Evaluation of expressions in a module, or with the standard modules alone; definitions can be added."""

from collections.abc import Mapping, Sequence

from schedcheck.checker.language.environment.running import Layout, deep
from schedcheck.checker.language.environment.scopes import Scope
from schedcheck.checker.language.evaluation import (
    actions,
    applying,
    binders,
    connectives,
    function_making,
    functions,
    lets,
    names,
    priming,
    selecting,
    steps,
)
from schedcheck.checker.language.evaluation.configuration import Configuration
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.evaluation.given import universe
from schedcheck.checker.language.evaluation.modules import Universe
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Misread, Unevaluable
from schedcheck.checker.language.syntax.parser import parsed, parsed_expression
from schedcheck.checker.language.values.showing import shown
from schedcheck.checker.language.values.values import FALSE, Value

COMPILED = (
    actions,
    applying,
    binders,
    connectives,
    function_making,
    functions,
    lets,
    names,
    priming,
    selecting,
    steps,
)
"""The modules that register compilers of nodes and actions, and levels."""

STANDARD = ("Integers", "Sequences", "FiniteSets", "TLC", "Bags", "SequencesExt", "FiniteSetsExt", "Functions")
"""The standard modules that an expression may always use."""

INPUT = "input"


class Session:
    """A module with the definitions added to it."""

    def __init__(
        self, modules: Mapping[str, tree.Module], root: str | None, asked: Configuration | None = None
    ) -> None:
        self._modules = modules
        self._asked = asked or Configuration()
        self._extends = (*STANDARD, root) if root is not None else STANDARD
        self._units: tuple[tree.Unit, ...] = ()
        self.universe = self._loaded(())

    def _loaded(self, units: Sequence[tree.Unit]) -> Universe:
        module = tree.Module(INPUT, self._extends, tuple(units), at=tree.Position(INPUT, 1, 1))
        made = universe({**self._modules, INPUT: module}, self._asked)
        with deep():
            made.load(INPUT)
        return made

    def answer(self, text: str) -> str:
        """Return the TLA+ text of an expression's value, or add definitions and return nothing. Raises: TlaError."""
        try:
            with deep():
                return shown(self.value(text))
        except Misread as error:
            if "==" not in text:
                raise
            self._define_unless(text, error)
            return ""

    def _define_unless(self, text: str, error: Misread) -> None:
        """Add definitions. If that fails too, raise the error that is further into the text."""
        try:
            self.define(text)
        except Misread as other:
            raise max(error, other, key=lambda each: (each.at.line, each.at.column) if each.at else (0, 0)) from None

    def value(self, text: str) -> Value:
        """Return the value of an expression. Raises: TlaError."""
        with deep():
            expression = parsed_expression(text, INPUT)
        return evaluated(expression, self.universe)

    def define(self, text: str) -> None:
        """Add definitions; they replace added ones of the same names. Raises: Misread."""
        head = f"---- MODULE {INPUT} ---- "
        try:
            units = parsed(f"{head}{text}\n====", INPUT).units
        except Misread as error:
            raise Misread(error.says, _moved(error.at, len(head))) from None
        names = {getattr(unit, "name", None) for unit in units}
        kept = [unit for unit in self._units if getattr(unit, "name", None) not in names]
        self.universe = self._loaded((*kept, *units))
        self._units = (*kept, *units)


def _moved(at: tree.Position | None, by: int) -> tree.Position | None:
    """Return the position in the user's text, without the header put before it."""
    return at if at is None or at.line != 1 else tree.Position(at.module, 1, max(1, at.column - by))


def evaluated(node: tree.Expression, within: Universe) -> Value:
    """Return the value of an expression in the root module. Raises: Unevaluable."""
    with deep():
        scope = Scope({}, within.root, Layout(), within.running)
        return Operator("", (), node, scope, 0).body([])


def assumptions(within: Universe) -> None:
    """Check the assumptions of the modules. Raises Unevaluable if one is false."""
    for assume, scope in within.assumptions:
        with deep():
            known = Operator("", (), assume.body, scope, 0).body([])
        if known is FALSE:
            raise Unevaluable(f"the assumption{f' {assume.name}' if assume.name else ''} is false", assume.at)
