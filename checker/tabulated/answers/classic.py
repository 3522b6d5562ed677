"""The loop of the classic scheduler, split into the four questions of the tables: `Classic`."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schedcheck.checker.exploring.memo import refuse_too_many_orders
from schedcheck.checker.tabulated.answers.near import least_violations, near
from schedcheck.checker.tabulated.answers.oracle import (
    OF_CHOICES,
    OF_NOMINATIONS,
    OF_OPTIONS,
    OF_OUTCOMES,
    Ending,
    Option,
    broken,
)
from schedcheck.spec.classic.filtering import Failures, failures
from schedcheck.spec.classic.policy import Classic as Policy
from schedcheck.spec.classic.preemption import Candidate, candidates, damage, waits_on
from schedcheck.spec.classic.priorities.inter_pod_affinity import count
from schedcheck.spec.classic.priorities.node_affinity import weight
from schedcheck.spec.classic.ranking import best, scores_of
from schedcheck.spec.decisions import Bind, Nominate
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties.kinds import Step
from schedcheck.spec.properties.of_decisions import budget_violations
from schedcheck.spec.tolerations import intolerable_taints

OF_ALL = OF_OPTIONS | OF_OUTCOMES | OF_CHOICES

Kind = tuple[Hashable, Hashable, int]


@dataclass(frozen=True)
class Classic:
    """The loop of a profile with a policy; the profile is also the judge.

    `wide`: a definition may look at nodes other than the one in question; otherwise it is shown that node only.
    `compares_budgets`: a property counts the budgets that evictions violate.
    """

    own: Profile
    policy: Policy
    wide: bool
    steps: tuple[Step, ...]
    compares_budgets: bool = False

    def admission(self, pod: Pod, node: Node, snapshot: Snapshot) -> Hashable:
        """Return why the node fails, its scores by each priority alone, values to compare, and broken properties.

        What is compared across nodes: the weights of the preferred terms it matches, its intolerable taints, and its
        count for inter-pod affinity. The other priorities that compare nodes look at pods on all nodes; these are part
        of the key.
        """
        shown = near(pod, node, snapshot, self.wide)
        scores = tuple(
            scores_of(each, pod, (node,), shown, self.policy)[node.name] for each in self.policy.priorities
        )  # fmt: skip
        wanted = broken(self.steps, Bind(pod, node), shown, OF_NOMINATIONS)
        compared = weight(pod, node), intolerable_taints(pod, node), count(pod, node, shown, self.policy.hard_weight)
        return failures(pod, node, shown, self.policy), scores, compared, wanted

    def evictions(self, pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Hashable, Sequence[Option]]:
        """Return what matters about evictions on the node, and the possible victim sets.

        What matters: why the node fails, the costs of evictions there, and whether the pod waits for earlier evictions.
        """
        shown = near(pod, node, snapshot, self.wide)
        failed = failures(pod, node, shown, self.policy)
        found = self._candidates(pod, node, shown, failed)
        kinds = self._kinds(found, shown)
        by_judge = min(map(self.own.casualty, self.own.victim_sets(pod, node, shown)), default=None)
        violated = least_violations(pod, node, shown, self.own) if self.compares_budgets else None
        # The same victims are one decision, in whatever order they are reprieved.
        ways = {
            (kinds.index(self._kind(each, shown)), Nominate(pod, node, frozenset(each.victims), clears_always=True))
            for each in found
        }
        options = [Option(kind, each, broken(self.steps, each, snapshot, OF_OPTIONS)) for kind, each in ways]
        waits = waits_on(pod, node, shown)
        return (failed, tuple(kinds), by_judge, violated, waits), options

    def choice(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> tuple[Iterable[Ending], bool]:
        """Return bindings to the best nodes, and whether to ask about evictions: only if there is no such node."""
        binds = [Bind(pod, node) for node in best(pod, snapshot, self.policy)]
        return [Ending(each, broken(self.steps, each, snapshot, OF_ALL)) for each in binds], not binds

    def outcome(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> Iterable[Ending]:
        """Return the evictions, one for each node and kind of victim set, or that the pod waits."""
        found: dict[Hashable, Ending] = {}
        for decision in sorted(self.own.decision(pod, snapshot, self.own), key=str):
            if isinstance(decision, Nominate):
                node = decision.node
                shown = near(pod, node, snapshot, self.wide)
                there = self._candidates(pod, node, shown, failures(pod, node, shown, self.policy))
                own = next(each for each in there if frozenset(each.victims) == decision.victims)
                kind = self._kinds(there, shown).index(self._kind(own, shown))
                breaks = broken(self.steps, decision, snapshot, OF_OUTCOMES)
                found[node.name, kind] = Ending(decision, breaks, kind)
            else:
                found[""] = Ending(decision, broken(self.steps, decision, snapshot, OF_ALL))
        return found.values()

    def _candidates(self, pod: Pod, node: Node, shown: Snapshot, failed: Failures) -> frozenset[Candidate]:
        if not failed or not all(each.resolvable for each in failed):
            return frozenset()
        refuse_too_many_orders(pod, shown)
        return candidates(pod, node, shown, self.policy)

    def _kinds(self, found: Iterable[Candidate], shown: Snapshot) -> list[Kind]:
        return sorted({self._kind(each, shown) for each in found}, key=repr)

    def _kind(self, candidate: Candidate, shown: Snapshot) -> Kind:
        """Return what tells candidates on a node apart: damage, casualty and, if asked, the budgets they violate."""
        victims = frozenset(candidate.victims)
        violated = budget_violations(victims, shown) if self.compares_budgets else 0
        return damage(candidate), self.own.casualty(victims), violated
