"""Pods that one scheduler tries one after the other in a cluster that changes in between: `changing_succession`

What the scheduler remembers of nodes and pods is computed anew for what has changed, and for nothing else. So the second pod is
usually equal to the first, and sees a node with other amounts, labels, taints or images, or with other pods.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from schedcheck.checker.differential.decisions import difference
from schedcheck.checker.differential.standing import drained, informed
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from tests.checker.differential.enumeration.spaces import Feature
from tests.checker.differential.enumeration.storage_vocabulary import STORAGE
from tests.checker.differential.enumeration.vocabulary import (
    FEATURES,
    HIGH,
    NAMED,
    asking,
    both,
    having,
    pending,
    room,
)
from tests.checker.differential.search import small
from tests.checker.differential.search.ports import without_ports
from tests.checker.differential.search.successions import BESIDE, with_pod
from tests.support.building import resized

OFFERED = tuple(each for each in FEATURES if each not in STORAGE)
FIELDS = ("allocatable", "allocatable", "labels", "taints", "unschedulable", "images", "declared_features")
LATER = "later"
UNEVEN = Feature(
    "uneven amounts",
    tuple(both(HIGH, asking(cpu=cpu)) for cpu in (1, 2, 3)),
    tuple(
        both(having(priority=priority), asking(cpu=cpu), *more)
        for cpu in (1, 2, 3, 4) for priority in (-1, 0, 1, 5, 9) for more in ((), (pending,))
    ),
    tuple(room(cpu=cpu) for cpu in (3, 4, 5, 6, 7, 9)),
)  # fmt: skip
"""A feature of pods of several sizes, of which many are nominated, and nodes with room for several."""


class Changing:
    """A scheduler and its cluster, of which nodes and bound pods change."""

    def __init__(
        self, chance: Chance, chosen: small.Features, there: Snapshot, tried: list[Pod], plugins: Plugins
    ) -> None:
        self.chance, self.chosen, self.there, self.plugins = chance, chosen, there, plugins
        self.scheduler: Scheduler = informed((*there.pods, *tried), there, (plugins,))
        self.delivery, self.number = Delivery(self.scheduler), 0

    def judge(self, one: Pod) -> None:
        """Try a pod, and judge the decision; then it is where the scheduler assumes it, or is nominated."""
        drained(self.scheduler)
        self.scheduler.queue.active.put(QueuedPod(PodInfo(one), self.scheduler.clock()))
        binding = self.scheduler.schedule_one()
        made = self.scheduler.concluded
        assert made is not None and made.pod.key == one.key
        found = difference(made, self.there, self.plugins)
        assert found is None, f"{made.pod}: {found}"
        on, nominated = "" if binding is None else binding.node, "" if binding else made.nominated
        known = one.nominated_node_name if nominated is None else nominated
        self.there = with_pod(self.there, replace(one, node_name=on, nominated_node_name=known))

    def change(self) -> None:
        """Let one thing change, and tell the scheduler."""
        self.chance.one(
            self._node_changes, self._node_changes, self._node_comes_or_goes, self._pod_comes, self._pod_goes, self._pod_changes
        )()  # fmt: skip

    def _node_changes(self) -> None:
        one = self.chance.choice(self.there.nodes)
        other, field = small.node(self.chance, self.chosen, one.name), self.chance.choice(FIELDS)
        self._told(one, other if self.chance.often(0.2) else replace(one, **{field: getattr(other, field)}))

    def _node_comes_or_goes(self) -> None:
        """A node comes, or one goes on which no pod is or may be soon."""
        used = {each.node_name or each.nominated_node_name for each in self.there.pods}
        idle = [each for each in self.there.nodes if each.name not in used]
        if idle and len(self.there.nodes) > 1 and self.chance.often(0.5):
            self._told(self.chance.choice(idle), None)
        elif all(each.name != LATER for each in self.there.nodes):
            self._told(None, small.node(self.chance, self.chosen, LATER))

    def _pod_comes(self) -> None:
        self.number += 1
        on = self.chance.choice(self.there.nodes).name
        name = f"{LATER}{self.number}"
        self._told(None, without_ports(replace(small.pod(self.chance, self.chosen, name, on), uid=name)))

    def _pod(self) -> Pod | None:
        """Return a pod that the cluster had bound; nothing happens to those that the scheduler assumes."""
        assumed = self.scheduler.cache.assumed
        bound = [each for each in self.there.pods if each.node_name and each.identity not in assumed]
        return self.chance.choice(bound) if bound else None

    def _pod_goes(self) -> None:
        self._told(self._pod(), None)

    def _pod_changes(self) -> None:
        one = self._pod()
        if one is not None:
            like = small.pod(self.chance, self.chosen, one.name, one.node_name)
            self._told(
                one,
                self.chance.one(
                    replace(one, labels=like.labels), resized(one), replace(one, terminating=True, preempted=True)
                ),
            )

    def _told(self, before: Any, after: Any) -> None:
        """Replace an object, and deliver the change."""
        kind = before if after is None else after
        if before == after:
            return
        if isinstance(kind, Node):
            nodes = [each for each in self.there.nodes if each.name != kind.name] + [after] * (after is not None)
            self.there = replace(self.there, nodes=Snapshot.of((), nodes).nodes)
            self.delivery.node(before, after)
        else:
            pods = [each for each in self.there.pods if each.key != kind.key] + [after] * (after is not None)
            self.there = replace(self.there, pods=Snapshot.of(pods, self.there.nodes).pods)
            self.delivery.pod(before, after)


def changing_succession(start: str) -> None:
    """Judge two to five pods, of which most are equal, with one to three changes between two of them."""
    chance = Chance(f"changing succession {start}")
    preempting = (chance.one(UNEVEN, NAMED["preemption"]), *(NAMED[each] for each in chance.some(BESIDE, 0, 1)))
    chosen = preempting if chance.often(0.7) else small.features(chance, OFFERED)
    asked, there, plugins = small.question(chance, chosen)
    other: Callable[[], Pod] = lambda: small.of(chance, chosen, "asked", small.BASES["asked"])  # noqa: E731
    tried = [asked, *(asked if chance.often(0.8) else other() for _ in range(chance.one(1, 2, 2, 3, 4)))]
    tried = [
        replace(each, name=f"next{number}", uid=f"next{number}", scheduling_gates=(), nominated_node_name="")
        for number, each in enumerate(tried)
    ]
    # Of two pods of one node with one port, the first that goes frees it: RemovePod in pkg/scheduler/framework/types.go.
    pods = [without_ports(each) if number else each for number, each in enumerate(there.pods)]
    there = replace(there, pods=Snapshot.of(pods, there.nodes).pods)
    made = Changing(chance, chosen, there, tried, plugins)
    for one in tried:
        made.judge(one)
        for _ in range(chance.one(1, 1, 2, 3)):
            made.change()
