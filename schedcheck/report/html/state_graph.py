"""A small graph of states as a drawing in layers: `drawing`. docs/decisions/state-graph.md says why it is made here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Json = Mapping[str, Any]

ACROSS, DOWN, RADIUS, MARGIN = 38.0, 66.0, 13.0, 24.0
"""The distances between states, and the size of one, in pixels."""

SWEEPS = 6
"""How often the states of each layer are ordered by their neighbours."""

FEW_STATES = 40
"""The most states of a graph that is unfolded at first."""


@dataclass(frozen=True)
class Spot:
    """A state: its number, its place, its words, the steps from it, and whether it is on the way, initial, or without a step."""

    number: int
    x: float
    y: float
    text: str
    steps: tuple[tuple[str, int | None], ...]
    way: bool
    initial: bool
    rests: bool


@dataclass(frozen=True)
class Line:
    """All steps from a state to another one: the curve, the actions, and whether the counterexample takes one."""

    path: str
    actions: str
    way: bool


@dataclass(frozen=True)
class Drawing:
    """The states and lines, those on the way last, and the size."""

    spots: tuple[Spot, ...]
    lines: tuple[Line, ...]
    width: float
    height: float
    unfolded: bool


def drawing(graph: Json) -> Drawing:
    """Return the drawing of a graph of states; the first counterexample is the way that is marked."""
    layers = _layers(graph)
    widest = max(map(len, layers))
    places = {
        number: (MARGIN + ACROSS * (place + (widest - len(layer)) / 2), MARGIN + DOWN * level)
        for level, layer in enumerate(layers)
        for place, number in enumerate(layer)
    }
    first: list[int] = next((way for way in graph["ways"] if way and None not in way), [])
    taken = set(pairwise(first))
    actions: dict[tuple[int, int], list[str]] = {}
    steps: dict[int, list[tuple[str, int | None]]] = {}
    for step in graph["steps"]:
        steps.setdefault(step["from"], []).append((step["action"], step["to"]))
        if step["to"] is not None:
            actions.setdefault((step["from"], step["to"]), []).append(step["action"])
    lines = [
        Line(_curve(places[one], places[other]), ", ".join(some), (one, other) in taken)
        for (one, other), some in actions.items()
    ]
    spots = [
        Spot(number, *places[number], state["text"], tuple(steps.get(number, ())), number in first, number in graph["initial"],
             number not in steps and (graph["whole"] or state["level"] < len(layers) - 1))
        for number, state in enumerate(graph["states"])
    ]  # fmt: skip
    width, height = 2 * MARGIN + ACROSS * (widest - 1), 2 * MARGIN + DOWN * (len(layers) - 1)
    ordered = sorted(lines, key=lambda each: each.way)
    return Drawing(tuple(spots), tuple(ordered), width, height, len(spots) <= FEW_STATES)


def _layers(graph: Json) -> list[list[int]]:
    """Return the states of each level, ordered so that few lines cross: by the mean place of their neighbours."""
    layers: list[list[int]] = [[] for _ in range(1 + max(state["level"] for state in graph["states"]))]
    for number, state in enumerate(graph["states"]):
        layers[state["level"]].append(number)
    near: dict[int, set[int]] = {number: set() for number in range(len(graph["states"]))}
    for step in graph["steps"]:
        if step["to"] is not None:
            near[step["from"]].add(step["to"])
            near[step["to"]].add(step["from"])
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        for above, layer in pairwise(layers if downwards else layers[::-1]):
            _order(layer, above, near)
    return layers


def _order(layer: list[int], beside: Sequence[int], near: Mapping[int, set[int]]) -> None:
    """Order a layer by the mean of the neighbours in the layer beside it; a state without one keeps its place."""
    middle = {number: place - (len(beside) - 1) / 2 for place, number in enumerate(beside)}
    own = {number: place - (len(layer) - 1) / 2 for place, number in enumerate(layer)}

    def mean(number: int) -> float:
        found = [middle[each] for each in near[number] if each in middle]
        return sum(found) / len(found) if found else own[number]

    means = {number: mean(number) for number in layer}
    layer.sort(key=lambda number: (means[number], number))


def _curve(one: tuple[float, float], other: tuple[float, float]) -> str:
    """Return a line downwards as a straight one, and any other as an arc, each ending at the border of the state."""
    (x, y), (to_x, to_y) = one, other
    far = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5 or 1.0
    ends = x + (to_x - x) * RADIUS / far, y + (to_y - y) * RADIUS / far
    tip = RADIUS + 5
    tips = to_x - (to_x - x) * tip / far, to_y - (to_y - y) * tip / far
    if to_y > y and to_y - y <= DOWN:
        return f"M{ends[0]:.1f} {ends[1]:.1f}L{tips[0]:.1f} {tips[1]:.1f}"
    bend = 0.22
    control = (x + to_x) / 2 - (to_y - y) * bend, (y + to_y) / 2 + (to_x - x) * bend
    return f"M{ends[0]:.1f} {ends[1]:.1f}Q{control[0]:.1f} {control[1]:.1f} {tips[0]:.1f} {tips[1]:.1f}"
