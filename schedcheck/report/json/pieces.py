"""Pieces of every answer as JSON: the format, names of objects, actions."""

import json
from typing import Any

from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Taint
from schedcheck.version import __version__

FORMAT = 2
Json = dict[str, Any]
Thing = Pod | Node | PodDisruptionBudget


def text(value: Json) -> str:
    """Return the JSON as text."""
    return json.dumps(value, indent=2)


def unknown_json(why: str, exit_code: int) -> Json:
    """Return an answer that is unknown as a whole, with the reason."""
    return {"format": FORMAT, "schedcheck": __version__, "verdict": "unknown", "exitCode": exit_code, "unknown": why}


def action_json(action: Any) -> Json:
    """Return an action: its kind, its text and its arguments. The result of a scheduling cycle is in its text only."""
    made: Json = {"kind": type(action).__name__, "text": str(action)}
    about = {name: value for name, value in vars(action).items() if not name.startswith("_") and name != "concluded"}
    return made | {name: _argument(value) for name, value in about.items()}


def _argument(value: Any) -> Any:
    """Return the reference of a pod or node, the sorted references of victims, those of a sequence, or text unchanged."""
    match value:
        case tuple():
            return [_argument(each) for each in value]
        case frozenset():
            return sorted(str(each) for each in value)
        case Pod() | Node() | Taint():
            return str(value)
        case _:
            return value


def reference(thing: Thing) -> Json:
    """Return the kind, namespace and name of an object."""
    if isinstance(thing, Node):
        return {"kind": "Node", "name": thing.name}
    return {"kind": type(thing).__name__, "namespace": thing.namespace, "name": thing.name}
