"""The loop of the early scheduler, taken apart for the tables: `Classic`."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from schedcheck.checker.memory import refuse_too_many_orders
from schedcheck.checker.tabulated.oracle import Option, least_violations, near
from schedcheck.spec.classic.filtering import Failures, failures
from schedcheck.spec.classic.policy import Classic as Policy
from schedcheck.spec.classic.preemption import Candidate, candidates, damage
from schedcheck.spec.classic.priorities.node_affinity import weight
from schedcheck.spec.classic.ranking import best, scores_of
from schedcheck.spec.decisions import Bind, Decision, Preempt, Wait
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties import budget_violations

Kind = tuple[Hashable, Hashable, int]


@dataclass(frozen=True)
class Classic:
    """The loop of a profile with a policy, which is its own judge.

    `wide`: a definition may look at other nodes than the one that it is asked of. Else it is shown no other.
    `compares_budgets`: it is asked how many budgets evictions violate.
    """

    own: Profile
    policy: Policy
    wide: bool
    compares_budgets: bool = False

    def admission(self, pod: Pod, node: Node, snapshot: Snapshot) -> Hashable:
        """Why the node fails, and what each priority says of it alone; of the terms that it matches, their weight.

        The priorities that compare nodes compare such weights, or else the pods of everywhere, which are in the key.
        """
        shown = near(pod, node, snapshot, self.wide)
        scores = tuple(
            scores_of(each, pod, (node,), shown, self.policy)[node.name] for each in self.policy.priorities
        )  # fmt: skip
        return failures(pod, node, shown, self.policy), scores, weight(pod, node)

    def evictions(self, pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Hashable, Sequence[Option]]:
        """Why the node fails, what evictions there would do, and who would be evicted."""
        shown = near(pod, node, snapshot, self.wide)
        failed = failures(pod, node, shown, self.policy)
        found = self._candidates(pod, node, shown, failed)
        kinds = self._kinds(found, shown)
        by_judge = min(map(self.own.casualty, self.own.victim_sets(pod, node, shown)), default=None)
        violated = least_violations(pod, node, shown, self.own) if self.compares_budgets else None
        # In whatever order they are put back, the same victims are one decision.
        options = {
            Option(kinds.index(self._kind(each, shown)), Preempt(pod, node, frozenset(each.victims))) for each in found
        }
        return (failed, tuple(kinds), by_judge, violated), tuple(options)

    def choice(self, pod: Pod, snapshot: Snapshot) -> tuple[Iterable[Bind | Wait], bool]:
        """The best nodes; it is asked about evictions if there are none."""
        binds = [Bind(pod, node) for node in best(pod, snapshot, self.policy)]
        return binds, not binds

    def outcome(self, pod: Pod, snapshot: Snapshot) -> Iterable[tuple[Decision, int]]:
        """The nodes on which somebody is evicted, one set of victims standing for all of a kind, or that it waits."""
        found: dict[Hashable, tuple[Decision, int]] = {}
        for decision in sorted(self.own.decision(pod, snapshot, self.own), key=str):
            if isinstance(decision, Preempt):
                node = decision.node
                shown = near(pod, node, snapshot, self.wide)
                there = self._candidates(pod, node, shown, failures(pod, node, shown, self.policy))
                own = next(each for each in there if frozenset(each.victims) == decision.victims)
                kind = self._kinds(there, shown).index(self._kind(own, shown))
                found[node.name, kind] = (decision, kind)
            else:
                found[""] = (decision, 0)
        return found.values()

    def _candidates(self, pod: Pod, node: Node, shown: Snapshot, failed: Failures) -> frozenset[Candidate]:
        if not failed or not all(each.resolvable for each in failed):
            return frozenset()
        refuse_too_many_orders(pod, shown)
        return candidates(pod, node, shown, self.policy)

    def _kinds(self, found: Iterable[Candidate], shown: Snapshot) -> list[Kind]:
        return sorted({self._kind(each, shown) for each in found}, key=repr)

    def _kind(self, candidate: Candidate, shown: Snapshot) -> Kind:
        """What tells candidates on a node apart: the damage, the casualty, and if that is asked the budgets that they violate."""
        victims = frozenset(candidate.victims)
        violated = budget_violations(victims, shown) if self.compares_budgets else 0
        return damage(candidate), self.own.casualty(victims), violated
