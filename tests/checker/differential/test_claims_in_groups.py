"""The production scheduler beside the specification where pods of a PodGroup have claims: one cycle of each random cluster

Equal means: which pods are bound and where are those of an end that the specification allows. The witness for both is
kube-scheduler, by `make live-groups`.
"""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from schedcheck.model.production.framework.status import SUCCESS
from schedcheck.model.production.plugins.dynamic_resources import DynamicResources
from schedcheck.model.production.plugins.volume_binding import VolumeBinding
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.kubernetes.group_decisions import known_endings
from schedcheck.spec.kubernetes.pod_groups import pod_group
from tests.checker.differential.test_group_preemption import allowed, done
from tests.live.allocating import allocating
from tests.live.grouping import read
from tests.live.storing import storing
from tests.support.pod_groups import GROUPED

Drawn = Callable[[Random, int], dict[str, Any]]


def compared(drawn: Drawn, seeds: range) -> Counter[str]:
    """Compare the clusters of these seeds, and return how many groups with claims were bound or waited."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        snapshot = read(drawn(Random(f"claims/{seed}"), seed))
        members = [each for each in snapshot.pods if each.scheduling_group == "g" and not each.node_name]
        found = pod_group(members[0], snapshot) if members else None
        if found is None or not any(each in turn(snapshot, GROUPED) for each in members):
            continue
        why, ends = known_endings(found, snapshot, GROUPED)
        if why:
            counts["unknown"] += 1
            continue
        made = done(snapshot)
        assert made in {allowed(each, snapshot) for each in ends}, (seed, made)
        claims = any(each.volumes or each.resource_claims for each in members)
        counts[("bound" if made[0] else "waits") if claims else "without"] += 1
    return counts


@pytest.mark.parametrize("drawn", [storing, allocating])
def test_the_production_scheduler_binds_groups_with_claims_as_the_specification_allows(drawn: Drawn) -> None:
    counts = compared(drawn, range(16))
    assert all(counts[kind] >= 2 for kind in ("bound", "waits")), counts


@pytest.mark.slow
@pytest.mark.parametrize("drawn", [storing, allocating])
def test_it_does_so_in_many_clusters(drawn: Drawn) -> None:
    compared(drawn, range(16, 150))


@pytest.mark.slow
@pytest.mark.parametrize(("drawn", "plugin"), [(storing, VolumeBinding), (allocating, DynamicResources)])
def test_a_plugin_that_reserves_nothing_for_a_pod_of_a_group_is_detected(
    drawn: Drawn, plugin: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin, "reserve", lambda self, state, pod, node: SUCCESS)
    with pytest.raises((AssertionError, KeyError)):
        compared(drawn, range(400))
