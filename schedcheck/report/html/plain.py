"""What templates ask about values of JSON whose form they do not know: how to write a key, and what a value is."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]

WORDS = {
    "cpu": "CPU",
    "exitCode": "Exit code",
    "inTurn": "In turn",
    "percentile95": "95th percentile",
    "placed": "Placed, by priority",
}
"""The keys that are not written as their words."""

REFERENCE = {"kind", "namespace", "name", "priority", "node", "phase", "absent"}

LONG = 24
"""The most values of a list that are all shown at once."""


def heading(key: str) -> str:
    """Return a key of JSON as the words of a heading."""
    if key in WORDS or key[:1].isupper():
        return WORDS.get(key, key)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", key)
    return words[:1].upper() + words[1:].lower() if re.fullmatch(r"[A-Za-z0-9 ]+", words) else key


FIRST = (
    "differences", "difference", "bad", "pending", "applied", "summary", "first", "findings", "complaints", "optimum", "outcomes", "groups", "nodes",
)  # fmt: skip
"""The keys whose sections come first, in their order."""


def ordered(answer: Json, told: Collection[str]) -> list[tuple[str, Any]]:
    """Return the keys that have a value and are not told already, those that matter most first."""
    left = [(key, each) for key, each in answer.items() if key not in told and form(each) != "nothing"]
    return sorted(left, key=lambda each: FIRST.index(each[0]) if each[0] in FIRST else len(FIRST))


def form(value: Any) -> str:
    """Return how a value is shown.

    It is nothing, text, object (a text of several fields), manifest, numbers, list, table, cards (of rows that are too deep
    for a table), rows (a table with keys as its first column) or facts.
    """
    if (
        value is None
        or value in ([], {}, "")
        or (isinstance(value, dict) and all(form(each) == "nothing" for each in value.values()))
    ):
        return "nothing"
    match value:
        case {"apiVersion": _, "kind": _}:
            return "manifest"
        case dict() if said(value) is not None:
            return "object"
        case dict():
            several = len(value) > 1 and all(
                isinstance(each, dict) and form(each) == "facts" for each in value.values()
            )
            return "rows" if several and all(map(shallow, value.values())) else "facts"
        case [*_] if len(value) > LONG and all(type(each) in (int, float) for each in value):
            return "numbers"
        case [dict(), *_] if all(isinstance(each, dict) and form(each) in ("facts", "rows") for each in value):
            return "table" if all(map(shallow, value)) else "cards"
        case list():
            return "text" if is_range(value) else "list"
    return "text"


def is_range(values: Sequence[Any]) -> bool:
    """Whether a list is the least and the greatest of some numbers."""
    return len(values) == 2 and all(type(each) in (int, float) for each in values) and values[0] <= values[1]


def shallow(row: Json) -> bool:
    """Whether every value of a row fits in a cell of a table."""
    return all(
        form(each) in ("nothing", "text", "object")
        or (form(each) == "list" and all(form(one) in ("nothing", "text", "object") for one in each))
        for each in row.values()
    )


def said(value: Json) -> str | None:
    """Return an object that is best told as one text: an action, a reference, a refusal, a shortage; None for others."""
    match value:
        case {"text": str(words), "kind": _}:
            return words
        case {"name": str()} if value.keys() <= REFERENCE:
            return named(value) + (f" on {value['node']}" if value.get("node") else "")
        case {"plugin": str(plugin), "reasons": list(reasons)}:
            return f"{plugin}: {', '.join(map(str, reasons))}"
        case {"filter": str(plugin), "reason": str(reason)}:
            return f"{plugin}: {reason}"
        case {"resource": str(resource), "asked": asked, "free": free}:
            at = f"{value['node']}: " if "node" in value else ""
            return f"{at}{resource}, asked {asked}, free {free}"
    return None


def text(value: Any) -> str:
    """Return a single value in words."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
        case None:
            return "none"
        case dict():
            return said(value) or str(value)
        case list():
            return (" to " if is_range(value) else ", ").join(
                map(text, dict.fromkeys(value) if is_range(value) else value)
            )
    return str(value)


def short_list(values: Sequence[Any]) -> bool:
    """Whether the values are so short that they are shown side by side."""
    return all(form(each) in ("text", "object") and len(text(each)) < 40 for each in values)


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


def points(numbers: Sequence[float], most: float | None = None, width: int = 240, height: int = 40) -> str:
    """Return numbers as the points of a line in a drawing of this size, whose height is `most`, or the greatest of them."""
    most, across = most or max([*numbers, 1e-9]), max(len(numbers) - 1, 1)
    return " ".join(
        f"{width * place / across:.1f},{height - height * max(number, 0) / most:.1f}"
        for place, number in enumerate(numbers)
    )


def apart(first: Json, second: Json) -> list[str]:
    """Return the plugins whose weighted scores differ, or that only one of the two has, in order."""
    return [
        name
        for name in dict.fromkeys([*first, *second])
        if first.get(name, {}).get("weighted") != second.get(name, {}).get("weighted")
    ]


def pretty(value: Any) -> str:
    """Return a value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def relocating(pod: Json) -> Json:
    """Return a pod that needs another place as a row: its name first."""
    return {"pod": named(pod), **{key: each for key, each in pod.items() if key not in ("kind", "namespace", "name")}}


def helpless(node: Json) -> Json:
    """Return a node on which no eviction helps as a row: why, and what stopped the search."""
    return {"node": node["node"], "reasons": node["reasons"], "stopped": node["stopped"]}
