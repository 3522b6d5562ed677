"""All clusters of at most three pods and two nodes over the vocabulary of some features: `Feature`, `Space`

A pod is asked about; up to two others are bound. Two clusters are equal up to symmetry if renaming the nodes or the other
pods turns one into the other. `Space.size` counts the classes by Burnside's lemma, `Space.clusters` yields one cluster of
each.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from frozendict import frozendict

from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Container, Namespace, Node, Pod, Snapshot

Change = Callable[[Any], Any]
"""A function that gives an object one value of a feature."""
Renaming = tuple[str, str]
"""Two names that are exchanged."""
NODES = ("n1", "n2", "n3")
OTHERS = ("p0", "p1", "p2", "p3")
BY_NODES: Renaming = NODES[:2]
BY_PODS: Renaming = OTHERS[:2]
CORE = 3
"""The number of values of each part of a feature that are combined with those of another feature."""


def same(thing: Any) -> Any:
    """Return the object as it is."""
    return thing


@dataclass(frozen=True)
class Feature:
    """The vocabulary of a feature: what may be true of the asked pod, another pod, a node, all else, and the plugins."""

    name: str
    asked: tuple[Change, ...] = (same,)
    others: tuple[Change, ...] = (same,)
    nodes: tuple[Change, ...] = (same,)
    beside: tuple[Change, ...] = (same,)
    plugins: tuple[Change, ...] = (same,)

    @property
    def core(self) -> "Feature":
        """The feature with the first few values of each part, and those that become one of them by a renaming."""
        return Feature(self.name, *(_core(getattr(self, part), BASES[part]) for part in BASES))


BASES: dict[str, Any] = {
    "asked": Pod("asked", containers=(Container(),)),
    "others": Pod("p0", node_name="n1", phase="Running", containers=(Container(),), start_time=1),
    "nodes": Node(
        "n1", frozendict({HOSTNAME: "n1"}), frozendict({"cpu": 8000, "memory": 16 * 2**30, "pods": 110})
    ),
    "beside": Snapshot(namespaces=(Namespace("default"),)),
    "plugins": DEFAULT_PLUGINS,
}  # fmt: skip
"""The objects that a vocabulary changes, in the order in which the parts are numbered."""


def renamed(thing: Any, names: Renaming) -> Any:
    """Return the object with two names exchanged wherever they occur."""
    if isinstance(thing, str):
        return {names[0]: names[1], names[1]: names[0]}.get(thing, thing)
    if isinstance(thing, tuple):
        made = tuple(renamed(each, names) for each in thing)
        return tuple(sorted(made, key=_name)) if made and all(hasattr(each, "name") for each in made) else made
    if isinstance(thing, frozenset):
        return frozenset(renamed(each, names) for each in thing)
    if isinstance(thing, frozendict):
        return frozendict({renamed(key, names): renamed(each, names) for key, each in thing.items()})
    if is_dataclass(thing) and not isinstance(thing, type):
        found = {field.name: getattr(thing, field.name) for field in fields(thing)}
        changed = {name: made for name, each in found.items() if (made := renamed(each, names)) != each}
        return replace(thing, **changed) if changed else thing
    return thing


def _name(thing: Any) -> tuple[str, str]:
    return getattr(thing, "namespace", ""), thing.name


def images(changes: Sequence[Change], base: Any, names: Renaming) -> tuple[int, ...]:
    """Return the place of the renamed value of each change.

    Raises: ValueError if two changes are equal, or if the renamed value is not in the vocabulary.
    """
    other = renamed(base, names)
    places = {change(other): place for place, change in enumerate(changes)}
    if len(places) < len(changes):
        raise ValueError("two values of the vocabulary are equal")
    found = [places.get(renamed(change(base), names)) for change in changes]
    if None in found:
        raise ValueError(f"value {found.index(None)} of the vocabulary has no counterpart when {names} are exchanged")
    return tuple(each for each in found if each is not None)


def _core(changes: tuple[Change, ...], base: Any) -> tuple[Change, ...]:
    kept = set(range(min(CORE, len(changes))))
    for names in (BY_NODES, BY_PODS):
        kept |= {images(changes, base, names)[place] for place in kept}
    return tuple(each for place, each in enumerate(changes) if place in kept)


class Axis:
    """The values of one part: a choice of one change of each feature, numbered."""

    def __init__(self, part: str, features: Sequence[Feature]) -> None:
        self.base = BASES[part]
        self.lists = [getattr(each, part) for each in features]
        self.choices = tuple(product(*(range(len(each)) for each in self.lists)))

    def __len__(self) -> int:
        """The number of values."""
        return len(self.choices)

    def made(self, number: int, base: Any) -> Any:
        """Return the object with this value."""
        for changes, place in zip(self.lists, self.choices[number], strict=True):
            base = changes[place](base)
        return base

    def image(self, names: Renaming) -> tuple[int, ...]:
        """Return the number of each value after a renaming."""
        found = [images(each, self.base, names) for each in self.lists]
        number = {each: place for place, each in enumerate(self.choices)}
        return tuple(
            number[tuple(image[place] for image, place in zip(found, each, strict=True))] for each in self.choices
        )


class Code(NamedTuple):
    """A cluster by numbers: of the asked pod, of each node, of each other pod with its place, of all else, of the plugins."""

    asked: int
    nodes: tuple[int, ...]
    others: tuple[tuple[int, int], ...]
    beside: int
    plugins: int


class Space:
    """All clusters over some features."""

    def __init__(self, *features: Feature) -> None:
        self.features = features
        self.axes = {part: Axis(part, features) for part in BASES}

    @property
    def name(self) -> str:
        """The names of the features."""
        return " and ".join(each.name for each in self.features)

    @cached_property
    def _images(self) -> dict[tuple[str, Renaming], tuple[int, ...]]:
        return {(part, names): axis.image(names) for part, axis in self.axes.items() for names in (BY_NODES, BY_PODS)}

    def moved(self, code: Code, names: Renaming) -> Code:
        """Return the cluster after a renaming."""
        to = {part: self._images[part, names] for part in self.axes}
        nodes = tuple(to["nodes"][each] for each in code.nodes)
        others = tuple((to["others"][kind], place) for kind, place in code.others)
        if names == BY_NODES:
            nodes, others = nodes[::-1], tuple((kind, 1 - place) for kind, place in others)
        else:
            others = others[::-1]
        return Code(to["asked"][code.asked], nodes, others, to["beside"][code.beside], to["plugins"][code.plugins])

    def alike(self, code: Code) -> frozenset[Code]:
        """Return all clusters that are equal to this one up to symmetry."""
        found = {code}
        if len(code.nodes) == 2:
            found |= {self.moved(each, BY_NODES) for each in found}
        if len(code.others) == 2:
            found |= {self.moved(each, BY_PODS) for each in found}
        return frozenset(found)

    @cached_property
    def shapes(self) -> tuple[tuple[int, int, int], ...]:
        """The number of nodes and of other pods, and how many clusters there are of them, with their copies."""
        return tuple((nodes, others, self._raw(nodes, others)) for nodes in (1, 2) for others in (0, 1, 2))

    def _raw(self, nodes: int, others: int) -> int:
        of = {part: len(axis) for part, axis in self.axes.items()}
        return int(of["asked"] * of["nodes"] ** nodes * (of["others"] * nodes) ** others * of["beside"] * of["plugins"])

    @property
    def raw(self) -> int:
        """The number of clusters, with their copies."""
        return sum(each for *_, each in self.shapes)

    def code(self, number: int) -> Code:
        """Return the cluster of this number, from 0 to `raw` - 1."""
        for nodes, others, count in self.shapes:
            if number < count:
                return self._decoded(number, nodes, others)
            number -= count
        raise IndexError("there are fewer clusters")

    def _decoded(self, number: int, nodes: int, others: int) -> Code:
        rest = number

        def digit(base: int) -> int:
            nonlocal rest
            rest, found = divmod(rest, base)
            return found

        axes = self.axes
        return Code(
            digit(len(axes["asked"])),
            tuple(digit(len(axes["nodes"])) for _ in range(nodes)),
            tuple((digit(len(axes["others"])), digit(nodes)) for _ in range(others)),
            digit(len(axes["beside"])),
            digit(len(axes["plugins"])),
        )

    def clusters(self, numbers: Iterator[int] | range | None = None) -> Iterator[tuple[int, Code]]:
        """Yield one cluster of each class, the least of it, with its number; only those of these numbers if given."""
        for number in range(self.raw) if numbers is None else numbers:
            code = self.code(number)
            if code == min(self.alike(code)):
                yield number, code

    @property
    def size(self) -> int:
        """The number of clusters up to symmetry: the mean number of clusters that a renaming leaves as they are."""
        return sum(self._classes(nodes, others) for nodes in (1, 2) for others in (0, 1, 2))

    def _classes(self, nodes: int, others: int) -> int:
        group: list[tuple[Renaming, ...]] = [()] + [(BY_NODES,)] * (nodes == 2) + [(BY_PODS,)] * (others == 2)
        group += [(BY_NODES, BY_PODS)] * (nodes == 2 and others == 2)
        fixed = [self._fixed(nodes, others, renamings) for renamings in group]
        assert sum(fixed) % len(group) == 0, "Burnside's mean is no whole number"
        return sum(fixed) // len(group)

    def _fixed(self, nodes: int, others: int, renamings: Sequence[Renaming]) -> int:
        """The number of clusters of this shape that the renamings leave as they are."""

        def still(part: str) -> int:
            image = list(range(len(self.axes[part])))
            for names in renamings:
                image = [self._images[part, names][each] for each in image]
            return sum(place == each for place, each in enumerate(image))

        kinds, hosts = len(self.axes["others"]), len(self.axes["nodes"]) ** nodes
        placed = (kinds * nodes) ** others
        if BY_NODES in renamings:
            # The second node is the renamed first one. No pod stays where it is, but two can change places.
            hosts = len(self.axes["nodes"])
            placed = kinds * nodes if BY_PODS in renamings else int(others == 0)
        elif BY_PODS in renamings:
            placed = kinds * nodes
        return int(still("asked") * hosts * placed * still("beside") * still("plugins"))

    def question(self, code: Code) -> Question:
        """Return the pod that is asked about, the cluster, and the plugins."""
        axes = self.axes
        nodes = [
            axes["nodes"].made(kind, _called(BASES["nodes"], NODES[place])) for place, kind in enumerate(code.nodes)
        ]
        pods = [
            axes["others"].made(kind, replace(BASES["others"], name=OTHERS[place], node_name=NODES[on]))
            for place, (kind, on) in enumerate(code.others)
        ]
        beside = axes["beside"].made(code.beside, BASES["beside"])
        made = Snapshot.of(pods, nodes, beside.namespaces)
        there = replace(beside, pods=made.pods, nodes=made.nodes, namespaces=made.namespaces)
        return (
            axes["asked"].made(code.asked, BASES["asked"]),
            there,
            axes["plugins"].made(code.plugins, DEFAULT_PLUGINS),
        )


def _called(one: Node, name: str) -> Node:
    return replace(one, name=name, labels=one.labels.set(HOSTNAME, name))
