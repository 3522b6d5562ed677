"""The extension points, each a protocol that a plugin may implement.

Filter and Score take many nodes at once; asked of one node they are asked of a row, so that there is one implementation.

Kubernetes 1.34: k8s.io/kube-scheduler/framework/interface.go.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
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

LOWEST_SCORE, HIGHEST_SCORE = 0, 100


class Plugin(Protocol):
    """What every plugin has: its name."""

    @property
    def name(self) -> str:
        """The name by which it is enabled and refused."""
        ...


class Queued(Protocol):
    """What a queue is sorted by: the pod, and when it was added, in seconds."""

    @property
    def pod(self) -> Pod:
        """The pod."""
        ...

    @property
    def timestamp(self) -> float:
        """When it was added to the queue."""
        ...


class QueueSortPlugin(Plugin, Protocol):
    """In which order pods are tried."""

    def less(self, left: Queued, right: Queued) -> bool:
        """Whether `left` is tried before `right`."""
        ...


class PreEnqueuePlugin(Plugin, Protocol):
    """Whether a pod may be tried at all."""

    def pre_enqueue(self, pod: Pod) -> Status:
        """A success, or a refusal that keeps the pod out of the active queue."""
        ...


class EventsPlugin(Plugin, Protocol):
    """What may make a pod fit that this plugin refused."""

    def events(self) -> Sequence[EventOfInterest]:
        """The events to be told of."""
        ...


class PreFilterPlugin(Plugin, Protocol):
    """What is worked out once a cycle."""

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """A success, a skip or a refusal of every node; and the names to which the nodes are narrowed, None for all."""
        ...


class PreFilterExtensions(Protocol):
    """How what was worked out changes with the pods on a node."""

    def add_pods(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo]) -> None:
        """Reckon with each of `infos` on the node at its place, which is a world of a trial."""
        ...

    def remove_pods(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo]) -> None:
        """Reckon without each of `infos` on the node at its place, which is a world of a trial."""
        ...


class FilterPlugin(Plugin, Protocol):
    """Which nodes may run the pod."""

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """What is said of each of the nodes."""
        ...


@dataclass(frozen=True)
class PostFilterResult:
    """The node for which the pod is nominated from now on, and who is evicted from it.

    The name is empty for no nomination any more, None where the pod keeps the one that it has.
    """

    nominated_node: str | None
    victims: tuple[Pod, ...] = ()


class PostFilterPlugin(Plugin, Protocol):
    """What is done for a pod that fits nowhere."""

    def post_filter(
        self, state: CycleState, pod: PodInfo, statuses: NodeStatuses
    ) -> tuple[PostFilterResult | None, Status]:
        """A success with the node where it will fit, or a refusal; without a result the nomination is left as it is."""
        ...


class PreScorePlugin(Plugin, Protocol):
    """What is worked out before the scores."""

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Status:
        """A success, or a skip if the plugin is not to score; anything else ends the cycle."""
        ...


class ScorePlugin(Plugin, Protocol):
    """How good each node is."""

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers | Status:
        """The scores of the nodes, exact integers; or an error."""
        ...


class NormalizeScorePlugin(ScorePlugin, Protocol):
    """How scores become numbers from 0 to 100."""

    def normalize(self, state: CycleState, pod: PodInfo, nodes: Nodes, scores: Numbers) -> Numbers | Status:
        """The scores of the nodes, from 0 to 100; or an error."""
        ...


class ReservePlugin(Plugin, Protocol):
    """What is set aside for a pod on its way to a node."""

    def reserve(self, state: CycleState, pod: Pod, node: str) -> Status:
        """A success, or a refusal or an error that ends the cycle."""
        ...

    def unreserve(self, state: CycleState, pod: Pod, node: str) -> None:
        """Give back what was set aside; it may be nothing, or may have been given back already."""
        ...


class PermitPlugin(Plugin, Protocol):
    """Whether a pod may go on to its node, now or later."""

    def permit(self, state: CycleState, pod: Pod, node: str) -> tuple[Status, float]:
        """A success, a refusal, an error, or a wait with the seconds that it may last."""
        ...


class PreBindPlugin(Plugin, Protocol):
    """What has to be done before a pod is bound."""

    def pre_bind(self, state: CycleState, pod: Pod, node: str) -> Status:
        """A success, or what ends the binding."""
        ...


class BindPlugin(Plugin, Protocol):
    """How a pod is bound."""

    def bind(self, state: CycleState, pod: Pod, node: str) -> Status:
        """A success, an error, or a skip that leaves it to the next plugin."""
        ...


class PostBindPlugin(Plugin, Protocol):
    """What is done after a pod was bound."""

    def post_bind(self, state: CycleState, pod: Pod, node: str) -> None:
        """Do it."""
        ...


class RememberingPlugin(Plugin, Protocol):
    """What a plugin keeps from one call to the next, beside the state of a cycle, where every order of steps is explored."""

    def remembered(self) -> Hashable:
        """All that it keeps, as a value: equal ones are the same state."""
        ...

    def recall(self, remembered: Any) -> None:
        """Keep this again; the plugin was made anew."""
        ...


POINTS: dict[str, tuple[str, Any]] = {
    "preEnqueue": ("PreEnqueuePlugin", PreEnqueuePlugin),
    "queueSort": ("QueueSortPlugin", QueueSortPlugin),
    "preFilter": ("PreFilterPlugin", PreFilterPlugin),
    "filter": ("FilterPlugin", FilterPlugin),
    "postFilter": ("PostFilterPlugin", PostFilterPlugin),
    "preScore": ("PreScorePlugin", PreScorePlugin),
    "score": ("ScorePlugin", ScorePlugin),
    "reserve": ("ReservePlugin", ReservePlugin),
    "permit": ("PermitPlugin", PermitPlugin),
    "preBind": ("PreBindPlugin", PreBindPlugin),
    "bind": ("BindPlugin", BindPlugin),
    "postBind": ("PostBindPlugin", PostBindPlugin),
}
"""The extension points by their names in a configuration: what each is called, and its protocol."""


@cache
def members(protocol: Any) -> frozenset[str]:
    """The names of what a protocol asks for."""
    asked = (base for base in protocol.__mro__ if getattr(base, "_is_protocol", False))
    return frozenset(name for base in asked for name in vars(base) if not name.startswith("_"))


def implements(plugin: object, protocol: Any) -> bool:
    """Whether a plugin has all that a protocol asks for."""
    return all(hasattr(plugin, name) for name in members(protocol))
