"""Pods that leave a node for good: `placed_nowhere`."""

from dataclasses import replace

from schedcheck.checker.recovery.of_pods import OfPods
from schedcheck.checker.relocation.leaving import Leaving
from schedcheck.model.controllers import allows
from schedcheck.spec.budgets import protects
from schedcheck.spec.objects import Pod


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
