"""The dry run of preemption on each node, for a pod that fits on no node: `Candidate`, `tried`, `DryRun`.

Kubernetes 1.34: pkg/scheduler/framework/preemption/preemption.go, DryRunPreemption; default_preemption.go,
SelectVictimsOnNode.

Not modelled: that kube-scheduler seeks only some candidates, beginning at a random node.
"""

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

from frozendict import frozendict

from schedcheck.spec.footprints import declares
from schedcheck.spec.importance import EVICTED, Order, by_importance
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import FOOTPRINTS, Verdict, filtered, verdicts
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.preemption.disruption import Listing, listings, violations
from schedcheck.spec.kubernetes.preemption.of_units import Evicted, in_units, unclear, unit_listings, unit_outcome
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.kubernetes.preemption.reprieve import emptied, reprieve_order, survivors
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.refusal import Code, Refusal, unresolvable

NO_VICTIMS = unresolvable("", "No preemption victims found for incoming pod")


@dataclass(frozen=True)
class Candidate:
    """A node, its victims in order of importance, and how many of them violate a budget.

    There is at least one victim: with all potential victims back, the filters reject the node.
    """

    node: Node
    victims: tuple[Pod, ...]
    violations: int

    @property
    def leading(self) -> int:
        """The priority of the most important victim, which kube-scheduler takes for the highest."""
        return max(pod.priority for pod in self.victims)


@dataclass(frozen=True)
class UnitCandidate(Candidate):
    """A candidate whose victims go in units: the first of them leads, even if its own priority is not the highest."""

    @property
    def leading(self) -> int:
        """The priority of the first victim."""
        return self.victims[0].priority


@declares(reduce(or_, FOOTPRINTS.values(), EVICTED).with_nominated())
def tried(cycle: Cycle, info: NodeInfo, order: Order) -> Candidate | Refusal:
    """Return the result of the dry run on the node; `order` is its potential victims in order of importance."""
    if order == ():
        return NO_VICTIMS
    return filtered(cycle, emptied(info, order, cycle.plugins.departures)) or candidate(cycle, info, order)


def candidate(cycle: Cycle, info: NodeInfo, order: Order) -> Candidate:
    r"""Return the node with the potential victims that are not reprieved.

    Among equally important victims, those that violate a budget come first.

    TLA+: Candidate(Pod, Info, Order, Snapshot, Listing) ==
            LET Potential == {Order[i] : i \in DOMAIN Order}
                Empty == Removed(Info, Potential)
                Victims == Potential \ Survivors(Pod, Empty, ReprieveOrder(Order, Listing), Snapshot)
            IN [Node |-> Info.Node, Victims |-> Victims, Violations |-> Violations(Order, Victims, Listing)]
    """
    put_back = reprieve_order(cycle, order)
    spared = survivors(cycle, info, put_back)
    victims = by_importance(pod for pod in put_back if pod not in spared)
    budgets, departures = cycle.snapshot.budgets_over(order), cycle.plugins.departures
    return Candidate(info.node, victims, violations(order, frozenset(victims), budgets, departures))


def pods_tried(cycle: Cycle, info: NodeInfo) -> Candidate | Refusal:
    """Return the result of the dry run on the node, whose equally important pods stay in their order."""
    return tried(cycle, info, by_importance(potential_victims(cycle.pod, info)))


def unit_tried(cycle: Cycle, info: NodeInfo) -> Candidate | Refusal:
    """Return the result of the dry run on the node, from which units are evicted; equally important ones by name."""
    outcome = unit_outcome(cycle, info)
    if isinstance(outcome, Evicted):
        return UnitCandidate(info.node, outcome.victims, outcome.violations)
    return NO_VICTIMS if outcome is None else outcome


@dataclass(frozen=True)
class DryRun:
    """The dry run of preemption after a cycle in which no node is feasible."""

    cycle: Cycle

    @cached_property
    def verdicts(self) -> frozendict[str, Verdict]:
        """The filters' verdicts on every node."""
        return verdicts(self.cycle)

    @cached_property
    def potential_nodes(self) -> tuple[NodeInfo, ...]:
        r"""The nodes whose refusal evictions may resolve (Unschedulable).

        TLA+: PotentialNodes(Pod, Snapshot) ==
                {Info \in NodeInfos(Snapshot) :
                  LET Found == Verdict(Pod, Info.Node, Snapshot).Refusal
                  IN Found # Null /\ Found.Code = "Unschedulable"}
        """
        refusals = {name: verdict.refusal for name, verdict in self.verdicts.items()}
        return tuple(
            info
            for info in self.cycle.infos
            if (refusal := refusals[info.node.name]) is not None and refusal.code == Code.UNSCHEDULABLE
        )

    @cached_property
    def listings(self) -> tuple[Listing, ...]:
        """The orders of the disruption budgets that matter; none if there are too many to tell apart."""
        if in_units(self.cycle):
            return unit_listings(self.cycle, self.potential_nodes)
        groups = [potential_victims(self.cycle.pod, info) for info in self.potential_nodes]
        over = self.cycle.snapshot.budgets_over(pod for group in groups for pod in group)
        return listings(over, groups, self.cycle.plugins.departures)

    @cached_property
    def outcomes(self) -> frozendict[str, Candidate | Refusal]:
        """The result of the dry run on each potential node; equally important pods stay in the order of its pods."""
        outcome = unit_tried if in_units(self.cycle) else pods_tried
        return frozendict({info.node.name: outcome(self.cycle, info) for info in self.potential_nodes})

    @cached_property
    def unclear(self) -> str:
        """Why it is not known what is evicted; empty if it is, or if only the order of budgets may be too much."""
        return unclear(self.cycle, self.potential_nodes) if in_units(self.cycle) else ""

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates, at most one for each node."""
        return tuple(outcome for outcome in self.outcomes.values() if isinstance(outcome, Candidate))

    @cached_property
    def statuses(self) -> frozendict[str, Refusal]:
        """The potential nodes on which evictions do not help, each with the refusal."""
        return frozendict({name: each for name, each in self.outcomes.items() if isinstance(each, Refusal)})
