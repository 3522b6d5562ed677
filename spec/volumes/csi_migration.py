"""CSI migration: in-tree volumes as the CSI drivers see them that replace the in-tree plugins.

`plugin_of` and `DRIVERS` name the plugin and its driver. `moved` says whether the volume limits of a node count the
plugin's volumes as the driver's. `handle` is the driver's name for a volume, and `affinity` the nodes that can use it.

Kubernetes 1.34: k8s.io/csi-translation-lib/plugins, isCSIMigrationOn in
pkg/scheduler/framework/plugins/nodevolumelimits/utils.go. Differs: an EBS volume ID that begins with aws:// is split at
its slashes, and not otherwise parsed as a URL.
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
"""The separator of zones in the value of a label."""

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
"""The CSI driver that replaces each in-tree plugin."""

MOVED_EVERYWHERE = frozenset(
    {"kubernetes.io/gce-pd", "kubernetes.io/aws-ebs", "kubernetes.io/cinder", "kubernetes.io/azure-disk"}
)
MOVED_BY_NODE = frozenset({"kubernetes.io/portworx-volume"})
"""The plugins that the scheduler treats as migrated: on every node, or on nodes whose CSINode lists them."""

TOPOLOGY_KEYS = frozendict(
    {
        "kubernetes.io/gce-pd": "topology.gke.io/zone",
        "kubernetes.io/aws-ebs": "topology.ebs.csi.aws.com/zone",
        "kubernetes.io/cinder": "topology.cinder.csi.openstack.org/zone",
    }
)
"""The node label from which a driver reads the zone."""

EBS_VOLUME = compile(r"vol-[^/]*")
GCE_ZONE = compile(r"[^-]*-[^-]*-[^-]*", ASCII)


def plugin_of(source: object) -> str | None:
    """Return the in-tree plugin of the volume source; None if no CSI driver replaces it."""
    return PLUGINS.get(type(source))


def moved(plugin: str, node: CSINode | None) -> bool:
    """Whether volumes of the plugin count as its driver's on the node, which must have a CSINode."""
    return node is not None and (
        plugin in MOVED_EVERYWHERE
        or (plugin in MOVED_BY_NODE and plugin in node.migrated)
    )  # fmt: skip


def handle(source: Disk | None, labels: Labels) -> str | None:
    """Return the driver's handle for a volume with these labels; None if it cannot be translated."""
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
    """Return why a volume with these labels cannot be translated to CSI."""
    match source:
        case AzureDisk(kind=kind):
            return f"kind({kind}) is not supported in csi migration"
        case AWSElasticBlockStore(name):
            return f"failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({name})"
        case GCEPersistentDisk():
            return f"failed to get region from zones: {_why_no_region(_zones(labels))}"
    return ""


def _why_no_region(zones: tuple[str, ...]) -> str:
    """Return why the zones have no common region: a zone without two hyphens, or the regions as Go prints a set."""
    for zone in zones:
        if GCE_ZONE.fullmatch(zone) is None:
            return f"zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
    regions = sorted({zone.rpartition("-")[0] for zone in zones})
    return f"multiple or no regions gotten from zones, got: map[{' '.join(f'{region}:{{}}' for region in regions)}]"


def affinity(volume: PersistentVolume, plugin: str) -> tuple[NodeSelectorTerm, ...] | None:
    """Return the volume's node affinity, translated for the driver that replaces `plugin`: terms to match one of."""
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
    """Return the location of a GCE disk: its zone, or the common region if its label names several zones."""
    zones = _zones(labels)
    if len(zones) == 1:
        return f"zones/{zones[0] or 'UNSPECIFIED'}"
    regions = {zone.rpartition("-")[0] for zone in zones}
    if len(regions) > 1 or not all(GCE_ZONE.fullmatch(zone) for zone in zones):
        return None
    return f"regions/{min(regions)}"


def _zones(labels: Labels) -> tuple[str, ...]:
    """Return the zones that the labels of a GCE disk name."""
    return tuple((labels.get(BETA_ZONE, "") or labels.get(ZONE, "")).split(ZONES))


def _ebs_volume(name: str) -> str | None:
    if not name.startswith("aws://"):
        return name
    volume = name.removeprefix("aws://").partition("/")[2].strip("/")
    return volume if EBS_VOLUME.fullmatch(volume) else None


def _labels_of(volume: PersistentVolume) -> tuple[str, str]:
    """Return the zone and region label keys of a volume: the first pair found in its affinity terms or its labels."""
    keys = {each.key for term in volume.node_affinity or () for each in term.match_expressions}
    now, beta = (ZONE, REGION), (BETA_ZONE, BETA_REGION)
    for known in (keys, volume.labels):
        for zone, region in (now, beta):
            if zone in known:
                return zone, region
    return now


def _values(terms: tuple[NodeSelectorTerm, ...] | None, key: str) -> frozenset[str]:
    """Return the values that the terms list for a label."""
    requirements = (each for term in terms or () for each in term.match_expressions)
    return frozenset(value for each in requirements if each.key == key for value in each.values)


def _renamed(
    terms: tuple[NodeSelectorTerm, ...] | None, old: str, new: str
) -> tuple[NodeSelectorTerm, ...] | None:  # fmt: skip
    """Return the terms with one label key replaced by another."""
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
    """Return the terms, each with one more requirement; without terms, one term with that requirement alone."""
    return tuple(
        replace(term, match_expressions=(*term.match_expressions, also)) for term in terms or (NodeSelectorTerm(),)
    )
