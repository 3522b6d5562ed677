"""What a plugin answers: `Status`, with its `Code`.

Kubernetes 1.34: Status and Code in k8s.io/kube-scheduler/framework/interface.go.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Code(StrEnum):
    """The kinds of answer."""

    SUCCESS = "Success"
    ERROR = "Error"
    """Something went wrong inside; not a judgement of the pod."""
    UNSCHEDULABLE = "Unschedulable"
    """A refusal that an eviction may change."""
    UNRESOLVABLE = "UnschedulableAndUnresolvable"
    """A refusal that no eviction changes."""
    WAIT = "Wait"
    """Of Permit alone: the pod is to wait."""
    SKIP = "Skip"
    """The plugin has nothing to do for this pod, or leaves the pod to the next one that binds."""
    PENDING = "Pending"
    """A refusal until something outside is done; the pod need not back off then."""


REJECTIONS = frozenset({Code.UNSCHEDULABLE, Code.UNRESOLVABLE, Code.PENDING})


@dataclass(frozen=True)
class Status:
    """An answer with its reasons, and the plugin that it comes from (empty where none is named)."""

    code: Code = Code.SUCCESS
    reasons: tuple[str, ...] = ()
    plugin: str = ""

    @property
    def success(self) -> bool:
        """Whether the plugin agrees."""
        return self.code is Code.SUCCESS

    @property
    def rejected(self) -> bool:
        """Whether the plugin refuses, which is a judgement and not an error."""
        return self.code in REJECTIONS

    @property
    def message(self) -> str:
        """The reasons in one line."""
        return ", ".join(self.reasons)

    def of(self, plugin: str) -> "Status":
        """The same answer, said by `plugin` unless it names another already."""
        return self if self.plugin else replace(self, plugin=plugin)


SUCCESS = Status()
SKIP = Status(Code.SKIP)


def unschedulable(*reasons: str, plugin: str = "") -> Status:
    """A refusal that an eviction may change."""
    return Status(Code.UNSCHEDULABLE, reasons, plugin)


def unresolvable(*reasons: str, plugin: str = "") -> Status:
    """A refusal that no eviction changes."""
    return Status(Code.UNRESOLVABLE, reasons, plugin)


def error(reason: str, plugin: str = "") -> Status:
    """An answer that is no judgement: something went wrong."""
    return Status(Code.ERROR, (reason,), plugin)


def merged(statuses: Iterable[Status]) -> Status:
    """One answer for several refusals: unresolvable if one of them is, with all their reasons; success for none.

    The first that is neither a success nor a refusal stands for all.
    """
    refusals = [status for status in statuses if not status.success]
    for status in refusals:
        if not status.rejected:
            return status
    if not refusals:
        return SUCCESS
    codes = {status.code for status in refusals}
    code = Code.UNRESOLVABLE if Code.UNRESOLVABLE in codes else refusals[0].code
    return Status(code, tuple(reason for status in refusals for reason in status.reasons), refusals[0].plugin)
