"""A pod with the data derived from it alone, computed once: `PodInfo`.

Kubernetes 1.34: PodInfo in pkg/scheduler/framework/types.go.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from schedcheck.model.production.snapshot.claims import named_by
from schedcheck.model.production.snapshot.mounts import Mount, mounts
from schedcheck.model.production.snapshot.requests import (
    CPU,
    MEMORY,
    has_status,
    names_all,
    occupied,
    occupied_when_rated,
    requested,
    requested_when_rated,
    rounded,
)
from schedcheck.model.production.snapshot.terms import CarriedTerm, carried
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.objects import Pod

Port = tuple[str, str, int]
"""Address, protocol and number; the address 0.0.0.0 means every address."""

ANY_ADDRESS = "0.0.0.0"
NEVER = 2**63 - 1
"""A time later than every start time."""


@dataclass(frozen=True, eq=False)
class PodInfo:
    """A pod; derived data is computed at its first use."""

    pod: Pod

    @cached_property
    def importance(self) -> tuple[int, int]:
        """Return the sort key of victims, the most important first: higher priority, then earlier start.

        A pod that has not started counts as started last.
        """
        return -self.pod.priority, self.start

    @property
    def start(self) -> int:
        """Return when the pod started; `NEVER` if it has not."""
        return NEVER if self.pod.start_time is None else self.pod.start_time

    @cached_property
    def key(self) -> tuple[str, str]:
        """Return namespace and name."""
        return self.pod.key

    @cached_property
    def identity(self) -> tuple[str, ...]:
        """Return namespace, name and, if known, UID, which distinguishes pods that had one name in turn."""
        return self.pod.identity

    @cached_property
    def requests(self) -> Mapping[str, int]:
        """Return the requests of the pod while it is pending, in smallest units."""
        return rounded(requested(self.pod))

    def occupied(self, departures: Departures) -> Mapping[str, int]:
        """Return the amounts that the pod takes on its node, in smallest units."""
        if not self._has_status:
            return self.requests
        known = self._occupied.get(departures)
        if known is None:
            known = self._occupied[departures] = occupied(self.pod, departures)
        return known

    def placed(self, node: str) -> "PodInfo":
        """Return the same pod on a node, with the data derived so far, none of which depends on the node."""
        made = PodInfo(self.pod.but(node_name=node))
        vars(made).update({**vars(self), "pod": made.pod})
        return made

    def rated(self, departures: Departures) -> tuple[int, int]:
        """Return the cpu in thousandths and the memory in bytes that scores assume for the pod on its node."""
        if not self._has_status and not self.pod.pod_requests:
            return self.rated_requests.get(CPU, 0), self.rated_requests.get(MEMORY, 0)
        known = self._rated.get(departures)
        if known is None:
            known = self._rated[departures] = occupied_when_rated(self.pod, departures)
        return known

    @cached_property
    def rated_requests(self) -> Mapping[str, int]:
        """Return the requests that NodeResourcesFit scores: with defaults, without those of the pod as a whole."""
        return self.requests if names_all(self.pod) else requested_when_rated(self.pod)

    @cached_property
    def _has_status(self) -> bool:
        return has_status(self.pod)

    @cached_property
    def _occupied(self) -> dict[Departures, Mapping[str, int]]:
        return {}

    @cached_property
    def _rated(self) -> dict[Departures, tuple[int, int]]:
        return {}

    @cached_property
    def ports(self) -> frozenset[Port]:
        """Return the host ports of containers and sidecars."""
        sidecars = (container for container in self.pod.init_containers if container.sidecar)
        return frozenset(
            (port.ip or ANY_ADDRESS, port.protocol, port.port)
            for container in (*self.pod.containers, *sidecars)
            for port in container.ports
            if port.port > 0
        )

    @cached_property
    def takes_amounts_alone(self) -> bool:
        """Whether the pod has neither host ports nor volumes."""
        return not self.ports and not self.pod.volumes

    @cached_property
    def claims(self) -> tuple[str, ...]:
        """Return the names of the pod's claims, one a volume."""
        return named_by(self.pod)

    @cached_property
    def mounts(self) -> tuple[Mount, ...]:
        """Return the pod's inline disks that cannot be mounted twice on a node."""
        return mounts(self.pod)

    @cached_property
    def required(self) -> tuple[CarriedTerm, ...]:
        """Return the required pod affinity terms."""
        return tuple(carried(term, self.pod) for term in self.pod.affinity.pod_required)

    @cached_property
    def required_anti(self) -> tuple[CarriedTerm, ...]:
        """Return the required pod anti-affinity terms."""
        return tuple(carried(term, self.pod) for term in self.pod.affinity.anti_required)

    @cached_property
    def preferred(self) -> tuple[tuple[CarriedTerm, int], ...]:
        """Return the preferred terms with their weights; those of anti-affinity are negative."""
        affinity = self.pod.affinity
        near = ((each, each.weight) for each in affinity.pod_preferred)
        far = ((each, -each.weight) for each in affinity.anti_preferred)
        return tuple((carried(each.term, self.pod), weight) for each, weight in (*near, *far))


def clash(wanted: Port, held: Port) -> bool:
    """Whether two host ports cannot be in use on one node."""
    return wanted[1:] == held[1:] and (wanted[0] == held[0] or ANY_ADDRESS in (wanted[0], held[0]))
