"""The NodeDeclaredFeatures plugin: nodes must declare what a pod requires; while its feature gate is off it does nothing"""

from dataclasses import replace

import pytest

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.status import Code
from schedcheck.model.production.framework.verdicts import CODES
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.versions import VERSIONS
from tests.model.production.cluster import cluster
from tests.support.building import node, pod, snapshot

GATE_OFF = replace(DEFAULT_PLUGINS, departures=VERSIONS["1.35"].departures)
NEEDED = frozenset({"feature"})
NODES = snapshot(node("n1", declared_features=NEEDED), node("n2"))


@pytest.mark.parametrize("prepared", [True, False])
@pytest.mark.parametrize("plugins", [DEFAULT_PLUGINS, GATE_OFF])
def test_a_node_is_refused_only_while_the_gate_is_on(plugins: Plugins, prepared: bool) -> None:
    there = cluster(NODES, plugins)
    plugin, state, asked = (
        there.framework.plugin("NodeDeclaredFeatures"),
        CycleState(),
        PodInfo(pod("p", required_features=NEEDED)),
    )
    off = plugins is GATE_OFF
    if prepared:
        status, _ = plugin.pre_filter(state, asked, there.handle.snapshot)
        assert status.code is (Code.SKIP if off else Code.SUCCESS)
    said = plugin.filter(state, asked, there.handle.snapshot.all())
    codes = [CODES[code] for code in said.codes]
    without_state = Code.SUCCESS if prepared else Code.ERROR
    refused = Code.UNRESOLVABLE if prepared else Code.ERROR
    assert codes == ([Code.SUCCESS] * 2 if off else [without_state, refused])
    assert bool(plugin.events()) is not off
