"""The claims of a pod: `claim_name`, `claimed`, `made_for`, and what is said of an object that is not there.

Kubernetes 1.34: k8s.io/component-helpers/storage/ephemeral, and NewNotFound in k8s.io/apimachinery/pkg/api/errors.
"""

from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import ClaimSource, Ephemeral, PersistentVolumeClaim, Volume


def claim_name(volume: Volume, pod: Pod) -> str | None:
    """The name of the claim that a volume of `pod` goes by, None where it goes by none."""
    match volume.source:
        case ClaimSource(name):
            return name
        case Ephemeral():
            return f"{pod.name}-{volume.name}"
    return None


def claimed(pod: Pod) -> tuple[str, ...]:
    """The claims that `pod` names itself, one a volume; those that are made for it are not among them."""
    return tuple(volume.source.claim_name for volume in pod.volumes if isinstance(volume.source, ClaimSource))


def made_for(volume: Volume, claim: PersistentVolumeClaim) -> bool:
    """Whether a claim may be the one of an ephemeral volume, as the pod of that volume controls it."""
    return not isinstance(volume.source, Ephemeral) or claim.owner_uid == volume.source.pod_uid


def not_made_for(pod: Pod, claim: PersistentVolumeClaim) -> str:
    """What is said of a claim that has the name of one made for `pod`, and is another's."""
    return (
        f"PVC {claim.namespace}/{claim.name} was not created for pod {pod.namespace}/{pod.name} (pod is not owner)"
    )  # fmt: skip


def not_found(resource: str, name: str) -> str:
    """What is said of an object that is not there."""
    return f'{resource} "{name}" not found'
