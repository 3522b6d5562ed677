"""All possible results of preemption if pods are equally important: `orders`, `possible`, `permitted`.

Which of several equally important pods is put back first depends on the order in which kube-scheduler learned of them.
A snapshot does not record that order, so every order is allowed. Pods of one kind differ only in their names, which no
filter reads: one order of them stands for all orders, and any such pod for any other.
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
"""A pod without its name, and the budgets that list it by name as disrupted."""


def kind(pod: Pod, budgets: Iterable[PodDisruptionBudget]) -> Kind:
    """Return everything that distinguishes `pod` from other pods except its name."""
    disrupted = (each.key for each in budgets if each.namespace == pod.namespace and pod.name in each.disrupted)
    return replace(pod, name=""), frozenset(disrupted)


def sequences(kinds: Counter[Kind]) -> Iterator[tuple[Kind, ...]]:
    """Yield every sequence that contains each kind the given number of times."""
    if kinds.total() == 0:
        yield ()
    for first in kinds:
        if kinds[first]:
            yield from ((first, *rest) for rest in sequences(kinds - Counter([first])))


def orders(pods: Iterable[Pod], budgets: tuple[PodDisruptionBudget, ...]) -> Iterator[Order]:
    r"""Yield the possible orders of importance of `pods`, one for all that differ only between pods of one kind.

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
    """Yield every selection of `pods`, in order of importance, with as many pods of each kind as `victims` has."""
    numbers = Counter(kind(pod, budgets) for pod in victims)
    chosen = (combinations([pod for pod in pods if kind(pod, budgets) == one], numbers[one]) for one in numbers)
    return (by_importance(chain(*each)) for each in product(*chosen))


def possible(run: DryRun, info: NodeInfo) -> frozenset[Candidate]:
    r"""Return the possible candidates on a potential node.

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
    r"""Return the candidates that may be nominated: every other node has a possible candidate that is no better.

    TLA+: Permitted(Pod, Snapshot) ==
            LET Found == {CandidatesOn(Pod, Info, Snapshot) : Info \in PotentialNodes(Pod, Snapshot)} \ {{}}
            IN {Each \in UNION Found : \A Some \in Found : \E Other \in Some : NoWorse(Damage(Each), Damage(Other))}
    """
    by_node = [found for info in run.potential_nodes if (found := possible(run, info))]
    least = min((max(map(casualty, found)) for found in by_node), default=None)
    return frozenset(each for found in by_node for each in found if least is None or casualty(each) <= least)
