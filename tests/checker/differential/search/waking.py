"""Which changes wake a rejected pod: the events of a change, and for each plugin those that may help: `events`, `heard`, `DEFINED`

A hint may not be told from what the scheduler does: one that always says yes strands nobody. So this is written from the definitions of the
filters, and from what kube-scheduler's plugins register.

Kubernetes 1.37: pkg/scheduler/eventhandlers.go, EventsToRegister and the hints of pkg/scheduler/framework/plugins.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.default_spread import constrained
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.filters import node_affinity, pod_topology_spread, volume_restrictions, volume_zone
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import matches_all, speaks_of
from schedcheck.spec.kubernetes.filters.node_ports import clash
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.filters.taint_toleration import taint_toleration
from schedcheck.spec.kubernetes.node_info import host_ports
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.requests import occupied, wanted
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.pod_terms import concerns
from schedcheck.spec.storage import CSI, WAIT_FOR_FIRST_CONSUMER, ClaimSource, Ephemeral
from schedcheck.spec.tolerations import CORDON, tolerated
from schedcheck.spec.volumes.claims import claim_name, claimed
from schedcheck.spec.volumes.csi_migration import DRIVERS, handle, plugin_of
from schedcheck.spec.volumes.provisioning import room

ENDED = ("Succeeded", "Failed")
BOUND, WAITING = "AssignedPod", "UnschedulablePod"


class Event(NamedTuple):
    """An event: the resource, what happens to it, and the object before and after; `limit` is the highest priority of queued pods that hear of it.

    A pod that is being tried hears of all: addEventsIfPodInFlight in pkg/scheduler/backend/queue/active_queue.go.
    """

    resource: str
    what: str
    before: Any
    after: Any
    limit: int | None = None


class Asked(NamedTuple):
    """A rejected pod as it is after the change, the cluster after it, and the profile."""

    pod: Pod
    there: Snapshot
    plugins: Plugins

    @property
    def departures(self) -> Departures:
        """Return the departures of the version."""
        return self.plugins.departures


def events(before: Any, after: Any, departures: Departures) -> Iterator[Event]:
    """Yield the events of a change of one object, None before it comes and after it goes; of pods as of all else."""
    if isinstance(before or after, Pod):
        was, now = (None if each is None or each.phase in ENDED else each for each in (before, after))
        if was is not None and now is not None and was.uid == now.uid:
            yield from _of_pod(was, now, departures)
            return
        if was is not None and (was.node_name or was.nominated_node_name):
            yield Event(BOUND, "goes", was, None, None if was.node_name else was.priority)
        if now is not None and now.node_name:
            yield Event(BOUND, "comes", None, now)
        return
    resource = type(before or after).__name__
    if before is None or after is None:
        yield Event(resource, "goes" if after is None else "comes", before, after)
    elif isinstance(after, Node):
        yield from (Event(resource, what, before, after) for what in _of_node(before, after))
    else:
        yield Event(resource, "changes", before, after)


def _of_node(before: Node, after: Node) -> Iterator[str]:
    """Yield what changes of a node, in the order of NodeSchedulingPropertiesChange in pkg/scheduler/framework/events.go."""
    if before.unschedulable and not after.unschedulable:
        yield "taints"
    for field in ("allocatable", "labels", "taints", "declared_features"):
        if getattr(before, field) != getattr(after, field):
            yield field


def _of_pod(before: Pod, after: Pod, departures: Departures) -> Iterator[Event]:
    if before == after:
        return
    if after.node_name and not before.node_name:
        yield Event(BOUND, "comes", None, after)
        return
    resource = BOUND if after.node_name else WAITING
    was, now = occupied(before, departures), occupied(after, departures)
    changed = {
        "labels": before.labels != after.labels,
        "shrinks": any(now.get(name, 0) < amount for name, amount in was.items()),
        "gates": bool(before.scheduling_gates) and not after.scheduling_gates,
        "tolerations": before.tolerations != after.tolerations,
    }
    whats = [what for what, differs in changed.items() if differs] or ["other"]
    yield from (Event(resource, what, before, after) for what in whats)
    if not after.node_name and before.nominated_node_name and before.nominated_node_name != after.nominated_node_name:
        yield Event(BOUND, "goes", before, None, before.priority)


def _names_node(asked: Asked, event: Event) -> bool:
    return event[:2] == ("Node", "comes")


def _ports(asked: Asked, event: Event) -> bool:
    if event[:2] == (BOUND, "goes"):
        return any(clash(mine, other) for mine in host_ports(asked.pod) for other in host_ports(event.before))
    return event[:2] == ("Node", "comes")


def _cordons(asked: Asked, event: Event) -> bool:
    if event.resource == "Node":
        return event.what in ("comes", "taints") and not event.after.unschedulable
    own = event[:2] == (WAITING, "tolerations") and event.after.key == asked.pod.key
    return own and tolerated(CORDON, event.after, NO_FAULTS)


def _taints(asked: Asked, event: Event) -> bool:
    if event.resource == "Node" and event.what in ("comes", "taints"):
        before = event.before is not None and taint_toleration(asked.pod, event.before)
        return taint_toleration(asked.pod, event.after) and not before
    return event[:2] == (WAITING, "tolerations") and event.after.key == asked.pod.key


def _node_affinity(asked: Asked, event: Event) -> bool:
    """Kubernetes 1.37 looks at the required terms alone before the change, not at addedAffinity, and so can strand a pod; that is mended here."""
    if event.resource != "Node" or event.what not in ("comes", "labels"):
        return False

    def fits(node: Node | None) -> bool:
        return node is not None and node_affinity.refusal(asked.pod, node, asked.plugins.arguments) is None

    return fits(event.after) and not fits(event.before)


def _resources(asked: Asked, event: Event) -> bool:
    if event[:2] == (BOUND, "goes"):
        return True
    if event.what == "shrinks":
        was, now = (occupied(each, asked.departures) for each in event[2:4])
        less = (was.get(name, 0) > now.get(name, 0) for name, amount in wanted(asked.pod).items() if amount > 0)
        return event.after.key == asked.pod.key or (event.resource == BOUND and any(less))
    if event.resource != "Node" or event.what not in ("comes", "allocatable"):
        return False
    asks = {name: amount for name, amount in looked_for(asked.pod, asked.plugins.arguments).items() if amount > 0}
    asks["pods"] = 1
    has, had = event.after.allocatable, event.before.allocatable if event.before else {}
    fits = all(has.get(name, 0) >= amount for name, amount in asks.items())
    return fits and (event.before is None or any(has.get(name, 0) > had.get(name, 0) for name in asks))


def _pods(asked: Asked, event: Event) -> bool:
    """A pod that matches the terms of the asked pod and goes may have been the last one; kube-scheduler overlooks it (kubernetes#141354)."""
    pod, (resource, what, before, after, _) = asked.pod, event
    if resource == "Node":
        return _moves(asked, event)
    if resource not in (BOUND, WAITING) or what not in ("comes", "goes", "labels"):
        return False
    if what == "labels" and after.key == pod.key:
        return True

    def all_of(other: Pod | None) -> bool:
        return other is not None and matches_all(pod, other, asked.there, asked.departures)

    def far(other: Pod | None) -> set[int]:
        terms = enumerate(pod.affinity.anti_required if other is not None else ())
        return {place for place, each in terms if speaks_of(each, pod, other, asked.there, asked.departures)}  # type: ignore[arg-type]

    came, went = all_of(after) and not all_of(before), all_of(before) and not all_of(after)
    unwilling = (
        any(concerns(each, before, pod, asked.there, NO_FAULTS) for each in before.affinity.anti_required)
        if what == "goes"
        else False
    )
    return came or (went and all_of(pod)) or bool(far(before) - far(after)) or unwilling


def _moves(asked: Asked, event: Event) -> bool:
    """Whether a node comes into a domain of required affinity, or leaves one of anti-affinity; of other pods' terms no key is known."""
    near, far = (
        {each.topology_key for each in terms}
        for terms in (asked.pod.affinity.pod_required, asked.pod.affinity.anti_required)
    )
    if event.what == "comes":
        return bool(far) or not near or any(key in event.after.labels for key in near)
    if event.what != "labels":
        return False
    was, now = event.before.labels, event.after.labels
    comes = any(key in now and was.get(key) != now[key] for key in near)
    return comes or any(key in was and now.get(key) != was[key] for key in far) or not (near | far)


def _spread(asked: Asked, event: Event) -> bool:
    """New tolerations matter if a constraint honors taints."""
    pod, (resource, what, before, after, _) = asked.pod, event
    hard = pod_topology_spread.required(constrained(pod, asked.there, asked.plugins.arguments))
    if resource == "Node":
        had, has = (
            each is not None and all(one.topology_key in each.labels for one in hard) for each in (before, after)
        )
        if what in ("comes", "goes"):
            return had or has
        moved = any(before.labels.get(each.topology_key) != after.labels.get(each.topology_key) for each in hard)
        return what in ("labels", "taints") and (had != has or (has and (moved or before.taints != after.taints)))
    if what == "tolerations":
        return after.key == pod.key and any(each.taints_honored for each in hard)
    if resource not in (BOUND, WAITING) or what not in ("comes", "goes", "labels"):
        return False
    if what == "labels" and after.key == pod.key:
        return True
    counts = [
        [each is not None and pod_topology_spread.spread_with(one, pod, each) for each in (before, after)]
        for one in hard
    ]
    return any(was != now for was, now in counts)


def _own_claim(asked: Asked, claim: Any, *, ephemeral: bool) -> bool:
    names = {claim_name(each, asked.pod) for each in asked.pod.volumes} if ephemeral else set(claimed(asked.pod))
    return claim.namespace == asked.pod.namespace and claim.name in names


def _restrictions(asked: Asked, event: Event) -> bool:
    if event[:2] == ("PersistentVolumeClaim", "comes"):
        return _own_claim(asked, event.after, ephemeral=False)
    if event[:2] == (BOUND, "goes"):
        pairs = ((mine, other) for mine in asked.pod.volumes for other in event.before.volumes)
        same = not set(claimed(asked.pod)).isdisjoint(claimed(event.before))
        return event.before.namespace == asked.pod.namespace and (
            same or any(volume_restrictions.clash(*each) for each in pairs)
        )
    return event[:2] == ("Node", "comes")


def _zone(asked: Asked, event: Event) -> bool:
    match event[:2]:
        case "StorageClass", "comes":
            return bool(event.after.binding_mode == WAIT_FOR_FIRST_CONSUMER)
        case "Node", "comes" | "labels":
            return True
        case "PersistentVolumeClaim", "comes" | "changes":
            return _own_claim(asked, event.after, ephemeral=False)
        case "PersistentVolume", "comes":
            return True
        case "PersistentVolume", "changes":
            return volume_zone.topologies_of(event.before) != volume_zone.topologies_of(event.after)
    return False


def _binding(asked: Asked, event: Event) -> bool:
    before, after = event.before, event.after
    match event[:2]:
        case ("StorageClass" | "CSINode" | "CSIStorageCapacity" | "PersistentVolume", "comes") | (
            "PersistentVolume", "changes"
        ) | ("Node", "comes" | "labels"):  # fmt: skip
            return True
        case "StorageClass", "changes":
            return bool(before.allowed_topologies != after.allowed_topologies)
        case "PersistentVolumeClaim", "comes" | "changes":
            return _own_claim(asked, after, ephemeral=True)
        case "CSINode", "changes":
            return bool(before.migrated != after.migrated)
        case "CSIDriver", "changes":
            inline = {each.source.driver for each in asked.pod.volumes if isinstance(each.source, CSI)}
            return after.name in inline and before.storage_capacity and not after.storage_capacity
        case "CSIStorageCapacity", "changes":
            was, now = room(before), room(after)
            return now is not None and (was is None or now > was)
    return False


def _limits(asked: Asked, event: Event) -> bool:
    match event[:2]:
        case "CSINode", "comes":
            return True
        case "CSINode", "changes":
            had = event.before.allocatable
            return any(limit > had.get(driver, 0) for driver, limit in event.after.allocatable.items())
        case "AssignedPod", "goes":
            held = (each.source for each in event.before.volumes)
            return any(isinstance(each, ClaimSource | Ephemeral) or plugin_of(each) is not None for each in held)
        case "PersistentVolumeClaim", "comes":
            return _own_claim(asked, event.after, ephemeral=True)
        case "VolumeAttachment", "goes":
            return any(_attaches(each.source, event.before.attacher) for each in asked.pod.volumes)
    return False


def _attaches(source: Any, attacher: str) -> bool:
    """Whether the attachment may be of this volume: of any claim, or of an inline disk of the driver or of no readable handle."""
    plugin = plugin_of(source)
    return isinstance(source, ClaimSource) or (
        plugin is not None and (handle(source, {}) is None or DRIVERS[plugin] == attacher)  # type: ignore[arg-type]
    )


DEFINED: Mapping[str, Callable[[Asked, Event], bool]] = {
    "NodeName": _names_node,
    "NodePorts": _ports,
    "NodeUnschedulable": _cordons,
    "TaintToleration": _taints,
    "NodeAffinity": _node_affinity,
    "NodeResourcesFit": _resources,
    "InterPodAffinity": _pods,
    "PodTopologySpread": _spread,
    "VolumeRestrictions": _restrictions,
    "VolumeZone": _zone,
    "VolumeBinding": _binding,
    "NodeVolumeLimits": _limits,
    "DefaultPreemption": lambda asked, event: event[:2] == (BOUND, "goes"),
}
"""Whether an event may help a pod that the plugin has rejected."""


def heard(event: Event, asked: Pod, *, in_flight: bool) -> bool:
    """Whether the rejected pod hears of the event; of an update of a pod that waits that pod alone does."""
    if event.resource == WAITING:
        return bool(event.after.key == asked.key)
    return in_flight or event.limit is None or asked.priority <= event.limit
