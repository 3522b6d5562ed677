"""One event after which a pod fits that comes while the pod is being tried, too late for the attempt: `flip_in_flight`

As in `flips` and `small_flips`, but the change is told after the pod was rejected, and before it is put back. So what the queue keeps
for a pod in flight has to move it.
"""

from collections.abc import Iterator

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.enumeration.storage_vocabulary import STORAGE
from tests.checker.differential.search import joint, small, small_flips
from tests.checker.differential.search.flips import flipped, slept_in_flight

WAYS = ("changes", "changes", "joint", "joint", "stored", "without one")


def _changes(
    way: str, chance: Chance, chosen: small.Features, asked: Pod, there: Snapshot
) -> Iterator[tuple[Pod, Snapshot]]:
    match way:
        case "changes":
            return small_flips.changes(chance, chosen, asked, there)
        case "joint":
            return joint.changes(chance, chosen, asked, there)
        case "stored":
            return small_flips.stored_changes(chance, chosen, asked, there)
    return small_flips.without_one(chance, asked, there)


def flip_in_flight(start: str) -> None:
    """Draw two small clusters, and judge whether the change between them moves the pod that is being tried."""
    chance = Chance(f"in flight {start}")
    way = chance.choice(WAYS)
    chosen = small.features(chance, STORAGE if way == "stored" else small_flips.FLIPPED)
    asked, there, plugins = small_flips.small_question(chance, chosen)
    flipped((asked, there, plugins), _changes(way, chance, chosen, asked, there), judge=slept_in_flight)
