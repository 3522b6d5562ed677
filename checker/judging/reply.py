"""What a scheduler says that it does with a pod: `Reply`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

PodKey = tuple[str, str]
"""Namespace and name of a pod."""

Kind = Literal["bind", "nominate", "evict", "unschedulable", "error"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True)
class ToldRefusal:
    """A refusal of a node as a scheduler tells it; a plugin or code of None is not told."""

    reasons: tuple[str, ...]
    plugin: str | None = None
    code: str | None = None


@dataclass(frozen=True)
class Reply:
    """The decision of a scheduler about one pod, and what else it tells; None is not told.

    kind
        "bind" the pod to `node`; "nominate" it to `node`, for which `victims` are evicted; "evict" the victims without a
        nomination; "unschedulable": the pod stays pending; "error": the cycle ended in an error.
    node
        The name of the node; it may be empty where the kind is "evict".
    victims
        Namespaces and names of the pods that are evicted.
    scores
        The total score of each node, by name.
    refusals
        The refusals of nodes, by name; no refusal says that the node is feasible.
    message
        The text of the event, or of the error.
    unnominated
        Whether the pod loses the nomination that it has.
    """

    kind: Kind
    node: str = ""
    victims: frozenset[PodKey] | None = None
    scores: Mapping[str, int] | None = None
    refusals: Mapping[str, tuple[ToldRefusal, ...]] | None = None
    message: str | None = None
    unnominated: bool | None = None
