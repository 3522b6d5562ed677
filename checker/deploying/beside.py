"""Proofs that pods to come find a place beside pods that preempt: `beside_preemption`.

Only if no pod is deleted for them: workloads that are new, or scaled up. Then the scenario has no kubelet, a pod to come waits
from the beginning, and `recovery` says which pods preempt in the whole cluster and where all others go.
"""

from dataclasses import replace

from schedcheck.checker.deploying.counting import Counted
from schedcheck.checker.deploying.question import Deploying, waits
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.recovery.recovery import Recovery
from schedcheck.checker.recovery.told import told_of_evictors
from schedcheck.model.controllers import RECREATING
from schedcheck.spec.objects import Pod


def beside_preemption(asked: Deploying, found: Counted) -> Counted | None:
    """Return the proof that all pods to come find a place although some pods may evict others; None without one.

    Either none of them ever does, or only pods that preempt once each, none of which is asked about. Nothing is claimed
    of the pods that these evict.
    """
    if not found.evicting or asked.others or any(map(waits, asked.scenario.rollouts)):
        return None
    doing("counting the places of the pods that are evicted meanwhile")
    recovery = Recovery(asked.scenario, 0)
    if recovery.disturbed is None:
        return None
    places = {key: recovery.place(form) for key, form in asked.forms.items()}
    if not all(each.proved for each in places.values()):
        return None
    if recovery.calm:
        return replace(found, places=places, evicting=(), at_rest=False)
    evictors = recovery.evictors
    if evictors is None or evictors.evicts(_lost_if_evicted(asked)):
        return None
    return replace(found, places=places, evicting=evictors.pods, at_rest=False, peace=told_of_evictors(evictors))


def _lost_if_evicted(asked: Deploying) -> list[Pod]:
    """Return the pods to come that nothing creates again."""
    return [pod for key, pod in asked.forms.items() if key in asked.singles and pod.owner[0] not in RECREATING]
