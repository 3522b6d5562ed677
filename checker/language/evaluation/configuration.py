"""The content of a TLC configuration file."""

from dataclasses import dataclass

from schedcheck.checker.language.syntax.tree import Expression, Name, Node


@dataclass(frozen=True, slots=True)
class Assignment(Node):
    """`name = value`, or `name(a, b) = value`; for one module only: `name = [module]value`.

    The value is a Number, a negated one, a String, a SetOf, TRUE, FALSE, or any other Name, which is a model value.
    """

    name: str
    arguments: tuple[Expression, ...]
    value: Expression
    module: str | None


@dataclass(frozen=True, slots=True)
class Replacement(Node):
    """`name <- by`: the definition `by` replaces `name`; for one module only: `name <- [module]by`."""

    name: str
    by: str
    module: str | None


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration; names have their positions, and absent entries are None or empty."""

    assignments: tuple[Assignment, ...] = ()
    replacements: tuple[Replacement, ...] = ()
    specification: Name | None = None
    init: Name | None = None
    next: Name | None = None
    invariants: tuple[Name, ...] = ()
    properties: tuple[Name, ...] = ()
    constraints: tuple[Name, ...] = ()
    action_constraints: tuple[Name, ...] = ()
    symmetry: Name | None = None
    view: Name | None = None
    alias: Name | None = None
    postconditions: tuple[Name, ...] = ()
    possible: tuple[Name, ...] = ()
    check_deadlock: bool | None = None
