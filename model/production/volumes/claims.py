"""The claims of a pod by their names, and what is said of one that is not there: `claims_of`, `not_found`, `not_made_for`.

Kubernetes 1.34: k8s.io/component-helpers/storage/ephemeral, k8s.io/apimachinery/pkg/api/errors.
"""

from collections.abc import Iterator

from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import ClaimSource, Ephemeral, PersistentVolumeClaim, Volume

FOR_ONE_POD = "ReadWriteOncePod"
"""The access mode of a claim that one pod alone may use."""


def claim_name(volume: Volume, pod: Pod) -> str | None:
    """The name of the claim that is behind a volume of the pod, None where none is."""
    if isinstance(volume.source, ClaimSource):
        return volume.source.claim_name
    return f"{pod.name}-{volume.name}" if isinstance(volume.source, Ephemeral) else None


def claims_of(pod: Pod) -> Iterator[tuple[Volume, str]]:
    """The volumes of the pod that have a claim, those made for the pod included, each with its name."""
    for volume in pod.volumes:
        name = claim_name(volume, pod)
        if name is not None:
            yield volume, name


def named_by(pod: Pod) -> tuple[str, ...]:
    """The claims that the pod names itself, one a volume."""
    return tuple(volume.source.claim_name for volume in pod.volumes if isinstance(volume.source, ClaimSource))


def not_found(kind: str, name: str) -> str:
    """What the API says of an object that is not there."""
    return f'{kind} "{name}" not found'


def not_made_for(pod: Pod, volume: Volume, claim: PersistentVolumeClaim) -> str:
    """Why a claim cannot be that of the volume: one that should be made for the pod is another's. Empty if it can."""
    if not isinstance(volume.source, Ephemeral) or claim.owner_uid == volume.source.pod_uid:
        return ""
    return f"PVC {'/'.join(claim.key)} was not created for pod {'/'.join(pod.key)} (pod is not owner)"
