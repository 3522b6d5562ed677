"""Compilation of expressions: `value` compiles any expression; the compiler of each kind of node is registered here."""

from collections.abc import Callable
from typing import Any, TypeVar

from schedcheck.checker.language.environment.running import Code, Frame
from schedcheck.checker.language.environment.scopes import CONSTANT, Scope
from schedcheck.checker.language.evaluation.levels import level
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import TlaError, Unevaluable
from schedcheck.checker.language.values.values import FALSE, TRUE, Value, short

Compiler = Callable[[Any, Scope], Code]
_COMPILERS: dict[type, Compiler] = {}

Made = TypeVar("Made", bound=Compiler)

NESTED = 4_000
"""The maximum nesting depth of an expression; the values of deeper ones could not be hashed or printed."""

LONGEST = 160
"""The most characters of an expression in a message."""

_PLAIN = (tree.Number, tree.String, tree.Name, tree.Lambda)
"""Kinds of nodes whose values are not worth memoising."""


def compiles(*kinds: type) -> Callable[[Made], Made]:
    """Register the compiler of these kinds of nodes."""

    def register(compiler: Made) -> Made:
        for kind in kinds:
            _COMPILERS[kind] = compiler
        return compiler

    return register


def value(node: tree.Expression | tree.FunctionDefinition, scope: Scope) -> Code:
    """Compile the expression; a constant expression is evaluated only once."""
    running = scope.running
    running.nesting += 1
    try:
        if running.nesting > NESTED:
            raise Unevaluable(f"the expression is nested more than {NESTED} deep", node.at)
        code = _COMPILERS[type(node)](node, scope)
    finally:
        running.nesting -= 1
    if not isinstance(node, _PLAIN) and level(node, scope) == (CONSTANT, False):
        return _once(code)
    return code


def _once(code: Code) -> Code:
    """Return code that evaluates a constant expression once."""
    known: Value = None

    def constant(frame: Frame) -> Value:
        nonlocal known
        if known is None:
            known = code(frame)
        return known

    return constant


def literal(known: Value) -> Code:
    """Return code for a known value."""
    return lambda frame: known


class Site:
    """The place of an expression, for error messages."""

    __slots__ = ("node", "scope")

    def __init__(self, node: Any, scope: Scope) -> None:
        self.node = node
        self.scope = scope

    def error(self, says: str, frame: Frame) -> Unevaluable:
        """Return an error with the expression and the values bound there."""
        text = _printed(self.node)
        where = ", ".join(f"{name} = {shown}" for name, shown in self.scope.bindings(frame))
        return Unevaluable(f"{says}{': ' if text else ''}{text}{' where ' if where else ''}{where}", self.node.at)

    def placed(self, error: TlaError, frame: Frame) -> TlaError:
        """Return the error, with this place if it has none."""
        return error if error.at is not None else self.error(error.says, frame)

    def no_truth(self, what: Value, frame: Frame) -> Unevaluable:
        """Return the error that a value is neither TRUE nor FALSE."""
        return self.error(f"{short(what)} is neither TRUE nor FALSE", frame)

    def holds(self, what: Value, frame: Frame) -> bool:
        """Whether the value is TRUE. Raises Unevaluable if it is neither TRUE nor FALSE."""
        if what is TRUE:
            return True
        if what is FALSE:
            return False
        raise self.no_truth(what, frame)


def _printed(node: Any) -> str:
    """Return the expression on one line, shortened if it is long; for a function definition, its name."""
    from schedcheck.checker.language.printing.printing import printed

    if isinstance(node, tree.FunctionDefinition):
        return node.name
    text = " ".join(printed(node).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
