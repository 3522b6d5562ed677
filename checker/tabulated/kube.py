"""The control loop of kube-scheduler, taken apart for the tables: `Kube`."""

from collections.abc import Hashable, Iterable, Sequence

from schedcheck.checker.tabulated.oracle import Option, least_violations, near
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.feasibility.cycle import Cycle, verdicts
from schedcheck.spec.footprints import Width, footprint
from schedcheck.spec.kubernetes import taken_up, without_a_node
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.plugins import Plugins
from schedcheck.spec.preemption.choice import casualty
from schedcheck.spec.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.preemption.eligibility import waits_on
from schedcheck.spec.preemption.ties import possible
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.properties import Step, budget_violations
from schedcheck.spec.viability.choice import choice
from schedcheck.spec.viability.scores import SCORE_PLUGINS

NEAR = tuple(plugin for plugin in SCORE_PLUGINS if footprint(plugin.raw).width <= Width.NODE)
"""The plugins whose raw score of a node looks at no other. What the others look at is in the key of the question."""


class Kube:
    """The loop of kube-scheduler, and `of_bindings`, what is asked of a binding beside its scores.

    `compares_budgets`: it is asked how many budgets evictions violate. `wide`: a definition may look at other nodes than the one that it is asked of. Else it is shown no other.
    """

    def __init__(
        self, own: Profile, judge: Profile, wide: bool, of_bindings: Sequence[Step], compares_budgets: bool = False
    ) -> None:
        self.own = own
        self.wide = wide
        self.judge = judge
        self.of_bindings = tuple(of_bindings)
        self.compares_budgets = compares_budgets

    def admission(self, pod: Pod, node: Node, snapshot: Snapshot) -> Hashable:
        """The verdict on the node, its raw scores, what the judge says of it, and whether a binding there breaks anything."""
        snapshot = near(pod, node, snapshot, self.wide)
        made = self._taken_up(pod, snapshot)
        verdict = verdicts(made)[node.name]
        refusal = None if verdict.refusal is None else verdict.refusal.code
        scores: list[Hashable] = []
        for profile in (self.own, self.judge):
            plugins = by_scheduler_name(pod, profile.plugins)
            scores.append(self._raw(pod, node, snapshot, plugins) if profile.feasibility(pod, node, snapshot) else None)
        decision = Bind(pod, node)
        broken = (
            question.name == "bind_most_viable" or question.holds(snapshot, decision, snapshot)
            for question in self.of_bindings
        )
        return refusal, verdict.source, tuple(scores), refusal is None and tuple(broken)

    def evictions(self, pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Hashable, Sequence[Option]]:
        """The verdict, what the candidates there would cost, and who would be evicted."""
        snapshot = near(pod, node, snapshot, self.wide)
        run = DryRun(self._taken_up(pod, snapshot))
        verdict = run.verdicts[node.name]
        refusal = None if verdict.refusal is None else verdict.refusal.code
        info = next(each for each in run.cycle.infos if each.node == node)
        tried = run.outcomes.get(node.name)
        candidates = possible(run, info) if info in run.potential_nodes else frozenset()
        costs = sorted({self._cost(each, snapshot) for each in candidates})
        # In whatever order they were taken, the same victims are one decision.
        options = {
            Option(costs.index(self._cost(each, snapshot)), Nominate(pod, each.node, frozenset(each.victims)))
            for each in candidates
        }
        feasible = self.judge.feasibility(pod, node, snapshot)
        why = getattr(tried, "code", None)
        least = least_violations(pod, node, snapshot, self.judge) if self.compares_budgets else None
        matters = refusal, verdict.source, tuple(costs), why, waits_on(pod, info, run.verdicts), feasible, least
        return matters, tuple(options)

    def choice(self, pod: Pod, snapshot: Snapshot) -> tuple[Iterable[Bind | Wait], bool]:
        """Where the pod may be bound, or that its cycle ends in an error; else it must be asked what follows."""
        end = choice(self._taken_up(pod, snapshot))
        if end.kind == "unschedulable":
            return (), True
        decided = self.own.decision(pod, snapshot, self.own)
        return [each for each in decided if isinstance(each, Bind | Wait)], False

    def outcome(self, pod: Pod, snapshot: Snapshot) -> Iterable[tuple[Decision, int]]:
        """The candidates that may be nominated, one a node and cost, or that the pod waits."""
        made = self._taken_up(pod, snapshot)
        run = DryRun(made)
        found: dict[Hashable, tuple[Decision, int]] = {}
        for decision in sorted(without_a_node(made), key=str):
            if not isinstance(decision, Nominate):
                found[""] = (decision, 0)
                continue
            info = next(each for each in run.cycle.infos if each.node.name == decision.node.name)
            candidates = possible(run, info)
            costs = sorted({self._cost(each, snapshot) for each in candidates})
            own = next(each for each in candidates if frozenset(each.victims) == decision.victims)
            kind = costs.index(self._cost(own, snapshot))
            found[decision.node.name, kind] = (decision, kind)
        return found.values()

    def _cost(self, candidate: Candidate, snapshot: Snapshot) -> tuple[Hashable, int]:
        """What tells the kinds of options on a node apart."""
        violated = budget_violations(frozenset(candidate.victims), snapshot) if self.compares_budgets else 0
        return casualty(candidate), violated

    def _taken_up(self, pod: Pod, snapshot: Snapshot) -> Cycle:
        return taken_up(pod, snapshot, by_scheduler_name(pod, self.own.plugins))

    def _raw(self, pod: Pod, node: Node, snapshot: Snapshot, plugins: Plugins) -> Hashable:
        others = snapshot - frozenset({pod})
        return tuple(plugin.raw(pod, (node,), others, plugins)[node.name] for plugin in NEAR)
