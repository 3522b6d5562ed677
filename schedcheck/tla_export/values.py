"""TLA+ text parts as the values that reading the text would give."""

from collections.abc import Mapping
from types import MappingProxyType

from schedcheck.checker.language.values.values import Function, ModelValue, finite_set, function, truth
from schedcheck.checker.language.values.values import Value as Evaluated
from schedcheck.tla_export import text

NULL = ModelValue.named("Null")
"""The value of the constant Null, which differs from every other value."""

_NONE = Function({"Required": finite_set(()), "Preferred": ()})
NAMED: Mapping[str, Evaluated] = MappingProxyType(
    {
        "NoAffinity": Function({"NodeAffinity": _NONE, "PodAffinity": _NONE, "PodAntiAffinity": _NONE}),
        "LowestPriority": -(2**31),
    }
)
"""The definitions of tla/ that a text may refer to by name."""


def evaluated(written: text.Value) -> Evaluated:
    """Return the value that the text denotes."""
    match written:
        case None:
            return NULL
        case bool():
            return truth(written)
        case int() | str():
            return written
        case text.Name(name):
            return NAMED[name]
        case text.Set(elements):
            return finite_set(map(evaluated, elements))
        case text.Record(parts) | text.Function(parts):
            return function({name: evaluated(part) for name, part in parts.items()})
        case text.Pairs(pairs):
            return function({evaluated(key): evaluated(part) for key, part in pairs})
        case tuple():
            return tuple(map(evaluated, written))
