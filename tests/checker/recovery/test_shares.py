"""Shares of nodes that pods close: by hand"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.checker.recovery import shares
from schedcheck.checker.recovery.recovery import Recovery
from schedcheck.checker.recovery.shares import Shares
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod
from tests.checker.recovery.test_recovery import agree
from tests.support.building import node, pod, scenario


def beside(*others: Pod, cpu: int = 2, nodes: int = 2) -> Scenario:
    """A pod of one cpu that waits beside these, on nodes with so many cpus."""
    there = (node(f"n{each}", cpu=cpu) for each in range(nodes))
    return scenario(pod("web", cpu=1), *others, *there, profile="kubernetes")


def certain(scene: Scenario) -> bool:
    (web,) = (each for each in scene.pods if each.name == "web")
    return Recovery(scene, 0).certain(web) is not None


def test_three_pods_of_one_cpu_leave_one_of_four_cpus_free() -> None:
    low = [pod(f"x-{each}", cpu=1, on=f"n{each % 2}") for each in range(4)]
    assert certain(beside(*low[:3])), "they cannot leave half a cpu on both nodes"
    assert not certain(beside(*low))
    assert not certain(
        beside(*low[:2], pod("half", cpu=0.5, on="n0"), pod("more", cpu=0.5, on="n1"), pod("y", cpu=0.5))
    )


def resizing() -> Scenario:
    """The only node has two cpus, both set aside for a pod that now requests one."""
    bound = pod("x", cpu=1, on="n0", phase="Running")
    (container,) = bound.containers
    kept = replace(container, allocated=frozendict({"cpu": 2 * container.requests["cpu"]}))
    return beside(replace(bound, containers=(kept,)), nodes=1)


def test_a_pod_that_is_resized_in_place_closes_what_is_set_aside_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not certain(resizing())
    # The broken twin counts what it requests.
    monkeypatch.setattr(shares, "occupied", lambda pod, departures: frozendict({"cpu": 1000}))
    assert certain(resizing())


def test_a_pod_that_excludes_lower_ones_from_its_zone_may_not_evict_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    agree(5416, [])
    # The broken twin takes pods on other nodes of the zone for evictable.
    monkeypatch.setattr(Shares, "lasting", lambda self, pod, among_all=False: True)
    with pytest.raises(AssertionError):
        agree(5416, [])
