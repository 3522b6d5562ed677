"""Small scenarios in which a PodGroup preempts: some chosen, `CHOSEN`, and random ones, `contended`

Each chosen one is named after what decides about its victims. All are of 1.37.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from frozendict import frozendict

from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, SpreadConstraint
from schedcheck.spec.terms import NO_AFFINITY, Affinity
from schedcheck.spec.values import Labels
from schedcheck.spec.workload_objects import PodGroup
from tests.support.building import apart, near, node, pod, selector, term
from tests.support.gangs import rooms
from tests.support.pod_groups import GROUPED, group, one_of

HOST = "kubernetes.io/hostname"
STARTS = (1_000_000, 2_000_000, 3_000_000)
COUNTED = ("type_correct",)
"""A property that holds, so that everything is explored."""

JUDGING = (
    "gang_all_or_nothing", "bind_feasible", "no_wait_while_feasible", "no_eviction_while_feasible", "victims_make_room",
    "victims_needed", "only_lower_priority_evicted", "preemption_has_victims", "evicted_for_nominated_pod",
    "no_eviction", "preemption_policy_respected", "never_moved", "completed_left_alone",
)  # fmt: skip
"""The properties that the modules of PodGroups have, beyond those of snapshots."""

RED = tuple(one_of("red", number, priority=5) for number in (1, 2))
OF_RED = group("red", 2, priority=5)


def preempting(
    *pods: Pod,
    nodes: tuple[Node, ...] = rooms(2),
    groups: tuple[PodGroup, ...] = (),
    least: int | None = 2,
    red: tuple[Pod, ...] = RED,
    **fields: Any,
) -> Scenario:
    """The group red, of priority 5, beside these pods."""
    return Scenario(
        name="groups",
        pods=tuple(sorted((*red, *pods), key=lambda each: each.key)),
        nodes=nodes,
        profile="kubernetes-1.37",
        plugins=(GROUPED,),
        pod_groups=tuple(sorted((replace(OF_RED, min_count=least), *groups), key=lambda each: each.key)),
        properties=fields.pop("properties", COUNTED),
        **fields,
    )


def budget(name: str, allowed: int, **labels: str) -> PodDisruptionBudget:
    return PodDisruptionBudget(name, selector=selector(**labels), min_available=1, disruptions_allowed=allowed)


def wide(cpu: int, name: str = "n1") -> Node:
    return node(name, cpu, labels={HOST: name})


LOW = tuple(one_of("low", number, f"n{number}") for number in (1, 2))
AX, BX = Labels({"app": "x"}), Labels({"app": "x", "web": "y"})
ASIDE = apart(term(HOST, selector(app="x")))
SPREAD = (SpreadConstraint(1, HOST, True, selector(app="x")),)
LABELLED = tuple(replace(each, labels=AX) for each in RED)
WAITING = (replace(RED[0], nominated_node_name="n1"), RED[1])

CHOSEN: Mapping[str, Scenario] = frozendict(
    {
        "a whole group": preempting(*LOW, pod("s", 1, "n3"), nodes=rooms(3), groups=(group("low", 1, disrupted_together=True),), least=1),
        "single pods of a group": preempting(*LOW, pod("s", 1, "n3"), nodes=rooms(3), groups=(group("low", 1),)),
        "a group that is not in the way": preempting(
            one_of("low", 1, "n1"), one_of("low", 2, "n2", cpu=0), pod("k", 1, "n2", priority=9, preemption_policy="Never"),
            nodes=(node("n1", 2), node("n2", 1)), groups=(group("low", 1, disrupted_together=True),),
        ),
        "the priority of the group": preempting(
            one_of("low", 1, "n1", priority=5), one_of("mid", 1, "n2", priority=0),
            groups=(group("low", 1, priority=-1), group("mid", 1, priority=5)), least=1,
        ),
        "a group that does not exist": preempting(
            one_of("gone", 1, "n1", priority=1), pod("v", 1, "n1", priority=1), nodes=(node("n1", 3), ), least=1,
        ),
        "start times": preempting(
            *(pod(name, 1, "n1", start_time=start) for name, start in zip("abc", (STARTS[1], STARTS[0], STARTS[2]), strict=True)),
            nodes=(wide(3),),
        ),
        "equal pods": preempting(*(pod(name, 1, "n1") for name in "abc"), nodes=(wide(3),)),
        "a large unit": preempting(
            pod("a", 1, "n1", start_time=STARTS[0]), *(one_of("low", n, "n1", cpu=0.5, start_time=STARTS[1]) for n in (1, 2)),
            nodes=(wide(2),), groups=(group("low", 1, disrupted_together=True),), least=1,
            red=(RED[0], replace(RED[1], node_selector=Labels({"no": "where"}))),
        ),
        "a budget": preempting(
            pod("a", 1, "n1", start_time=STARTS[0]), pod("b", 1, "n1", labels=AX), pod("c", 1, "n1", labels=AX),
            nodes=(wide(3),), budgets=(budget("x", 1, app="x"),),
        ),
        "a budget over a unit": preempting(
            pod("a", 1, "n1", start_time=STARTS[0]), *(one_of("low", n, "n1", cpu=0.5, labels=AX) for n in (1, 2)),
            nodes=(wide(2),), groups=(group("low", 1, disrupted_together=True, priority=-1),), least=1,
            budgets=(budget("x", 1, app="x"),), red=RED[:1],
        ),
        "budgets in any order": preempting(
            pod("a", 1, "n1", labels=AX, start_time=STARTS[0]), pod("b", 1, "n1", labels=BX, start_time=STARTS[1]),
            pod("c", 1, "n1", labels=Labels({"web": "y"}), start_time=STARTS[2]),
            nodes=(wide(3),), budgets=(budget("x", 1, app="x"), budget("y", 1, web="y")), least=1, red=RED[:1],
        ),
        "budgets over a unit in any order": preempting(
            *(one_of("low", n, "n1", cpu=0.5, labels=labels) for n, labels in ((1, AX), (2, BX))),
            pod("b", 1, "n1", labels=Labels({"web": "y"}), priority=-1), pod("c", 1, "n1", start_time=STARTS[0], priority=2),
            nodes=(wide(3),), groups=(group("low", 1, disrupted_together=True),),
            budgets=(budget("x", 1, app="x"), budget("y", 0, web="y")), red=RED,
        ),
        "more than are needed": preempting(pod("v1", 1, "n1"), pod("v2", 1, "n2"), least=1),
        "one without a node": preempting(pod("v", 1, "n1"), nodes=rooms(1), least=1),
        "the policy basic": preempting(pod("v", 1, "n1"), nodes=rooms(1), least=None),
        "room that is free": preempting(pod("v", 1, "n1"), nodes=rooms(2)),
        "a victim that terminates": preempting(
            pod("v", 1, "n1", terminating=True, preempted=True), pod("w", 1, "n2"), nodes=rooms(3), red=WAITING,
        ),
        "a pod that terminates by itself": preempting(pod("v", 1, "n1", terminating=True), pod("w", 1, "n2"), red=WAITING),
        "a nomination without room": preempting(red=WAITING, nodes=rooms(1)),
        "a nomination that is kept": preempting(
            pod("k", 1, "n1", priority=7, preemption_policy="Never"), red=(replace(RED[0], nominated_node_name="n1"), RED[1]), nodes=rooms(2),
        ),
        "a nominated fellow": preempting(
            red=(RED[0], replace(RED[1], nominated_node_name="n1", scheduling_gates=()), replace(one_of("red", 3, priority=5), nominated_node_name="n1")),
            nodes=(node("n1", 1), node("n2", 1)),
        ),
        "fellows at priority 0": replace(
            preempting(
                red=tuple(replace(one_of("red", n), nominated_node_name="n1") for n in (1, 2)), nodes=(node("n1", 2, pods=1), node("n2", 2, pods=1)),
            ),
            pod_groups=(group("red", 2),),
        ),
        "another nomination": preempting(
            pod("v", 1, "n1"), pod("w", 1, "n2"), pod("z", 1, priority=6, nominated_node_name="n1", preemption_policy="Never"),
            nodes=(wide(2), wide(1, "n2")),
        ),
        "an outranked nomination": preempting(
            pod("v", 1, "n1"), pod("w", 1, "n2"), pod("z", 1, priority=1, nominated_node_name="n1", preemption_policy="Never"),
        ),
        "a pod that preempts by itself": preempting(
            pod("v", 1, "n1", priority=-1), pod("h", 1, priority=2), pod("k", 1, "n2", priority=9, preemption_policy="Never"),
            red=RED[:1], least=1,
        ),
        "anti-affinity that was skipped": preempting(
            pod("v", 0, "n1", affinity=ASIDE), pod("w", 1, "n2"), nodes=(wide(1), wide(1, "n2")), red=LABELLED,
        ),
        "anti-affinity of the group": preempting(
            pod("v", 1, "n1", labels=AX), pod("w", 1, "n2", labels=AX), nodes=(wide(2), wide(2, "n2")),
            red=tuple(replace(each, affinity=ASIDE) for each in RED),
        ),
        "affinity to a victim": preempting(
            pod("v", 1, "n1", labels=AX), pod("w", 1, "n2"), nodes=(wide(2), wide(2, "n2")), least=1,
            red=tuple(replace(each, affinity=near(term(HOST, selector(app="x")))) for each in RED),
        ),
        "spread": preempting(
            pod("t", 0, "n1", labels=AX, terminating=True), pod("v1", 2, "n1"), pod("v2", 2, "n2", labels=AX),
            nodes=(wide(2), wide(2, "n2")), red=tuple(replace(each, spread=SPREAD) for each in LABELLED),
        ),
        "unlike policies": preempting(
            pod("v", 1, "n1"), red=(RED[0], replace(RED[1], preemption_policy="Never", nominated_node_name="n2")),
        ),
        "the policy Never": preempting(pod("v", 1, "n1"), red=tuple(replace(each, preemption_policy="Never") for each in RED)),
        "another priority than the group": preempting(pod("v", 1, "n1"), red=(RED[0], replace(RED[1], priority=6))),
        "victims that come back": preempting(pod("v1", 1, "n1"), pod("v2", 1, "n2"), victims="pending"),
        "victims that a kubelet ends": preempting(
            pod("v1", 1, "n1", phase="Running"), nodes=rooms(2), controllers=frozenset({"kubelet"}),
        ),
        "a member that arrives": preempting(
            pod("v1", 1, "n1"), pod("v2", 1, "n2"), red=(*RED, one_of("red", 3, priority=5)),
            absent=frozenset({("default", "red-3")}), rules=(Rule("arrive", pods=(("default", "red-3"),), bound=1),),
        ),
        "a member that is deleted": preempting(
            pod("v1", 1, "n1"), pod("v2", 1, "n2"), rules=(Rule("delete", pods=(("default", "red-1"),), bound=1),), least=1,
        ),
        "victims that complete": preempting(
            pod("v1", 1, "n1"), pod("v2", 1, "n2"), rules=(Rule("complete", pods=(("default", "v1"),), bound=1),),
        ),
        "a member that is bound": preempting(pod("v", 1, "n1"), red=(replace(RED[0], node_name="n2"), RED[1])),
    }
)  # fmt: skip


def contended(seed: int) -> Scenario:
    """One or two nodes, a group of priority 5, occupants with budgets, some of them terminating, and some events."""
    chance = Random(f"contended/{seed}")
    nodes = tuple(wide(chance.choice((1, 1, 2, 2)), f"n{place}") for place in range(1, chance.choice((1, 1, 2, 2)) + 1))
    names = [each.name for each in nodes]
    size = chance.choice((1, 1, 2, 2, 2))
    form = _member(chance)
    red = [replace(form if chance.random() < 0.7 else _member(chance), name=f"g{n}") for n in range(1, size + 1)]
    red = [replace(each, nominated_node_name=chance.choice(names)) if chance.random() < 0.2 else each for each in red]
    others = [_occupant(number, names, chance) for number in range(1, chance.choice((1, 1, 2, 2, 3)) + 1)]
    if chance.random() < 0.15:
        others.append(
            pod(
                "w",
                chance.choice((0.5, 1)),
                priority=chance.choice((-1, 0)),
                nominated_node_name=chance.choice(("", *names)),
            )
        )
    keys = [each.key for each in (*red, *others)]
    arriving = tuple(each.key for each in red if chance.random() < 0.1 and not each.nominated_node_name)
    rules = [Rule("arrive", pods=arriving, bound=1)] if arriving else []
    if chance.random() < 0.2:
        rules.append(Rule(chance.choice(("delete", "complete")), pods=(chance.choice(keys),), bound=1))
    made = preempting(
        *others,
        nodes=nodes,
        red=tuple(red),
        least=chance.choice((None, *range(1, size + 1), size, size)),
        groups=(
            group("h", 1, priority=chance.choice((0, 0, -1, 1, 5)), disrupted_together=True),
            group("i", 1, priority=chance.choice((0, 0, 1, 5)), disrupted_together=chance.random() < 0.2),
        ),
        budgets=tuple(
            budget(f"d{n}", chance.choice((0, 0, 1, 2)), app=chance.choice("xy")) for n in range(chance.choice((0, 0, 1, 2)))
        ),
        absent=frozenset(arriving),
        rules=tuple(rules),
        victims=chance.choice(("absent", "absent", "pending")),
        controllers=frozenset(chance.choice(((), (), (), ("kubelet",)))),
    )  # fmt: skip
    groups = tuple(
        each if each.name != "red" else replace(each, priority=chance.choice((5,) * 9 + (6,)))
        for each in made.pod_groups
    )
    asked = chance.choice((COUNTED, COUNTED, (*COUNTED, chance.choice(JUDGING)), (*COUNTED, chance.choice(JUDGING))))
    return replace(made, pod_groups=groups, properties=asked)


def _member(chance: Random) -> Pod:
    fields: dict[str, Any] = {"labels": Labels({"app": chance.choice("xy")}), "affinity": _affinity(chance)}
    if chance.random() < 0.2:
        fields["spread"] = (SpreadConstraint(1, HOST, True, selector(app=fields["labels"]["app"])),)
    if chance.random() < 0.05:
        fields["preemption_policy"] = "Never"
    return one_of("red", 1, cpu=chance.choice((0.5, 1, 1, 1, 2)), priority=5, **fields)


def _occupant(number: int, names: list[str], chance: Random) -> Pod:
    """Return a bound pod, which may be a victim."""
    going = chance.random()
    named = chance.choice(("", "", "", "h", "h", "i", "i", "gone"))
    return pod(
        f"b{number}", chance.choice((0, 0.5, 1, 1, 1, 2)), chance.choice(names), labels=Labels({"app": chance.choice("xy")}),
        priority=chance.choice((0, 0, 0, -1, 1, 5)), scheduling_group=named, affinity=_affinity(chance),
        start_time=chance.choice((None, *STARTS)), terminating=going < 0.15, preempted=going < 0.1,
        preemption_policy="Never",
    )  # fmt: skip


def _affinity(chance: Random) -> Affinity:
    one = term(HOST, selector(app=chance.choice("xy")))
    return chance.choice((NO_AFFINITY,) * 5 + (apart(one), apart(one), near(one)))
