"""Random clusters in which a pod without a group may evict pods of PodGroups, beside kube-scheduler: `intruding`, `differs_alone`"""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from schedcheck.spec.decisions import Bind, Decision, Nominate, Unknown, Wait
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.workload_objects import PodGroup
from tests.live.grouping import GROUPED, case, imaged, member, node_of, occupant, read
from tests.support.building import pod, selector

Json = dict[str, Any]


def intruding(chance: Random, place: int) -> Json:
    """Return a random case with one pod without a group, mostly of higher priority than some of the groups' pods."""
    nodes = [node_of(number, chance) for number in range(1, chance.randint(1, 4) + 1)]
    names = [each.name for each in nodes]
    alone = replace(member(chance, chance.choice((5, 5, 5, 5, 2, 0))), name="p")
    if chance.random() < 0.15:
        alone = replace(alone, nominated_node_name=chance.choice(names))
    others = [occupant(number, names, chance) for number in range(chance.randint(1, 9))]
    others = [
        replace(each, priority=chance.choice((-1, 0, 2, 4, 9))) if chance.random() < 0.2 else each for each in others
    ]
    if chance.random() < 0.15:
        waiting = pod("w", chance.choice((0.5, 1)), priority=chance.choice((0, 5, 7)), scheduling_gates=("wait",))
        others.append(replace(waiting, nominated_node_name=chance.choice(names)))
    groups = (
        PodGroup("h", min_count=1, priority=chance.choice((0, 0, -1, 1, 5)), disrupted_together=True),
        PodGroup("i", min_count=1, priority=chance.choice((0, 0, 1, 5)), disrupted_together=chance.random() < 0.5),
    )
    budgets = tuple(
        PodDisruptionBudget(f"d{number}", selector=selector(app=chance.choice("xyz")), min_available=1,
                            disruptions_allowed=chance.choice((0, 0, 1, 2)))
        for number in range(chance.choice((0, 0, 1, 1, 2, 3)))
    )  # fmt: skip
    there = Snapshot.of((imaged(alone), *map(imaged, others)), nodes)
    return case(f"alone-{place}", replace(there, pod_groups=groups, budgets=budgets), [alone.key])


def differs_alone(asked: Json, answer: Json, plugins: Plugins = GROUPED) -> Iterator[str]:
    """Yield what the specification says otherwise than kube-scheduler; `unknown` if it says nothing."""
    snapshot = read(asked)
    (alone,) = (each for each in snapshot.pods if each.name == "p")
    found = decision(alone, snapshot, plugins)
    if any(isinstance(each, Unknown) for each in found):
        yield "unknown"
        return
    evicted = tuple(sorted(answer.get("evicted") or ()))
    told = answer["nodes"].get("p", ""), answer.get("nominated", {}).get("p", ""), evicted
    allowed = {observed(each, alone) for each in found}
    if told not in allowed:
        yield f"kube-scheduler: {told}; the specification: {sorted(allowed)}"


def observed(end: Decision, alone: Pod) -> tuple[str, str, tuple[str, ...]]:
    """Return what can be seen of a decision: where the pod is, to which node it is nominated, and what is evicted."""
    if isinstance(end, Bind):
        return end.node.name, "", ()
    if isinstance(end, Nominate):
        return "", end.node.name, tuple(sorted(each.name for each in end.victims if not each.terminating))
    lost = isinstance(end, Wait) and end.unnominated
    return "", "" if lost else alone.nominated_node_name, ()
