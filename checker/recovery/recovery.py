"""Proofs by counting about one pod or budget of a cluster of any size: `Recovery`, `Proof`.

That a pod finds a place is proved as in `checker.relocation.counting`, for all behaviours with so many events: the
pods that may wait at the same time are too few to close every node. If this is so of each pod that could evict another
one, no pod is ever evicted by preemption: the first to preempt would have found a place.

Only kube-scheduler. What is proved is stronger than what is asked: a node is feasible whenever the pod waits.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from schedcheck.checker.check import may_wait
from schedcheck.checker.recovery.calm import Calm
from schedcheck.checker.recovery.disturbances import drawn_to_taints
from schedcheck.checker.recovery.evictors import kept
from schedcheck.checker.recovery.of_pods import ENDING
from schedcheck.checker.recovery.told import (
    CALM_ABOVE,
    PEACE,
    PERHAPS,
    UNMOVED,
    told,
    told_of_budget,
    told_of_evictors,
    told_of_shares,
)
from schedcheck.model.environment import newly_arrived
from schedcheck.model.scenario import ANY, Rule, Scenario
from schedcheck.spec.objects import Pod, PodDisruptionBudget


@dataclass(frozen=True)
class Proof:
    """Why every behaviour has a property; `tested` says whether its premises are met in some behaviour, None if unknown."""

    why: str
    tested: bool | None


class Recovery(Calm):
    """A cluster of kube-scheduler with at most so many events in a behaviour; None is any number."""

    def recovers(self, pod: Pod, *, can: bool = False) -> Proof | None:
        """Return the proof that some node is feasible whenever the pod waits; None if counting does not prove it.

        With `can` it is asked whether the pod can still be bound, for which it does not matter whether evictions end.
        """
        disturbed = self.disturbed
        if not may_wait(pod, self.scenario):
            return Proof(f"{pod} never waits: once it leaves its node, nothing creates it again", tested=False)
        if disturbed is None:
            return None
        waits = self._waits(pod) or self._arrives(pod) or self._comes_back(pod)
        moves = any(case.others for case in disturbed.cases) and any(each.key == pod.key for each in disturbed.moving)
        if waits or moves:
            why = self._finds_a_place(pod, can)
            if why is None:
                return None
            return Proof(why if waits else f"{PERHAPS}; {why}", tested=True if waits else None)
        stays = bool(pod.node_name) and all(each.key != pod.key for each in disturbed.waiting)
        if stays and self.evictors and all(each.key != pod.key for each in self.evictors.endangered):
            return Proof(f"no event moves {pod}, and {told_of_evictors(self.evictors)}, none of them it", tested=False)
        if stays and not self.calm:
            if (beside := self._beside_evictors(newly_arrived(pod))) is not None:
                return Proof(f"{UNMOVED}; {beside}", tested=None)
            again = self.placed(newly_arrived(pod)) if can or self.evictions_end else None
            return None if again is None else Proof(f"{UNMOVED}; {told_of_shares(pod, again)}", tested=None)
        return Proof(f"no event moves {pod}, and {PEACE}", tested=False) if stays else None

    def _finds_a_place(self, pod: Pod, can: bool) -> str | None:
        """Return the proof that some node is feasible for a pod that waits, or that events make wait."""
        assert self.disturbed is not None
        awaited = pod in self.disturbed.waiting
        form = pod if awaited else newly_arrived(pod)
        place = self._place(pod) if awaited else self._place_once_moved(form)
        if place.proved and self.calm:
            return told(pod, place)
        if (beside := self._beside_evictors(form)) is not None:
            return beside
        certain = self.placed(form) if can or self.evictions_end else None
        return None if certain is None else told_of_shares(pod, certain)

    def _beside_evictors(self, pod: Pod) -> str | None:
        """Return the proof that a fresh pod finds a place although others preempt once each; None without one."""
        if self.evictors is None or any(each.key == pod.key for each in self.evictors.pods):
            return None
        place = self.evictors.place(pod)
        return told(pod, place, told_of_evictors(self.evictors)) if place.proved else None

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
            or disturbed.unsettled
            or (disturbed.closing and self._opening)
            or any(rule.event == "evict" for rule in self.scenario.rules)
        ):
            return None
        pods = list(pods)
        if disturbed.closing and disturbed.tainted:
            return self._spares_by_taints(budget)
        leaving = {pod.key for pod in disturbed.waiting}
        if others and disturbed.leaving and disturbed.tainted:
            return None
        if any((pod.node_name and pod.key in leaving) or drawn_to_taints(pod, disturbed) for pod in pods):
            return None
        if self.calm:
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
        peace = told_of_evictors(self.evictors)
        if budget is not None:
            spared = self.evictors.keeps(budget)
            if spared is None:
                return None
            tested = None if self.evictors.evicts(pods) else False
            return Proof(f"{peace}; {told_of_budget(budget, spared)}", tested)
        moved = {each.key for each in (*self.disturbed.waiting, *self.disturbed.moving, *self.evictors.endangered)}
        tested = others and self._some_eviction
        if any(pod.key in moved for pod in pods) or (others and not tested):
            return None
        return Proof(f"{peace}, none of them asked about", tested)

    def _spares_by_taints(self, budget: PodDisruptionBudget | None) -> Proof | None:
        """Return the proof that a budget can spare the pods that taints evict from nodes that events close, and others."""
        assert self.disturbed is not None
        disturbed = self.disturbed
        if budget is None or "kubelet" in self.scenario.controllers or not (self.calm or self.evictors):
            return None
        if self.evictors is None:
            spared, peace = kept(budget, self.snapshot, disturbed, disturbed.departures), PEACE
        else:
            spared, peace = self.evictors.keeps(budget), told_of_evictors(self.evictors)
        return None if spared is None else Proof(f"{peace}; {told_of_budget(budget, spared)}", tested=None)

    def hopeless(self, pod: Pod) -> Scenario | None:
        """Return the part of the cluster that alone keeps a pod pending in every behaviour, whatever the others do.

        A pod that waits is beside the pods that never leave, as no more room appears. A bound one that an event moves is
        alone, with the events that end it, if no node takes it once it is created again.
        """
        if self.disturbed is None:
            return None
        if self._comes_back(pod) and self.fits_nowhere(newly_arrived(pod)):
            return self._moved_for_good(pod)
        if not self._waits(pod) or not self.calm or not self._evicts_none(pod):
            return None
        kept = (*self._staying.there.running.pods, pod)
        note = f"left out, as {pod} is never bound, wherever they go: {self._left_out(kept)}"
        return replace(
            self.scenario,
            pods=tuple(sorted(kept, key=lambda each: each.key)),
            absent=frozenset(),
            rules=(),
            controllers=frozenset(),
            cut=(note,) if len(kept) < len(self.snapshot.pods) else (),
        )

    def _left_out(self, kept: Sequence[Pod]) -> str:
        """Return how many pods of the snapshot are none of these."""
        number = len(self.snapshot.pods) - len(kept)
        return f"{number:,} pod{'' if number == 1 else 's'}"

    def _moved_for_good(self, pod: Pod) -> Scenario:
        """Return a bound pod alone, with the events that end it."""
        note = f"left out, as no node takes {pod} once it has left its own, wherever they go: {self._left_out((pod,))}"
        return replace(
            self.scenario,
            pods=(pod,),
            absent=frozenset(),
            rules=tuple(_about(pod, self.scenario.rules)),
            controllers=self.scenario.controllers & {"owners", "kubelet"},
            budgets=(),
            cut=(note,),
        )


def _about(pod: Pod, rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yield the rules by which the pod ends, for it alone, and those that bound all events."""
    for rule in rules:
        if rule.event == ANY:
            yield rule
        elif rule.event in ENDING and pod.key in rule.pods:
            yield replace(rule, pods=(pod.key,))
