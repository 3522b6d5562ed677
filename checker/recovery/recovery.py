"""Proofs by counting about one pod or budget of a cluster of any size: `Recovery`, `Proof`.

That a pod finds a place is proved as in `checker.relocation.counting`, for all behaviours with so many events: the
pods that may wait at the same time are too few to close every node. If this is so of each pod that could evict another
one, no pod is ever evicted by preemption: the first to preempt would have found a place.

Only kube-scheduler. What is proved is stronger than what is asked: a node is feasible whenever the pod waits.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from schedcheck.checker.check import may_wait
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.recovery.disturbances import OPENING, Disturbances, disturbances, drawn_to_taints
from schedcheck.checker.recovery.evictors import Evictors, Kept, alone, evictors
from schedcheck.checker.recovery.shares import Certain, Shares
from schedcheck.checker.relocation.counting import Case, Counting, Place, beyond_counting
from schedcheck.checker.relocation.others import Others
from schedcheck.checker.vectors.filtering import prepared
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.trials import TooManyOrders
from schedcheck.model.controllers import RECREATING
from schedcheck.model.environment import newly_arrived
from schedcheck.model.profiles import has_claims, plugins_of
from schedcheck.model.scenario import Scenario, snapshot_of
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Nominate, Wait
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import matches_all
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.terms import PodAffinityTerm

Key = tuple[str, str]

MOST_ASKED = 50
"""The most pods that are asked whether they preempt at first."""

CALM_ABOVE = "no pod of higher priority ever preempts, as each that could finds a place wherever all others are"
UNMOVED = "no event moves the pod, and it is not known whether another one evicts it"
PEACE = "no pod ever preempts another, as each that could finds a place without it"


@dataclass(frozen=True)
class Proof:
    """Why every behaviour has a property; `tested` says whether its premises are met in some behaviour, None if unknown."""

    why: str
    tested: bool | None


class Recovery:
    """A cluster of kube-scheduler with at most so many events in a behaviour; None is any number."""

    def __init__(self, scenario: Scenario, events: int | None) -> None:
        self.scenario = scenario
        self.events = events
        self.disturbed: Disturbances | None = disturbances(scenario, events)
        self._fits_nowhere: dict[Pod, bool] = {}
        self._lonely: dict[tuple[str, tuple[PodAffinityTerm, ...]], bool] = {}
        self._from: dict[int, Shares] = {}

    def recovers(self, pod: Pod, *, can: bool = False) -> Proof | None:
        """Return the proof that some node is feasible whenever the pod waits; None if counting does not prove it.

        With `can` it is asked whether the pod can still be bound, for which it does not matter whether evictions end.
        """
        disturbed = self.disturbed
        if not may_wait(pod, self.scenario):
            return Proof(f"{pod} never waits: once it leaves its node, nothing creates it again", tested=False)
        if disturbed is None:
            return None
        if self._waits(pod) or self._arrives(pod) or self._comes_back(pod):
            place = self._place(pod) if pod in disturbed.waiting else self._place_once_moved(newly_arrived(pod))
            if place.proved and self._calm:
                return Proof(_told(pod, place), tested=True)
            form = pod if pod in disturbed.waiting else newly_arrived(pod)
            if (beside := self._beside_evictors(form)) is not None:
                return Proof(beside, tested=True)
            certain = self.placed(form) if can or self.evictions_end else None
            return None if certain is None else Proof(_told_of_shares(pod, certain), tested=True)
        stays = bool(pod.node_name) and all(each.key != pod.key for each in (*disturbed.waiting, *disturbed.moving))
        if stays and self.evictors and all(each.key != pod.key for each in self.evictors.endangered):
            return Proof(f"no event moves {pod}, and {_told_of_evictors(self.evictors)}, none of them it", tested=False)
        if stays and not self._calm:
            if (beside := self._beside_evictors(newly_arrived(pod))) is not None:
                return Proof(f"{UNMOVED}; {beside}", tested=None)
            again = self.placed(newly_arrived(pod)) if can or self.evictions_end else None
            return None if again is None else Proof(f"{UNMOVED}; {_told_of_shares(pod, again)}", tested=None)
        return Proof(f"no event moves {pod}, and {PEACE}", tested=False) if stays else None

    def _beside_evictors(self, pod: Pod) -> str | None:
        """Return the proof that a fresh pod finds a place although others preempt once each; None without one."""
        if self.evictors is None or any(each.key == pod.key for each in self.evictors.pods):
            return None
        place = self.evictors.place(pod)
        return _told(pod, place, _told_of_evictors(self.evictors)) if place.proved else None

    def spares(
        self, pods: Iterable[Pod], others: bool = False, budget: PodDisruptionBudget | None = None
    ) -> Proof | None:
        """Return the proof that none of these pods is ever evicted, by whatever means; None without one.

        With `others` the property is tested by an eviction of any pod. With a budget, it is enough that the budget can
        spare each of the pods, which it protects, when it is evicted.
        """
        disturbed = self.disturbed
        if (
            disturbed is None
            or disturbed.closing
            or disturbed.unsettled
            or any(rule.event == "evict" for rule in self.scenario.rules)
        ):
            return None
        leaving = {pod.key for pod in disturbed.waiting}
        if others and disturbed.leaving and disturbed.tainted:
            return None
        pods = list(pods)
        if any((pod.node_name and pod.key in leaving) or drawn_to_taints(pod, disturbed) for pod in pods):
            return None
        if self._calm:
            return Proof(PEACE, tested=False)
        if not pods or disturbed.tainted:
            return None
        if not self._calm_above(min(pod.priority for pod in pods)):
            return self._spares_beside_evictors(pods, others, budget)
        tested = others and self._some_eviction
        return None if others and not tested else Proof(CALM_ABOVE, tested=tested)

    def _spares_beside_evictors(
        self, pods: list[Pod], others: bool, budget: PodDisruptionBudget | None
    ) -> Proof | None:
        """Return the proof of `spares` where some pods preempt once each; None without one."""
        assert self.disturbed is not None
        if self.evictors is None:
            return None
        told = _told_of_evictors(self.evictors)
        if budget is not None:
            kept = self.evictors.keeps(budget, self.events)
            if kept is None:
                return None
            tested = None if self.evictors.evicts(pods) else False
            return Proof(f"{told}; {_told_of_budget(budget, kept)}", tested)
        moved = {each.key for each in (*self.disturbed.waiting, *self.disturbed.moving, *self.evictors.endangered)}
        tested = others and self._some_eviction
        if any(pod.key in moved for pod in pods) or (others and not tested):
            return None
        return Proof(f"{told}, none of them asked about", tested)

    def hopeless(self, pod: Pod) -> Scenario | None:
        """Return the pod with only the pods that never leave, if these alone keep it pending in every behaviour.

        Whatever the others do, no more room appears, so that they are left out.
        """
        if self.disturbed is None or not self._waits(pod) or not self._calm or not self._evicts_none(pod):
            return None
        kept = (*self._staying.there.running.pods, pod)
        left_out = len(self.snapshot.pods) - len(kept)
        note = f"left out, as {pod} is never bound, wherever they go: {left_out:,} pod{'' if left_out == 1 else 's'}"
        return replace(
            self.scenario,
            pods=tuple(sorted(kept, key=lambda each: each.key)),
            absent=frozenset(),
            rules=(),
            controllers=frozenset(),
            cut=(note,) if left_out else (),
        )

    def certain(self, pod: Pod) -> Certain | None:
        """Return the proof that a node is feasible for a fresh pod whenever it waits, wherever all others are; or None."""
        return self._shares.certain(pod)

    def placed(self, pod: Pod) -> Certain | None:
        """Return the proof that a fresh pod that waits has a feasible node, or may evict others from one; or None.

        Once evictions have ended it is bound: as long as it waits it would evict again.
        """
        certain = self.certain(pod)
        evicts = pod.preemption_policy != "Never" and "kubelet" not in self.scenario.controllers
        if certain is None and evicts and "DefaultPreemption" in plugins_of(pod, self.scenario).at("postFilter"):
            certain = self._shares_from(pod.priority).certain(pod)
            return None if certain is None else replace(certain, evicting=True)
        return certain

    def _shares_from(self, priority: int) -> Shares:
        """The pods of at least this priority that may be there, wherever they are."""
        if priority not in self._from:
            self._from[priority] = self._made_of(pod for pod in self._everyone if pod.priority >= priority)
        return self._from[priority]

    @cached_property
    def snapshot(self) -> Snapshot:
        """The cluster at first."""
        scenario = self.scenario
        present = tuple(pod for pod in scenario.pods if pod.key not in scenario.absent and not completed(pod))
        return snapshot_of(scenario, present, scenario.nodes, scenario.budgets)

    @cached_property
    def _calm(self) -> bool:
        """Whether no pod ever preempts, and none is bound and evicted by taints again and again."""
        assert self.disturbed is not None
        known: dict[Pod, bool] = {}
        lowest = min((pod.priority for pod in self.scenario.pods if not completed(pod)), default=0)
        for pod in (*self.disturbed.waiting, *self.disturbed.moving):
            # Pods of one workload are alike but for their names.
            alike = replace(pod, name="", uid="")
            if alike not in known:
                may_evict = pod.priority > lowest and pod.preemption_policy != "Never"
                known[alike] = not drawn_to_taints(pod, self.disturbed) and (
                    not may_evict or self._never_fits(pod) or self._place(pod).proved or self._evicts_none(pod)
                )
            if not known[alike]:
                return False
        return True

    @cached_property
    def _shares(self) -> Shares:
        """All pods that may be there, wherever they are."""
        return self._made_of(self._everyone)

    @cached_property
    def _everyone(self) -> tuple[Pod, ...]:
        """All pods but those that are on no node and fit on none."""
        absent = self.scenario.absent
        return tuple(
            pod
            for pod in self.scenario.pods
            if not completed(pod)
            and not ((not pod.node_name or pod.key in absent) and self._never_fits(newly_arrived(pod)))
        )

    def _made_of(self, pods: Iterable[Pod]) -> Shares:
        """Return the shares of these pods; those that no event moves, and that no pod evicts, stay on their nodes."""
        assert self.disturbed is not None
        disturbed = self.disturbed
        moving = {each.key for each in (*disturbed.waiting, *disturbed.moving)}
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

    @cached_property
    def top(self) -> int:
        """The greatest priority of a pod that may preempt; no pod of this priority is ever evicted by preemption."""
        assert self.disturbed is not None
        able = (*self.disturbed.waiting, *self.disturbed.moving)
        return max(
            (pod.priority for pod in able if pod.preemption_policy != "Never" and not self._never_fits(pod)),
            default=-(2**31),
        )

    def _never_fits(self, pod: Pod) -> bool:
        """Whether no node could take the pod, even without any other pod, so that it never evicts one."""
        assert self.disturbed is not None
        shape = replace(pod, name="", uid="")
        if shape not in self._fits_nowhere:
            plugins, form = plugins_of(pod, self.scenario), alone(pod)
            opened = self.disturbed.unsettled or self._opening
            known = not beyond_counting(form, plugins, self.scenario.devices)
            nowhere = known and not opened and self._empty.judge.choice(form, plugins).kind == "unschedulable"
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

    @cached_property
    def evictors(self) -> Evictors | None:
        """The pods that preempt, if it is proved that each does so once and that no other pod does."""
        assert self.disturbed is not None
        if self._calm:
            return None
        return evictors(
            self.scenario,
            self.snapshot,
            self.disturbed,
            self.events,
            self._counting,
            self._empty,
            self.top,
            lambda pod: self._shares.lasting(pod, among_all=True),
            self._never_fits,
            lambda pod: self._place(pod).proved,
        )

    @cached_property
    def evictions_end(self) -> bool:
        """Whether pods preempt only finitely often after the last event, in every behaviour.

        Else let the pods of some priority be the highest that preempt forever. Once the pods above them, and they, are bound
        no more, one of them is nominated again and again. But a lasting nomination ends with the pod bound.
        """
        assert self.disturbed is not None
        disturbed = self.disturbed
        if disturbed.tainted:
            return False
        lowest = min((pod.priority for pod in self.scenario.pods if not completed(pod)), default=0)
        displaced = (newly_arrived(pod) for pod in self.scenario.pods if pod.node_name and pod.priority < self.top)
        return all(
            pod.priority == lowest
            or pod.preemption_policy == "Never"
            or self._never_fits(pod)
            or self._shares.lasting(pod)
            or self.certain(pod)
            for pod in (*disturbed.waiting, *disturbed.moving, *displaced)
        )

    def _calm_above(self, priority: int) -> bool:
        """Whether no pod above this priority ever preempts, wherever pods of no higher priority go."""
        assert self.disturbed is not None
        able = (*self.disturbed.waiting, *self.disturbed.moving)
        return all(
            pod.priority <= priority or pod.preemption_policy == "Never" or self._never_fits(pod) or self.certain(pod)
            for pod in able
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

    def _is_scheduled(self, pod: Pod) -> bool:
        named = any(pod.scheduler_name == plugins.scheduler_name for plugins in self.scenario.plugins)
        return named and not pod.scheduling_gates

    def _comes_back(self, pod: Pod) -> bool:
        """Whether a bound pod waits in some behaviour: an event ends it, and its owner creates it again."""
        scenario = self.scenario
        ends = any(
            rule.event in ("complete", "delete") and pod.key in rule.pods and rule.bound != 0 for rule in scenario.rules
        )
        recreated = "owners" in scenario.controllers and pod.owner[0] in RECREATING and not pod.template_node_name
        there = any(pod.node_name == node.name for node in scenario.nodes) and pod.key not in scenario.absent
        return ends and recreated and self._is_scheduled(pod) and there and self.events != 0

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
            decisions = self._staying.judged(form, plugins, frozenset()).decisions
            refused = self._staying.choice(form, plugins).kind == "unschedulable"
            return refused and all(isinstance(each, Wait) for each in decisions)
        return False

    @cached_property
    def _staying(self) -> CycleJudge:
        """The cluster with only the pods that never leave their nodes."""
        moving = self._others.pods
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
        waiting = sum(each.key != pod.key for each in self.disturbed.waiting)
        leaving = len(self.disturbed.leaving)
        each_with = [replace(each, others=each.others + waiting, left=each.others + leaving) for each in cases]
        return counting.place(pod, plugins_of(pod, self.scenario), self._others, each_with)

    @cached_property
    def _counting(self) -> Counting:
        assert self.disturbed is not None
        return Counting(self.snapshot, self.disturbed.unsettled)

    @cached_property
    def _others(self) -> Others:
        assert self.disturbed is not None
        disturbed = self.disturbed
        may_leave = disturbed.leaving | {pod.key for pod in disturbed.moving}
        leaving = tuple(pod for pod in self.snapshot.pods if pod.key in may_leave)
        steady = not disturbed.closing and not disturbed.unsettled and not self._opening
        return Others((*disturbed.waiting, *disturbed.moving), leaving, steady)

    @property
    def _opening(self) -> bool:
        """Whether an event may open a node."""
        return any(rule.event in OPENING for rule in self.scenario.rules)


def _told_of_evictors(found: Evictors) -> str:
    """Return in words which pods preempt, and how many may be evicted."""
    few = ", ".join(str(pod) for pod in sorted(found.pods, key=str)[:3]) + (", …" if len(found.pods) > 3 else "")
    times = "once" if found.times == 1 else f"{found.times:,} times in all"
    most = found.most(found.endangered)
    evicted = "1 pod" if most == 1 else f"{most:,} pods"
    return (
        f"only {few} may preempt, at most {times}, which takes at most {evicted} from the nodes on which they are now"
    )


def _told_of_budget(budget: PodDisruptionBudget, kept: Kept) -> str:
    """Return in words why a budget is kept."""
    gone = "1 pod" if kept.most == 1 else f"{kept.most:,} pods"
    return f"{budget} loses at most {gone} of those that are healthy now, and it can spare {kept.spare:,}"


def _told(pod: Pod, place: Place, peace: str = PEACE) -> str:
    """Return the proof in words."""
    if place.domains:
        return (
            f"in each domain of {place.domains} at least {place.feasible:,} nodes admit {pod} but for its spread; at most"
            f" {place.others:,} other pods may be placed meanwhile, and they can close {place.closed:,} of these; {peace}"
        )
    nodes = "1 node is" if place.feasible == 1 else f"{place.feasible:,} nodes are"
    others = "1 other pod" if place.others == 1 else f"{place.others:,} other pods"
    closing = f"it takes {place.needed:,} to close {'it' if place.feasible == 1 else 'them all'}"
    if place.closed is not None:
        closing = f"they can close {place.closed:,} of them"
    return f"{nodes} feasible for {pod}; at most {others} may be placed meanwhile, and {closing}; {peace}"


def _told_of_shares(pod: Pod, certain: Certain) -> str:
    """Return the proof by shares in words."""
    nodes = "1 node" if certain.nodes == 1 else f"{certain.nodes:,} nodes"
    if certain.evicting:
        return (
            f"{nodes} could take {pod} if empty, and wherever all pods of at least its priority are, they close at most"
            f" {certain.closed:.0%} of these nodes, by what it takes to close each; it may evict all others"
        )
    return (
        f"{nodes} could take {pod} if empty, and wherever all other pods are, however often they are evicted, they close at"
        f" most {certain.closed:.0%} of these nodes, by what it takes to close each"
    )
