"""Why a pod is unschedulable: `Diagnosis`, `FitError`; and how a cycle fails: `CycleError`.

Kubernetes 1.34: Diagnosis and FitError in pkg/scheduler/framework/types.go.
"""

from dataclasses import dataclass, field
from functools import cached_property

from schedcheck.model.production.framework.status import Code, Status
from schedcheck.model.production.framework.verdicts import NodeStatuses


class CycleError(Exception):
    """An error within a cycle, which says nothing about the pod."""


class NoNodesError(CycleError):
    """There are no nodes at all; the pod waits until one is added."""

    def __init__(self) -> None:
        super().__init__("no nodes available to schedule pods")


@dataclass
class Diagnosis:
    """The status of each node, the plugins that rejected the pod, and the messages of PreFilter and PostFilter."""

    statuses: NodeStatuses = field(default_factory=NodeStatuses)
    refused_by: set[str] = field(default_factory=set)
    pending: set[str] = field(default_factory=set)
    pre_filter: str = ""
    post_filter: str = ""

    def blame(self, status: Status) -> None:
        """Record the plugin of a rejection."""
        if status.plugin and status.rejected:
            self.refused_by.add(status.plugin)
        if status.plugin and status.code is Code.PENDING:
            self.pending.add(status.plugin)


@dataclass(frozen=True)
class FitError:
    """The error of a pod that fits on none of the nodes."""

    nodes: int
    diagnosis: Diagnosis

    @cached_property
    def message(self) -> str:
        """Return the text of the event: the number of nodes for each reason, then the message of PostFilter.

        It is wanted twice, and only after PostFilter.
        """
        said = self.diagnosis
        text = f"0/{self.nodes} nodes are available:"
        if said.pre_filter:
            text += f" {said.pre_filter}."
        else:
            reasons = sorted(f"{count} {reason}" for reason, count in said.statuses.reasons(self.nodes).items())
            text += f" {', '.join(reasons)}." if reasons else ""
        return f"{text} {said.post_filter}" if said.post_filter else text


def refused(host: int, status: Status) -> FitError:
    """Return the error of a pod that was rejected on its chosen node, whose row is `host`."""
    diagnosis = Diagnosis()
    diagnosis.statuses.put(host, status)
    diagnosis.blame(status)
    return FitError(1, diagnosis)
