r"""Function constructors: [x \in S |-> e], and the recursive f[x \in S] == e."""

from collections.abc import Callable
from typing import Any

from schedcheck.checker.language.environment.running import DEEPEST, Code, Frame, lasting, suspended
from schedcheck.checker.language.environment.scopes import Scope, Slot
from schedcheck.checker.language.evaluation.binders import Binding, each_binding
from schedcheck.checker.language.evaluation.compiling import compiles, value
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.lazy import Products, count
from schedcheck.checker.language.values.values import FiniteSet, LazyFunction, LazySet, Value, function, short


@compiles(tree.Function)
def function_of(node: tree.Function, scope: Scope) -> Code:
    r"""Compile [x \in S |-> e]."""
    binding = Binding(node.bounds, scope, node)
    return _function(binding, value(node.body, binding.scope), None, "")


@compiles(tree.FunctionDefinition)
def function_definition(node: tree.FunctionDefinition, scope: Scope) -> Code:
    r"""Compile f[x \in S] == e, where f may occur in e."""
    itself = scope.layout.slot()
    within = scope.inner({node.name: Slot(itself)})
    binding = Binding(node.bounds, within, node)
    body = value(node.body, binding.scope)
    return _function(binding, body, itself, node.name)


def _function(binding: Binding, body: Code, itself: int | None, name: str) -> Code:
    """Compile a function; it is lazy if it may be recursive, its domain is infinite, or a value fails."""
    single = len(binding.slots) == 1

    def lazily(frame: Frame) -> Value:
        kept = lasting(frame)
        made = LazyFunction(_domain(binding, kept), _applied(binding, body, kept, name))
        if itself is not None:
            kept[itself] = made
        return made

    def written(frame: Frame) -> Value:
        if single:
            elements = binding.codes[0](frame)
            if isinstance(elements, LazySet) and elements.size() is None:
                return lazily(frame)
        try:
            return function({chosen[0] if single else chosen: body(frame) for chosen in each_binding(binding, frame)})
        except Unevaluable:
            if count(_domain(binding, frame)) == 0:
                raise
            return lazily(frame)

    return written if itself is None else lazily


def _domain(binding: Binding, frame: Frame) -> Any:
    sets = [code(frame) for code in binding.codes]
    for each in sets:
        if not isinstance(each, FiniteSet | LazySet):
            raise binding.site.error(f"{short(each)} is no set", frame)
    return sets[0] if len(sets) == 1 else Products(sets)


def _applied(binding: Binding, body: Code, kept: Frame, name: str) -> Callable[[Value], Value]:
    """Return a callable that evaluates the lazy function at an element of its domain."""
    running = binding.scope.running
    slots = binding.slots
    body = suspended(running, body)

    def at(element: Value) -> Value:
        frame = list(kept)
        values = (element,) if len(slots) == 1 else element
        for slot, each in zip(slots, values, strict=True):
            binding.put(frame, slot, each)
        running.depth += 1
        if running.depth > DEEPEST:
            running.depth -= 1
            raise binding.site.error(f"{name or 'a function'} calls itself more than {DEEPEST} deep", frame)
        try:
            return body(frame)
        finally:
            running.depth -= 1

    return at
