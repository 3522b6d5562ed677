"""The production scheduler beside the specification where a pod without a group may evict pods of PodGroups: one cycle each

Equal means: where the pod is bound, to which node it is nominated after the cycle, and which pods are evicted are those of
a decision that the specification allows. The witness for both is kube-scheduler, by `make live-groups`.
"""

from collections import Counter
from random import Random

import pytest

from schedcheck.model.production.preemption import by_units
from schedcheck.model.production.preemption.wholes import Whole
from schedcheck.spec.decisions import Unknown
from schedcheck.spec.kubernetes.control_loop import decision
from tests.checker.differential.test_group_preemption import done
from tests.live.grouping import read
from tests.live.intruding import intruding, observed
from tests.support.pod_groups import GROUPED


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
