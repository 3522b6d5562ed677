"""What may come of evictions where pods matter alike: `orders`, `possible`, `permitted`.

Who of several that matter alike is put back first depends on the order in which kube-scheduler came to know of them,
which no snapshot tells; so every order is allowed. Pods of one kind differ in nothing but their names, at which no
filter looks: one order of them stands for all, and any of them for any other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, combinations, groupby, product

from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.preemption.choice import casualty
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun, tried
from schedcheck.spec.kubernetes.preemption.importance import Order, by_importance, importance, potential_victims
from schedcheck.spec.objects import Pod, PodDisruptionBudget

Kind = tuple[Pod, frozenset[tuple[str, str]]]
"""A pod without its name, and the budgets that count it as disrupted by its name."""


def kind(pod: Pod, budgets: Iterable[PodDisruptionBudget]) -> Kind:
    """What tells `pod` from others but for its name."""
    disrupted = (each.key for each in budgets if each.namespace == pod.namespace and pod.name in each.disrupted)
    return replace(pod, name=""), frozenset(disrupted)


def sequences(kinds: Counter[Kind]) -> Iterator[tuple[Kind, ...]]:
    """Every sequence that has each kind so many times."""
    if kinds.total() == 0:
        yield ()
    for first in kinds:
        if kinds[first]:
            yield from ((first, *rest) for rest in sequences(kinds - Counter([first])))


def orders(pods: Iterable[Pod], budgets: tuple[PodDisruptionBudget, ...]) -> Iterator[Order]:
    r"""The orders of importance of `pods`: one of those that differ only in which pod of a kind is where.

    TLA+: Orders(Some) ==
            IF Some = {} THEN {<<>>}
            ELSE UNION {{<<First>> \o Rest : Rest \in Orders(Some \ {First})} :
                         First \in {Pod \in Some : ~\E Other \in Some : MoreImportant(Other, Pod)}}
    """
    kinds = {pod: kind(pod, budgets) for pod in by_importance(pods)}
    alike = [Counter(kinds[pod] for pod in group) for _, group in groupby(kinds, key=importance)]
    for each in product(*map(sequences, alike)):
        members = {one: iter([pod for pod in kinds if kinds[pod] == one]) for one in kinds.values()}
        yield tuple(next(members[one]) for one in chain(*each))


def renamed(
    victims: tuple[Pod, ...], pods: tuple[Pod, ...], budgets: tuple[PodDisruptionBudget, ...]
) -> Iterator[Order]:
    """Every set of `pods`, in order of importance, that has as many of each kind as `victims` has."""
    numbers = Counter(kind(pod, budgets) for pod in victims)
    chosen = (combinations([pod for pod in pods if kind(pod, budgets) == one], numbers[one]) for one in numbers)
    return (by_importance(chain(*each)) for each in product(*chosen))


def possible(run: DryRun, info: NodeInfo) -> frozenset[Candidate]:
    r"""The candidates that there may be on a potential node.

    TLA+: CandidatesOn(Pod, Info, Snapshot) ==
            LET Potential == PotentialVictims(Pod, Info)
            IN IF Potential = {} \/ Filtered(Pod, Removed(Info, Potential), Snapshot) # Null THEN {}
               ELSE {Candidate(Pod, Info, Order, Snapshot) : Order \in Orders(Potential)}
    """
    pods, budgets = potential_victims(run.cycle.pod, info), run.cycle.snapshot.budgets
    outcomes = (tried(run.cycle, info, order) for order in orders(pods, budgets))
    return frozenset(
        replace(outcome, victims=victims)
        for outcome in outcomes
        if isinstance(outcome, Candidate)
        for victims in renamed(outcome.victims, pods, budgets)
    )


def permitted(run: DryRun) -> frozenset[Candidate]:
    r"""The candidates any of which may be nominated: on every other node there may be one that is no better.

    TLA+: Permitted(Pod, Snapshot) ==
            LET Found == {CandidatesOn(Pod, Info, Snapshot) : Info \in PotentialNodes(Pod, Snapshot)} \ {{}}
            IN {Each \in UNION Found : \A Some \in Found : \E Other \in Some : NoWorse(Damage(Each), Damage(Other))}
    """
    by_node = [found for info in run.potential_nodes if (found := possible(run, info))]
    least = min((max(map(casualty, found)) for found in by_node), default=None)
    return frozenset(each for found in by_node for each in found if least is None or casualty(each) <= least)
