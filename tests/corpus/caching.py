"""Defects of the cache of nodes and pods, and of the events sent to it: `CACHING`"""

from dataclasses import replace
from typing import Any

import numpy as np
from pytest import MonkeyPatch

from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.framework.events import ASSIGNED_POD_DELETED
from schedcheck.model.production.preemption import victims
from schedcheck.model.production.preemption.amounts import take_away
from schedcheck.model.production.snapshot.lower_pods import LowerTable
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Trial
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import NO_AFFINITY
from tests.corpus.decisions import K, put
from tests.corpus.lived import Lived
from tests.model.production.live import Live
from tests.support.building import HOSTNAME, apart, node, pod, selector, term

ONE = node("n1", 1)


def lost_with_its_node(self: Cache, name: str) -> None:
    """Removing a node also removes its pods from the cache."""
    info = self.nodes.pop(name)
    assert info.node is not None
    self.tree.remove(info.node)
    self._forget_images(info.node)


def pods_of_removed_nodes_still_count(patch: MonkeyPatch) -> None:
    """The resources of a pod whose node was removed earlier are never released."""
    remove = Cache._remove

    def leaking(self: Cache, identity: Any) -> None:
        if self.nodes[self.pods[identity].pod.node_name].node is not None:
            remove(self, identity)
        else:
            del self.pods[identity]
            self.assumed.pop(identity, None)

    patch.setattr(Cache, "_remove", leaking)


def assumed_without_affinity(patch: MonkeyPatch) -> None:
    """An assumed pod uses its room, but its anti-affinity is ignored."""
    assume = Cache.assume

    def indifferent(self: Cache, info: PodInfo) -> None:
        assume(self, PodInfo(replace(info.pod, affinity=NO_AFFINITY)))

    patch.setattr(Cache, "assume", indifferent)


def last_form_trusted(patch: MonkeyPatch) -> None:
    """A pod that had no node in its last known form is only removed from the queue."""
    gone = Delivery._gone

    def trusting(self: Delivery, each: Pod) -> None:
        if each.node_name:
            gone(self, each)
        else:
            self._queue.delete(each)

    patch.setattr(Delivery, "_gone", trusting)


def news_of_the_lost_ignored(patch: MonkeyPatch) -> None:
    """The deletion of a pod that was not known to be terminating is ignored."""
    gone = Delivery._gone
    patch.setattr(Delivery, "_gone", lambda self, each: gone(self, each) if each.terminating else None)


def room_kept_for_the_gone(self: Delivery, each: Pod) -> None:
    """An assumed pod that is being deleted keeps its room until its binding cycle fails."""
    assumed = self._cache.pods[each.identity]
    self._scheduler.handle.waiting.reject(each)
    self._queue.move_all(ASSIGNED_POD_DELETED, assumed.pod, None)


def tried_on_the_snapshot(patch: MonkeyPatch) -> None:
    """Changes of a dry run are also applied to the snapshot."""
    change = Trial.change

    def careless(self: Trial, worlds: Any, infos: Any, sign: int) -> None:
        amounts = self.table.amounts(infos)
        np.add.at(self.table.requested, self.rows[np.asarray(worlds)], sign * amounts)
        change(self, worlds, infos, sign)

    def carelessly(tried: Nodes, lower: LowerTable) -> None:
        take_away(tried, lower)
        np.subtract.at(tried.table.requested, tried.rows, lower.together[tried.rows])

    patch.setattr(Trial, "change", careless)
    patch.setattr(victims, "take_away", carelessly)


def node_comes_back(live: Live) -> None:
    live.delete(ONE)
    live.put(ONE)
    live.deliver_all()
    live.cycle()


def node_goes_before_its_pod(live: Live) -> None:
    live.delete(ONE)
    live.deliver_all()
    live.delete(live.pod("a"))
    live.deliver_all()
    live.put(ONE)


def two_at_once(live: Live) -> None:
    live.cycle()
    live.cycle()


def bound_and_gone_unseen(live: Live) -> None:
    live.cycle()
    for _ in range(3):
        live.advance()
    live.delete(live.pod("a"))
    live.miss("pod")


def gone_unseen(live: Live) -> None:
    live.delete(live.pod("a"))
    live.miss("pod")


def started_half_told(live: Live) -> None:
    live.deliver("node")
    live.deliver("pod")
    live.cycle()


def evicted_on_its_way(live: Live) -> None:
    live.cycle()
    live.advance()
    live.put(pod("p", 1, priority=10))
    live.deliver_all()
    live.cycle()
    live.evicting()
    live.deliver_all()
    live.wait(3.0)
    live.cycle()


CACHING = (
    Lived(
        f"{K}93938", (ONE, pod("a", 1, "n1"), pod("p", 1)), node_comes_back, {"a": "n1", "p": ""},
        put(Cache, "remove_node", lost_with_its_node),
    ),
    Lived(
        "apache/yunikorn-core YUNIKORN-1993", (ONE, pod("a", 1, "n1"), pod("p", 1)), node_goes_before_its_pod,
        {"p": "n1"}, pods_of_removed_nodes_still_count,
    ),
    Lived(
        f"{K}139028",
        (
            node("n1", 9, labels={HOSTNAME: "n1"}), node("n2", 3, labels={HOSTNAME: "n2"}),
            pod("a", 1, priority=1, labels={"l": "a"}, affinity=apart(term(selected=selector(l="b")))),
            pod("b", 1, labels={"l": "b"}),
        ),
        two_at_once, {"a": "n1", "b": "n2"}, assumed_without_affinity,
    ),
    Lived(
        f"{K}106102", (ONE, pod("a", 1, priority=1), pod("p", 1)), bound_and_gone_unseen, {"p": "n1"},
        last_form_trusted,
    ),
    Lived(
        "koordinator-sh/koordinator@08b6e891", (ONE, pod("a", 1, "n1"), pod("p", 1)), gone_unseen, {"p": "n1"},
        news_of_the_lost_ignored,
    ),
    Lived(
        f"{K}116717", (ONE, pod("p", 1), pod("a", 1, "n1")), started_half_told, {"a": "n1", "p": ""},
        put(Delivery, "listed", lambda self, things: None), {"listed": False},
    ),
    Lived(
        f"{K}134217", (ONE, pod("v", 1, priority=1)), evicted_on_its_way, {"p": "n1"},
        put(Delivery, "_released", room_kept_for_the_gone),
    ),
    Lived(
        "kubernetes-sigs/kueue#1023", (ONE, pod("v", 1, "n1"), pod("p", 1, priority=10)), Live.cycle, {"p": "n1"},
        tried_on_the_snapshot,
    ),
)  # fmt: skip
