"""The fields that the API server adds to a pod before it stores it: `admitted`, by an `Admission` made of other
objects.

Kubernetes 1.34, in the order of the API server: pkg/apis/core/v1/defaults.go, then the admission plugins LimitRanger,
Priority, DefaultTolerationSeconds and RuntimeClass, then the pod's strategy (pkg/registry/core/pod). A pod with a
uid is already stored and is not admitted again.

Not modelled: the limits of a LimitRange (min, max, ratio), quotas, service accounts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from frozendict import frozendict

from schedcheck.manifests.affinity import affinity
from schedcheck.manifests.fields import Field
from schedcheck.manifests.manifests import exact_text
from schedcheck.manifests.pods import Entry, host_ports, toleration
from schedcheck.manifests.priorities import PriorityClasses
from schedcheck.spec.objects import Container, Pod, Toleration
from schedcheck.spec.values import NO_AMOUNTS, NO_LABELS, Amounts, Labels

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
BORNE_SECONDS = 300


@dataclass(frozen=True)
class LimitRange:
    """The default requests that a LimitRange gives a container for resources it does not request, in billionths."""

    name: str
    namespace: str
    requests: Amounts


@dataclass(frozen=True)
class RuntimeClass:
    """The overhead of the pods of a runtime, and the node selector and tolerations that they get."""

    name: str
    overhead: Amounts = NO_AMOUNTS
    node_selector: Labels = NO_LABELS
    tolerations: tuple[Toleration, ...] = ()


@dataclass(frozen=True)
class Admission:
    """The objects that admission reads. Without any RuntimeClass, the runtime class of a pod is ignored."""

    classes: PriorityClasses = field(default_factory=PriorityClasses)
    limit_ranges: tuple[LimitRange, ...] = ()
    runtimes: Mapping[str, RuntimeClass] = frozendict()


def admission(
    classes: PriorityClasses, limit_ranges: Iterable[LimitRange], runtimes: Iterable[RuntimeClass]
) -> Admission:
    """Return the admission by these objects.

    LimitRanges apply in the order of their names; the first to set a request wins.
    """
    ordered = tuple(sorted(limit_ranges, key=lambda each: (each.namespace, each.name)))
    return Admission(classes, ordered, frozendict({each.name: each for each in runtimes}))


def limit_range(manifest: Field) -> LimitRange:
    """Return the LimitRange of a manifest.

    A missing default request is the default limit, else the maximum, else the minimum.
    """
    requests: dict[str, int] = {}
    for item in manifest["spec"]["limits"].items():
        if item["type"].text() == "Container":
            for key in ("min", "max", "default", "defaultRequest"):
                requests |= item[key].quantities()
    metadata = manifest["metadata"]
    return LimitRange(metadata["name"].text(), metadata["namespace"].text() or "default", frozendict(requests))


def runtime_class(manifest: Field) -> RuntimeClass:
    """Return the RuntimeClass of a manifest."""
    scheduling = manifest["scheduling"]
    return RuntimeClass(
        manifest["metadata"]["name"].text(),
        manifest["overhead"]["podFixed"].quantities(),
        scheduling["nodeSelector"].labels(),
        tuple(toleration(item) for item in scheduling["tolerations"].items()),
    )


def admitted(entry: Entry, by: Admission) -> Entry:
    """Return the pod as the API server would store it, with a note for each addition: `field: value, where it is from`.

    Raises: InputError where the API server would refuse the pod.
    """
    added: list[str] = []
    made = entry.pod
    for step in (
        _defaults,
        _host_ports,
        _requests,
        _limit_ranges,
        _priority,
        _default_tolerations,
        _runtime,
        _label_keys,
    ):
        made = step(made, entry.spec, by, added)
    return replace(entry, pod=made, added=(*entry.added, *added))


def _defaults(pod: Pod, spec: Field, by: Admission, added: list[str]) -> Pod:
    """Note the default scheduler name. The defaults themselves were set when the manifest was read."""
    if not spec["schedulerName"].text():
        added.append(f"spec.schedulerName: {pod.scheduler_name}")
    return pod


def _host_ports(pod: Pod, spec: Field, by: Admission, added: list[str]) -> Pod:
    """Make every container port a host port if the pod is in the network of its node."""
    if not pod.host_network:
        return pod
    containers, init_containers = (
        tuple(
            replace(container, ports=host_ports(item, host_network=True))
            for container, item in zip(containers, spec[key].items(), strict=True)
        )
        for key, containers in (("containers", pod.containers), ("initContainers", pod.init_containers))
    )
    if (containers, init_containers) == (pod.containers, pod.init_containers):
        return pod
    added.append("spec.containers.ports.hostPort: the containerPort, as the pod is in the network of its node")
    return replace(pod, containers=containers, init_containers=init_containers)


def _requests(pod: Pod, spec: Field, by: Admission, added: list[str]) -> Pod:
    """Copy limits into missing requests; a pod-level limit only for a resource that no container requests."""
    containers, init_containers = (
        tuple(
            _filled(container, item["resources"]["limits"].quantities(), _place(item), "its limit", added)
            for container, item in zip(containers, spec[key].items(), strict=True)
        )
        for key, containers in (("containers", pod.containers), ("initContainers", pod.init_containers))
    )
    taken = set(chain.from_iterable(each.requests for each in (*init_containers, *containers)))
    limits = spec["resources"]["limits"].quantities().items()
    own = Container(pod.pod_requests)
    filled = _filled(own, {key: limit for key, limit in limits if key not in taken}, "spec", "its limit", added)
    return replace(pod, containers=containers, init_containers=init_containers, pod_requests=filled.requests)


def _limit_ranges(pod: Pod, spec: Field, by: Admission, added: list[str]) -> Pod:
    for each in by.limit_ranges:
        if each.namespace == pod.namespace:
            why = f"from LimitRange {each.name}"
            containers, init_containers = (
                tuple(
                    _filled(container, each.requests, _place(item), why, added)
                    for container, item in zip(containers, spec[key].items(), strict=True)
                )
                for key, containers in (("containers", pod.containers), ("initContainers", pod.init_containers))
            )
            pod = replace(pod, containers=containers, init_containers=init_containers)
    return pod


def _place(item: Field) -> str:
    return f"spec.{item.parent.key if item.parent else ''}[{item.key}]"


def _filled(container: Container, amounts: Mapping[str, int], place: str, why: str, added: list[str]) -> Container:
    """Return the container with these amounts as requests, for resources that it does not request itself."""
    missing = {resource: exact for resource, exact in amounts.items() if resource not in container.requests}
    if not missing:
        return container
    for resource, exact in missing.items():
        added.append(f"{place}.resources.requests.{resource}: {exact_text(resource, exact)}, {why}")
    return replace(container, requests=frozendict({**container.requests, **missing}))


def _priority(pod: Pod, spec: Field, by: Admission, added: list[str]) -> Pod:
    """Set the priority and the preemption policy of the pod's class, unless the pod has its own."""
    priority, policy, why = by.classes.of(spec)
    if not spec["priority"]:
        added.append(f"spec.priority: {priority}{why}")
    if policy != pod.preemption_policy:
        added.append(f"spec.preemptionPolicy: {policy}{why}")
    return replace(pod, priority=priority, preemption_policy=policy)


def _default_tolerations(pod: Pod, spec: Field, by: Admission, added: list[str]) -> Pod:
    """Add the default tolerations of not-ready and unreachable nodes (300 s), unless the pod has such tolerations."""
    borne = tuple(
        Toleration(key, "Exists", "", "NoExecute", BORNE_SECONDS)
        for key in (NOT_READY, UNREACHABLE)
        if not any(each.key in ("", key) and each.effect in ("", "NoExecute") for each in pod.tolerations)
    )
    added += [f"spec.tolerations: {each.key}:NoExecute for {each.seconds} s" for each in borne]
    return replace(pod, tolerations=(*pod.tolerations, *borne)) if borne else pod


def _runtime(pod: Pod, spec: Field, by: Admission, added: list[str]) -> Pod:
    """Add the overhead, the node selector and the tolerations of the pod's RuntimeClass."""
    name = spec["runtimeClassName"]
    if not name.text() or not by.runtimes:
        return pod
    if name.text() not in by.runtimes:
        raise name.error("expected a RuntimeClass of the input")
    runtime, why = by.runtimes[name.text()], f", from RuntimeClass {name.text()}"
    if spec["overhead"] and pod.overhead != runtime.overhead:
        raise spec["overhead"].error("expected the overhead of the RuntimeClass, or none")
    for label, value in runtime.node_selector.items():
        if pod.node_selector.get(label, value) != value:
            raise spec["nodeSelector"][label].error(f"the RuntimeClass has another value: {value}")
    tolerations = tuple(each for each in runtime.tolerations if each not in pod.tolerations)
    if not spec["overhead"]:
        added += [f"spec.overhead.{each}: {exact_text(each, exact)}{why}" for each, exact in runtime.overhead.items()]
    added += [f"spec.nodeSelector.{label}: {value}{why}" for label, value in runtime.node_selector.items()]
    added += [f"spec.tolerations: {each.key or 'everything'}{why}" for each in tolerations]
    return replace(
        pod,
        overhead=runtime.overhead,
        node_selector=frozendict({**pod.node_selector, **runtime.node_selector}),
        tolerations=(*pod.tolerations, *tolerations),
    )


def _label_keys(pod: Pod, spec: Field, by: Admission, added: list[str]) -> Pod:
    """Merge the label keys of the terms of pod (anti-)affinity into their selectors; keep the node affinity.

    The node affinity of a pod of a DaemonSet is not in its spec, but names its one node.
    """
    node_required = pod.affinity.node_required
    merged = replace(affinity(spec["affinity"], pod.labels), node_required=node_required)
    if merged == pod.affinity:
        return pod
    added.append("spec.affinity: the label keys of its terms, as requirements of their selectors")
    return replace(pod, affinity=merged)
