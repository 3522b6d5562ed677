"""Functions, tuples and records: application, construction and EXCEPT."""

from collections.abc import Callable, Sequence
from typing import Any

from schedcheck.checker.language.environment.running import Code, Frame, Thunk
from schedcheck.checker.language.environment.scopes import Scope, Slot
from schedcheck.checker.language.evaluation.compiling import Site, compiles, value
from schedcheck.checker.language.evaluation.connectives import as_set
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import TlaError, Unevaluable
from schedcheck.checker.language.values.lazy import Functions, Products
from schedcheck.checker.language.values.values import Function, LazyFunction, Value, kind, short


def at(of: Value, argument: Value) -> Value:
    """Return `of[argument]`. Raises Unevaluable outside the domain."""
    if type(of) is Function:
        known = of.get(argument)
        if known is not None:
            return known
    elif type(of) is tuple:
        if type(argument) is int and 0 < argument <= len(of):
            return of[argument - 1]
    elif isinstance(of, LazyFunction):
        return of(argument)
    else:
        raise Unevaluable(f"{short(of)} is no function and cannot be applied")
    raise Unevaluable(f"{short(argument)} is not in the domain of {short(of)}")


@compiles(tree.Index)
def index(node: tree.Index, scope: Scope) -> Code:
    """Compile f[a]; f[a, b] is f[<<a, b>>]."""
    of, site = value(node.function, scope), Site(node, scope)
    if len(node.arguments) == 1:
        argument = value(node.arguments[0], scope)
    else:
        argument = value(tree.Tuple(node.arguments, at=node.at), scope)

    def applied(frame: Frame) -> Value:
        known, where = of(frame), argument(frame)
        if type(known) is Function:
            found = known.get(where)
            if found is not None:
                return found
        elif type(known) is tuple and type(where) is int and 0 < where <= len(known):
            return known[where - 1]
        try:
            return at(known, where)
        except TlaError as error:
            raise site.placed(error, frame) from None

    return applied


@compiles(tree.Field)
def field(node: tree.Field, scope: Scope) -> Code:
    """Compile r.name."""
    of, name, site = value(node.record, scope), node.name, Site(node, scope)
    meaning = scope.find(node.record.name) if isinstance(node.record, tree.Name) else None
    if isinstance(meaning, Slot):
        return _field_of_slot(meaning.index, of, name, site)

    def read(frame: Frame) -> Value:
        known = of(frame)
        try:
            return known[name]
        except (KeyError, TypeError):
            return _field(known, name, site, frame)

    return read


def _field_of_slot(index: int, of: Code, name: str, site: Site) -> Code:
    """Compile r.name, where r is a parameter or a bound name; `of` evaluates r if it is a thunk."""

    def read(frame: Frame) -> Value:
        known = frame[index]
        if type(known) is Thunk:
            known = of(frame)
        try:
            return known[name]
        except (KeyError, TypeError):
            return _field(known, name, site, frame)

    return read


def _field(known: Value, name: str, site: Site, frame: Frame) -> Value:
    """Return the field of a lazy function. Raises Unevaluable for any other value."""
    if isinstance(known, LazyFunction):
        return at(known, name)
    raise site.error(f"{short(known)} has no field {name}", frame)


@compiles(tree.Tuple)
def tuple_(node: tree.Tuple, scope: Scope) -> Code:
    """Compile <<a, b>>."""
    codes = [value(each, scope) for each in node.elements]
    if len(codes) == 2:
        first, second = codes
        return lambda frame: (first(frame), second(frame))
    return lambda frame: tuple([code(frame) for code in codes])


@compiles(tree.Record)
def record(node: tree.Record, scope: Scope) -> Code:
    """Compile [a |-> x]."""
    _once_each(node)
    fields = [(name, value(each, scope)) for name, each in node.fields]
    return lambda frame: Function([(name, code(frame)) for name, code in fields])


@compiles(tree.RecordSet)
def record_set(node: tree.RecordSet, scope: Scope) -> Code:
    """Compile [a : S]."""
    _once_each(node)
    names = [name for name, _ in node.fields]
    codes = [value(each, scope) for _, each in node.fields]
    site = Site(node, scope)

    def made(frame: Frame) -> Value:
        try:
            return Products([as_set(code(frame)) for code in codes], names)
        except TlaError as error:
            raise site.placed(error, frame) from None

    return made


def _once_each(node: tree.Record | tree.RecordSet) -> None:
    """Raise Unevaluable if a field is given twice."""
    seen: set[str] = set()
    for name, _ in node.fields:
        if name in seen:
            raise Unevaluable(f"the field {name} is given twice", node.at)
        seen.add(name)


@compiles(tree.FunctionSet)
def function_set(node: tree.FunctionSet, scope: Scope) -> Code:
    """Compile [S -> T]."""
    domain, to, site = value(node.domain, scope), value(node.range, scope), Site(node, scope)

    def made(frame: Frame) -> Value:
        try:
            return Functions(as_set(domain(frame)), as_set(to(frame)))
        except TlaError as error:
            raise site.placed(error, frame) from None

    return made


Path = Sequence[Code]


@compiles(tree.Except)
def except_(node: tree.Except, scope: Scope) -> Code:
    """Compile EXCEPT: one change after another; @ is the old value at the changed place."""
    of, site = value(node.function, scope), Site(node, scope)
    slot = scope.layout.slot()
    within = scope.inner({"@": Slot(slot)})
    updates = [
        ([_step(each, scope, node) for each in update.path], value(update.value, within)) for update in node.updates
    ]

    def changed(frame: Frame) -> Value:
        known = of(frame)
        try:
            for path, code in updates:
                steps = [step(frame) for step in path]
                known = _changed(known, steps, 0, lambda before: _with(frame, slot, before, code))  # noqa: B023  called at once
        except TlaError as error:
            raise site.placed(error, frame) from None
        return known

    return changed


def _step(step: tuple[tree.Expression, ...] | str, scope: Scope, node: tree.Except) -> Code:
    if isinstance(step, str):
        return lambda frame: step
    return value(step[0] if len(step) == 1 else tree.Tuple(step, at=node.at), scope)


def _with(frame: Frame, slot: int, before: Value, code: Code) -> Value:
    """Return the new value; `before` is the value of @."""
    frame[slot] = before
    return code(frame)


def _changed(of: Value, steps: Sequence[Value], number: int, new: Callable[[Value], Value]) -> Value:
    """Return the function with a new value at the end of the path; as in TLC, unchanged outside the domain."""
    if number == len(steps):
        return new(of)
    where = steps[number]
    if isinstance(of, LazyFunction):
        return _lazily_changed(of, steps, number, new)
    if type(of) is tuple:
        if type(where) is not int or not 0 < where <= len(of):
            return of
        after: Any = list(of)
        after[where - 1] = _changed(of[where - 1], steps, number + 1, new)
        return tuple(after)
    if type(of) is Function:
        before = of.get(where)
        if before is None:
            return of
        return Function({**of, where: _changed(before, steps, number + 1, new)})
    raise Unevaluable(f"{short(of)} is no function that could be changed at {short(where)}: it is a {kind(of)}")


def _lazily_changed(of: LazyFunction, steps: Sequence[Value], number: int, new: Callable[[Value], Value]) -> Value:
    try:
        return _changed(of.whole(), steps, number, new)
    except Unevaluable:
        pass
    where = steps[number]
    if where not in of.domain:
        return of
    after = _changed(of(where), steps, number + 1, new)
    return LazyFunction(of.domain, lambda each: after if each == where else of(each))
