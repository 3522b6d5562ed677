"""The graph of all states as JSON, where there are few: `state_graph_json`."""

from typing import Any

from schedcheck.checker.check import Checked
from schedcheck.checker.exploring.constraints import constraint
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.limits.clock import OutOfTime
from schedcheck.checker.liveness.graph import OUTSIDE
from schedcheck.checker.result import Bounds
from schedcheck.report.files.graph import label
from schedcheck.report.json.pieces import Json

MOST_STATES = 200
"""The most states of a graph that is drawn."""

SECONDS = 3.0


def state_graph_json(checked: Checked) -> Json | None:
    """Return all states that the scenario can reach, without symmetry, and the steps that change something.

    Else those up to the level of the violation, which is not `whole`. None if these are more than `MOST_STATES` too, or
    take too long, or if a search for loops went beyond that level. `ways` are the states of each violation.
    """
    if checked.result.distinct > MOST_STATES or checked.result.directed is not None:
        return None
    found = _explored(checked, None)
    if found is None and checked.result.violations:
        found = _explored(checked, checked.result.depth)
    return None if found is None else _json(found, checked)


def _explored(checked: Checked, depth: int | None) -> Exploration[Any] | None:
    """Explore without properties, and without a violation that ends it; return None if there are too many states."""
    found: Exploration[Any] = Exploration(
        checked.machine,
        (),
        bounds=Bounds(depth, MOST_STATES + 1, SECONDS),
        constraint=constraint(checked.scenario.constraints),
        keep_graph=True,
    )
    try:
        breadth_first(found)
    except OutOfTime:
        return None
    deep = depth is not None and found.depth == depth and len(found.states) <= MOST_STATES
    return found if not found.stopped or deep else None


def _json(found: Exploration[Any], checked: Checked) -> Json:
    graph = found.explored().graph
    levels: list[int] = []
    for origin in found.origin:
        levels.append(0 if origin < 0 else levels[origin] + 1)
    return {
        "states": [
            {"level": level, "text": label(checked.machine.view(state))}
            for level, state in zip(levels, found.states, strict=True)
        ],
        "whole": not found.stopped,
        "initial": graph.initial.tolist(),
        "steps": [
            {
                "from": number,
                "to": None if graph.targets[edge] == OUTSIDE else int(graph.targets[edge]),
                "action": graph.texts[int(graph.actions[edge])],
            }
            for number in range(graph.states)
            for edge in graph.edges_from(number)
        ],
        "ways": [
            [found.numbers.get(stage.state) for stage in violation.trace] for violation in checked.result.violations
        ],
    }
