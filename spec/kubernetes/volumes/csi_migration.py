"""Volumes of plugins that were once in Kubernetes itself, as the CSI drivers see them that took their place.

`plugin_of` and `DRIVERS` name the two, `moved` says whether the volume limits of a node reckon so, `handle` is the
volume to the driver, and `affinity` where the driver can reach it.

Kubernetes 1.34: k8s.io/csi-translation-lib/plugins, isCSIMigrationOn in
pkg/scheduler/framework/plugins/nodevolumelimits/utils.go. Differs: an id of an EBS volume that begins with aws:// is
parted at its slashes, and not otherwise looked at as a URL.
"""

from dataclasses import replace
from re import ASCII, compile

from frozendict import frozendict

from schedcheck.spec.storage import (
    AWSElasticBlockStore,
    AzureDisk,
    AzureFile,
    Cinder,
    CSINode,
    Disk,
    GCEPersistentDisk,
    PersistentVolume,
    PortworxVolume,
    VsphereVolume,
)
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from schedcheck.spec.values import NO_LABELS, Labels

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE, BETA_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
ZONES = "__"
"""What parts the zones in the value of a label."""

PLUGINS: frozendict[type, str] = frozendict(
    {
        GCEPersistentDisk: "kubernetes.io/gce-pd",
        AWSElasticBlockStore: "kubernetes.io/aws-ebs",
        Cinder: "kubernetes.io/cinder",
        AzureDisk: "kubernetes.io/azure-disk",
        AzureFile: "kubernetes.io/azure-file",
        VsphereVolume: "kubernetes.io/vsphere-volume",
        PortworxVolume: "kubernetes.io/portworx-volume",
    }
)
DRIVERS = frozendict(
    {
        "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
        "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
        "kubernetes.io/cinder": "cinder.csi.openstack.org",
        "kubernetes.io/azure-disk": "disk.csi.azure.com",
        "kubernetes.io/azure-file": "file.csi.azure.com",
        "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
        "kubernetes.io/portworx-volume": "pxd.portworx.com",
    }
)
"""The driver that took the place of each plugin."""

MOVED_EVERYWHERE = frozenset(
    {"kubernetes.io/gce-pd", "kubernetes.io/aws-ebs", "kubernetes.io/cinder", "kubernetes.io/azure-disk"}
)
MOVED_BY_NODE = frozenset({"kubernetes.io/portworx-volume"})
"""The plugins whose volumes the scheduler takes for those of their drivers: on every node, or on those that say so."""

TOPOLOGY_KEYS = frozendict(
    {
        "kubernetes.io/gce-pd": "topology.gke.io/zone",
        "kubernetes.io/aws-ebs": "topology.ebs.csi.aws.com/zone",
        "kubernetes.io/cinder": "topology.cinder.csi.openstack.org/zone",
    }
)
"""The label by which a driver knows the zone of a node."""

EBS_VOLUME = compile(r"vol-[^/]*")
GCE_ZONE = compile(r"[^-]*-[^-]*-[^-]*", ASCII)


def plugin_of(source: object) -> str | None:
    """The plugin that a driver took the place of, None where there is no such plugin for the volume."""
    return PLUGINS.get(type(source))


def moved(plugin: str, node: CSINode | None) -> bool:
    """Whether volumes of the plugin count as its driver's on the node, which has to have a CSINode."""
    return node is not None and (
        plugin in MOVED_EVERYWHERE
        or (plugin in MOVED_BY_NODE and plugin in node.migrated)
    )  # fmt: skip


def handle(source: Disk | None, labels: Labels) -> str | None:
    """What a driver calls the volume, which has these labels; None where it cannot be its."""
    match source:
        case GCEPersistentDisk(name):
            place = _place(labels)
            return None if place is None else f"projects/UNSPECIFIED/{place}/disks/{name}"
        case AWSElasticBlockStore(name):
            return _ebs_volume(name)
        case AzureDisk(disk_uri=uri, kind=kind):
            return uri if kind == "Managed" else None
        case Cinder(name) | PortworxVolume(name):
            return name
    return None


def why_no_handle(source: object, labels: Labels = NO_LABELS) -> str:
    """Why a driver cannot know a volume that has these labels."""
    match source:
        case AzureDisk(kind=kind):
            return f"kind({kind}) is not supported in csi migration"
        case AWSElasticBlockStore(name):
            return f"failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({name})"
        case GCEPersistentDisk():
            return f"failed to get region from zones: {_why_no_region(_zones(labels))}"
    return ""


def _why_no_region(zones: tuple[str, ...]) -> str:
    """Why the zones have no region in common: the first one without two hyphens, or the regions as Go prints a set."""
    for zone in zones:
        if GCE_ZONE.fullmatch(zone) is None:
            return f"zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
    regions = sorted({zone.rpartition("-")[0] for zone in zones})
    return f"multiple or no regions gotten from zones, got: map[{' '.join(f'{region}:{{}}' for region in regions)}]"


def affinity(volume: PersistentVolume, plugin: str) -> tuple[NodeSelectorTerm, ...] | None:
    """The terms one of which a node must match for the driver that took the place of `plugin` to reach the volume."""
    if plugin not in TOPOLOGY_KEYS:
        return volume.node_affinity
    zone, region = _labels_of(volume)
    terms = volume.node_affinity
    if _values(terms, zone):
        terms = _renamed(terms, zone, TOPOLOGY_KEYS[plugin])
    elif zones := sorted({each.strip() for each in volume.labels.get(zone, "").split(ZONES)} - {""}):
        terms = _narrowed(terms, Requirement(TOPOLOGY_KEYS[plugin], "In", tuple(zones)))
    return _renamed(terms, BETA_REGION, REGION) if region == BETA_REGION and _values(terms, BETA_REGION) else terms


def _place(labels: Labels) -> str | None:
    """Where a disk of Google's is: in a zone, or if its label names several in the region that has them all."""
    zones = _zones(labels)
    if len(zones) == 1:
        return f"zones/{zones[0] or 'UNSPECIFIED'}"
    regions = {zone.rpartition("-")[0] for zone in zones}
    if len(regions) > 1 or not all(GCE_ZONE.fullmatch(zone) for zone in zones):
        return None
    return f"regions/{min(regions)}"


def _zones(labels: Labels) -> tuple[str, ...]:
    """The zones that the labels of one of Google's disks name."""
    return tuple((labels.get(BETA_ZONE, "") or labels.get(ZONE, "")).split(ZONES))


def _ebs_volume(name: str) -> str | None:
    if not name.startswith("aws://"):
        return name
    volume = name.removeprefix("aws://").partition("/")[2].strip("/")
    return volume if EBS_VOLUME.fullmatch(volume) else None


def _labels_of(volume: PersistentVolume) -> tuple[str, str]:
    """The labels for zone and region that a volume goes by: the first of them that it has, in its terms or its labels."""
    keys = {each.key for term in volume.node_affinity or () for each in term.match_expressions}
    now, beta = (ZONE, REGION), (BETA_ZONE, BETA_REGION)
    for known in (keys, volume.labels):
        for zone, region in (now, beta):
            if zone in known:
                return zone, region
    return now


def _values(terms: tuple[NodeSelectorTerm, ...] | None, key: str) -> frozenset[str]:
    """The values that the terms have for a label."""
    requirements = (each for term in terms or () for each in term.match_expressions)
    return frozenset(value for each in requirements if each.key == key for value in each.values)


def _renamed(
    terms: tuple[NodeSelectorTerm, ...] | None, old: str, new: str
) -> tuple[NodeSelectorTerm, ...] | None:  # fmt: skip
    """The terms with one label for another."""
    if terms is None:
        return None
    return tuple(
        replace(
            term,
            match_expressions=tuple(
                replace(each, key=new) if each.key == old else each for each in term.match_expressions
            ),
        )
        for term in terms
    )


def _narrowed(terms: tuple[NodeSelectorTerm, ...] | None, also: Requirement) -> tuple[NodeSelectorTerm, ...]:
    """The terms with a requirement more; where there is none, one of it alone."""
    return tuple(
        replace(term, match_expressions=(*term.match_expressions, also)) for term in terms or (NodeSelectorTerm(),)
    )
