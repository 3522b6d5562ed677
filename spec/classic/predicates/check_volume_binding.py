"""The predicate CheckVolumeBinding: each claim of a pod has, or can get, a volume that the node can use.

Kubernetes 1.17: VolumeBindingChecker in pkg/scheduler/algorithm/predicates/predicates.go, FindPodVolumes in
pkg/controller/volume/scheduling/scheduler_binder.go. Bound, available and provisionable volumes are as in 1.34, except
for storage capacity, which 1.17 does not know.
Differs: errors have the words of 1.34.
"""

from dataclasses import replace
from typing import Final

from frozendict import frozendict

from schedcheck.spec.classic.failures import VOLUME_BIND_CONFLICT, VOLUME_NODE_CONFLICT, Failure, error
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.volumes.binding import OUT_OF_REACH, claims_of, refusal, rejection
from schedcheck.spec.volumes.provisioning import NONE_TO_BIND

FAILURES: Final = frozendict({OUT_OF_REACH: VOLUME_NODE_CONFLICT, NONE_TO_BIND: VOLUME_BIND_CONFLICT})
"""The failure for each reason of 1.34; any other reason is an error in 1.17."""


@looks_at("node.labels", "storage.claims", "storage.classes", "storage.nodes", "storage.volumes")
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failures of CheckVolumeBinding on `node`: bound volumes first, then unbound claims."""
    storage = replace(snapshot.storage, capacities=(), drivers=())
    refused = rejection(pod, storage) or refusal(node, claims_of(pod, storage), storage)
    reasons = refused.reasons if refused is not None else ()
    erring = tuple(error(each) for each in reasons if each not in FAILURES)
    return erring[:1] or tuple(FAILURES[each] for each in reasons)


def check_volume_binding(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether `node` can use every bound volume of `pod`, and every other claim can get a volume there."""
    return failures(pod, node, snapshot) == ()
