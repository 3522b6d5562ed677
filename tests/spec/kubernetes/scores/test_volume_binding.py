"""The storage that a pod's claims use on a node, by hand from kube-scheduler's code

Kubernetes 1.37: Score in pkg/scheduler/framework/plugins/volumebinding/volume_binding.go adds up, by the class of the
volume, what the claims request and the capacity of the volumes that they take.
"""

from dataclasses import replace

from schedcheck.spec.kubernetes.scores.volume_binding import of_volumes
from schedcheck.spec.storage import PersistentVolume, PersistentVolumeClaim, Storage
from schedcheck.spec.volumes.matching import wanted
from tests.support.building import node

VOLUMES = tuple(
    PersistentVolume(f"{of}{size}", capacity=size, storage_class=of)
    for of, size in (("fast", 10), ("fast", 30), ("slow", 7))
)


def claim(name: str, of: str, size: int) -> PersistentVolumeClaim:
    return PersistentVolumeClaim(name, storage_class=of, request=size)


def used(*claims: PersistentVolumeClaim) -> dict[str, tuple[int, int]]:
    return of_volumes(tuple(wanted(each, Storage(volumes=VOLUMES)) for each in claims), node())


def test_claims_of_one_class_are_added_up_with_the_volumes_that_they_take() -> None:
    assert used() == {}
    assert used(claim("a", "fast", 4)) == {"fast": (4, 10)}
    assert used(claim("a", "fast", 4), claim("b", "fast", 6)) == {"fast": (10, 40)}
    assert used(claim("a", "fast", 4), claim("b", "slow", 7)) == {"fast": (4, 10), "slow": (7, 7)}


def test_a_claim_without_a_volume_or_with_a_chosen_node_uses_none() -> None:
    assert used(claim("a", "fast", 31)) == {}
    assert used(replace(claim("a", "fast", 4), selected_node="n")) == {}
