"""Workload manifests, and the reference of a pod to its pod group: `gang_workload`, `workload_reference`.

Kubernetes 1.35: ValidateWorkload in pkg/apis/scheduling/validation, validateWorkloadReference in pkg/apis/core/validation.
"""

from typing import Final

from schedcheck.manifests.fields import INT32, Field
from schedcheck.manifests.validity import A_LABEL, is_label, is_subdomain
from schedcheck.spec.workload_objects import GangWorkload, GroupPolicy, WorkloadReference

MOST_GROUPS: Final = 8
VERSION: Final = "scheduling.k8s.io/v1alpha1"
"""The only version of Workload that is read; later ones have templates of pod groups, which are objects of their own."""


def gang_workload(field: Field) -> GangWorkload:
    """Return the workload of a manifest."""
    metadata, groups = field["metadata"], field["spec"]["podGroups"]
    items = groups.items()
    if not 0 < len(items) <= MOST_GROUPS:
        raise groups.error(f"expected one to {MOST_GROUPS} pod groups")
    policies = tuple(map(_group, items))
    for place, each in enumerate(policies):
        if each.name in {other.name for other in policies[:place]}:
            raise items[place]["name"].error("expected a name that no other pod group of the workload has")
    return GangWorkload(_subdomain(metadata["name"]), metadata["namespace"].text() or "default", policies)


def _group(field: Field) -> GroupPolicy:
    name, policy = _label(field["name"]), field["policy"]
    if bool(policy["basic"]) == bool(policy["gang"]):
        raise policy.error("expected either basic or gang")
    return GroupPolicy(name, policy["gang"]["minCount"].integer(1, INT32 - 1) if policy["gang"] else None)


def workload_reference(field: Field) -> WorkloadReference | None:
    """Return the workloadRef of a pod; None if it is absent."""
    if not field:
        return None
    replica = field["podGroupReplicaKey"]
    return WorkloadReference(
        _subdomain(field["name"]), _label(field["podGroup"]), _label(replica) if replica.text() else ""
    )


def _subdomain(field: Field) -> str:
    if not is_subdomain(field.text()):
        raise field.error("expected the name of a workload, a DNS subdomain")
    return field.text()


def _label(field: Field) -> str:
    if not is_label(field.text()):
        raise field.error(f"expected {A_LABEL}")
    return field.text()
