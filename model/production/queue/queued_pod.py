"""A pod in the queue: `QueuedPod`; and how long it backs off: `Backoff`.

Kubernetes 1.34: QueuedPodInfo in pkg/scheduler/framework/types.go, pkg/scheduler/backend/queue/backoff_queue.go.
"""

import math
from dataclasses import dataclass, field

from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.objects import Pod

WINDOW = 1.0
"""Backoffs end together that end within so many seconds; of those pods the first in order of the queue goes first."""


@dataclass
class QueuedPod:
    """A pod, when it came to the queue, and what was said when it was tried.

    `refused_by` are the plugins that an event must speak to, `pending` those of them that wait for something outside.
    `gate` is the plugin that keeps it from being tried. `refusals` and `errors` in a row decide how long it backs off,
    `until` when that ends, None where it was not asked yet. Times are in seconds.
    """

    info: PodInfo
    timestamp: float
    attempts: int = 0
    refusals: int = 0
    errors: int = 0
    refused_by: set[str] = field(default_factory=set)
    pending: set[str] = field(default_factory=set)
    gate: str = ""
    until: float | None = None

    @property
    def pod(self) -> Pod:
        """The pod, as it was last delivered."""
        return self.info.pod

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.info.key

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells it from every other pod, those of its name included."""
        return self.info.identity

    @property
    def rejectors(self) -> set[str]:
        """All plugins that an event must speak to."""
        return self.refused_by | self.pending

    def forget_rejectors(self) -> None:
        """Begin a new attempt."""
        self.refused_by, self.pending, self.gate = set(), set(), ""


@dataclass(frozen=True)
class Backoff:
    """How long a pod waits after each failure, in seconds: `initial`, then twice as long each time, `most` at most."""

    initial: float = 1.0
    most: float = 10.0

    def seconds(self, failures: int) -> float:
        """The wait after so many failures."""
        if failures == 0 or self.most == 0:
            return 0.0
        # Enough doublings reach the most; more would leave the range of a float.
        return float(min(self.most, self.initial * 2.0 ** min(failures - 1, 64)))

    def until(self, queued: QueuedPod) -> float:
        """When the wait of a pod ends, as the beginning of a window; always, if it has not failed."""
        failures = queued.errors or queued.refusals
        if failures == 0 or self.most == 0:
            return -math.inf
        if queued.until is None:
            queued.until = window(queued.timestamp + self.seconds(failures))
        return queued.until

    def lasts(self, queued: QueuedPod, now: float) -> bool:
        """Whether the pod still waits; it does until the window in which its wait ends is over."""
        return self.until(queued) >= window(now)


def window(time: float) -> float:
    """The beginning of the window of a moment."""
    return math.floor(time / WINDOW) * WINDOW if math.isfinite(time) else time
