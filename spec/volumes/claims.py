"""The volume claims of a pod: `claim_name`, `claimed`, `made_for`, and messages about objects that do not exist.

Kubernetes 1.34: k8s.io/component-helpers/storage/ephemeral, and NewNotFound in k8s.io/apimachinery/pkg/api/errors.
"""

from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import ClaimSource, Ephemeral, PersistentVolumeClaim, Volume


def claim_name(volume: Volume, pod: Pod) -> str | None:
    """Return the name of the claim behind a volume of `pod`; None if the volume has no claim."""
    match volume.source:
        case ClaimSource(name):
            return name
        case Ephemeral():
            return f"{pod.name}-{volume.name}"
    return None


def claimed(pod: Pod) -> tuple[str, ...]:
    """Return the claims that `pod` itself names, one for each volume; claims of ephemeral volumes are not included."""
    return tuple(volume.source.claim_name for volume in pod.volumes if isinstance(volume.source, ClaimSource))


def made_for(volume: Volume, claim: PersistentVolumeClaim) -> bool:
    """Whether the claim may serve the volume: for an ephemeral volume, its pod must be the claim's controller."""
    return not isinstance(volume.source, Ephemeral) or claim.owner_uid == volume.source.pod_uid


def not_made_for(pod: Pod, claim: PersistentVolumeClaim) -> str:
    """Return the message for a claim with the name of an ephemeral volume's claim of `pod`, but with another owner."""
    return (
        f"PVC {claim.namespace}/{claim.name} was not created for pod {pod.namespace}/{pod.name} (pod is not owner)"
    )  # fmt: skip


def not_found(resource: str, name: str) -> str:
    """Return the message for an object that does not exist."""
    return f'{resource} "{name}" not found'
