"""Module composition: EXTENDS, INSTANCE, constants with their values, and overridden definitions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from schedcheck.checker.language.environment.running import Layout, Running
from schedcheck.checker.language.environment.scopes import (
    Builtin,
    Constant,
    Instantiated,
    Missing,
    Scope,
    Slot,
    Substituted,
    Variable,
    variable,
)
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.standard.modules import INSTEAD, MODULES
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.bound_names import taken
from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.values.values import Value


@dataclass
class Universe:
    """All modules by name, with the values and operators that the configuration gives, and the running evaluation.

    `overridden` has, for an operator or constant, the definition of the root module that replaces it; `overridden_in`
    has the same within one module. `tables` has constant operators whose values are given one by one. `within` has the
    enclosing module of each inner module. `read` has the identities of the units whose bound names were checked.
    """

    modules: Mapping[str, tree.Module]
    values: Mapping[str, Value] = field(default_factory=dict)
    overridden: Mapping[str, str] = field(default_factory=dict)
    overridden_in: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    values_in: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    tables: Mapping[str, Builtin] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    within: dict[str, str] = field(default_factory=dict)
    apart: int = 0
    read: set[int] = field(default_factory=set)
    assumptions: list[tuple[tree.Assume, Scope]] = field(default_factory=list)
    running: Running = field(init=False)
    root: Scope = field(init=False)

    def __post_init__(self) -> None:
        """Begin with no variables and nothing running."""
        self.running = Running(0)

    def load(self, name: str) -> Scope:
        """Load the root module and return its scope."""
        for each in list(self.modules.values()):
            self._inner(each)
        module = self.modules[name]
        self._declare(module, set())
        self.running = Running(len(self.variables))
        self.running.universe = self
        self.root = Scope({}, None, Layout(), self.running)
        given = _Given(self, None, {}, self.root, 0)
        made = given.scope(module)
        self.root.names.update(made.names)
        return self.root

    def _inner(self, module: tree.Module) -> None:
        """Register the inner modules of a module."""
        for unit in module.units:
            if isinstance(unit, tree.Module):
                self.modules = {**self.modules, unit.name: unit}
                self.within[unit.name] = module.name
                self._inner(unit)

    def _declare(self, module: tree.Module, seen: set[str]) -> None:
        """Number the variables of a module and of those it extends, in order."""
        if module.name in seen:
            return
        seen.add(module.name)
        for name in module.extends:
            extended = self.modules.get(name)
            if extended is not None:
                self._declare(extended, seen)
        for unit in module.units:
            if isinstance(unit, tree.Variables):
                for variable in unit.names:
                    self.variables.setdefault(variable, Variable(variable, len(self.variables)))


@dataclass
class _Given:
    """An instance of a module and the modules it extends; `substitutions` by constant and variable.

    `around` is the scope of the INSTANCE, None for the root module. Operators have `base` slots of the frame around
    them.
    """

    universe: Universe
    around: Scope | None
    substitutions: dict[str, Any]
    outermost: Scope
    base: int
    scopes: dict[str, Scope] = field(default_factory=dict)

    def scope(self, module: tree.Module) -> Scope:
        """Return the scope of one of the modules."""
        if module.name in self.scopes:
            return self.scopes[module.name]
        layout = self.outermost.layout if self.around is None else self.around.layout
        outer = self.around if module.name in self.universe.within else None
        made = Scope({}, outer, layout, self.universe.running)
        self.scopes[module.name] = made
        for name in module.extends:
            self._extend(made, name, module)
        self._override(made, made.names, None)
        recursive = {each.name for unit in module.units if isinstance(unit, tree.Recursive) for each in unit.declared}
        for unit in module.units:
            self._binds_new(unit, made)
            self._unit(unit, made, recursive, module)
        made.names.update(INSTEAD.get(module.name, {}))
        self._override(made, made.names, module.name)
        return made

    def _binds_new(self, unit: tree.Unit, made: Scope) -> None:
        """Check that what a unit binds has new names, once, however often its module is instantiated. Raises: Misread."""
        if isinstance(unit, tree.Module) or id(unit) in self.universe.read:
            return
        self.universe.read.add(id(unit))
        for name, at in taken(unit, made):
            raise Misread(f"{name} is bound, and means something else already: a bound name must be new", at)

    def _extend(self, made: Scope, name: str, module: tree.Module) -> None:
        inner = self.universe.modules.get(name)
        if inner is None:
            made.names.update(_standard(name, module.at))
            return
        extended = self.scope(inner)
        made.names.update({each: what for each, what in extended.names.items() if each not in extended.hidden})

    def _unit(self, unit: tree.Unit, made: Scope, recursive: set[str], module: tree.Module) -> None:
        match unit:
            case tree.Variables():
                for name in unit.names:
                    made.names[name] = self._variable(name, unit)
            case tree.Constants():
                for parameter in unit.declared:
                    made.names[parameter.name] = self._constant(parameter, module)
            case tree.Assume():
                if self.around is None:
                    self.universe.assumptions.append((unit, made))
                if unit.name is not None:
                    made.names[unit.name] = Operator(unit.name, (), unit.body, made, self.base)
            case tree.Theorem():
                if unit.body is None:
                    made.names[unit.name] = Missing(
                        unit.name, "is an ASSUME/PROVE: an expression is expected", constant=False
                    )
                else:
                    made.names[unit.name] = Operator(unit.name, (), unit.body, made, self.base)
            case tree.Instance(name=None):
                names = instantiated(unit, made, self.base, self.universe, made)
                made.names.update({each: what for each, what in names.names.items() if each not in names.hidden})
                if unit.local:
                    made.hidden.update(names.names)
            case tree.Module() | tree.Recursive():
                return
            case _:
                define(unit, made, recursive, self.base, self.universe)
                if getattr(unit, "local", False) and unit.name is not None:
                    made.hidden.add(unit.name)

    def _variable(self, name: str, unit: tree.Variables) -> Any:
        if self.around is None:
            return self.universe.variables[name]
        found = self._substituted(name, unit.at)
        if isinstance(found, Variable | Missing):
            return found
        if isinstance(found, Substituted) and variable(found.expression, found.scope) is not None:
            return found
        universe = self.universe
        universe.apart += 1
        if isinstance(found, Substituted):
            return Substituted(found.expression, found.scope, universe.apart)
        assert self.around is not None
        return Substituted(tree.Name(name, at=unit.at), self.around.inner({name: found}), universe.apart)

    def _constant(self, parameter: tree.Parameter, module: tree.Module) -> Any:
        name = parameter.name
        if self.around is not None:
            return self._substituted(name, parameter.at)
        values = {**self.universe.values, **self.universe.values_in.get(module.name, {})}
        if name in values:
            return Constant(name, values[name])
        if name in self.universe.tables:
            return self.universe.tables[name]
        return Missing(name, "is a constant without a value")

    def _substituted(self, name: str, at: tree.Position) -> Any:
        """Return what replaces a constant or variable of an instance: by WITH, else the same name around it."""
        if name in self.substitutions:
            return self.substitutions[name]
        assert self.around is not None
        found = self.around.find(name)
        if found is None:
            return Missing(name, "has no substitute where its module is instantiated")
        return found

    def _override(self, made: Scope, names: dict[str, Any], module: str | None) -> None:
        """Replace names by the definitions of the root module, or values, that override them."""
        universe = self.universe
        chosen = dict(universe.overridden)
        values = dict(universe.values)
        if module is not None:
            chosen.update(universe.overridden_in.get(module, {}))
            values.update(universe.values_in.get(module, {}))
        if self.around is not None:
            # An instance has its own definitions; those of standard modules are the same everywhere.
            mine = {*universe.overridden_in.get(module or "", {}), *universe.values_in.get(module or "", {})}
            names_here = {name for name in names if name in mine or isinstance(names[name], Builtin)}
        else:
            names_here = {name for name in names if not isinstance(names[name], Variable)}
        for name in names_here:
            if name in chosen and chosen[name] != name:
                names[name] = self._later(chosen[name])
            elif name in values:
                names[name] = Constant(name, values[name])

    def _later(self, by: str) -> Substituted:
        """Return a reference to a definition of the root module, resolved later."""
        return Substituted(tree.Name(by, at=tree.Position("configuration", 1, 1)), self.universe.root)


def _standard(name: str, at: tree.Position) -> Mapping[str, Any]:
    """Return the definitions of a standard module. Raises: Misread."""
    found = MODULES.get(name)
    if found is None:
        raise Misread(f"no module is called {name}", at)
    return found


def instantiated(unit: tree.Instance, scope: Scope, base: int, universe: Universe, around: Scope) -> Scope:
    """Return the scope of the instantiated module."""
    module = universe.modules.get(unit.module)
    if module is None:
        return Scope(dict(_standard(unit.module, unit.at)), None, scope.layout, universe.running)
    substitutions = {name: _meaning(what, around) for name, what in unit.substitutions}
    return _Given(universe, around, substitutions, universe.root, base).scope(module)


def _meaning(what: tree.Expression, around: Scope) -> Any:
    """Return what an expression stands for; for a name, its meaning."""
    if isinstance(what, tree.Name):
        found = around.find(what.name)
        if isinstance(found, Variable | Constant | Operator):
            return found
    return Substituted(what, around)


def define(unit: Any, scope: Scope, recursive: set[str], base: int, universe: Universe | None = None) -> None:
    """Add the definition in a unit to the scope."""
    match unit:
        case tree.Definition():
            scope.names[unit.name] = Operator(
                unit.name, unit.parameters, unit.body, scope, base, unit.name in recursive
            )
        case tree.FunctionDefinition():
            scope.names[unit.name] = Operator(unit.name, (), unit, scope, base)  # type: ignore[arg-type]
        case tree.Instance():
            _define_instance(unit, scope, base, universe)


def _define_instance(unit: tree.Instance, scope: Scope, base: int, universe: Universe | None) -> None:
    of = universe or scope.running.universe
    layout = Layout(base)
    slots = {each.name: Slot(layout.slot(), parameter=True, arity=each.arity) for each in unit.parameters}
    around = scope.inner(slots, layout)
    known: list[Scope] = []

    def made() -> Scope:
        if not known:
            known.append(instantiated(unit, scope, layout_base, of, around))
        return known[0]

    layout_base = layout.size
    if unit.name is None:
        inner = made()
        scope.names.update({each: what for each, what in inner.names.items() if each not in inner.hidden})
        return
    scope.names[unit.name] = Instantiated(unit.name, unit.parameters, base, made)
