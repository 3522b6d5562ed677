"""A Pod manifest to a Pod, with what the API server's defaults and admission add: `pod`, `toleration`.

Kubernetes 1.34: pkg/apis/core/v1/defaults.go, pkg/apis/core/validation. Limits fill in missing requests.
"""

from itertools import chain

from frozendict import frozendict

from schedcheck.cluster.affinity import affinity
from schedcheck.cluster.fields import Field
from schedcheck.cluster.priorities import PriorityClasses
from schedcheck.spec.objects import Amounts, Container, Pod, Toleration

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")


def pod(field: Field, classes: PriorityClasses) -> Pod:
    """The pod of a manifest. Its name and namespace are those of its metadata."""
    metadata, spec = field["metadata"], field["spec"]
    labels = metadata["labels"].labels()
    priority, policy = classes.of(spec)
    init_containers = tuple(_container(item) for item in spec["initContainers"].items())
    containers = tuple(_container(item) for item in spec["containers"].items())
    return Pod(
        name=metadata["name"].text(),
        namespace=metadata["namespace"].text() or "default",
        labels=labels,
        node_name=spec["nodeName"].text(),
        phase=field["status"]["phase"].one_of(PHASES, "Pending"),
        priority=priority,
        preemption_policy=policy,
        scheduler_name=spec["schedulerName"].text() or "default-scheduler",
        node_selector=spec["nodeSelector"].labels(),
        affinity=affinity(spec["affinity"], labels),
        tolerations=tuple(toleration(item) for item in spec["tolerations"].items()),
        init_containers=init_containers,
        containers=containers,
        overhead=spec["overhead"].quantities(),
        pod_requests=_pod_requests(spec["resources"], (*init_containers, *containers)),
    )


def toleration(field: Field) -> Toleration:
    """A toleration, in one of the combinations of key, operator and value that the API server admits."""
    key, value = field["key"].text(), field["value"].text()
    operator = field["operator"].one_of(("Equal", "Exists"))
    if operator == "Exists" and value:
        raise field["value"].error("expected no value, as the operator is Exists")
    if not key and operator != "Exists":
        raise field["operator"].error("expected Exists, as there is no key")
    return Toleration(key, operator, value, field["effect"].one_of(EFFECTS))


def _container(field: Field) -> Container:
    resources = field["resources"]
    requests = frozendict({**resources["limits"].quantities(), **resources["requests"].quantities()})
    return Container(requests, sidecar=field["restartPolicy"].text() == "Always")


def _pod_requests(resources: Field, containers: tuple[Container, ...]) -> Amounts:
    """The pod-level requests; a limit fills in one that is missing, unless some container requests that resource."""
    if not resources:
        return frozendict()
    taken = set(chain.from_iterable(container.requests for container in containers))
    limits = resources["limits"].quantities()
    filled = {resource: limit for resource, limit in limits.items() if resource not in taken}
    return frozendict({**filled, **resources["requests"].quantities()})
