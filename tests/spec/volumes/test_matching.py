"""The volumes a claim may take: each field that must match, in both directions"""

from dataclasses import replace
from typing import Any

import pytest

from schedcheck.spec.storage import (
    ClaimReference,
    CSIDriver,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from schedcheck.spec.terms import LabelSelector
from schedcheck.spec.volumes.binding import fully_bound
from schedcheck.spec.volumes.matching import free_for, kept_for, suits
from schedcheck.spec.volumes.provisioning import has_space
from tests.support.building import another, node, stored

CLAIM = PersistentVolumeClaim(
    "claim", "middle", uid="1", storage_class="middle", request=1000, attributes_class="middle"
)
VOLUME = PersistentVolume("v", capacity=int("1000"), storage_class="middle", attributes_class="middle")


@pytest.mark.parametrize(
    ("namespace", "name", "uid", "kept"),
    [
        ("middle", "claim", "", True),
        ("middle", "claim", "1", True),
        ("middle", "claim", "0", False),
        ("middle", "claim", "2", False),
        ("middle", "a", "", False),
        ("middle", "z", "", False),
        ("a", "claim", "", False),
        ("z", "claim", "", False),
    ],
)
def test_a_volume_is_reserved_for_the_claim_that_it_names(namespace: str, name: str, uid: str, kept: bool) -> None:
    assert kept_for(replace(VOLUME, claim=ClaimReference(namespace, name, uid)), CLAIM) is kept
    assert not kept_for(VOLUME, CLAIM)


@pytest.mark.parametrize(
    ("fields", "suited"),
    [
        ({}, True),
        ({"capacity": 1001}, True),
        ({"capacity": 999}, False),
        ({"volume_mode": "Block"}, False),
        ({"volume_mode": "Zone"}, False),
        ({"storage_class": "a"}, False),
        ({"storage_class": "z"}, False),
        ({"attributes_class": "a"}, False),
        ({"attributes_class": "z"}, False),
        ({"attributes_class": ""}, False),
        ({"terminating": True}, False),
    ],
)
def test_a_volume_suits_a_claim_with_matching_class_size_and_mode(fields: dict[str, Any], suited: bool) -> None:
    assert suits(replace(VOLUME, **fields), CLAIM) is suited


@pytest.mark.parametrize("phase", ["Available", "Aaa", "Bound", "Released"])
def test_only_an_available_volume_is_free(phase: str) -> None:
    assert free_for(replace(VOLUME, phase=phase), CLAIM) is (phase == "Available")
    assert not free_for(replace(VOLUME, phase=phase, claim=ClaimReference("a", "b")), CLAIM)


@pytest.mark.parametrize(
    ("offered", "asked", "free"),
    [
        (("A", "B"), ("A",), True),
        (("A",), ("A", "B"), False),
        (("A",), ("A",), True),
        ((), (), True),
        (("B",), ("A",), False),
    ],
)
def test_a_free_volume_must_offer_every_requested_access_mode(
    offered: tuple[str, ...], asked: tuple[str, ...], free: bool
) -> None:
    assert free_for(replace(VOLUME, access_modes=offered), replace(CLAIM, access_modes=asked)) is free


def test_a_free_volume_must_have_the_selected_labels() -> None:
    wanting = replace(CLAIM, selector=LabelSelector(match_labels=node(labels={"disk": "ssd"}).labels))
    assert not free_for(VOLUME, wanting)
    assert free_for(replace(VOLUME, labels=node(labels={"disk": "ssd"}).labels), wanting)


@pytest.mark.parametrize(("name", "completed", "bound"), [("v", True, True), ("v", False, False), ("", True, False)])
def test_a_claim_is_bound_once_volume_name_and_completion_are_set(name: str, completed: bool, bound: bool) -> None:
    assert fully_bound(replace(CLAIM, volume_name=name, bind_completed=completed)) is bound


@pytest.mark.parametrize(("room", "enough"), [("999", False), ("1000", True), ("1001", True)])
@pytest.mark.parametrize(("named", "of_the_class"), [("middle", True), ("a", False), ("z", False)])
def test_there_is_capacity_if_the_driver_reports_enough_for_the_class(
    room: str, enough: bool, named: str, of_the_class: bool
) -> None:
    storage_class = StorageClass("middle", "csi.example.com")
    capacity = CSIStorageCapacity("c", storage_class=another(named), capacity=int(room), node_topology=LabelSelector())
    there = stored(storage_class, CSIDriver("csi.example.com", storage_capacity=True), capacity)
    assert has_space(CLAIM, storage_class, node(), there) is (enough and of_the_class)
    assert has_space(replace(CLAIM, request=0), storage_class, node(), there)
    silent = stored(storage_class, CSIDriver("csi.example.com"), capacity)
    assert has_space(CLAIM, storage_class, node(), silent)
