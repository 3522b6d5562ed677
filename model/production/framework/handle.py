"""A plugin's access to the scheduler: `Handle`.

Kubernetes 1.34: Handle in k8s.io/kube-scheduler/framework/interface.go.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from schedcheck.model.production.framework.events import ClusterEvent
from schedcheck.model.production.framework.extender import Extender
from schedcheck.model.production.framework.listers import Listers
from schedcheck.model.production.framework.waiting import WaitingPods
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Snapshot
from schedcheck.model.production.volumes.assumed import AssumedVolumes
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Pod

if TYPE_CHECKING:
    from schedcheck.model.production.framework.framework import Framework


Identity = tuple[str, ...]
"""The namespace and the name of a pod, and its uid if it is known."""


class Background(Protocol):
    """Background work in steps, such as evictions, by the identity of the pod for which it is done."""

    @property
    def running(self) -> Mapping[Identity, object]:
        """Return the work in progress."""
        ...

    def step(self, key: Identity) -> None:
        """Take the next step of the work for one pod."""
        ...

    def finish(self, key: Identity) -> None:
        """Take all steps of the work for one pod, up to a step that waits for an informer event."""
        ...

    def told(self, pod: Pod) -> None:
        """Handle the update or the deletion of a bound pod."""
        ...


class Draws(Protocol):
    """A source of random choices."""

    def choice(self, names: Sequence[str], /) -> str:
        """Return one of the names, all equally likely."""
        ...

    def randrange(self, size: int, /) -> int:
        """Return a number below `size`, all equally likely."""
        ...


class ClientError(Exception):
    """A call to the API server that failed."""


class Client(Protocol):
    """The calls to the API server, each of which may fail.

    Raises: ClientError.
    """

    def bind(self, pod: Pod, node: str) -> None:
        """Write the node's name into the pod."""
        ...

    def nominate(self, pod: Pod, node: str) -> None:
        """Write the nominated node's name into the pod's status; an empty name clears it."""
        ...

    def evict(self, pod: Pod, preemptor: Pod) -> None:
        """Mark the pod as disrupted by the scheduler, and delete it."""
        ...


Recorder = Callable[[Pod, str, str], None]
"""Record an event: the pod, the reason in one word, the text."""


def unheard(pod: Pod, reason: str, message: str) -> None:
    """Record nothing."""


def no_pods(node: str) -> Sequence[PodInfo]:
    """Return no pods: the default of `Handle.nominated`."""
    return ()


def nothing(pod: Pod) -> None:
    """Do nothing: the default of a handle without a queue."""


def unmoved(event: ClusterEvent, before: Any, after: Any) -> None:
    """Ignore an event: the default of a handle without a queue."""


@dataclass
class Handle:
    """The interface that the scheduler offers its plugins."""

    client: Client | None = None
    snapshot: Snapshot = field(default_factory=Snapshot)
    """The snapshot of the current cycle."""
    listers: Listers = field(default_factory=Listers)
    waiting: WaitingPods = field(default_factory=WaitingPods)
    nominated: Callable[[str], Sequence[PodInfo]] = no_pods
    """Return the pods that are nominated to a node."""
    nominations: Callable[[], Sequence[tuple[str, PodInfo]]] = tuple
    """Return every nominated pod with its node."""
    placed: Callable[[], Iterable[Pod]] = tuple
    """Return the pods in the cache: bound or assumed, as they are now."""
    activate: Callable[[Pod], None] = nothing
    """Move a pod to the activeQ."""
    let_in: Callable[[Pod], None] = nothing
    """Requeue a pod that PreEnqueue had rejected."""
    happened: Callable[[ClusterEvent, Any, Any], None] = unmoved
    """Tell the queue of an event, with the object before and after it."""
    record: Recorder = unheard
    extenders: Sequence[Extender] = ()
    frameworks: dict[str, "Framework"] = field(default_factory=dict)
    """The plugins of each profile."""
    background: list[Background] = field(default_factory=list)
    assumed: AssumedVolumes = field(default_factory=AssumedVolumes)
    """The volumes and claims that are assumed for pods being bound."""
    random: Draws = field(default_factory=lambda: Random(0))
    """Draws wherever kube-scheduler draws."""
    asynchronous_preemption: bool = True
    departures: Departures = NEWEST.departures
    """What tells the version of the scheduler, and its feature gates, from others."""

    def framework_of(self, pod: Pod) -> "Framework":
        """Return the framework of the profile that the pod names."""
        return self.frameworks[pod.scheduler_name]

    def choose(self, names: Sequence[str]) -> str:
        """Return one of the names, all equally likely."""
        return self.random.choice(names)

    def offset(self, size: int) -> int:
        """Return an index below `size`, all equally likely."""
        return self.random.randrange(size)
