"""What a predicate is built with: `Arguments`, and the type `Predicate`.

Kubernetes 1.17: PluginFactoryArgs in pkg/scheduler/algorithm_factory.go.
"""

from collections.abc import Callable
from dataclasses import dataclass

from schedcheck.model.classic.listers import Listers
from schedcheck.model.classic.metadata import Metadata
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.reasons import Reasons


@dataclass(frozen=True)
class Arguments:
    """The listers, which total of a node counts, and the text of KUBE_MAX_PD_VOLS."""

    listers: Listers
    by_allocatable: bool = False
    most_volumes: str = ""


Predicate = Callable[[Arguments, Metadata, NodeInfo], Reasons]
"""Returns no reasons if the node passes. Raises: PredicateError."""
