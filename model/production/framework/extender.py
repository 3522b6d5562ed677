"""The interface of a scheduler extender: `Extender`, with its four verbs.

Kubernetes 1.34: Extender in k8s.io/kube-scheduler/framework/extender.go.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from schedcheck.spec.objects import Node, Pod

HIGHEST_EXTENDER_SCORE = 10
BY_EXTENDER = "Extender"
"""The name under which a rejection by an extender is recorded."""


class ExtenderError(Exception):
    """An extender that cannot be reached, times out, or answers with an error."""


@dataclass(frozen=True)
class ExtenderFiltered:
    """The names of the nodes that an extender keeps, and the reasons for the others.

    `hopeless` nodes are rejected as unresolvable. `bare`: the extender returned node objects, and the scheduler then
    sees neither pods nor images on those nodes.
    """

    kept: tuple[str, ...]
    failed: Mapping[str, str] = field(default_factory=dict)
    hopeless: Mapping[str, str] = field(default_factory=dict)
    bare: bool = False


@dataclass(frozen=True)
class Victims:
    """The victims on a node, in order of importance, and how many of them violate a PodDisruptionBudget."""

    pods: tuple[Pod, ...]
    violations: int = 0


class Extender(Protocol):
    """An extender: the verbs that it offers, and its answers. A verb that it does not offer is never called.

    Raises: ExtenderError, from each of the four verbs.
    """

    name: str
    weight: int
    ignorable: bool
    filters: bool
    prioritizes: bool
    preempts: bool
    binds: bool

    def interested(self, pod: Pod) -> bool:
        """Whether the extender wants to be asked about this pod."""
        ...

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFiltered:
        """Return which of the nodes it keeps."""
        ...

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, int]:
        """Return scores from 0 to 10 by node."""
        ...

    def preempt(self, pod: Pod, victims: Mapping[str, Victims]) -> Mapping[str, Victims]:
        """Return the candidate nodes that it keeps, each with its victims."""
        ...

    def bind(self, pod: Pod, node: str) -> None:
        """Bind the pod."""
        ...
