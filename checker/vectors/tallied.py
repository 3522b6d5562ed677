"""Nodes with sums that are updated as pods come and go: `Tallied`, `Emptied`."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from frozendict import frozendict

from schedcheck.checker.derived import given
from schedcheck.spec.importance import Order
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.node_info import NodeInfo, held, host_ports
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.values import Amounts


@dataclass(frozen=True, eq=False)
class Tallied(NodeInfo):
    """A node that updates the sums of what its pods use incrementally; `amounts` is a cached `occupied`."""

    amounts: Callable[[Pod, Departures], Amounts] = field(default=occupied, compare=False)

    def added(self, pod: Pod) -> "Tallied":
        """Return the node with this pod added."""
        return self._with(super().added(pod), pod, 1)

    def removed(self, pod: Pod, departures: Departures) -> "Tallied":
        """Return the node without this pod."""
        return self._with(super().removed(pod, departures), pod, -1)

    def emptied(self, pods: Sequence[Pod], departures: Departures) -> "Tallied":
        """Return the node without these of its pods, as if each was removed in turn."""
        gone = frozenset(pods)
        left = tuple(each for each in self.pods if each not in gone)
        by_set = Departure.PORTS_ARE_A_SET in departures
        made = replace(
            self,
            pods=left,
            ports=self.ports.difference(*map(host_ports, pods)) if by_set else held(left),
            changes=(*self.changes, *((pod, -1) for pod in pods)),
        )
        self.requested(departures)
        return given(made, sums=self.changed(pods, -1))

    def _with(self, made: NodeInfo, pod: Pod, sign: int) -> "Tallied":
        assert isinstance(made, Tallied)
        return given(made, sums=self.changed((pod,), sign))

    def changed(self, pods: Iterable[Pod], sign: int) -> dict[Departures, Amounts]:
        """Return the sums computed so far, with these pods added (1) or removed (-1)."""
        found: dict[Departures, Amounts] = {}
        for departures, before in self.sums.items():
            total = dict(before)
            for pod in pods:
                for resource, size in self.amounts(pod, departures).items():
                    total[resource] = total.get(resource, 0) + sign * size
            found[departures] = frozendict(total)
        return found

    def summed(self, departures: Departures) -> Amounts:
        """Return the sum of what the pods use."""
        total: Counter[str] = Counter()
        for pod in self.pods:
            total.update(self.amounts(pod, departures))
        return frozendict(total)


@dataclass(frozen=True, eq=False)
class Emptied:
    """A node without its potential victims, which are the same for all preemptors of one priority."""

    node: Tallied
    order: Order
    """The potential victims in the order of importance."""
    put_back: Order
    """The potential victims in the order in which they are reprieved."""
    budgets: tuple[PodDisruptionBudget, ...]
    """The budgets that may protect them."""
