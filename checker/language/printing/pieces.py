"""Printed pieces: lists, bounds, parameters and the units of a LET.

A piece is text, or an expression that is still to be printed.
"""

from collections.abc import Iterable

from schedcheck.checker.language.syntax.operators import INFIX, POSTFIX, PREFIX
from schedcheck.checker.language.syntax.tree import (
    Bound,
    Definition,
    Expression,
    FunctionDefinition,
    Instance,
    Name,
    Parameter,
    Pattern,
    Recursive,
    Unit,
)

Piece = str | tuple[Expression, bool]
"""Text, or an expression and whether nothing follows that could be read as a part of it."""

Pieces = list[Piece]

SYMBOLS = INFIX.keys() | PREFIX.keys() | POSTFIX.keys()


def joined(each: Iterable[Pieces], separator: str) -> Pieces:
    """Return the pieces of each, with the separator between."""
    pieces: Pieces = []
    for some in each:
        pieces += [separator, *some] if pieces else some
    return pieces


def listed(expressions: tuple[Expression, ...]) -> Pieces:
    """Return the expressions, separated by commas."""
    return joined(([(expression, True)] for expression in expressions), ", ")


def called(arguments: tuple[Expression, ...]) -> Pieces:
    """Return the arguments in parentheses; nothing if there are none."""
    return ["(", *joined((given(argument) for argument in arguments), ", "), ")"] if arguments else []


def given(argument: Expression) -> Pieces:
    """Return the argument; a symbol gets spaces around it, since (+) and (* are symbols of their own."""
    if isinstance(argument, Name) and (argument.name in SYMBOLS):
        return [f" {argument.name} "]
    return [(argument, True)]


def binder(pattern: Pattern) -> str:
    """Return the text of a name or a tuple of names."""
    return pattern if isinstance(pattern, str) else "<<" + ", ".join(pattern) + ">>"


def within(domain: Expression | None) -> Pieces:
    r"""Return `\in domain`; nothing if there is no domain."""
    return [] if domain is None else [r" \in ", (domain, True)]


def bound_list(bounds: tuple[Bound, ...]) -> Pieces:
    """Return the bounds, separated by commas."""
    return joined(([", ".join(map(binder, bound.patterns)), *within(bound.domain)] for bound in bounds), ", ")


def steps_of(path: tuple[tuple[Expression, ...] | str, ...]) -> Pieces:
    """Return the left side of `=` in an EXCEPT."""
    steps: Iterable[Pieces] = (["." + step] if isinstance(step, str) else ["[", *listed(step), "]"] for step in path)
    return ["!", *joined(steps, "")]


def declaration(parameter: Parameter) -> str:
    """Return the declaration of a parameter or constant."""
    name, arity = parameter.name, parameter.arity
    if name in INFIX:
        return f"_{name}_"
    if arity == 0 or not (name[-1].isalnum() or name.endswith("_")):
        return name if arity == 0 else f"{name}_" if name in PREFIX else f"_{name}"
    return name + "(" + ", ".join("_" * arity) + ")"


def introduced(unit: Unit) -> Pieces:
    """Return a definition, declaration or instance in a LET."""
    match unit:
        case Definition(name, parameters, body):
            return [headed(name, parameters) + " == ", (body, True)]
        case FunctionDefinition(name, bounds, body):
            return [name + "[", *bound_list(bounds), "] == ", (body, True)]
        case Recursive(declared):
            return ["RECURSIVE " + ", ".join(map(declaration, declared))]
        case Instance(name, parameters, module, substitutions):
            replaced = joined(([f"{old} <- ", *given(new)] for old, new in substitutions), ", ")
            return [
                f"{headed(name or '', parameters)} == INSTANCE {module}",
                *([" WITH ", *replaced] if replaced else []),
            ]
        case _:
            raise TypeError(f"no unit of a LET: {type(unit).__name__}")


def headed(name: str, parameters: tuple[Parameter, ...]) -> str:
    """Return the left side of `==`."""
    names = [declaration(parameter) for parameter in parameters]
    if name in INFIX:
        return f"{names[0]} {name} {names[1]}"
    if name in PREFIX:
        return f"{name} {names[0]}"
    if name in POSTFIX:
        return f"{names[0]} {name}"
    return name + (f"({', '.join(names)})" if names else "")
