"""The operators over which the control loop and preemption are stated: `Operators`; SchedulingEnabled."""

from collections.abc import Callable
from typing import Protocol

from schedcheck.spec.faults import Faults
from schedcheck.spec.objects import Node, Pod, Snapshot

VictimSets = frozenset[frozenset[Pod]]


class Operators(Protocol):
    """The faults that are on, and the operators Feasibility, Viability, VictimSets and Casualty."""

    @property
    def faults(self) -> Faults:
        """The faults of the published model that are on."""

    @property
    def feasibility(self) -> Callable[[Pod, Node, Snapshot], bool]:
        """Whether the pod may be bound to the node."""

    @property
    def viability(self) -> Callable[[Pod, Node, Snapshot], int]:
        """The rating of the node for the pod; higher is better."""

    @property
    def victim_sets(self) -> Callable[[Pod, Node, Snapshot], VictimSets]:
        """The sets of pods whose eviction makes the pod fit on the node."""

    @property
    def casualty(self) -> Callable[[frozenset[Pod]], tuple[int, int, int]]:
        """The damage of evicting the pods; less is better."""


def scheduling_enabled(pod: Pod, snapshot: Snapshot, profile: Operators) -> bool:
    r"""Whether at least one node is feasible for `pod` in this snapshot.

    TLA+: SchedulingEnabled(Pod) ==
            \E Node \in Nodes(Objects) : Feasibility(Pod, Node, Objects)
    """
    return any(profile.feasibility(pod, node, snapshot) for node in snapshot.nodes)
