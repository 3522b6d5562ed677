"""The answer to a line of `oracle` as text: `judged_text`."""

from typing import Any

from schedcheck.report.json.pieces import Json

MOST_ALLOWED = 3
"""The most allowed decisions that are named."""


def judged_text(answer: Json) -> str:
    """Return the id, the verdict, the clause with its reasons, and what is allowed instead."""
    head = "" if answer.get("id") is None else f"{answer['id']}: "
    if "error" in answer:
        return f"{head}not read: {answer['error']}"
    verdict, clause = answer["verdict"] or "asked", answer.get("clause")
    why = "; ".join(answer["reasons"])
    said = f"{verdict} by {clause['name']}: {why}" if clause else f"{verdict}: {why}" if why else verdict
    named = " or ".join(_decision(each) for each in answer.get("allowed", [])[:MOST_ALLOWED])
    more = len(answer.get("allowed", [])) - MOST_ALLOWED
    shown = f"; allowed: {named}{f' or {more:,} more' if more > 0 else ''}" if named and verdict != "allowed" else ""
    return f"{head}{said}{shown}"


def _decision(decision: dict[str, Any]) -> str:
    kind = decision["kind"]
    if kind == "bind":
        return f"bind to {decision['node']}"
    if kind in ("nominate", "evict"):
        victims = ", ".join(decision["victims"]) or "nobody"
        return f"nominate to {decision['node']} and evict {victims}" if kind == "nominate" else f"evict {victims}"
    return str(kind)
