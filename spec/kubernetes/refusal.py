"""How a filter of Kubernetes refuses a node: `Refusal`, with its `Code` and its reasons in kube-scheduler's words."""

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """Whether an eviction could ever change the refusal, or whether it is none: the filter, and so the cycle, fails."""

    UNSCHEDULABLE = "Unschedulable"
    UNRESOLVABLE = "UnschedulableAndUnresolvable"
    ERROR = "Error"


@dataclass(frozen=True)
class Refusal:
    """A plugin's refusal of a node; `plugin` is empty where none is named."""

    plugin: str
    code: Code
    reasons: tuple[str, ...]


def unschedulable(plugin: str, *reasons: str) -> Refusal:
    """A refusal that an eviction may change.

    TLA+: Unschedulable(Plugin) == [Plugin |-> Plugin, Code |-> "Unschedulable"]
    """
    return Refusal(plugin, Code.UNSCHEDULABLE, reasons)


def unresolvable(plugin: str, *reasons: str) -> Refusal:
    """A refusal that no eviction changes.

    TLA+: Unresolvable(Plugin) == [Plugin |-> Plugin, Code |-> "UnschedulableAndUnresolvable"]
    """
    return Refusal(plugin, Code.UNRESOLVABLE, reasons)


def failed(plugin: str, reason: str) -> Refusal:
    """The failure of a filter, with which the whole cycle ends in an error.

    TLA+: Failed(Plugin) == [Plugin |-> Plugin, Code |-> "Error"]
    """
    return Refusal(plugin, Code.ERROR, (reason,))
