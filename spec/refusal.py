"""The rejection of a node by a filter: `Refusal`, with its `Code` and its reasons in kube-scheduler's words."""

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """The status code of a filter that does not pass: evictions may help, no eviction helps, or the filter fails.

    An error ends the whole cycle.
    """

    UNSCHEDULABLE = "Unschedulable"
    UNRESOLVABLE = "UnschedulableAndUnresolvable"
    ERROR = "Error"


@dataclass(frozen=True)
class Refusal:
    """A plugin's rejection of a node; `plugin` is empty if no plugin is named."""

    plugin: str
    code: Code
    reasons: tuple[str, ...]


def unschedulable(plugin: str, *reasons: str) -> Refusal:
    """Return a refusal that evictions may resolve.

    TLA+: Unschedulable(Plugin) == [Plugin |-> Plugin, Code |-> "Unschedulable"]
    """
    return Refusal(plugin, Code.UNSCHEDULABLE, reasons)


def unresolvable(plugin: str, *reasons: str) -> Refusal:
    """Return a refusal that no eviction can resolve.

    TLA+: Unresolvable(Plugin) == [Plugin |-> Plugin, Code |-> "UnschedulableAndUnresolvable"]
    """
    return Refusal(plugin, Code.UNRESOLVABLE, reasons)


def failed(plugin: str, reason: str) -> Refusal:
    """Return the failure of a filter, which ends the whole cycle in an error.

    TLA+: Failed(Plugin) == [Plugin |-> Plugin, Code |-> "Error"]
    """
    return Refusal(plugin, Code.ERROR, (reason,))
