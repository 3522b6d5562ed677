"""The Deployment controller: it scales the ReplicaSets of the former and of the present template.

Kubernetes 1.34: pkg/controller/deployment: rolling.go, rolloutRolling, reconcileNewReplicaSet, reconcileOldReplicaSets,
cleanupUnhealthyReplicas and scaleDownOldReplicaSetsForRollingUpdate; recreate.go, rolloutRecreate;
util/deployment_util.go, NewRSNewReplicas, ResolveFenceposts and MaxUnavailable.

Not modelled: an outdated status of a ReplicaSet that counts pods which were deleted; several former ReplicaSets;
progressDeadlineSeconds, which only reports.
"""

import math

from schedcheck.model.rollouts import Rollout, Scales


def share(value: int | str, of: int, *, up: bool) -> int:
    """Return a count of pods, or a percentage of `of` rounded up or down."""
    if isinstance(value, int):
        return value
    exact = int(value.removesuffix("%")) * of
    return -(-exact // 100) if up else math.floor(exact / 100)


def fenceposts(surge: int | str, unavailable: int | str, replicas: int) -> tuple[int, int]:
    """Return maxSurge and maxUnavailable in pods: the first rounded up, the second down, and 0 and 1 if both are 0."""
    more, fewer = share(surge, replicas, up=True), share(unavailable, replicas, up=False)
    return (0, 1) if more == fewer == 0 else (more, fewer)


def synced(rollout: Rollout, scales: Scales, available: Scales, former_left: bool) -> Scales:
    """Return the replicas that the next synchronization asks of the former and of the present ReplicaSet.

    `available` are the numbers of their available pods; `former_left`: a pod by the former template exists, even if it
    is being deleted.
    """
    return (_recreated if rollout.recreate else _rolled)(rollout, scales, available, former_left)


def _recreated(rollout: Rollout, scales: Scales, available: Scales, former_left: bool) -> Scales:
    if scales[0] > 0:
        return 0, scales[1]
    return scales if former_left else (0, rollout.replicas)


def _rolled(rollout: Rollout, scales: Scales, available: Scales, former_left: bool) -> Scales:
    former, present = scales
    if present > rollout.replicas:
        return former, rollout.replicas
    room = rollout.replicas + rollout.surge - former - present
    if present < rollout.replicas and room > 0:
        return former, present + min(room, rollout.replicas - present)
    return _shrunk(rollout, scales, available), present


def _shrunk(rollout: Rollout, scales: Scales, available: Scales) -> int:
    """Return the replicas of the former ReplicaSet: unavailable pods go first, then as many as may be missing."""
    former, present = scales
    least = rollout.replicas - min(rollout.unavailable, rollout.replicas)
    most = former + present - least - (present - available[1])
    # The status still counts pods that are to be deleted: the controller waits.
    if former == 0 or most <= 0 or available[0] > former:
        return former
    former -= min(most, former - available[0])
    return former - min(former, max(0, sum(available) - least))
