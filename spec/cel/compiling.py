"""The faults for which the API server refuses an expression of a device selector: `refused`.

An expression is refused if it is no expression, names or calls what is not declared, has operands of types for which no
overload exists, or has a type other than bool. The types of attributes are known only at runtime: they agree with all.
Not modelled, and not refused here: the greatest cost, and calls of functions that have no signature in `overloads`.

Kubernetes 1.37: CompileCELExpression in k8s.io/dynamic-resource-allocation/cel/compile.go; the checker of cel-go.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from schedcheck.spec.cel.overloads import MACROS, NAMES, OTHERS, OVERLOADS
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
    SyntaxFault,
    Unsupported,
)

Type = str | tuple["Type", ...]
"""A type: its name; or list, map or optional with the types inside. `dyn` agrees with every type."""

DYN, ANY = "dyn", ("A", "B")
PLAIN = frozenset({"bool", "int", "double", "string"})
DEVICE: Mapping[str, Type] = {
    "driver": "string",
    "attributes": ("map", "string", ("map", "string", DYN)),
    "capacity": ("map", "string", ("map", "string", "quantity")),
    "allowMultipleAllocations": "bool",
}
"""The fields of the variable `device`."""

BEYOND = re.compile(r"`|[A-Za-z0-9_]\s*\{")
"""What the grammar here does not read: quoted names, and messages."""

LONGEST = 10 * 1024
"""The greatest length of an expression in bytes."""


class Refused(ValueError):
    """Raised for an expression that does not compile; the message says why."""


@lru_cache(maxsize=4096)
def refused(expression: str) -> str:
    """Return why the API server refuses the expression; empty if it does not, or if that is not known."""
    from schedcheck.spec.cel.parsing import parsed

    if len(expression.encode(errors="replace")) > LONGEST:
        return f"may not be more than {LONGEST} bytes"
    try:
        found = typed(parsed(expression), {"device": "device"})
    except SyntaxFault as fault:
        return "" if BEYOND.search(expression) else f"syntax error ({fault})"
    except Refused as fault:
        return str(fault)
    except (Unsupported, RecursionError):
        return ""
    return "" if found in ("bool", DYN) else f"must evaluate to bool or the unknown type, not {shown(found)}"


def shown(kind: Type) -> str:
    """Return a type as messages name it."""
    return kind if isinstance(kind, str) else f"{kind[0]}({', '.join(map(shown, kind[1:]))})"


def typed(node: Node, variables: Mapping[str, Type]) -> Type:
    """Return the type of an expression with variables of these types. Raises: Refused."""
    match node:
        case Literal(value):
            return {bool: "bool", int: "int", float: "double", str: "string"}.get(type(value), "null")
        case Name(name):
            if name in variables:
                return variables[name]
            return _known(name)
        case Select(operand, field, optional):
            if not optional and _namespace(node, variables):
                return DYN
            return _selected(typed(operand, variables), field, optional)
        case Has(operand, field):
            _selected(typed(operand, variables), field, False)
            return "bool"
        case Index(operand, key, optional):
            return _indexed(typed(operand, variables), typed(key, variables), optional)
        case Binding(variable, value, body):
            return typed(body, {**variables, variable: typed(value, variables)})
        case ListOf(items):
            return ("list", _joined([_given(typed(each, variables), optional) for each, optional in items]))
        case MapOf(entries):
            keys = [typed(key, variables) for key, _, _ in entries]
            values = [_given(typed(each, variables), optional) for _, each, optional in entries]
            return ("map", _joined(keys), _joined(values))
        case Loop():
            return _looped(node, variables)
        case Call():
            return _called(node, variables)


def _known(name: str) -> Type:
    if name not in NAMES:
        raise Refused(f"undeclared reference to '{name}'")
    return DYN


def _namespace(node: Node, variables: Mapping[str, Type]) -> bool:
    """Whether the node is a name that is no variable, or a part of a qualified name that begins with one."""
    while isinstance(node, Select):
        node = node.operand
    return isinstance(node, Name) and node.name not in variables and node.name in NAMES


def _selected(operand: Type, field: str, optional: bool) -> Type:
    """Return the type of a field or entry. Raises: Refused."""
    inner = _inside(operand)
    if inner is not operand or optional:
        return _optional(_selected(inner, field, False))
    if operand == "device":
        if field not in DEVICE:
            raise Refused(f"undefined field '{field}'")
        return DEVICE[field]
    if operand == DYN or operand == "null":
        return DYN
    if operand[0] != "map":
        raise Refused(f"type '{shown(operand)}' does not support field selection")
    return operand[2]


def _indexed(operand: Type, key: Type, optional: bool) -> Type:
    """Return the type of an entry of a map or list. Raises: Refused."""
    inner = _inside(operand)
    if inner in (DYN, "null"):
        return DYN
    if inner is not operand or optional:
        return _optional(_indexed(inner, key, False))
    if operand[0] == "map" and _agree(key, operand[1], {}):
        return operand[2]
    if operand[0] == "list" and _agree(key, "int", {}):
        return operand[1]
    raise _no_overload("_[_]", [operand, key])


def _inside(kind: Type) -> Type:
    return kind[1] if kind[0] == "optional" else kind


def _optional(kind: Type) -> Type:
    return kind if kind[0] == "optional" else ("optional", kind)


def _given(kind: Type, optional: bool) -> Type:
    return _inside(kind) if optional else kind


def _joined(kinds: Sequence[Type]) -> Type:
    """Return the type of all these; any if they differ."""
    return kinds[0] if kinds and all(each == kinds[0] for each in kinds) else DYN


def _looped(loop: Loop, variables: Mapping[str, Type]) -> Type:
    over = typed(loop.operand, variables)
    if over != DYN and over[0] not in ("list", "map"):
        raise Refused(f"expression of type '{shown(over)}' cannot be range of a comprehension")
    each = DYN if over == DYN else over[1]
    inner = {**variables, loop.variable: each}
    body = typed(loop.body, inner)
    conditions = [] if loop.condition is None else [typed(loop.condition, inner)]
    for found in conditions if loop.macro == "map" else [body]:
        if not _agree(found, "bool", {}):
            raise _no_overload("_&&_" if loop.macro in ("all", "exists") else "_?_:_", [found])
    if loop.macro == "map":
        return ("list", body)
    return ("list", each) if loop.macro == "filter" else "bool"


def _called(call: Call, variables: Mapping[str, Type]) -> Type:
    """Return the type of the result of a call. Raises: Refused."""
    name, arguments, target = call.function, call.arguments, call.target
    if isinstance(target, Name) and target.name not in variables and _is_function(f"{target.name}.{name}"):
        name, target = f"{target.name}.{name}", None
    if name in ("optMap", "optFlatMap") and target is not None and len(arguments) == 2:
        return _mapped(name, typed(target, variables), arguments, variables)
    if name in MACROS:
        raise Unsupported(f"CEL macro {name}")
    if not _is_function(name):
        raise Refused(f"undeclared reference to '{name}'")
    given = [typed(each, variables) for each in (*(() if target is None else (target,)), *arguments)]
    signatures = OVERLOADS.get((name, target is not None))
    if signatures is None:
        return DYN
    found = [result for result in (_applied(each, given) for each in signatures) if result is not None]
    if not found:
        raise _no_overload(name, given)
    return _joined(found)


def _is_function(name: str) -> bool:
    return name in OTHERS or (name, False) in OVERLOADS or (name, True) in OVERLOADS


def _mapped(name: str, over: Type, arguments: Sequence[Node], variables: Mapping[str, Type]) -> Type:
    variable, body = arguments
    if not isinstance(variable, Name):
        raise Unsupported(f"CEL macro {name}")
    found = typed(body, {**variables, variable.name: _inside(over) if over != DYN else DYN})
    return _optional(found) if name == "optFlatMap" else ("optional", found)


def _no_overload(name: str, given: Sequence[Type]) -> Refused:
    return Refused(f"found no matching overload for '{name}' applied to '({', '.join(map(shown, given))})'")


def _applied(signature: str, given: Sequence[Type]) -> Type | None:
    """Return the type of the result if the arguments have the types of a signature, else None."""
    expected, result = _signature(signature)
    bound: dict[str, Type] = {}
    if len(expected) != len(given) or not all(_agree(*each, bound) for each in zip(given, expected, strict=True)):
        return None
    return _filled(result, bound)


def _agree(given: Type, expected: Type, bound: dict[str, Type]) -> bool:
    """Whether a value of a type may stand for one of the expected type; notes the types that A and B stand for."""
    if isinstance(expected, str) and expected in ANY:
        before = bound.setdefault(expected, given)
        if before == given:
            return True
        if not _agree(given, before, {}):
            return False
        bound[expected] = DYN if DYN in (before, given) else before
        return True
    if DYN in (given, expected):
        return True
    if "null" in (given, expected):
        return given not in PLAIN and expected not in PLAIN
    if isinstance(given, str) or isinstance(expected, str):
        return given == expected
    return (
        given[0] == expected[0]
        and len(given) == len(expected)
        and all(_agree(*each, bound) for each in zip(given[1:], expected[1:], strict=True))
    )


def _filled(kind: Type, bound: Mapping[str, Type]) -> Type:
    if isinstance(kind, str):
        return bound.get(kind, DYN) if kind in ANY else kind
    return (kind[0], *(_filled(each, bound) for each in kind[1:]))


@lru_cache(maxsize=1024)
def _signature(text: str) -> tuple[tuple[Type, ...], Type]:
    arguments, _, result = text.rpartition(": ")
    parts = re.findall(r"[a-zA-Z]+(?:\([^()]*\))?", arguments)
    return tuple(map(_type, parts)), _type(result)


def _type(text: str) -> Type:
    name, bracket, inside = text.partition("(")
    return (name, *map(_type, inside.removesuffix(")").split(", "))) if bracket else name
