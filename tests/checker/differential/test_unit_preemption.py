"""The production scheduler beside the specification where a pod without a group may evict pods of PodGroups: one cycle each

Equal means: where the pod is bound, to which node it is nominated after the cycle, and which pods are evicted are those of
a decision that the specification allows. The witness for both is kube-scheduler, by `make live-groups`.
"""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from schedcheck.checker.differential.decisions import concluded, concluded_decisions
from schedcheck.checker.extenders.as_values import judged
from schedcheck.model.production.preemption import by_units
from schedcheck.model.production.preemption.wholes import Whole
from schedcheck.spec.decisions import Unknown, Wait
from schedcheck.spec.kubernetes.control_loop import decision
from tests.checker.differential.test_group_preemption import done
from tests.live.grouping import read
from tests.live.intruding import intruding, observed
from tests.support.building import node, pod, snapshot
from tests.support.extending import Ruled, over_http
from tests.support.pod_groups import GROUPED, group, one_of


def compared(seeds: range) -> Counter[str]:
    """Compare the clusters of these seeds, and return how many pods were bound, preempted or waited."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        snapshot = read(intruding(Random(f"alone/{seed}"), seed))
        (alone,) = (each for each in snapshot.pods if each.name == "p")
        found = decision(alone, snapshot, GROUPED)
        if any(isinstance(each, Unknown) for each in found):
            counts["unknown"] += 1
            continue
        placed, nominated, evicted = done(snapshot)
        made = dict(placed).get("p", ""), dict(nominated).get("p", ""), evicted
        assert made in {observed(each, alone) for each in found}, (seed, made, found)
        several = len({each.scheduling_group for each in snapshot.pods if each.name in evicted} - {""}) > 0
        counts["bound" if made[0] else "of groups" if several else "preempted" if evicted else "waits"] += 1
    return counts


def test_the_production_scheduler_evicts_units_as_the_specification_allows() -> None:
    counts = compared(range(60))
    assert all(counts[kind] >= 2 for kind in ("bound", "of groups", "preempted", "waits")), counts


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("violating", lambda infos, listers, departures: ([], list(infos))),
        ("wholes", lambda infos, groups: (Whole([each], each.pod.priority, False) for each in infos)),
    ],
)
def test_broken_units_are_detected(name: str, fault: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_units, name, fault)
    with pytest.raises((AssertionError, KeyError)):
        compared(range(400))


def test_a_pod_elsewhere_that_is_not_thought_away_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schedcheck.model.production.framework.framework.Framework.extended_elsewhere", ())
    with pytest.raises((AssertionError, KeyError)):
        compared(range(600))


@pytest.mark.parametrize("names", [("n1",), ("n1", "n2")])
def test_nothing_is_evicted_where_only_an_extender_refuses(names: tuple[str, ...]) -> None:
    placed = [pod(f"v{name}", 1, name) for name in names]
    there = replace(
        snapshot(*(node(name, 4) for name in names), one_of("g", 1, "n1"), *placed), pod_groups=(group("g", 1),)
    )
    refusing, one = Ruled(failing=lambda node: True), pod("asked", 1, priority=5)
    (allowed,) = judged(one, there, GROUPED, (refusing,)).decisions
    over = over_http(refusing, replace(there, pods=(*there.pods, one)))
    made = concluded(one, there, GROUPED, extenders=[over])
    (waits,) = concluded_decisions(made, there)
    assert isinstance(allowed, Wait) and isinstance(waits, Wait)
    count = len(names)
    needless = ", ".join(f'expected at least one victim pod on node "{name}"' for name in names)
    told = f"0/{count} nodes are available: {count} refused outside. preemption: "
    assert waits.message == allowed.message == told + (needless if count == 1 else f"[{needless}]")
