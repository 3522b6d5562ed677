"""The fair cycles of a graph, by the recursive decomposition of SCCs: `fair_components`.

A behaviour visits some states and takes some edges infinitely often: a strongly connected part of the graph, or one
state in which it stutters. It is weakly fair to an action if it takes it infinitely often or is infinitely often in a
state where it is disabled. It is strongly fair if it takes it infinitely often or is only finitely often in a state
where it is enabled. A part that is not strongly fair may hold smaller fair parts: those without the states where the
action is enabled (E. A. Emerson and C.-L. Lei, Modalities for model checking, 1987). A step that changes nothing is no
edge: it neither enables an action nor takes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from schedcheck.checker.liveness.components import components
from schedcheck.checker.liveness.graph import Flags, Graph, Numbers


@dataclass(frozen=True, eq=False)
class Round:
    """The requirements on a fair cycle.

    - `inside`: the cycle stays in these states.
    - `often`: it visits one of these states.
    - `allowed`: it takes only edges of these actions.
    - `weak`, `strong`: it is weakly, or strongly, fair to these actions.
    - `often_taken`: if not None, it takes one of these actions.
    - `classes`: if not None, all its states have the same number in this array.
    """

    inside: Flags
    often: Flags
    allowed: Flags
    weak: Flags
    strong: Flags
    often_taken: Flags | None = None
    classes: Numbers | None = None


@dataclass(frozen=True, eq=False)
class _Part:
    """A subset of the states of a graph, renumbered, with the edges among them that a cycle may take."""

    states: Numbers
    offsets: Numbers
    targets: Numbers
    actions: Numbers


def fair_components(graph: Graph, wanted: Round) -> Numbers:
    """Return for each state the number of the largest fair part that contains it, -1 if there is none.

    A part is a single state without edges if a behaviour may stutter there, else a maximal set of states.
    """
    found = np.full(graph.states, -1, dtype=np.int32)
    restless = graph.enabling(wanted.weak | wanted.strong)
    alive = wanted.inside.copy()
    number = 0
    while alive.any():
        part = _part(graph, alive, wanted)
        count, labels = components(part.offsets, part.targets)
        large = np.bincount(labels, minlength=count) > 1
        single = ~large[labels]
        if wanted.often_taken is None:
            resting = part.states[single & ~restless[part.states] & wanted.often[part.states]]
            number = _put(found, resting, np.arange(len(resting)), number)
        # The components of more than one state are renumbered; all others get the last number.
        names = np.where(large, np.cumsum(large) - 1, np.count_nonzero(large))
        labels = names[labels].astype(np.int32)
        accepted, removed = _judged(graph, wanted, part, labels, int(np.count_nonzero(large)))
        chosen = accepted[labels]
        number = _put(found, part.states[chosen], labels[chosen], number)
        alive[part.states[chosen | removed]] = False
    return found


def _put(found: Numbers, states: Numbers, labels: Numbers, number: int) -> int:
    """Number the parts of these labels from `number` on, and return the next free number."""
    names, renumbered = np.unique(labels, return_inverse=True)
    found[states] = renumbered + number
    return number + len(names)


def _part(graph: Graph, alive: Flags, wanted: Round) -> _Part:
    """Return the alive states, and the edges among them that a cycle may take."""
    states = np.flatnonzero(alive).astype(np.int32)
    numbers = np.full(graph.states, -1, dtype=np.int32)
    numbers[states] = np.arange(len(states), dtype=np.int32)
    counts = np.zeros(len(states), dtype=np.int64)
    targets, actions = [], []
    for block, sources in graph.blocks():
        to, labels = graph.targets[block], graph.actions[block]
        kept = alive[sources] & (to >= 0) & wanted.allowed[labels]
        kept &= alive[to]
        if wanted.classes is not None:
            kept &= wanted.classes[sources] == wanted.classes[to]
        counts += np.bincount(numbers[sources[kept]], minlength=len(states))
        targets.append(numbers[to[kept]])
        actions.append(labels[kept])
    offsets = np.zeros(len(states) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return _Part(states, offsets, _joined(targets, np.int32), _joined(actions, graph.actions.dtype))


def _joined(arrays: Sequence[Numbers], kind: DTypeLike) -> Numbers:
    joined: Numbers = np.concatenate(arrays) if arrays else np.zeros(0, dtype=kind)
    return joined


def _judged(graph: Graph, wanted: Round, part: _Part, labels: Numbers, large: int) -> tuple[Flags, Flags]:
    """Return which components are fair, and which states to remove before the rest is decomposed again.

    The components below `large` have more than one state. A state is removed if its component can have no fair part, or
    if it enables an action to which its component is not strongly fair.
    """
    size = np.bincount(labels, minlength=large + 1)
    sources = np.repeat(labels, np.diff(part.offsets))
    within = sources == labels[part.targets]
    sources, taken = sources[within], part.actions[within]
    hopeless = np.bincount(labels[wanted.often[part.states]], minlength=large + 1) == 0
    hopeless[large] = True
    if wanted.often_taken is not None:
        hopeless |= np.bincount(sources[wanted.often_taken[taken]], minlength=large + 1) == 0
    states, enabled = _enabled(graph, wanted, part, ~hopeless[labels])
    unfair = np.zeros(large + 1, dtype=np.bool_)
    removed = np.zeros(len(part.states), dtype=np.bool_)
    for action in np.unique(enabled).tolist():
        able = states[enabled == action]
        able = able[np.r_[True, np.diff(able) > 0]]
        takes = np.zeros(large + 1, dtype=np.bool_)
        takes[sources[taken == action]] = True
        if wanted.strong[action]:
            left_out = able[~takes[labels[able]]]
            unfair[labels[left_out]] = True
            removed[left_out] = True
        else:
            hopeless |= (np.bincount(labels[able], minlength=large + 1) == size) & ~takes
    return ~hopeless & ~unfair, removed | hopeless[labels]


def _enabled(graph: Graph, wanted: Round, part: _Part, asked: Flags) -> tuple[Numbers, Numbers]:
    """Return pairs of an `asked` state of the part and a fair action that is enabled there."""
    numbers = np.full(graph.states, -1, dtype=np.int32)
    numbers[part.states[asked]] = np.flatnonzero(asked)
    fair = wanted.weak | wanted.strong
    states, actions = [], []
    for block, sources in graph.blocks():
        labels = graph.actions[block]
        kept = (numbers[sources] >= 0) & fair[labels]
        states.append(numbers[sources[kept]])
        actions.append(labels[kept])
    return _joined(states, np.int32), _joined(actions, graph.actions.dtype)
