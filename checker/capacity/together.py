"""Whether given pods fit together, by any choices of feasible nodes: `Together`, `together`.

Yes: an order of placements is shown, each judged by the specification. No: z3 finds no numbers of pods that meet what
every order of placements meets at its end: that each node has room for the pods by the filters that look at it alone.
If neither succeeds, every order of choices is explored in a small cluster.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import z3

from schedcheck.checker.capacity.coupling import Coupling
from schedcheck.checker.capacity.crowd import Crowd, Ways
from schedcheck.checker.capacity.likes import form
from schedcheck.checker.capacity.question import Question
from schedcheck.checker.capacity.rooms import rooms
from schedcheck.checker.capacity.ties import WORK
from schedcheck.checker.derived import given
from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.vectors.filtering import PASSED
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.spec.kubernetes.filters import (
    inter_pod_affinity,
    node_ports,
    node_resources_fit,
    node_volume_limits,
    pod_topology_spread,
)
from schedcheck.spec.kubernetes.node_info import node_info
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.objects import Node, Pod

MOST_PAIRS = 4000
"""The most pairs of a form of pods and a node for which z3 is asked."""

UNTOLD = (pod_topology_spread.NAME, inter_pod_affinity.NAME, node_volume_limits.NAME)
"""The filters of which z3 is told nothing, as other pods may make them admit a pod."""

On = Mapping[tuple[int, str], z3.ArithRef]


@dataclass(frozen=True)
class Together:
    """Whether the pods fit together, None if that is not known; an order that places them; why it is not known."""

    fits: bool | None
    ways: Ways = ()
    stopped: str = ""


@dataclass(frozen=True)
class Group:
    """Pods of one form, and how many of them each node takes by itself; nodes that take none are left out."""

    pods: tuple[Pod, ...]
    room: Mapping[str, int]


def together(crowd: Crowd, spent: Spent) -> Together:
    """Return whether the pods fit together."""
    doing("proving whether the pods fit together")
    try:
        groups = grouped(crowd)
        if any(sum(group.room.values()) < len(group.pods) for group in groups):
            return Together(False)
        if sum(len(group.room) for group in groups) > MOST_PAIRS:
            return Together(None, stopped="too many pods and nodes for z3")
        target = _target(crowd, groups, spent)
        if target is None:
            return Together(False)
        ways = shown(crowd, groups, target)
        return Together(True, ways) if len(ways) == len(crowd.pods) else explored(crowd, groups)
    except Beyond as end:
        return Together(None, stopped=str(end))
    except KeyboardInterrupt as end:
        return Together(None, stopped=spent.over(end))


def _form(pod: Pod) -> Pod:
    """Return what the pods of a group have in common: all that a filter reads."""
    mounted = tuple(replace(each, name="") for each in pod.volumes if each.source is not None)
    return replace(form(pod), name="", labels=pod.labels, volumes=mounted)


def grouped(crowd: Crowd) -> list[Group]:
    """Return the pods by their forms, with the room of the nodes. Raises: Unbounded."""
    groups: dict[Pod, list[Pod]] = {}
    for pod in crowd.pods:
        groups.setdefault(_form(pod), []).append(pod)
    return [Group(tuple(pods), _room(crowd, pods[0])) for pods in groups.values()]


def _room(crowd: Crowd, pod: Pod) -> dict[str, int]:
    return {name: room.pods for name, room in rooms(question_of(crowd, pod), Coupling()).items() if room.pods}


def question_of(crowd: Crowd, pod: Pod) -> Question:
    """Return the question how many pods like this one fit by the filters that z3 is told of."""
    return given(Question(pod, crowd.snapshot, _told(crowd, pod)), judge=crowd.judge)


def _told(crowd: Crowd, pod: Pod) -> Plugins:
    """Return the profile of the pod without the filters that other pods of the crowd may make admit it.

    InterPodAffinity stays if no pod of the crowd counts for the required affinity: more pods then only refuse.
    """
    plugins = crowd.plugins(pod)
    helped = any(inter_pod_affinity.matches_all(pod, each, crowd.snapshot, plugins.departures) for each in crowd.pods)
    left_out = UNTOLD if helped else tuple(name for name in UNTOLD if name != inter_pod_affinity.NAME)
    kept = tuple(name for name in plugins.at("filter") if name not in left_out)
    return replace(plugins, points=plugins.points.set("filter", kept))


def _target(crowd: Crowd, groups: list[Group], spent: Spent) -> dict[tuple[int, str], int] | None:
    """Return numbers of pods, by group and node, that meet the conditions; None if there are none."""
    on = {(i, name): z3.Int(f"on {i} {name}") for i, group in enumerate(groups) for name in group.room}
    solver = z3.SolverFor("QF_LIA")
    solver.add(*conditions(crowd, groups, on))
    if not spent.check(solver):
        return None
    model = solver.model()
    return {pair: model.eval(each, model_completion=True).as_long() for pair, each in on.items()}


def conditions(crowd: Crowd, groups: list[Group], on: On) -> Iterator[z3.BoolRef]:
    """Yield what holds at the end of every order that places all pods."""
    for i, group in enumerate(groups):
        yield z3.Sum([*(on[i, name] for name in group.room), z3.IntVal(0)]) == len(group.pods)
        for name, most in group.room.items():
            yield z3.And(on[i, name] >= 0, on[i, name] <= most)
    clashing = [pair for pair in combinations(range(len(groups)), 2) if _clash(crowd, *(groups[i] for i in pair))]
    for info in crowd.judge.there.infos:
        here = [i for i, group in enumerate(groups) if info.node.name in group.room]
        for i, j in clashing:
            if i in here and j in here:
                yield z3.Or(on[i, info.node.name] == 0, on[j, info.node.name] == 0)
        if len(here) > 1:
            taken = info.requested(crowd.plugins(groups[here[0]].pods[0]).departures)
            free = {name: size - taken.get(name, 0) for name, size in info.node.allocatable.items()}
            free["pods"] = info.node.allocatable.get("pods", 0) - len(info.pods)
            yield from _amounts(crowd, groups, here, info.node, free, on)


def _clash(crowd: Crowd, one: Group, other: Group) -> bool:
    """Whether pods of the two groups use a host port that only one pod on a node can have."""
    first, second = one.pods[0], other.pods[0]
    enabled = all(node_ports.NAME in crowd.plugins(pod).at("filter") for pod in (first, second))
    there = node_info(crowd.snapshot.nodes[0], (second,)) if crowd.snapshot.nodes else None
    return enabled and there is not None and not node_ports.node_ports(first, there)


def _amounts(
    crowd: Crowd, groups: list[Group], here: list[int], node: Node, free: Mapping[str, int], on: On
) -> Iterator[z3.BoolRef]:
    """Yield that the pods on a node together ask for no more than it has left."""
    asked = {i: _asked(crowd, groups[i].pods[0]) for i in here}
    for resource in sorted({name for each in asked.values() for name in each}):
        takes = [each.get(resource, 0) * on[i, node.name] for i, each in asked.items()]
        total = z3.Sum([*takes, z3.IntVal(0)])
        yield z3.Or(total == 0, total <= free.get(resource, 0))


def _asked(crowd: Crowd, pod: Pod) -> dict[str, int]:
    """Return what a pod takes at least of what its profile compares; nothing if no filter compares amounts."""
    plugins = crowd.plugins(pod)
    if node_resources_fit.NAME not in plugins.at("filter"):
        return {}
    takes = occupied(pod, plugins.departures)
    wants = node_resources_fit.looked_for(pod, plugins.arguments)
    return {"pods": 1, **{name: min(size, takes.get(name, 0)) for name, size in wants.items()}}


def shown(crowd: Crowd, groups: list[Group], target: Mapping[tuple[int, str], int]) -> Ways:
    """Return an order of placements on the way to these numbers, each admitted by the specification when it is made."""
    left = Counter({pair: number for pair, number in target.items() if number})
    waiting = {i: list(group.pods) for i, group in enumerate(groups)}
    ways: list[tuple[Pod, str]] = []
    while left:
        judge = CycleJudge(crowd.after(ways))
        step = next((pair for pair in sorted(left) if _admits(crowd, judge, waiting[pair[0]][0], pair[1])), None)
        if step is None:
            break
        ways.append((waiting[step[0]].pop(), step[1]))
        left[step] -= 1
        left += Counter()
    return tuple(ways)


def explored(crowd: Crowd, groups: list[Group], work: int = WORK) -> Together:
    """Return whether some order of choices places all pods, in a cluster in which all of them can be explored."""
    limit = work // max(len(crowd.snapshot.pods) + len(crowd.snapshot.nodes), 1)
    waiting: list[Ways] = [()]
    seen: set[tuple[tuple[Pod, str], ...]] = set()
    while waiting:
        ways = waiting.pop()
        judge, placed = CycleJudge(crowd.after(ways)), {pod.key for pod, _ in ways}
        for group in groups:
            pod = next((each for each in group.pods if each.key not in placed), None)
            if pod is None:
                continue
            for name in _admitting(crowd, judge, pod):
                state = tuple(sorted((*ways, (pod, name)), key=lambda each: each[0].key))
                if len(state) == len(crowd.pods):
                    return Together(True, (*ways, (pod, name)))
                if state not in seen:
                    seen.add(state)
                    waiting.append((*ways, (pod, name)))
        if len(seen) > limit:
            return Together(None, stopped="z3 knows too little, and there are too many orders")
    return Together(False) if crowd.pods else Together(True)


def _admitting(crowd: Crowd, judge: CycleJudge, pod: Pod) -> list[str]:
    """Return the nodes that the filters admit."""
    plugins = crowd.plugins(pod)
    filtering, _ = judge.profile(plugins)
    passed = np.flatnonzero(filtering.numbers(judge.cycle(pod, plugins)) == PASSED)
    return [judge.there.names[place] for place in passed]


def _admits(crowd: Crowd, judge: CycleJudge, pod: Pod, name: str) -> bool:
    return name in _admitting(crowd, judge, pod)
