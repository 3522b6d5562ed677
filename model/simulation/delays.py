"""The delays of a simulation, each drawn uniformly between two bounds: `Delays`, `DELAYS`.

Every assumption about time is in `DELAYS` or in `FIXED`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from frozendict import frozendict


@dataclass(frozen=True)
class Delay:
    """The least and the most seconds of a delay, and what takes them."""

    least: float
    most: float
    meaning: str


DELAYS: Mapping[str, Delay] = frozendict(
    {
        "informer": Delay(0.0, 0.05, "from a change of an object until the scheduler knows it"),
        "cycle": Delay(0.001, 0.01, "a scheduling cycle; the next one begins after it"),
        "binding": Delay(0.01, 0.1, "from the end of the cycle until the pod is bound"),
        "call": Delay(0.005, 0.05, "before each call that evicts a pod, by the scheduler or by a drain"),
        "start": Delay(1.0, 5.0, "from the binding until the pod is running, on a ready node"),
        "termination": Delay(
            0.0, 1.0, "from the deletion of a pod until its end, as a part of its terminationGracePeriodSeconds"
        ),
        "owner": Delay(0.1, 1.0, "until an owner creates or deletes pods after a change"),
        "disruption": Delay(0.1, 1.0, "until the disruption controller has recounted a budget after a change"),
        "monitor": Delay(50.0, 55.0, "from the last report of an unreachable node until Ready is Unknown"),
        "lifecycle": Delay(0.0, 5.0, "from a change of the condition Ready until the node's taints match it"),
        "podgc": Delay(40.0, 60.0, "from the deletion of a node until the pods bound to it are collected"),
    }
)
"""The delays with their bounds, in seconds unless the meaning says otherwise.

Kubernetes 1.34: node-monitor-grace-period (50 s) and node-monitor-period (5 s) of the node lifecycle controller;
quarantineTime (40 s) and gcCheckPeriod (20 s) in pkg/controller/podgc/gc_controller.go. The others are assumed.
"""

RETRY = 5.0
"""The seconds after which a drain evicts a pod again that a budget refused, as kubectl does."""

FLUSH, FLUSH_UNSCHEDULABLE = 1.0, 30.0
"""The seconds between two looks at the backoffQ, and at unschedulablePods, as in pkg/scheduler/backend/queue."""

GRACE = 30.0
"""The terminationGracePeriodSeconds of a pod that names none."""


@dataclass(frozen=True)
class Delays:
    """The bounds of each delay by its name."""

    bounds: Mapping[str, Delay] = DELAYS

    def draw(self, name: str, chance: Random) -> float:
        """Return the seconds of one delay."""
        bound = self.bounds[name]
        return bound.least if bound.least == bound.most else chance.uniform(bound.least, bound.most)
