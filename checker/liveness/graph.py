"""The explored graph as arrays: `Graph`, and `Recorder`, which builds one from steps.

A step that changes nothing is no edge. States are numbers, and actions are indices of a table of kinds and texts, so
that ten million states need no objects. A `Graph` can also be made directly of such arrays.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import networkx

Numbers = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]

OUTSIDE = -1
"""The number for all states beyond a constraint: a step to them is possible, and nothing is known of its successors."""

BLOCK = 1 << 22
"""The number of edges in a block, for arrays that would be too large for all edges."""


@dataclass(frozen=True, eq=False)
class Graph:
    """The states 0, 1, …, and their labelled edges.

    - `initial`: the initial states, ascending.
    - `offsets`: the edges from state s are those numbered `offsets[s]` up to `offsets[s + 1]`.
    - `targets`: the state to which each edge leads (`OUTSIDE`: beyond a constraint).
    - `actions`: the number of each edge's action.
    - `texts`, `kinds`: the text and the type of each action. Two actions with the same text are one instance.
    """

    initial: Numbers
    offsets: Numbers
    targets: Numbers
    actions: Numbers
    texts: tuple[str, ...]
    kinds: tuple[type, ...]

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.offsets) - 1

    @property
    def edges(self) -> int:
        """The number of edges."""
        return len(self.targets)

    def gigabytes(self) -> float:
        """Return the memory of the arrays, in GiB."""
        return sum(each.nbytes for each in (self.initial, self.offsets, self.targets, self.actions)) / 2**30

    def source(self, edge: int) -> int:
        """Return the source state of an edge."""
        return int(np.searchsorted(self.offsets, edge, side="right")) - 1

    def edges_from(self, state: int) -> range:
        """Return the numbers of the edges from a state."""
        return range(int(self.offsets[state]), int(self.offsets[state + 1]))

    def blocks(self) -> Iterator[tuple[slice, Numbers]]:
        """Yield the edges in blocks of whole states, each with its source states."""
        state = 0
        while state < self.states:
            first = int(self.offsets[state])
            end = int(np.searchsorted(self.offsets, first + BLOCK, side="right")) - 1
            end = min(max(end, state + 1), self.states)
            counts = np.diff(self.offsets[state : end + 1])
            sources: Numbers = np.repeat(np.arange(state, end, dtype=np.int32), counts)
            yield slice(first, int(self.offsets[end])), sources
            state = end

    def leading_out(self) -> Flags:
        """Return for each state whether one of its edges leads beyond a constraint."""
        found = np.zeros(self.states, dtype=np.bool_)
        for block, sources in self.blocks():
            found[sources[self.targets[block] == OUTSIDE]] = True
        return found

    def of_kinds(self, kinds: Sequence[type]) -> Flags:
        """Return for each action whether it is of one of these kinds."""
        return np.array([kind in kinds for kind in self.kinds], dtype=np.bool_)

    def enabling(self, actions: Flags) -> Flags:
        """Return for each state whether one of these actions is enabled there and changes something."""
        found = np.zeros(self.states, dtype=np.bool_)
        for block, sources in self.blocks():
            found[sources[actions[self.actions[block]]]] = True
        return found


class Explored(NamedTuple):
    """The graph of an exploration, and its states by number."""

    graph: Graph
    states: Sequence[Any]


def graph(
    states: int,
    initial: ArrayLike,
    sources: ArrayLike,
    targets: ArrayLike,
    actions: ArrayLike,
    texts: Sequence[str],
    kinds: Sequence[type],
) -> Graph:
    """Return the graph of edges in any order; those of one state keep their order.

    Edges that change nothing are left out. Raises ValueError if a number names no state or action.
    """
    from_, to, labels = (np.asarray(each) for each in (sources, targets, actions))
    first = np.unique(np.asarray(initial, dtype=np.int32))
    for what, numbers, least, end in (
        ("initial state", first, 0, states),
        ("source", from_, 0, states),
        ("target", to, OUTSIDE, states),
        ("action", labels, 0, len(texts)),
    ):
        if len(numbers) and (numbers.min() < least or numbers.max() >= end):
            raise ValueError(f"a number of a {what} lies outside {least} to {end - 1}")
    changing = from_ != to
    from_, to, labels = from_[changing], to[changing], labels[changing]
    if len(from_) and (np.diff(from_) < 0).any():
        order = np.argsort(from_, kind="stable")
        from_, to, labels = from_[order], to[order], labels[order]
    offsets = np.zeros(states + 1, dtype=np.int64)
    np.cumsum(np.bincount(from_, minlength=states), out=offsets[1:])
    narrow = np.int16 if len(texts) < 2**15 else np.int32
    return Graph(first, offsets, to.astype(np.int32), labels.astype(narrow), tuple(texts), tuple(kinds))


def unlabelled(states: int, initial: ArrayLike, sources: Numbers, targets: Numbers) -> Graph:
    """Return the graph of edges that all have the same label."""
    return graph(states, initial, sources, targets, np.zeros(len(sources), dtype=np.int16), ("",), (object,))


def instance(action: Any) -> tuple[type, str]:
    """Return the instance of an action: its kind and its text, which includes the arguments."""
    return type(action), str(action)


Naming = Callable[[Any], tuple[type, str]]
"""The kind and the text that label the edges of an action."""

INSTANCES = ""
"""The labelling of edges by instances of actions."""


class Labelling:
    """The labels of recorded steps under one naming, by number."""

    def __init__(self, naming: Naming) -> None:
        self.naming = naming
        self.actions = array("i")
        self.numbers: dict[tuple[type, str], int] = {}

    def add(self, action: Any) -> None:
        """Append the label of a step."""
        self.actions.append(self.numbers.setdefault(self.naming(action), len(self.numbers)))


class Recorder:
    """A recorder of steps in the order of discovery, which builds the graph.

    Each step is kept once, with its label under each of the `namings`; without any, all steps have the same label.
    """

    def __init__(self, namings: Mapping[str, Naming] = MappingProxyType({INSTANCES: instance})) -> None:
        self.initial: set[int] = set()
        self.labels = {name: Labelling(naming) for name, naming in namings.items()}
        self._columns = tuple(self.labels.values())
        self._sources, self._targets = array("i"), array("i")

    def step(self, source: int, action: Any, target: int) -> None:
        """Record a step from a state to another, or to `OUTSIDE`; a step that changes nothing is left out."""
        if source != target:
            self.record(source, action, target)

    def record(self, source: int, action: Any, target: int) -> None:
        """Record a step, be it one that changes nothing."""
        self._sources.append(source)
        self._targets.append(target)
        for each in self._columns:
            each.add(action)

    def kinds(self) -> frozenset[type]:
        """Return the kinds of the recorded steps, which changed something."""
        return frozenset(kind for kind, _ in self.labels[INSTANCES].numbers)

    def gigabytes(self) -> float:
        """Return the memory of the recorded steps, in GiB."""
        return (2 + len(self._columns)) * self._sources.itemsize * len(self._sources) / 2**30

    def graph(self, states: int, naming: str = INSTANCES) -> Graph:
        """Return the graph of the recorded steps, with the labels of this naming."""
        sources, targets = (np.array(each, dtype=np.int32) for each in (self._sources, self._targets))
        first = sorted(self.initial)
        if naming not in self.labels:
            return unlabelled(states, first, sources, targets)
        labels = self.labels[naming]
        kinds, texts = zip(*labels.numbers, strict=True) if labels.numbers else ((), ())
        return graph(states, first, sources, targets, np.array(labels.actions, dtype=np.int32), texts, kinds)


def to_networkx(given: Graph) -> "networkx.MultiDiGraph[int]":
    """Return the graph in networkx: each state with `initial`, each edge with its `action` and `kind`.

    Edges to `OUTSIDE` lead to a state of that number, which exists only if there are such edges.
    """
    import networkx

    made: networkx.MultiDiGraph[int] = networkx.MultiDiGraph()
    initial = set(given.initial.tolist())
    made.add_nodes_from((state, {"initial": state in initial}) for state in range(given.states))
    if given.edges and int(given.targets.min()) == OUTSIDE:
        made.add_node(OUTSIDE, initial=False)
    for block, sources in given.blocks():
        for source, target, action in zip(
            sources.tolist(), given.targets[block].tolist(), given.actions[block].tolist(), strict=True
        ):
            made.add_edge(source, target, action=given.texts[action], kind=given.kinds[action].__name__)
    return made
