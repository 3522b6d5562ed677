"""Every filter says of every node what the definitions say, whatever the others say, and of one node what it says of all."""

from dataclasses import replace

import numpy as np
import pytest
from frozendict import frozendict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedcheck.model.production.framework import filtering
from schedcheck.spec.plugins import DEFAULT_PLUGINS, VOLUME_PLUGINS
from schedcheck.spec.storage import CSI, GCEPersistentDisk, PersistentVolume, PersistentVolumeClaim, Volume
from tests.building import claiming, node, pod, snapshot
from tests.building import stored as in_storage
from tests.model.production.cluster import cluster
from tests.model.production.test_random import filters_agree
from tests.storage_strategies import ZONE
from tests.storing import Question, contested, stored

ASKED = {"contested": contested(), "stored": stored()}
SLOW = list(HealthCheck)


@pytest.mark.parametrize("kind", ASKED)
def test_filters_say_what_is_defined(kind: str) -> None:
    settings(max_examples=200, deadline=None, suppress_health_check=SLOW)(given(ASKED[kind])(filters_agree))()


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
@given(st.one_of(*ASKED.values()))
def test_a_node_is_told_alone_what_it_is_told_among_the_others(question: Question) -> None:
    asked, there, plugins = question
    here = cluster(there, plugins, pending=[asked])
    framework, state, info = here.cycle(asked)
    if filtering.pre_filtered(framework, state, info, here.handle.snapshot).status.success:
        nodes = here.handle.snapshot.all()
        every = filtering.all_verdicts(framework, state, info, nodes)
        for place, said in enumerate(every):
            assert filtering.all_verdicts(framework, state, info, nodes.only(np.array([place]))) == [said]


@pytest.mark.parametrize("name", [*VOLUME_PLUGINS, "DynamicResources"])
def test_a_filter_says_that_its_plugin_was_not_asked_before_or_does_without(name: str) -> None:
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
