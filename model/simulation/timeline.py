"""The timeline of a simulation: events of pods and nodes, each at a time or at a rate; and what a simulation starts with.

The events have the names that scenarios give them (`model.scenario`). `scale`, `drain` and `add` exist here only.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from frozendict import frozendict

from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.queue.queued_pod import Backoff
from schedcheck.model.simulation.delays import GRACE, Delays
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot, Taint
from schedcheck.spec.values import Labels

Key = tuple[str, str]
OwnerKey = tuple[str, str, str]
"""Namespace, kind and name of an owner."""

NODE_EVENTS = (
    "fail", "return", "cordon", "uncordon", "drain", "taint", "untaint", "label", "unready", "unreachable", "ready",
)  # fmt: skip


@dataclass(frozen=True)
class When:
    """The times of an event, in seconds: once at `start`, or from then on again and again until `until`.

    `every` is a fixed interval, `mean` the mean of exponentially distributed ones; the first comes after one interval.
    """

    start: float = 0.0
    every: float | None = None
    mean: float | None = None
    until: float | None = None

    @property
    def endless(self) -> bool:
        """Whether the event repeats without end."""
        return (self.every is not None or self.mean is not None) and self.until is None


@dataclass(frozen=True)
class Traits:
    """What a pod has beside the fields that a scheduler reads.

    of
        The workload or the group of pods under which it is reported.
    grace
        Its terminationGracePeriodSeconds.
    runs
        The seconds that it runs until it completes; None if it does not complete.
    cost
        Its annotation controller.kubernetes.io/pod-deletion-cost.
    ready
        Whether it is ready while it is running.
    """

    of: str = ""
    grace: float = GRACE
    runs: float | None = None
    cost: int = 0
    ready: bool = True


@dataclass(frozen=True)
class Arrive:
    """The creation of pods, and of their workload if they have one. Each repetition makes a workload of its own."""

    pods: tuple[Pod, ...]
    traits: Traits = Traits()


@dataclass(frozen=True)
class Scale:
    """A new number of replicas of an owner; `form` is the pod that it makes if it has none."""

    owner: OwnerKey
    replicas: int
    form: Pod | None = None
    traits: Traits = Traits()


@dataclass(frozen=True)
class OnPods:
    """The deletion or the eviction of pods: those of these keys, and all that have the labels, if there are any."""

    event: str
    keys: tuple[Key, ...] = ()
    labels: Labels | None = None


@dataclass(frozen=True)
class OnNodes:
    """An event of `NODE_EVENTS` that happens to these nodes."""

    event: str
    nodes: tuple[str, ...]
    taint: Taint | None = None
    key: str = ""
    value: str | None = None


@dataclass(frozen=True)
class Add:
    """New nodes, each with copies of the pods that DaemonSets have made for the node `like`."""

    nodes: tuple[Node, ...]
    like: str


Event = Arrive | Scale | OnPods | OnNodes | Add


@dataclass(frozen=True)
class Timed:
    """An event and when it happens."""

    when: When
    event: Event


@dataclass(frozen=True)
class Start:
    """What a simulation starts with: the objects, the timeline, the end, the scheduler's configuration, the delays.

    `traits` are those of the pods of the snapshot. `registry` makes the scheduler's plugins.
    """

    snapshot: Snapshot
    until: float
    timeline: tuple[Timed, ...] = ()
    traits: Mapping[Key, Traits] = frozendict()
    plugins: tuple[Plugins, ...] = (DEFAULT_PLUGINS,)
    backoff: Backoff = field(default_factory=Backoff)
    delays: Delays = field(default_factory=Delays)
    registry: Callable[[], Registry] = field(default=default_registry, repr=False)
