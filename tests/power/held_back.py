"""Defects held back: `HELD_BACK`, written before looking at the search, so that it was tuned for none of them

Each is a mistake of the kind that kube-scheduler had: one condition, one missed case. Beside each stands the cluster or the
life that shows it. They were written from the production scheduler and from the history of kube-scheduler alone. What the
search found of them at first is on docs/power.md; what it finds since then is no longer held back.
"""

from typing import Any

from schedcheck.manifests import plugin_sets
from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.cycle import algorithm, delivery
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.devices.allocator import Allocator
from schedcheck.model.production.framework import binding, events, filtering
from schedcheck.model.production.framework.waiting import WaitingPod
from schedcheck.model.production.plugins import (
    gang_scheduling,
    inter_pod_affinity,
    node_resources_fit,
    pod_topology_spread,
    volume_binding,
)
from schedcheck.model.production.plugins.dynamic_resources import DynamicResources
from schedcheck.model.production.plugins.node_affinity import NodeAffinity
from schedcheck.model.production.plugins.node_resources_fit import NodeResourcesFit
from schedcheck.model.production.plugins.pod_topology_spread import PodTopologySpread
from schedcheck.model.production.plugins.volume_restrictions import VolumeRestrictions
from schedcheck.model.production.plugins.volume_zone import VolumeZone
from schedcheck.model.production.preemption import of_groups, victims
from schedcheck.model.production.preemption.evaluator import Evaluator
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.model.production.queue.in_flight import InFlight
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.production.snapshot import requests, terms
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.volumes import matching
from tests.power.fresh import Fresh
from tests.power.rewritten import rewritten


def _held(name: str, area: str, owner: Any, function: str, *changes: tuple[str, str]) -> Fresh:
    return Fresh(name, area, rewritten(owner, function, *changes))


HELD_BACK = (
    # A node loses an extended resource, as when its device plugin goes; a pod that requests it is placed there.
    _held("a resource that a node loses stays", "cache", NodeTable, "_put_node", ("self.allocatable[row] = 0", "pass")),
    # A node is deleted with its pods, and another one is added: it begins with what they took.
    _held("a new node begins with the load of a removed one", "cache", NodeTable, "put", ("self.requested[row] = 0", "pass")),
    # A pod backs off, is tried, and is rejected again: it may be tried at once.
    _held("the end of a backoff is computed once", "queue", SchedulingQueue, "put_back", ("queued.until = None", "pass")),
    # Of two pods in flight one ends; the event that the other needs came before.
    _held("an attempt that ends takes the events of others along", "queue", InFlight, "done", (
        "while self.entries and isinstance(self.entries[0], Happening):\n        self.entries.pop(0)",
        "self.entries = [each for each in self.entries if not isinstance(each, Happening)]")),
    # In 1.35 the first pod of a gang at Permit activates another one, which has a scheduling gate.
    _held("an activated pod is not asked for its gates", "queue", SchedulingQueue, "activate", (
        "checked=pod.key not in self.unschedulable", "checked=True")),
    # A pod whose binding failed is deleted during its backoff, and created again.
    _held("a pod deleted after an error keeps backing off", "queue", SchedulingQueue, "_take", (
        "(self.active, self.backing_off, self.erring)", "(self.active, self.backing_off)")),
    # A waiting pod gets a label and a toleration in one update; it was rejected for the taint.
    _held("only the first change of a pod is an event", "queue", events, "pod_changes", ("return found or", "return found[:1] or")),
    # A pod that the constraint selects comes to the least domain: the skew of the other domain falls.
    _held("a pod that comes to the least domain wakes nobody", "queue", PodTopologySpread, "pod_matters", (
        "(before is not None and among(each, pod, before)) != (after is not None and among(each, pod, after))",
        "(before is not None and among(each, pod, before)) and not (after is not None and among(each, pod, after))")),
    # A pod has affinity to a nominated pod, and is bound although that one never comes.
    _held("what only nominated pods make possible passes", "nominations", filtering, "filtered_with_nominated", (
        "refused = np.flatnonzero(~crowded.passed())", "refused = np.arange(len(crowded.codes))"), (
        "plugins[distinct] = crowded.plugins[refused] + shift",
        "plugins[distinct] = np.where(crowded.codes[refused] == PASSED, -1, crowded.plugins[refused] + shift)")),
    # A nominated pod is deleted; a pod of the same priority could take its room.
    _held("a nomination that goes wakes only lower priorities", "nominations", delivery, "no_more_important_than", (
        "other.priority <= pod.priority", "other.priority < pod.priority")),
    # A pod is allowed at Permit, and deleted before its binding cycle goes on.
    _held("the last signal to a waiting pod counts", "permit", WaitingPod, "_send", ("if self.signal is None:", "if True:")),
    # The first of two Permit plugins asks to wait, the second would reject.
    _held("a Permit plugin behind one that waits is not asked", "permit", binding, "permitted", (
        "waits[plugin.name] = min(seconds, LONGEST_WAIT)", "waits[plugin.name] = min(seconds, LONGEST_WAIT)\n            break")),
    # Of two Bind plugins the first fails: the second binds the pod all the same.
    _held("a failing Bind plugin hands on to the next", "permit", binding, "bound", ("if status.code is not Code.SKIP:", "if status.success:")),
    # A pod is deleted and created again while a node is sought for it: the node is that of its old form.
    _held("a pod that was created again is bound in its old form", "permit", Scheduler, "_begun", ("known.uid != queued.pod.uid or ", "")),
    # A victim is terminating on the nominated node, which is cordoned by now; another node has a victim too.
    _held("a hopeless nominated node holds back preemption", "preemption", Evaluator, "ineligible", (
        "row is None or statuses.get(row).code is Code.UNRESOLVABLE", "row is None")),
    # A budget's selector has a NotIn alone, which an unlabelled victim meets.
    _held("a pod without labels is charged to a budget", "preemption", victims, "_protects", ("bool(pod.labels)\n        and ", "")),
    # A preemptor leaves a node to which a pod of the same priority is nominated.
    _held("nominations of the same priority are cleared", "preemption", Evictions, "start", (
        "info.pod.priority < preemptor.priority", "info.pod.priority <= preemptor.priority and info.key != preemptor.key")),
    # A pod of lower priority uses the ReadWriteOncePod claim of the preemptor.
    _held("preemption frees no ReadWriteOncePod claim", "preemption", VolumeRestrictions, "remove_pods", (
        "state.read(KEY, FilterState).change(nodes, infos, -1)", "pass")),
    # A victim on a node that nodeTaintsPolicy leaves out is of the domain of a node in scope.
    _held("a victim out of scope lowers the count of its domain", "preemption", pod_topology_spread, "_change", (
        "alike & counts.scope[nodes.rows]", "alike")),
    # The last victim is deleted, and a pod of the same name comes: the preemptor waits for that one.
    _held("the successor of a victim keeps the preemptor waiting", "preemption", Evictions, "_last", (
        "known if known is not None and known.identity == eviction.last else None", "known")),
    # A pod that requests zero of a resource, of which a node has less than its pods take.
    _held("a request of zero does not fit on an overcommitted node", "filters", node_resources_fit, "_in_order", ("amount > 0 and ", "")),
    # A pod that matches its own affinity, a node without the topology key.
    _held("the first pod of a group goes to a node without the key", "filters", inter_pod_affinity, "_near", (
        "return has_keys & company", "return company")),
    # Two ScheduleAnyway constraints; a node that lacks the key of one is alone in its domain of the other.
    _held("ignored nodes count as domains", "scoring", pod_topology_spread, "_score_state", (
        "np.unique(numbers[inside])", "np.unique(numbers[nodes.rows])")),
    # A volume with beta labels, a node with the present ones.
    _held("a beta zone of a volume needs the beta label", "volumes", VolumeZone, "filter", (
        "np.where(known, labels.holding(place, rows), labels.holding(by_now, rows))", "labels.holding(place, rows)")),
    # A claim names a volume, but is not bound completely: the volume controller is not done.
    _held("a claim that names a volume counts as bound", "volumes", volume_binding, "is_bound", (" and claim.bind_completed", "")),
    # A CSIStorageCapacity of another class is large enough.
    _held("capacity of another class counts", "volumes", matching, "_with_room", ("capacity.storage_class == made_by.name and ", "")),
    # A pod with two claims, for which there is one volume.
    _held("two claims of a pod take the same volume", "volumes", matching, "matched", ("offered = looking & ~there", "offered = looking")),
    # A claim holds a device with admin access; another one requests it.
    _held("a device under admin access is in use", "claims", DynamicResources, "_in_use", ("elif not each.admin:", "else:")),
    # A shared device is allocated, whose counters a partition of the same device needs (kubernetes#139034).
    _held("counters of shared devices are not charged", "claims", Allocator, "_counters_cover", (
        "self.in_use | set(self.shares)", "self.in_use")),
    # The first choice of a device leads nowhere; the second needs the counters of the first (kubernetes#140431).
    _held("counters stay charged after backtracking", "claims", Allocator, "_give_back", ("if last.charged:", "if False:")),
    # An extender calls the only node hopeless, on which a pod of lower priority is.
    _held("what an extender calls hopeless is preempted on", "extenders", algorithm, "_kept_by_extenders", (
        "unresolvable(reason)", "unschedulable(reason)")),
    # An ignorable extender fails to bind: the default binder should.
    _held("a failing ignorable extender counts as a binder", "extenders", Scheduler, "_bound", (
        "if extender.ignorable:\n                continue", "if extender.ignorable:\n                status = SUCCESS\n                break")),
    # addedAffinity prefers a node; the pod prefers none.
    _held("added preferences count only beside those of the pod", "configuration", NodeAffinity, "pre_score", (
        "not preferred and not self._added.preferred", "not preferred")),
    # A pod requests an ignored resource, which the node that comes lacks.
    _held("an ignored resource keeps a new node from waking", "configuration", NodeResourcesFit, "may_fit", (
        " and not self._is_ignored(name)", "")),
    # A profile disables * at a point.
    _held("multiPoint survives a disabled *", "configuration", plugin_sets, "expanded", ("() if EVERY in here.disabled else tuple(", "tuple(")),
    # A term has a namespaceSelector alone, which does not select the namespace of its pod.
    _held("a selector of namespaces selects its own too", "namespaces", terms, "carried", (
        "not term.namespaces and term.namespace_selector is None", "not term.namespaces")),
    # A bound pod wants more than its node can give, and says that its resize is infeasible.
    _held("an infeasible resize is counted", "resize", requests, "taken", ("if not pod.resize_infeasible:\n            total", "if True:\n            total")),
    # A sidecar alone is being resized.
    _held("the resize of a sidecar is not seen", "resize", requests, "has_status", ("(*pod.containers, *pod.init_containers)", "pod.containers")),
    # A gang preempts while a pod of lower priority is being bound, which is spared; then that pod is delivered.
    _held("a pod that was lifted is assumed no more", "gangs", Cache, "lower", ("if was_assumed:", "if False:")),
    # Two groups of one name in two namespaces, each too small for its minCount.
    _held("groups of one name in two namespaces are one", "gangs", gang_scheduling, "of_one_group", (
        "(pod.namespace, pod.scheduling_group) == (after.namespace, after.scheduling_group)",
        "pod.scheduling_group == after.scheduling_group")),
    # Pods of a group are nominated to a node on which a victim of theirs terminates.
    _held("a group preempts while its victims terminate", "gangs", of_groups, "_waits", (
        "each.terminating and each.preempted and", "False and")),
    # A pod needs a feature that a node declares after its kubelet was updated.
    _held("a feature that is declared later wakes nobody", "features", events, "node_changes", (
        "(before.declared_features != after.declared_features, Action.UPDATE_NODE_DECLARED_FEATURE),", "")),
)  # fmt: skip
