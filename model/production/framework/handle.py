"""Through what a plugin reaches the scheduler: `Handle`, and the objects it knows of: `Listers`.

Kubernetes 1.34: Handle in k8s.io/kube-scheduler/framework/interface.go.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from schedcheck.model.production.framework.events import ClusterEvent
from schedcheck.model.production.framework.extender import Extender
from schedcheck.model.production.framework.waiting import WaitingPods
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Snapshot
from schedcheck.model.production.volumes.assumed import AssumedVolumes
from schedcheck.spec.objects import Controller, Pod, PodDisruptionBudget, Service
from schedcheck.spec.storage import NO_STORAGE, Storage
from schedcheck.spec.values import Labels

if TYPE_CHECKING:
    from schedcheck.model.production.framework.framework import Framework

Key = tuple[str, str]


class Background(Protocol):
    """What goes on beside the cycles, step by step, by the pod for whose sake it does."""

    @property
    def running(self) -> Mapping[Key, object]:
        """What is under way."""
        ...

    def step(self, key: Key) -> None:
        """Take the next step of one of them."""
        ...

    def finish(self, key: Key) -> None:
        """Take all steps of one of them, up to what has to be heard."""
        ...

    def told(self, pod: Pod) -> None:
        """A pod on a node was changed, or is gone."""
        ...


class Draws(Protocol):
    """What draws by chance."""

    def choice(self, names: Sequence[str], /) -> str:
        """One of the names, each with the same chance."""
        ...

    def randrange(self, size: int, /) -> int:
        """A number below `size`, each with the same chance."""
        ...


class ClientError(Exception):
    """A call to the API server that failed."""


class Client(Protocol):
    """The calls to the API server. Each of them may fail.

    Raises: ClientError.
    """

    def bind(self, pod: Pod, node: str) -> None:
        """Write the node's name into the pod."""
        ...

    def nominate(self, pod: Pod, node: str) -> None:
        """Write the nominated node's name into the status of the pod; an empty one clears it."""
        ...

    def evict(self, pod: Pod, preemptor: Pod) -> None:
        """Mark the pod as disrupted by the scheduler, and delete it."""
        ...


Recorder = Callable[[Pod, str, str], None]
"""Who is told of an event: the pod, the reason in one word, the text."""


def unheard(pod: Pod, reason: str, message: str) -> None:
    """Nobody is told."""


@dataclass
class Listers:
    """The objects that were delivered, but for nodes: pods of every sort by key, namespaces' labels, budgets and the rest."""

    pods: dict[Key, Pod] = field(default_factory=dict)
    namespaces: Mapping[str, Labels] = field(default_factory=dict)
    budgets: Sequence[PodDisruptionBudget] = ()
    services: Sequence[Service] = ()
    controllers: Sequence[Controller] = ()
    storage: Storage = NO_STORAGE


def nobody(node: str) -> Sequence[PodInfo]:
    """Of a scheduler to whom no pod is nominated."""
    return ()


def nothing(pod: Pod) -> None:
    """Of a scheduler without a queue."""


def unmoved(event: ClusterEvent, before: Any, after: Any) -> None:
    """Of a scheduler without a queue."""


@dataclass
class Handle:
    """What the scheduler offers its plugins.

    `snapshot` is that of the cycle; `nominated` the pods that are nominated to a node; `activate` moves a pod to those
    that are tried next, `let_in` does so if a plugin has kept it from there; `happened` tells the queue of an event with
    the object before and after it; `record` tells of an event in words. `frameworks` are the plugins of each profile.
    `assumed` is what is set aside of volumes and claims. `random` draws where kube-scheduler draws.
    """

    client: Client | None = None
    snapshot: Snapshot = field(default_factory=Snapshot)
    listers: Listers = field(default_factory=Listers)
    waiting: WaitingPods = field(default_factory=WaitingPods)
    nominated: Callable[[str], Sequence[PodInfo]] = nobody
    nominated_nodes: Callable[[], Sequence[str]] = tuple
    activate: Callable[[Pod], None] = nothing
    let_in: Callable[[Pod], None] = nothing
    happened: Callable[[ClusterEvent, Any, Any], None] = unmoved
    record: Recorder = unheard
    extenders: Sequence[Extender] = ()
    frameworks: dict[str, "Framework"] = field(default_factory=dict)
    background: list[Background] = field(default_factory=list)
    assumed: AssumedVolumes = field(default_factory=AssumedVolumes)
    random: Draws = field(default_factory=lambda: Random(0))
    asynchronous_preemption: bool = True

    def framework_of(self, pod: Pod) -> "Framework":
        """The plugins of the profile that the pod asks for."""
        return self.frameworks[pod.scheduler_name]

    def choose(self, names: Sequence[str]) -> str:
        """One of the names, each with the same chance."""
        return self.random.choice(names)

    def offset(self, size: int) -> int:
        """A place below `size`, each with the same chance."""
        return self.random.randrange(size)
