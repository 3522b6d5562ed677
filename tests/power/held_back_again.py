"""A second set of defects held back: `HELD_BACK_AGAIN`, written without looking at what the search draws and checks

Each is a mistake of the kind that kube-scheduler had, some after the issue or pull request whose number they have: one condition, one forgotten
case. Beside each stands the cluster or the life in which the result is wrong. They are spread over the production
scheduler as its code is. What the search found of them at first is on docs/power.md.
"""

from typing import Any

from schedcheck.model.production.cycle import delivery, pod_groups
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.devices.allocator import Allocator
from schedcheck.model.production.devices.pools import Inventory
from schedcheck.model.production.extenders.http import HttpExtender
from schedcheck.model.production.framework import binding, events
from schedcheck.model.production.plugins import node_ports, resource_scores, volume_binding, volume_zone
from schedcheck.model.production.plugins.gang_scheduling import GangScheduling
from schedcheck.model.production.plugins.image_locality import ImageLocality
from schedcheck.model.production.plugins.inter_pod_affinity import InterPodAffinity
from schedcheck.model.production.plugins.node_affinity import NodeAffinity
from schedcheck.model.production.plugins.node_resources_fit import NodeResourcesFit
from schedcheck.model.production.plugins.pod_topology_spread import Counts, PodTopologySpread
from schedcheck.model.production.preemption import choice, evaluator, of_groups, victims
from schedcheck.model.production.preemption.evaluator import Evaluator
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.model.production.queue.queued_pod import Backoff
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.production.snapshot import requests, taints, terms
from schedcheck.model.production.snapshot.labels import BySelector
from schedcheck.model.production.snapshot.lower_pods import LowerTable
from schedcheck.model.production.snapshot.mounts import VolumeUsers
from schedcheck.model.production.snapshot.node_info import NodeInfo
from schedcheck.model.production.volumes import attached
from tests.power.fresh import Fresh
from tests.power.rewritten import rewritten


def _held(name: str, area: str, owner: Any, function: str, *changes: tuple[str, str]) -> Fresh:
    return Fresh(name, area, rewritten(owner, function, *changes))


HELD_BACK_AGAIN = (
    # A pod with a sidecar, whose room beside the containers is taken only while the pod starts (kubernetes#127868).
    _held("a sidecar ends before the containers start", "resources", requests, "_added_up", (
        "running, beside = _sum(running, own), _sum(beside, own)", "beside = _sum(beside, own)")),
    # A node is full of pods, and its kubelet is allowed more of them; the waiting pod requests cpu.
    _held("more places for pods wake nobody", "resources", NodeResourcesFit, "may_fit", ("for name in (*asked, PODS))", "for name in asked)")),
    # A bound pod gives cpu back and keeps its memory; a waiting pod lacks cpu.
    _held("a pod scales down only in all of its resources", "resources", events, "_scaled_down", ("return any(", "return all(")),
    # RequestedToCapacityRatio over two resources whose scores have an odd sum.
    _held("the mean of a shape is cut off", "scoring", resource_scores, "scored", ("np.floor(ratio + 0.5)", "np.floor(ratio)")),
    # A pod with several images, all of which one node has.
    _held("the images of a pod are rated as one image", "scoring", ImageLocality, "score", (
        "MOST_EACH * len(run if Departure.IMAGE_VOLUMES_UNCOUNTED in departures else rated)", "MOST_EACH")),
    # A node without the key has no part in the spread; the best of the others gets less than 100.
    _held("ignored nodes are the least when scores are normalised", "scoring", PodTopologySpread, "normalize", (
        "inside = scores[~out]", "inside = scores")),
    # Of two nodes with positive scores the lesser gets more than 0 (kubernetes#98096).
    _held("affinity scores are normalised from 0 on", "scoring", InterPodAffinity, "normalize", (
        "least, greatest = int(scores.min()), int(scores.max())", "least, greatest = min(int(scores.min()), 0), max(int(scores.max()), 0)")),
    # Two zones, minDomains 2, each with a pod: another pod would still have a skew of 1.
    _held("as many domains as minDomains are too few", "filters", Counts, "_too_few", (
        "< self.constraint.min_domains", "<= self.constraint.min_domains")),
    # nodeTaintsPolicy Honor: the only node of the least domain gets a taint, so that the skew of the others falls.
    _held("taints wake no pod that is spread", "queue", PodTopologySpread, "node_matters", (
        "(has and (moved or before.taints != after.taints))", "(has and moved)")),
    # A term of a bound pod with neither namespaces nor a selector of them; a pod of another namespace (kubernetes#45484).
    _held("a term without namespaces covers all of them", "namespaces", terms, "carried", (
        "namespaces, term.namespace_selector)", "namespaces, LabelSelector() if silent else term.namespace_selector)")),
    # A pod waits for one in the namespaces that a selector selects, which is bound now (kubernetes#141953).
    _held("the hint of affinity knows no selected namespaces", "queue", InterPodAffinity, "pod_matters", (
        "near = [self._own(term, pod) for", "near = [own(term, pod, {}) for")),
    # The anti-affinity of a bound pod selects two values of a label; the incoming pod has the second one.
    _held("a term is found by the first value of its selector alone", "filters", BySelector, "_lists", (
        "dict.fromkeys(exact.values)", "dict.fromkeys(exact.values[:1])")),
    # One term of a pod's node affinity names a node, another one asks for a label, which another node has.
    _held("a term without names is overlooked beside one with them", "filters", NodeAffinity, "pre_filter", (
        "None in names:", "set(names) == {None}:")),
    # A toleration leaves out its operator, which means Equal.
    _held("a toleration without an operator tolerates nothing", "filters", taints, "covers", ('in ("", "Equal")', '== "Equal"')),
    # The only node is uncordoned.
    _held("lifting a cordon wakes nobody", "queue", events, "node_changes", (
        "(before.unschedulable and not after.unschedulable, Action.UPDATE_NODE_TAINT),", "")),
    # A nominated pod holds the only port back from another, and is deleted.
    _held("the port of a nominated pod that goes wakes nobody", "nominations", node_ports, "frees_a_port", (
        "if not before.node_name and not before.nominated_node_name:", "if not before.node_name:")),
    # The provisioning of a claim has begun on one node; there is another one of its class's topology (kubernetes#56596).
    _held("a claim that is being provisioned is free elsewhere", "volumes", volume_binding, "_lacking", (
        'found[nodes.rows != nodes.table.row_of.get(claim.selected_node or "", -1)] = NONE_TO_BIND', "pass")),
    # A regional volume of two zones, a node in one of them.
    _held("a volume of two zones is in none", "volumes", volume_zone, "places_of", (
        "volume.labels[key].split(SEVERAL)", "[volume.labels[key]]")),
    # A node is at the limit of a driver; a pod with an inline disk that the driver attaches (kubernetes#100474).
    _held("inline disks have no limit", "volumes", attached, "_of_volume", ("return _of_disk(volume, node)", "return None")),
    # A pod with a ReadWriteOncePod claim is gone, and its successor comes.
    _held("a claim for one pod stays in use", "volumes", VolumeUsers, "put", ("self.claims.subtract(_used(before))", "pass")),
    # A shared device has been allocated, with all counters that it needs; another claim shares it (kubernetes#140450).
    _held("the counters of a shared device are charged again", "claims", Allocator, "_shared_already", (
        "return taken or candidate.key in self.shares", "return taken")),
    # A driver has published its pool anew, and an old slice is not deleted yet.
    _held("devices of an old generation are allocated", "claims", Inventory, "_pool", (
        "near = [each for each in near if each.generation == newest]", "near = list(near)")),
    # A gang of exactly minCount pods, for all of which there is room.
    _held("a gang needs a pod more than minCount", "gangs", GangScheduling, "placement_feasible", (
        "if placed + remaining < wanted:", "if placed + remaining <= wanted:")),
    # One of the pods of a gang is bound; the others come after it.
    _held("bound pods do not count for their gang", "gangs", pod_groups, "_searched", (
        "placed = sum(_of(group, info.pod) for info in scheduler.cache.pods.values())", "placed = 0")),
    # A group preempts where one of two pods of the same priority is protected by a budget, and may stay.
    _held("a group spares last what violates a budget", "gangs", of_groups, "_in_turn", (
        "key=lambda each: not any(", "key=lambda each: any(")),
    # Two nodes with victims of the same highest priority; beside it one has a victim more, of a negative priority.
    _held("negative priorities make a node cheaper", "preemption", choice, "costs", (
        "criterion(some) for criterion in CRITERIA",
        "(some.priorities * some.lost).sum(axis=1) if criterion is sum_of_priorities else criterion(some) for criterion in CRITERIA")),
    # Two nodes, and the second would lose a less important pod.
    _held("the least numbers of candidates decides, not the greatest", "preemption", Evaluator, "candidates", (
        "max(len(rows) * self._percentage // 100, self._absolute)", "min(len(rows) * self._percentage // 100, self._absolute)")),
    # A budget allows one disruption, and protects the only victim on one node.
    _held("the last disruption that a budget allows violates it", "preemption", victims, "violating", (
        "over |= left[budget.key] < 0", "over |= left[budget.key] <= 0")),
    # The API server rejects an eviction: nothing happens that could wake the preemptor.
    _held("a preemptor waits on although its eviction failed", "preemption", Evictions, "_end", (
        "(self._handle.activate if eviction.faulty else self._handle.let_in)(pod)", "self._handle.let_in(pod)")),
    # A nominated pod is assumed on its node; beside it there is room for one more.
    _held("an assumed pod stays nominated", "nominations", Scheduler, "_begun", ("self.queue.nominator.remove(pod.key)", "pass")),
    # A pod is deleted, created again while it is tried, and rejected: it is in flight for ever (kubernetes#138316).
    _held("a pod that was created again ends the attempt of another", "queue", Scheduler, "_failed", (
        "# Another pod has this name now; it must not get this result.\n        self.queue.done(queued.identity)",
        "self.queue.done(known.identity)")),
    # A pod is rejected for the first time: it may be tried again after a second.
    _held("the first backoff is doubled already", "queue", Backoff, "seconds", ("min(failures - 1, 64)", "min(failures, 64)")),
    # A pod gets its toleration while it is tried, and is rejected for the taint (kubernetes#125578).
    _held("what changes of a pod in flight is lost", "queue", SchedulingQueue, "update", (
        "self.in_flight.happen(event, before, after)", "pass")),
    # A pod waits on Permit, and is allowed; later it is a victim, and is not deleted.
    _held("an allowed pod stays among the waiting ones", "permit", binding, "permit_awaited", (
        "framework.handle.waiting.remove(pod)", "pass")),
    # A plugin fails in PreBind, as when a volume cannot be bound.
    _held("a pod is bound although PreBind failed", "permit", binding, "pre_bound", ("if not status.success:", "if status.rejected:")),
    # The only pod of a full node fails.
    _held("a failed pod keeps its room", "cache", delivery, "seen", ("pod.phase in ENDED", 'pod.phase == "Succeeded"')),
    # A pod leaves a node; scores take it for still there.
    _held("scores see pods that have gone", "cache", NodeInfo, "remove", ("(self.rated[0] - cpu, self.rated[1] - memory)", "self.rated")),
    # A pod comes to a node after a dry run there; the next preemption does not know it.
    _held("a dry run sees the pods of the one before", "cache", LowerTable, "update", (
        "table.changed[rows] >= self.versions[rows]", "table.changed[rows] > self.versions[rows]")),
    # An init container alone names the resource that an extender manages.
    _held("an extender overlooks init containers", "extenders", HttpExtender, "interested", (
        "(*pod.containers, *pod.init_containers)", "pod.containers")),
    # An ignorable extender with a preempt verb cannot be reached; there is a candidate.
    _held("an ignorable extender that fails ends preemption", "extenders", evaluator, "asked", (
        "if extender.ignorable:\n                continue\n            raise", "raise")),
)  # fmt: skip
