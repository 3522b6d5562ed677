"""What a definition looks at beside the pod to be placed: `Footprint`, declared beside the definition by `looks_at`.

A footprint cuts a snapshot down to what is looked at, and the definition answers of that as of the whole. It is written
as paths:

    node.taints                  a field of the node that is asked about
    occupants.priority           of the pods on that node
    nominated.priority           of the pods that wait for it
    candidates.labels            of the nodes to choose from, all of which a normalised score depends on
    nodes.labels, pods.labels    of every node; of the pods that are on any
    victims.priority             of the pods that are given
    scores                       the raw scores of the candidates
    budgets, storage.claims, …   a field of the snapshot, or a field of that

What an object is called, on which node a pod is, and whether it has ended, always belongs to it. Whoever asks anything of
what is left out meets OutsideFootprint: a footprint that is too narrow ends in a crash, not in a wrong answer.
"""

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from functools import cached_property, reduce
from typing import Any, Final, NoReturn, TypeVar

from frozendict import frozendict

from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.values import HashedOnce

Definition = TypeVar("Definition", bound=Callable[..., object])
Paths = frozenset[str]
Who = Callable[[Pod, Pod, Snapshot], bool]
"""Whether, for the first pod, which is to be placed, the second counts."""

Keys = Callable[[Pod, Snapshot], Container[str] | None]
"""Which labels of nodes matter for the pod to be placed; None for all."""

WHAT_A_POD_IS: Final = ("name", "namespace", "node_name", "phase")
WHAT_A_NODE_IS: Final = ("name",)
ONE_NODE: Final = {"node": "nodes", "occupants": "pods"}
"""What is looked at of one node, and the same of all."""


class OutsideFootprint(Exception):
    """A definition looked at what its footprint declares out."""


class Unseen:
    """What stands in the place of everything that is left out. It is equal to itself, so that projections compare."""

    def __eq__(self, other: object) -> bool:
        return other is self or self._refuse()

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "UNSEEN"

    def _refuse(self, *_: object) -> NoReturn:
        raise OutsideFootprint

    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = __getattr__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __add__ = __radd__ = __sub__ = __rsub__ = __or__ = __ror__ = _refuse


UNSEEN: Final[Any] = Unseen()


@dataclass(frozen=True, eq=True)
class OneNode(Snapshot):
    """Of a snapshot one node and the pods on it. They are found by its name; there is no going through all nodes."""

    node: Node = UNSEEN
    occupants: tuple[Pod, ...] = UNSEEN

    __hash__ = HashedOnce.__hash__

    @cached_property
    def _members(self) -> frozenset[Pod | Node]:
        return frozenset((self.node, *self.occupants))

    @cached_property
    def pods_by_node(self) -> frozendict[str, tuple[Pod, ...]]:
        """The pods that name the node."""
        return frozendict({self.node.name: self.occupants})


class Width(IntEnum):
    """How far a definition looks, beyond the pod to be placed: to no node, to one, to some pods wherever they are, to all."""

    POD = 0
    NODE = 1
    DOMAINS = 2
    ALL = 3


def everybody(pod: Pod, other: Pod, snapshot: Snapshot) -> bool:
    """Of a definition that looks at all pods on the nodes that it looks at."""
    return True


def of_its_namespace(pod: Pod, other: Pod, snapshot: Snapshot) -> bool:
    """Of a definition that looks at the pods in the namespace of the one to be placed."""
    return other.namespace == pod.namespace


def whoever(pod: Pod) -> bool:
    """Of a definition that looks as far as it does whoever the pods of the cluster are."""
    return True


def cut(thing: Any, paths: Paths) -> Any:
    """The object, or each of several, with nothing but these fields, and these fields of its fields."""
    if "" in paths or thing is None:
        return thing
    if isinstance(thing, tuple):
        return tuple(cut(each, paths) for each in thing)
    kept = {path.partition(".")[0] for path in paths}
    return type(thing)(
        **{
            field.name: cut(getattr(thing, field.name), below(field.name, paths)) if field.name in kept else UNSEEN
            for field in fields(thing)
        }
    )


def below(name: str, paths: Iterable[str]) -> Paths:
    """What the paths say of the field of this name; the empty path is all of it."""
    parted = (path.partition(".") for path in paths)
    return frozenset(rest for head, _, rest in parted if head == name)


@dataclass(frozen=True)
class Footprint:
    """What a definition looks at: the paths, and of the pods those that `who` says, of the nodes' labels `keys`.

    It goes beyond one node only if `wide_for` is true of some pod of the cluster.
    """

    paths: Paths = frozenset()
    who: Who = everybody
    keys: Keys | None = None
    wide_for: Callable[[Pod], object] = whoever

    def __str__(self) -> str:
        return ", ".join(sorted(self.paths)) or "nothing"

    def __or__(self, other: "Footprint") -> "Footprint":
        """What either definition looks at, and perhaps more: all pods and labels, unless both look at the same."""
        near, far = sorted((self, other), key=lambda each: each.width)
        if near.width == Width.POD:
            return replace(far, paths=near.paths | far.paths)
        if near.width == Width.NODE < far.width:
            return near._everywhere() | far
        return Footprint(
            self.paths | other.paths,
            self.who if self.who is other.who else everybody,
            self.keys if self.keys is other.keys else None,
            self.wide_for if self.wide_for is other.wide_for else whoever,
        )

    @property
    def width(self) -> Width:
        """How far the definition looks at most."""
        heads = {path.partition(".")[0] for path in self.paths}
        if heads & {"nodes", "pods", "candidates", "scores"}:
            return Width.ALL if self.who is everybody else Width.DOMAINS
        return Width.NODE if heads & {"node", "occupants", "nominated"} else Width.POD

    def width_among(self, pods: Iterable[Pod]) -> Width:
        """How far the definition looks in a cluster of these pods."""
        return self.width if any(self.wide_for(pod) for pod in pods) else min(self.width, Width.NODE)

    def without(self, path: str) -> "Footprint":
        """The footprint that leaves this path out."""
        return replace(self, paths=self.paths - {path})

    def with_nominated(self) -> "Footprint":
        """The footprint of the same definition, asked of a node beside the pods that wait for it."""
        heads = {"nominated", "occupants" if self.width == Width.NODE else "pods"}
        also = {f"nominated.{rest}" for head in heads for rest in self._of(head)}
        return replace(self, paths=self.paths | also | {"nominated.priority", "nominated.nominated_node_name"})

    def _everywhere(self) -> "Footprint":
        """The same of every node instead of one."""
        parted = (path.partition(".") for path in self.paths)
        paths = frozenset("".join((ONE_NODE.get(head, head), dot, rest)) for head, dot, rest in parted)
        return Footprint(paths | {"nodes.name", "pods.name"})

    def _of(self, *heads: str) -> Paths:
        return frozenset[str]().union(*(below(head, self.paths) for head in heads))

    def node(self, node: Node, pod: Pod, snapshot: Snapshot) -> Node:
        """The node, or one of the nodes to choose from, as far as it is looked at."""
        keys = self.keys(pod, snapshot) if self.keys is not None else None
        if keys is not None:
            node = replace(node, labels=frozendict({key: node.labels[key] for key in node.labels if key in keys}))
        cut_down: Node = cut(node, self._of("node", "candidates", "nodes").union(WHAT_A_NODE_IS))
        return cut_down

    def pods(self, pods: tuple[Pod, ...], *heads: str) -> tuple[Pod, ...]:
        """These pods, as far as those under the heads are looked at."""
        cut_down: tuple[Pod, ...] = cut(pods, self._of(*heads).union(WHAT_A_POD_IS))
        return cut_down

    def project(self, pod: Pod, node: Node, snapshot: Snapshot) -> Snapshot:
        """What is looked at of the snapshot for `pod`, asked of `node`. It is hashable, and so the key to the answer."""
        known = {
            name: cut(getattr(snapshot, name), self._of(name)) if self._of(name) else UNSEEN
            for name in ("namespaces", "budgets", "services", "controllers", "storage")
        }
        counting = tuple(other for other in snapshot.pods if self._placed(pod, other, snapshot))
        waiting = tuple(other for other in snapshot.pods if self._waits(other))
        if self.width <= Width.NODE:
            here = self.pods(tuple(other for other in counting if other.node_name == node.name), "occupants")
            return OneNode(
                **known,
                pods=self.pods(tuple(each for each in waiting if each.nominated_node_name == node.name), "nominated")
                if self._of("nominated")
                else UNSEEN,
                nodes=UNSEEN,
                node=self.node(node, pod, snapshot) if self.width else UNSEEN,
                occupants=here if self._of("occupants") else UNSEEN,
            )
        seen = tuple(sorted((*counting, *waiting), key=lambda each: each.key))
        return Snapshot(
            **known,
            pods=self.pods(seen, "pods", "nominated") if self._of("pods", "nominated") else UNSEEN,
            nodes=tuple(self.node(each, pod, snapshot) for each in snapshot.nodes) if self._of("nodes") else UNSEEN,
        )

    def _placed(self, pod: Pod, other: Pod, snapshot: Snapshot) -> bool:
        return other.node_name != "" and self.who(pod, other, snapshot)

    def _waits(self, other: Pod) -> bool:
        return bool(self._of("nominated")) and other.nominated_node_name != "" and other.node_name == ""


NOTHING: Final = Footprint()
"""The footprint of a definition that looks at nothing but the pod to be placed."""


def looks_at(
    *paths: str, who: Who = everybody, keys: Keys | None = None, wide_for: Callable[[Pod], object] = whoever
) -> Callable[[Definition], Definition]:
    """Declare the footprint of a definition."""
    return declares(Footprint(frozenset(paths), who, keys, wide_for))


def declares(footprint: Footprint) -> Callable[[Definition], Definition]:
    """Declare this footprint to be that of a definition."""

    def declared(definition: Definition) -> Definition:
        definition.footprint = footprint  # type: ignore[attr-defined]
        return definition

    return declared


def footprint(*definitions: Callable[..., object]) -> Footprint:
    """What the definitions look at together, each of which must have declared it."""
    together: list[Footprint] = [definition.footprint for definition in definitions]  # type: ignore[attr-defined]
    return reduce(Footprint.__or__, together)
