"""The objects of gang scheduling: workloads with the policies of their pod groups, references to them, and PodGroups.

Kubernetes 1.35: Workload in k8s.io/api/scheduling/v1alpha1, WorkloadReference in k8s.io/api/core/v1.
Kubernetes 1.37: PodGroup in k8s.io/api/scheduling/v1beta1; the field schedulingGroup of a pod names it.
"""

from dataclasses import dataclass

from schedcheck.spec.values import Namespaced


@dataclass(frozen=True)
class WorkloadReference:
    """The pod group to which a pod belongs: a workload of its namespace, a group of it, and which replica of that group."""

    workload: str
    group: str
    replica: str = ""


@dataclass(frozen=True)
class GroupPolicy:
    """A pod group of a workload: its name, and the minCount of its gang; None for the policy basic."""

    name: str
    min_count: int | None = None


@dataclass(frozen=True)
class GangWorkload(Namespaced):
    """A Workload of scheduling.k8s.io/v1alpha1: the policies of its pod groups."""

    name: str
    namespace: str = "default"
    groups: tuple[GroupPolicy, ...] = ()


@dataclass(frozen=True)
class PodGroup(Namespaced):
    """A PodGroup: the minCount of its gang, None for the policy basic; its priority; how it may be disrupted."""

    name: str
    namespace: str = "default"
    min_count: int | None = None
    priority: int = 0
    disrupted_together: bool = False  # disruptionMode is all: preemption evicts all of its pods or none
    unmodelled: str = ""  # a field of it that is not modelled, empty if it has none
