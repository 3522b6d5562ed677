"""A fifth set of defects held back: `HELD_BACK_FIFTH`, written without looking at what the search draws and checks

Sixteen are mistakes that kube-scheduler has had, each with the number of its issue or pull request. The others are slips in one condition or
one statement of the production scheduler. The comment above each describes the cluster or the life in which the result is wrong;
`test_held_back.py` plays it. The page docs/power.md reports what the search found of them at first.
"""

from typing import Any

from pytest import MonkeyPatch

from schedcheck.model.production.cycle import algorithm, pod_groups
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.devices import capacity
from schedcheck.model.production.devices.allocator import Allocator
from schedcheck.model.production.extenders import kubernetes_objects
from schedcheck.model.production.framework import filtering, framework
from schedcheck.model.production.plugins import (
    pod_topology_spread,
    resource_scores,
    volume_binding,
    volume_restrictions,
)
from schedcheck.model.production.plugins.dynamic_resources import DynamicResources
from schedcheck.model.production.plugins.gang_scheduling import GangScheduling
from schedcheck.model.production.plugins.image_locality import ImageLocality
from schedcheck.model.production.plugins.inter_pod_affinity import InterPodAffinity
from schedcheck.model.production.plugins.pod_topology_spread import PodTopologySpread
from schedcheck.model.production.preemption import amounts, evaluator, eviction, victims
from schedcheck.model.production.preemption.evaluator import Evaluator
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.model.production.queue.hints import Hints
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.production.snapshot import labels, requests
from schedcheck.model.production.snapshot.node_info import NodeInfo
from schedcheck.model.production.snapshot.pod_table import PodTable
from schedcheck.model.production.volumes import attached, matching, migration
from schedcheck.model.production.volumes.assumed import AssumedVolumes
from tests.power.fresh import Fresh
from tests.power.rewritten import rewritten


def _held(name: str, area: str, owner: Any, function: str, *changes: tuple[str, str]) -> Fresh:
    return Fresh(name, area, rewritten(owner, function, *changes))


def _counters_by_name(patch: MonkeyPatch) -> None:
    """What devices consume is noted under the name of their pool, without its driver."""
    rewritten(Allocator, "_consume", ("*candidate.key[:2]", "candidate.key[1]"))(patch)
    rewritten(Allocator, "_counters_cover", ("(*pool.key, *key)", "(pool.key[1], *key)"))(patch)


HELD_BACK_FIFTH = (
    # A pod that was rejected for a taint gets a toleration within its backoff (kubernetes#98829).
    _held("a change of a rejected pod ends its backoff", "queue", SchedulingQueue, "update", (
        "self.hints.worth(queued, event, before, after)", "Strategy(2 * bool(self.hints.worth(queued, event, before, after)))")),
    # The binding of a pod fails, and its backoff goes by.
    _held("a backoff after an error has no end", "queue", SchedulingQueue, "flush_backoff", ("(self.backing_off, self.erring)", "(self.backing_off,)")),
    # A pod in flight is activated, while another one in flight is about to be rejected.
    _held("an activated pod takes others in flight along", "queue", Hints, "worth", ("Strategy.SKIP if for_another else Strategy.AFTER_BACKOFF", "Strategy.AFTER_BACKOFF")),
    # A pod is replaced by one of its name, and the informer tells of one change (kubernetes#91126).
    _held("the successor of a pod is taken for the pod", "events", Delivery, "pod", ("elif before.uid != after.uid:", "elif False:")),
    # A pod loses the label that the anti-affinity of a bound pod selects (kubernetes#135394).
    _held("a pod that changes its labels is not looked at for affinity", "events", InterPodAffinity, "pod_matters", (
        "if before is not None and after is not None and after.key == pod.key:", "if False:")),
    # The only pod that uses a ReadWriteOncePod claim is deleted (kubernetes#126263).
    _held("a claim for one pod that is free again wakes nobody", "events", volume_restrictions, "frees_a_volume", (
        " or not set(wanted.claims).isdisjoint(held.claims)", "")),
    # A pod requires a node by a name that no node has yet (kubernetes#122018).
    _held("a plugin that narrows the nodes has rejected nothing", "cycle", algorithm, "_feasible", ("diagnosis.refused_by |= before.narrowed_by", "pass")),
    # A pod is being deleted while it is queued; its priority would let it preempt (kubernetes#39081).
    _held("a pod that is being deleted is tried", "cycle", Scheduler, "_is_to_be_skipped", ("return pod.terminating or ", "return ")),
    # A pod is nominated, which is not delivered yet; then its cycle fails.
    _held("a nomination that is not delivered yet is not cleared", "nominations", Scheduler, "_failed", ("{*written, noted} != {nominated}", "written != {nominated}")),
    # One plugin's PreFilter skips, another one's rejects; preemption tries the filters (kubernetes#119767).
    _held("a rejection in PreFilter forgets who skips", "framework", filtering, "pre_filtered", (
        "state.skip_filter = frozenset(skipped)", "state.skip_filter = frozenset(skipped if refused.success else ())")),
    # A profile gives a Score plugin the weight 0, which stands for 1.
    _held("a weight of zero is taken as zero", "framework", framework, "_weights", ("given.get(name) or 1", "given.get(name, 1)")),
    # An extender with a prioritize verb cannot be reached.
    _held("a failing score of an extender ends the cycle", "extenders", algorithm, "_rated", (
        "except ExtenderError:\n            continue", "except ExtenderError as failure:\n            raise CycleError(str(failure)) from failure")),
    # Two extenders choose among candidates; the first drops one that the second would keep.
    _held("every extender chooses among all candidates", "extenders", evaluator, "asked", (
        "for extender in interested:", "offered = candidates\n    for extender in interested:"), ("extender.preempt(pod, candidates)", "extender.preempt(pod, offered)")),
    # A pod has an overhead of its runtime class.
    _held("extenders see no overhead", "extenders", kubernetes_objects, "pod_object", ("overhead=_exact(pod.overhead),", "")),
    # In 1.35 the last pod of a gang reaches Permit.
    _held("the last pod of a gang allows nobody else", "gangs", GangScheduling, "permit", ("waiting.allow(self.name)", "pass")),
    # A pod of a group has a node, the group does not fit; with preemption it would have another one (kubernetes#140590).
    _held("a pod of a group that preempts is nominated where it was tried", "gangs", pod_groups, "_nomination", (
        "return made.hosts.get(one.queued.key)", "return one.host or made.hosts.get(one.queued.key)")),
    # A group of two preempts, and its victim is terminating by now.
    _held("after evictions one pod of a group is let in", "gangs", Evictions, "_end", ("(eviction.preemptor, *eviction.others)", "(eviction.preemptor,)")),
    # The victim waits on Permit (kubernetes#100235).
    _held("a victim that waits on Permit is deleted", "preemption", eviction, "evict", ("if waiting is not None:", "if False:")),
    # A node is full of pods that may go, and its kubelet lacks a feature.
    _held("a dry run of amounts asks nothing but amounts", "preemption", amounts, "steadily_passed", ("found &= said.codes == PASSED", "pass")),
    # Two budgets select a pod; the first allows its disruption, the second none.
    _held("a pod is charged to its first budget alone", "preemption", victims, "violating", ("if over and first_alone:", "if first_alone:")),
    # One candidate suffices; preemption begins at the second of two nodes, where no pod may go.
    _held("preemption does not come round to the first nodes", "preemption", Evaluator, "candidates", (
        "np.concatenate([rows[first:], rows[:first]])", "rows[first:]")),
    # A node asked for Gt has the value itself.
    _held("the bound itself is greater", "filters", labels, "_compares", ("number > bound", "number >= bound")),
    # Two constraints; a node of a domain of its own has no label for the second one.
    _held("nodes without all keys are domains", "filters", PodTopologySpread, "pre_filter", ("have_keys & included(", "included(")),
    # A namespaceSelector has a NotIn alone, and excludes the namespace of a bound pod (kubernetes#141526).
    _held("a namespace that is excluded is looked into", "namespaces", InterPodAffinity, "_own", (
        "Departure.NAMESPACE_SELECTOR_ON_NO_LABELS in self._handle.departures", "True")),
    # A node has the image that a pod mounts (kubernetes#130231).
    _held("images of volumes have no weight", "scoring", ImageLocality, "score", (
        "run if Departure.IMAGE_VOLUMES_UNRATED in departures else run + mounted", "run")),
    # A ScheduleAnyway constraint with a large maxSkew, which makes differences weigh less.
    _held("maxSkew does not soften a preference", "scoring", pod_topology_spread, "_score_state", (" + float(constraint.max_skew - 1)", "")),
    # A shape falls by 10 over 70 percent: a percent costs more than one point, of which Go cuts off the fraction.
    _held("a falling shape is rounded down", "scoring", resource_scores, "by_shape", (
        "np.sign(rise) * (np.abs(rise) // (right - left))", "rise // (right - left)")),
    # A container requests 0 cpu and says so.
    _held("a request of zero counts as none when rated", "scoring", requests, "_added_up", ("if resource not in found}", "if not found.get(resource)}")),
    # One container is being scaled up, another one down (kubernetes#140046).
    _held("the greatest of each container is summed", "resize", requests, "taken", (
        "by_container = Departure.GREATEST_OF_EACH_CONTAINER in departures", "by_container = True")),
    # A pod with a host port is deleted, and another one asks for the port.
    _held("the port of a pod that goes stays in use", "cache", NodeInfo, "remove", ("self.ports -= info.ports", "pass")),
    # A pod goes, and another one moves into its row of the table.
    _held("a pod that moves in the table takes over the labels there", "cache", PodTable, "remove", (
        "self._node[row], self._kind[row] = self._node[last], self._kind[last]", "self._node[row] = self._node[last]")),
    # A claim is being deleted (kubernetes#55957).
    _held("a claim that is being deleted can be used", "volumes", volume_binding, "_unusable", ("if claim.terminating:", "if False:")),
    # A volume is being deleted, and no claim has it.
    _held("a volume that is being deleted is taken", "volumes", matching, "waiting", ("and not volume.terminating", "")),
    # A node is at the limit of a driver, a claim waits for its first consumer (kubernetes#73724).
    _held("claims without a volume have no limit", "volumes", attached, "_of_volume", ("return _to_be_made(claim, node, storage) if", "return None if")),
    # A disk with a zone label and without node affinity, whose plugin is migrated (kubernetes#72139).
    _held("a migrated disk without node affinity is everywhere", "volumes", migration, "translated", ("if zones:", "if zones and terms:")),
    # A pod is rejected while another one takes the volume; then the other one's binding fails.
    _held("a volume that is forgotten stays taken for the next pod", "volumes", AssumedVolumes, "forget", ("self._over = None", "pass")),
    # Two drivers have pools of one name, each with counters (kubernetes#140434).
    Fresh("pools of one name share what is consumed", "claims", _counters_by_name),
    # A constraint names an alternative of a request.
    _held("a constraint overlooks alternatives", "claims", Allocator, "_constraints_hold", ("{each.request, each.name} &", "{each.request} &")),
    # A request is between two steps of a policy.
    _held("a share is rounded down to a step", "claims", capacity, "_rounded", ("(steps + (rest > 0))", "steps")),
    # A claim that a pod cannot use on any node is reserved for another pod.
    _held("a claim that another pod has reserved is deallocated", "claims", DynamicResources, "post_filter", (
        "if not claim.reserved_for or [each.uid for each in claim.reserved_for] == [_uid(pod.pod)]:", "if True:")),
)  # fmt: skip
