"""States, steps and findings of an exploration as lines of JSON: `Writer`, `Reader`."""

import hashlib
import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from schedcheck.checker.language.checking.demands import Evidence
from schedcheck.checker.language.checking.explored import Found
from schedcheck.checker.language.evaluation.steps import Label
from schedcheck.checker.language.evaluation.system import State
from schedcheck.checker.language.syntax.tree import Position
from schedcheck.checker.language.values.values import Value
from schedcheck.checker.language.values.written import Plain, made, written
from schedcheck.checker.result import Stage

if TYPE_CHECKING:
    from schedcheck.checker.language.checking.exploring import Exploration

Lengths = Sequence[int]
"""The number of states, of steps, and of steps with their actions."""

AT_ONCE = 10_000
"""The most steps in a line."""


class Writer:
    """What the lines so far have numbered: the values and labels."""

    def __init__(self) -> None:
        self.values: dict[bytes, int] = {}
        self.labels: dict[str, int] = {}

    def lines(self, of: "Exploration", first: Lengths, last: Lengths) -> Iterator[str]:
        """Yield the lines for what an exploration found between two lengths of its lists. Raises Unevaluable."""
        keys = islice(of.numbers, first[0], last[0])
        for number, key in zip(range(first[0], last[0]), keys, strict=True):
            places = []
            for value in (*of.states[number], *_viewed(of, key)):
                text = json.dumps(written(value))
                place, new = numbered(self.values, digest(text))
                if new:
                    yield f'["value", {text}]'
                places.append(place)
            yield json.dumps(["state", of.origin[number], *places])
        for start in range(first[1], last[1], AT_ONCE):
            end = min(start + AT_ONCE, last[1])
            yield json.dumps(["steps", of.sources[start:end].tolist(), of.targets[start:end].tolist()])
        for source, target, label in of.edges[first[2] : last[2]]:
            place = -1
            if label is not None:
                text = json.dumps(of_label(label))
                place, new = numbered(self.labels, text)
                if new:
                    yield f'["label", {text}]'
            yield json.dumps(["edge", source, target, place])


class Reader:
    """What the lines that were read have numbered; a `writer` goes on from there."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._values: list[Value] = []
        self._labels: list[Label | None] = []

    def read(self, lines: Iterable[Any], of: "Exploration") -> None:
        """Add what the lines say to an exploration."""
        for kind, *said in lines:
            match kind:
                case "value":
                    numbered(self._writer.values, digest(json.dumps(said[0])))
                    self._values.append(made(said[0]))
                case "state":
                    values = tuple(self._values[place] for place in said[1:])
                    variables = len(of.system.names)
                    of.numbers[values[variables:] or values] = len(of.states)
                    of.states.append(values[:variables])
                    of.origin.append(said[0])
                case "steps":
                    of.sources.extend(said[0])
                    of.targets.extend(said[1])
                case "label":
                    numbered(self._writer.labels, json.dumps(said[0]))
                    self._labels.append(label_of(said[0]))
                case "edge":
                    of.edges.append((said[0], said[1], self._labels[said[2]] if said[2] >= 0 else None))


def _viewed(of: "Exploration", key: Hashable) -> tuple[Value, ...]:
    """Return the value of the VIEW in a state with this key; it may depend on when the state was found."""
    return () if of.model.view is None else cast(tuple[Value, ...], key)


def numbered(table: dict[Any, int], key: Any) -> tuple[int, bool]:
    """Return the number of a key, and whether it is new."""
    count = len(table)
    number = table.setdefault(key, count)
    return number, number == count


def digest(text: str) -> bytes:
    """Return a short text that stands for this one."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def of_label(label: Label | None) -> Plain:
    """Return a label as plain data."""
    if label is None:
        return None
    return [label.name, label.arguments, label.at.module, label.at.line, label.at.column]


def label_of(plain: Plain) -> Label | None:
    """Return the label that this plain data says; None for none."""
    return None if plain is None else Label(plain[0], tuple(plain[1]), Position(*plain[2:]))


def of_evidence(each: Evidence) -> Plain:
    """Return evidence as plain data. Raises Unevaluable."""
    return [each.depth, each.text, each.origin, of_label(each.label), _of_state(each.state), each.claim]


def evidence_of(plain: Plain) -> Evidence:
    """Return the evidence that this plain data says."""
    depth, text, origin, label, state, claim = plain
    return Evidence(depth, text, origin, label_of(label), _state_of(state), claim)


def of_found(found: Found) -> Plain:
    """Return a violation as plain data. Raises Unevaluable."""
    stages = [[of_label(stage.action), _of_state(stage.state)] for stage in found.trace]
    return [found.name, found.claim, stages, found.loop]


def found_of(plain: Plain) -> Found:
    """Return the violation that this plain data says."""
    name, claim, stages, loop = plain
    return Found(name, claim, tuple(Stage(label_of(label), _state_of(state)) for label, state in stages), loop)


def _of_state(state: State) -> Plain:
    return [written(value) for value in state]


def _state_of(plain: Plain) -> State:
    return tuple(map(made, plain))
