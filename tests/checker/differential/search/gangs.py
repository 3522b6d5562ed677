"""Random gangs beside the specification, of which inputs differ in one more way: `gated_gang`, `preempting_group`, `intruder`, ...

In `gated_gang` pods of the gangs of 1.35 have scheduling gates. There and in `group_apart`, of PodGroups, gangs of one name
are in two namespaces. In `preempting_group` some pods that a PodGroup may evict are still being bound, and victims of an
earlier preemption terminate on a node to which a pod of the group is nominated. In `intruder` a pod without a group may evict pods of groups,
and in `claiming_group` the pods of a group claim volumes or devices. In `leaving_group` pods of groups are deleted while they wait,
and in `erring_group` the cycle of a pod ends in an error.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

from schedcheck.checker.differential.standing import informed
from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.decisions import Unknown
from schedcheck.spec.kubernetes.control_loop import decision, turn
from schedcheck.spec.kubernetes.group_decisions import known_endings
from schedcheck.spec.kubernetes.pod_groups import pod_group
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.storage import ClaimSource
from schedcheck.spec.terms import NodeSelectorTerm, PreferredNodeTerm, Requirement
from tests.checker.differential import test_gangs, test_pod_groups
from tests.checker.differential.test_group_preemption import allowed, done, seen
from tests.live.allocating import allocating
from tests.live.grouping import contested, read
from tests.live.intruding import intruding, observed
from tests.live.storing import storing
from tests.support.gangs import GANGS
from tests.support.pod_groups import GROUPED, IN_1_36

Gang = TypeVar("Gang", bound=Any)
ELSEWHERE = "other"


def apart(chance: Random, pods: Sequence[Pod], gangs: Sequence[Gang]) -> tuple[tuple[Pod, ...], tuple[Gang, ...]]:
    """Return the pods, some in another namespace, and the gangs, which are in both namespaces or in one."""
    moved = tuple(replace(each, namespace=ELSEWHERE) if chance.random() < 0.4 else each for each in pods)
    both = (*gangs, *(replace(each, namespace=ELSEWHERE) for each in gangs))
    return moved, tuple(each for each in both if chance.random() < 0.95)


class GatedGangs(test_gangs.Beside):
    """Gangs whose pods have scheduling gates, which are removed now and then."""

    def step(self) -> None:
        """Take a step, which may be that a gate is removed."""
        gated = [each for each in self.snapshot.pods if each.scheduling_gates]
        if not gated or self.chance.random() < 0.85:
            super().step()
            return
        one = self.chance.choice(gated)
        free = replace(one, scheduling_gates=())
        self.delivery.pod(one, free)
        self.with_pod(free)


def gated_gang(start: str) -> None:
    """Judge gangs of 1.35 with scheduling gates, in two namespaces, cycle by cycle."""
    chance = Random(f"gated {start}")
    pods, nodes, workloads = test_gangs.drawn(chance)
    if chance.random() < 0.5:
        pods, workloads = apart(chance, pods, workloads)
    gated = (replace(each, scheduling_gates=("wait",)) if chance.random() < 0.3 else each for each in pods)
    pods = tuple(old if old.node_name else new for old, new in zip(pods, gated, strict=True))
    beside = GatedGangs((pods, nodes, workloads), GANGS, chance)
    for _ in range(40):
        beside.step()


def group_apart(start: str) -> None:
    """Judge PodGroups of one name in two namespaces, cycle by cycle."""
    chance = Random(f"apart {start}")
    pods, nodes, groups = test_pod_groups.drawn(chance)
    pods, groups = apart(chance, pods, groups)
    beside = test_pod_groups.Beside((pods, nodes, groups), GROUPED, chance)
    for _ in range(30):
        beside.step()


class Leaving(test_pod_groups.Beside):
    """PodGroups of which pods that wait begin to terminate, are gone, or wake again after a change."""

    def step(self) -> None:
        """Take a step, which may be that a pod leaves."""
        waiting = [each for each in self.snapshot.pods if not each.node_name]
        if not waiting or self.chance.random() < 0.8:
            super().step()
            return
        one = self.chance.choice(waiting)
        ends = one.terminating or self.chance.random() < 0.3
        self.change(one, None if ends else replace(one, terminating=True))

    def heard(self, pod: Pod, *told: Any) -> None:
        """Note a pod that failed; of one that terminates the scheduler says that it is skipped."""
        if not pod.terminating:
            super().heard(pod, *told)

    def change(self, one: Pod, after: Pod | None) -> None:
        """Let a pod change, or go."""
        self.delivery.pod(one, after)
        others = [each for each in self.snapshot.pods if each.key != one.key]
        pods = sorted((*others, *([after] if after else [])), key=lambda each: each.key)
        self.snapshot = replace(self.snapshot, pods=tuple(pods))


def leaving_group(start: str) -> None:
    """Judge PodGroups of which pods are deleted before or while their group waits, cycle by cycle."""
    chance = Random(f"leaving {start}")
    beside = Leaving(test_pod_groups.drawn(chance), GROUPED if chance.random() < 0.7 else IN_1_36, chance)
    for _ in range(30):
        beside.step()


def _waiting_for_victims(chance: Random, there: Snapshot) -> Snapshot:
    """Return the cluster in which a bound pod is a victim that terminates, and a pod of the group is nominated there."""
    bound = [each for each in there.pods if each.node_name and each.scheduling_group != "g"]
    members = [each for each in there.pods if not each.node_name and each.scheduling_group == "g"]
    if not bound or not members or chance.random() < 0.7:
        return there
    victim, member = chance.choice(bound), chance.choice(members)
    new = {
        victim.key: replace(victim, terminating=True, preempted=True),
        member.key: replace(member, nominated_node_name=victim.node_name),
    }
    return replace(there, pods=tuple(new.get(each.key, each) for each in there.pods))


def being_bound(there: Snapshot, some: Sequence[Pod]) -> Scheduler:
    """Return a scheduler that knows the cluster, and is binding some of its pods."""
    keys = {each.key for each in some}
    listed = [replace(each, node_name="", start_time=None) if each.key in keys else each for each in there.pods]
    scheduler = informed(listed, there, (GROUPED,))
    for each in some:
        scheduler.queue.delete(each)
        scheduler.cache.assume(PodInfo(each))
    return scheduler


def preempting_group(start: str) -> None:
    """Judge the cycle of a PodGroup that may have to preempt, and that it leaves the other pods as they were."""
    chance = Random(f"preempting {start}")
    _judged(chance, _waiting_for_victims(chance, read(contested(chance, 0))))


WRONG = PreferredNodeTerm(1, NodeSelectorTerm((Requirement("size", "Gt", ("large",)),)))
"""A term with which the cycle of a pod that fits on several nodes ends in an error: NodeAffinity cannot rate them."""


def erring_group(start: str) -> None:
    """Judge the cycle of a PodGroup in which the cycle of a pod may end in an error."""
    chance = Random(f"erring {start}")
    there = read(contested(chance, 0))
    few = chance.choice((0.2, 0.4, 0.8))
    pods = tuple(
        replace(each, affinity=replace(each.affinity, node_preferred=(*each.affinity.node_preferred, WRONG)))
        if each.scheduling_group and not each.node_name and chance.random() < few
        else each
        for each in there.pods
    )
    roomy = [
        replace(each, name=f"{each.name}-more", labels=each.labels | {HOSTNAME: f"{each.name}-more"})
        for each in there.nodes
    ]
    nodes = (*there.nodes, *roomy) if chance.random() < 0.6 else there.nodes
    _judged(chance, replace(there, pods=pods, nodes=Snapshot.of((), nodes).nodes))


def _judged(chance: Random, there: Snapshot) -> None:
    """Judge the cycle of the group, while some other pods are being bound, and that these stay as they were."""
    members = [each for each in there.pods if each.scheduling_group == "g" and not each.node_name]
    group = pod_group(members[0], there)
    if group is None or not any(each in turn(there, GROUPED) for each in members):
        return
    alone = [each for each in there.pods if each.node_name and not (each.scheduling_group or each.terminating)]
    scheduler = being_bound(there, [each for each in alone if chance.random() < 0.4])
    cache = scheduler.cache
    before = {identity: info.pod for identity, info in cache.pods.items()}, set(cache.assumed)
    made = seen(scheduler)
    why, ends = known_endings(group, there, GROUPED)
    assert why or made in {allowed(each, there) for each in ends}, f"{made} is no end that is allowed"
    placed = {each.identity for each in members if each.name in dict(made[0])}
    others = {identity: info.pod for identity, info in cache.pods.items() if identity not in placed}
    assert others == before[0], f"{others} are known on nodes, and were {before[0]}"
    assumed = set(cache.assumed)
    assert assumed == before[1] | placed, f"{assumed} are assumed, and were {before[1]} before {placed}"


def intruder(start: str) -> None:
    """Judge the cycle of a pod without a group, which may have to evict pods of PodGroups."""
    chance = Random(f"intruder {start}")
    there = read(intruding(chance, chance.randrange(10**6)))
    (alone,) = (each for each in there.pods if each.name == "p")
    allowed_ends = decision(alone, there, GROUPED)
    if any(isinstance(each, Unknown) for each in allowed_ends):
        return
    placed, nominated, evicted = done(there)
    made = dict(placed).get("p", ""), dict(nominated).get("p", ""), evicted
    assert made in {observed(each, alone) for each in allowed_ends}, f"{made} is no end that is allowed"


def claiming_group(start: str) -> None:
    """Judge the cycle of a PodGroup of which pods claim volumes or devices, and that only what was placed has its claims."""
    chance = Random(f"claiming {start}")
    drawn = chance.choice((storing, allocating))
    there = read(drawn(chance, chance.randrange(10**6)))
    members = [each for each in there.pods if each.scheduling_group == "g" and not each.node_name]
    group = pod_group(members[0], there) if members else None
    if group is None or not any(each in turn(there, GROUPED) for each in members):
        return
    why, ends = known_endings(group, there, GROUPED)
    scheduler = informed(there.pods, there, (GROUPED,))
    made = seen(scheduler)
    assert why or made in {allowed(each, there) for each in ends}, f"{made} is no end that is allowed"
    wrong = kept(scheduler, there, [each for each in members if each.name in dict(made[0])])
    assert not wrong, f"{wrong} stay reserved, although no pod that was placed has them"


def kept(scheduler: Scheduler, there: Snapshot, placed: Sequence[Pod]) -> list[str]:
    """Return the claims that a cycle has reserved, and the volumes for them, which no pod that was placed has.

    Kubernetes 1.37: RunReservePluginsUnreserve after each search in pkg/scheduler/schedule_one_podgroup.go.
    """
    stored = {
        (each.namespace, one.source.claim_name)
        for each in placed
        for one in each.volumes
        if isinstance(one.source, ClaimSource)
    }
    devised = {(each.namespace, one.claim) for each in placed for one in each.resource_claims}
    assumed = scheduler.handle.assumed
    claims = [key for key in assumed.claims if key not in stored]
    volumes = [
        name
        for name, each in assumed.volumes.items()
        if each.claim is not None and (each.claim.namespace, each.claim.name) not in stored
    ]
    before = {each.key: each for each in there.devices.claims}
    changed = [each.key for each in scheduler.handle.listers.devices.claims if each != before[each.key]]
    return [*map("/".join, claims), *volumes, *("/".join(key) for key in changed if key not in devised)]
