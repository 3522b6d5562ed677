"""The numbered operands of an expression, from which a part is selected."""

from dataclasses import dataclass
from typing import Any

from schedcheck.checker.language.syntax import tree


@dataclass(frozen=True)
class Arm:
    """An arm of a CASE as an expression with two operands; without a condition for OTHER."""

    condition: tree.Expression | None
    value: tree.Expression
    at: tree.Position


def position(selector: str, count: int) -> int | None:
    """Return which operand, from 0 on, a number, `<<` or `>>` selects among `count`; None for none."""
    if selector == "<<":
        return 0 if count else None
    if selector == ">>":
        return 1 if count == 2 else None
    number = int(selector) - 1
    return number if 0 <= number < count else None


def binder(node: Any) -> tuple[tuple[str, ...], tree.Expression] | None:
    """Return the names that an expression binds, and its body; None if it binds none."""
    match node:
        case tree.Quantified(bounds=bounds, body=body) | tree.Image(bounds=bounds, body=body):
            return _names(bounds), body
        case tree.Function(bounds=bounds, body=body) | tree.FunctionDefinition(bounds=bounds, body=body):
            return _names(bounds), body
        case tree.Choose(pattern=pattern, body=body) | tree.Filter(pattern=pattern, body=body):
            return _of_pattern(pattern), body
        case tree.Lambda(parameters=parameters, body=body):
            return parameters, body
    return None


def _names(bounds: tuple[tree.Bound, ...]) -> tuple[str, ...]:
    return tuple(name for bound in bounds for pattern in bound.patterns for name in _of_pattern(pattern))


def _of_pattern(pattern: tree.Pattern) -> tuple[str, ...]:
    return (pattern,) if isinstance(pattern, str) else pattern


def operands(node: Any) -> tuple[Any, ...]:
    """Return the operands; for a binder, the sets its names range over. None stands for one that cannot be selected."""
    match node:
        case tree.Apply(arguments=found) | tree.Junction(items=found) | tree.Product(factors=found):
            return found
        case tree.SetOf(elements=found) | tree.Tuple(elements=found):
            return found
        case tree.Through(path=path, arguments=found):
            return (*(each for _, given in path for each in given), *found)
        case tree.Quantified(bounds=bounds) | tree.Image(bounds=bounds) | tree.Function(bounds=bounds):
            return tuple(bound.domain for bound in bounds if bound.domain is not None)
        case tree.FunctionDefinition(bounds=bounds):
            return tuple(bound.domain for bound in bounds)
        case tree.Choose(domain=domain) | tree.Filter(domain=domain):
            return () if domain is None else (domain,)
        case tree.Record(fields=named) | tree.RecordSet(fields=named):
            return tuple(value for _, value in named)
        case tree.If(condition, then, otherwise):
            return condition, then, otherwise
        case tree.Let(body=body):
            return (body,)
        case tree.Case(arms, other):
            made = [Arm(condition, value, condition.at) for condition, value in arms]
            return (*made, *([] if other is None else [Arm(None, other, other.at)]))
        case Arm(condition, value):
            return condition, value
    return _of_brackets(node)


def _of_brackets(node: Any) -> tuple[Any, ...]:
    match node:
        case tree.FunctionSet(domain, values):
            return domain, values
        case tree.Index(function, arguments):
            return function, arguments[0] if len(arguments) == 1 else tree.Tuple(arguments, at=node.at)
        case tree.Field(record, name):
            return record, tree.String(name, at=node.at)
        case tree.Except(function, updates):
            return function, *(None for _ in updates)
        case tree.Action(_, action, subscript):
            return action, subscript
        case tree.Fairness(_, subscript, action):
            return subscript, action
    return ()
