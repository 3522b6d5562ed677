"""A process outside that has a say: `Extender`, the four things that it may be asked.

Kubernetes 1.34: Extender in k8s.io/kube-scheduler/framework/extender.go.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from schedcheck.spec.objects import Node, Pod

HIGHEST_EXTENDER_SCORE = 10
BY_EXTENDER = "Extender"
"""Who is said to have refused a pod where an extender took nodes away."""


class ExtenderError(Exception):
    """An extender that cannot be reached, is too late, or answers with an error."""


@dataclass(frozen=True)
class ExtenderFiltered:
    """The names of the nodes that an extender keeps, and why it does not keep the others; `hopeless` ones for good.

    `bare`: it has sent back the nodes as objects, of which nothing else is known then.
    """

    kept: tuple[str, ...]
    failed: Mapping[str, str] = field(default_factory=dict)
    hopeless: Mapping[str, str] = field(default_factory=dict)
    bare: bool = False


@dataclass(frozen=True)
class Victims:
    """The pods that are to be evicted from a node, in order of importance, and how many of them violate a budget."""

    pods: tuple[Pod, ...]
    violations: int = 0


class Extender(Protocol):
    """What it offers, and what it says. A verb that it does not offer is never asked for.

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
        """Whether it wants to be asked about this pod."""
        ...

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFiltered:
        """Which of the nodes it keeps."""
        ...

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, int]:
        """Scores from 0 to 10 by node."""
        ...

    def preempt(self, pod: Pod, victims: Mapping[str, Victims]) -> Mapping[str, Victims]:
        """The nodes that it keeps, each with its victims."""
        ...

    def bind(self, pod: Pod, node: str) -> None:
        """Binds the pod itself."""
        ...
