"""The score VolumeBinding: how well the sizes of a pod's claims match the volumes, or the capacity, of a node.

If the pod takes existing volumes on a node, the utilization of these counts; else that of the storage from which volumes
are provisioned. Bound claims, and storage whose driver publishes no capacity, do not count.

Kubernetes 1.37: pkg/scheduler/framework/plugins/volumebinding (volume_binding.go, scorer.go).

Differs: of several capacities that are enough for a claim, kube-scheduler takes any; here the first by name counts. It
panics if this one has a maximumVolumeSize alone; here its capacity is then 0.
"""

from collections.abc import Iterable

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST, Scores, int64, quotient, rounded
from schedcheck.spec.kubernetes.scores.node_resources_fit import broken_line
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import PersistentVolumeClaim, Storage
from schedcheck.spec.volumes.binding import claims_of
from schedcheck.spec.volumes.matching import Wanted, to_bind, to_provision
from schedcheck.spec.volumes.provisioning import limited, spaces

Use = tuple[int, int]
"""An amount requested and the capacity for it, in bytes."""


def volume_binding_skipped(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether the plugin does not score (feature gate StorageCapacityScoring off)."""
    return Departure.STORAGE_CAPACITY_UNRATED in plugins.departures


def of_volumes(waiting: tuple[Wanted, ...], node: Node) -> dict[str, Use]:
    """Return the use of the volumes that the claims take on the node, by storage class."""
    uses: dict[str, Use] = {}
    for claim, volume in to_bind(waiting, node):
        requested, capacity = uses.get(volume.storage_class, (0, 0))
        uses[volume.storage_class] = requested + claim.request, capacity + volume.capacity
    return uses


def of_storage(claims: Iterable[PersistentVolumeClaim], node: Node, storage: Storage) -> dict[str, Use]:
    """Return the use of the storage from which volumes are provisioned, by storage class; one capacity for a class."""
    uses: dict[str, Use] = {}
    for claim in claims:
        made_by = storage.storage_class(claim.storage_class or "")
        if made_by is not None and limited(claim, made_by, storage):
            capacity = next((each.capacity or 0 for each in spaces(claim, made_by, node, storage)), 0)
            uses[made_by.name] = uses.get(made_by.name, (0, 0))[0] + claim.request, capacity
    return uses


def rated(uses: Iterable[Use], shape: tuple[tuple[int, int], ...]) -> int:
    """Return the mean score of the utilizations, by the points of utilization, 0 to 100, and score, 0 to 10."""
    scaled = tuple((utilization, score * (HIGHEST // 10)) for utilization, score in shape)
    shares = [
        HIGHEST if capacity == 0 or requested > capacity else quotient(int64(requested * HIGHEST), capacity)
        for requested, capacity in uses
    ]
    return rounded(sum(broken_line(scaled, share) for share in shares) / len(shares)) if shares else 0


@looks_at("node.labels", "storage")
def volume_binding(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> Scores:
    """Return the score of every node, not normalised; 0 if the filter VolumeBinding is not enabled."""
    if "VolumeBinding" not in plugins.at("filter"):
        return {node.name: 0 for node in nodes}
    storage = snapshot.storage
    waiting = claims_of(pod, storage).waiting
    uses = {
        node.name: of_volumes(waiting, node) or of_storage(to_provision(waiting, node), node, storage) for node in nodes
    }
    return {name: rated(each.values(), plugins.arguments.storage_shape) for name, each in uses.items()}
