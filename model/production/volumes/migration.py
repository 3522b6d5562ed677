"""In-tree disks as the CSI drivers that replaced their plugins see them: `Plugin`, `plugin_of`, `translated`.

Kubernetes 1.34: k8s.io/csi-translation-lib/plugins; isCSIMigrationOn in
pkg/scheduler/framework/plugins/nodevolumelimits/utils.go, isCSIMigrationOnPlugin in plugins/volumebinding/binder.go.
Differs: the id of an EBS volume is split at its slashes.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from schedcheck.spec.storage import (
    AWSElasticBlockStore,
    AzureDisk,
    AzureFile,
    Cinder,
    CSINode,
    GCEPersistentDisk,
    PersistentVolume,
    PortworxVolume,
    VsphereVolume,
)
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from schedcheck.spec.values import NO_LABELS

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE, BETA_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
SEVERAL = "__"
"""The separator of zones in one label."""


@dataclass(frozen=True)
class Plugin:
    """An in-tree plugin and its CSI driver; `zone` is the driver's zone label, if it has one."""

    name: str
    driver: str
    zone: str = ""
    everywhere: bool = False
    """Its volumes count as the driver's on every node with a CSINode."""
    by_node: bool = False
    """Its volumes count as the driver's on nodes whose CSINode says so."""

    @property
    def replaced(self) -> bool:
        """Whether the scheduler ever treats the plugin's volumes as the driver's."""
        return self.everywhere or self.by_node

    def counts_as_drivers(self, node: CSINode | None) -> bool:
        """Whether volumes of the plugin count as the driver's on the node."""
        return node is not None and (self.everywhere or (self.by_node and self.name in node.migrated))


PLUGINS: Mapping[type, Plugin] = {
    GCEPersistentDisk: Plugin("kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone", True),
    AWSElasticBlockStore: Plugin("kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone", True),
    Cinder: Plugin(
        "kubernetes.io/cinder", "cinder.csi.openstack.org", "topology.cinder.csi.openstack.org/zone", everywhere=True
    ),
    AzureDisk: Plugin("kubernetes.io/azure-disk", "disk.csi.azure.com", everywhere=True),
    PortworxVolume: Plugin("kubernetes.io/portworx-volume", "pxd.portworx.com", by_node=True),
    AzureFile: Plugin("kubernetes.io/azure-file", "file.csi.azure.com"),
    VsphereVolume: Plugin("kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"),
}
BY_NAME: Mapping[str, Plugin] = {plugin.name: plugin for plugin in PLUGINS.values()}


class UntranslatableError(ValueError):
    """A disk that cannot be translated for the driver, and why."""


def plugin_of(source: object) -> Plugin | None:
    """Return the in-tree plugin of a disk, None if it is of no plugin that was replaced."""
    return PLUGINS.get(type(source))


def handle(source: object, labels: Mapping[str, str] = NO_LABELS) -> str:
    """Return the driver's handle of a disk, whose volume has these labels.

    Raises: UntranslatableError if there is none.
    """
    match source:
        case GCEPersistentDisk(name):
            zones = (labels.get(BETA_ZONE) or labels.get(ZONE) or "UNSPECIFIED").split(SEVERAL)
            place = f"zones/{zones[0]}" if len(zones) == 1 else f"regions/{_region(zones)}"
            return f"projects/UNSPECIFIED/{place}/disks/{name}"
        case AWSElasticBlockStore(name) if name.startswith("aws://"):
            _, _, path = name[len("aws://") :].partition("/")
            found = path.strip("/")
            if re.fullmatch("vol-[^/]*", found) is None:
                raise UntranslatableError(
                    f"failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({name})"
                )
            return found
        case AzureDisk(disk_uri=name, kind=kind):
            if kind != "Managed":
                raise UntranslatableError(f"kind({kind}) is not supported in csi migration")
            return name
        case AWSElasticBlockStore(name) | Cinder(name) | PortworxVolume(name):
            return name
    raise UntranslatableError(f"no driver knows a {type(source).__name__}")


def _region(zones: list[str]) -> str:
    """Return the region of all these zones."""
    wrong = "failed to get region from zones"
    regions = set()
    for zone in zones:
        parts = zone.split("-")
        if len(parts) != 3:
            text = "zone in unexpected format, expected: {locale}-{region}-{zone}, got:"
            raise UntranslatableError(f"{wrong}: {text} {zone}")
        regions.add("-".join(parts[:2]))
    if len(regions) > 1:
        told = " ".join(f"{region}:{{}}" for region in sorted(regions))
        raise UntranslatableError(f"{wrong}: multiple or no regions gotten from zones, got: map[{told}]")
    return regions.pop()


def translated(volume: PersistentVolume, plugin: Plugin) -> tuple[NodeSelectorTerm, ...] | None:
    """Return the node selector terms of the volume as the driver sees it; None means every node.

    Raises: UntranslatableError.
    """
    handle(volume.source, volume.labels)
    terms = volume.node_affinity
    if not plugin.zone:
        return terms
    zone, region = _labels_spoken(volume)
    if _has_values(terms, zone):
        terms = _renamed(terms, zone, plugin.zone)
    else:
        zones = {part.strip() for part in volume.labels.get(zone, "").split(SEVERAL)} - {""}
        if zones:
            also = Requirement(plugin.zone, "In", tuple(sorted(zones)))
            terms = tuple(
                replace(term, match_expressions=(*term.match_expressions, also))
                for term in terms or (NodeSelectorTerm(),)
            )
    return _renamed(terms, BETA_REGION, REGION) if region == BETA_REGION and _has_values(terms, region) else terms


def _labels_spoken(volume: PersistentVolume) -> tuple[str, str]:
    """Return the zone and region labels that the volume uses: first those in its terms, then those in its labels."""
    spoken = {requirement.key for requirement in _requirements(volume.node_affinity)}
    for known in (spoken, volume.labels):
        if ZONE in known:
            return ZONE, REGION
        if BETA_ZONE in known:
            return BETA_ZONE, BETA_REGION
    return ZONE, REGION


def _requirements(terms: tuple[NodeSelectorTerm, ...] | None) -> Iterator[Requirement]:
    return (requirement for term in terms or () for requirement in term.match_expressions)


def _has_values(terms: tuple[NodeSelectorTerm, ...] | None, key: str) -> bool:
    return any(requirement.key == key and requirement.values for requirement in _requirements(terms))


def _renamed(
    terms: tuple[NodeSelectorTerm, ...] | None, before: str, after: str
) -> tuple[NodeSelectorTerm, ...] | None:  # fmt: skip
    def renamed(requirement: Requirement) -> Requirement:
        return replace(requirement, key=after) if requirement.key == before else requirement

    return terms and tuple(
        replace(term, match_expressions=tuple(map(renamed, term.match_expressions))) for term in terms
    )
