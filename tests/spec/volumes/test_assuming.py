"""What a pod's claims take while it has a node, and what drivers attach for claims, by hand from kube-scheduler's code

Kubernetes 1.37: AssumePodVolumes in pkg/scheduler/framework/plugins/volumebinding/binder.go, getCSIDriverInfo in
pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
"""

from dataclasses import replace

import pytest

from schedcheck.spec.storage import (
    CSI,
    ClaimReference,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
)
from schedcheck.spec.volumes.assuming import assumed_storage
from schedcheck.spec.volumes.attaching import Attached, of_claim
from tests.support.building import claiming, node

CLASS = StorageClass("local", "csi.example.com", "WaitForFirstConsumer")
TAKES = PersistentVolumeClaim("takes", uid="1", storage_class="local", request=5)
MADE = PersistentVolumeClaim("made", uid="2", storage_class="local", request=50)
VOLUME = PersistentVolume("v", capacity=5, storage_class="local", source=CSI("csi.example.com", "disk"))
BOUND = PersistentVolumeClaim("bound", volume_name="v", bind_completed=True, phase="Bound")


def test_a_volume_is_kept_for_the_claim_that_takes_it_and_the_others_are_made_for_the_node() -> None:
    before = Storage(volumes=(VOLUME,), claims=(BOUND, MADE, TAKES), classes=(CLASS,))
    after = assumed_storage(claiming("takes", "made"), node("n"), before)
    assert after.volumes == (replace(VOLUME, claim=ClaimReference("default", "takes", "1")),)
    assert after.claims == (BOUND, replace(MADE, selected_node="n"), TAKES)
    assert assumed_storage(claiming("bound"), node("n"), before) == before


@pytest.mark.parametrize(
    ("claim", "attached"),
    [
        (BOUND, ("csi.example.com", "disk")),
        (replace(BOUND, volume_name="gone"), None),
        (MADE, ("csi.example.com", "default", "made")),
        (replace(MADE, volume_name="gone"), ("csi.example.com", "default", "made")),
        (replace(MADE, storage_class="none"), None),
    ],
)
def test_a_claim_attaches_its_volume_or_the_one_to_be_made(
    claim: PersistentVolumeClaim, attached: Attached | None
) -> None:
    """A volume that does not exist counts as one to be made."""
    assert of_claim(claim, None, Storage(volumes=(VOLUME,), classes=(CLASS,))) == attached
