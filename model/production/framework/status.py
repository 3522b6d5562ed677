"""The result of a plugin: `Status`, with its `Code`.

Kubernetes 1.34: Status and Code in k8s.io/kube-scheduler/framework/interface.go.
"""

from dataclasses import dataclass, replace
from enum import StrEnum


class Code(StrEnum):
    """The codes of a status."""

    SUCCESS = "Success"
    ERROR = "Error"
    """An internal error, which says nothing about the pod."""
    UNSCHEDULABLE = "Unschedulable"
    """A rejection that preemption may resolve."""
    UNRESOLVABLE = "UnschedulableAndUnresolvable"
    """A rejection that preemption cannot resolve."""
    WAIT = "Wait"
    """The pod must wait; for Permit only."""
    SKIP = "Skip"
    """The plugin has nothing to do for this pod, or leaves it to the next Bind plugin."""
    PENDING = "Pending"
    """A rejection until something outside the scheduler is done; the pod then skips its backoff."""


REJECTIONS = frozenset({Code.UNSCHEDULABLE, Code.UNRESOLVABLE, Code.PENDING})


@dataclass(frozen=True)
class Status:
    """A code with its reasons, and the name of the plugin (empty if none is given)."""

    code: Code = Code.SUCCESS
    reasons: tuple[str, ...] = ()
    plugin: str = ""

    @property
    def success(self) -> bool:
        """Whether the plugin succeeds."""
        return self.code is Code.SUCCESS

    @property
    def rejected(self) -> bool:
        """Whether the plugin rejects the pod, which is not an error."""
        return self.code in REJECTIONS

    @property
    def message(self) -> str:
        """Return the reasons in one line."""
        return ", ".join(self.reasons)

    def of(self, plugin: str) -> "Status":
        """Return the same status, with this plugin unless it names one already."""
        return self if self.plugin else replace(self, plugin=plugin)


SUCCESS = Status()
SKIP = Status(Code.SKIP)


def unschedulable(*reasons: str, plugin: str = "") -> Status:
    """Return a rejection that preemption may resolve."""
    return Status(Code.UNSCHEDULABLE, reasons, plugin)


def unresolvable(*reasons: str, plugin: str = "") -> Status:
    """Return a rejection that preemption cannot resolve."""
    return Status(Code.UNRESOLVABLE, reasons, plugin)


def error(reason: str, plugin: str = "") -> Status:
    """Return an internal error."""
    return Status(Code.ERROR, (reason,), plugin)
