"""LET and LAMBDA."""

from collections.abc import Sequence

from schedcheck.checker.language.environment.running import Code, Frame
from schedcheck.checker.language.environment.scopes import Local, Scope
from schedcheck.checker.language.evaluation.compiling import compiles, value
from schedcheck.checker.language.evaluation.modules import define
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.values import Value


@compiles(tree.Lambda)
def lambda_(node: tree.Lambda, scope: Scope) -> Code:
    """Refuse a LAMBDA where a value is expected. Raises Unevaluable."""
    raise Unevaluable("a LAMBDA is no value", node.at)


@compiles(tree.Let)
def let(node: tree.Let, scope: Scope) -> Code:
    """Compile LET."""
    inner, locals_ = declared(node.units, scope)
    body = value(node.body, inner)
    if not locals_:
        return body

    def begun(frame: Frame) -> Value:
        for index in locals_:
            frame[index] = None
        return body(frame)

    return begun


def declared(units: Sequence[tree.Unit], scope: Scope) -> tuple[Scope, list[int]]:
    """Return the scope of a LET's body, and the slots that memoise its definitions."""
    inner = scope.inner({})
    recursive = {each.name for unit in units if isinstance(unit, tree.Recursive) for each in unit.declared}
    indices: list[int] = []
    others: list[tree.Unit] = []
    for unit in units:
        if isinstance(unit, tree.Definition | tree.FunctionDefinition) and _plain(unit, recursive):
            indices.append(scope.layout.slot())
            body = unit.body if isinstance(unit, tree.Definition) else unit
            inner.names[unit.name] = Local(indices[-1], body, inner, {}, [])
        else:
            others.append(unit)
    for unit in others:
        define(unit, inner, recursive, scope.layout.size)
    return inner, indices


def _plain(unit: tree.Definition | tree.FunctionDefinition, recursive: set[str]) -> bool:
    """Whether the definition has a single value at its place: no parameters, and no recursion."""
    return isinstance(unit, tree.FunctionDefinition) or not (unit.parameters or unit.name in recursive)
