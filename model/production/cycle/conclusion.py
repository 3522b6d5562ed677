"""The result of a scheduling cycle, for an observer: `Conclusion`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from schedcheck.model.production.framework.scoring import Scored
from schedcheck.model.production.framework.status import Status
from schedcheck.model.production.framework.verdicts import NodeStatuses
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.objects import Pod


@dataclass(frozen=True)
class Conclusion:
    """The result of a cycle for a pod, in the form in which it was popped, before anything is reserved for it."""

    pod: Pod
    hosts: tuple[str, ...] = ()
    """The nodes any of which might have been chosen."""
    message: str = ""
    """The text of the event, if there are no hosts."""
    nominated: str | None = ""
    """The nominated node after the cycle: empty for none, None if the pod keeps its nomination."""
    victims: tuple[Pod, ...] = ()
    """The pods to be evicted from the nominated node."""
    statuses: NodeStatuses | None = field(default=None, repr=False)
    """The statuses of the nodes rejected by filters and extenders; None if the cycle ended in an error."""
    rows: Mapping[str, int] = field(default_factory=dict, repr=False)
    found: Nodes | None = field(default=None, repr=False, compare=False)
    """The feasible nodes at which the search stopped, valid until the next cycle; None if there was none."""
    mode: str = field(default="", repr=False, compare=False)
    """How the hosts were found, as in `Suggestion`."""
    scores: Scored | None = field(default=None, repr=False, compare=False)
    """The scores of the nodes of `found`, in their order; None if they were not scored."""
    candidates: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """The candidates of preemption among which the nominated node was chosen."""

    def status(self, node: str) -> Status | None:
        """Return why this node was rejected; None if the cycle ended before PostFilter."""
        return None if self.statuses is None or self.hosts else self.statuses.get(self.rows[node])
