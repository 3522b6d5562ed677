"""Read a trace in the Informal Trace Format of ADR-015 of Apalache: `values`."""

from typing import Any

from schedcheck.checker.language.values.values import Value, finite_set, function, truth
from schedcheck.tla_export.values import NULL

ONE_KEY = ("#bigint", "#set", "#map", "#tup", "#unserializable")


def values(trace: dict[str, Any]) -> list[Value]:
    """The value of the single variable in each state. Raises ValueError for input that is not in the format."""
    if not set(trace) <= {"#meta", "params", "vars", "states", "loop"} or trace["vars"] != ["Objects"]:
        raise ValueError("not the fields of a trace")
    for number, state in enumerate(trace["states"]):
        if set(state) != {"#meta", "Objects"} or state["#meta"]["index"] != number:
            raise ValueError(f"not the fields of a state: {number}")
    return [value(state["Objects"]) for state in trace["states"]]


def value(given: Any) -> Value:
    match given:
        case bool():
            return truth(given)
        case str():
            return given
        case list():
            return tuple(map(value, given))
        case {"#bigint": str(digits)}:
            return int(digits)
        case {"#set": elements}:
            return finite_set(map(value, elements))
        case {"#tup": elements}:
            return tuple(map(value, elements))
        case {"#map": pairs}:
            return function({value(key): value(of) for key, of in pairs})
        case {"#unserializable": "Null"}:
            return NULL
        case dict() if not any(name.startswith("#") for name in given):
            return function({name: value(of) for name, of in given.items()})
    raise ValueError(f"not an expression of the format: {given!r}")
