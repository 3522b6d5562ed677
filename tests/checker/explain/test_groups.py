"""The explanation of a gang: its ends are those of the specification, and each pod has the answer of the ordinary explanation

The witness of the ends tries every order of the pods: `known_endings` of the definition, and for 1.35 its decisions, one
after the other. Pods that differ in their names alone count as one in both; nodes that are alike do not, unless it says so.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations
from random import Random
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.checker.explain import group_likeness, group_ways, groups
from schedcheck.checker.explain.group_ends import GroupEnd, GroupExplanation
from schedcheck.checker.explain.group_likeness import Likeness
from schedcheck.checker.explain.groups import group_explanation, member_explanation
from schedcheck.checker.explain.kubernetes import cycle_explanation
from schedcheck.spec.decisions import Bind, Nominate, WaitOnPermit
from schedcheck.spec.kubernetes.control_loop import decision, turn
from schedcheck.spec.kubernetes.group_decisions import known_endings
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import Ending, pod_group
from schedcheck.spec.kubernetes.preemption.of_groups import Attempt
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.published.control_loop import after
from tests.live.grouping import OF_VERSIONS, contested, drawn, read, unalike
from tests.support.building import node, pod
from tests.support.gangs import GANGS, member, policy
from tests.support.pod_groups import GROUPED, IN_1_36, group, one_of

Image = tuple[Any, ...]
APART = Likeness(frozendict())
"""No node is like another one."""


@pytest.fixture(autouse=True)
def _nothing_known() -> None:
    groups._followed.cache_clear()


def form(one: Pod) -> Pod:
    return replace(one, name="", uid="", node_name="", waits_on="")


def image(pairs: Iterable[tuple[Pod, Any]]) -> frozenset[tuple[tuple[Pod, str], int]]:
    """How many pods of each form are on each node."""
    return frozenset(Counter((form(one), str(where)) for one, where in pairs).items())


def of_ending(end: Ending) -> Image:
    kind = "error" if end.error else "placed" if end.placed else "preempts" if end.nominated else "waits"
    return kind, image(end.placed), image(end.nominated), image((each, each.node_name) for each in end.victims)


def of_end(end: GroupEnd) -> Image:
    placed = end.way.placed if end.kind == "placed" else ()
    return end.kind, image(placed), image(end.nominated), image((each, each.node_name) for each in end.victims)


def case(version: str, number: int) -> tuple[Snapshot, Pod | None]:
    """A random cluster, and an unbound pod of its group."""
    chance = Random(70_000 + number)
    if number % 3 == 0:
        snapshot = tight(chance)
    else:
        asked = drawn(chance, number) if version == "1.36.4" or number % 3 == 1 else contested(chance, number)
        snapshot = read(unalike(asked, chance) if version == "1.36.4" else asked)
    return snapshot, next((each for each in snapshot.pods if each.scheduling_group == "g" and not each.node_name), None)


def tight(chance: Random) -> Snapshot:
    """Three pods that ask one cpu or two, for which there is not much room, or there is after an eviction."""
    pods = [one_of("g", each, cpu=chance.choice((1, 1, 2)), priority=1) for each in range(3)]
    nodes = [node(f"n{each}", chance.choice((1, 2, 3))) for each in range(chance.randint(1, 3))]
    if chance.random() < 0.4:
        pods.append(pod("v", 1, "n0"))
    return replace(Snapshot.of(pods, nodes), pod_groups=(group("g", chance.randint(1, 3), priority=1),))


def differs(made: GroupExplanation, asked: Pod, snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether the explanation says otherwise than the specification."""
    if made.kept or asked not in turn(snapshot, plugins):
        return made.kept == (asked in turn(snapshot, plugins))
    found = pod_group(asked, snapshot)
    assert found is not None
    why, ends = known_endings(found, snapshot, plugins)
    if why or made.unknown:
        return bool(why) != bool(made.unknown)
    expected = {of_ending(each) for each in ends}
    if made.error:
        return {each[0] for each in expected} != {"error"}
    if not made.pods:
        return made.ends != () or {each[0] for each in expected} != {"waits"}
    return {of_end(each) for each in made.ends} != expected


def differing(version: str, numbers: range) -> tuple[int, Counter[str]]:
    """How many of these clusters are explained otherwise than specified, and how often each verdict is given."""
    plugins, wrong, said = OF_VERSIONS[version], 0, Counter[str]()
    for number in numbers:
        snapshot, asked = case(version, number)
        if asked is None or asked.terminating or asked.scheduler_name != "default-scheduler":
            continue
        made = group_explanation(asked, snapshot, plugins)
        said[made.verdict] += 1
        wrong += differs(made, asked, snapshot, plugins)
    return wrong, said


@pytest.mark.parametrize("version", sorted(OF_VERSIONS))
def test_the_ends_are_those_of_every_order(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "likeness", lambda *_: APART)
    wrong, said = differing(version, range(33))
    assert wrong == 0
    more = {"preempts", "depends"} if version == "1.37.2" else {"unknown"}
    assert {"placed", "waits", "kept", *more} <= set(said), said


def without(one: Pod) -> Pod:
    """A broken notion of what a pod is: without what it asks."""
    return replace(one, name="", uid="", containers=())


BROKEN: dict[str, tuple[Any, str, Any]] = {
    "nothing is assumed": (group_ways, "assumptions", lambda one, where, snapshot, plugins: {snapshot}),
    "one way alone": (group_ways, "distinct", lambda states, like: states[:1]),
    "pods that ask other amounts are alike": (group_likeness, "kind", without),
    "one order alone": (groups, "orders", lambda pods, allowed: iter([tuple(pods)])),
    "more is needed": (group_ways, "fewest", lambda each: (each.min_count or 1) + 1),
    "no preemption": (Attempt, "eligible", lambda *_: False),
}


@pytest.mark.parametrize("way", sorted(BROKEN))
def test_a_broken_explanation_is_noticed(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "likeness", lambda *_: APART)
    where, name, broken = BROKEN[way]
    true = getattr(where, name)
    wrong = 0
    for number in range(0, 90, 3):
        snapshot, asked = case("1.37.2", number)
        if asked is None or wrong:
            continue
        monkeypatch.setattr(where, name, broken)
        made = group_explanation(asked, snapshot, GROUPED)
        monkeypatch.setattr(where, name, true)
        wrong += differs(made, asked, snapshot, GROUPED)
    assert wrong


def equal_nodes(number: int) -> tuple[Snapshot, Pod | None]:
    """A random cluster with nodes that differ only in their names and pods."""
    snapshot, asked = case("1.37.2", number)
    first = snapshot.nodes[0]
    nodes = tuple(
        replace(first, name=each.name, labels=first.labels.set("kubernetes.io/hostname", each.name))
        for each in snapshot.nodes
    )
    return replace(snapshot, nodes=nodes), asked


def exchanged(end: Image, names: dict[str, str]) -> Image:
    """The same end with the nodes exchanged."""
    kind, *parts = end
    return kind, *(frozenset(((one, names[where]), many) for (one, where), many in part) for part in parts)


def exchanges(snapshot: Snapshot) -> list[dict[str, str]]:
    """The ways to exchange nodes whose pods are alike, and to which no pod is nominated."""
    names = [each.name for each in snapshot.nodes]
    on = {name: Counter(form(each) for each in snapshot.pods if each.node_name == name and each.phase != "Succeeded") for name in names}  # fmt: skip
    nominated = {each.nominated_node_name for each in snapshot.pods}
    maps = (dict(zip(names, each, strict=True)) for each in permutations(names))
    return [
        each for each in maps if all(a == b or (on[a] == on[b] and not {a, b} & nominated) for a, b in each.items())
    ]


def test_of_nodes_that_are_alike_one_stands_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = 0
    for number in range(15):
        snapshot, asked = equal_nodes(number)
        if asked is None:
            continue
        merged = group_explanation(asked, snapshot, GROUPED)
        monkeypatch.setattr(groups, "likeness", lambda *_: APART)
        every = group_explanation(asked, snapshot, GROUPED)
        monkeypatch.undo()
        assert (merged.verdict, merged.unknown) == (every.verdict, every.unknown)
        ends = {exchanged(of_end(each), names) for each in merged.ends for names in exchanges(snapshot)}
        assert ends == {of_end(each) for each in every.ends}
        fewer += len(merged.ends) < len(every.ends)
    assert fewer > 1


def test_a_node_that_a_pod_names_is_like_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = 0
    for number in range(0, 30, 3):
        snapshot, asked = case("1.37.2", number)
        if asked is None or len(snapshot.nodes) < 2:
            continue
        every = group_explanation(asked, snapshot, GROUPED)
        monkeypatch.setattr(
            groups, "likeness", lambda _, there, __: Likeness(frozendict({each.name: "n1" for each in there.nodes}))
        )
        merged = group_explanation(asked, snapshot, GROUPED)
        monkeypatch.undo()
        wrong += {of_end(each) for each in every.ends} != {of_end(each) for each in merged.ends}
    assert wrong


def of_1_35(chance: Random) -> Snapshot:
    """Members of one gang or of two, which differ in what they ask, and a pod that may be evicted."""
    nodes = tuple(node(f"n{each}", chance.choice((1, 1, 2))) for each in range(1, chance.randint(2, 4)))
    pods = []
    for number in range(chance.randint(2, 3)):
        made = member("red", number, priority=chance.choice((0, 0, 0, 5)))
        if chance.random() < 0.3:
            made = replace(made, containers=pod("m", 2).containers)
        pods.append(made)
    if chance.random() < 0.3:
        pods.append(pod("v", 1, "n1", priority=-1))
    there = Snapshot.of(pods, nodes)
    return replace(there, workloads=(policy("red", chance.choice((None, 1, 2, 2, 3, 4))),))


def reached(snapshot: Snapshot, order: tuple[Pod, ...]) -> set[Image]:
    """The ends of the members tried in this order, by the decisions of the specification."""
    now = {(snapshot, frozenset[tuple[Pod, str]]())}
    ends: set[Image] = set()
    for one in order:
        later = set()
        for there, placed in now:
            for made in decision(one, there, GANGS):
                if isinstance(made, Nominate):
                    ends.add(("alone", frozenset(), frozenset(), frozenset()))
                elif isinstance(made, Bind | WaitOnPermit):
                    later.add((after(made, there), placed | {(one, made.node.name)}))
                else:
                    later.add((there, placed))
        now = later
    for there, placed in now:
        bound = any(each.node_name and each.name.startswith("red") for each in there.pods)
        ends.add(("placed" if bound else "waits", image(placed if bound else ()), frozenset(), frozenset()))
    return ends


def test_members_that_wait_on_permit_end_as_their_decisions_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "likeness", lambda *_: APART)
    said = Counter[str]()
    for number in range(25):
        snapshot = of_1_35(Random(number))
        asked = next(each for each in snapshot.pods if each.name.startswith("red"))
        made = group_explanation(asked, snapshot, GANGS)
        said[made.verdict] += 1
        assert made.kept == (asked not in turn(snapshot, GANGS))
        if made.kept:
            continue
        members = [each for each in snapshot.pods if each.name.startswith("red")]
        expected = set[Image]().union(*(reached(snapshot, order) for order in permutations(members)))
        assert {of_end(each) for each in made.ends} == expected
    assert {"placed", "waits", "kept", "alone"} <= set(said), said


@pytest.mark.parametrize("plugins", [GROUPED, IN_1_36, GANGS], ids=["1.37", "1.36", "1.35"])
def test_a_member_is_explained_as_if_those_before_it_were_bound(plugins: Plugins) -> None:
    """The witness is the ordinary explanation, without gangs, of a cluster in which they are bound."""
    before = replace(plugins, points=plugins.points | dict.fromkeys(("permit", "reserve", "placementFeasible"), ()))
    compared = 0
    for number in range(12):
        chance = Random(number)
        if plugins == GANGS:
            snapshot = of_1_35(chance)
            asked = next(each for each in snapshot.pods if each.name.startswith("red"))
        else:
            pods = [one_of("red", each, cpu=chance.choice((1, 1, 2))) for each in range(3)]
            nodes = [node(f"n{each}", chance.choice((1, 2, 3))) for each in range(chance.randint(1, 3))]
            snapshot = replace(Snapshot.of(pods, nodes), pod_groups=(group("red", chance.randint(1, 3)),))
            asked = pods[0]
        end = group_explanation(asked, snapshot, plugins).shown
        for place, each in enumerate(end.way.tried if end is not None else ()):
            bound = {one.pod.key: one.node.name for one in end.way.tried[:place] if one.node is not None}  # type: ignore[union-attr]
            pods = [replace(one, node_name=bound.get(one.key, one.node_name), workload=None, scheduling_group="") for one in snapshot.pods]  # fmt: skip
            there = replace(snapshot, pods=tuple(pods))
            alone = next(one for one in pods if one.key == each.pod.key)
            ours, theirs = member_explanation(each, plugins), cycle_explanation(alone, there, before)
            assert theirs is not None
            assert (ours.verdicts, ours.refusals, ours.short) == (theirs.verdicts, theirs.refusals, theirs.short)
            assert (ours.scores, ours.choice) == (theirs.scores, theirs.choice)
            if ours.evictions is not None and plugins != GROUPED:
                assert theirs.evictions is not None and ours.evictions.events == theirs.evictions.events
            compared += 1
    assert compared > 12
