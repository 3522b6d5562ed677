"""One update that changes several fields, after which a rejected pod fits: `joint_flip`

As in `small_flips`, but the asked pod, a node or another pod changes in two or three fields at once. Each field is an event
of its own, and only one of them may be the one of interest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search import small
from tests.checker.differential.search.flips import NODE_FIELDS, flipped
from tests.checker.differential.search.small_flips import FLIPPED, TRIES, small_question

TOLERATED, LABELLED = ("taints", "cordons"), ("spread", "anti-affinity", "affinity", "default constraints")
"""Features that read the tolerations of the asked pod, and those that read labels of pods."""


def _with(chance: Chance, one: Any, other: Any, names: Sequence[str]) -> Any:
    """Return the object with two or three of these fields as in another one."""
    differing = [name for name in names if getattr(one, name) != getattr(other, name)]
    return replace(one, **{name: getattr(other, name) for name in chance.some(differing, 2, 3)})


def _asked(chance: Chance, chosen: small.Features, asked: Pod) -> Pod:
    """Return the asked pod with other labels and more tolerations."""
    labels = small.pod(chance, chosen, "x").labels | chance.one({}, {"more": "1"})
    more = small.pod(chance, chosen, "x").tolerations
    return replace(asked, labels=labels, tolerations=(*asked.tolerations, *more))


def _bound(chance: Chance, one: Pod, other: Pod) -> Pod:
    """Return a bound pod with other labels and tolerations, and after a resize; no other field may change."""
    first, mine = other.containers[0], one.containers[0]
    sized = replace(mine, requests=first.requests, allocated=first.allocated, actual=first.actual)
    other = replace(other, containers=(sized, *one.containers[1:]), tolerations=(*one.tolerations, *other.tolerations))
    return _with(chance, one, other, ("labels", "containers", "tolerations"))


def changes(chance: Chance, chosen: small.Features, asked: Pod, there: Snapshot) -> Iterator[tuple[Pod, Snapshot]]:
    """Yield clusters that differ in several fields of one object."""
    for _ in range(TRIES):
        match chance.randrange(4):
            case 0 | 1:
                yield _asked(chance, chosen, asked), there
            case 2 if there.pods:
                one = chance.choice(there.pods)
                changed = _bound(chance, one, small.pod(chance, chosen, "x", one.node_name))
                yield asked, replace(there, pods=tuple(changed if each is one else each for each in there.pods))
            case _:
                node = chance.choice(there.nodes)
                new = _with(chance, node, small.node(chance, chosen, node.name), NODE_FIELDS)
                yield asked, replace(there, nodes=tuple(new if each is node else each for each in there.nodes))


def joint_flip(start: str) -> None:
    """Draw two small clusters that differ in several fields of one object, and judge as in `small_flip`."""
    chance = Chance(f"joint {start}")
    names = (chance.choice(TOLERATED), chance.choice(LABELLED)) if chance.often(0.5) else ()
    chosen = tuple(dict.fromkeys((*(NAMED[each] for each in names), *small.features(chance, FLIPPED))))
    asked, there, plugins = small_question(chance, chosen)
    flipped((asked, there, plugins), changes(chance, chosen, asked, there))
