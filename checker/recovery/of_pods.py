"""What is asked of one pod of a cluster: whether it waits, where it finds a place, and whether it evicts: `OfPods`."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from schedcheck.checker.alike import nameless
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.recovery.disturbances import OPENING, Disturbances, disturbances
from schedcheck.checker.recovery.evictors import alone
from schedcheck.checker.relocation.counting import Case, Counting, Place, beyond_counting
from schedcheck.checker.relocation.others import Others
from schedcheck.checker.vectors.filtering import prepared
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.trials import TooManyOrders
from schedcheck.model.controllers import RECREATING
from schedcheck.model.profiles import has_claims, plugins_of
from schedcheck.model.scenario import Scenario, snapshot_of
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Wait
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import matches_all
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.terms import PodAffinityTerm

ENDING = ("complete", "delete")
"""The events after which the owner of a pod creates it again, whatever budgets say."""


class OfPods:
    """A cluster of kube-scheduler with at most so many events in a behaviour; None is any number."""

    def __init__(self, scenario: Scenario, events: int | None) -> None:
        self.scenario = scenario
        self.events = events
        self.disturbed: Disturbances | None = disturbances(scenario, events)
        self._fits_nowhere: dict[Pod, bool] = {}
        self._lonely: dict[tuple[str, tuple[PodAffinityTerm, ...]], bool] = {}

    @cached_property
    def snapshot(self) -> Snapshot:
        """The cluster at first."""
        scenario = self.scenario
        present = tuple(pod for pod in scenario.pods if pod.key not in scenario.absent and not completed(pod))
        return snapshot_of(scenario, present, scenario.nodes, scenario.budgets)

    def _waits(self, pod: Pod) -> bool:
        """Whether a profile of the scheduler may try the pod at first."""
        return any(pod in turn(self.snapshot, plugins) for plugins in self.scenario.plugins)

    def _arrives(self, pod: Pod) -> bool:
        """Whether a pod that is absent at first waits in some behaviour: its owner creates it, or an event does."""
        scenario = self.scenario
        if pod.key not in scenario.absent or pod.template_node_name:
            return False
        created = "owners" in scenario.controllers and pod.owner[0] in RECREATING
        by_event = self.events != 0 and any(
            rule.event == "arrive" and pod.key in rule.pods and rule.bound != 0 for rule in scenario.rules
        )
        return (created or by_event) and self._is_scheduled(pod)

    def _comes_back(self, pod: Pod) -> bool:
        """Whether a bound pod waits in some behaviour: an event ends it, and its owner creates it again."""
        scenario = self.scenario
        ends = any(rule.event in ENDING and pod.key in rule.pods and rule.bound != 0 for rule in scenario.rules)
        recreated = "owners" in scenario.controllers and pod.owner[0] in RECREATING and not pod.template_node_name
        there = any(pod.node_name == node.name for node in scenario.nodes) and pod.key not in scenario.absent
        return ends and recreated and self._is_scheduled(pod) and there and self.events != 0

    def _is_scheduled(self, pod: Pod) -> bool:
        named = any(pod.scheduler_name == plugins.scheduler_name for plugins in self.scenario.plugins)
        return named and not pod.scheduling_gates

    def fits_nowhere(self, pod: Pod) -> bool:
        """Whether no node could take the pod, even without any other pod, so that it never evicts one."""
        assert self.disturbed is not None
        shape = nameless(pod)
        if shape not in self._fits_nowhere:
            plugins, form = plugins_of(pod, self.scenario), alone(pod)
            opened = self.disturbed.unsettled or self._opening
            known = not beyond_counting(form, plugins, self.scenario.devices)
            nowhere = known and not opened and self._empty.judge.unschedulable(form, plugins)
            self._fits_nowhere[shape] = (known and self._without_company(pod, plugins)) or (
                nowhere
                and all(
                    isinstance(each, Wait) for each in self._empty.judge.judged(form, plugins, frozenset()).decisions
                )
            )
        return self._fits_nowhere[shape]

    def _without_company(self, pod: Pod, plugins: Plugins) -> bool:
        """Whether no pod that is ever there is one that the pod's required affinity asks for, nor is it one itself."""
        if not pod.affinity.pod_required or "InterPodAffinity" not in plugins.at("filter"):
            return False
        known = pod.namespace, pod.affinity.pod_required
        if known not in self._lonely:
            self._lonely[known] = not any(
                matches_all(pod, other, self.snapshot, plugins.departures) for other in self._kinds
            )
        return self._lonely[known]

    @cached_property
    def _kinds(self) -> list[Pod]:
        """One pod of each namespace and labels, which are all that terms of affinity see of a pod."""
        return list({(each.namespace, each.labels): each for each in self.scenario.pods}.values())

    @cached_property
    def _empty(self) -> Counting:
        """The cluster without pods."""
        return Counting(replace(self.snapshot, pods=()), ())

    def _evicts_none(self, pod: Pod) -> bool:
        """Whether a pod that is feasible nowhere now evicts no pod, wherever the others go.

        The pods that never leave their nodes keep it off every node, even if it evicts all that it may. This is judged
        without its own terms about other pods, so that neither company nor spread can make room for it.
        """
        plugins = plugins_of(pod, self.scenario)
        assert self.disturbed is not None
        opened = self.disturbed.unsettled or self._opening
        if opened or has_claims(pod, self.scenario) or plugins.extenders or plugins.unasked or not prepared(plugins):
            return False
        with suppress(TooManyOrders):
            form = alone(pod)
            return self._staying.unschedulable(form, plugins) and all(
                isinstance(each, Wait) for each in self._staying.judged(form, plugins, frozenset()).decisions
            )
        return False

    @cached_property
    def _staying(self) -> CycleJudge:
        """The cluster with only the pods that never leave their nodes."""
        assert self.disturbed is not None
        moving = {pod.key for pod in (*self.disturbed.waiting, *self.disturbed.moving)}
        staying = tuple(pod for pod in self.snapshot.pods if pod.key not in moving)
        return CycleJudge(replace(self.snapshot, pods=staying))

    def _place(self, pod: Pod) -> Place:
        """Return what is known of the place of a pod while it waits; a bound one stays on its node as well."""
        assert self.disturbed is not None
        return self._counted(pod, self._counting, self.disturbed.cases)

    def _place_once_moved(self, pod: Pod) -> Place:
        """Return what is known of the place of a bound pod once it has left its node."""
        assert self.disturbed is not None
        others = tuple(each for each in self.snapshot.pods if each.key != pod.key)
        counting = Counting(replace(self.snapshot, pods=others), self.disturbed.unsettled)
        cases: Iterable[Case] = self.disturbed.cases
        if any(each.key == pod.key for each in self.disturbed.moving):
            cases = [replace(each, others=each.others - 1) for each in cases if each.others > 0]
        return self._counted(pod, counting, cases)

    def _counted(self, pod: Pod, counting: Counting, cases: Iterable[Case]) -> Place:
        """Return what counting says of a pod, if all waiting pods and the moving ones of one of the cases are placed."""
        assert self.disturbed is not None
        doing("counting the places of pods that wait")
        waiting = sum(each.key != pod.key for each in self._comers)
        leaving = len(self.disturbed.leaving)
        each_with = [replace(each, others=each.others + waiting, left=each.others + leaving) for each in cases]
        return counting.place(pod, plugins_of(pod, self.scenario), self._others, each_with)

    @cached_property
    def _counting(self) -> Counting:
        assert self.disturbed is not None
        return Counting(self.snapshot, self.disturbed.unsettled)

    @cached_property
    def _comers(self) -> tuple[Pod, ...]:
        """The waiting pods that may be placed: those that are on no node, nominated to none, and fit on none never are."""
        assert self.disturbed is not None
        leaving = self.disturbed.leaving
        return tuple(
            pod
            for pod in self.disturbed.waiting
            if pod.key in leaving or pod.nominated_node_name or not self.fits_nowhere(pod)
        )

    @cached_property
    def _others(self) -> Others:
        assert self.disturbed is not None
        disturbed = self.disturbed
        may_leave = disturbed.leaving | {pod.key for pod in disturbed.moving}
        leaving = tuple(pod for pod in self.snapshot.pods if pod.key in may_leave)
        opening = bool(disturbed.unsettled) or self._opening
        return Others(
            (*self._comers, *disturbed.moving), leaving, not disturbed.closing and not opening, counted=disturbed.placed, opening=opening
        )  # fmt: skip

    @property
    def _opening(self) -> bool:
        """Whether an event may open a node."""
        return any(rule.event in OPENING for rule in self.scenario.rules)
