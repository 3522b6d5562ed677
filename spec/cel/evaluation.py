"""The value of an expression of CEL: `evaluated`; the functions that it may call are in `functions`.

Kubernetes 1.37: the interpreter of cel-go. Not modelled: the runtime cost. The API server accepts a selector only if its
greatest possible cost is within the limit, so no stored selector exceeds it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from schedcheck.spec.cel.functions import FUNCTIONS, METHODS
from schedcheck.spec.cel.syntax import (
    Binding,
    Call,
    Has,
    Index,
    ListOf,
    Literal,
    Loop,
    MapOf,
    Name,
    Node,
    Select,
    Unsupported,
)
from schedcheck.spec.cel.values import NO_OVERLOAD, NONE, CelError, Defaulted, Maybe, equal, is_number, type_name

Variables = Mapping[str, Any]

LAZY = ("&&", "||", "?:")
"""The operators that need not evaluate every operand."""

UNNAMED = ("in", "startsWith", "endsWith", "contains", "matches", "!", "==")
"""The functions whose missing overload has no name in the message."""

ORDERED = (bool, int, float, str)
OPERANDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("<", "<=", ">", ">="), ORDERED),
    "+": (int, float, str, tuple),
    **dict.fromkeys(("-", "*", "/"), (int, float)),
    "%": (int,),
}
"""The types that have each operator; the message names the operator if the left operand is of another type."""


def evaluated(node: Node, variables: Variables) -> Any:
    """Return the value of the expression for these variables.

    Raises: CelError as cel-go does; Unsupported for a function that is not modelled.
    """
    match node:
        case Literal(value):
            return value
        case Name(name):
            if name not in variables:
                raise CelError(f"no such attribute(s): {name}")
            return variables[name]
        case Select(operand, field, optional):
            return _selected(evaluated(operand, variables), field, optional)
        case Index(operand, key, optional):
            return _selected(evaluated(operand, variables), evaluated(key, variables), optional)
        case Has(operand, field):
            return _has(evaluated(operand, variables), field)
        case Binding(variable, value, body):
            return evaluated(body, {**variables, variable: evaluated(value, variables)})
        case ListOf(items):
            return tuple(each for item, optional in items for each in _given(evaluated(item, variables), optional))
        case MapOf(entries):
            return dict(_entries(entries, variables))
        case Loop():
            return _looped(node, variables)
        case Call(function, arguments, None) if function in LAZY:
            return LAZILY[function](arguments, variables)
        case Call("or" | "orValue" as function, (other,), target) if target is not None:
            return _or(evaluated(target, variables), function == "orValue", other, variables)
        case Call("optMap" | "optFlatMap" as function, (Name(name), body), target) if target is not None:
            return _mapped(evaluated(target, variables), function == "optFlatMap", name, body, variables)
        case Call(function, arguments, target):
            return _called(function, arguments, target, variables)


def unsupported(node: Node) -> str:
    """Return the first function of the expression that is not modelled, as "CEL function f"; empty if there is none."""
    for call in _calls(node):
        known = FUNCTIONS if call.target is None else METHODS
        special = call.function in (*LAZY, "or", "orValue", "optMap", "optFlatMap")
        if not special and (call.function, len(call.arguments)) not in known:
            return f"CEL function {_dotted(call)}"
    return ""


def _dotted(call: Call) -> str:
    return f"{call.target.name}.{call.function}" if isinstance(call.target, Name) else call.function


def _calls(node: Node) -> Iterator[Call]:
    if isinstance(node, Call):
        if node.target in (Name("optional"), Name("sets"), Name("strings"), Name("math")) and node.target is not None:
            yield Call(f"{_dotted(node)}", node.arguments)
            yield from (each for argument in node.arguments for each in _calls(argument))
            return
        yield node
    for value in vars(node).values():
        yield from (each for inner in _nodes(value) for each in _calls(inner))


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, tuple):
        yield from (each for inner in value for each in _nodes(inner))
    elif hasattr(value, "__dataclass_fields__"):
        yield value  # type: ignore[misc]


def _selected(operand: Any, key: Any, optional: bool) -> Any:
    """Return the entry of a map or list; of an optional value, and for optional syntax, an optional entry."""
    if isinstance(operand, Maybe):
        return _selected(operand.value, key, True) if operand.present else NONE
    if optional:
        found = _found(operand, key)
        return found if isinstance(found, Maybe) else NONE if found is None else Maybe(True, found[0])
    found = _found(operand, key)
    if found is None:
        absent = f"index out of bounds: {key}" if isinstance(operand, tuple) else f"no such key: {_shown(key)}"
        raise CelError(absent)
    return found[0]


def _found(operand: Any, key: Any) -> tuple[Any] | None:
    """Return the entry in a tuple, None if there is none. Raises: CelError if the operand has no entries."""
    if isinstance(operand, Mapping):
        if isinstance(key, float) and key.is_integer():
            key = int(key)
        own = next((value for name, value in operand.items() if equal(name, key)), None)
        if own is not None or any(equal(name, key) for name in operand):
            return (own,)
        return ({},) if isinstance(operand, Defaulted) and isinstance(key, str) else None
    if isinstance(operand, tuple) and is_number(key):
        if isinstance(key, float) and not key.is_integer():
            raise CelError(f"unsupported index value: {key}")
        return (operand[int(key)],) if 0 <= key < len(operand) else None
    raise CelError(NO_OVERLOAD)


def _has(operand: Any, field: str) -> bool:
    if isinstance(operand, Maybe):
        return operand.present and _has(operand.value, field)
    return _found(operand, field) is not None


def _shown(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)


def _given(value: Any, optional: bool) -> tuple[Any, ...]:
    if not optional:
        return (value,)
    if not isinstance(value, Maybe):
        raise CelError(NO_OVERLOAD)
    return (value.value,) if value.present else ()


def _entries(entries: tuple[tuple[Node, Node, bool], ...], variables: Variables) -> Iterator[tuple[Any, Any]]:
    seen = set()
    for key, value, optional in entries:
        name = evaluated(key, variables)
        if not isinstance(name, int | str):
            raise Unsupported("a CEL map with such keys")
        if isinstance(name, bool):
            # A dict of Python takes True and 1 for one key.
            raise Unsupported("a CEL map with truth values as keys")
        for each in _given(evaluated(value, variables), optional):
            if name in seen:
                raise CelError(f"Failed with repeated key: {name}")
            seen.add(name)
            yield name, each


def _attempt(node: Node, variables: Variables) -> bool | CelError:
    """Return the truth of an operand, or the error of its evaluation."""
    try:
        value = evaluated(node, variables)
    except CelError as error:
        return error
    return value if isinstance(value, bool) else CelError(NO_OVERLOAD)


def _joined(truths: Iterator[bool | CelError], ending: bool) -> bool:
    """Return the conjunction (`ending` False) or disjunction of operands: an ending value outweighs errors."""
    first: CelError | None = None
    for each in truths:
        if isinstance(each, CelError):
            first = first or each
        elif each == ending:
            return ending
    if first is not None:
        raise first
    return not ending


def _conditional(arguments: tuple[Node, ...], variables: Variables) -> Any:
    truth = evaluated(arguments[0], variables)
    if not isinstance(truth, bool):
        raise CelError(NO_OVERLOAD)
    return evaluated(arguments[1 if truth else 2], variables)


LAZILY: dict[str, Callable[[tuple[Node, ...], Variables], Any]] = {
    "&&": lambda arguments, variables: _joined((_attempt(each, variables) for each in arguments), False),
    "||": lambda arguments, variables: _joined((_attempt(each, variables) for each in arguments), True),
    "?:": _conditional,
}


def _looped(loop: Loop, variables: Variables) -> Any:
    over = evaluated(loop.operand, variables)
    if not isinstance(over, Mapping | tuple):
        raise CelError(NO_OVERLOAD)
    inner = [
        {**variables, loop.variable: each} for each in (over if isinstance(over, tuple) else sorted(over, key=str))
    ]
    if loop.macro in ("all", "exists"):
        return _joined((_attempt(loop.body, each) for each in inner), loop.macro == "exists")
    if loop.macro == "map":
        kept = inner if loop.condition is None else [each for each in inner if _true(loop.condition, each)]
        return tuple(evaluated(loop.body, each) for each in kept)
    kept = [each for each in inner if _true(loop.body, each)]
    return tuple(each[loop.variable] for each in kept) if loop.macro == "filter" else len(kept) == 1


def _true(node: Node, variables: Variables) -> bool:
    value = evaluated(node, variables)
    if not isinstance(value, bool):
        raise CelError(NO_OVERLOAD)
    return value


def _or(target: Any, plain: bool, other: Node, variables: Variables) -> Any:
    if not isinstance(target, Maybe):
        raise CelError(NO_OVERLOAD)
    if not target.present:
        return evaluated(other, variables)
    return target.value if plain else target


def _mapped(target: Any, flat: bool, name: str, body: Node, variables: Variables) -> Any:
    if not isinstance(target, Maybe):
        raise CelError(NO_OVERLOAD)
    if not target.present:
        return NONE
    value = evaluated(body, {**variables, name: target.value})
    return value if flat else Maybe(True, value)


def _called(function: str, arguments: tuple[Node, ...], target: Node | None, variables: Variables) -> Any:
    if isinstance(target, Name) and target.name not in variables:
        function, target = f"{target.name}.{function}", None
    known = FUNCTIONS if target is None else METHODS
    called = known.get((function, len(arguments)))
    if called is None:
        raise Unsupported(f"CEL function {function}")
    given = [evaluated(each, variables) for each in (*(() if target is None else (target,)), *arguments)]
    try:
        return called(*given)
    except CelError as error:
        raise CelError(_explained(str(error), function, given)) from None


def _explained(message: str, function: str, given: list[Any]) -> str:
    """Return the message of an error of a function; a missing overload is named where cel-go names it."""
    if message != NO_OVERLOAD or function in UNNAMED:
        return message
    if function == "size":
        return f"{message}: {function}"
    if function[0].isalpha():
        return f"{message}: {function}({', '.join(map(type_name, given))})"
    return message if type(given[0]) in OPERANDS.get(function, ()) else f"{message}: _{function}_"
