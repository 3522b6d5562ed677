"""Early production schedulers with one small mistake each, and the kind of clusters that shows it: `TWINS`"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from schedcheck.model.classic import fitting, preemption, prioritizing, scheduler
from schedcheck.model.classic.listers import Listers
from schedcheck.model.classic.metadata import Metadata
from schedcheck.model.classic.nodes import pod_info
from schedcheck.model.classic.nodes.cache import Snapshot
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.predicates import (
    conditions,
    disks,
    inter_pod_affinity,
    service_affinity,
    volume_binding,
    volumes,
)
from schedcheck.model.classic.priorities import affinity, resources, spreading
from schedcheck.model.classic.reasons import INTER_POD_AFFINITY

Patch = pytest.MonkeyPatch
Twin = Callable[[Patch], None]
TWINS: dict[str, tuple[Twin, str]] = {}
"""Each mistake by its name, with a kind of `ASKED`."""

CONTESTS, QUESTIONS, GROUPS = "early contests", "early questions", "early groups"
VOLUMES, EVICTIONS = "early volumes", "early evictions"


def shown_by(kind: str) -> Callable[[Twin], Twin]:
    def noted(twin: Twin) -> Twin:
        TWINS[twin.__name__] = (twin, kind)
        return twin

    return noted


@shown_by(CONTESTS)
def a_removed_pod_keeps_its_requests(patch: Patch) -> None:
    count = NodeInfo._count
    patch.setattr(NodeInfo, "_count", lambda self, info, sign: count(self, info, 1) if sign > 0 else None)


@shown_by(QUESTIONS)
def init_containers_do_not_count(patch: Patch) -> None:
    made = pod_info.PodInfo.__init__

    def without(self: Any, pod: Any) -> None:
        made(self, replace(pod, init_containers=()))
        self.pod = pod

    patch.setattr(pod_info.PodInfo, "__init__", without)


@shown_by(QUESTIONS)
def a_pod_that_requests_nothing_is_compared(patch: Patch) -> None:
    made = pod_info.PodInfo.__init__

    def with_more(self: Any, pod: Any) -> None:
        made(self, pod)
        self.request = {**self.request, "example.com/none": 0}

    patch.setattr(pod_info.PodInfo, "__init__", with_more)


@shown_by(QUESTIONS)
def the_annotation_does_not_count(patch: Patch) -> None:
    patch.setattr(pod_info, "reconciled", lambda pod: pod.affinity)


@shown_by(CONTESTS)
def nominated_pods_take_no_room(patch: Patch) -> None:
    patch.setattr(fitting.Fitting, "_with_nominated", lambda self, meta, node: None)


@shown_by(GROUPS)
def a_node_is_judged_only_with_the_nominated_pods(patch: Patch) -> None:
    def fits(self: Any, meta: Any, node: Any) -> Any:
        return self._evaluated(*(self._with_nominated(meta, node) or (meta, node)))

    patch.setattr(fitting.Fitting, "fits", fits)


@shown_by(QUESTIONS)
def the_evaluation_always_stops(patch: Patch) -> None:
    made = fitting.Fitting.__init__

    def stopping(self: Any, classic: Any, arguments: Any, nominated: Any, check_all: bool) -> None:
        made(self, classic, arguments, nominated, False)

    patch.setattr(fitting.Fitting, "__init__", stopping)


@shown_by(QUESTIONS)
def taints_come_before_the_general_predicates(patch: Patch) -> None:
    rest = [name for name in fitting.ORDERING if name != "PodToleratesNodeTaints"]
    patch.setattr(fitting, "ORDERING", ("PodToleratesNodeTaints", *rest))


@shown_by(CONTESTS)
def a_removed_pod_is_still_met(patch: Patch) -> None:
    patch.setattr(Metadata, "remove_pod", lambda self, other, node: None)


@shown_by(CONTESTS)
def a_pod_that_is_put_back_is_not_met(patch: Patch) -> None:
    patch.setattr(Metadata, "add_pod", lambda self, other, node: None)


@shown_by(CONTESTS)
def the_objections_of_existing_pods_are_not_collected(patch: Patch) -> None:
    patch.setattr(Snapshot, "with_affinity", property(lambda self: []))


@shown_by(GROUPS)
def company_in_one_domain_suffices(patch: Patch) -> None:
    def in_company(meta: Any, node: Any) -> bool:
        return any(inter_pod_affinity._pair(term, node) in meta.near for term in meta.info.near)

    patch.setattr(inter_pod_affinity, "_in_company", in_company)


@shown_by(GROUPS)
def the_first_of_a_group_finds_no_node(patch: Patch) -> None:
    patch.setattr(inter_pod_affinity, "_first_of_its_group", lambda meta: False)


@shown_by(GROUPS)
def anti_affinity_is_forgotten(patch: Patch) -> None:
    whole = inter_pod_affinity.match_inter_pod_affinity

    def near_alone(arguments: Any, meta: Any, node: Any) -> Any:
        found = whole(arguments, meta, node)
        return found if not found or INTER_POD_AFFINITY in found else ()

    patch.setitem(fitting.PREDICATES, "MatchInterPodAffinity", near_alone)


@shown_by(QUESTIONS)
def no_execute_taints_do_not_repel(patch: Patch) -> None:
    patch.setattr(conditions, "REPELLING", ("NoSchedule",))


@shown_by(QUESTIONS)
def an_unknown_condition_is_false(patch: Patch) -> None:
    whole = conditions.check_node_condition

    def known_alone(arguments: Any, meta: Any, node: Any) -> Any:
        known = {name: status for name, status in node.there.conditions.items() if status != "Unknown"}
        seen = node.clone()
        seen.node = replace(node.there, conditions=known)
        return whole(arguments, meta, seen)

    patch.setitem(fitting.PREDICATES, "CheckNodeCondition", known_alone)


@shown_by(VOLUMES)
def a_disk_may_be_read_beside_a_writer(patch: Patch) -> None:
    conflict = disks._conflict
    patch.setattr(
        disks, "_conflict", lambda new, old: conflict(new, old) and not getattr(new, "read_only", False)
    )  # fmt: skip


@shown_by(VOLUMES)
def the_environment_sets_no_limit(patch: Patch) -> None:
    patch.setattr(disks, "limit", lambda text, default: default)


@shown_by(VOLUMES)
def a_lost_claim_does_not_count(patch: Patch) -> None:
    def found_alone(pod: Any, identity: Any, listers: Any, found: Any) -> None:
        more: set[Any] = set()
        count(pod, identity, listers, more)
        found |= {each for each in more if isinstance(each, str)}

    count = disks._filter
    patch.setattr(disks, "_filter", found_alone)


@shown_by(VOLUMES)
def only_old_zone_labels_count(patch: Patch) -> None:
    patch.setattr(volumes, "ZONE", volumes.ZONE[:1])


@shown_by(VOLUMES)
def the_largest_volume_is_taken(patch: Patch) -> None:
    taken = volume_binding._taken

    def largest(claim: Any, node: Any, others: Any, listers: Any) -> Any:
        turned = tuple(replace(each, capacity=100 - each.capacity) for each in listers.storage.volumes)
        known = replace(listers.storage, volumes=turned)
        return taken(replace(claim, request=0), node, others, Listers(listers.cache, storage=known))

    patch.setattr(volume_binding, "_taken", largest)


@shown_by(VOLUMES)
def every_claim_waits(patch: Patch) -> None:
    patch.setattr(Listers, "waits", lambda self, claim: not claim.volume_name)


@shown_by(CONTESTS)
def every_node_is_worth_trying(patch: Patch) -> None:
    patch.setattr(scheduler, "worth_trying", list)


@shown_by(QUESTIONS)
def only_taints_rule_a_node_out(patch: Patch) -> None:
    def untainted(failed: Any) -> list[str]:
        return [name for name, each in failed.items() if (conditions.TAINTED,) not in each.values()]

    patch.setattr(scheduler, "worth_trying", untainted)


@shown_by(CONTESTS)
def a_pod_always_preempts(patch: Patch) -> None:
    patch.setattr(scheduler, "may_preempt", lambda pod, snapshot: True)


@shown_by(CONTESTS)
def a_preemptor_does_not_wait_for_its_victims(patch: Patch) -> None:
    patch.setattr(scheduler, "may_preempt", lambda pod, snapshot: pod.preemption_policy != "Never")


@shown_by(EVICTIONS)
def budgets_are_ignored(patch: Patch) -> None:
    patch.setattr(preemption, "violates", lambda pod, budgets: False)


@shown_by(EVICTIONS)
def a_budget_with_an_empty_selector_counts(patch: Patch) -> None:
    def violates(pod: Any, budgets: Any) -> bool:
        return bool(pod.labels) and any(
            each.namespace == pod.namespace
            and each.disruptions_allowed <= 0
            and preemption.selects(each.selector, pod.labels)
            for each in budgets
        )

    patch.setattr(preemption, "violates", violates)


@shown_by(EVICTIONS)
def only_overdrawn_budgets_count(patch: Patch) -> None:
    whole = preemption.violates
    patch.setattr(
        preemption,
        "violates",
        lambda pod, budgets: whole(pod, [each for each in budgets if each.disruptions_allowed < 0]),
    )


@shown_by(EVICTIONS)
def the_least_important_pods_are_put_back_first(patch: Patch) -> None:
    patch.setattr(preemption, "importance", lambda info: (info.pod.priority, preemption.start(info.pod)))


@shown_by(EVICTIONS)
def no_pod_is_put_back(patch: Patch) -> None:
    fits = preemption.fits
    seen: Counter[int] = Counter()

    def once(which: Any, meta: Any, node: Any) -> bool:
        seen[id(meta)] += 1
        return seen[id(meta)] == 1 and fits(which, meta, node)

    patch.setattr(preemption, "fits", once)


@shown_by(EVICTIONS)
def start_times_do_not_decide(patch: Patch) -> None:
    patch.setattr(preemption, "earliest", lambda pods: 0)


@shown_by(EVICTIONS)
def the_sum_of_priorities_is_taken_as_it_is(patch: Patch) -> None:
    patch.setattr(preemption, "OFFSET", 0)


@shown_by(CONTESTS)
def a_pod_of_equal_priority_loses_its_nomination(patch: Patch) -> None:
    made = scheduler.Scheduler._preempted

    def more(self: Any, meta: Any, failed: Any) -> Any:
        found = made(self, meta, failed)
        return replace(
            found, outranked={name: tuple(other.pod for other in self.nominated.on(name)) for name in found.nominated}
        )

    patch.setattr(scheduler.Scheduler, "_preempted", more)


@shown_by(QUESTIONS)
def a_hopeless_pod_keeps_its_nomination(patch: Patch) -> None:
    made = scheduler.Scheduler._preempted
    patch.setattr(
        scheduler.Scheduler, "_preempted", lambda self, meta, failed: replace(made(self, meta, failed), cleared=False)
    )


@shown_by(QUESTIONS)
def only_one_of_the_best_nodes_is_found(patch: Patch) -> None:
    made = scheduler.Scheduler._rated

    def one(self: Any, meta: Any, failed: Any) -> Any:
        found = made(self, meta, failed)
        return replace(found, hosts=found.hosts[:1])

    patch.setattr(scheduler.Scheduler, "_rated", one)


@shown_by(QUESTIONS)
def weights_do_not_count(patch: Patch) -> None:
    made = scheduler.prioritized
    patch.setattr(
        scheduler,
        "prioritized",
        lambda rating, priorities: made(rating, tuple(replace(each, weight=1) for each in priorities)),
    )


@shown_by(GROUPS)
def zones_weigh_as_much_as_nodes(patch: Patch) -> None:
    patch.setattr(spreading, "ZONE_WEIGHT", np.float32(0.5))
    patch.setattr(spreading, "NODE_WEIGHT", np.float32(0.5))


@shown_by(QUESTIONS)
def an_explicit_request_of_zero_is_replaced(patch: Patch) -> None:
    sizes = pod_info._sizes
    patch.setattr(
        pod_info, "_sizes", lambda container: {name: size for name, size in sizes(container).items() if size}
    )  # fmt: skip


@shown_by(GROUPS)
def the_balance_is_rounded(patch: Patch) -> None:
    patch.setattr(resources, "int", round, raising=False)


@shown_by(GROUPS)
def the_weight_of_required_terms_is_fixed(patch: Patch) -> None:
    pairs = affinity._pairs
    patch.setattr(affinity, "_pairs", lambda rating: pairs(replace(rating, hard_weight=1)))


@shown_by(QUESTIONS)
def the_allocatable_amounts_always_count(patch: Patch) -> None:
    patch.setattr(NodeInfo, "room", lambda self, by_allocatable: self.there.allocatable)


@shown_by(GROUPS)
def terminating_pods_are_spread(patch: Patch) -> None:
    spread = spreading._spread

    def living(selectors: Any) -> Any:
        rate, reduce = spread(selectors)

        def rated(rating: Any, node: Any) -> int:
            seen = node.clone()
            for info in node.pods.values():
                if info.pod.terminating:
                    seen.remove_pod(info)
                    seen.add_pod(pod_info.PodInfo(replace(info.pod, terminating=False)))
            return rate(rating, seen)

        return rated, reduce

    patch.setattr(spreading, "_spread", living)


@shown_by(GROUPS)
def the_last_pod_of_a_service_decides(patch: Patch) -> None:
    patch.setattr(service_affinity, "min", max, raising=False)


@shown_by(QUESTIONS)
def a_label_that_is_liked_is_disliked(patch: Patch) -> None:
    made = prioritizing.node_label
    patch.setattr(prioritizing, "node_label", lambda label, presence: made(label, not presence))
