"""Workload and PodGroup manifests, and the references of a pod to them: `gang_workload`, `workload_reference`, `pod_group`,
`scheduling_group`.

Kubernetes 1.35: ValidateWorkload in pkg/apis/scheduling/validation, validateWorkloadReference in pkg/apis/core/validation.
Kubernetes 1.36: PodGroupSpec in k8s.io/api/scheduling/v1alpha2.
Kubernetes 1.37: Validate_PodGroupSpec in pkg/apis/scheduling/v1beta1/zz_generated.validations.go, validateSchedulingGroup
in pkg/apis/core/validation/validation.go, admitPodGroup in plugin/pkg/admission/priority/admission.go.
"""

from typing import Final

from schedcheck.manifests.fields import INT32, Field
from schedcheck.manifests.priorities import PriorityClasses
from schedcheck.manifests.validity import A_LABEL, is_label, is_subdomain
from schedcheck.spec.workload_objects import GangWorkload, GroupPolicy, PodGroup, WorkloadReference

MOST_GROUPS: Final = 8
VERSION: Final = "scheduling.k8s.io/v1alpha1"
"""The only version of Workload that is read; later ones have templates of pod groups, which are objects of their own."""

OF_1_36: Final = "scheduling.k8s.io/v1alpha2"

OF_POD_GROUPS: Final = ("scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3", OF_1_36)
"""The versions of PodGroup that are read: those that 1.37 serves, and the one of 1.36."""

UNMODELLED: Final = {
    "parentCompositePodGroupName": "a parent",
    "schedulingConstraints": "topology constraints",
    "resourceClaims": "resource claims",
}
"""The fields of a PodGroup that are not modelled, in words."""


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


def pod_group(field: Field, classes: PriorityClasses) -> PodGroup:
    """Return the PodGroup of a manifest; its priority is that of its class."""
    metadata, spec = field["metadata"], field["spec"]
    policy, mode = spec["schedulingPolicy"], spec["disruptionMode"]
    if _given(policy["basic"]) == _given(policy["gang"]):
        raise policy.error("expected either basic or gang")
    return PodGroup(
        _subdomain(metadata["name"], "a pod group"),
        metadata["namespace"].text() or "default",
        policy["gang"]["minCount"].integer(1, INT32 - 1) if _given(policy["gang"]) else None,
        classes.of(spec)[0],
        _together(mode),
        next((words for key, words in UNMODELLED.items() if spec[key]), ""),
    )


def _together(mode: Field) -> bool:
    """Whether a disruptionMode, which is a word in 1.36, means the whole group."""
    if isinstance(mode.value, str):
        if mode.value not in ("Pod", "PodGroup"):
            raise mode.error("expected Pod or PodGroup, or since 1.37 either single or all")
        return mode.value == "PodGroup"
    if _given(mode["single"]) and _given(mode["all"]):
        raise mode.error("expected either single or all")
    return _given(mode["all"])


def scheduling_group(field: Field) -> str:
    """Return the PodGroup that the schedulingGroup of a pod names; empty if the field is absent."""
    return _subdomain(field["podGroupName"], "a pod group") if _given(field) else ""


def _given(field: Field) -> bool:
    """Whether a field is present, be it empty."""
    return field.value is not None


def _subdomain(field: Field, what: str = "a workload") -> str:
    if not is_subdomain(field.text()):
        raise field.error(f"expected the name of {what}, a DNS subdomain")
    return field.text()


def _label(field: Field) -> str:
    if not is_label(field.text()):
        raise field.error(f"expected {A_LABEL}")
    return field.text()
