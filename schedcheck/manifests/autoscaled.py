"""A scenario whose workloads autoscalers scale: `with_autoscalers`, `Readings`. Their pods are there up to maxReplicas.

Not modelled: rolling updates, volumes of volumeClaimTemplates, and pods that the selector selects besides those of the workload.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from schedcheck.errors import InputError
from schedcheck.manifests.admission import admitted
from schedcheck.manifests.applying import LAST_APPLIED
from schedcheck.manifests.autoscaler_metrics import Readings
from schedcheck.manifests.autoscalers import KIND, TARGETS, Scaled, autoscaler
from schedcheck.manifests.fields import Field, Place
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.pods import Entry
from schedcheck.manifests.workloads import MOST_REPLICAS, Workload, formed, own_labels, workload
from schedcheck.model.autoscaling import Autoscaler
from schedcheck.model.controllers.autoscaler.reading import every
from schedcheck.model.environment import newly_arrived
from schedcheck.model.rollouts import Rollout
from schedcheck.model.scenario import APPLY, AUTOSCALER, Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Pod
from schedcheck.spec.owners import served_kind
from schedcheck.spec.selectors import selects
from schedcheck.spec.values import Labels

KUBELET = "kubelet"
MOST_READINGS = 10_000
"""The most utilizations that are tried where any may be read."""

ASSUMED = (
    "assumed of the policies in behavior: none limits a step because of another one in its period; "
    "what holds is proved only under this assumption"
)

UP_TO_DATE = (
    "assumed of the status of workloads that metrics share among replicas: it counts the pods that are there; "
    "what holds is proved only under this assumption"
)


def with_autoscalers(scenario: Scenario, cluster: Cluster, readings: Readings, place: Place) -> Scenario:
    """Return the scenario with the autoscalers of the cluster, their workloads, and the pods that these may have.

    `place` is where the controller is named.

    Raises: InputError without the kubelet, which starts the pods that are measured, and for what is not modelled.
    """
    if not cluster.autoscalers:
        raise InputError(f"the controller {AUTOSCALER} needs a {KIND} in the input", **place)
    if KUBELET not in scenario.controllers:
        needed = f"the controller {AUTOSCALER} needs the controller {KUBELET}, which starts the pods that are measured"
        raise InputError(needed, **place)
    for one, other in zip(cluster.autoscalers, cluster.autoscalers[1:], strict=False):
        if one.target == other.target:
            raise other.autoscaler["spec"]["scaleTargetRef"].error(f"another {KIND} scales this workload")
    made = scenario
    for each in cluster.autoscalers:
        made = _with(made, each, cluster, readings, place)
    return made


def _with(scenario: Scenario, scaled: Scaled, cluster: Cluster, readings: Readings, place: Place) -> Scenario:
    read = _target(scaled)
    most = scaled.autoscaler["spec"]["maxReplicas"].integer(1, MOST_REPLICAS)
    applying = [rule for rule in scenario.rules if rule.event == APPLY and str(scaled) in rule.workloads]
    if any(rule.manifest for rule in applying):
        raise scaled.autoscaler["spec"]["scaleTargetRef"].error(
            f"not modelled beside the event {APPLY} of a manifest of this workload"
        )
    applied = [rule.replicas or 1 for rule in applying]
    assert scaled.workload is not None
    rollout, more = _rollout(read, scaled.workload, max(most, read.replicas, *applied, 1), scenario, cluster)
    meant = autoscaler(scaled, rollout.forms, readings, place)
    meant = replace(meant, given=given(scaled.workload))
    shares = [metric for metric in meant.metrics if metric.aim == "Utilization"]
    if meant.readings is None and any(len(every(metric, meant)) > MOST_READINGS for metric in shares):
        said = f"the utilizations up to maxReplicas are more than {MOST_READINGS:,}: the controller {AUTOSCALER} needs readings"
        raise scaled.autoscaler["spec"].error(said)
    number = len(scenario.autoscalers)
    return replace(
        scenario,
        pods=tuple(sorted((*scenario.pods, *more), key=lambda pod: pod.key)),
        absent=scenario.absent | {pod.key for pod in more},
        rollouts=(*scenario.rollouts[:number], rollout, *scenario.rollouts[number:]),
        autoscalers=(*scenario.autoscalers, meant),
        cut=tuple(dict.fromkeys((*scenario.cut, *_assumed(meant)))),
    )


def _assumed(autoscaler: Autoscaler) -> Iterator[str]:
    """Yield what is assumed of an autoscaler, in words."""
    if _limits(autoscaler):
        yield ASSUMED
    if any(metric.aim == "ValuePerReplica" for metric in autoscaler.metrics):
        yield UP_TO_DATE


def _limits(autoscaler: Autoscaler) -> bool:
    """Whether steps that were made before in a period could change the limits of the next one."""
    behavior = autoscaler.behavior
    return behavior is not None and any(each.select != "Disabled" for each in (behavior.up, behavior.down))


def _target(scaled: Scaled) -> Workload:
    """Return the workload that an autoscaler scales. Raises: InputError if it is missing or not modelled."""
    named = scaled.autoscaler["spec"]["scaleTargetRef"]
    if named["kind"].text() not in TARGETS:
        raise named["kind"].error(f"expected one of {', '.join(TARGETS)}; others are not modelled")
    if scaled.workload is None:
        raise named["name"].error(f"the input has no {named['kind'].text()} of this name in its namespace")
    read = workload(named["kind"].text(), scaled.workload)
    if read.idle:
        raise scaled.workload["spec"]["paused"].error("a paused Deployment is not modelled beside an autoscaler")
    if served_kind(read.owner[0]) == "Deployment":
        raise named["kind"].error(f"this ReplicaSet belongs to Deployment {read.owner[1]}, which sets its replicas too")
    if scaled.workload["spec"]["volumeClaimTemplates"].items():
        raise scaled.workload["spec"]["volumeClaimTemplates"].error("not modelled beside an autoscaler")
    return read


def given(field: Field) -> bool:
    """Whether the manifest that was applied last has the field `replicas`.

    An object of the cluster says so in the annotation of kubectl; one that was never stored is that manifest itself.
    """
    if not field["metadata"]["uid"].text():
        return bool(field["spec"]["replicas"])
    annotation = field["metadata"]["annotations"][LAST_APPLIED]
    try:
        last = json.loads(annotation.text()) if annotation else {}
    except ValueError:
        raise annotation.error("expected JSON") from None
    return isinstance(last, dict) and isinstance(last.get("spec"), dict) and last["spec"].get("replicas") is not None


def _rollout(
    read: Workload, field: Field, number: int, scenario: Scenario, cluster: Cluster
) -> tuple[Rollout, tuple[Pod, ...]]:
    """Return the workload with the forms of this many pods, and those of them that the scenario lacks."""
    seen = {pod.key for pod in scenario.pods}
    own = [pod for pod in cluster.pods if _owned(pod, read, cluster) and not completed(pod)]
    for pod in own:
        if pod.key not in seen:
            raise field["metadata"]["name"].error(
                f"its pod {pod} is not scheduled here, so that no autoscaler is modelled"
            )
    if len({pod.owner for pod in own}) > 1:
        raise field["metadata"]["name"].error(
            "a rollout of it is under way, which is not modelled beside an autoscaler"
        )
    _refuse_others(read, field, own, scenario)
    names = _names(read, field, own, number, seen)
    there = {pod.name: pod for pod in scenario.pods if pod.namespace == read.namespace}
    made = {name: _form(read, name, own, cluster) for name in names if name not in there}
    forms = tuple(newly_arrived(there[name] if name in there else made[name]) for name in names)
    costs = {pod.key: cluster.deletion_costs[pod.key] for pod in own if pod.key in cluster.deletion_costs}
    ordered = read.kind == "StatefulSet" and field["spec"]["podManagementPolicy"].text() != "Parallel"
    rollout = Rollout(read.kind, read.name, read.namespace, read.replicas, forms, ordered=ordered, costs=costs)
    return rollout, tuple(newly_arrived(pod) for pod in made.values())


def _owned(pod: Pod, read: Workload, cluster: Cluster) -> bool:
    """Whether a pod belongs to the workload; one of a Deployment through its ReplicaSet."""
    kind, name = served_kind(pod.owner[0]), pod.owner[1]
    if pod.namespace != read.namespace:
        return False
    if read.kind != "Deployment":
        return (kind, name) == (read.kind, read.name)
    through = [each for each in cluster.workloads if each.key == (pod.namespace, "ReplicaSet", name)]
    maker = through[0].owner[1] if through else name.rpartition("-")[0]
    return kind == "ReplicaSet" and maker == read.name


def _refuse_others(read: Workload, field: Field, own: Sequence[Pod], scenario: Scenario) -> None:
    """Raises: InputError for a pod that the autoscaler would count, but that is not of the workload."""
    keys = {pod.key for pod in own}
    for pod in scenario.pods:
        selected = read.selector is not None and selects(read.selector, pod.labels, NO_FAULTS)
        if pod.namespace == read.namespace and pod.key not in keys and selected:
            said = f"selects {pod} too, which is not of the workload: not modelled beside an autoscaler"
            raise field["spec"]["selector"].error(said)


def _names(read: Workload, field: Field, own: Sequence[Pod], number: int, seen: set[tuple[str, str]]) -> list[str]:
    """Return the names of the pods in the order of creation; those of a StatefulSet are fixed."""
    if read.kind == "StatefulSet":
        first = field["spec"]["ordinals"]["start"].integer(0) if field["spec"]["ordinals"]["start"] else 0
        ordinals = [int(end) - first for pod in own if (end := pod.name.rpartition("-")[2]).isdecimal()]
        return [f"{read.name}-{first + each}" for each in range(max(number, *(each + 1 for each in ordinals), 0))]
    names = sorted((pod.name for pod in own), key=lambda name: (len(name), name))
    return [*names, *_free(read, number - len(names), seen)]


def _free(read: Workload, number: int, seen: set[tuple[str, str]]) -> Iterator[str]:
    """Yield this many names that no pod has."""
    place = 0
    for _ in range(number):
        while (read.namespace, f"{read.name}-{place}") in seen:
            place += 1
        yield f"{read.name}-{place}"
        place += 1


def _form(read: Workload, name: str, own: Sequence[Pod], cluster: Cluster) -> Pod:
    """Return a pod by the template with this name, with the owner and the labels of the controller of the others."""
    labels = own_labels(read)
    if read.kind == "StatefulSet":
        labels |= {"statefulset.kubernetes.io/pod-name": name, "apps.kubernetes.io/pod-index": name.rpartition("-")[2]}
    entry: Entry = formed(read, labels)
    form = admitted(replace(entry, pod=replace(entry.pod, name=name)), cluster.admits).pod
    if not own:
        return form
    hashed = {
        key: value for key, value in own[0].labels.items() if key in ("pod-template-hash", "controller-revision-hash")
    }
    return replace(form, labels=Labels({**form.labels, **hashed}), owner=own[0].owner, owner_uid=own[0].owner_uid)
