"""Pods that leave nodes, by proofs about the whole cluster: `beside_preemption`, `placed_nowhere`."""

from dataclasses import replace
from functools import cache

from schedcheck.checker.limits.timer import doing
from schedcheck.checker.recovery.calm import Calm
from schedcheck.checker.recovery.evictors import Evictors
from schedcheck.checker.recovery.of_pods import OfPods
from schedcheck.checker.recovery.told import told_of_evictors
from schedcheck.checker.relocation.leaving import Leaving
from schedcheck.checker.relocation.relocation import Further, Relocation, protected
from schedcheck.model.controllers import RECREATING, allows
from schedcheck.model.environment import newly_arrived
from schedcheck.spec.budgets import protects
from schedcheck.spec.objects import Pod, PodDisruptionBudget


def beside_preemption(leaving: Leaving, found: Relocation) -> Relocation | None:
    """Return the proof that all ends well although some pods may evict others; None without one.

    Either none of them ever does, or only pods that preempt once each, and each pod finds a place even then.
    """
    if not found.evicting or not all(each.proved for each in found.places.values()):
        return None
    doing("counting the places of the pods that are evicted meanwhile")
    calm = Calm(leaving.scenario, None)
    if calm.disturbed is None:
        return None
    if calm.calm:
        made = replace(found, evicting=(), budgets=tuple(protected(leaving, lambda pod: True)))
    elif calm.evictors is not None:
        made = _beside(leaving, calm.evictors)
    else:
        return None
    return made if made.proved else None


def _beside(leaving: Leaving, evictors: Evictors) -> Relocation:
    """Return what counting says beside these pods, which preempt once each."""
    places = {pod.key: evictors.place(fresh) for pod, fresh in zip(leaving.movers, leaving.fresh, strict=True)}

    @cache
    def regained(budget: PodDisruptionBudget) -> bool:
        """Whether each pod of the budget that may be evicted by preemption is bound again."""
        endangered = [pod for pod in evictors.endangered if protects(budget, pod)]
        return all(pod.owner[0] in RECREATING and evictors.place(newly_arrived(pod)).proved for pod in endangered)

    def finds(pod: Pod) -> bool:
        return places[pod.key].proved and all(
            regained(each) for each in leaving.scenario.budgets if protects(each, pod)
        )

    return Relocation(
        leaving, places, tuple(protected(leaving, finds)), evictors.pods, peace=told_of_evictors(evictors)
    )  # fmt: skip


def placed_nowhere(leaving: Leaving) -> tuple[Pod, ...]:
    """Return pods that no node takes again, even without any other pod, and that all leave in some behaviour.

    Of a drain no more than the budgets allow at first.
    """
    of_pods = OfPods(leaving.scenario, None)
    if of_pods.disturbed is None:
        return ()
    budgets, found = leaving.scenario.budgets, list[Pod]()
    for pod, fresh in zip(leaving.movers, leaving.fresh, strict=True):
        if of_pods.fits_nowhere(fresh) and (not leaving.drain or allows(budgets, pod)):
            found.append(pod)
            budgets = tuple(
                replace(each, disruptions_allowed=each.disruptions_allowed - protects(each, pod)) for each in budgets
            )
    return tuple(found)


FURTHER = Further(beside_preemption, placed_nowhere)
"""What is proved about the whole cluster where counting the places of the pods that leave is not enough."""
