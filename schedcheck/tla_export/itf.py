"""A counterexample in the Informal Trace Format, ADR-015 of Apalache: `itf`.

Every integer is a #bigint. Null, which is no value of the format, is #unserializable. The #meta of a state names the
action that led to it. For a lasso, the #meta of the whole names the action that closes the cycle.
"""

from typing import Any

from schedcheck.checker.check import Checked
from schedcheck.checker.result import Stage, Violation
from schedcheck.tla_export import text
from schedcheck.tla_export.records import Records
from schedcheck.version import __version__

DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"
PAIRS = frozenset({"Owner"})
"""The fields that hold a pair, not a sequence."""

NOTHING: text.Record = text.Record({"Required": text.Set(()), "Preferred": ()})
NO_AFFINITY = text.Record({"NodeAffinity": NOTHING, "PodAffinity": NOTHING, "PodAntiAffinity": NOTHING})

Json = Any


def itf(violation: Violation, checked: Checked, records: Records) -> dict[str, Json]:
    """Return the trace of a violation as JSON."""
    stages = list(violation.trace)
    closing: Stage | None = None
    # The stages of a cycle end with its first state again; the format gives the index of that state instead.
    if violation.loop is not None and violation.loop < len(stages) - 1:
        closing = stages.pop()
    meta = {
        "format": "ITF",
        "format-description": DESCRIPTION,
        "description": f"schedcheck {__version__}: {violation.property.name} does not hold of {checked.scenario.name}",
        **({"closing": str(closing.action)} if closing is not None else {}),
    }
    states = [_state(number, stage, checked, records) for number, stage in enumerate(stages)]
    loop = {} if violation.loop is None else {"loop": violation.loop}
    return {"#meta": meta, "params": [], "vars": ["Objects"], "states": states, **loop}


def _state(number: int, stage: Stage, checked: Checked, records: Records) -> dict[str, Json]:
    action = {} if stage.action is None else {"action": str(stage.action)}
    objects = records.written_snapshot(checked.machine.view(stage.state))
    return {"#meta": {"index": number, **action}, "Objects": expression(objects)}


def expression(value: text.Value, field: str = "") -> Json:
    """Return a value as the format writes it; `field` is the field that holds it."""
    match value:
        case None:
            return {"#unserializable": "Null"}
        case bool() | str():
            return value
        case int():
            return {"#bigint": str(value)}
        case text.Name(name):
            assert name == "NoAffinity"
            return expression(NO_AFFINITY)
        case text.Set(elements):
            return {"#set": [expression(each) for each in elements]}
        case text.Record(fields):
            return {name: expression(part, name) for name, part in fields.items()}
        case text.Function(values):
            return {"#map": [[key, expression(part)] for key, part in sorted(values.items())]}
        case tuple():
            listed = [expression(each) for each in value]
            return {"#tup": listed} if field in PAIRS else listed
