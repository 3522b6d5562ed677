"""Pods that wait on Permit: `WaitingPod`, `WaitingPods`.

The first signal wins, even if it comes before the binding cycle reads it. Timers are times on the scheduler's clock, in
seconds. Nothing runs by itself: `expired` must be called to fire the timers that are over.

Kubernetes 1.34: pkg/scheduler/framework/runtime/waiting_pods_map.go.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from schedcheck.model.production.framework.status import SUCCESS, Status, unschedulable
from schedcheck.spec.objects import Pod

LONGEST_WAIT = 15 * 60.0
"""The longest time that a plugin may let a pod wait, in seconds."""


@dataclass
class WaitingPod:
    """A pod, the plugins that have not allowed it yet, each with timeout and deadline, and the first signal."""

    pod: Pod
    pending: dict[str, tuple[float, float]]
    signal: Status | None = None

    def allow(self, plugin: str) -> None:
        """Record that a plugin allows the pod; the pod goes on when all have. Other plugins' calls change nothing."""
        self.pending.pop(plugin, None)
        if not self.pending:
            self._send(SUCCESS)

    def reject(self, plugin: str, reason: str) -> None:
        """Reject the pod for a plugin; one rejection is enough."""
        self._send(unschedulable(reason, plugin=plugin))

    def expired(self, now: float) -> None:
        """Reject the pod for every plugin whose deadline is over, the earliest first."""
        for plugin, (wait, until) in sorted(self.pending.items(), key=lambda each: (each[1][1], each[0])):
            if until <= now:
                self.reject(plugin, f"rejected due to timeout after waiting {duration(wait)} at plugin {plugin}")

    def _send(self, status: Status) -> None:
        if self.signal is None:
            self.signal = status


@dataclass
class WaitingPods:
    """The waiting pods, by identity."""

    pods: dict[tuple[str, ...], WaitingPod] = field(default_factory=dict)

    def add(self, pod: Pod, waits: Mapping[str, float], now: float) -> WaitingPod:
        """Let a pod wait for these plugins, each with its timeout in seconds."""
        capped = {plugin: min(wait, LONGEST_WAIT) for plugin, wait in waits.items()}
        waiting = WaitingPod(pod, {plugin: (wait, now + wait) for plugin, wait in capped.items()})
        self.pods[pod.identity] = waiting
        return waiting

    def get(self, pod: Pod) -> WaitingPod | None:
        """Return the waiting pod, None if the pod does not wait."""
        return self.pods.get(pod.identity)

    def __iter__(self) -> Iterator[WaitingPod]:
        return iter(list(self.pods.values()))

    def reject(self, pod: Pod) -> bool:
        """Reject a deleted pod; return whether it is rejected now. A pod that was allowed before goes on."""
        waiting = self.get(pod)
        if waiting is None:
            return False
        waiting.reject("", "removed")
        return waiting.signal is not None and not waiting.signal.success

    def remove(self, pod: Pod) -> None:
        """Remove a pod that has received its signal."""
        self.pods.pop(pod.identity, None)


def duration(seconds: float) -> str:
    """Return a time as Go prints it: 1h0m0s, 15m0s, 1.5s, 250ms, 0s."""
    nanoseconds = round(seconds * 10**9)
    if nanoseconds == 0:
        return "0s"
    for unit, size in (("ns", 1), ("µs", 10**3), ("ms", 10**6)):
        if nanoseconds < size * 1000:
            return f"{_decimal(nanoseconds, size)}{unit}"
    minutes, rest = divmod(nanoseconds, 60 * 10**9)
    hours, minutes = divmod(minutes, 60)
    text = f"{_decimal(rest, 10**9)}s"
    if hours:
        return f"{hours}h{minutes}m{text}"
    return f"{minutes}m{text}" if minutes else text


def _decimal(number: int, size: int) -> str:
    """Return number / size without superfluous zeros."""
    whole, rest = divmod(number, size)
    digits = f"{rest:0{len(str(size)) - 1}d}".rstrip("0") if rest else ""
    return f"{whole}.{digits}" if digits else str(whole)
