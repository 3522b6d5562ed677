"""Random clusters with a PodGroup, and what kube-scheduler says of its cycle held against the specification: `drawn`, `differs`

A case has the objects as the API server stores them; its pending pods are in the order in which they are created.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

from schedcheck.manifests.documents import Document
from schedcheck.manifests.feature_gates import BY_PERMIT, IN_ONE_CYCLE, with_gangs
from schedcheck.manifests.objects import cluster
from schedcheck.manifests.snapshots import stored_objects
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.kubernetes.group_decisions import might_preempt, unmodelled_in
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.pod_groups import (
    Choices,
    Ending,
    alike,
    endings,
    group_endings,
    pod_group,
    tried,
)
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import HostPort, Node, Pod, Snapshot, SpreadConstraint, Taint, Toleration
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
LISTS: Final = {"Node": "nodes", "Pod": "pods", "PodGroup": "podGroups"}
ZONE: Final = "topology.kubernetes.io/zone"
HOST: Final = "kubernetes.io/hostname"
STARTED: Final = "2024-01-01T00:00:00Z"
NEVER: Final = {"preemptionPolicy": "Never"}
LATER: Final = frozenset({"priority", "priorityClassName", "disruptionMode"})
"""The fields of a PodGroup that 1.36 drops while the feature gate WorkloadAwarePreemption is off."""
PREEMPTING: Final = "found a placement for podgroup, preempting "


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
    nodes = [_node(number, chance) for number in range(1, chance.randint(1, 4) + 1)]
    names = [each.name for each in nodes]
    priority = chance.choice((0, 0, 0, 0, 5))
    size = chance.choice((1, 2, 2, 3, 3, 3, 4, 4))
    form = _member(chance, priority)
    pods = []
    for number in range(1, size + 1):
        made = form if chance.random() < 0.7 else _member(chance, priority)
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
    groups = (
        PodGroup("g", min_count=least, priority=chance.choice((*(priority,) * 20, 1))),
        PodGroup("h", min_count=1),
    )
    if chance.random() < 0.03:
        groups = groups[1:]
    order = [each.key for each in pods if not each.node_name]
    chance.shuffle(order)
    there = replace(Snapshot.of((*map(_imaged, pods), *map(_imaged, others)), nodes), pod_groups=groups)
    return case(f"group-{place}", there, order)


def _node(number: int, chance: Random) -> Node:
    labels = {ZONE: chance.choice("uv"), HOST: f"n{number}", "disk": chance.choice(("ssd", "hdd"))}
    taints = (Taint("only", chance.choice(("NoSchedule", "PreferNoSchedule"))),) if chance.random() < 0.15 else ()
    allocatable = {"memory": 8 << 30}
    return node(f"n{number}", chance.choice((1, 2, 2, 3, 4)), labels=labels, taints=taints, allocatable=allocatable)


def _member(chance: Random, priority: int) -> Pod:
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


def _imaged(one: Pod) -> Pod:
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
    kinds = {field: kind for kind, field in LISTS.items()}
    versions = {"Node": "v1", "Pod": "v1"}
    objects = [
        {"apiVersion": versions.get(kinds[field], "scheduling.k8s.io/v1beta1"), "kind": kinds[field], **each}
        for field in kinds
        for each in asked[field]
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
    if unmodelled_in(group, snapshot):
        yield "unknown"
        return
    failing = Ending(error=True)
    expected = (
        endings(group, ordered(asked, answer, snapshot, group, plugins), snapshot, Choices(plugins))
        if alike(group, snapshot, plugins)
        else {failing}
    )
    if not expected <= group_endings(group, snapshot, plugins):
        yield "an order is not among the orders"
    found = failing if answer.get("error") else Ending(preempts=by_themselves(answer))
    if answer["nodes"]:
        by_name = {each.name: each for each in snapshot.nodes}
        placed = ((each, by_name[answer["nodes"][each.name]]) for each in members if each.name in answer["nodes"])
        found = Ending(tuple(sorted(placed, key=lambda pair: pair[0].key)))
    if found not in expected:
        yield f"kube-scheduler: {said(found)}; the specification: {', '.join(sorted(map(said, expected)))}"
    if PREEMPTING in answer.get("said", "") and not might_preempt(group, snapshot, plugins):
        yield "it preempts, and the specification says that it cannot"


def by_themselves(answer: Json) -> bool:
    """Whether pods of the group preempt, and not the group."""
    return bool(answer.get("evicted")) and PREEMPTING not in answer.get("said", "")


def said(ending: Ending) -> str:
    """Return an ending in words."""
    if ending.error or ending.preempts:
        return "error" if ending.error else "a pod preempts"
    return "{" + ", ".join(f"{one} on {where}" for one, where in ending.placed) + "}"


def text(asked: Json) -> str:
    """Return a case as a line."""
    return json.dumps(asked, separators=(",", ":"))
