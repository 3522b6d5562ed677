"""A Pod manifest to a Pod, as written: `pod`, `toleration`; and the other data that the manifest records: `Entry`.

`manifests.admission` adds the fields that the API server gives a pod that is not stored yet.
Kubernetes 1.34: pkg/apis/core/validation.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from schedcheck.manifests.affinity import affinity, annotated_affinity, label_selector, with_requirements
from schedcheck.manifests.fields import Field
from schedcheck.manifests.gangs import scheduling_group, workload_reference
from schedcheck.manifests.priorities import LOWER_PRIORITY, POLICIES
from schedcheck.manifests.times import instant
from schedcheck.manifests.volumes import resource_claims, volumes
from schedcheck.spec.objects import Container, HostPort, Pod, SpreadConstraint, Toleration
from schedcheck.spec.owners import qualified_kind, served_kind
from schedcheck.spec.terms import LabelSelector, Requirement
from schedcheck.spec.values import NO_AMOUNTS, NO_LABELS, Amounts, Labels

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
CONDITION_STATUSES = ("True", "False", "Unknown")
RESTART_POLICIES = ("Always", "OnFailure", "Never")
PROTOCOLS = ("TCP", "UDP", "SCTP")
POLICIES_OF_SPREAD = ("Honor", "Ignore")
INT64 = 2**63


@dataclass(frozen=True)
class Entry:
    """A pod of the input, with the manifest fields that it comes from.

    `added` lists the fields that no manifest gave it. `live`: it has a uid, so it exists already.
    """

    pod: Pod
    spec: Field
    status: Field
    live: bool = False
    added: tuple[str, ...] = ()

    def gated(self) -> bool:
        """Whether scheduling gates keep the pod out of the queue."""
        return bool(self.spec["schedulingGates"].items())

    def ends(self) -> bool:
        """Whether the pod completes by itself, because its restartPolicy is not Always. A Job admits no other pods."""
        policy = self.spec["restartPolicy"].one_of(RESTART_POLICIES, "Always")
        return policy != "Always" or served_kind(self.pod.owner[0]) == "Job"

    def grace(self) -> int | None:
        """Return the terminationGracePeriodSeconds, None if it is absent."""
        given = self.spec["terminationGracePeriodSeconds"]
        return given.integer(0, INT64 - 1) if given else None

    def recorded_ready(self) -> bool:
        """Whether the pod is ready by its status; True if the status has no conditions."""
        return not self.status["conditions"].items() or condition(self.status, "Ready", "False") == "True"


def pod(metadata: Field, spec: Field, status: Field) -> Pod:
    """Return the pod of a manifest with these parts. Name and namespace come from its metadata."""
    statuses = _statuses(status)
    labels = metadata["labels"].labels()
    return Pod(
        name=metadata["name"].text(),
        namespace=metadata["namespace"].text() or "default",
        labels=labels,
        node_name=spec["nodeName"].text(),
        phase=status["phase"].one_of(PHASES, "Pending"),
        priority=spec["priority"].integer() if spec["priority"] else 0,
        preemption_policy=spec["preemptionPolicy"].one_of(POLICIES, LOWER_PRIORITY),
        scheduler_name=spec["schedulerName"].text() or "default-scheduler",
        node_selector=spec["nodeSelector"].labels(),
        empty_node_selector=spec["nodeSelector"].value == {},
        affinity=affinity(spec["affinity"], NO_LABELS),
        tolerations=tuple(toleration(item) for item in spec["tolerations"].items()),
        init_containers=tuple(_container(item, statuses) for item in spec["initContainers"].items()),
        containers=tuple(_container(item, statuses) for item in spec["containers"].items()),
        overhead=spec["overhead"].quantities(),
        pod_requests=spec["resources"]["requests"].quantities(),
        pod_allocated=status["allocatedResources"].quantities(),
        pod_actual=_actual(status),
        owner=controller(metadata),
        owner_uid=controller_uid(metadata),
        terminating=bool(metadata["deletionTimestamp"].text()),
        spread=tuple(_spread(item, labels) for item in spec["topologySpreadConstraints"].items()),
        host_network=spec["hostNetwork"].boolean(),
        scheduling_gates=tuple(item["name"].text() for item in spec["schedulingGates"].items()),
        nominated_node_name=status["nominatedNodeName"].text(),
        start_time=instant(status["startTime"]),
        resize_infeasible=_first(status, "PodResizePending")["reason"].text() == "Infeasible",
        preempted=_preempted(_first(status, "DisruptionTarget")),
        annotated_affinity=annotated_affinity(metadata["annotations"], spec["affinity"]),
        volumes=volumes(spec, metadata["uid"].text()),
        resource_claims=resource_claims(metadata, spec, status),
        required_features=required_features(spec),
        workload=workload_reference(spec["workloadRef"]),
        scheduling_group=scheduling_group(spec["schedulingGroup"]),
    )


def required_features(spec: Field) -> frozenset[str]:
    """Return the features that the fields of a pod require of the kubelet.

    Kubernetes 1.37: InferForScheduling of the packages in k8s.io/component-helpers/nodedeclaredfeatures/features.
    """
    containers = (*spec["initContainers"].items(), *spec["containers"].items())
    rules = (rule for each in containers for rule in each["restartPolicyRules"].items())
    mounts = (mount for each in containers for mount in each["volumeMounts"].items())
    required = {
        "RestartAllContainersOnContainerExits": any(each["action"].text() == "RestartAllContainers" for each in rules),
        "UserNamespacesHostNetworkSupport": (
            spec["hostNetwork"].boolean() and bool(spec["hostUsers"]) and not spec["hostUsers"].boolean()
        ),
        "VolumeBindMountOptions": any(each["bindMountOptions"].items() for each in mounts),
    }
    return frozenset(name for name, needed in required.items() if needed)


def controller(metadata: Field) -> tuple[str, str]:
    """Return kind (qualified as in `spec.owners`) and name of the object's controller; empty strings if it has none.

    A reference without an apiVersion, which the API server refuses, names a built-in kind of Kubernetes.
    """
    for reference in metadata["ownerReferences"].items():
        if reference["controller"].boolean():
            kind = qualified_kind(reference["apiVersion"].text(), reference["kind"].required("a kind"))
            return kind, reference["name"].required("a name")
    return "", ""


def controller_uid(metadata: Field) -> str:
    """Return the uid of the object's controller; empty if it has none, or if the reference lacks it."""
    references = (each for each in metadata["ownerReferences"].items() if each["controller"].boolean())
    return next((each["uid"].text() for each in references), "")


def condition(status: Field, kind: str, default: str) -> str:
    """Return the status of the condition of this type: True, False or Unknown; `default` if there is none."""
    return _first(status, kind)["status"].one_of(CONDITION_STATUSES, default)


def _first(status: Field, kind: str) -> Field:
    """Return the first condition of this type, or an empty field if there is none."""
    conditions = status["conditions"]
    found = (item for item in conditions.items() if item["type"].text() == kind)
    return next(found, Field(conditions.document, None, conditions, kind))


def _preempted(condition: Field) -> bool:
    return condition["status"].text() == "True" and condition["reason"].text() == "PreemptionByScheduler"


def toleration(field: Field) -> Toleration:
    """Return a toleration; its fields must form a combination that the API server admits."""
    key, value, seconds = field["key"].text(), field["value"].text(), field["tolerationSeconds"]
    operator, effect = field["operator"].one_of(("Equal", "Exists")), field["effect"].one_of(EFFECTS)
    if operator == "Exists" and value:
        raise field["value"].error("expected no value, as the operator is Exists")
    if not key and operator != "Exists":
        raise field["operator"].error("expected Exists, as there is no key")
    if seconds and effect != "NoExecute":
        raise field["effect"].error("expected NoExecute, as there is a tolerationSeconds")
    return Toleration(key, operator, value, effect, seconds.integer(-INT64, INT64 - 1) if seconds else None)


def host_ports(field: Field, *, host_network: bool = False) -> tuple[HostPort, ...]:
    """Return the host ports that a container takes; with hostNetwork, all of its ports."""
    found = []
    for item in field["ports"].items():
        port = _port(item["hostPort"]) or (_port(item["containerPort"]) if host_network else 0)
        if port:
            found.append(HostPort(port, item["protocol"].one_of(PROTOCOLS, "TCP"), item["hostIP"].text()))
    return tuple(found)


def _port(field: Field) -> int:
    return field.integer(0, 65535) if field else 0


def _container(field: Field, statuses: Mapping[str, Field]) -> Container:
    status = statuses.get(field["name"].text())
    return Container(
        field["resources"]["requests"].quantities(),
        sidecar=field["restartPolicy"].text() == "Always",
        image=field["image"].text(),
        ports=host_ports(field),
        allocated=NO_AMOUNTS if status is None else status["allocatedResources"].quantities(),
        actual=None if status is None else _actual(status),
    )


def _statuses(status: Field) -> dict[str, Field]:
    """Return the statuses of all containers by name."""
    kinds = ("initContainerStatuses", "containerStatuses")
    return {item["name"].text(): item for kind in kinds for item in status[kind].items()}


def _actual(status: Field) -> Amounts | None:
    """Return the requests with which a pod or a container runs.

    None if the status has no `resources`: the kubelet has not reported them yet.
    """
    return status["resources"]["requests"].quantities() if status["resources"] else None


def _spread(field: Field, labels: Labels) -> SpreadConstraint:
    """Return a spread constraint; its label keys are merged into its selector, as API server and scheduler both do."""
    action = field["whenUnsatisfiable"].one_of(("DoNotSchedule", "ScheduleAnyway"))
    if not action:
        raise field["whenUnsatisfiable"].error("expected DoNotSchedule or ScheduleAnyway")
    return SpreadConstraint(
        max_skew=field["maxSkew"].integer(1),
        topology_key=field["topologyKey"].required("a label key"),
        required=action == "DoNotSchedule",
        selector=_with_keys(label_selector(field["labelSelector"]), field["matchLabelKeys"].texts(), labels),
        min_domains=field["minDomains"].integer(1) if field["minDomains"] else 1,
        affinity_honored=field["nodeAffinityPolicy"].one_of(POLICIES_OF_SPREAD, "Honor") == "Honor",
        taints_honored=field["nodeTaintsPolicy"].one_of(POLICIES_OF_SPREAD, "Ignore") == "Honor",
    )


def _with_keys(selector: LabelSelector | None, keys: tuple[str, ...], labels: Labels) -> LabelSelector | None:
    if selector is None or not keys:
        return selector
    return with_requirements(selector, (Requirement(key, "In", (labels[key],)) for key in keys if key in labels))
