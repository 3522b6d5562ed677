"""A pod in the queue: `QueuedPod`, and the length of its backoff: `Backoff`.

Kubernetes 1.34: QueuedPodInfo in pkg/scheduler/framework/types.go, pkg/scheduler/backend/queue/backoff_queue.go.
"""

import math
from dataclasses import dataclass, field

from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.objects import Pod

WINDOW = 1.0
"""Ends of backoffs are rounded down to multiples of this, in seconds; pods with equal ends leave in queue order."""


@dataclass
class QueuedPod:
    """A pod in the queue, with the result of its last attempt. Times are in seconds."""

    info: PodInfo
    timestamp: float
    """When it entered the queue, or was last put back."""
    attempts: int = 0
    refusals: int = 0
    """Rejections in a row; they decide how long it backs off."""
    errors: int = 0
    """Errors in a row; they decide how long it backs off."""
    refused_by: set[str] = field(default_factory=set)
    """The plugins that rejected it; a hint of one of them may requeue it."""
    pending: set[str] = field(default_factory=set)
    """Those of `refused_by` that returned Pending: they wait for something outside the scheduler."""
    gate: str = ""
    """The plugin whose PreEnqueue rejected it."""
    until: float | None = None
    """When the backoff ends; None if not computed yet."""

    @property
    def pod(self) -> Pod:
        """Return the pod as it was last delivered."""
        return self.info.pod

    @property
    def key(self) -> tuple[str, str]:
        """Return namespace and name."""
        return self.info.key

    @property
    def identity(self) -> tuple[str, ...]:
        """Return namespace, name and, if known, UID, which distinguishes pods that had one name in turn."""
        return self.info.identity

    @property
    def rejectors(self) -> set[str]:
        """Return the names of all plugins that rejected the pod."""
        return self.refused_by | self.pending

    def forget_rejectors(self) -> None:
        """Forget the plugins that rejected the pod, before a new attempt."""
        self.refused_by, self.pending, self.gate = set(), set(), ""


@dataclass(frozen=True)
class Backoff:
    """The backoff after each failure, in seconds: `initial`, doubled each time, at most `most`."""

    initial: float = 1.0
    most: float = 10.0

    def seconds(self, failures: int) -> float:
        """Return the backoff after this number of failures."""
        if failures == 0 or self.most == 0:
            return 0.0
        # So many doublings reach `most`; more would overflow a float.
        return float(min(self.most, self.initial * 2.0 ** min(failures - 1, 64)))

    def until(self, queued: QueuedPod) -> float:
        """Return the start of the window in which the pod's backoff ends; minus infinity if it has not failed."""
        failures = queued.errors or queued.refusals
        if failures == 0 or self.most == 0:
            return -math.inf
        if queued.until is None:
            queued.until = window(queued.timestamp + self.seconds(failures))
        return queued.until

    def lasts(self, queued: QueuedPod, now: float) -> bool:
        """Whether the pod still backs off; it does until the window in which its backoff ends is over."""
        return self.until(queued) >= window(now)


def window(time: float) -> float:
    """Return the start of the window that contains this time."""
    return math.floor(time / WINDOW) * WINDOW if math.isfinite(time) else time
