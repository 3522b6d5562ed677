"""Lives and decisions of schedulers that remember next to nothing, so that every memory is full again and again: `full_memory`

What a scheduler remembers of rows, priorities, pods and labels is forgotten when there is too much of it, which a small cluster never
reaches. So the limits are low here: what was forgotten is computed anew, and has to be the same.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.model.production.framework import verdicts
from schedcheck.model.production.preemption import remembered, victims
from schedcheck.model.production.snapshot import guests, labels, node_table, row_memory
from tests.checker.differential.search.singles import contested
from tests.checker.differential.search.small_lives import crowded_live, small_live
from tests.checker.differential.search.wide import wide

LIMITS: Mapping[tuple[ModuleType, str], tuple[int, ...]] = {
    (row_memory, "MOST_REMEMBERED"): (1, 2),
    (row_memory, "MOST_AMOUNTS"): (1, 2),
    (row_memory, "A_FEW"): (1, 8),
    (remembered, "MOST_REMEMBERED"): (1, 2),
    (node_table, "MOST_PRIORITIES"): (1, 2),
    (guests, "MOST_REMEMBERED"): (1, 2, 3),
    (labels, "MOST_REMEMBERED"): (1, 2),
    (verdicts, "FEW_NUMBERS"): (1, 4096),
    (victims, "A_FEW"): (1, 16),
}
"""The limits, and the values that they have here; those that choose between two ways of computing have the usual one, too."""
KINDS: tuple[Callable[[str], None], ...] = (
    lambda start: crowded_live(start, 25),
    lambda start: small_live(start, 25),
    contested,
    contested,
    wide,
    wide,
)


@contextmanager
def limited(chance: Chance) -> Iterator[None]:
    """Lower the limits within the context."""
    before = {(module, name): getattr(module, name) for module, name in LIMITS}
    try:
        for (module, name), some in LIMITS.items():
            setattr(module, name, chance.choice(some))
        yield
    finally:
        for (module, name), value in before.items():
            setattr(module, name, value)


def full_memory(start: str) -> None:
    """Live a small life, or judge a decision, with low limits."""
    chance = Chance(f"full memories {start}")
    with limited(chance):
        chance.choice(KINDS)(f"full {start}")
