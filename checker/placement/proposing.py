"""Placements that are likely to be good: that of following the scheduler, those of the relaxation, and improved ones.

Each is judged by the definitions, with the sums over bound pods computed once for all nodes of a cycle (`Counted`).
Refusals become rows of the relaxation.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from schedcheck.checker.incremental.scores import Counted
from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.placement.prospects import company, counted
from schedcheck.checker.placement.relaxation import Relaxation
from schedcheck.checker.placement.worth import Worth, priorities
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import antitone, feasible, refusals
from schedcheck.spec.kubernetes.filters import inter_pod_affinity, pod_topology_spread
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.placement import Placement, around, gangs_kept, placed, placed_at
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.refusal import Code


@dataclass(frozen=True, eq=False)
class View:
    """The cycle of a pod with the other pods placed, and the scores of the feasible nodes by name."""

    made: Cycle
    totals: Mapping[str, int]


def view(pod: Pod, placement: Placement, snapshot: Snapshot, profile: Profile) -> View:
    """Return the view of a pod with the others placed so."""
    there = around(pod, placement, snapshot) if pod in placement else placed(placement, snapshot)
    made = taken_up(pod, there, by_scheduler_name(pod, profile.plugins))
    names = feasible(made)
    found = Counted(made.infos).scores(made, names).total
    return View(made, {name: found.get(name, 0) for name in names})


class Proposing:
    """The search for good placements; `best` is feasible by the definitions, `worth` is its worth.

    `within` is whether no score of a feasible placement has exceeded its bound.
    """

    def __init__(self, relaxation: Relaxation, spent: Spent) -> None:
        self.relaxation, self.spent = relaxation, spent
        self.best: Placement = Placement()
        self.worth = Worth(tuple((each, 0) for each in priorities(relaxation.pods)), 0)
        self.within = True
        self.nodes = {node.name: node for node in relaxation.snapshot.nodes}

    def follow(self) -> None:
        """Place one pod after another, the most important first, on its node of the greatest score."""
        placement = Placement()
        for pod in sorted(self.relaxation.pods, key=lambda each: (-each.priority, each.key)):
            totals = self._view(pod, placement).totals
            if totals and any(each == pod for each, _ in self.relaxation.pairs):
                chosen = min(totals, key=lambda name: (-totals[name], name))
                placement = placement.set(pod, self.nodes[chosen])
        self.offer(placement)

    def offer(self, placement: Placement) -> bool:
        """Judge a placement, and keep it if it is better than the best; learn from refusals. Whether it is feasible."""
        self.spent.judge()
        relaxation, refused = self.relaxation, False
        scores: dict[Pod, int] = {}
        for pod, node in placement.items():
            seen = self._view(pod, placement)
            if node.name not in seen.totals:
                refused = True
                self._learn(pod, placement, seen.made)
            else:
                scores[pod] = seen.totals[node.name]
        if refused or not gangs_kept(placement, relaxation.snapshot, relaxation.profile):
            return False
        numbers = tuple((each, placed_at(each, placement)) for each in priorities(relaxation.pods))
        found = Worth(numbers, sum(scores.values()))
        self.within &= all(scores[pod] <= relaxation.limits.get((pod, node), -1) for pod, node in placement.items())
        if found.rank > self.worth.rank:
            self.best, self.worth = placement, found
        return True

    def improve(self) -> bool:
        """Move single pods to nodes that are better for themselves, while that raises the worth. Whether it did once."""
        before = self.worth
        for pod in self.relaxation.pods:
            totals = self._view(pod, self.best).totals
            now = self.best.get(pod)
            chosen = min(totals, key=lambda name: (-totals[name], name), default=None)
            if chosen is not None and (now is None or totals[chosen] > totals.get(now.name, 0)):
                self.offer(self.best.set(pod, self.nodes[chosen]))
        return self.worth.rank > before.rank

    def _view(self, pod: Pod, placement: Placement) -> View:
        self.spent.bound()
        return view(pod, placement, self.relaxation.snapshot, self.relaxation.profile)

    def _learn(self, pod: Pod, placement: Placement, made: Cycle) -> None:
        """Add a row for the refusal of the pod in this placement, about the pods on which the refusal depends."""
        info = next(each for each in made.infos if each.node == placement[pod])
        refused = next(iter(refusals(made, info)), None) if made.rejection is None else None
        deciding, lasting = [each for each in self.relaxation.pods if each != pod], False
        if refused is not None and refused.plugin == pod_topology_spread.NAME:
            deciding = [each for each in deciding if counted(made, each)]
        elif refused is not None and refused.plugin == inter_pod_affinity.NAME:
            deciding = [each for each in deciding if company(made, each)]
            lasting = refused.code == Code.UNSCHEDULABLE
        elif refused is not None:
            lasting = antitone(refused)
        row = self.relaxation.excluding(placement, (pod, *deciding), antitone=lasting)
        self.relaxation.program.rows.append(row)
