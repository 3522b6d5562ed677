"""The claims of a pod by name, and messages about unusable claims: `claims_of`, `not_found`, `not_made_for`.

Kubernetes 1.34: k8s.io/component-helpers/storage/ephemeral, k8s.io/apimachinery/pkg/api/errors.
"""

from collections.abc import Iterator

from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import ClaimSource, Ephemeral, PersistentVolumeClaim, Volume

FOR_ONE_POD = "ReadWriteOncePod"
"""The access mode of a claim that only one pod may use."""


def claim_name(volume: Volume, pod: Pod) -> str | None:
    """Return the name of the claim of a pod's volume, None if it has no claim."""
    if isinstance(volume.source, ClaimSource):
        return volume.source.claim_name
    return f"{pod.name}-{volume.name}" if isinstance(volume.source, Ephemeral) else None


def claims_of(pod: Pod) -> Iterator[tuple[Volume, str]]:
    """Yield the volumes of the pod that have a claim, ephemeral volumes included, with the claim's name."""
    for volume in pod.volumes:
        name = claim_name(volume, pod)
        if name is not None:
            yield volume, name


def named_by(pod: Pod) -> tuple[str, ...]:
    """Return the claims that the pod names itself, one a volume."""
    return tuple(volume.source.claim_name for volume in pod.volumes if isinstance(volume.source, ClaimSource))


def not_found(kind: str, name: str) -> str:
    """Return the API's message about a missing object."""
    return f'{kind} "{name}" not found'


def not_made_for(pod: Pod, volume: Volume, claim: PersistentVolumeClaim) -> str:
    """Return why a claim cannot be that of an ephemeral volume: another pod owns it. Empty if it can."""
    if not isinstance(volume.source, Ephemeral) or claim.owner_uid == volume.source.pod_uid:
        return ""
    return f"PVC {'/'.join(claim.key)} was not created for pod {'/'.join(pod.key)} (pod is not owner)"
