"""What templates ask about values of JSON whose form they do not know: how to write a key, and what a value is."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]

WORDS = {"cpu": "CPU", "exitCode": "Exit code", "inTurn": "In turn", "percentile95": "95th percentile"}
"""The keys that are not written as their words."""

REFERENCE = {"kind", "namespace", "name", "priority", "node", "phase", "absent"}

LONG = 24
"""The most values of a list that are all shown at once."""


def heading(key: str) -> str:
    """Return a key of JSON as the words of a heading."""
    if key in WORDS:
        return WORDS[key]
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", key)
    return words[:1].upper() + words[1:].lower() if re.fullmatch(r"[A-Za-z0-9 ]+", words) else key


def form(value: Any) -> str:
    """Return how a value is shown: nothing, text, object, manifest, numbers, list, table or facts."""
    match value:
        case None | [] | {}:
            return "nothing"
        case {"apiVersion": _, "kind": _}:
            return "manifest"
        case {"text": str(), "kind": _}:
            return "object"
        case {"name": str()} if value.keys() <= REFERENCE:
            return "object"
        case dict():
            return "facts"
        case [*_] if len(value) > LONG and all(type(each) in (int, float) for each in value):
            return "numbers"
        case [dict(), *_] if all(isinstance(each, dict) and form(each) == "facts" for each in value):
            return "table"
        case list():
            return "list"
    return "text"


def text(value: Any) -> str:
    """Return a single value in words."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
        case {"text": str(said)}:
            return said
        case {"name": str(), **others}:
            return named(value) + ("" if not others.get("node") else f" on {others['node']}")
    return str(value)


def named(reference: Json) -> str:
    """Return the name of an object, with the namespace unless it is the default one, and with a kind that is no pod."""
    namespace = reference.get("namespace", "default")
    name = str(reference["name"]) if namespace == "default" else f"{namespace}/{reference['name']}"
    kind = reference.get("kind", "Pod")
    return name if kind in ("Pod", "Node") else f"{kind} {name}"


def columns(rows: Sequence[Json]) -> list[str]:
    """Return the keys of the rows of a table in order, without those for which no row has a value."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return [key for key in keys if any(form(row.get(key)) != "nothing" for row in rows)]


def points(numbers: Sequence[float], width: int = 240, height: int = 40) -> str:
    """Return numbers as the points of a line in a drawing of this size."""
    most, across = max(*numbers, 1e-9), max(len(numbers) - 1, 1)
    return " ".join(
        f"{width * place / across:.1f},{height - height * max(number, 0) / most:.1f}"
        for place, number in enumerate(numbers)
    )


def pretty(value: Any) -> str:
    """Return a value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def relocating(pod: Json) -> Json:
    """Return a pod that needs another place as a row: its name first."""
    return {"pod": named(pod), **{key: each for key, each in pod.items() if key not in ("kind", "namespace", "name")}}
