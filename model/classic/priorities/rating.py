"""What the priorities know of the pod that is scheduled, and what a priority is: `Rating`, `Priority`, `scaled`.

Kubernetes 1.17: priorityMetadata in pkg/scheduler/algorithm/priorities/metadata.go, PriorityConfig in types.go;
1.6: MaxPriority in plugin/pkg/scheduler/api/types.go.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from schedcheck.model.classic.listers import Listers
from schedcheck.model.classic.nodes.cache import Snapshot
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.nodes.pod_info import PodInfo

MOST: Final = 10
"""The score of the best node."""


@dataclass(frozen=True)
class Rating:
    """The pod, the nodes on which it fits, all nodes, the listers, and the arguments of the policy."""

    info: PodInfo
    nodes: tuple[NodeInfo, ...]
    snapshot: Snapshot
    listers: Listers
    by_allocatable: bool
    hard_weight: int


Map = Callable[[Rating, NodeInfo], int]
Reduce = Callable[[Rating, list[int]], list[int]]
Begin = Callable[[Rating], tuple[Map, Reduce]]
"""Prepares a priority for one pod: its map and its reduce function."""


def kept(rating: Rating, scores: list[int]) -> list[int]:
    """Return the scores as they are."""
    return scores


def only(rate: Map) -> Begin:
    """Return a priority without preparation, whose scores are not scaled."""
    return lambda rating: (rate, kept)
