"""Reasons why a predicate rejects a node, in the words of 1.17, and the error of a predicate: `Reason`, `PredicateError`.

Kubernetes 1.17: pkg/scheduler/algorithm/predicates/error.go; for conditions of nodes the same file of 1.11.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """A reason in the scheduler's words. `final`: the scheduler knows that removing pods cannot resolve it."""

    words: str
    final: bool = False

    def __str__(self) -> str:
        return self.words


Reasons = tuple[Reason, ...]
PASSED: Reasons = ()


class PredicateError(Exception):
    """A predicate could not be evaluated; the text says why. `predicate` is its name, set where it is evaluated."""

    predicate = ""


def insufficient(resource: str) -> Reason:
    """Return the reason of a node with too little of a resource."""
    return Reason(f"Insufficient {resource}")


DISK_CONFLICT = Reason("node(s) had no available disk")
ZONE_CONFLICT = Reason("node(s) had no available volume zone", final=True)
TOO_MANY_VOLUMES = Reason("node(s) exceed max volume count")
SELECTOR_MISMATCH = Reason("node(s) didn't match node selector", final=True)
HOST_MISMATCH = Reason("node(s) didn't match the requested hostname", final=True)
PORTS_IN_USE = Reason("node(s) didn't have free ports for the requested pod ports")
LABELS_VIOLATED = Reason("node(s) didn't have the requested labels", final=True)
SERVICE_ELSEWHERE = Reason("node(s) didn't match service affinity")
TAINTED = Reason("node(s) had taints that the pod didn't tolerate", final=True)
INTER_POD = Reason("node(s) didn't match pod affinity/anti-affinity")
INTER_POD_AFFINITY = Reason("node(s) didn't match pod affinity rules", final=True)
INTER_POD_ANTI_AFFINITY = Reason("node(s) didn't match pod anti-affinity rules")
EXISTING_ANTI_AFFINITY = Reason("node(s) didn't satisfy existing pods anti-affinity rules")
MEMORY_PRESSURE = Reason("node(s) had memory pressure", final=True)
DISK_PRESSURE = Reason("node(s) had disk pressure", final=True)
PID_PRESSURE = Reason("node(s) had pid pressure", final=True)
NOT_READY = Reason("node(s) were not ready", final=True)
OUT_OF_DISK = Reason("node(s) were out of disk space", final=True)
NO_NETWORK = Reason("node(s) had unavailable network", final=True)
CORDONED = Reason("node(s) were unschedulable", final=True)
VOLUME_ELSEWHERE = Reason("node(s) had volume node affinity conflict", final=True)
NO_VOLUME = Reason("node(s) didn't find available persistent volumes to bind", final=True)
