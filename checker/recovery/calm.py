"""Whether pods are ever evicted by preemption, and whether such evictions end: `Calm`.

If each pod that could evict another one finds a place whenever it waits, no pod is ever evicted by preemption: the first
to preempt would have found a place.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from schedcheck.checker.alike import nameless
from schedcheck.checker.recovery.disturbances import drawn_to_taints
from schedcheck.checker.recovery.evictors import Evictors, evictors
from schedcheck.checker.recovery.of_pods import OfPods
from schedcheck.checker.recovery.shares import Certain, Shares
from schedcheck.checker.relocation.counting import Place
from schedcheck.checker.vectors.filtering import prepared
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.trials import TooManyOrders
from schedcheck.model.environment import newly_arrived
from schedcheck.model.profiles import has_claims, plugins_of
from schedcheck.model.rollouts import deletable
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Nominate
from schedcheck.spec.objects import Pod

MOST_ASKED = 50
"""The most pods that are asked whether they preempt at first."""


class Calm(OfPods):
    """The preemptions of a cluster, and the shares of its nodes that pods close wherever they are."""

    def __init__(self, scenario: Scenario, events: int | None) -> None:
        super().__init__(scenario, events)
        self._from: dict[int, Shares] = {}

    def certain(self, pod: Pod) -> Certain | None:
        """Return the proof that a node is feasible for a fresh pod whenever it waits, wherever all others are; or None."""
        return self._shares.certain(pod)

    def placed(self, pod: Pod) -> Certain | None:
        """Return the proof that a fresh pod that waits has a feasible node, or may evict others from one; or None.

        Once evictions have ended it is bound: as long as it waits it would evict again.
        """
        certain = self.certain(pod)
        evicts = pod.preemption_policy != "Never" and not self._lingering
        evicts = evicts and "DefaultPreemption" in plugins_of(pod, self.scenario).at("postFilter")
        # Preemption on one node does not evict the pods of lower priority that close a domain from other nodes.
        if certain is None and evicts and self._shares.lasting(pod):
            certain = self._shares_from(pod.priority).certain(pod)
            return None if certain is None else replace(certain, evicting=True)
        return certain

    @cached_property
    def _lingering(self) -> bool:
        """Whether a victim may stay terminating on its node forever; with a kubelet this is known for rollouts alone."""
        scenario = self.scenario
        if "kubelet" not in scenario.controllers:
            return False
        return not scenario.rollouts or bool(scenario.rules) or any(node.ready == "Unknown" for node in scenario.nodes)

    @cached_property
    def calm(self) -> bool:
        """Whether no pod ever preempts, and none is bound and evicted by taints again and again."""
        assert self.disturbed is not None
        known: dict[Pod, bool] = {}
        lowest = min((pod.priority for pod in self.scenario.pods if not completed(pod)), default=0)
        for pod in (*self.disturbed.waiting, *self.disturbed.moving):
            # Pods of one workload are alike but for their names.
            alike = nameless(pod)
            if alike not in known:
                may_evict = pod.priority > lowest and pod.preemption_policy != "Never"
                known[alike] = not drawn_to_taints(pod, self.disturbed) and (
                    not may_evict or self.fits_nowhere(pod) or self._place(pod).proved or self._evicts_none(pod)
                )
            if not known[alike]:
                return False
        return True

    @cached_property
    def evictors(self) -> Evictors | None:
        """The pods that preempt, if it is proved that each does so once and that no other pod does."""
        assert self.disturbed is not None
        if self.calm:
            return None
        return evictors(
            self.scenario,
            self.snapshot,
            self.disturbed,
            self._comers,
            self._counting,
            self._empty,
            self.top,
            lambda pod: self._shares.lasting(pod, among_all=True),
            self.fits_nowhere,
            lambda pod: self._place(pod).proved,
        )

    def place(self, pod: Pod) -> Place:
        """Return what is known of the place of a fresh pod that waits at first, beside all pods that preempt."""
        if self.calm:
            return self._place(pod)
        if self.evictors is None or any(each.key == pod.key for each in self.evictors.pods):
            return Place(0, 0, "other pods may evict some, and these may then take its places")
        return self.evictors.place(pod)

    @cached_property
    def evictions_end(self) -> bool:
        """Whether pods preempt only finitely often after the last event, in every behaviour.

        Else let the pods of some priority be the highest that preempt forever. Once the pods above them, and they, are bound
        no more, one of them is nominated again and again. But a lasting nomination ends with the pod bound.
        """
        assert self.disturbed is not None
        disturbed = self.disturbed
        lowest = min((pod.priority for pod in self.scenario.pods if not completed(pod)), default=0)
        displaced = (newly_arrived(pod) for pod in self.scenario.pods if pod.node_name and pod.priority < self.top)
        able = (*disturbed.waiting, *disturbed.moving, *displaced)
        alike = {nameless(pod) for pod in able}
        return all(
            pod.priority == lowest
            or pod.preemption_policy == "Never"
            or self.fits_nowhere(pod)
            or self._shares.lasting(pod)
            or self.certain(pod)
            for pod in able
        ) and not any(drawn_to_taints(pod, disturbed) for pod in alike)

    def _calm_above(self, priority: int) -> bool:
        """Whether no pod above this priority ever preempts, wherever pods of no higher priority go."""
        assert self.disturbed is not None
        able = (*self.disturbed.waiting, *self.disturbed.moving)
        return all(
            pod.priority <= priority or pod.preemption_policy == "Never" or self.fits_nowhere(pod) or self.certain(pod)
            for pod in able
        )

    @cached_property
    def top(self) -> int:
        """The greatest priority of a pod that may preempt; no pod of this priority is ever evicted by preemption."""
        assert self.disturbed is not None
        able = (*self.disturbed.waiting, *self.disturbed.moving)
        return max(
            (pod.priority for pod in able if pod.preemption_policy != "Never" and not self.fits_nowhere(pod)),
            default=-(2**31),
        )

    @cached_property
    def _some_eviction(self) -> bool:
        """Whether some behaviour certainly begins with an eviction: a pod that waits at first may preempt."""
        judge = CycleJudge(self.snapshot)
        waiting = sorted(
            (pod for pod in self.snapshot.pods if self._waits(pod)), key=lambda each: (-each.priority, each.key)
        )
        for pod in waiting[:MOST_ASKED]:
            plugins = plugins_of(pod, self.scenario)
            if has_claims(pod, self.scenario) or plugins.extenders or plugins.unasked or not prepared(plugins):
                continue
            with suppress(TooManyOrders):
                decisions = judge.judged(pod, plugins, frozenset()).decisions
                if any(isinstance(each, Nominate) and each.victims for each in decisions):
                    return True
        return False

    @cached_property
    def _shares(self) -> Shares:
        """All pods that may be there, wherever they are."""
        return self._made_of(self._everyone)

    def _shares_from(self, priority: int) -> Shares:
        """The pods of at least this priority that may be there, wherever they are."""
        if priority not in self._from:
            self._from[priority] = self._made_of(pod for pod in self._everyone if pod.priority >= priority)
        return self._from[priority]

    @cached_property
    def _everyone(self) -> tuple[Pod, ...]:
        """All pods but those that are on no node and fit on none."""
        absent = self.scenario.absent
        return tuple(
            pod
            for pod in self.scenario.pods
            if not completed(pod)
            and not ((not pod.node_name or pod.key in absent) and self.fits_nowhere(newly_arrived(pod)))
        )

    def _made_of(self, pods: Iterable[Pod]) -> Shares:
        """Return the shares of these pods; those that no event moves, and that no pod evicts, stay on their nodes."""
        assert self.disturbed is not None
        disturbed = self.disturbed
        moving = {each.key for each in (*disturbed.waiting, *disturbed.moving)}
        moving.update(*(deletable(each) for each in self.scenario.rollouts))
        counted = tuple(pods)
        staying = [pod for pod in counted if pod.key not in moving and pod.node_name and pod.priority >= self.top]
        return Shares(
            self.scenario,
            self.snapshot,
            counted,
            [pod.key for pod in staying if pod.key not in self.scenario.absent],
            unsettled=disturbed.unsettled,
            closing=disturbed.closing,
            lost=max((case.lost for case in disturbed.cases), default=0),
        )
