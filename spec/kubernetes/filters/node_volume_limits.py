"""The plugin NodeVolumeLimits: the number of volumes that a CSI driver can attach to a node.

Kubernetes 1.37: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go. As there, an inline CSI volume of a pod never
counts, and a volume not yet provisioned counts once for each claim. Differs: if the node lacks several drivers,
kube-scheduler names any of them; here the first by name is named.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal, failed, unresolvable, unschedulable
from schedcheck.spec.storage import (
    CSI,
    ClaimSource,
    CSINode,
    Ephemeral,
    ImageSource,
    Storage,
    Volume,
)
from schedcheck.spec.values import NO_LABELS
from schedcheck.spec.volumes.attaching import Attached, of_claim
from schedcheck.spec.volumes.claims import claim_name, made_for, not_found, not_made_for
from schedcheck.spec.volumes.csi_migration import (
    DRIVERS,
    MOVED_BY_NODE,
    PLUGINS,
    handle,
    moved,
    plugin_of,
    why_no_handle,
)

NAME = "NodeVolumeLimits"
EXCEEDED = "node(s) exceed max volume count"


def of_disk(volume: Volume, node: CSINode | None) -> Attached | None:
    """Return the attachment of an inline volume of a pod; None if no CSI driver attaches it."""
    plugin = plugin_of(volume.source)
    if plugin is None or not moved(plugin, node):
        return None
    name = (
        None if isinstance(volume.source, ClaimSource | Ephemeral | ImageSource) else handle(volume.source, NO_LABELS)
    )
    return None if name is None else (DRIVERS[plugin], name)


def attached(pod: Pod, node: CSINode | None, storage: Storage) -> frozenset[Attached]:
    """Return the volumes that CSI drivers attach to the node for `pod`; a claim that does not exist adds none."""
    found = set()
    for volume in pod.volumes:
        name = claim_name(volume, pod)
        claim = None if name is None else storage.claim(pod.namespace, name)
        found.add(of_disk(volume, node) if name is None else None if claim is None else of_claim(claim, node, storage))
    return frozenset(each for each in found if each is not None)


def failure(volume: Volume, pod: Pod, node: CSINode | None, storage: Storage) -> str | None:
    """Return why a volume of `pod` cannot be counted: another pod owns its claim, or it has no handle; or None."""
    name = claim_name(volume, pod)
    if name is not None:
        claim = storage.claim(pod.namespace, name)
        return None if claim is None or made_for(volume, claim) else not_made_for(pod, claim)
    plugin = plugin_of(volume.source)
    if plugin is None or not moved(plugin, node) or of_disk(volume, node) is not None:
        return None
    return f"converting volume({volume.name}) from inline to csi: {why_no_handle(volume.source)}"


def first_failure(pods: Iterable[Pod], node: CSINode | None, storage: Storage) -> str | None:
    """Return why the volumes of these pods cannot be counted; None if they can."""
    failures = (failure(volume, pod, node, storage) for pod in pods for volume in pod.volumes)
    return next((each for each in failures if each is not None), None)


def missing(volume: Volume, pod: Pod, storage: Storage) -> str | None:
    """Return the message for a volume of `pod` whose claim does not exist; None if it exists or no claim is named."""
    name = claim_name(volume, pod)
    if name is None or storage.claim(pod.namespace, name) is not None:
        return None
    return f"looking up PVC {pod.namespace}/{name}: {not_found('persistentvolumeclaim', name)}"


def disorder(pod: Pod, node: CSINode | None, storage: Storage) -> Refusal | None:
    """Return the refusal due to the first volume of `pod` itself that cannot be counted; None if all can."""
    for volume in pod.volumes:
        lacking, failing = missing(volume, pod, storage), failure(volume, pod, node, storage)
        if lacking is not None:
            return unresolvable(NAME, lacking)
        if failing is not None:
            return failed(NAME, failing)
    return None


def at_node(info: NodeInfo, node: CSINode | None, storage: Storage) -> frozenset[Attached]:
    """Return the volumes attached to the node for the pods on it."""
    return frozenset[Attached]().union(*(attached(pod, node, storage) for pod in info.pods))


def by_attachments(info: NodeInfo, storage: Storage) -> frozenset[Attached]:
    """Return the volumes attached to the node by its VolumeAttachments."""
    volumes = ((each.attacher, storage.volume(each.volume_name)) for each in storage.attached(info.node.name))
    return frozenset(
        (attacher, volume.source.handle)
        for attacher, volume in volumes
        if attacher and volume is not None and isinstance(volume.source, CSI)
    )


def csi_node(info: NodeInfo, storage: Storage, departures: Departures) -> CSINode | None:
    """Return the CSINode of a node, with the plugins that count as migrated there; None if it has none."""
    node = storage.node(info.node.name)
    if node is None or Departure.PORTWORX_BY_ANNOTATION in departures:
        return node
    return replace(node, migrated=node.migrated | MOVED_BY_NODE)


def lacking(pod: Pod, node: CSINode | None, storage: Storage) -> str | None:
    """Return a driver that `pod` needs and the node lacks, although its CSIDriver forbids this; None if there is none."""
    needed = {driver for driver, *_ in attached(pod, node, storage)} - (frozenset() if node is None else node.drivers)
    forbidden = (name for name in needed if (driver := storage.driver(name)) is not None and driver.required_on_nodes)
    return min(forbidden, default=None)


def exceeded(pod: Pod, info: NodeInfo, storage: Storage, departures: Departures) -> bool:
    """Whether a driver of a new volume of `pod` would have to attach more volumes to the node than it can."""
    node = csi_node(info, storage, departures)
    if node is None:
        return False
    there, alone = at_node(info, node, storage), by_attachments(info, storage)
    counted = there if Departure.ATTACHED_COUNTS_TWICE in departures else there | alone
    more = Counter(driver for driver, *_ in attached(pod, node, storage) - counted)
    before = Counter(driver for driver, *_ in there | alone)
    return any(
        before[driver] + count > node.allocatable[driver]
        for driver, count in more.items()
        if driver in node.allocatable
    )  # fmt: skip


def others_matter(pod: Pod, node: CSINode | None, storage: Storage) -> bool:
    """Whether other pods' volumes are counted: a driver attaches a volume for `pod`, and some driver has a limit."""
    return node is not None and node.allocatable != {} and attached(pod, node, storage) != frozenset()


@looks_at(
    "occupants.volumes",
    "storage.volumes",
    "storage.claims",
    "storage.classes",
    "storage.nodes",
    "storage.attachments",
    "storage.drivers",
)
def refusal(pod: Pod, info: NodeInfo, storage: Storage, departures: Departures) -> Refusal | None:
    """Return the refusal of the node by NodeVolumeLimits; None if it passes."""
    node = csi_node(info, storage, departures)
    own = disorder(pod, node, storage)
    if own is not None:
        return own
    driver = lacking(pod, node, storage) if Departure.MISSING_DRIVERS_IGNORED not in departures else None
    if driver is not None:
        return unschedulable(NAME, f"{driver} CSI driver is not installed on the node")
    failing = first_failure(info.pods, node, storage) if others_matter(pod, node, storage) else None
    if failing is not None:
        return failed(NAME, failing)
    return unschedulable(NAME, EXCEEDED) if exceeded(pod, info, storage, departures) else None


def node_volume_limits(pod: Pod, info: NodeInfo, storage: Storage, departures: Departures) -> bool:
    """Whether every claim of `pod` exists, all volumes can be counted, and no driver is missing or exceeds its limit."""
    node = csi_node(info, storage, departures)
    return (
        all(missing(volume, pod, storage) is None for volume in pod.volumes)
        and first_failure((pod,), node, storage) is None
        and (not others_matter(pod, node, storage) or first_failure(info.pods, node, storage) is None)
        and (Departure.MISSING_DRIVERS_IGNORED in departures or lacking(pod, node, storage) is None)
        and not exceeded(pod, info, storage, departures)
    )


def skipped(pod: Pod) -> bool:
    """Whether `pod` has neither a claim nor an inline volume of a plugin that is migrated to CSI."""
    return not any(isinstance(volume.source, (ClaimSource, Ephemeral, *PLUGINS)) for volume in pod.volumes)
