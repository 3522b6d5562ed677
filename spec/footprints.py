"""Footprints: the part of a snapshot that a definition reads, declared on the definition by `looks_at`.

A footprint reduces a snapshot to the part that a definition reads; the definition gives the same answer on the reduced
snapshot as on the whole. The pod to be placed is not part of it. A footprint is a set of paths:

    node.taints                  a field of the node in question
    occupants.priority           a field of the pods on that node
    nominated.priority           a field of the pods nominated to that node
    candidates.labels            a field of the candidate nodes; a normalised score depends on all of them
    nodes.labels, pods.labels    a field of every node; of every pod that has a node
    victims.priority             a field of the given victims
    scores                       the raw scores of the candidates
    budgets, storage.claims, …   a field of the snapshot, or a field of such a field

An object's name, a pod's node and a pod's phase are always part of it. Reading anything outside the footprint raises
OutsideFootprint, so a footprint that is too narrow causes an exception and never a wrong answer.
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
"""Whether the second pod counts when the first is to be placed."""

Keys = Callable[[Pod, Snapshot], Container[str] | None]
"""The labels of nodes that matter for the pod to be placed; None stands for all labels."""

WHAT_A_POD_IS: Final = ("name", "namespace", "node_name", "phase")
WHAT_A_NODE_IS: Final = ("name",)
ONE_NODE: Final = {"node": "nodes", "occupants": "pods"}
"""The path heads for one node, each with the corresponding head for all nodes."""


class OutsideFootprint(Exception):
    """Raised when a definition reads a value outside its declared footprint."""


class Unseen:
    """A placeholder for every value outside the footprint. It equals itself, so that projections can be compared."""

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
    """A snapshot of a single node and its pods. The node is found by name; iterating over all nodes is refused."""

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
    """The reach of a definition beyond the pod to be placed: no node, one node, some pods on any node, or all."""

    POD = 0
    NODE = 1
    DOMAINS = 2
    ALL = 3


def every_pod(pod: Pod, other: Pod, snapshot: Snapshot) -> bool:
    """Whether `other` counts: always. The default `who` of a footprint."""
    return True


def of_its_namespace(pod: Pod, other: Pod, snapshot: Snapshot) -> bool:
    """Whether `other` is in the namespace of `pod`, which is to be placed: a `who` of a footprint."""
    return other.namespace == pod.namespace


def any_pod(pod: Pod) -> bool:
    """Whether `pod` widens a footprint beyond one node: always. The default `wide_for` of a footprint."""
    return True


def cut(thing: Any, paths: Paths) -> Any:
    """Return the object, or each object of a tuple, reduced to the fields that the paths name."""
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
    """Return the parts of the paths below the field of this name; the empty path stands for the whole field."""
    parted = (path.partition(".") for path in paths)
    return frozenset(rest for head, _, rest in parted if head == name)


@dataclass(frozen=True)
class Footprint:
    """The part of a snapshot that a definition reads: paths, the pods that `who` selects, the node labels in `keys`.

    It goes beyond one node only if `wide_for` is true of some pod of the cluster.
    """

    paths: Paths = frozenset()
    who: Who = every_pod
    keys: Keys | None = None
    wide_for: Callable[[Pod], object] = any_pod

    def __str__(self) -> str:
        return ", ".join(sorted(self.paths)) or "nothing"

    def __or__(self, other: "Footprint") -> "Footprint":
        """Return a footprint that covers both. It covers all pods and labels, unless both select the same."""
        near, far = sorted((self, other), key=lambda each: each.width)
        if near.width == Width.POD:
            return replace(far, paths=near.paths | far.paths)
        if near.width == Width.NODE < far.width:
            return near._everywhere() | far
        return Footprint(
            self.paths | other.paths,
            self.who if self.who is other.who else every_pod,
            self.keys if self.keys is other.keys else None,
            self.wide_for if self.wide_for is other.wide_for else any_pod,
        )

    @property
    def width(self) -> Width:
        """The greatest distance to which the definition reads, in any cluster."""
        heads = {path.partition(".")[0] for path in self.paths}
        if heads & {"nodes", "pods", "candidates", "scores"}:
            return Width.ALL if self.who is every_pod else Width.DOMAINS
        return Width.NODE if heads & {"node", "occupants", "nominated"} else Width.POD

    def width_among(self, pods: Iterable[Pod]) -> Width:
        """Return the greatest distance to which the definition reads in a cluster of these pods."""
        return self.width if any(self.wide_for(pod) for pod in pods) else min(self.width, Width.NODE)

    def without(self, path: str) -> "Footprint":
        """Return this footprint without the given path."""
        return replace(self, paths=self.paths - {path})

    def with_nominated(self) -> "Footprint":
        """Return the footprint of the same definition when pods nominated to the node count as well."""
        heads = {"nominated", "occupants" if self.width == Width.NODE else "pods"}
        also = {f"nominated.{rest}" for head in heads for rest in self._of(head)}
        return replace(self, paths=self.paths | also | {"nominated.priority", "nominated.nominated_node_name"})

    def _everywhere(self) -> "Footprint":
        """Return this footprint widened from one node to every node."""
        parted = (path.partition(".") for path in self.paths)
        paths = frozenset("".join((ONE_NODE.get(head, head), dot, rest)) for head, dot, rest in parted)
        return Footprint(paths | {"nodes.name", "pods.name"})

    def _of(self, *heads: str) -> Paths:
        return frozenset[str]().union(*(below(head, self.paths) for head in heads))

    def node(self, node: Node, pod: Pod, snapshot: Snapshot) -> Node:
        """Return the node, reduced to the fields and labels in the footprint."""
        keys = self.keys(pod, snapshot) if self.keys is not None else None
        if keys is not None:
            node = replace(node, labels=frozendict({key: node.labels[key] for key in node.labels if key in keys}))
        cut_down: Node = cut(node, self._of("node", "candidates", "nodes").union(WHAT_A_NODE_IS))
        return cut_down

    def pods(self, pods: tuple[Pod, ...], *heads: str) -> tuple[Pod, ...]:
        """Return these pods, reduced to the fields that the footprint names under the given heads."""
        cut_down: tuple[Pod, ...] = cut(pods, self._of(*heads).union(WHAT_A_POD_IS))
        return cut_down

    def project(self, pod: Pod, node: Node, snapshot: Snapshot) -> Snapshot:
        """Return the snapshot reduced to the footprint for `pod` and `node`: hashable, the cache key of the answer."""
        known = {
            name: cut(getattr(snapshot, name), self._of(name)) if self._of(name) else UNSEEN
            for name in ("namespaces", "budgets", "services", "controllers", "storage", "devices")
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
"""The footprint of a definition that reads nothing but the pod to be placed."""


def looks_at(
    *paths: str, who: Who = every_pod, keys: Keys | None = None, wide_for: Callable[[Pod], object] = any_pod
) -> Callable[[Definition], Definition]:
    """Declare the footprint of a definition, given its paths."""
    return declares(Footprint(frozenset(paths), who, keys, wide_for))


def declares(footprint: Footprint) -> Callable[[Definition], Definition]:
    """Attach this footprint to a definition."""

    def declared(definition: Definition) -> Definition:
        definition.footprint = footprint  # type: ignore[attr-defined]
        return definition

    return declared


def footprint(*definitions: Callable[..., object]) -> Footprint:
    """Return the union of the footprints of these definitions. Each of them must have declared one."""
    together: list[Footprint] = [definition.footprint for definition in definitions]  # type: ignore[attr-defined]
    return reduce(Footprint.__or__, together)
