"""Proofs that pods to come are bound in the end although pods may be evicted: `anywhere`.

Nothing is assumed of where the other pods are, nor how often they are evicted: `recovery.shares` says how they are
counted. Evictions end, and then every pod that waits has a feasible node until it is bound; or it would evict again.

The controllers of a Deployment and a ReplicaSet may also delete pods. The replicas of the former template only fall and
those of the present one only rise, so that deletions end, and then evictions end. If each new pod is bound, and on a
ready node, the controller has a next step until no former pod is left. So a new pod must have its place even with all
former pods there, and an evicted pod of others must have one without them.

The controller of a DaemonSet deletes each former pod at most once, as what it creates follows the present template. Without
maxSurge it creates a pod when the former one on the node is gone, and no other of its pods is ever on this node. That of a
StatefulSet that is new, or that is scaled up and keeps its template, deletes nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from schedcheck.checker.deploying.counting import pin
from schedcheck.checker.deploying.question import Deploying, waits
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.recovery.recovery import Recovery
from schedcheck.checker.recovery.shares import Certain
from schedcheck.model.controllers import RECREATING
from schedcheck.model.environment import newly_arrived
from schedcheck.model.rollouts import Key, Rollout
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod


def anywhere(asked: Deploying) -> Mapping[Key, Certain]:
    """Return the proof for each pod to come, if all have one and so have the pods asked about that may be evicted.

    Empty if one has none, if a StatefulSet deletes pods, or if a pod to come may be evicted that nothing
    creates again.
    """
    deleting = [each for each in asked.scenario.rollouts if waits(each)]
    if deleting and not (_all_ready(asked) and all(_completes(each, asked.scenario) for each in deleting)):
        return {}
    doing("counting what all pods can close")
    recovery = Recovery(asked.scenario, 0)
    beside: dict[Key, Recovery] = {}
    for each in asked.scenario.rollouts:
        if each.kind == "DaemonSet" and _apart(each):
            beside |= dict.fromkeys(each.keys, Recovery(_without((*each.forms, *each.former), asked.scenario), 0))
    found = {key: beside.get(key, recovery).placed(form) for key, form in asked.forms.items()}
    proved = {key: each for key, each in found.items() if each is not None}
    if len(proved) < len(found) or not recovery.evictions_end:
        return {}
    lasting = all(asked.forms[key].priority >= recovery.top for key in asked.singles if key in asked.forms)
    completed = Recovery(after(asked.scenario), 0) if deleting else recovery
    former = {pod.key for each in deleting for pod in each.former}
    again = all(completed.placed(pod) for pod in _evictable(asked, recovery.top) if pod.key not in former)
    return proved if lasting and again else {}


def _completes(rollout: Rollout, scenario: Scenario) -> bool:
    """Whether the controller deletes finitely often, and has a next step until it is done, if all its pods are available."""
    if rollout.kind == "StatefulSet":
        outdated = rollout.rolling and any(form.key not in scenario.absent for form in rollout.forms)
        return not rollout.former and not outdated
    if rollout.kind == "DaemonSet":
        # A pod that has ended keeps the controller from creating another on its node.
        ended = any(completed(pod) for pod in scenario.pods if pod.key in rollout.keys)
        return rollout.unavailable > 0 and not rollout.surge and not ended and _apart(rollout)
    return True


def _apart(rollout: Rollout) -> bool:
    """Whether pods of a DaemonSet on other nodes do not matter to its pods: all are for one node, without anti-affinity."""
    pods = (*rollout.forms, *rollout.former)
    return all(pin(pod) != "" and not pod.affinity.anti_required for pod in pods)


def _all_ready(asked: Deploying) -> bool:
    """Whether a pod becomes available on every node, and ends there once it is deleted."""
    return all(node.ready == "True" for node in asked.scenario.nodes)


def after(scenario: Scenario) -> Scenario:
    """Return the cluster after the rollouts have completed, so that their former pods are gone."""
    return _without((pod for each in scenario.rollouts for pod in each.former), scenario)


def _without(pods: Iterable[Pod], scenario: Scenario) -> Scenario:
    former = {pod.key for pod in pods}
    return replace(
        scenario,
        pods=tuple(pod for pod in scenario.pods if pod.key not in former),
        absent=scenario.absent - former,
    )


def _evictable(asked: Deploying, top: int) -> Iterator[Pod]:
    """Yield the bound pods that may be evicted and must be bound again, in fresh form."""
    for pod in asked.scenario.pods:
        asked_again = pod.key in asked.keys or (asked.others and pod.owner[0] in RECREATING)
        if asked_again and pod.node_name and pod.key not in asked.scenario.absent and pod.priority < top:
            yield newly_arrived(pod)
