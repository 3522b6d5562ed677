"""The StatefulSet controller: pods with fixed names, created upwards, deleted and updated downwards.

Kubernetes 1.34: pkg/controller/statefulset/stateful_set_control.go, updateStatefulSet, processReplica and
processCondemned; stateful_set_utils.go, newVersionedStatefulSetPod. Not modelled: maxUnavailable, which needs a feature
gate; the update of volumes.
"""

from collections.abc import Collection, Iterator, Mapping

from schedcheck.model.controllers.replica_set import active, available
from schedcheck.model.rollouts import Key, Rollout
from schedcheck.spec.objects import Pod


def form_of(rollout: Rollout, number: int) -> Pod:
    """Return the pod as it is created: below the partition by the former template."""
    form = rollout.forms[number]
    if not rollout.rolling or number >= rollout.partition:
        return form
    return next((each for each in rollout.former if each.key == form.key), form)


def steps(rollout: Rollout, pods: Mapping[Key, Pod], timed: Collection[Key] = ()) -> Iterator[tuple[Pod, bool]]:
    """Yield what may come next: a form and True to create it, or a pod and False to delete it.

    `timed` are the ready pods that are not available yet.
    """
    waits = False
    for number, form in enumerate(rollout.forms):
        pod = pods.get(form.key)
        if pod is None:
            yield form_of(rollout, number), True
            waits = True
        if rollout.ordered and (pod is None or not available(pod, timed)):
            return
    if waits:
        return
    going = list(_condemned(rollout, pods, timed))
    yield from ((pod, False) for pod in going)
    if not going and (not rollout.ordered or not _beyond(rollout, pods)):
        yield from ((pod, False) for pod in _outdated(rollout, pods, timed))


def _beyond(rollout: Rollout, pods: Mapping[Key, Pod]) -> list[Pod]:
    """Return the pods beyond the replicas, those of the highest ordinals first."""
    wanted = {form.key for form in rollout.forms}
    return [pods[each.key] for each in reversed(rollout.former) if each.key not in wanted and each.key in pods]


def _condemned(rollout: Rollout, pods: Mapping[Key, Pod], timed: Collection[Key]) -> Iterator[Pod]:
    """Yield the pods beyond the replicas that may be deleted now."""
    there = _beyond(rollout, pods)
    if not rollout.ordered:
        yield from (pod for pod in there if active(pod))
        return
    unhealthy = [pod for pod in there if not available(pod, timed)]
    if there and active(there[0]) and (available(there[0], timed) or there[0] == unhealthy[-1]):
        yield there[0]


def _outdated(rollout: Rollout, pods: Mapping[Key, Pod], timed: Collection[Key]) -> Iterator[Pod]:
    """Yield the next pod to update, from the highest ordinal down; it waits until those above are available."""
    for number in reversed(range(rollout.partition, len(rollout.forms))):
        pod = pods.get(rollout.forms[number].key)
        if pod is not None and active(pod) and not rollout.updated(pod):
            yield pod
            return
        if not available(pod, timed):
            return
