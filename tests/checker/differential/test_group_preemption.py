"""The production scheduler beside the specification where a PodGroup may have to preempt: one cycle of each random cluster

Equal means: which pods are bound and where, which are nominated after the cycle, and which pods are evicted are those of
an end that the specification allows. The witness for both is kube-scheduler, by `make live-groups`.
"""

from collections import Counter
from random import Random

import pytest

from schedcheck.checker.differential.standing import informed
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.preemption import of_groups
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.kubernetes.group_decisions import known_endings
from schedcheck.spec.kubernetes.pod_groups import Ending, pod_group
from schedcheck.spec.objects import Snapshot
from tests.live.grouping import contested, read
from tests.support.pod_groups import GROUPED

Seen = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...], tuple[str, ...]]
"""Where pods are bound, to which nodes pods are nominated, and what is evicted."""


def allowed(end: Ending, snapshot: Snapshot) -> Seen:
    """What the specification says that can be seen after a cycle."""
    nominated = {each.name: each.nominated_node_name for each in snapshot.pods if not each.node_name}
    nominated |= {each.name: "" for each in (*end.lost, *(one for one, _ in end.placed))}
    nominated |= {one.name: where.name for one, where in end.nominated}
    placed = tuple(sorted((one.name, where.name) for one, where in end.placed))
    evicted = tuple(sorted(each.name for each in end.victims if not each.terminating))
    return placed, tuple(sorted(each for each in nominated.items() if each[1])), evicted


def done(snapshot: Snapshot) -> Seen:
    """What the production scheduler does in the one cycle that it has to run."""
    return seen(informed(snapshot.pods, snapshot, (GROUPED,)))


def seen(scheduler: Scheduler) -> Seen:
    """Run the one cycle of a scheduler, and return what can be seen after it."""
    placed = tuple(sorted((each.pod.name, each.node) for each in scheduler.schedule_next()))
    running = [
        one for each in scheduler.handle.background if isinstance(each, Evictions) for one in each.running.values()
    ]
    evicted = tuple(sorted(victim.name for each in running for victim in each.victims))
    nominator = scheduler.queue.nominator
    return placed, tuple(sorted((key[1], where) for key, where in nominator.node_of.items())), evicted


def compared(seeds: range) -> Counter[str]:
    """Compare the clusters of these seeds, and return how many groups were bound, preempted or waited."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        snapshot = read(contested(Random(f"production/{seed}"), seed))
        members = [each for each in snapshot.pods if each.scheduling_group == "g" and not each.node_name]
        found = pod_group(members[0], snapshot)
        if found is None or not any(each in turn(snapshot, GROUPED) for each in members):
            continue
        why, ends = known_endings(found, snapshot, GROUPED)
        if why:
            counts["unknown"] += 1
            continue
        made = done(snapshot)
        assert made in {allowed(each, snapshot) for each in ends}, (seed, made)
        counts["bound" if made[0] else "preempted" if made[2] else "waits"] += 1
    return counts


def test_the_production_scheduler_preempts_for_groups_as_the_specification_allows() -> None:
    counts = compared(range(60))
    assert all(counts[kind] >= 5 for kind in ("bound", "preempted", "waits")), counts


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("_in_turn", lambda scheduler, wholes: sorted(wholes, key=of_groups.Whole.importance, reverse=True)),
        ("_fits_with", lambda *told: False),
        ("_passes", lambda *told: True),
        ("_waits", lambda pods, lower: False),
        ("_wholes", lambda scheduler: (of_groups.Whole([i], i.pod.priority, False) for i in scheduler.cache.pods.values())),
    ],
)  # fmt: skip
def test_a_broken_preemption_for_groups_is_detected(
    name: str, fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(of_groups, name, fault)
    with pytest.raises((AssertionError, KeyError)):
        compared(range(400))
