"""A counterexample of a TLA+ module in the Informal Trace Format, ADR-015 of Apalache.

Every integer is a #bigint. A function with domain 1..n is a list, one whose arguments are all identifiers is a record,
and any other is a #map. A model value is #unserializable. The #meta of a state names the action that led to it.
"""

import json
import re
from pathlib import Path
from typing import Any

from schedcheck.checker.language.checking.checking import Checked
from schedcheck.checker.language.checking.explored import Found
from schedcheck.checker.language.evaluation.system import State
from schedcheck.checker.language.values.ordering import domain, ordered
from schedcheck.checker.language.values.showing import shown
from schedcheck.checker.language.values.values import FALSE, TRUE, FiniteSet, Function, Value, whole
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.result import Stage
from schedcheck.errors import InputError
from schedcheck.version import __version__

ITF = ".itf.json"
DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Json = Any


def fitting(path: Path) -> None:
    """Raises InputError for a file name that does not end in .itf.json."""
    if not path.name.endswith(ITF):
        raise InputError(f"expected a file that ends in {ITF}", path=parameter("trace"), value=str(path))


def write(checked: Checked, path: Path) -> list[Path]:
    """Write the first counterexample and return the files; none if no violation has a trace."""
    found = next((each for each in checked.found if each.trace), None)
    if found is None:
        return []
    path.write_text(json.dumps(itf(found, checked), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return [path]


def itf(found: Found, checked: Checked) -> dict[str, Json]:
    """Return the behaviour of a violation as JSON."""
    stages, closing = list(found.trace), ""
    # The stages of a cycle end with its first state again; the format gives the index of that state instead.
    if found.loop is not None and found.loop < len(stages) - 1:
        closing = _action(stages.pop())
    names = checked.exploration.system.names
    meta = {
        "format": "ITF",
        "format-description": DESCRIPTION,
        "description": f"schedcheck {__version__}: {found.claim}",
        **({"closing": closing} if closing else {}),
    }
    states = [_state(number, stage, names) for number, stage in enumerate(stages)]
    loop = {} if found.loop is None else {"loop": found.loop}
    return {"#meta": meta, "params": [], "vars": list(names), "states": states, **loop}


def _state(number: int, stage: Stage, names: tuple[str, ...]) -> dict[str, Json]:
    state: State = stage.state
    action = {"action": _action(stage)} if stage.action is not None else {}
    values = {name: value_json(value) for name, value in zip(names, state, strict=True)}
    return {"#meta": {"index": number, **action}, **values}


def _action(stage: Stage) -> str:
    return str(stage.action or "")


def value_json(value: Value) -> Json:
    """Return a value as the format writes it."""
    value = whole(value)
    if value is TRUE or value is FALSE:
        return value is TRUE
    match value:
        case str():
            return value
        case int():
            return {"#bigint": str(value)}
        case tuple():
            return [value_json(each) for each in value]
        case FiniteSet():
            return {"#set": [value_json(each) for each in ordered(value)]}
        case Function():
            return _function(value)
    return {"#unserializable": shown(value)}


def _function(value: Function) -> Json:
    arguments = domain(value)
    if all(isinstance(each, str) and _FIELD.fullmatch(each) for each in arguments):
        return {each: value_json(value[each]) for each in arguments}
    return {"#map": [[value_json(each), value_json(value[each])] for each in arguments]}
