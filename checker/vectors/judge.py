"""The decisions that the specification allows for many pods of one snapshot: `CycleJudge`."""

from collections.abc import Iterator

import numpy as np
from frozendict import frozendict

from schedcheck.checker.vectors.classes import Mask, Numbers
from schedcheck.checker.vectors.cluster import Cluster
from schedcheck.checker.vectors.counting import Counting
from schedcheck.checker.vectors.filtering import PASSED, Filtering, prepared
from schedcheck.checker.vectors.scoring import Scoring
from schedcheck.checker.vectors.tallied import Tallied
from schedcheck.checker.vectors.trials import Run, permitted_nominations
from schedcheck.spec.decisions import Bind, Decision, Wait
from schedcheck.spec.kubernetes.control_loop import ending
from schedcheck.spec.kubernetes.extended_cycle import Judgement
from schedcheck.spec.kubernetes.filter import Verdict, failures
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.of_units import units_on
from schedcheck.spec.kubernetes.select_host import Choice
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import Code

Decisions = frozenset[Decision]


class CycleJudge:
    """The specification on one snapshot, for unbound pods and profiles that `prepared` admits."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.there = Cluster(snapshot)
        self._by_profile: dict[int, tuple[Plugins, Filtering, Scoring]] = {}

    def judges(self, pod: Pod, plugins: Plugins) -> bool:
        """Whether this pod is judged here: it needs no extenders, all plugins are known, and pods are evicted one by one."""
        asks = plugins.extenders or plugins.unasked or self.there.claiming(pod, plugins)
        return (
            not (asks or units_on(self.there.infos, plugins))
            and pod.node_name == ""
            and self.there.waits(pod)
            and prepared(plugins)
        )

    def judged(self, pod: Pod, plugins: Plugins, made: Decisions) -> Judgement:
        """Return the allowed decisions on the pod and the verdict on each node; None for verdicts that do not matter.

        If several nominations are allowed and `made` is one of them, it is the only one returned. Verdicts do not
        matter if the cycle ends in an error, or in a binding and `made` is one.

        Raises: TooManyOrders.
        """
        filtering, _ = self.profile(plugins)
        cycle = self.cycle(pod, plugins)
        return self.judged_by(cycle, filtering.numbers(cycle), plugins, made)

    def judged_by(self, cycle: Counting, numbers: Numbers, plugins: Plugins, made: Decisions) -> Judgement:
        """Return the judgement of a cycle with these numbers of verdicts; a node of number -1 was not looked at.

        Raises: TooManyOrders.
        """
        filtering, scoring = self.profile(plugins)
        pod, end = cycle.pod, self._choice(cycle, numbers, filtering, scoring)
        if end.kind == "scheduled":
            hosts = (self.there.infos[self.there.place[name]].node for name in end.hosts)
            decisions: Decisions = frozenset(Bind(pod, node) for node in hosts)
            if all(isinstance(each, Bind) for each in made):
                return Judgement(decisions, None)
            return Judgement(decisions, self.verdicts(numbers, filtering))
        if end.kind == "error":
            return Judgement(ending(cycle, end), None)
        run = self.run(cycle, numbers, filtering)
        if run.said.code == "Success":
            return Judgement(permitted_nominations(run, made), run.verdicts)
        waits = Wait(pod, run.message, run.said.unnominated and pod.nominated_node_name != "")
        return Judgement(frozenset({waits}), run.verdicts)

    def run(self, cycle: Counting, numbers: Numbers, filtering: Filtering) -> Run:
        """Return the dry run of preemption in a cycle with these numbers of verdicts."""
        return Run(cycle, self.verdicts(numbers, filtering), self.potential(numbers, filtering))

    def choice(self, pod: Pod, plugins: Plugins) -> Choice:
        """Return the end of the cycle of a pod that is judged here, in the snapshot or not, before preemption."""
        cycle = self.cycle(pod, plugins)
        return self.choice_of(cycle, self.profile(plugins)[0].numbers(cycle), plugins)

    def passed(self, pod: Pod, plugins: Plugins) -> Mask | None:
        """Return whether each node passes the filters, for a pod that is judged here; None if a filter ends in an error."""
        filtering, _ = self.profile(plugins)
        numbers = filtering.numbers(self.cycle(pod, plugins))
        return None if any(True for _ in self._failures(numbers, filtering)) else numbers == PASSED

    def unschedulable(self, pod: Pod, plugins: Plugins) -> bool:
        """Whether no node is feasible for a pod that is judged here, and no filter ends in an error."""
        passed = self.passed(pod, plugins)
        return passed is not None and not passed.any()

    def choice_of(self, cycle: Counting, numbers: Numbers, plugins: Plugins) -> Choice:
        """Return the end of a cycle with these numbers of verdicts, before preemption."""
        filtering, scoring = self.profile(plugins)
        return self._choice(cycle, numbers, filtering, scoring)

    def feasible(self, pod: Pod, plugins: Plugins) -> frozenset[str]:
        """Return the names of the nodes that no filter refuses."""
        numbers = self.profile(plugins)[0].numbers(self.cycle(pod, plugins))
        return frozenset(self.there.names[place] for place in np.flatnonzero(numbers == PASSED))

    def cycle(self, pod: Pod, plugins: Plugins) -> Counting:
        """Return the cycle of a pod that is judged here."""
        seen = self.there.seen_by(pod)
        return Counting(pod, seen, plugins, self.there.infos, self.there.infos, self.there)

    def profile(self, plugins: Plugins) -> tuple[Filtering, Scoring]:
        """Return the filters and scores of a profile on these nodes."""
        known = self._by_profile.get(id(plugins))
        if known is None:
            known = plugins, Filtering(self.there, plugins), Scoring(self.there, plugins)
            self._by_profile[id(plugins)] = known
        return known[1:]

    def _choice(self, cycle: Counting, numbers: Numbers, filtering: Filtering, scoring: Scoring) -> Choice:
        """Return the result of the cycle."""
        feasible, names = np.flatnonzero(numbers == PASSED), self.there.names
        own = self.there.place.get(cycle.pod.nominated_node_name)
        if own is not None and numbers[own] == PASSED:
            return Choice("scheduled", "nominated", (names[own],))
        for failing in self._failures(numbers, filtering):
            return Choice("error", error=failing)
        if len(feasible) == 0:
            return Choice("unschedulable")
        if len(feasible) == 1:
            return Choice("scheduled", "single", (names[feasible[0]],))
        best = scoring.best(cycle, feasible)
        if isinstance(best, str):
            return Choice("error", error=best)
        return Choice("scheduled", "scored", tuple(sorted(names[place] for place in best)))

    def _failures(self, numbers: Numbers, filtering: Filtering) -> Iterator[str]:
        """Yield the errors of failing filters, in the order of the nodes.

        A failure on the nominated node when it is filtered alone is skipped.
        """
        failing = [
            number for number, verdict in enumerate(filtering.verdicts) if verdict is not None and _fails(verdict)
        ]
        for place in np.flatnonzero(np.isin(numbers, failing)) if failing else ():
            verdict = filtering.verdicts[numbers[place]]
            assert verdict is not None and verdict.refusal is not None
            yield from failures([verdict.refusal])

    def potential(self, numbers: Numbers, filtering: Filtering) -> tuple[Tallied, ...]:
        """Return the nodes whose refusal evictions may change."""
        refusals = enumerate(each.refusal if each is not None else None for each in filtering.verdicts)
        mended = [number for number, each in refusals if each is not None and each.code == Code.UNSCHEDULABLE]
        return tuple(self.there.infos[place] for place in np.flatnonzero(np.isin(numbers, mended)))

    def verdicts(self, numbers: Numbers, filtering: Filtering) -> frozendict[str, Verdict]:
        """Return the verdict on each node, by name."""
        said = [Verdict(None, "filter"), *(each for each in filtering.verdicts if each is not None)]
        return frozendict(zip(self.there.names, (said[number] for number in numbers.tolist()), strict=True))


def _fails(verdict: Verdict) -> bool:
    refusal = verdict.refusal
    return refusal is not None and refusal.code == Code.ERROR and verdict.source != "nominatedFirst"
