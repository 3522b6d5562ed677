"""Dry runs of preemption that keep the results of nodes between cycles: `StandingRun`, `Kept`.

The result on a node depends on the pod, on the node with its pods and nominated pods, on the budgets of its potential victims, and
on what the plugins count in the cluster. A result is kept until one of these changes.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property

from frozendict import frozendict

from schedcheck.checker.vectors.counting import Counting
from schedcheck.checker.vectors.tallied import Emptied, Tallied
from schedcheck.checker.vectors.trials import Run, Trials, emptied
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal

MOST = 1_000_000
"""The most results that are kept."""

Result = Candidate | Refusal


@dataclass(frozen=True, eq=False)
class Known:
    """A result on a node, and what it was computed from."""

    info: Tallied
    empty: Emptied
    nominated: tuple[Pod, ...]
    result: Result

    def holds(self, info: Tallied, empty: Emptied, nominated: tuple[Pod, ...]) -> bool:
        """Whether the result is that of this node."""
        return self.info is info and self.empty is empty and self.nominated == nominated


@dataclass(eq=False)
class Kept:
    """The results by pods that are alike, each with what the plugins counted for them."""

    _counted: dict[object, Hashable] = field(default_factory=dict)
    _results: dict[object, dict[str, Known]] = field(default_factory=dict)
    _size: int = 0

    def of(self, cycle: Counting) -> dict[str, Known] | None:
        """Return the results for pods like this one, by node; None for a pod with volumes, which depends on more."""
        if cycle.pod.volumes or cycle.pod.resource_claims:
            return None
        if self._size > MOST:
            self._counted.clear()
            self._results.clear()
            self._size = 0
        alike = (
            replace(cycle.spreading, name="", uid="", owner_uid="", nominated_node_name="", start_time=None),
            id(cycle.plugins),
        )
        counted = cycle.around, cycle.spread, cycle.skipped, cycle.snapshot.namespaces
        if self._counted.get(alike) != counted:
            self._counted[alike] = counted
            self._results[alike] = {}
        self._size += 1
        return self._results[alike]

    def added(self, number: int) -> None:
        """Count further results."""
        self._size += number


@dataclass(frozen=True)
class StandingRun(Run):
    """The result of a cycle, with the results of earlier cycles on nodes where nothing has changed."""

    kept: Kept = field(compare=False)

    @cached_property
    def outcomes(self) -> frozendict[str, Result]:
        """The result of evictions on each potential node."""
        known = self.kept.of(self.cycle)
        if known is None:
            return super().outcomes
        trials, found = Trials(self.cycle), {}
        before = len(known)
        for info in self.potential:
            name, empty = info.node.name, emptied(self.cycle, info)
            nominated = self.cycle.nominated.get(name, ())
            there = known.get(name)
            if there is None or not there.holds(info, empty, nominated):
                there = known[name] = Known(info, empty, nominated, trials.tried(info))
            found[name] = there.result
        self.kept.added(len(known) - before)
        return frozendict(found)
