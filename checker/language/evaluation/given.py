"""The constants and replaced definitions that a configuration gives."""

from collections.abc import Callable, Mapping

from schedcheck.checker.language.environment.scopes import Builtin
from schedcheck.checker.language.evaluation.configuration import Configuration
from schedcheck.checker.language.evaluation.modules import Universe
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.values import FALSE, TRUE, ModelValue, Value, finite_set, short


def universe(modules: Mapping[str, tree.Module], asked: Configuration) -> Universe:
    """Return the modules with the configuration's values, not loaded yet."""
    values: dict[str, Value] = {}
    values_in: dict[str, dict[str, Value]] = {}
    for each in asked.assignments:
        if not each.arguments:
            (values if each.module is None else values_in.setdefault(each.module, {}))[each.name] = value(each.value)
    overridden: dict[str, str] = {}
    overridden_in: dict[str, dict[str, str]] = {}
    for one in asked.replacements:
        (overridden if one.module is None else overridden_in.setdefault(one.module, {}))[one.name] = one.by
    return Universe(modules, values, overridden, overridden_in, values_in, _tables(asked))


def value(node: tree.Expression) -> Value:
    """Return the value written in a configuration: a number, string, truth value, model value, or set of these."""
    match node:
        case tree.Number():
            return node.value
        case tree.Apply(operator="-.", arguments=(tree.Number() as number,)):
            return -number.value
        case tree.String():
            return node.text
        case tree.SetOf():
            return finite_set(map(value, node.elements))
        case tree.Name(name=name):
            return {"TRUE": TRUE, "FALSE": FALSE}[name] if name in ("TRUE", "FALSE") else ModelValue.named(name)
    raise AssertionError(node)


def _tables(asked: Configuration) -> dict[str, Builtin]:
    """Return the constant operators whose values are given one by one."""
    given: dict[str, dict[tuple[Value, ...], Value]] = {}
    for each in asked.assignments:
        if each.arguments:
            given.setdefault(each.name, {})[tuple(map(value, each.arguments))] = value(each.value)
    return {name: Builtin(name, _arity(name, asked), _lookup(name, table)) for name, table in given.items()}


def _arity(name: str, asked: Configuration) -> int:
    return next(len(each.arguments) for each in asked.assignments if each.name == name)


def _lookup(name: str, table: dict[tuple[Value, ...], Value]) -> Callable[..., Value]:
    def lookup(*arguments: Value) -> Value:
        if arguments not in table:
            raise Unevaluable(f"{name}({', '.join(map(short, arguments))}) has no value in the configuration")
        return table[arguments]

    return lookup
