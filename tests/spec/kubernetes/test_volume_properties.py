"""Properties of the volume filters for any pod, nodes and storage, and the coverage of the drawn examples"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import pytest
from frozendict import frozendict
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from schedcheck.checker.drawing.storage import crowds, hosts, storages, users
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES, Departures
from schedcheck.spec.kubernetes.filters import node_volume_limits, volume_restrictions, volume_zone
from schedcheck.spec.kubernetes.node_info import NodeInfo, node_info
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal
from schedcheck.spec.storage import (
    CSI,
    ClaimSource,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
)
from schedcheck.spec.volumes import binding as volume_binding
from tests.support.building import claiming, node, stored

FILTERS = ("VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone")
DEPARTURES = st.sampled_from((ALL_DEPARTURES, NO_DEPARTURES))


@dataclass(frozen=True)
class Case:
    """A pod to be scheduled, and the nodes m and n with pods on them."""

    pod: Pod
    infos: tuple[NodeInfo, ...]
    storage: Storage
    departures: Departures


@st.composite
def cases(draw: st.DrawFn) -> Case:
    infos = tuple(node_info(draw(hosts(name)), draw(crowds(name))) for name in "mn")
    return Case(draw(users("p")), infos, draw(storages()), draw(DEPARTURES))


def said(case: Case, info: NodeInfo) -> dict[str, tuple[Refusal | None, bool]]:
    """The verdict of each filter on a node, and whether its predicate admits the pod there."""
    pod, storage, departures = case.pod, case.storage, case.departures
    used = volume_restrictions.in_use(pod, case.infos, storage)
    claims, zones = volume_binding.claims_of(pod, storage), volume_zone.topologies(pod, storage)
    restricted = (pod, info, used, storage, departures)
    limited = (pod, info, storage, departures)
    return {
        "VolumeRestrictions": (
            volume_restrictions.refusal(*restricted),
            volume_restrictions.volume_restrictions(*restricted),
        ),
        "NodeVolumeLimits": (node_volume_limits.refusal(*limited), node_volume_limits.node_volume_limits(*limited)),
        "VolumeBinding": (
            volume_binding.refusal(info.node, claims, storage),
            volume_binding.volume_binding(info.node, claims, storage),
        ),
        "VolumeZone": (volume_zone.refusal(info.node, zones), volume_zone.volume_zone(info.node, zones)),
    }


def skipped(case: Case) -> dict[str, bool]:
    """The filters that are skipped in this cycle."""
    used = volume_restrictions.in_use(case.pod, case.infos, case.storage)
    return {
        "VolumeRestrictions": volume_restrictions.skipped(case.pod, used),
        "NodeVolumeLimits": node_volume_limits.skipped(case.pod),
        "VolumeBinding": volume_binding.skipped(case.pod),
        "VolumeZone": volume_zone.skipped(volume_zone.topologies(case.pod, case.storage)),
    }


def rejections(case: Case) -> Iterable[Refusal]:
    """The PreFilter rejections of the pod."""
    rejects: tuple[Callable[[Pod, Storage], Refusal | None], ...] = (
        volume_restrictions.rejection,
        volume_binding.rejection,
        volume_zone.rejection,
    )
    found = (rejection(case.pod, case.storage) for rejection in rejects)
    return [each for each in found if each is not None]


@given(cases())
def test_each_predicate_agrees_with_its_rejection(case: Case) -> None:
    for info in case.infos:
        for name, (refusal, admits) in said(case, info).items():
            assert admits == (refusal is None), name
            assert refusal is None or (refusal.plugin == name and refusal.reasons)


@given(cases())
def test_a_skipped_filter_would_not_have_rejected_any_node(case: Case) -> None:
    for info in case.infos:
        for name, (refusal, _) in said(case, info).items():
            assert refusal is None or not skipped(case)[name]


@given(cases())
def test_a_pod_without_volumes_is_never_rejected(case: Case) -> None:
    bare = replace(case, pod=replace(case.pod, volumes=()))
    assert all(skipped(bare).values())
    assert rejections(bare) == []
    assert all(refusal is None for info in bare.infos for refusal, _ in said(bare, info).values())


def renamed(pod: Pod) -> Pod:
    volumes = (
        replace(volume, source=replace(volume.source, claim_name=f"new-{volume.source.claim_name}"))
        if isinstance(volume.source, ClaimSource)
        else volume
        for volume in pod.volumes
    )
    return replace(pod, name=f"new-{pod.name}", volumes=tuple(volumes))


def under_new_names(storage: Storage) -> Storage:
    def name(old: str) -> str:
        return f"new-{old}" if old else ""

    return replace(
        storage,
        volumes=tuple(
            replace(each, name=name(each.name), claim=each.claim and replace(each.claim, name=name(each.claim.name)))
            for each in storage.volumes
        ),
        claims=tuple(
            replace(each, name=name(each.name), volume_name=name(each.volume_name)) for each in storage.claims
        ),
        attachments=tuple(replace(each, volume_name=name(each.volume_name)) for each in storage.attachments),
    )


@given(cases())
def test_renaming_pods_claims_and_volumes_changes_no_verdict(case: Case) -> None:
    infos = tuple(node_info(info.node, map(renamed, info.pods)) for info in case.infos)
    other = replace(case, pod=renamed(case.pod), infos=infos, storage=under_new_names(case.storage))
    for info, again in zip(case.infos, infos, strict=True):
        before = {name: refusal and refusal.code for name, (refusal, _) in said(case, info).items()}
        assert {name: refusal and refusal.code for name, (refusal, _) in said(other, again).items()} == before
    assert skipped(other) == skipped(case)
    assert [each.plugin for each in rejections(other)] == [each.plugin for each in rejections(case)]


def without(case: Case, gone: Pod) -> Case:
    """The case without this pod."""
    infos = (node_info(info.node, (pod for pod in info.pods if pod != gone)) for info in case.infos)
    return replace(case, infos=tuple(infos))


@given(cases())
def test_removing_a_pod_never_makes_volume_restrictions_reject(case: Case) -> None:
    for gone in (pod for info in case.infos for pod in info.pods):
        less = without(case, gone)
        for info, after in zip(case.infos, less.infos, strict=True):
            if said(case, info)["VolumeRestrictions"][0] is None:
                assert said(less, after)["VolumeRestrictions"][0] is None


@given(cases())
def test_removing_a_pod_without_shared_volumes_never_makes_volume_limits_reject(case: Case) -> None:
    for gone in (pod for info in case.infos for pod in info.pods):
        less = without(case, gone)
        for info, after in zip(case.infos, less.infos, strict=True):
            at = case.storage.node(info.node.name)
            own = node_volume_limits.attached(case.pod, at, case.storage)
            shared = own & node_volume_limits.attached(gone, at, case.storage)
            if not shared and said(case, info)["NodeVolumeLimits"][0] is None:
                assert said(less, after)["NodeVolumeLimits"][0] is None


def test_removing_a_pod_with_a_shared_volume_may_make_volume_limits_reject() -> None:
    """On a node over its limit, the pod is admitted only because another pod already uses its volume."""
    there = claiming("c", name="there")
    full = replace(stored(*_bound_claim()), nodes=(CSINode("n", allocatable=_nothing()),))
    for pods, admitted in (((there,), True), ((), False)):
        case = Case(claiming("c"), (node_info(node(), pods),), full, ALL_DEPARTURES)
        assert said(case, case.infos[0])["NodeVolumeLimits"][1] == admitted


def _bound_claim() -> tuple[PersistentVolumeClaim, PersistentVolume]:
    return (
        PersistentVolumeClaim("c", volume_name="v", bind_completed=True),
        PersistentVolume("v", source=CSI("csi.example.com", "h")),
    )


def _nothing() -> frozendict[str, int]:
    return frozendict({"csi.example.com": 0})


@given(cases())
def test_adding_the_largest_volume_never_makes_volume_binding_reject(case: Case) -> None:
    for like in case.storage.volumes:
        more = replace(like, name="z", capacity=99, claim=None)
        richer = replace(case, storage=replace(case.storage, volumes=(*case.storage.volumes, more)))
        for info in case.infos:
            if said(case, info)["VolumeBinding"][0] is None:
                assert said(richer, info)["VolumeBinding"][0] is None


REASONS = {
    ("VolumeRestrictions", "Unschedulable", "node(s) had no available disk"),
    ("VolumeRestrictions", "Unschedulable", volume_restrictions.IN_USE),
    ("NodeVolumeLimits", "Unschedulable", "node(s) exceed max volume count"),
    ("VolumeBinding", "UnschedulableAndUnresolvable", volume_binding.OUT_OF_REACH),
    ("VolumeBinding", "UnschedulableAndUnresolvable", volume_binding.NONE_TO_BIND),
    ("VolumeBinding", "UnschedulableAndUnresolvable", volume_binding.NO_SPACE),
    ("VolumeBinding", "UnschedulableAndUnresolvable", volume_binding.NO_VOLUME),
    ("VolumeZone", "UnschedulableAndUnresolvable", "node(s) had no available volume zone"),
}


@pytest.mark.slow
def test_the_drawn_examples_reach_every_reason_and_every_rejection() -> None:
    reached, rejected, admitted = set(), set(), set()

    # With this seed the rarest reason comes after 800 cases.
    @seed(9)
    @settings(max_examples=900, suppress_health_check=list(HealthCheck))
    @given(cases())
    def measured(case: Case) -> None:
        rejected.update(each.plugin for each in rejections(case))
        for info in case.infos:
            for name, (refusal, _) in said(case, info).items():
                if refusal is None and not skipped(case)[name]:
                    admitted.add(name)
                reached.update((name, str(refusal.code), reason) for reason in (refusal.reasons if refusal else ()))

    measured()
    assert reached >= REASONS
    assert rejected == {"VolumeRestrictions", "VolumeBinding", "VolumeZone"}
    assert admitted == set(FILTERS)
    assert "NodeVolumeLimits" in {name for name, code, _ in reached if code == "Error"}
