"""Parser actions for modules and their units; one method for each grammar rule, with the rule's name."""

# ruff: noqa: D102 the name of each method is that of its rule in the grammar

from dataclasses import replace

from schedcheck.checker.language.syntax.binding import bounds
from schedcheck.checker.language.syntax.bracketing import Binders, Brackets, Temporal
from schedcheck.checker.language.syntax.building import Chains, Parts, Paths
from schedcheck.checker.language.syntax.tree import (
    Assume,
    Constants,
    Definition,
    Expression,
    FunctionDefinition,
    Instance,
    Module,
    Parameter,
    Position,
    Recursive,
    Theorem,
    Unit,
    Variables,
)

Instantiation = tuple[str, tuple[tuple[str, Expression], ...], Position]


class Units(Chains, Paths, Binders, Brackets, Temporal):
    """The parser actions for all rules of the grammar."""

    def module(self, parts: Parts) -> Module:
        return Module(str(parts[1]), parts[3], parts[4], at=self.at(parts[0]))

    def extends(self, parts: Parts) -> tuple[str, ...]:
        return parts[1] if parts else ()

    def units(self, parts: Parts) -> tuple[Unit, ...]:
        return tuple(unit for unit in parts if unit is not None)

    def nothing(self, parts: Parts) -> None:
        return None

    def names(self, parts: Parts) -> tuple[str, ...]:
        return tuple(map(str, parts[::2]))

    def variables(self, parts: Parts) -> Variables:
        return Variables(parts[1], at=self.at(parts[0]))

    def constants(self, parts: Parts) -> Constants:
        return Constants(parts[1], at=self.at(parts[0]))

    def recursive(self, parts: Parts) -> Recursive:
        return Recursive(parts[1], at=self.at(parts[0]))

    def assumption(self, parts: Parts) -> Assume:
        return Assume(None, parts[1], at=self.at(parts[0]))

    def named_assumption(self, parts: Parts) -> Assume:
        return Assume(str(parts[1]), parts[3], at=self.at(parts[0]))

    def theorem(self, parts: Parts) -> Theorem:
        return Theorem(str(parts[1]), parts[3], at=self.at(parts[0]))

    def proved(self, parts: Parts) -> Theorem:
        return Theorem(str(parts[1]), None, at=self.at(parts[0]))

    def local(self, parts: Parts) -> Definition | FunctionDefinition | Instance:
        unit: Definition | FunctionDefinition | Instance = parts[1]
        return replace(unit, local=True)

    def parameters(self, parts: Parts) -> tuple[Parameter, ...]:
        return tuple(parts[::2])

    def value_parameter(self, parts: Parts) -> Parameter:
        return Parameter(str(parts[0]), at=self.at(parts[0]))

    def operator_parameter(self, parts: Parts) -> Parameter:
        return Parameter(str(parts[0]), len(parts[2:-1:2]), at=self.at(parts[0]))

    def infix_parameter(self, parts: Parts) -> Parameter:
        return Parameter(str(parts[1]), 2, at=self.at(parts[0]))

    def postfix_parameter(self, parts: Parts) -> Parameter:
        return Parameter(str(parts[1]), 1, at=self.at(parts[0]))

    def prefix_parameter(self, parts: Parts) -> Parameter:
        return Parameter(str(parts[0]), 1, at=self.at(parts[0]))

    def constant_definition(self, parts: Parts) -> Definition:
        return Definition(str(parts[1]), (), parts[3], at=self.at(parts[0]))

    def operator_definition(self, parts: Parts) -> Definition:
        return Definition(str(parts[1]), parts[3], parts[6], at=self.at(parts[0]))

    def infix_definition(self, parts: Parts) -> Definition:
        both = self.value_parameter(parts[1:]), self.value_parameter(parts[3:])
        return Definition(str(parts[2]), both, parts[5], at=self.at(parts[0]))

    def postfix_definition(self, parts: Parts) -> Definition:
        return Definition(str(parts[2]), (self.value_parameter(parts[1:]),), parts[4], at=self.at(parts[0]))

    def prefix_definition(self, parts: Parts) -> Definition:
        return Definition(str(parts[1]), (self.value_parameter(parts[2:]),), parts[4], at=self.at(parts[0]))

    def function_definition(self, parts: Parts) -> FunctionDefinition:
        bound = bounds(parts[3], bounded=True)
        return FunctionDefinition(str(parts[1]), bound, parts[6], at=self.at(parts[0]))

    def substitution(self, parts: Parts) -> tuple[str, Expression]:
        return str(parts[0]), parts[2]

    def instantiation(self, parts: Parts) -> Instantiation:
        return str(parts[1]), tuple(parts[3::2]), self.at(parts[0])

    def unnamed_instance(self, parts: Parts) -> Instance:
        module, substitutions = parts[0][:2]
        return Instance(None, (), module, substitutions, at=parts[0][2])

    def constant_instance(self, parts: Parts) -> Instance:
        return Instance(str(parts[1]), (), *parts[3][:2], at=self.at(parts[0]))

    def operator_instance(self, parts: Parts) -> Instance:
        return Instance(str(parts[1]), parts[3], *parts[6][:2], at=self.at(parts[0]))
