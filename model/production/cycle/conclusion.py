"""What a scheduling cycle came to, for whoever looks on: `Conclusion`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from schedcheck.model.production.framework.status import Status
from schedcheck.model.production.framework.verdicts import NodeStatuses
from schedcheck.spec.objects import Pod


@dataclass(frozen=True)
class Conclusion:
    """What was found for a pod, as it was when it was taken up, before anything is reserved for it.

    `hosts` are the nodes any of which might have been chosen. Where there is none, `message` is the text of the event;
    `nominated` names the node for which the pod is nominated from now on, from which the `victims` go; it is empty for
    none any more, None where the pod keeps the nomination that it has.
    """

    pod: Pod
    hosts: tuple[str, ...] = ()
    message: str = ""
    nominated: str | None = ""
    victims: tuple[Pod, ...] = ()
    statuses: NodeStatuses | None = field(default=None, repr=False)
    rows: Mapping[str, int] = field(default_factory=dict, repr=False)

    def status(self, node: str) -> Status | None:
        """Why the node of this name was refused; None where the cycle did not come as far as that."""
        return None if self.statuses is None else self.statuses.get(self.rows[node])
