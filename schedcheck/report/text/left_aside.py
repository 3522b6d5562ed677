"""The parts of the input that an answer ignores: fields that the profile does not read, and pods on missing nodes."""

from collections.abc import Iterator
from typing import Any

from schedcheck.model.scenario import Scenario
from schedcheck.report.text.terminal import Terminal, counted, facts

Json = dict[str, Any]


def left_aside_json(scenario: Scenario) -> Json:
    """Return both as JSON; a key is absent if there is nothing under it."""
    found: Json = {}
    if scenario.not_looked_at:
        found["fieldsNotLookedAt"] = [
            {"field": field, "objects": number, "first": list(first)} for field, number, first in scenario.not_looked_at
        ]
    if scenario.lost:
        found["onMissingNodes"] = [{"node": node, "pods": list(pods)} for node, pods in scenario.lost]
    return found


def left_aside(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield both as facts."""
    if scenario.lost:
        yield "Lost", lost_text(scenario)
    if scenario.not_looked_at:
        lines = [f"the profile {scenario.profile} ignores these fields, which could change the answer:"]
        for field, number, first in scenario.not_looked_at:
            lines.append(f"{field} ({number:,}: {', '.join(first)}{', …' if number > len(first) else ''})")
        yield "Not seen", "\n".join(lines)


def lost_text(scenario: Scenario) -> str:
    """Return how many pods are on nodes that the input lacks, and what happens to them."""
    pods = [pod for _, each in scenario.lost for pod in each]
    nodes = [node for node, _ in scenario.lost]
    more = ", …" if len(nodes) > 3 else ""
    return (
        f"{counted(len(pods), 'pod')} on {counted(len(nodes), 'node')} that the input lacks"
        f" ({', '.join(nodes[:3])}{more}): {', '.join(pods[:3])}{', …' if len(pods) > 3 else ''};"
        " they occupy no node; pod garbage collection deletes them, and their owners recreate them"
    )


def show_left_aside(scenario: Scenario, console: Terminal, *, first: bool = False) -> None:
    """Print both, after an answer or before it; nothing if both are empty."""
    found = list(left_aside(scenario))
    if found and not first:
        console.show()
    if found:
        console.show(facts(found))
    if found and first:
        console.show()
