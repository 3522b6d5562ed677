"""Random walks through tiny contended scenarios, which the scheduler usually brings to rest between two events: `small_walk`

Two to four pods want the room of one or two nodes, of which each holds one or two of them. Some are in gangs, nominated at
first, absent at first, or tolerate the one taint. A pod may be preempted, deleted or lose its node while it waits for its
permit, is nominated, or is being bound.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from frozendict import frozendict

from schedcheck.checker.differential.execution import with_ledger
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.model.production.machine.actions import Advance, Deliver, Evicting, Try
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, VOLUME_PLUGINS, Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot, Taint, Toleration
from tests.checker.differential.search.walks import machine, walked
from tests.support.building import node, pod
from tests.support.gang import GANGS
from tests.support.gang import of as of_gang

UNCONCERNED: Final = (*VOLUME_PLUGINS, "DynamicResources", "PodTopologySpread", "InterPodAffinity", "NodePorts",
                      "NodeDeclaredFeatures", "ImageLocality")  # fmt: skip
TAINT: Final = Taint("t", "NoSchedule")
NAMES: Final = ("n1", "n2")
OWN: Final = Deliver, Advance, Evicting, Try
"""The steps that a scheduler takes at once; an event, the end of a terminating pod or a timeout may take its time."""
POD_EVENTS: Final = ("arrive", "delete", "complete")
NODE_EVENTS: Final = ("taint", "untaint", "cordon", "uncordon", "label", "fail", "return")


def _nodes(chance: Chance) -> list[Node]:
    def one(name: str) -> Node:
        return node(
            name,
            chance.one(1, 1, 2, 2, 3),
            labels={"zone": "a"} if chance.often(0.4) else {},
            taints=(TAINT,) if chance.often(0.15) else (),
            unschedulable=chance.often(0.1),
        )

    return [one(name) for name in NAMES[: chance.one(1, 2)]]


def _pod(chance: Chance, number: int, names: Sequence[str], *, gangs: bool) -> Pod:
    """Return a pod that is bound, or waits."""
    on = chance.choice(names) if chance.often(0.25) else ""
    return pod(
        f"p{number}",
        chance.one(1, 1, 1, 2, 2, 8),
        on,
        priority=chance.one(0, 1, 1, 10),
        labels=of_gang(chance.one("g", "g", "g", "h"), chance.one(2, 2, 3)) if gangs and chance.often(0.6) else {},
        preemption_policy="PreemptLowerPriority" if chance.often(0.7) else "Never",
        nominated_node_name="" if on or chance.often(0.8) else chance.choice(names),
        node_selector={"zone": "a"} if chance.often(0.2) else {},
        tolerations=(Toleration(TAINT.key, "Exists"),) if chance.often(0.3) else (),
    )


def _rule(
    chance: Chance, keys: Sequence[tuple[str, str]], names: Sequence[str], absent: frozenset[tuple[str, str]]
) -> Rule:
    if chance.often(0.5):
        event = chance.choice(POD_EVENTS)
        some = sorted(absent) if event == "arrive" and absent else keys
        return Rule(event, pods=tuple(sorted(chance.some(some, 1, 2))), bound=1)
    rule = Rule(chance.choice(NODE_EVENTS), nodes=(chance.choice(names),), bound=1)
    if "taint" in rule.event:
        return replace(rule, taint=TAINT)
    return replace(rule, label_key="zone", label_values=chance.one(("a",), (None,))) if rule.event == "label" else rule


def scenario(chance: Chance) -> Scenario:
    """Return a tiny scenario: pods that want the same room, and up to three events."""
    nodes, gangs = _nodes(chance), chance.often(0.6)
    names = [each.name for each in nodes]
    pods = [_pod(chance, number, names, gangs=gangs) for number in range(chance.one(2, 2, 3, 3, 4))]
    there = Snapshot.of(pods, nodes)
    keys = tuple(each.key for each in there.pods)
    absent = frozenset(key for key in keys if chance.often(0.25))
    rules = [_rule(chance, keys, names, absent) for _ in range(chance.one(0, 1, 1, 2, 3))]
    rules += [Rule("arrive", pods=tuple(sorted(absent)), bound=len(absent))] * bool(absent)
    profile = concerned(GANGS if gangs else DEFAULT_PLUGINS)
    return Scenario(
        "small walk", there.pods, tuple(nodes), absent=absent, rules=tuple(rules), profile="kubernetes",
        plugins=(with_ledger(profile),),
    )  # fmt: skip


def concerned(profile: Plugins) -> Plugins:
    """Return the profile with the plugins that can make a difference to such pods, so that a step takes less time."""
    points = {
        point: tuple(name for name in names if name not in UNCONCERNED) for point, names in profile.points.items()
    }
    return replace(profile, points=frozendict(points))


def calmly(chance: Chance, steps: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Choose one of the scheduler's own steps if there are any, else one of the others."""
    own = [each for each in steps if isinstance(each[0], OWN)]
    return chance.choice(own or steps)


def small_walk(start: str, steps: int = 30) -> None:
    """Walk this number of steps through a tiny scenario. Raises: AssertionError at the first violation."""
    chance = Chance(f"small walk {start}")
    of = scenario(chance)
    made = machine(of, faults=int(chance.often(0.3)), interrupted=chance.often(0.2))
    calm = chance.often(0.7)
    walked(chance, made, steps, calmly if calm else Chance.choice)
