"""One event of a nominated pod after which another pod fits: `nominated_flip`

Pods that are nominated to nodes count there for the asked pod: with their room, ports, labels, terms and disks. One of them is deleted, or its
nomination is cleared, or goes to another node. kube-scheduler wakes the pods of at most its priority then.
"""

from collections.abc import Iterator
from dataclasses import replace

from schedcheck.checker.differential.standing import drained, informed
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search import small
from tests.checker.differential.search.flips import can_go, heard_of
from tests.checker.differential.search.small_flips import small_question

HELD = ("ports", "resources", "extended resources", "room for pods", "anti-affinity", "effective requests", "spread")
"""Features by which a nominated pod keeps another one out."""
BESIDE = ("cordons", "taints", "node affinity", "namespaces")
Change = tuple[Pod, Pod | None]
"""A nominated pod before and after; None after it was deleted."""


def question(chance: Chance) -> Question:
    """Return a question in which some pods are nominated to nodes, and are as important as the asked pod or more."""
    names = (*chance.some(HELD, 1, 2), *chance.some(BESIDE, 0, 1))
    asked, there, plugins = small_question(chance, tuple(NAMED[each] for each in names))
    asked = replace(asked, preemption_policy="Never", priority=0)
    chosen = tuple(NAMED[each] for each in names)
    places = [each.name for each in there.nodes]
    waiting = []
    for number in range(chance.one(1, 1, 2)):
        like = asked if chance.often(0.4) else small.pod(chance, chosen, "x")
        one = replace(like, name=f"q{number}", namespace=like.namespace, nominated_node_name=chance.choice(places))
        waiting.append(replace(one, priority=chance.one(0, 0, 5)))
    return asked, replace(there, pods=Snapshot.of([*there.pods, *waiting]).pods), plugins


def changes(chance: Chance, there: Snapshot) -> Iterator[Change]:
    """Yield changes of the nominated pods, in random order."""
    places = [each.name for each in there.nodes]
    waiting = [each for each in there.pods if each.nominated_node_name]
    for one in chance.sample(waiting, len(waiting)):
        others = [replace(one, nominated_node_name=name) for name in ("", *places) if name != one.nominated_node_name]
        yield from chance.sample([(one, None), *((one, each) for each in others)], 1 + len(others))


def judged(question: Question, change: Change) -> None:
    """Judge whether the asked pod, which is rejected, is moved by the change of a nominated pod."""
    asked, there, plugins = question
    scheduler = informed((*there.pods, asked), there, (plugins,))
    drained(scheduler, asked.key)
    scheduler.schedule_one()
    queued = scheduler.queue.unschedulable.get(asked.key)
    assert queued is not None, f"{asked} was not rejected"
    Delivery(scheduler).pod(*change)
    if heard_of(queued, "Pod", *change):
        still = scheduler.queue.unschedulable.get(asked.key)
        assert still is None, (
            f"{asked} was rejected by {', '.join(sorted(still.rejectors))}, and sleeps while {change[0]} goes elsewhere"
        )


def nominated_flip(start: str) -> None:
    """Draw a small cluster with nominated pods, and judge whether the asked pod is moved by a change of one."""
    chance = Chance(f"nominated {start}")
    asked, there, plugins = question(chance)
    if can_go(asked, there, plugins):
        return
    for one, after in changes(chance, there):
        others = [each for each in there.pods if each is not one]
        changed = replace(there, pods=Snapshot.of([*others, *([after] if after else [])]).pods)
        if can_go(asked, changed, plugins):
            judged((asked, there, plugins), (one, after))
            return
