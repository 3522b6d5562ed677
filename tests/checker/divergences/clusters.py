"""Random clusters built from the objects of a domain, beyond its bounds"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.domain import Domain, guarded, named_node, on_or_near
from schedcheck.spec.objects import Snapshot


def larger(domain: Domain, number: int, nodes: int = 3, seed: int = 0) -> Iterator[Case]:
    """Yield this many random clusters of a domain with up to this many nodes, five other pods and two budgets."""
    chance = Random(number + seed)

    def some(kinds: Sequence[Any], least: int, most: int) -> list[Any]:
        return chance.choices(kinds, k=chance.randint(least, most)) if kinds else []

    for _ in range(number):
        there = [named_node(each, place) for place, each in enumerate(some(domain.nodes, 1, nodes), 1)]
        others = some([on_or_near(pod, node) for node in there for pod in domain.others], 0, 5)
        pods = [replace(each, name=f"pod-{place}") for place, each in enumerate(others, 1)]
        pod = chance.choice(domain.pending)
        budgets = tuple(guarded(each, place, pods, pod) for place, each in enumerate(some(domain.budgets, 0, 2), 1))
        snapshot = Snapshot.of([pod, *pods], there, chance.choice(domain.namespaces))
        yield Case(pod, replace(snapshot, budgets=budgets, storage=chance.choice(domain.storages)))
