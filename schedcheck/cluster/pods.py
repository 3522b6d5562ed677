"""A Pod manifest to a Pod, just as it is written: `pod`, `toleration`, and what a manifest records beside: `Entry`.

What the API server adds to a pod that it has not stored yet is `cluster.admission`'s.
Kubernetes 1.34: pkg/apis/core/validation.
"""

from dataclasses import dataclass

from schedcheck.cluster.affinity import affinity
from schedcheck.cluster.fields import Field
from schedcheck.cluster.priorities import LOWER_PRIORITY, POLICIES
from schedcheck.spec.objects import NO_LABELS, Container, Pod, Toleration

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
CONDITION_STATUSES = ("True", "False", "Unknown")
INT64 = 2**63


@dataclass(frozen=True)
class Entry:
    """A pod of the input, with the fields that it comes from.

    `added` says in words what it got that no manifest gave it. `live`: it has a uid, so that it exists already.
    """

    pod: Pod
    spec: Field
    status: Field
    live: bool = False
    added: tuple[str, ...] = ()

    def gated(self) -> bool:
        """Whether scheduling gates keep the pod out of the queue."""
        return bool(self.spec["schedulingGates"].items())

    def recorded_ready(self) -> bool:
        """Whether the status, where it has conditions, says that the pod is ready."""
        return not self.status["conditions"].items() or condition(self.status, "Ready", "False") == "True"


def pod(metadata: Field, spec: Field, status: Field) -> Pod:
    """The pod of a manifest with these parts. Its name and namespace are those of its metadata."""
    return Pod(
        name=metadata["name"].text(),
        namespace=metadata["namespace"].text() or "default",
        labels=metadata["labels"].labels(),
        node_name=spec["nodeName"].text(),
        phase=status["phase"].one_of(PHASES, "Pending"),
        priority=spec["priority"].integer() if spec["priority"] else 0,
        preemption_policy=spec["preemptionPolicy"].one_of(POLICIES, LOWER_PRIORITY),
        scheduler_name=spec["schedulerName"].text() or "default-scheduler",
        node_selector=spec["nodeSelector"].labels(),
        affinity=affinity(spec["affinity"], NO_LABELS),
        tolerations=tuple(toleration(item) for item in spec["tolerations"].items()),
        init_containers=tuple(_container(item) for item in spec["initContainers"].items()),
        containers=tuple(_container(item) for item in spec["containers"].items()),
        overhead=spec["overhead"].quantities(),
        pod_requests=spec["resources"]["requests"].quantities(),
        owner=controller(metadata),
        terminating=bool(metadata["deletionTimestamp"].text()),
    )


def controller(metadata: Field) -> tuple[str, str]:
    """The kind and name of what controls the object; empty strings where nothing does."""
    for reference in metadata["ownerReferences"].items():
        if reference["controller"].boolean():
            return reference["kind"].required("a kind"), reference["name"].required("a name")
    return "", ""


def condition(status: Field, kind: str, default: str) -> str:
    """The status of the condition of this type: True, False or Unknown; `default` if there is none."""
    for item in status["conditions"].items():
        if item["type"].text() == kind:
            return item["status"].one_of(CONDITION_STATUSES, default)
    return default


def toleration(field: Field) -> Toleration:
    """A toleration, in one of the combinations of its fields that the API server admits."""
    key, value, seconds = field["key"].text(), field["value"].text(), field["tolerationSeconds"]
    operator, effect = field["operator"].one_of(("Equal", "Exists")), field["effect"].one_of(EFFECTS)
    if operator == "Exists" and value:
        raise field["value"].error("expected no value, as the operator is Exists")
    if not key and operator != "Exists":
        raise field["operator"].error("expected Exists, as there is no key")
    if seconds and effect != "NoExecute":
        raise field["effect"].error("expected NoExecute, as there is a tolerationSeconds")
    return Toleration(key, operator, value, effect, seconds.integer(-INT64, INT64 - 1) if seconds else None)


def _container(field: Field) -> Container:
    return Container(field["resources"]["requests"].quantities(), sidecar=field["restartPolicy"].text() == "Always")
