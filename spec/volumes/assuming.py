"""The storage as kube-scheduler assumes it while a pod has a node that is not stored yet: `assumed_storage`.

Kubernetes 1.37: AssumePodVolumes in pkg/scheduler/framework/plugins/volumebinding/binder.go.

Not modelled: PreBind, which writes it.
"""

from dataclasses import replace

from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.storage import ClaimReference, PersistentVolumeClaim, Storage
from schedcheck.spec.volumes.binding import claims_of
from schedcheck.spec.volumes.matching import to_bind, to_provision


def assumed_storage(pod: Pod, node: Node, storage: Storage) -> Storage:
    """Return the storage with what the waiting claims of `pod` take on the node.

    The volumes that they take are kept for them. The others are provisioned for this node.
    """
    waiting = claims_of(pod, storage).waiting
    if waiting == ():
        return storage
    kept = {volume.name: replace(volume, claim=_reference(claim)) for claim, volume in to_bind(waiting, node)}
    begun = {claim.key: replace(claim, selected_node=node.name) for claim in to_provision(waiting, node)}
    return replace(
        storage,
        volumes=tuple(kept.get(each.name, each) for each in storage.volumes),
        claims=tuple(begun.get(each.key, each) for each in storage.claims),
    )


def _reference(claim: PersistentVolumeClaim) -> ClaimReference:
    return ClaimReference(claim.namespace, claim.name, claim.uid)
