"""The extension points, each a protocol that a plugin may implement.

Filter and Score take many nodes at once; a single node is an array of one row, so that there is one implementation.

Kubernetes 1.34: k8s.io/kube-scheduler/framework/interface.go.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.events import EventOfInterest
from schedcheck.model.production.framework.status import Status
from schedcheck.model.production.framework.verdicts import NodeStatuses, Verdicts
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.objects import Pod
from schedcheck.spec.workload_objects import PodGroup

LOWEST_SCORE, HIGHEST_SCORE = 0, 100


class Plugin(Protocol):
    """A plugin, which has a name."""

    @property
    def name(self) -> str:
        """Return the name that configurations and statuses use for the plugin."""
        ...


class Queued(Protocol):
    """A pod in the queue, as QueueSort sees it."""

    @property
    def pod(self) -> Pod:
        """Return the pod."""
        ...

    @property
    def timestamp(self) -> float:
        """Return when the pod entered the queue, in seconds."""
        ...


class QueueSortPlugin(Plugin, Protocol):
    """The order of the scheduling queue."""

    def less(self, left: Queued, right: Queued) -> bool:
        """Whether `left` is scheduled before `right`."""
        ...


class PreEnqueuePlugin(Plugin, Protocol):
    """Whether a pod may enter the activeQ."""

    def pre_enqueue(self, pod: Pod) -> Status:
        """Return a success, or a rejection that keeps the pod out of the activeQ."""
        ...


class EventsPlugin(Plugin, Protocol):
    """The events that may make a pod schedulable which this plugin rejected (EnqueueExtensions)."""

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest, with their queueing hints."""
        ...


class PreFilterPlugin(Plugin, Protocol):
    """Computations once in each cycle, before Filter."""

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Return a success, a skip or a rejection of all nodes; and the names of the remaining nodes, None for all."""
        ...


class PreFilterExtensions(Protocol):
    """Updates of the PreFilter state for pods that are added to a node or removed from it."""

    def add_pods(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo]) -> None:
        """Add each of `infos` to the node at the same index, within a trial."""
        ...

    def remove_pods(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo]) -> None:
        """Remove each of `infos` from the node at the same index, within a trial."""
        ...


class ElsewhereExtension(Protocol):
    """An update of the PreFilter state for pods that come or go on nodes other than those of the trial."""

    def elsewhere(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo], sign: int) -> None:
        """Add (1) or remove (-1) each of `infos` on the node at the same index, in every world."""
        ...


class FilterPlugin(Plugin, Protocol):
    """A plugin that decides which nodes can run the pod."""

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Return the verdict on each node."""
        ...


class SteadyPlugin(FilterPlugin, Protocol):
    """A filter that does not look at the pods on a node."""

    @property
    def looks_at_no_pods(self) -> bool:
        """Return True."""
        ...


class CeilingsPlugin(FilterPlugin, Protocol):
    """A filter that passes a node exactly if its pods take no more of some resources than a ceiling."""

    def ceilings(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> tuple[list[int], Numbers]:
        """Return the columns of these resources in the table, and the ceilings, one row a node and one column each."""
        ...


@dataclass(frozen=True)
class PostFilterResult:
    """The nominated node of the pod after PostFilter, and the victims to be evicted from it.

    An empty name removes the nomination; None keeps the one that the pod has. `candidates` are the nodes among which it
    was chosen, for an observer.
    """

    nominated_node: str | None
    victims: tuple[Pod, ...] = ()
    candidates: tuple[str, ...] = field(default=(), repr=False, compare=False)


class PostFilterPlugin(Plugin, Protocol):
    """Actions for a pod that fits on no node."""

    def post_filter(
        self, state: CycleState, pod: PodInfo, statuses: NodeStatuses
    ) -> tuple[PostFilterResult | None, Status]:
        """Return a success with the nominated node, or a rejection; without a result the nomination is kept."""
        ...


class PreScorePlugin(Plugin, Protocol):
    """A plugin that computes something once in each cycle, before Score."""

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Status:
        """Return a success, or a skip if the plugin is not to score; any other status ends the cycle."""
        ...


class ScorePlugin(Plugin, Protocol):
    """A plugin that rates the nodes."""

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers | Status:
        """Return the scores of the nodes, exact integers; or an error."""
        ...


class NormalizeScorePlugin(ScorePlugin, Protocol):
    """The mapping of scores to numbers from 0 to 100."""

    def normalize(self, state: CycleState, pod: PodInfo, nodes: Nodes, scores: Numbers) -> Numbers | Status:
        """Return the scores of the nodes, from 0 to 100; or an error."""
        ...


class PlacementFeasiblePlugin(Plugin, Protocol):
    """Whether a PodGroup fits, asked in its cycle after each of its pods."""

    def placement_feasible(self, group: PodGroup, placed: int, remaining: int) -> Status:
        """Return a success, a wait if more pods may help, or a rejection, for so many pods with a node and untried."""
        ...


class ReservePlugin(Plugin, Protocol):
    """Reservations for an assumed pod."""

    def reserve(self, state: CycleState, pod: Pod, node: str) -> Status:
        """Return a success, or a rejection or error that ends the cycle."""
        ...

    def unreserve(self, state: CycleState, pod: Pod, node: str) -> None:
        """Undo the reservation; there may be none, or it may be undone already."""
        ...


class PermitPlugin(Plugin, Protocol):
    """Whether an assumed pod may be bound, now or later."""

    def permit(self, state: CycleState, pod: Pod, node: str) -> tuple[Status, float]:
        """Return a success, a rejection, an error, or a wait with its timeout in seconds."""
        ...


class PreBindPlugin(Plugin, Protocol):
    """Work before a pod is bound."""

    def pre_bind(self, state: CycleState, pod: Pod, node: str) -> Status:
        """Return a success, or a status that ends the binding cycle."""
        ...


class BindPlugin(Plugin, Protocol):
    """The binding of a pod."""

    def bind(self, state: CycleState, pod: Pod, node: str) -> Status:
        """Return a success, an error, or a skip that leaves the pod to the next plugin."""
        ...


class PostBindPlugin(Plugin, Protocol):
    """Work after a pod was bound."""

    def post_bind(self, state: CycleState, pod: Pod, node: str) -> None:
        """Do it."""
        ...


class RememberingPlugin(Plugin, Protocol):
    """A plugin with state of its own beside the cycle state, which exploration must save and restore."""

    def remembered(self) -> Hashable:
        """Return the plugin's whole state as a value; equal values are the same state."""
        ...

    def recall(self, remembered: Any) -> None:
        """Restore this state into a newly made plugin."""
        ...


POINTS: dict[str, tuple[str, Any]] = {
    "preEnqueue": ("PreEnqueuePlugin", PreEnqueuePlugin),
    "queueSort": ("QueueSortPlugin", QueueSortPlugin),
    "preFilter": ("PreFilterPlugin", PreFilterPlugin),
    "filter": ("FilterPlugin", FilterPlugin),
    "postFilter": ("PostFilterPlugin", PostFilterPlugin),
    "preScore": ("PreScorePlugin", PreScorePlugin),
    "score": ("ScorePlugin", ScorePlugin),
    "placementFeasible": ("PlacementFeasiblePlugin", PlacementFeasiblePlugin),
    "reserve": ("ReservePlugin", ReservePlugin),
    "permit": ("PermitPlugin", PermitPlugin),
    "preBind": ("PreBindPlugin", PreBindPlugin),
    "bind": ("BindPlugin", BindPlugin),
    "postBind": ("PostBindPlugin", PostBindPlugin),
}
"""The extension points by their names in a configuration, each with the name of its Go interface and its protocol."""


@cache
def members(protocol: Any) -> frozenset[str]:
    """Return the names of all members of a protocol."""
    asked = (base for base in protocol.__mro__ if getattr(base, "_is_protocol", False))
    return frozenset(name for base in asked for name in vars(base) if not name.startswith("_"))


def implements(plugin: object, protocol: Any) -> bool:
    """Whether a plugin has all members of a protocol."""
    return all(hasattr(plugin, name) for name in members(protocol))
