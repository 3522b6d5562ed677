"""Random clusters with a PodGroup, and what kube-scheduler says of its cycle held against the specification: `drawn`, `differs`

A case has the objects as the API server stores them; its pending pods are in the order in which they are created.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

from schedcheck.manifests.documents import Document
from schedcheck.manifests.feature_gates import BY_PERMIT, IN_ONE_CYCLE, with_gangs
from schedcheck.manifests.objects import cluster
from schedcheck.manifests.snapshots import stored_objects
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.kubernetes.group_decisions import known_endings
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.pod_groups import Ending, alike, awaiting, pod_group, tried
from schedcheck.spec.kubernetes.preemption.of_groups import Attempt, Outcome
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import (
    HostPort,
    Node,
    Pod,
    PodDisruptionBudget,
    Snapshot,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.terms import NO_AFFINITY, Affinity
from schedcheck.spec.values import Labels
from schedcheck.spec.workload_objects import PodGroup
from tests.support.building import apart, near, node, pod, preferring, selector, term

Json = dict[str, Any]
GROUPED: Final = with_gangs(DEFAULT_PLUGINS.departing(VERSIONS["1.37"].departures), IN_ONE_CYCLE)
"""The plugins of 1.37 with the feature gate GenericWorkload."""
OF_VERSIONS: Final = {
    "1.37.2": GROUPED,
    "1.36.4": with_gangs(DEFAULT_PLUGINS.departing(VERSIONS["1.36"].departures), BY_PERMIT),
}
"""The plugins of each version in which PodGroups have a cycle, with its feature gates."""
LISTS: Final = {"Node": "nodes", "Pod": "pods", "PodGroup": "podGroups", "PodDisruptionBudget": "pdbs"}
STORED: Final = {
    "PersistentVolume": "persistentVolumes",
    "PersistentVolumeClaim": "persistentVolumeClaims",
    "StorageClass": "storageClasses",
    "CSINode": "csiNodes",
}
"""The lists of a case with the objects of storage, which only some have."""
DEVISED: Final = {"ResourceClaim": "resourceClaims", "ResourceSlice": "resourceSlices", "DeviceClass": "deviceClasses"}
"""The lists of a case with devices, which only some have."""
ZONE: Final = "topology.kubernetes.io/zone"
HOST: Final = "kubernetes.io/hostname"
STARTED: Final = "2024-01-01T00:00:00Z"
STARTS: Final = tuple((1_704_067_200 + each) * 1_000_000 for each in range(1, 7))
NEVER: Final = {"preemptionPolicy": "Never"}
LATER: Final = frozenset({"priority", "priorityClassName", "disruptionMode"})
"""The fields of a PodGroup that 1.36 drops while the feature gate WorkloadAwarePreemption is off."""
PREEMPTING: Final = "found a placement for podgroup, preempting "
NUMBER: Final = re.compile(f"{PREEMPTING}([0-9]+) victims")


def unalike(asked: Json, chance: Random) -> Json:
    """Return the case, in which often a pod is of another priority, is gated, or never preempts, as 1.36 allows."""
    pods = [_unalike(each, chance) if "nodeName" not in each["spec"] else each for each in asked["pods"]]
    groups = [
        {**each, "spec": {name: field for name, field in each["spec"].items() if name not in LATER}}
        for each in asked["podGroups"]
    ]
    return {**asked, "pods": pods, "podGroups": groups}


def _unalike(one: Json, chance: Random) -> Json:
    more: Json = chance.choice(
        (*({},) * 6, {"priority": 1}, {"priority": -1}, {"schedulingGates": [{"name": "wait"}]}, NEVER)
    )
    return {**one, "spec": {**one["spec"], **more}}


def drawn(chance: Random, place: int) -> Json:
    """Return a random case: the bound pods, the pods of one group, and sometimes those of another that are bound."""
    nodes = [node_of(number, chance) for number in range(1, chance.randint(1, 4) + 1)]
    names = [each.name for each in nodes]
    priority = chance.choice((0, 0, 0, 0, 5))
    size = chance.choice((1, 2, 2, 3, 3, 3, 4, 4))
    form = member(chance, priority)
    pods = []
    for number in range(1, size + 1):
        made = form if chance.random() < 0.7 else member(chance, priority)
        pods.append(replace(made, name=f"g{chance.choice('abc')}{number}", scheduling_group="g"))
    pods = [_odd(each, chance) for each in pods]
    bound = chance.choice((0, 0, 0, 1))
    pods = [replace(each, node_name=chance.choice(names)) if at < bound else each for at, each in enumerate(pods)]
    others = [
        pod(
            f"b{number}", chance.choice((0.5, 1, 1, 2)), chance.choice(names), labels={"app": chance.choice("xyz")},
            priority=chance.choice((0, 0, 0, 0, 0, -1, 5)), scheduling_group=chance.choice(("", "", "", "h")),
        )
        for number in range(chance.randint(0, 3))
    ]  # fmt: skip
    least = chance.choice((None, *range(1, size + 1), size, size + 1))
    groups: tuple[PodGroup, ...] = (
        PodGroup("g", min_count=least, priority=chance.choice((*(priority,) * 20, 1))),
        PodGroup("h", min_count=1),
    )
    if chance.random() < 0.03:
        groups = groups[1:]
    order = [each.key for each in pods if not each.node_name]
    chance.shuffle(order)
    there = replace(Snapshot.of((*map(imaged, pods), *map(imaged, others)), nodes), pod_groups=groups)
    return case(f"group-{place}", there, order)


def contested(chance: Random, place: int) -> Json:
    """Return a random case in which the group, mostly of higher priority, may have to preempt, units of other groups too."""
    nodes = [node_of(number, chance) for number in range(1, chance.randint(1, 4) + 1)]
    names = [each.name for each in nodes]
    priority = chance.choice((5, 5, 5, 5, 0))
    form = member(chance, priority)
    size = chance.choice((1, 2, 2, 3, 3, 4))
    pods = [
        replace(form if chance.random() < 0.7 else member(chance, priority), name=f"g{number}", scheduling_group="g")
        for number in range(1, size + 1)
    ]
    pods = [replace(each, nominated_node_name=chance.choice(names)) if chance.random() < 0.1 else each for each in pods]
    others = [occupant(number, names, chance) for number in range(chance.randint(1, 7))]
    if chance.random() < 0.15:
        waiting = pod("w", chance.choice((0.5, 1)), priority=chance.choice((0, 5, 7)), scheduling_gates=("wait",))
        others.append(replace(waiting, nominated_node_name=chance.choice(names)))
    groups = (
        PodGroup("g", min_count=chance.choice((None, *range(1, size + 1), size, size)), priority=priority),
        PodGroup("h", min_count=1, priority=chance.choice((0, 0, -1, 1, 5)), disrupted_together=True),
        PodGroup("i", min_count=1, priority=chance.choice((0, 0, 1, 5)), disrupted_together=chance.random() < 0.2),
    )
    budgets = tuple(
        PodDisruptionBudget(f"d{number}", selector=selector(app=chance.choice("xyz")), min_available=1,
                            disruptions_allowed=chance.choice((0, 0, 1, 2)))
        for number in range(chance.choice((0, 0, 1, 1, 2, 3)))
    )  # fmt: skip
    order = [each.key for each in pods]
    chance.shuffle(order)
    there = Snapshot.of((*map(imaged, pods), *map(imaged, others)), nodes)
    return case(f"group-{place}", replace(there, pod_groups=groups, budgets=budgets), order)


def occupant(number: int, names: list[str], chance: Random) -> Pod:
    """Return a bound pod, which may be a victim."""
    going = chance.random()
    fields: dict[str, Any] = {"terminating": going < 0.1, "preempted": going < 0.06}
    if chance.random() < 0.25:
        fields["affinity"] = _affinity(chance)
    cpu = chance.choice((0, 0.5, 1, 1, 2))
    if not cpu:
        fields["affinity"] = apart(term(chance.choice((ZONE, HOST)), selector(app=chance.choice("xyz"))))
    made = pod(
        f"b{number}", cpu, chance.choice(names), labels={"app": chance.choice("xyz")},
        priority=chance.choice((0, 0, 0, 0, -1, 1, 5)), scheduling_group=chance.choice((*("",) * 4, *"hhhii", "gone")),
        start_time=chance.choice(STARTS), **fields,
    )  # fmt: skip
    if chance.random() < 0.05:
        (one,) = made.containers
        made = replace(made, containers=(replace(one, ports=(HostPort(80),)),))
    return made


def node_of(number: int, chance: Random) -> Node:
    labels = {ZONE: chance.choice("uv"), HOST: f"n{number}", "disk": chance.choice(("ssd", "hdd"))}
    taints = (Taint("only", chance.choice(("NoSchedule", "PreferNoSchedule"))),) if chance.random() < 0.15 else ()
    allocatable = {"memory": 8 << 30}
    return node(f"n{number}", chance.choice((1, 2, 2, 3, 4)), labels=labels, taints=taints, allocatable=allocatable)


def member(chance: Random, priority: int) -> Pod:
    cpu = chance.choice((0.5, 1, 1, 1, 2))
    fields: dict[str, Any] = {"labels": {"app": chance.choice("xyz")}, "priority": priority}
    fields["affinity"] = _affinity(chance)
    if chance.random() < 0.25:
        hard = chance.random() < 0.7
        chosen = selector(app=fields["labels"]["app"])
        key = chance.choice((ZONE, HOST))
        fields["spread"] = (SpreadConstraint(1, key, hard, chosen),)
    if chance.random() < 0.15:
        fields["node_selector"] = Labels({"disk": "ssd"})
    if chance.random() < 0.2:
        fields["tolerations"] = (Toleration("only", "Exists"),)
    made = pod("m", cpu, **fields)
    if chance.random() < 0.15:
        (one,) = made.containers
        made = replace(made, containers=(replace(one, ports=(HostPort(80),)),))
    return made


def _affinity(chance: Random) -> Affinity:
    one = term(chance.choice((ZONE, HOST)), selector(app=chance.choice("xyz")))
    kind = chance.choice(("", "", "", "near", "apart", "prefer"))
    if kind == "near":
        return near(one)
    if kind == "apart":
        return apart(one)
    return preferring(chance.choice((1, 50)), one, anti=chance.random() < 0.5) if kind == "prefer" else NO_AFFINITY


def _odd(one: Pod, chance: Random) -> Pod:
    """Return the pod, seldom with a scheduling gate, another priority or policy, being deleted, or ended."""
    odd = chance.random()
    if odd < 0.02:
        return replace(one, scheduling_gates=("wait",))
    if odd < 0.03:
        return replace(one, priority=one.priority + 1)
    if odd < 0.05:
        return replace(one, preemption_policy="Never")
    return replace(one, phase="Succeeded", node_name="n1") if odd < 0.07 else one


def imaged(one: Pod) -> Pod:
    """Return the pod with an image, which the API demands."""
    return replace(one, containers=tuple(replace(each, image="x") for each in one.containers))


def case(name: str, snapshot: Snapshot, order: list[tuple[str, str]]) -> Json:
    """Return a snapshot in the form of a case, its pending pods in this order, and running ones with a start."""
    made: Json = {"id": name, **{each: [] for each in LISTS.values()}}
    for each in stored_objects(snapshot):
        made[LISTS[each["kind"]]].append(each)
    for one in made["pods"]:
        if "nodeName" in one["spec"]:
            one["status"].setdefault("startTime", STARTED)
    made["pods"].sort(key=lambda one: _place(one, order))
    return made


def _place(one: Json, order: list[tuple[str, str]]) -> int:
    key = one["metadata"]["namespace"], one["metadata"]["name"]
    return order.index(key) if key in order else -1


def read(asked: Json) -> Snapshot:
    """Return the snapshot of a case."""
    kinds = {field: kind for kind, field in (LISTS | STORED | DEVISED).items()}
    versions = {
        "Node": "v1",
        "Pod": "v1",
        "PodDisruptionBudget": "policy/v1",
        **dict.fromkeys(STORED, "storage.k8s.io/v1"),
    }
    versions |= dict.fromkeys(("PersistentVolume", "PersistentVolumeClaim"), "v1")
    versions |= dict.fromkeys(DEVISED, "resource.k8s.io/v1")
    objects = [
        {"apiVersion": versions.get(kinds[field], "scheduling.k8s.io/v1beta1"), "kind": kinds[field], **each}
        for field in kinds
        for each in asked.get(field, ())
    ]
    return cluster([Document("live", number, each) for number, each in enumerate(objects, 1)]).snapshot()


def ordered(asked: Json, answer: Json, snapshot: Snapshot, group: PodGroup, plugins: Plugins) -> tuple[Pod, ...]:
    """Return the pods that the cycle tries, in the order that the witness tells, else that of their creation."""
    by_key = {each.key: each for each in tried(group, snapshot, plugins)}
    keys = [(each["metadata"]["namespace"], each["metadata"]["name"]) for each in asked["pods"]]
    if "order" in answer:
        keys = [(group.namespace, name) for name in answer["order"]]
    return tuple(by_key[key] for key in keys if key in by_key)


def differs(asked: Json, answer: Json, plugins: Plugins = GROUPED) -> Iterator[str]:
    """Yield what the specification says otherwise than kube-scheduler; `unknown` if it says nothing."""
    snapshot = read(asked)
    members = [each for each in snapshot.pods if each.scheduling_group == "g" and not each.node_name]
    if not members:
        return
    kept = not any(each in turn(snapshot, plugins) for each in members)
    if kept != answer.get("kept", False):
        yield f"kept out of the queue: {kept}"
    group = pod_group(members[0], snapshot)
    if kept or group is None:
        return
    why, known = known_endings(group, snapshot, plugins)
    if why and "by a pod" not in why:
        yield "unknown"
        return
    expected = ends_in(ordered(asked, answer, snapshot, group, plugins), group, snapshot, plugins)
    if isinstance(expected, str) or not (why or expected <= known):
        yield "an order is not among the orders"
        return
    found, allowed = told(answer, members), {observed(each, snapshot) for each in expected}
    if found not in allowed:
        yield f"kube-scheduler: {found}; the specification: {'; or '.join(sorted(allowed))}"


def ends_in(
    order: tuple[Pod, ...], group: PodGroup, snapshot: Snapshot, plugins: Plugins
) -> Outcome:  # fmt: skip
    """Return how the cycle may end that tries the pods in this order."""
    if not alike(group, snapshot, plugins):
        return frozenset({Ending(error=True, lost=awaiting(order))})
    return Attempt(group, snapshot, plugins).outcomes(order)


def observed(end: Ending, snapshot: Snapshot) -> str:
    """Return what can be seen of an end: where pods are, which are nominated after it, and what is evicted."""
    if end.preempts:
        return "a pod preempts"
    after = {each.name: each.nominated_node_name for each in snapshot.pods if not each.node_name}
    after |= {each.name: "" for each in (*end.lost, *(pod for pod, _ in end.placed))}
    after |= {pod.name: node.name for pod, node in end.nominated}
    evicted = sorted(each.name for each in end.victims if not each.terminating)
    number = len(end.victims) if end.nominated else None
    return _said({pod.name: node.name for pod, node in end.placed}, end.error, after, evicted, number)


def told(answer: Json, members: list[Pod]) -> str:
    """Return the same of what kube-scheduler did."""
    if by_themselves(answer):
        return "a pod preempts"
    names = {each.name for each in members}
    nodes = {name: node for name, node in answer["nodes"].items() if name in names}
    number = NUMBER.search(answer.get("said", ""))
    return _said(
        nodes,
        bool(answer.get("error")),
        answer.get("nominated", {}),
        answer.get("evicted") or [],
        int(number.group(1)) if number else None,
    )


def _said(nodes: Json, error: bool, nominated: Json, evicted: list[str], number: int | None) -> str:
    waiting = {name: node for name, node in sorted(nominated.items()) if node}
    placed = dict(sorted(nodes.items()))
    return f"{'error ' if error else ''}placed {placed}, nominated {waiting}, evicted {evicted}, victims {number}"


def by_themselves(answer: Json) -> bool:
    """Whether pods of the group preempt, and not the group."""
    return bool(answer.get("evicted")) and PREEMPTING not in answer.get("said", "")


def text(asked: Json) -> str:
    """Return a case as a line."""
    return json.dumps(asked, separators=(",", ":"))
