"""The attachment of a claimed volume: CSI volumes, and disks whose in-tree plugin is migrated on the node"""

import pytest

from schedcheck.model.production.volumes.attached import Attached, of_persistent_volume
from schedcheck.spec.storage import (
    CSI,
    ISCSI,
    AWSElasticBlockStore,
    AzureFile,
    CSINode,
    Disk,
    GCEPersistentDisk,
    PersistentVolume,
    PortworxVolume,
)

PORTWORX = "kubernetes.io/portworx-volume"
N = CSINode("n")


@pytest.mark.parametrize(
    ("source", "on", "attached"),
    [
        (CSI("csi.example.com", "h"), None, ("csi.example.com", "h")),
        (GCEPersistentDisk("d"), N, ("pd.csi.storage.gke.io", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d")),
        (GCEPersistentDisk("d"), None, None),
        (PortworxVolume("p"), CSINode("n", migrated=frozenset({PORTWORX})), ("pxd.portworx.com", "p")),
        (PortworxVolume("p"), N, None),
        (AWSElasticBlockStore("vol-1"), N, ("ebs.csi.aws.com", "vol-1")),
        (AWSElasticBlockStore("aws://eu/x"), N, None),
        (AzureFile("f"), N, None),
        (ISCSI("1.2.3.4:3260", "iqn"), N, None),
        (None, N, None),
    ],
)
def test_a_volume_is_attached_as_csi_or_migrated_disk_or_not_counted(
    source: Disk | None, on: CSINode | None, attached: Attached | None
) -> None:
    assert of_persistent_volume(PersistentVolume("v", source=source), on) == attached
