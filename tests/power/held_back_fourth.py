"""A fourth set of defects held back: `HELD_BACK_FOURTH`, written without looking at what the search draws and checks

Sixteen are mistakes that kube-scheduler has had, each with the number of its issue or pull request. The others are slips in one condition or
one statement of the production scheduler. The comment above each describes the cluster or the life in which the result is wrong;
`test_held_back.py` plays it. The page docs/power.md reports what the search found of them at first.
"""

from typing import Any

from schedcheck.model.production.cache import node_tree
from schedcheck.model.production.cycle import algorithm, pod_groups
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.devices.allocator import Allocator
from schedcheck.model.production.extenders import as_read
from schedcheck.model.production.framework import filtering
from schedcheck.model.production.framework.events import ClusterEvent
from schedcheck.model.production.plugins import (
    dynamic_resources,
    resource_scores,
    spread_constraints,
    volume_restrictions,
)
from schedcheck.model.production.plugins.image_locality import ImageLocality
from schedcheck.model.production.plugins.inter_pod_affinity import InterPodAffinity
from schedcheck.model.production.plugins.node_resources_fit import NodeResourcesFit
from schedcheck.model.production.plugins.pod_topology_spread import Counts
from schedcheck.model.production.plugins.volume_zone import VolumeZone
from schedcheck.model.production.preemption import amounts, by_units, choice
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.model.production.preemption.remembered import Remembered
from schedcheck.model.production.queue.hints import Hints
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.production.snapshot import requests
from schedcheck.model.production.snapshot.labels import Column
from schedcheck.model.production.snapshot.pod_table import Bearers
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.model.production.volumes import attached, attachments, matching
from tests.power.fresh import Fresh
from tests.power.rewritten import rewritten


def _held(name: str, area: str, owner: Any, function: str, *changes: tuple[str, str]) -> Fresh:
    return Fresh(name, area, rewritten(owner, function, *changes))


HELD_BACK_FOURTH = (
    # A pod's binding fails twice, then the pod is rejected: its backoff is that of the first rejection.
    _held("an old error lengthens the backoff of a rejection", "queue", SchedulingQueue, "put_back", ("queued.errors = 0", "pass")),
    # A pod's claim is created, which no plugin hears of; after five minutes the pod is tried all the same (kubernetes#139162).
    _held("a timeout opens no gate", "queue", Hints, "gate_opens", ("event.wildcard or any(", "any(")),
    # A pod is bound by somebody else while it is unschedulable.
    _held("a pod that somebody else binds stays queued", "queue", Delivery, "_changed", ("self._queue.delete(before)", "pass")),
    # A pod asks for too much, and is scaled down.
    _held("no plugin hears of changes of pending pods", "events", ClusterEvent, "covers", (
        "other.resource in (Resource.ASSIGNED_POD, Resource.UNSCHEDULED_POD)", "other.resource is Resource.ASSIGNED_POD")),
    # A pod with anti-affinity to the waiting one is deleted (kubernetes#134393).
    _held("anti-affinity that goes wakes nobody", "events", InterPodAffinity, "pod_matters", ("or unwilling or last", "or last")),
    # The kubelet of a node gets more cpu; the waiting pod asks for cpu and for a resource in ignoredResources.
    _held("the hint asks for ignored resources", "events", NodeResourcesFit, "may_fit", (" and not self._is_ignored(name)", "")),
    # Another component moves the nomination of a gated pod to another node.
    _held("a nomination that is changed from outside is not seen", "nominations", SchedulingQueue, "update", (
        "self.nominator.update(before, after)", "pass")),
    # A nominated pod has the name of the incoming one, in another namespace.
    _held("a nominated namesake does not count", "nominations", filtering, "_nominated", ("info.key != key", "info.key[1] != key[1]")),
    # A plugin rejects a pod at Reserve (kubernetes#93831).
    _held("a pod rejected at Reserve stays assumed", "cycle", Scheduler, "_begun", ("self.cache.forget(PodInfo(pod))", "pass")),
    # The time of a pod that waits on Permit is over: an event may help, not the end of its backoff (kubernetes#119785).
    _held("a rejection after the wait on Permit is an error", "permit", Scheduler, "advance", (
        "fit = self._refusal(node, status)", "pass")),
    # A profile searches all of 200 nodes, the scheduler half of them.
    _held("the scheduler's percentage overrides that of the profile", "cycle", algorithm, "_feasible", (
        "framework.percentage_of_nodes_to_score or search.percentage", "search.percentage or framework.percentage_of_nodes_to_score")),
    # An extender fails when it is asked about the nominated node, and answers when it is asked about all nodes.
    _held("an error on the nominated node ends the cycle", "extenders", algorithm, "_feasible", (
        "except CycleError:\n            first = nothing", "except CycleError:\n            raise")),
    # An extender prefers one node a little more than another plugin prefers the other.
    _held("scores of extenders are not scaled", "extenders", algorithm, "_rated", (
        "extender.weight * (HIGHEST_SCORE // HIGHEST_EXTENDER_SCORE)", "extender.weight")),
    # A pod loses its only label after it was read.
    _held("extenders still see labels that were removed", "extenders", as_read, "changed", ("new = _emptied(old)", "continue")),
    # The binding of one of two pods of a group failed; a third pod of the group comes.
    _held("a group leaves out pods that back off after an error", "gangs", SchedulingQueue, "take_group", ("*self.erring, ", "")),
    # A pod of a group is being deleted when the group is tried (kubernetes#140478).
    _held("a pod that its group skips stays in flight", "gangs", pod_groups, "_skipped", ("scheduler.queue.done(queued.identity)", "pass")),
    # Two pods that are evicted all or none are in one zone, and the preemptor has anti-affinity to both.
    _held("pods on other nodes stay in a trial without their group", "gangs", by_units.Trial, "move", ("if there:", "if False:")),
    # A preemptor without anti-affinity has affinity to the only pod that it could evict (kubernetes#86938).
    _held("a trial changes affinity only beside anti-affinity", "preemption", InterPodAffinity, "_counted", (
        "if state.near and all_match", "if state.near and state.far and all_match")),
    # Two nodes, each with a victim of high and one of low priority, which started in another order.
    _held("the start of any victim decides", "preemption", choice, "earliest_start", (
        "np.where(most_important, some.starts, NEVER)", "np.where(some.lost, some.starts, NEVER)")),
    # A pod of the preemptor's priority is nominated to the node, on which two pods may go.
    _held("a dry run of amounts overlooks nominated pods", "preemption", amounts, "put_nominated", ("if infos:", "if False:")),
    # Two equal pods preempt on one node, and none of the victims is gone yet.
    _held("a remembered dry run overlooks new nominations", "preemption", Remembered, "stale", (
        "found |= (self._left[rows] != left).any(axis=1)", "pass")),
    # Several pods may go for a pod with a host port, beside a nominated one.
    _held("a nominated pod takes its amounts once a round", "preemption", Nodes, "tried_further", (
        "trial.requested.copy()", "trial.requested")),
    # The API server does not clear a nomination of lower priority: the preemptor is tried again at once.
    _held("a nomination that could not be cleared is passed over", "preemption", Evictions, "step", ("not all(cleared)", "False")),
    # A victim mounts the disk that the preemptor writes to.
    _held("a victim keeps its disk", "preemption", volume_restrictions, "_mounted", ("found[place] = clashing", "found[place] |= clashing")),
    # A nominated pod would make the least domain too full; the other domain has no room.
    _held("nominated pods never overfill the least domain", "filters", Counts, "_least_of_others", ("[:2]", "[:1]")),
    # A pod selects a label value that no node had when the pod was first tried.
    _held("a label value that comes later is not found", "filters", Column, "_asked", ("number >= start", "number > start")),
    # A node has an extended resource, all of which is free; the pod does not request it (kubernetes#102154).
    _held("extended resources are rated for pods without them", "scoring", resource_scores, "used_and_room", (" and asked != 0", "")),
    # A node has the image of an init container (kubernetes#115587).
    _held("images of init containers have no weight", "scoring", ImageLocality, "score", (
        "(*pod.pod.init_containers, *pod.pod.containers)", "pod.pod.containers")),
    # Two Services select a pod of the default constraints.
    _held("the last Service of a pod alone is spread", "scoring", spread_constraints, "default_selector", (
        "labels |= service.selector", "labels = service.selector")),
    # A bound pod prefers the incoming one twice by the same term.
    _held("a preferred term that stands twice counts once", "scoring", Bearers, "carry", ("weights.get(kind, 0) + weight", "weight")),
    # A pod is being scaled down from what its node has set aside, to which it was not scaled up yet (kubernetes#129532).
    _held("what a node has set aside is overlooked", "resize", requests, "taken", (
        "_greatest(_added_up(pod, _set_aside, defaults), _added_up(pod, _in_use, defaults))", "_added_up(pod, _in_use, defaults)")),
    # The first of two claims waits for its consumer, the second is bound in another zone.
    _held("a claim that waits hides the zones of later ones", "volumes", VolumeZone, "_places", ("continue", "break")),
    # A pod is gone, its volume is still attached (kubernetes#126502).
    _held("volumes that are being detached do not count", "volumes", attachments, "counted", (
        "found | by_attachments(node.name, storage)", "found")),
    # A volume pre-bound to the claim is on another node, and there is a free one (kubernetes#56598).
    _held("a claim whose own volume is out of reach takes another", "volumes", matching, "matched", (
        "looking &= ~(offered if place < each.kept else takes)", "looking &= ~takes")),
    # A pod with a generic ephemeral volume, a node at the limit of the driver (kubernetes#100482).
    _held("ephemeral volumes have no limit", "volumes", attached, "_of_volume", (
        "name = claim_name(volume, pod)", 'name = getattr(volume.source, "claim_name", None)')),
    # A claim shares a device that consumes all counters; another device needs them (kubernetes#139034).
    _held("shared devices consume no counters", "claims", Allocator, "_counters_cover", ("self.in_use | set(self.shares)", "self.in_use")),
    # The first choice for one request leaves none for the next, and its counters are needed (kubernetes#140436).
    _held("counters stay consumed after backtracking", "claims", Allocator, "_give_back", ("self._consume(last.candidate, -1)", "pass")),
    # The first alternative asks for all devices, one of which is in use, the second for one of them (kubernetes#131660).
    _held("devices of an alternative that failed stay taken", "claims", Allocator, "_all", ("self._give_back(number)", "pass")),
    # The first claim of a pod is allocated, the second is not (kubernetes#139017).
    _held("allocated claims are rated as new ones", "claims", dynamic_resources, "_rated", (
        "claim.allocation if claim.allocation is not None else left.pop(0)", "left.pop(0) if left else Allocation()")),
    # Two regions have a zone of the same name.
    _held("zones of one name in two regions are one", "cache", node_tree, "zone", ("return region, next(", 'return "", next(')),
)  # fmt: skip
