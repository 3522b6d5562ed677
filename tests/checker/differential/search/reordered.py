"""Random small preemptions in which several filters reject a node, in any order: `reordered`

A node that a filter rejects for now may be rejected for good by a later one, of which the cycle has not heard: the search for victims
has to ask all of them again. In the default order hardly any filter that looks at no pods stands behind one that does.
"""

from dataclasses import replace

from frozendict import frozendict

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.spec.kubernetes.plugins import Plugins
from tests.checker.differential.enumeration.storage_vocabulary import STORAGE
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search import singles, small

RESOLVED = ("preemption", "preemption", "room for pods", "budgets", "ports", "anti-affinity", "extended resources")
"""Features of what preemption may resolve."""
LASTING = (
    "declared features", "declared features", "taints", "cordons", "node affinity", "spread policies", "affinity", "nominations",
    *(each.name for each in STORAGE),
)  # fmt: skip
"""Features of what it cannot, and of nominated pods."""


def shuffled(chance: Chance, plugins: Plugins) -> Plugins:
    """Return the profile with its filters in another order; now and then a few come first, and now and then one is disabled."""
    points = plugins.points
    filters = list(points["filter"])
    match chance.randrange(4):
        case 0:
            filters = chance.sample(filters, len(filters))
        case 1:
            first = chance.some(filters, 1, 3)
            filters = [*first, *(each for each in filters if each not in first)]
        case 2:
            # VolumeBinding assumes at Reserve what its PreFilter has found, which is expected of every profile.
            gone = chance.choice([each for each in filters if each != "VolumeBinding"])
            filters = [each for each in filters if each != gone]
            points = frozendict(
                {point: tuple(each for each in names if each != gone) for point, names in points.items()}
            )
    return replace(plugins, points=points.set("filter", tuple(filters)))


def reordered(start: str) -> None:
    """Judge a small cluster in which a pod may have to preempt, and what the cycle begins."""
    chance = Chance(f"reordered {start}")
    names = (chance.choice(RESOLVED), *chance.some(LASTING, 1, 2))
    asked, there, plugins = small.question(chance, tuple(NAMED[each] for each in dict.fromkeys(names)))
    if chance.often(0.5):
        asked = replace(asked, priority=9)
    singles.shown((asked, there, shuffled(chance, plugins)))
