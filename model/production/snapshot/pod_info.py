"""A pod with what follows from it alone, worked out once: `PodInfo`, `pod_info`.

Kubernetes 1.34: PodInfo in pkg/scheduler/framework/types.go.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from schedcheck.model.production.snapshot.requests import occupied, occupied_when_rated, requested, rounded
from schedcheck.model.production.snapshot.terms import CarriedTerm, carried
from schedcheck.model.production.volumes.claims import named_by
from schedcheck.model.production.volumes.mounts import Mount, mounts
from schedcheck.spec.objects import Pod

Port = tuple[str, str, int]
"""Address, protocol and number; the address 0.0.0.0 is every address."""

ANY_ADDRESS = "0.0.0.0"
NEVER = 2**63 - 1
"""Later than every start."""


@dataclass(frozen=True, eq=False)
class PodInfo:
    """A pod; what is derived is derived at its first use."""

    pod: Pod

    @cached_property
    def importance(self) -> tuple[int, int]:
        """What victims are ordered by, the most important first: the higher priority, then the earlier start.

        A pod that has not started counts as started last.
        """
        return -self.pod.priority, NEVER if self.pod.start_time is None else self.pod.start_time

    @cached_property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.pod.key

    @cached_property
    def identity(self) -> tuple[str, ...]:
        """What tells it from every other pod, those of its name included."""
        return self.pod.identity

    @cached_property
    def requests(self) -> Mapping[str, int]:
        """What the pod asks for while it waits, in smallest units."""
        return rounded(requested(self.pod))

    @cached_property
    def occupied(self) -> Mapping[str, int]:
        """What the pod takes once it is on a node, in smallest units."""
        return occupied(self.pod)

    @cached_property
    def rated(self) -> tuple[int, int]:
        """Thousandths of cpu and bytes that it is taken to use there where nodes are rated."""
        return occupied_when_rated(self.pod)

    @cached_property
    def ports(self) -> frozenset[Port]:
        """The ports of the node that the containers and the sidecars take."""
        sidecars = (container for container in self.pod.init_containers if container.sidecar)
        return frozenset(
            (port.ip or ANY_ADDRESS, port.protocol, port.port)
            for container in (*self.pod.containers, *sidecars)
            for port in container.ports
            if port.port > 0
        )

    @cached_property
    def claims(self) -> tuple[str, ...]:
        """The claims that it names, one a volume."""
        return named_by(self.pod)

    @cached_property
    def mounts(self) -> tuple[Mount, ...]:
        """The disks that stand in it and cannot be mounted twice on a node."""
        return mounts(self.pod)

    @cached_property
    def required(self) -> tuple[CarriedTerm, ...]:
        """The required terms of its affinity to pods."""
        return tuple(carried(term, self.pod) for term in self.pod.affinity.pod_required)

    @cached_property
    def required_anti(self) -> tuple[CarriedTerm, ...]:
        """The required terms of its anti-affinity."""
        return tuple(carried(term, self.pod) for term in self.pod.affinity.anti_required)

    @cached_property
    def preferred(self) -> tuple[tuple[CarriedTerm, int], ...]:
        """The preferred terms with their weights, those of anti-affinity below zero."""
        affinity = self.pod.affinity
        near = ((each, each.weight) for each in affinity.pod_preferred)
        far = ((each, -each.weight) for each in affinity.anti_preferred)
        return tuple((carried(each.term, self.pod), weight) for each, weight in (*near, *far))


def clash(wanted: Port, held: Port) -> bool:
    """Whether both cannot be had on one node."""
    return wanted[1:] == held[1:] and (wanted[0] == held[0] or ANY_ADDRESS in (wanted[0], held[0]))
