"""Operators that access the outside world: environment variables and JSON files are read; nothing is written or run."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from schedcheck.checker.language.environment.scopes import ACTION
from schedcheck.checker.language.standard.arguments import Table, operator, sequence
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.syntax.files import read
from schedcheck.checker.language.values.ordering import listed
from schedcheck.checker.language.values.values import FALSE, TRUE, Function, Value, short

IO: Table = {}
JSON: Table = {}
CLOCKS: Table = {}

READING = frozenset({"IOEnv", "JsonDeserialize", "ndJsonDeserialize"})
"""The operators that read the outside world."""

Op = Callable[..., Value]


@operator(IO, "IOEnv", 0)
def environment() -> Value:
    """Return the environment variables, by name."""
    return Function(os.environ.items())


@operator(IO, "atoi", 1)
def number_of(text: Value) -> Value:
    """Return the integer written in the text. Raises Unevaluable."""
    if type(text) is str and text.removeprefix("-").isdecimal():
        return int(text)
    raise Unevaluable(f"{short(text)} is no integer in a string")


def _refused(table: Table, name: str, arity: int, what: str) -> None:
    @operator(table, name, arity, level=ACTION)
    def refused(*_: Value) -> Value:
        raise Unevaluable(f"{name} {what}, which is not supported")


for _name, _arity in (("IOSerialize", 3), ("Serialize", 3)):
    _refused(IO, _name, _arity, "writes a file")
for _name, _arity in (("IODeserialize", 2), ("Deserialize", 2)):
    _refused(IO, _name, _arity, "reads what Java has written")
for _name, _arity in (("IOExec", 1), ("IOEnvExec", 2), ("IOExecTemplate", 2), ("IOEnvExecTemplate", 3)):
    _refused(IO, _name, _arity, "runs a command")
for _name in ("JsonSerialize", "ndJsonSerialize"):
    _refused(JSON, _name, 2, "writes a file")


@operator(JSON, "JsonDeserialize", 1)
def json_file(name: Value) -> Value:
    """Return the value in the JSON file."""
    return _parsed(_text(name), str(name))


@operator(JSON, "ndJsonDeserialize", 1)
def json_lines(name: Value) -> Value:
    """Return the values in the file, one JSON value per line."""
    lines = enumerate(_text(name).splitlines(), 1)
    return tuple(_parsed(line, f"{name}:{number}") for number, line in lines if line.strip())


def _text(name: Value) -> str:
    if type(name) is not str:
        raise Unevaluable(f"{short(name)} is no name of a file")
    return read(Path(name))


def _parsed(text: str, where: str) -> Value:
    try:
        return _value(json.loads(text), where)
    except (json.JSONDecodeError, RecursionError) as error:
        says = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise Unevaluable(f"{where}: no JSON: {says}") from None


def _value(known: Any, where: str) -> Value:
    """Convert a JSON value: objects become records, arrays sequences. Raises Unevaluable for null and fractions."""
    match known:
        case bool():
            return TRUE if known else FALSE
        case int() | str():
            return known
        case list():
            return tuple(_value(each, where) for each in known)
        case dict():
            return Function({name: _value(each, where) for name, each in known.items()}) if known else ()
    raise Unevaluable(f"{where}: {json.dumps(known)} is no value of TLA+")


@operator(CLOCKS, "CausalOrder", 4, operators=(1, 2, 3))
def causal_order(log: Value, clock: Op, node: Op, domain: Op) -> Value:
    """Sort the entries of a log as their vector clocks allow. Raises Unevaluable if they allow no order.

    In each round, every node contributes its next entry, if all entries that this one depends on are sorted already.
    """
    waiting: dict[Value, list[Value]] = {}
    for entry in sequence(log):
        waiting.setdefault(node(entry), []).append(entry)
    for name, entries in waiting.items():
        entries.sort(key=lambda entry: clock(entry)[name])
    taken = dict.fromkeys(waiting, 0)
    ordered: list[Value] = []

    def ready(name: Value) -> bool:
        known = clock(waiting[name][taken[name]])
        return all(other == name or known[other] <= taken.get(other, 0) for other in listed(domain(known)))

    while len(ordered) < sum(map(len, waiting.values())):
        following = [name for name in waiting if taken[name] < len(waiting[name]) and ready(name)]
        if not following:
            raise Unevaluable("the vector clocks of the log allow no order")
        for name in following:
            ordered.append(waiting[name][taken[name]])
            taken[name] += 1
    return tuple(ordered)
