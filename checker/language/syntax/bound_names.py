r"""Names that an expression binds although they mean something already: `taken`

A parameter, and whatever `\A`, `\E`, CHOOSE, a set, a function or LAMBDA binds, needs a new name: one that is neither declared nor
defined before in the module or in those that it extends, nor bound around the place. What LET defines may not be bound around it.
SANY refuses such a module, so TLC explores none (addSymbol in SymbolTable.java).
"""

from collections.abc import Container, Iterable, Iterator
from dataclasses import fields
from typing import Any

from schedcheck.checker.language.syntax import tree

Names = frozenset[str]
Taken = tuple[str, tree.Position]
"""A name, and where it is bound again."""

_PLAIN = {"at", "name", "operator", "quantifier", "text", "local", "strong", "changes", "label", "selector"}
_PARTS = {
    kind.__name__: tuple(each.name for each in fields(kind) if each.name not in _PLAIN)
    for kind in tree.Node.__subclasses__()
}
"""The fields of each kind of node that may contain expressions."""


def taken(node: Any, known: Container[str], bound: Names = frozenset()) -> Iterator[Taken]:
    """Yield the names that are bound in a definition, or in an expression, and mean something there.

    `known` are those of the module, `bound` those that are bound around the expression.
    """
    match node:
        case tree.Definition(parameters=parameters, body=body):
            yield from _new(((each.name, each.at) for each in parameters), known, bound)
            yield from taken(body, known, bound | {each.name for each in parameters})
        case tree.Instance(parameters=parameters, substitutions=substitutions):
            yield from _new(((each.name, each.at) for each in parameters), known, bound)
            for _, what in substitutions:
                yield from taken(what, known, bound | {each.name for each in parameters})
        case tree.FunctionDefinition() | tree.Quantified() | tree.Image() | tree.Function():
            yield from _bounded(node.bounds, node.body, known, bound)
        case tree.Choose() | tree.Filter():
            yield from _bounded((tree.Bound((node.pattern,), node.domain, at=node.at),), node.body, known, bound)
        case tree.Lambda(parameters=parameters, body=body):
            yield from _new(((each, node.at) for each in parameters), known, bound)
            yield from taken(body, known, bound | {*parameters})
        case tree.Let(units=units, body=body):
            yield from _defined(units, body, known, bound)
        case tuple():
            for each in node:
                yield from taken(each, known, bound)
        case tree.Node():
            for name in _PARTS[type(node).__name__]:
                yield from taken(getattr(node, name), known, bound)


def _bounded(
    bounds: Iterable[tree.Bound], body: tree.Expression, known: Container[str], bound: Names
) -> Iterator[Taken]:
    """Yield those of bounds, whose domains do not see them, and of the body, which does."""
    names: list[Taken] = []
    for each in bounds:
        yield from taken(each.domain, known, bound)
        for pattern in each.patterns:
            names += [(name, each.at) for name in ((pattern,) if isinstance(pattern, str) else pattern)]
    yield from _new(names, known, bound)
    yield from taken(body, known, bound | {name for name, _ in names})


def _defined(units: Iterable[tree.Unit], body: tree.Expression, known: Container[str], bound: Names) -> Iterator[Taken]:
    """Yield those of a LET; each definition sees those before it, the body all of them."""
    for unit in units:
        name = getattr(unit, "name", None)
        if name in bound:
            yield name, unit.at
        # What is defined may be defined again in an inner LET, but not bound.
        yield from taken(unit, _Also(known, bound), frozenset())
        if name is not None:
            known = _Also(known, frozenset({name}))
    yield from taken(body, known, bound)


class _Also:
    """Some names and others."""

    def __init__(self, some: Container[str], others: Names) -> None:
        self._some, self._others = some, others

    def __contains__(self, name: object) -> bool:
        return name in self._others or name in self._some


def _new(names: Iterable[Taken], known: Container[str], bound: Names) -> Iterator[Taken]:
    """Yield those that are not new, and those that come twice."""
    seen = set(bound)
    for name, at in names:
        if name in seen or name in known:
            yield name, at
        seen.add(name)
