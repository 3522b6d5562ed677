"""A third set of defects held back: `HELD_BACK_THIRD`, written without looking at what the search draws and checks

Sixteen are mistakes that kube-scheduler has had, or that were reported of it, with the number of the issue or of the pull request; the others
are slips in one condition or one statement of the production scheduler as its code is. Beside each stands the cluster or the
life in which the result is wrong; `test_held_back.py` plays it. What the search found of them at first is on
docs/power.md.
"""

from typing import Any

from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.cycle import algorithm, pod_groups
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.devices.allocator import Allocator
from schedcheck.model.production.extenders import messages
from schedcheck.model.production.framework import filtering
from schedcheck.model.production.framework.verdicts import NodeStatuses
from schedcheck.model.production.framework.waiting import WaitingPod
from schedcheck.model.production.plugins import image_locality
from schedcheck.model.production.plugins.dynamic_resources import DynamicResources
from schedcheck.model.production.plugins.gang_scheduling import GangScheduling
from schedcheck.model.production.plugins.inter_pod_affinity import InterPodAffinity
from schedcheck.model.production.plugins.node_affinity import NodeAffinity
from schedcheck.model.production.plugins.pod_topology_spread import PodTopologySpread
from schedcheck.model.production.plugins.volume_binding import VolumeBinding
from schedcheck.model.production.plugins.volume_zone import VolumeZone
from schedcheck.model.production.preemption import amounts, evaluator, victims
from schedcheck.model.production.preemption.evaluator import Evaluator
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.model.production.queue.heap import Heap
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.production.snapshot import requests, row_memory, terms
from schedcheck.model.production.snapshot.labels import LabelColumns
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.pod_table import PodTable
from schedcheck.model.production.volumes.attachments import Attachments
from tests.power.fresh import Fresh
from tests.power.rewritten import rewritten


def _held(name: str, area: str, owner: Any, function: str, *changes: tuple[str, str]) -> Fresh:
    return Fresh(name, area, rewritten(owner, function, *changes))


HELD_BACK_THIRD = (
    # A filter fails for a pod: nothing will happen that could wake it (kubernetes#119105).
    _held("a pod whose cycle failed waits for an event", "queue", SchedulingQueue, "_worth_by_now", (
        "if not queued.rejectors or queued.identity", "if queued.identity")),
    # The binding of a pod fails, and no other pod waits: it is tried again before its backoff is over (kubernetes#130214).
    _held("a backoff after an error is cut short", "queue", SchedulingQueue, "pop", (
        "self.active.pop() or self.backing_off.pop()", "self.active.pop() or self.backing_off.pop() or self.erring.pop()")),
    # A pod is popped, another one comes, and the first is activated again: it is behind the other one now.
    _held("a pod that comes back has its old place in a heap", "queue", Heap, "first", (
        "if self._pods.get(entry.key, (0,))[0] == entry.count:", "if entry.key in self._pods:")),
    # A node with the least pods is deleted: the skew of the other one falls.
    _held("a node that goes wakes no pod that is spread", "queue", PodTopologySpread, "node_matters", ("return has or had", "return has")),
    # A nominated pod is deleted; its name still takes a place on the node (kubernetes#85447).
    _held("a deleted pod stays nominated", "nominations", SchedulingQueue, "delete", ("self.nominator.remove(pod.key)", "pass")),
    # A pod is nominated to a node that the extender rejects by now.
    _held("an extender is not asked about the nominated node", "extenders", algorithm, "_passing", (
        "return _kept_by_extenders(pod, passing, extenders, diagnosis.statuses)", "return passing")),
    # A pod is assumed on one node, and delivered as bound to another one (kubernetes#50916).
    _held("a pod that was bound elsewhere stays where it was assumed", "cache", Cache, "add_pod", (
        "if info.identity in self.pods:\n        self._remove(info.identity)",
        "if info.identity in self.pods and self.pods[info.identity].pod.node_name == info.pod.node_name:\n        self._remove(info.identity)")),
    # A second node gets an image: it counts for more on the first one too.
    _held("an image weighs on a node as when it came there", "cache", Cache, "_count_anew", (
        "image.generation = self._generation + 1", "image.generation = self._generation")),
    # A node loses a label that a pod selects.
    _held("a label that is removed stays", "cache", LabelColumns, "put", ("self._columns[key].numbers[row] = MISSING", "pass")),
    # A pod on nodes goes, and the last row moves into its place: the next dry run takes that pod for as large as the one that went.
    _held("a pod inherits the amounts of one that went", "cache", PodTable, "remove", ("self.amounts[row] = self.amounts[last]", "pass")),
    # Two nodes with the same requests, one of them with a pod that requests nothing, for which scores assume a default.
    _held("nodes with equal requests are rated alike", "scoring", row_memory, "_by_amounts", (
        "table.allocatable[row].tobytes(), table.rated[row].tobytes()", "table.allocatable[row].tobytes()")),
    # More nodes than are searched at once: the next search begins at the same node (kubernetes#84232).
    _held("each search begins where the last one did", "cycle", algorithm, "_feasible", (
        "start = (search.start + len(passing) + diagnosis.statuses.explicit()) % len(snapshot)", "start = search.start")),
    # A pod changes while it is tried, and does not fit: its next cycle sees the old form (kubernetes#141645).
    _held("a pod is put back in the form that was popped", "cycle", Scheduler, "_failed", ("queued.info = PodInfo(known)", "pass")),
    # A pod is rejected while it waits on Permit, and another one waits for its room.
    _held("a pod rejected on Permit wakes nobody", "permit", Scheduler, "_undo", ("if forgotten and status.rejected:", "if False:")),
    # Two plugins let a pod wait on Permit, and one of them allows it.
    _held("one of two Permit plugins suffices", "permit", WaitingPod, "allow", ("if not self.pending:", "if True:")),
    # A gang whose first pod has a claim does not fit: what was reserved for it in the search stays taken (like kubernetes#139417).
    _held("what the search for a group reserves stays reserved", "gangs", pod_groups, "_searched", (
        "points.unreserved(framework, each.state, pod, each.host)", "pass")),
    # In 1.35 a pod of a gang of two is rejected on Permit, and the other one comes afterwards.
    _held("a pod that failed counts for its gang", "gangs", GangScheduling, "unreserve", ("self._assumed.discard(pod.identity)", "pass")),
    # A claim asks for more than half of the devices that a claim may have (kubernetes#131662).
    _held("a claim may have half of its devices", "claims", Allocator, "_part", (
        "part.count > MOST_RESULTS - len(self.taken[number])", "part.count > MOST_RESULTS - len(self.taken[number]) - part.count")),
    # Of two shared devices the first has no capacity left (kubernetes#133705).
    _held("a full shared device ends the search", "claims", Allocator, "_some", (
        "self._give_back(number)", "self._give_back(number)\n        elif self._several(each):\n            return False")),
    # The first alternative asks for all devices of a class without any, the second for one of another class (kubernetes#137347).
    _held("all devices have no alternative", "claims", Allocator, "_request", (
        "for name, part in request.parts)", "for name, part in request.parts[: 1 if request.parts[0][1].mode == ALL else None])")),
    # A pod has two idle claims; the first is available on each node, the second on none (kubernetes#122415).
    _held("claims that are available are deallocated too", "claims", DynamicResources, "filter", (
        "progress.unavailable |= gone", "progress.unavailable |= set(range(len(reached)))")),
    # A pod without the resource that an extender manages preempts (kubernetes#66289).
    _held("an extender chooses victims for pods that it does not manage", "extenders", evaluator, "asked", (
        "each.preempts and each.interested(pod)", "each.preempts")),
    # An extender answers {"nodenames": …}, which Go reads.
    _held("the names of fields have one case", "extenders", messages, "field", ("key.lower() == name.lower()", "key == name")),
    # A pod that needs a port preempts on a node to which another pod of its priority is nominated.
    _held("beside nominated pods the victims are back", "preemption", filtering, "with_pods", (
        "some.tried() if some.trial is None else some.tried_further()", "some.tried()")),
    # Two nodes are rejected by different filters, each for its only reason.
    _held("reasons of two filters are taken for one", "events", NodeStatuses, "record", ("(int(reasons.max()) + 1)", "int(reasons.max())")),
    # One term of a pod's node affinity names two nodes at once, and another one names a node (kubernetes#116465).
    _held("an impossible term rejects a pod with other terms", "filters", NodeAffinity, "pre_filter", (
        "return (SUCCESS, named) if named else", "return (SUCCESS, named) if all(names) else")),
    # A host port is held on every address, and asked for on one.
    _held("a port of every address leaves the others free", "filters", NodeTable, "holders", (" | by_address.get(ANY_ADDRESS, set())", "")),
    # Two constraints of one topology key with different selectors (kubernetes#129067).
    _held("constraints of one key share the count of the last", "filters", PodTopologySpread, "pre_filter", (
        "FilterState(tuple(found))",
        "FilterState(tuple(replace(each, sums={one.constraint.topology_key: one.sums for one in found}[each.constraint.topology_key])"
        " for each in found))")),
    # An image of a registry with a port, and without a tag.
    _held("the port of a registry is taken for a tag", "scoring", image_locality, "normalised", (
        'image.rfind(":") > image.rfind("/")', '":" in image')),
    # addedAffinity requires a label; the pod has no affinity.
    _held("addedAffinity is for pods with affinity", "configuration", NodeAffinity, "pre_filter", (
        "if silent and self._added.required is None:", "if silent:")),
    # ignorePreferredTermsOfExistingPods; a pod that prefers to be near another one.
    _held("to ignore the terms of others is to ignore all", "configuration", InterPodAffinity, "pre_score", (
        "if self._ignores_others and not prefers:", "if self._ignores_others:")),
    # A volume with the present label of a zone, a node of another zone with the beta label (kubernetes#115052).
    _held("a node without the labels of a volume has no zone", "volumes", VolumeZone, "filter", (
        "for key in LABELS]", "for key in {place.key for place in found.all}]")),
    # Two pods share a claim whose volume is to be provisioned on the node of the first.
    _held("the node of a provisioning is not assumed", "volumes", VolumeBinding, "reserve", (
        "handle.assumed.assume(taken, made)", "handle.assumed.assume(taken, [])")),
    # The limit of a driver falls below what is attached; a pod uses a volume that is attached.
    _held("beyond a limit attached volumes are rejected too", "volumes", Attachments, "exceeded_by", ("(more[rows] > 0) & ", "")),
    # One candidate suffices, the first node's victim is protected by a budget, the second's is not.
    _held("candidates suffice whatever they violate", "preemption", victims, "dry_run", (
        "while end < len(rows) and not (harmless and len(worlds) >= enough)", "while end < len(rows) and not len(worlds) >= enough"), (
        "if harmless and len(worlds) >= enough:", "if len(worlds) >= enough:")),
    # A victim is terminating already (kubernetes#133167).
    _held("terminating victims are evicted once more", "preemption", Evictions, "start", (
        "[victim for victim in victims if not victim.terminating]", "list(victims)")),
    # A budget protects the pod that started first, which is put back first; the victims of two nodes started at different times.
    _held("budgets mix up when victims started", "preemption", amounts, "by_amounts", (
        "for array in (puts, priorities, starts):", "for array in (puts, priorities):")),
    # Without SchedulerAsyncPreemption: the API server rejects an eviction.
    _held("a failing eviction in the cycle is passed over", "gates", Evaluator, "_prepare", ("return error(str(failure))", "continue")),
    # A pod as a whole requests cpu, its containers memory.
    _held("requests of a pod replace all of its containers", "resources", requests, "requested", (
        "total |= pod.pod_requests", "total = dict(pod.pod_requests) or total")),
    # A term of the incoming pod lists a namespace, and has a selector of others.
    _held("namespaces beside a selector are not looked into", "namespaces", terms, "own", (
        "each.namespaces.union(chosen)", "frozenset(chosen) or each.namespaces")),
)  # fmt: skip
