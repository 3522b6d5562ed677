"""Why a pod fits nowhere: `Diagnosis`, `FitError`, and how a cycle ends without a node: `CycleError`.

Kubernetes 1.34: Diagnosis and FitError in pkg/scheduler/framework/types.go.
"""

from dataclasses import dataclass, field

from schedcheck.model.production.framework.status import Code, Status
from schedcheck.model.production.framework.verdicts import NodeStatuses


class CycleError(Exception):
    """Something went wrong in a cycle, which is no judgement of the pod."""


class NoNodesError(CycleError):
    """There are no nodes at all, which is none of the pod either; it waits until one comes."""

    def __init__(self) -> None:
        super().__init__("no nodes available to schedule pods")


@dataclass
class Diagnosis:
    """What the nodes were refused for, by whom, and what was said before and after."""

    statuses: NodeStatuses = field(default_factory=NodeStatuses)
    refused_by: set[str] = field(default_factory=set)
    pending: set[str] = field(default_factory=set)
    pre_filter: str = ""
    post_filter: str = ""

    def blame(self, status: Status) -> None:
        """Note which plugin refused."""
        if status.plugin and status.rejected:
            self.refused_by.add(status.plugin)
        if status.plugin and status.code is Code.PENDING:
            self.pending.add(status.plugin)


@dataclass(frozen=True)
class FitError:
    """That a pod fits on none of so many nodes."""

    nodes: int
    diagnosis: Diagnosis

    @property
    def message(self) -> str:
        """The text of the event: how many nodes there are for each reason, then what was done about it."""
        said = self.diagnosis
        text = f"0/{self.nodes} nodes are available:"
        if said.pre_filter:
            text += f" {said.pre_filter}."
        else:
            reasons = sorted(f"{count} {reason}" for reason, count in said.statuses.reasons(self.nodes).items())
            text += f" {', '.join(reasons)}." if reasons else ""
        return f"{text} {said.post_filter}" if said.post_filter else text


def refused(host: int, status: Status) -> FitError:
    """The error of a pod that was refused on the node that was chosen for it, whose row this is."""
    diagnosis = Diagnosis()
    diagnosis.statuses.put(host, status)
    diagnosis.blame(status)
    return FitError(1, diagnosis)
