"""Lookup of storage objects by name"""

import pytest

from schedcheck.spec.storage import (
    CSIDriver,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from tests.support.building import another, stored

NAMES = ("first", "middle", "third")
THERE = stored(
    *(PersistentVolume(name) for name in NAMES),
    *(PersistentVolumeClaim(name) for name in NAMES),
    *(StorageClass(name, "csi.example.com") for name in NAMES),
    *(CSINode(name) for name in NAMES),
    *(CSIDriver(name) for name in NAMES),
)


@pytest.mark.parametrize("name", NAMES)
def test_each_storage_object_is_found_by_its_name(name: str) -> None:
    asked = another(name)
    assert THERE.storage_class(asked) == StorageClass(name, "csi.example.com")
    assert THERE.driver(asked) == CSIDriver(name)
    assert THERE.volume(asked) == PersistentVolume(name)
    assert THERE.claim(another("default"), asked) == PersistentVolumeClaim(name)


@pytest.mark.parametrize("name", ["", "aaa", "mid", "middle2", "zzz"])
def test_a_missing_storage_object_is_not_found(name: str) -> None:
    assert THERE.storage_class(name) is THERE.driver(name) is THERE.volume(name) is None
    assert THERE.claim("default", name) is None
    assert THERE.claim("other", "first") is None
