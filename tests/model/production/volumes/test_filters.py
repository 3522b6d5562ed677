"""Every volume filter gives each node the verdict of the definitions, alone and among other nodes"""

from dataclasses import replace

import numpy as np
import pytest
from frozendict import frozendict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedcheck.checker.drawing.storage import ZONE
from schedcheck.checker.drawing.volumes import Question, contested, stored
from schedcheck.model.production.framework import filtering
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.snapshot.node_info import NodeInfo
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.volumes.attachments import Attachments, Counted
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, VOLUME_PLUGINS
from schedcheck.spec.storage import (
    CSI,
    CSINode,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    Volume,
    VolumeAttachment,
)
from tests.model.production.api_server import started
from tests.model.production.cluster import cluster
from tests.model.production.test_random import filters_agree
from tests.support.building import claiming, node, pod, snapshot
from tests.support.building import stored as in_storage
from tests.support.verdicts import all_verdicts

ASKED = {"contested": contested(), "stored": stored()}
SLOW = list(HealthCheck)
DRIVER = "csi.example.com"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ASKED)
def test_volume_filters_agree_with_the_definitions(kind: str) -> None:
    settings(max_examples=200, deadline=None, suppress_health_check=SLOW)(given(ASKED[kind])(filters_agree))()


@pytest.mark.medium
@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
@given(st.one_of(*ASKED.values()))
def test_a_node_gets_the_same_verdict_alone_and_among_others(question: Question) -> None:
    asked, there, plugins = question
    here = cluster(there, plugins, pending=[asked])
    framework, state, info = here.cycle(asked)
    if filtering.pre_filtered(framework, state, info, here.handle.snapshot).status.success:
        nodes = here.handle.snapshot.all()
        every = all_verdicts(framework, state, info, nodes)
        for place, said in enumerate(every):
            assert all_verdicts(framework, state, info, nodes.only(np.array([place]))) == [said]


@pytest.mark.parametrize("name", [*VOLUME_PLUGINS, "DynamicResources"])
def test_without_pre_filter_a_volume_filter_fails_or_needs_no_state(name: str) -> None:
    disk = Volume("disk", GCEPersistentDisk("d"))
    asked = replace(claiming("c"), volumes=(*claiming("c").volumes, disk))
    claim = PersistentVolumeClaim("c", volume_name="v", bind_completed=True)
    volume = PersistentVolume("v", labels=frozendict({ZONE: "a"}), source=CSI("csi.example.com", "h"))
    there = snapshot(
        *(node(each, 4, labels={ZONE: zone}) for each, zone in (("m", "a"), ("n", "b"))),
        pod("holds", on="m", volumes=(disk,)),
    )
    points = DEFAULT_PLUGINS.points
    points = points.set("preFilter", tuple(each for each in points["preFilter"] if each != name))
    storage = in_storage(claim, volume)
    filters_agree((asked, replace(there, storage=storage), replace(DEFAULT_PLUGINS, points=points)))


def counted_anew() -> None:
    """Check that the last free volume of a node is recounted after changes of pods, attachments, claims and limits."""
    claims = [PersistentVolumeClaim(name, volume_name=name, bind_completed=True) for name in "abc"]
    volumes = [PersistentVolume(name, source=CSI(DRIVER, name)) for name in "abc"]
    limit = CSINode("n1", allocatable=frozendict({DRIVER: 1}))
    running = started(node("n1", 1), claiming("a", name="p"))
    for each in (*claims, *volumes, limit):
        running.delivery.stored(None, each)

    def admits(name: str) -> bool:
        scheduler = running.scheduler
        scheduler.cache.update(scheduler.handle.snapshot)
        plugin = scheduler.frameworks["default-scheduler"].plugin("NodeVolumeLimits")
        return not plugin.filter(CycleState(), PodInfo(claiming(name)), scheduler.handle.snapshot.all()).codes.any()

    assert admits("b")
    running.wait(10)
    running.step()
    assert running.server.pod("p").node_name == "n1"
    assert not admits("b") and admits("a")
    running.delivery.stored(limit, replace(limit, allocatable=frozendict({DRIVER: 2})))
    assert admits("b")
    attachment = VolumeAttachment("x", DRIVER, "n1", "c")
    running.delivery.stored(None, attachment)
    assert not admits("b")
    running.delivery.stored(attachment, None)
    running.delivery.stored(claims[1], replace(claims[1], volume_name="c"))
    assert admits("b")
    running.delivery.stored(None, replace(attachment, volume_name="b"))
    assert not admits("b")
    running.delete(running.server.pod("p"))
    assert admits("b")


def test_attached_volumes_are_recounted_after_any_change() -> None:
    counted_anew()


def test_a_volume_count_that_is_cached_without_end_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counted, "is_of", lambda self, users, node, storage: True)
    with pytest.raises(AssertionError):
        counted_anew()


def test_counts_that_are_kept_while_the_table_changes_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    put = NodeTable.put

    def unversioned(table: NodeTable, info: NodeInfo) -> None:
        put(table, info)
        table.version = 0

    monkeypatch.setattr(NodeTable, "put", unversioned)
    with pytest.raises(AssertionError):
        counted_anew()


def test_a_volume_that_counts_again_where_it_is_attached_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    record = Attachments._record
    monkeypatch.setattr(
        Attachments,
        "_record",
        lambda made, row, there, size: record(made, row, replace(there, attached=frozenset()), size),
    )
    with pytest.raises(AssertionError):
        counted_anew()
