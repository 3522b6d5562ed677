"""Placements of many pods at once: possible, feasible and viable ones.

Operators: PossiblePlacements, Placed, Around, FeasiblePlacement, Score, PlacedAt, NoBetter, ViablePlacements. Beside
them, `gangs_kept` says of a placement that it places gangs as a whole.

A placement is a partial function from pods to nodes that need not be injective. The control loop places one pod at a
time and so finds a local optimum; the viable placements are the global optimum to compare it with.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from frozendict import frozendict

from schedcheck.spec.kubernetes.gangs import members
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile, needed, refused_by_its_group
from schedcheck.spec.published.preemption import subsets

Placement = frozendict[Pod, Node]


def possible_placements(pods: frozenset[Pod], snapshot: Snapshot) -> Iterator[Placement]:
    r"""Yield every placement of some of `pods` on nodes of `snapshot`, feasible or not.

    TLA+: PossiblePlacements(Waiting, Snapshot) ==
            UNION {[Chosen -> Nodes(Snapshot)] : Chosen \in SUBSET Waiting}
    """
    return (
        frozendict(zip(sorted(chosen, key=lambda pod: pod.key), nodes, strict=True))
        for chosen in subsets(pods)
        for nodes in product(snapshot.nodes, repeat=len(chosen))
    )


def placed(placement: Placement, snapshot: Snapshot) -> Snapshot:
    r"""Return the snapshot after every pod of `placement` is bound to its node.

    TLA+: Placed(Placement, Snapshot) ==
            {IF Object \in DOMAIN Placement THEN [Object EXCEPT !.Spec.NodeName = Placement[Object].Name] ELSE Object :
              Object \in Snapshot}
    """
    return replace(
        snapshot,
        pods=tuple(replace(pod, node_name=placement[pod].name) if pod in placement else pod for pod in snapshot.pods),
    )


def around(pod: Pod, placement: Placement, snapshot: Snapshot) -> Snapshot:
    r"""Return the snapshot with every pod of `placement` except `pod` bound to its node.

    TLA+: Around(Pod, Placement, Snapshot) ==
            Placed([Other \in DOMAIN Placement \ {Pod} |-> Placement[Other]], Snapshot)
    """
    return placed(placement.delete(pod), snapshot)


def feasible_placement(placement: Placement, snapshot: Snapshot, profile: Profile) -> bool:
    r"""Whether the node of every pod in `placement` is feasible for it with all other pods placed, and gangs are kept.

    TLA+: FeasiblePlacement(Placement, Snapshot) ==
            \A Pod \in DOMAIN Placement :
              Feasibility(Pod, Placement[Pod], Around(Pod, Placement, Snapshot))
    Differs: Placements.tla is about the published model, which has no gangs.
    """
    return gangs_kept(placement, snapshot, profile) and all(
        profile.feasibility(pod, placement[pod], around(pod, placement, snapshot))
        for pod in placement
    )  # fmt: skip


def gangs_kept(placement: Placement, snapshot: Snapshot, profile: Profile) -> bool:
    """Whether a gang of which `placement` places a member has minCount members with a node then, if gangs are scheduled.

    A pod that is kept out of the queue for its pod group is not placed.
    """
    return all(
        not refused_by_its_group(pod, snapshot, profile)
        and len({other for other in members(pod, snapshot) if other.node_name or other in placement})
        >= (needed(pod, snapshot, profile) or 0)
        for pod in placement
    )


def score(placement: Placement, snapshot: Snapshot, profile: Profile) -> int:
    r"""Return the sum of the viabilities of all pods' nodes, each with all other pods placed.

    TLA+: Score(Placement, Snapshot) ==
            Sum([Pod \in DOMAIN Placement |-> Viability(Pod, Placement[Pod], Around(Pod, Placement, Snapshot))])
    """
    return sum(profile.viability(pod, placement[pod], around(pod, placement, snapshot)) for pod in placement)


def placed_at(priority: int, placement: Placement) -> int:
    r"""Return how many pods of this priority `placement` places.

    TLA+: PlacedAt(Priority, Placement) ==
            Cardinality({Pod \in DOMAIN Placement : Pod.Spec.Priority = Priority})
    """
    return len({pod for pod in placement if pod.priority == priority})


def no_better(placement: Placement, other: Placement, snapshot: Snapshot, profile: Profile) -> bool:
    r"""Whether `placement` is no better: first fewer pods placed at the highest priority that differs, then the score.

    TLA+: NoBetter(Placement, Other, Snapshot) ==
            LET Priorities == {Pod.Spec.Priority : Pod \in DOMAIN Placement \union DOMAIN Other}
                Differing == {Priority \in Priorities : PlacedAt(Priority, Placement) # PlacedAt(Priority, Other)}
            IN IF Differing = {} THEN Score(Placement, Snapshot) <= Score(Other, Snapshot)
               ELSE PlacedAt(Max(Differing), Placement) < PlacedAt(Max(Differing), Other)
    """
    priorities = {pod.priority for pod in {*placement, *other}}
    differing = {each for each in priorities if placed_at(each, placement) != placed_at(each, other)}
    if not differing:
        return score(placement, snapshot, profile) <= score(other, snapshot, profile)
    return placed_at(max(differing), placement) < placed_at(max(differing), other)


def viable_placements(pods: frozenset[Pod], snapshot: Snapshot, profile: Profile) -> frozenset[Placement]:
    r"""Return the best feasible placements of `pods`, none of which is bound yet.

    TLA+: ViablePlacements(Waiting, Snapshot) ==
            LET Feasible == {Placement \in PossiblePlacements(Waiting, Snapshot) : FeasiblePlacement(Placement, Snapshot)}
            IN {Placement \in Feasible : \A Other \in Feasible : NoBetter(Other, Placement, Snapshot)}
    """
    feasible = [each for each in possible_placements(pods, snapshot) if feasible_placement(each, snapshot, profile)]
    return frozenset(
        placement for placement in feasible if all(no_better(other, placement, snapshot, profile) for other in feasible)
    )
