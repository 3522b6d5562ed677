"""Where a behaviour may go round for ever and be fair: `fair_components`, by the recursive decomposition.

A behaviour visits some states and takes some edges infinitely often: a strongly connected part of the graph, or one
state in which it rests for ever. It is weakly fair to an action if it takes it infinitely often or is infinitely often
where it is not possible; strongly, if it takes it infinitely often or is only finitely often where it is possible. A
part that is unfair strongly may hold smaller ones that are fair: those without the states where the action is possible
(E. A. Emerson and C.-L. Lei, Modalities for model checking, 1987). A step that changes nothing is no edge: it neither
makes an action possible nor takes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from schedcheck.checker.liveness.components import components
from schedcheck.checker.liveness.graph import Flags, Graph, Numbers


@dataclass(frozen=True, eq=False)
class Round:
    """What a behaviour does for ever: stays where `inside`, takes only edges whose action is `allowed`, is fair to the
    actions that are `weak` and to those that are `strong`, and is again and again where `often`, or, if
    `often_taken` is not None, takes one of those actions again and again. If `classes` is not None, all its states are
    of one class: the array has the number of the class of each state.
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
    """Some states of a graph, renumbered, and the edges among them that a round may take."""

    states: Numbers
    offsets: Numbers
    targets: Numbers
    actions: Numbers


def fair_components(graph: Graph, wanted: Round) -> Numbers:
    """For each state the number of the largest fair part that it lies in, -1 where it lies in none.

    A part is one state without edges where a behaviour may rest there, and else as large as it can be.
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
        # The components of more than one state are numbered anew; all others are the last.
        names = np.where(large, np.cumsum(large) - 1, np.count_nonzero(large))
        labels = names[labels].astype(np.int32)
        accepted, removed = _judged(graph, wanted, part, labels, int(np.count_nonzero(large)))
        chosen = accepted[labels]
        number = _put(found, part.states[chosen], labels[chosen], number)
        alive[part.states[chosen | removed]] = False
    return found


def _put(found: Numbers, states: Numbers, labels: Numbers, number: int) -> int:
    """Number the parts of these labels from `number` on, and give the next number that is free."""
    names, renumbered = np.unique(labels, return_inverse=True)
    found[states] = renumbered + number
    return number + len(names)


def _part(graph: Graph, alive: Flags, wanted: Round) -> _Part:
    """The states that are alive, and the edges among them that a round may take."""
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
    """Which components are fair; and which states are to be left out before the others are looked at again.

    The components below `large` have more than one state. Left out are the states of one that no smaller one makes
    good, and those where an action is possible to which their component is not strongly fair.
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
    """The states of a part that are asked about, each with every action possible there that must be treated fairly."""
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
