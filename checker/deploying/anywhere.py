"""Proofs that pods to come are bound in the end although pods may be evicted: `anywhere`.

Nothing is assumed of where the other pods are, nor how often they are evicted: `recovery.shares` says how they are
counted. Evictions end, and then every pod that waits has a feasible node until it is bound; or it would evict again.
"""

from collections.abc import Iterator, Mapping

from schedcheck.checker.deploying.question import Deploying, waits
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.recovery.recovery import Recovery
from schedcheck.checker.recovery.shares import Certain
from schedcheck.model.controllers import RECREATING
from schedcheck.model.environment import newly_arrived
from schedcheck.model.rollouts import Key
from schedcheck.spec.objects import Pod


def anywhere(asked: Deploying) -> Mapping[Key, Certain]:
    """Return the proof for each pod to come, if all have one and so have the pods asked about that may be evicted.

    Empty if one has none, if a controller deletes pods, or if a pod to come may be evicted that nothing creates again.
    """
    if any(map(waits, asked.scenario.rollouts)):
        return {}
    doing("counting what all pods can close")
    recovery = Recovery(asked.scenario, 0)
    found = {key: recovery.placed(form) for key, form in asked.forms.items()}
    proved = {key: each for key, each in found.items() if each is not None}
    if len(proved) < len(found) or not recovery.evictions_end:
        return {}
    lasting = all(asked.forms[key].priority >= recovery.top for key in asked.singles if key in asked.forms)
    again = all(recovery.placed(pod) for pod in _evictable(asked, recovery.top))
    return proved if lasting and again else {}


def _evictable(asked: Deploying, top: int) -> Iterator[Pod]:
    """Yield the bound pods that may be evicted and must be bound again, in fresh form."""
    for pod in asked.scenario.pods:
        asked_again = pod.key in asked.keys or (asked.others and pod.owner[0] in RECREATING)
        if asked_again and pod.node_name and pod.key not in asked.scenario.absent and pod.priority < top:
            yield newly_arrived(pod)
