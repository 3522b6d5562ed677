"""Preemption on nodes that are nearly alike, so that the last criteria decide between them: `tie`

Each node has copies of the same pods, of which one or two differ in one field that a criterion reads. Priorities are
also the least and the greatest that there are, and budgets protect any of the pods.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from schedcheck.checker.drawing.objects import HOSTNAME, UNIT
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.terms import LabelSelector
from tests.checker.differential.enumeration.spaces import BASES
from tests.checker.differential.enumeration.vocabulary import APP, NAMED, OTHER_APP, A, asking, room
from tests.checker.differential.search import singles, small
from tests.checker.differential.search.aftermath import agree_at_once, fail_at_once

LEAST: Final = -(2**31)
PRIORITIES: Final = (LEAST, LEAST + 1, -1, 0, 0, 1, 1, 2, 10**9)
ASKED_PRIORITY: Final = 2 * 10**9
FIELDS: Final = ("priority", "priority", "start", "start", "app", "terminating", "more", "fewer", "order")


def _victims(chance: Chance, *, idle: bool) -> list[Pod]:
    """Return one to three pods that are not on a node yet; some ask for nothing if they may be `idle`."""
    base: Pod = BASES["others"]
    top = chance.choice(PRIORITIES)
    made = []
    for _ in range(chance.one(1, 2, 2, 3)):
        one = chance.choice((APP, OTHER_APP))(base)
        one = one if idle and chance.often(0.5) else asking(cpu=chance.one(1, 1, 2))(one)
        priority = top if chance.often(0.5) else chance.choice(PRIORITIES)
        made.append(replace(one, priority=priority, start_time=chance.one(1, 2, 3)))
    return made


def _changed(chance: Chance, some: list[Pod]) -> list[Pod]:
    """Return the pods with one difference."""
    if not some:
        return some
    place = chance.randrange(len(some))
    one = some[place]
    match chance.choice(FIELDS):
        case "priority":
            one = replace(one, priority=chance.choice(PRIORITIES))
        case "start":
            one = replace(one, start_time=chance.one(1, 2, 3, 4))
        case "app":
            one = chance.choice((APP, OTHER_APP))(one)
        case "terminating":
            one = replace(one, terminating=True, preempted=chance.often(0.5))
        case "more":
            return [*some, replace(one, priority=chance.choice(PRIORITIES))]
        case "fewer":
            return some[:place] + some[place + 1 :]
        case "order":
            return chance.sample(some, len(some))
    return [*some[:place], one, *some[place + 1 :]]


def _budgets(chance: Chance, pods: Sequence[Pod]) -> tuple[PodDisruptionBudget, ...]:
    """Return up to two budgets of these pods."""

    def one(number: int) -> PodDisruptionBudget:
        disrupted = frozenset(each.name for each in pods if chance.often(0.25))
        return PodDisruptionBudget(
            f"b{number}",
            namespace=chance.one(*["default"] * 5, "other"),
            selector=chance.one(A, A, A, A, LabelSelector(), None),
            disruptions_allowed=chance.one(0, 0, 0, 1, 1, 2, -1),
            disrupted=disrupted if chance.often(0.4) else frozenset(),
        )

    return tuple(one(number) for number in range(chance.one(0, 1, 1, 1, 2)))


def _cpus(one: Pod) -> int:
    return int(one.containers[0].requests["cpu"] // UNIT)


def _node(name: str, **amounts: int) -> Node:
    base: Node = BASES["nodes"]
    made: Node = room(**amounts)(replace(base, name=name, labels=base.labels.set(HOSTNAME, name)))
    return made


def question(chance: Chance) -> Question:
    """Return a question in which a pod has to choose between nearly equal nodes."""
    by_number = chance.often(0.25)
    template = _victims(chance, idle=by_number)
    names = ("n1", "n2", "n3", "n4")[: chance.one(2, 2, 3, 4)]
    size = len(template) if by_number else sum(map(_cpus, template))
    nodes = [_node(name, pods=size) if by_number else _node(name, cpu=size) for name in names]
    pods: list[Pod] = []
    for name in names:
        some = list(template)
        for _ in range(chance.one(0, 1, 1, 2)):
            some = _changed(chance, some)
        pods += [replace(each, node_name=name) for each in some]
    order = chance.sample(range(len(pods)), len(pods))
    pods = [replace(each, name=f"p{order[number]}") for number, each in enumerate(pods)]
    asked = replace(BASES["asked"], priority=ASKED_PRIORITY)
    if not by_number or chance.often(0.5):
        asked = asking(cpu=chance.randint(max(1, size - 1), size))(asked)
    made = Snapshot.of(pods, nodes)
    return asked, replace(made, budgets=_budgets(chance, pods)), DEFAULT_PLUGINS


def guarded_question(chance: Chance) -> Question:
    """Return a question in which every node loses as many guarded pods, beside different others.

    Every pod has to go, so the nodes differ in the priorities and start times of their victims alone.
    """
    guarded, size = chance.one(0, 1, 1, 2), 3
    names = ("n1", "n2", "n3")[: chance.one(2, 2, 3)]
    pods: list[Pod] = []
    for name in names:
        count = max(1, guarded + chance.randint(0, size - guarded))
        for place in range(count):
            last = size - count + 1 if place == count - 1 else 1
            one = (APP if place < guarded else OTHER_APP)(asking(cpu=last)(BASES["others"]))
            fields = {"priority": chance.randint(1, 4), "start_time": chance.one(1, 2, 3)}
            pods.append(replace(one, name=f"p{len(pods)}", node_name=name, **fields))
    order = chance.sample(range(len(pods)), len(pods))
    pods = [replace(each, name=f"p{order[number]}") for number, each in enumerate(pods)]
    budget = PodDisruptionBudget("b", selector=A, disruptions_allowed=0)
    asked = asking(cpu=size)(replace(BASES["asked"], priority=ASKED_PRIORITY))
    made = Snapshot.of(pods, [_node(name, cpu=size) for name in names])
    return asked, replace(made, budgets=(budget,)), DEFAULT_PLUGINS


def guarded_tie(start: str) -> None:
    """Judge whom the pod preempts where a budget is violated equally on every node."""
    singles.shown(guarded_question(Chance(f"guarded {start}")))


def tie(start: str) -> None:
    """Judge whom the pod preempts; now and then with an extender that preempts as well."""
    chance = Chance(start)
    asked = question(chance)
    if chance.often(0.4):
        singles.asked_outside(chance, asked)
    else:
        singles.shown(asked)


def at_once(start: str) -> None:
    """Judge a preemption that is not asynchronous: on nearly equal nodes, on guarded ones, or where others are nominated.

    A quarter of those that evict is done again, while some of the calls fail.
    """
    chance = Chance(f"at once {start}")
    names = ("preemption", *chance.some(("nominations", "budgets", "waits for victims"), 1, 2))
    others = small.question(chance, tuple(NAMED[each] for each in names))
    asked = others if chance.often(0.7) else chance.one(question, guarded_question)(chance)
    made = agree_at_once(asked)
    alive = sorted(each.key for each in made.victims if not each.terminating) if made.nominated else []
    if alive and chance.often(0.25):
        fail_at_once(asked, made, chance.some(alive, 1, len(alive)))
