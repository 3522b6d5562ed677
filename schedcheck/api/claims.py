"""Pods whose claims the input lacks altogether: `unclaimed`, `note_unclaimed`."""

from collections.abc import Iterable

from schedcheck.api.values import Observer
from schedcheck.manifests import Cluster
from schedcheck.manifests.missing import lacking, named
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import ClaimSource

CLAIM = "PersistentVolumeClaim"


def unclaimed(pods: Iterable[Pod], cluster: Cluster) -> list[Pod]:
    """Return the pods that name claims, if the input has none at all."""
    if CLAIM in cluster.kinds:
        return []
    return [pod for pod in pods if any(isinstance(volume.source, ClaimSource) for volume in pod.volumes)]


def note_unclaimed(pods: Iterable[Pod], cluster: Cluster, observer: Observer) -> list[Pod]:
    """Return these pods, with a note if they are bound; of pending ones a note is made when the input is read."""
    found = unclaimed(pods, cluster)
    bound = [pod for pod in found if pod.node_name]
    if bound:
        observer.note(lacking(CLAIM, named(bound)))
    return found
