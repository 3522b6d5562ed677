"""Further pods like a given one: `form`, `further`.

A further pod differs from its form in its name alone. So pods of a StatefulSet are taken without the labels that name
the pod and its index.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from schedcheck.model.environment import unplaced
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.owners import version_and_kind
from schedcheck.spec.requests import unresized
from schedcheck.spec.storage import ClaimSource, Ephemeral
from schedcheck.spec.values import Labels

OF_ONE_POD = frozenset({"statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"})
"""The labels by which the pods of one StatefulSet differ."""


def form(pod: Pod) -> Pod:
    """Return the pod as its controller would create it once more: pending, unbound, and with a status of nothing."""
    labels = {key: value for key, value in pod.labels.items() if key not in OF_ONE_POD}
    return replace(anew(pod), labels=Labels(labels), template_node_name="", uid="")


def anew(pod: Pod) -> Pod:
    """Return the pod as it is created again under its name."""
    return unresized(unplaced(pod))


def further(pod: Pod, snapshot: Snapshot) -> Iterator[Pod]:
    """Yield pods of this form without end, under names that no pod of the snapshot has."""
    taken = {each.name for each in snapshot.pods if each.namespace == pod.namespace}
    names = (f"{pod.name}-more-{number}" for number in count(1))
    return (replace(pod, name=name) for name in names if name not in taken)


def own_claims(pod: Pod) -> tuple[str, ...]:
    """Return the volumes of the pod whose claims belong to it alone, so that those of a further pod are not known."""
    of_set = version_and_kind(pod.owner[0])[1] == "StatefulSet"
    return tuple(
        volume.name
        for volume in pod.volumes
        if isinstance(volume.source, Ephemeral)
        or (of_set and isinstance(volume.source, ClaimSource) and volume.source.claim_name.endswith(f"-{pod.name}"))
    )
