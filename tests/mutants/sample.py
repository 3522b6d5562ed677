"""Choose the mutants to try: `sample`, spread over files by their numbers of places, each place once before any twice.

The draw uses a digest of the seed and of the mutant, so that a change of one file leaves the draws from others
unchanged.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from tests.mutants.enumeration import Mutant


def sample(mutants: Iterable[Mutant], texts: Mapping[str, str], size: int, seed: int) -> list[tuple[Mutant, str]]:
    """`size` mutants, or all, with the text of each; file by file, in the order of the lines."""
    by_file: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        by_file.setdefault(mutant.file, []).append(mutant)
    chosen = []
    quotas = spread({file: len({each.start for each in those}) for file, those in by_file.items()}, size)
    for file, those in by_file.items():
        drawn = draw(those, texts[file], quotas[file], seed)
        chosen += sorted(drawn, key=lambda each: (each[0].start, each[0].operator, each[0].occurrence))
    return chosen


def draw(those: Iterable[Mutant], text: str, quota: int, seed: int) -> list[tuple[Mutant, str]]:
    """The first `quota` mutants of one file that are valid and differ from the original."""
    drawn: list[tuple[Mutant, str]] = []
    for mutant in turns(those, seed):
        if len(drawn) == quota:
            break
        made = mutant.mutated(text)
        if made is not None:
            drawn.append((mutant, made))
    return drawn


def turns(those: Iterable[Mutant], seed: int) -> list[Mutant]:
    """The mutants of one file in the order of the draw: one of each place, then a second one of each, and so on."""
    there: Counter[tuple[int, int]] = Counter()
    turned = []
    for number, mutant in ranked(those, seed):
        turned.append((there[mutant.start], number, mutant))
        there[mutant.start] += 1
    return [mutant for _, _, mutant in sorted(turned, key=lambda each: each[:2])]


def ranked(those: Iterable[Mutant], seed: int) -> Iterator[tuple[int, Mutant]]:
    """The mutants in an order determined by the seed, numbered from 0; equal descriptions are distinguished by their
    order.
    """
    alike: Counter[str] = Counter()
    ranks = []
    for mutant in those:
        name = f"{seed}\0{mutant.file}\0{mutant.within}\0{mutant.operator}\0{mutant.line}"
        ranks.append((hashlib.sha256(f"{name}\0{alike[name]}".encode()).hexdigest(), mutant))
        alike[name] += 1
    yield from enumerate(mutant for _, mutant in sorted(ranks, key=lambda each: each[0]))


def spread(places: Mapping[str, int], size: int) -> dict[str, int]:
    """The number of the `size` mutants that each file gets: one, and the others by its places (Webster's method)."""
    quotas = dict.fromkeys(places, 1)
    for _ in range(size - len(places)):
        quotas[max(places, key=lambda file: places[file] / (quotas[file] + 0.5))] += 1
    return quotas
