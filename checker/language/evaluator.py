"""Expressions evaluated: in a module, or with the standard modules alone."""

from collections.abc import Mapping, Sequence
from typing import Any

from schedcheck.checker.language import actions, binders, calls, connectives, functions, tree
from schedcheck.checker.language.compiling import value
from schedcheck.checker.language.defined import Operator
from schedcheck.checker.language.errors import Unevaluable
from schedcheck.checker.language.modules import Universe
from schedcheck.checker.language.running import Layout, deep
from schedcheck.checker.language.scopes import CONSTANT, Scope
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.values import FALSE, Value

COMPILED = (actions, binders, calls, connectives, functions)
"""The modules that say how nodes are compiled."""

STANDARD = ("Integers", "Sequences", "FiniteSets", "TLC", "Bags", "SequencesExt", "FiniteSetsExt", "Functions")
"""What an expression without a module may use."""


def alone(units: Sequence[tree.Unit] = (), modules: Mapping[str, tree.Module] | None = None) -> Universe:
    """The universe of a module that extends the standard ones, and defines these units."""
    at = tree.Position("expression", 1, 1)
    module = tree.Module("expression", tuple(name for name in STANDARD if name in MODULES), tuple(units), at=at)
    universe = Universe({**(modules or {}), module.name: module})
    universe.load(module.name)
    return universe


def evaluated(node: tree.Expression, universe: Universe) -> Value:
    """The value of an expression in the root module. Raises: Unevaluable."""
    with deep():
        frame_of = Operator("", (), node, Scope({}, universe.root, Layout(), universe.running), 0)
        return frame_of.body([])


def assumptions(universe: Universe) -> None:
    """Check what the modules assume. Raises Unevaluable where something does not hold."""
    for assume, scope in universe.assumptions:
        with deep():
            known = Operator("", (), assume.body, scope, 0).body([])
        if known is FALSE:
            raise Unevaluable(f"the assumption{_named(assume)} is false", assume.at)


def _named(assume: tree.Assume) -> str:
    return f" {assume.name}" if assume.name is not None else ""


def level_of(name: str, universe: Universe) -> int:
    """The level of a definition of the root module."""
    found: Any = universe.root.find(name)
    return found.level().level if isinstance(found, Operator) else CONSTANT


__all__ = ["alone", "assumptions", "evaluated", "level_of", "value"]
