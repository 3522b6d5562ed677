"""All possible results of preemption if pods are equally important: `possible`, `permitted`."""

from dataclasses import replace
from typing import TypeVar

from schedcheck.spec.importance import orders, renamed
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.preemption.choice import casualty
from schedcheck.spec.kubernetes.preemption.disruption import Listing
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun, UnitCandidate, tried
from schedcheck.spec.kubernetes.preemption.of_units import evictions, in_units
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims

Run = TypeVar("Run", bound=DryRun)


def possible(run: DryRun, info: NodeInfo) -> frozenset[Candidate]:
    r"""Return the possible candidates on a potential node.

    TLA+: CandidatesOn(Pod, Info, Snapshot, Listing) ==
            LET Potential == PotentialVictims(Pod, Info)
            IN IF Potential = {} \/ Filtered(Pod, Removed(Info, Potential), Snapshot) # Null THEN {}
               ELSE {Candidate(Pod, Info, Order, Snapshot, Listing) : Order \in Orders(Potential)}
    """
    budgets = run.cycle.snapshot.budgets
    if in_units(run.cycle):
        found = evictions(run.cycle, info, budgets)
        return frozenset(UnitCandidate(info.node, each.victims, each.violations) for each in found)
    pods = potential_victims(run.cycle.pod, info)
    outcomes = (tried(run.cycle, info, order) for order in orders(pods, budgets))
    return frozenset(
        replace(outcome, victims=victims)
        for outcome in outcomes
        if isinstance(outcome, Candidate)
        for victims in renamed(outcome.victims, pods, budgets)
    )


def permitted(run: DryRun) -> frozenset[Candidate]:
    r"""Return the candidates that may be nominated, for some order of the disruption budgets; none if these are too many.

    TLA+: Permitted(Pod, Snapshot) == UNION {PermittedBy(Pod, Snapshot, Listing) : Listing \in Listings(Snapshot)}
    """
    return frozenset[Candidate]().union(*(permitted_by(listing, run) for listing in run.listings))


def permitted_by(listing: Listing, run: DryRun) -> frozenset[Candidate]:
    r"""Return the candidates that may be nominated: every other node has a possible candidate that is no better.

    TLA+: PermittedBy(Pod, Snapshot, Listing) ==
            LET Found == {CandidatesOn(Pod, Info, Snapshot, Listing) : Info \in PotentialNodes(Pod, Snapshot)} \ {{}}
            IN {Each \in UNION Found : \A Some \in Found : \E Other \in Some : NoWorse(Damage(Each), Damage(Other))}
    """
    given = listed(run, listing)
    by_node = [found for info in given.potential_nodes if (found := possible(given, info))]
    least = min((max(map(casualty, found)) for found in by_node), default=None)
    return frozenset(each for found in by_node for each in found if least is None or casualty(each) <= least)


def listed(run: Run, listing: Listing) -> Run:
    """Return the dry run with the budgets in this order."""
    snapshot = run.cycle.snapshot
    if tuple(each for each in snapshot.budgets if each in listing) == listing:
        return run
    return replace(run, cycle=replace(run.cycle, snapshot=replace(snapshot, budgets=listing)))
