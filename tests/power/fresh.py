"""Defects of the measure beyond the corpus: `FRESH`, each with its area and a patch of the production scheduler

Each is of a kind that schedulers have had: a case that was overlooked, a comparison that was turned round, an event that
was not registered, an undo that was forgotten. None has a scenario of its own: only search finds it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from pytest import MonkeyPatch

from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.cache.node_tree import NodeTree
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.devices.allocator import Allocator
from schedcheck.model.production.extenders.http import HttpExtender
from schedcheck.model.production.framework.status import SUCCESS
from schedcheck.model.production.framework.waiting import WaitingPod
from schedcheck.model.production.plugins import (
    image_locality,
    inter_pod_affinity,
    node_volume_limits,
    taint_toleration,
    volume_restrictions,
    volume_zone,
)
from schedcheck.model.production.plugins.default_preemption import DefaultPreemption
from schedcheck.model.production.plugins.inter_pod_affinity import InterPodAffinity
from schedcheck.model.production.plugins.node_affinity import NodeAffinity
from schedcheck.model.production.plugins.node_resources_fit import NodeResourcesFit
from schedcheck.model.production.plugins.pod_topology_spread import Counts, PodTopologySpread
from schedcheck.model.production.plugins.taint_toleration import TaintToleration
from schedcheck.model.production.plugins.volume_binding import VolumeBinding
from schedcheck.model.production.preemption import choice, victims
from schedcheck.model.production.preemption.evaluator import Evaluator
from schedcheck.model.production.preemption.eviction import Eviction, Evictions
from schedcheck.model.production.queue import hints
from schedcheck.model.production.queue.nominator import Nominator
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.production.snapshot.pod_info import ANY_ADDRESS, PodInfo
from schedcheck.model.production.snapshot.terms import CarriedTerm, OwnTerm, carried
from schedcheck.model.production.volumes import matching
from schedcheck.spec.objects import Pod
from tests.corpus.decisions import put

Patch = Callable[[MonkeyPatch], None]


class Fresh(NamedTuple):
    """A defect: its name, its area, and the patch that puts it in."""

    name: str
    area: str
    defect: Patch


def _ports(change: Callable[[Any], Any]) -> Patch:
    """The host ports of a pod are changed before they are compared."""
    asked = PodInfo.__dict__["ports"].func
    return put(PodInfo, "ports", property(lambda self: frozenset(map(change, asked(self)))))


def always_itself(patch: MonkeyPatch) -> None:
    """A pod counts for its spread constraint even if it does not match the selector."""
    skew = Counts.skew
    patch.setattr(Counts, "skew", lambda self, nodes: skew(replace(self, itself=1), nodes))


def without_selected_namespaces(term: Any, owner: Pod, namespaces: Any, *, on_no_labels: bool = False) -> OwnTerm:
    """A term with a list of namespaces ignores its namespaceSelector."""
    each = carried(term, owner)
    if not term.namespaces:
        return _own(term, owner, namespaces, on_no_labels=on_no_labels)
    return OwnTerm(each.topology_key, each.selector, each.namespaces)


_own = inter_pod_affinity.own
_terms_match = CarriedTerm.matches


def _largest_first(patch: MonkeyPatch) -> None:
    waiting = matching.waiting

    def reversed_(claim: Any, storage: Any) -> Any:
        found = waiting(claim, storage)
        free = found.volumes[found.kept :]
        return replace(found, volumes=(*found.volumes[: found.kept], *reversed(free)))

    patch.setattr("schedcheck.model.production.plugins.volume_binding.waiting", reversed_)


def _counts_tolerated(pod: Pod, nodes: Any) -> Any:
    lists = nodes.table.taint_lists
    counts = np.array([sum(each.effect == "PreferNoSchedule" for each in taints) for taints in lists], np.int64)
    return counts[nodes.table.taints[nodes.rows]]


def _criteria(place: int, criterion: Callable[[Any], Any]) -> Patch:
    changed = (*choice.CRITERIA[:place], criterion, *choice.CRITERIA[place + 1 :])
    return lambda patch: patch.setattr(choice, "CRITERIA", changed)


def _any_terminating(patch: MonkeyPatch) -> None:
    """A pod of lower priority that terminates for any reason keeps the preemptor from preempting again."""
    ineligible = Evaluator.ineligible

    def stricter(self: Evaluator, pod: Pod, statuses: Any) -> str:
        table = self._handle.snapshot.table
        row = table.row_of.get(pod.nominated_node_name)
        some = () if row is None else table.pods_on(row)
        leaving = any(info.pod.priority < pod.priority and info.pod.terminating for info in some)
        return (
            "not eligible due to a terminating pod on the nominated node."
            if leaving
            else ineligible(self, pod, statuses)
        )

    patch.setattr(Evaluator, "ineligible", stricter)


def _never_ignored(patch: MonkeyPatch) -> None:
    ineligible = Evaluator.ineligible
    patch.setattr(
        Evaluator,
        "ineligible",
        lambda self, pod, statuses: ineligible(self, replace(pod, preemption_policy="PreemptLowerPriority"), statuses),
    )


def _losers_kept(patch: MonkeyPatch) -> None:
    """Nominated pods of lower priority keep their nomination to the node of a preemptor."""
    start = Evictions.start

    def careless(self: Evictions, preemptor: Pod, node: str, some: Any) -> None:
        start(self, preemptor, node, some)
        known = self.running.get(preemptor.identity)
        if known is not None:
            self.running[preemptor.identity] = Eviction(known.preemptor, known.node, known.victims)

    patch.setattr(Evictions, "start", careless)


def _first_victim_missing(patch: MonkeyPatch) -> None:
    """The last of several victims is never evicted."""
    start = Evictions.start
    patch.setattr(
        Evictions, "start", lambda self, pod, node, some: start(self, pod, node, some[: max(1, len(some) - 1)])
    )


def _unmoved_zone(patch: MonkeyPatch) -> None:
    """A node whose zone changes stays in the list of its old zone; its removal then fails to find it."""
    update = NodeTree.update
    patch.setattr(NodeTree, "update", lambda self, old, new: None if old is not None else update(self, old, new))


def _untouched_update(patch: MonkeyPatch) -> None:
    """An updated pod does not make its node newer, so the snapshot keeps the old pod."""
    update_pod, touch = Cache.update_pod, Cache._touch

    def quiet(self: Cache, info: PodInfo) -> None:
        with MonkeyPatch.context() as inner:
            inner.setattr(Cache, "_touch", lambda *_: None)
            update_pod(self, info)

    assert touch is not None
    patch.setattr(Cache, "update_pod", quiet)


def _first_gate_alone(patch: MonkeyPatch) -> None:
    """Only the first PreEnqueue plugin is asked."""
    gated = SchedulingQueue._gated

    def one(self: SchedulingQueue, queued: Any) -> bool:
        framework = self._frameworks.get(queued.pod.scheduler_name)
        plugins = framework.at("preEnqueue") if framework is not None else ()
        if plugins and plugins[0].pre_enqueue(queued.pod).success:
            queued.gate = ""
            return False
        return gated(self, queued)

    patch.setattr(SchedulingQueue, "_gated", one)


def _by_everybody(patch: MonkeyPatch) -> None:
    """An extender with a bind verb binds every pod."""
    bound = Scheduler._bound

    def eager(self: Scheduler, framework: Any, state: Any, pod: Pod, node: str) -> Any:
        with MonkeyPatch.context() as inner:
            for each in {type(one) for one in self.handle.extenders}:
                inner.setattr(each, "interested", lambda *_: True)
            return bound(self, framework, state, pod, node)

    patch.setattr(Scheduler, "_bound", eager)


def _events_without(plugin: type, *words: str) -> Patch:
    """The plugin does not register the events whose text contains one of these words."""
    events = plugin.events  # type: ignore[attr-defined]
    return put(
        plugin,
        "events",
        lambda self: tuple(each for each in events(self) if not any(word in str(each.event) for word in words)),
    )


def _unnominated_ignored(patch: MonkeyPatch) -> None:
    """An update of a nominated pod clears the nomination that only the scheduler knows."""
    patch.setattr(Nominator, "update", lambda self, before, after: (self.remove(before.key), self.add(after))[0])


def _first_term_of_anti(patch: MonkeyPatch) -> None:
    """Of the anti-affinity terms of an existing pod only the first is counted."""
    asked = PodInfo.__dict__["required_anti"].func
    patch.setattr(PodInfo, "required_anti", property(lambda self: asked(self)[:1]))


def _failing_hint_says_no(patch: MonkeyPatch) -> None:
    says = hints._says_yes
    patch.setattr(
        hints,
        "_says_yes",
        lambda interest, pod, before, after: before is not None and says(interest, pod, before, after),
    )


FRESH: tuple[Fresh, ...] = (
    Fresh("the address of a host port is ignored", "filters", _ports(lambda port: (ANY_ADDRESS, *port[1:]))),
    Fresh("the protocol of a host port is ignored", "filters", _ports(lambda port: (port[0], "TCP", port[2]))),
    Fresh("minDomains is ignored", "filters", put(Counts, "_too_few", lambda self: False)),
    Fresh("a pod counts for a constraint that does not select it", "filters", always_itself),
    Fresh("only the first anti-affinity term of a bound pod counts", "filters", _first_term_of_anti),
    Fresh("a domain out of scope is the least", "filters", put(Counts, "_least", lambda self: int(self.sums.min(initial=0)))),
    Fresh("a tolerated preference is counted", "scoring", put(taint_toleration, "untolerated_preferences", _counts_tolerated)),
    Fresh("an image without a tag is not found", "scoring", put(image_locality, "normalised", lambda image: image)),
    Fresh("hardPodAffinityWeight is ignored", "scoring", lambda patch: patch.setattr(
        InterPodAffinity, "_weight", property(lambda self: 1, lambda self, value: None), raising=False)),
    Fresh("the least start decides instead of the latest", "preemption", _criteria(4, choice.earliest_start)),
    Fresh("fewer victims before their priorities", "preemption", _criteria(2, choice.number)),
    Fresh("budgets do not count", "preemption", _criteria(0, lambda some: np.zeros_like(some.violations))),
    Fresh("any terminating pod prevents another preemption", "preemption", _any_terminating),
    Fresh("preemptionPolicy Never preempts", "preemption", _never_ignored),
    Fresh("a budget with an empty selector protects all", "preemption", put(
        victims, "_protects", lambda budget, pod: budget.namespace == pod.namespace and budget.selector is not None)),
    Fresh("losers keep their nomination", "preemption", _losers_kept),
    Fresh("the last of several victims stays", "preemption", _first_victim_missing),
    Fresh("nodes with more room wake nobody", "queue", put(NodeResourcesFit, "may_fit", lambda self, pod, before, after: before is None)),
    Fresh("a relabelled pod wakes nobody", "queue", _events_without(PodTopologySpread, "LABEL")),
    Fresh("a taint that is removed wakes nobody", "queue", _events_without(TaintToleration, "TAINT")),
    Fresh("a deleted pod wakes nobody", "queue", _events_without(InterPodAffinity, "DELETE")),
    Fresh("a relabelled node wakes nobody", "queue", put(NodeAffinity, "may_match", lambda self, pod, before, after: before is None)),
    Fresh("only the first PreEnqueue plugin is asked", "queue", _first_gate_alone),
    Fresh("unschedulable pods are never flushed", "queue", put(SchedulingQueue, "flush_unschedulable", lambda self: None)),
    Fresh("hints of new objects say no", "queue", _failing_hint_says_no),
    Fresh("an update clears a nomination", "queue", _unnominated_ignored),
    Fresh("a changed zone is not noted", "cache", _unmoved_zone),
    Fresh("an updated pod is not noted", "cache", _untouched_update),
    Fresh("images of a removed node stay", "cache", put(Cache, "_forget_images", lambda self, node: None)),
    Fresh("an assumed pod is confirmed where it was assumed", "cache", put(
        Cache, "add_pod", lambda self, info: self.assumed.pop(info.identity, None) if info.identity in self.assumed else self._add(info))),
    Fresh("one of several Permit plugins is enough", "permit", put(WaitingPod, "allow", lambda self, plugin: self._send(SUCCESS))),
    Fresh("the longest of several waits decides", "permit", put(
        WaitingPod, "expired", lambda self, now: None if any(now < end for _, end in self.pending.values()) else _expired(self, now))),
    Fresh("the largest volume is taken", "volumes", _largest_first),
    Fresh("the uid of a claim is ignored", "volumes", put(
        matching, "names", lambda volume, claim: volume.claim is not None and (volume.claim.namespace, volume.claim.name) == claim.key)),
    Fresh("maximumVolumeSize is ignored", "volumes", put(matching, "largest", lambda capacity: capacity.capacity)),
    Fresh("allowedTopologies are ignored", "volumes", put(matching, "_in_topologies", lambda made_by, nodes: np.ones(len(nodes), bool))),
    Fresh("read-only disks exclude each other", "volumes", put(volume_restrictions, "clashing", lambda mine, held: bool({type(one) for one in mine} & {type(one) for one in held}))),
    Fresh("a new capacity wakes nobody", "volumes", _events_without(VolumeBinding, "Capacity")),
    Fresh("a new class wakes nobody", "volumes", _events_without(VolumeBinding, "StorageClass")),
    Fresh("a rejected pod keeps its volumes", "volumes", put(VolumeBinding, "unreserve", lambda self, state, pod, node: None)),
    Fresh("a changed volume wakes nobody", "volumes", _events_without(volume_zone.VolumeZone, "Volume")),
    Fresh("a raised limit wakes nobody", "volumes", _events_without(node_volume_limits.NodeVolumeLimits, "CSINode")),
    Fresh("selectors of a request are ignored", "claims", put(Allocator, "_selects", lambda self, *given: iter((True,)))),
    Fresh("constraints between requests are ignored", "claims", put(Allocator, "_constraints_hold", lambda self, *given: True)),
    Fresh("an extender is asked about every pod", "extenders", put(HttpExtender, "interested", lambda self, pod: True)),
    Fresh("an extender binds every pod", "extenders", _by_everybody),
    Fresh("ignorePreferredTermsOfExistingPods is ignored", "configuration", lambda patch: patch.setattr(
        InterPodAffinity, "_ignores_others", property(lambda self: False, lambda self, value: None), raising=False)),
    Fresh("the preemptor is not gated by its evictions", "preemption", put(DefaultPreemption, "pre_enqueue", lambda self, pod: SUCCESS)),
    Fresh("a list of namespaces hides the selector", "namespaces", put(inter_pod_affinity, "own", without_selected_namespaces)),
    Fresh("a bound pod's term knows no selected namespaces", "namespaces", put(
        CarriedTerm, "matches", lambda self, pod, namespaces: _terms_match(self, pod, {}))),
)  # fmt: skip


_expired = WaitingPod.expired
