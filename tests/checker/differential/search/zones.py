"""Random small clusters of which volumes and nodes have labels of zones and regions, by their present or beta names: `small_zone`

A node or a volume may have one name, the other, or both, with equal or different values.
"""

from collections.abc import Iterator
from dataclasses import replace

from frozendict import frozendict

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import PersistentVolume
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from schedcheck.spec.values import Labels
from schedcheck.spec.volumes.csi_migration import BETA_REGION, BETA_ZONE, REGION, ZONE, ZONES
from tests.checker.differential.enumeration.storage_vocabulary import BOTH, LOCAL, bound, mounting, whole
from tests.checker.differential.enumeration.vocabulary import FEATURES, NAMED
from tests.checker.differential.search import singles
from tests.checker.differential.search.flips import flipped
from tests.checker.differential.search.small_flips import small_question

KEYS = (BETA_ZONE, BETA_ZONE, ZONE, ZONE, BETA_REGION, REGION)
BESIDE = tuple(each for each in FEATURES if each.name in {"resources", "taints", "cordons", "node affinity"})
"""Features that may close a node as well."""


def _labels(chance: Chance, *, of_volume: bool) -> Labels:
    """Return up to three labels of places; a volume may be in several zones, of which one name has the values."""
    values = ("a", "a", "b", *(f"a{ZONES}b", f"b{ZONES}c") * of_volume)
    return frozendict({key: chance.choice(values) for key in chance.some(KEYS, 0 if chance.often(0.15) else 1, 3)})


def _node(chance: Chance, one: Node) -> Node:
    return replace(one, labels=one.labels | _labels(chance, of_volume=False))


def _volume(chance: Chance, name: str, claim: str) -> PersistentVolume:
    """Return a bound volume with labels, and now and then with a node affinity to a label of a place."""
    made = whole(name, claim, labels=_labels(chance, of_volume=True))
    if chance.often(0.75):
        return made
    term = NodeSelectorTerm((Requirement(chance.choice(KEYS), "In", chance.some(("a", "b"), 1, 2)),))
    return replace(made, node_affinity=(term,))


def question(chance: Chance) -> Question:
    """Return a question about a pod with one or two bound claims."""
    chosen = (NAMED["resources"], *chance.some(BESIDE, 0, 1)) if chance.often(0.4) else ()
    asked, there, plugins = small_question(chance, chosen)
    names = ("c", "d")[: chance.one(1, 1, 2)]
    volumes = tuple(_volume(chance, f"v{name}", name) for name in names)
    claims = tuple(bound(name, f"v{name}") for name in names)
    storage = replace(there.storage, volumes=volumes, claims=claims, classes=(LOCAL,), nodes=BOTH)
    nodes = tuple(_node(chance, each) for each in there.nodes)
    return mounting(*names)(asked), replace(there, nodes=nodes, storage=storage), plugins


def changes(chance: Chance, asked: Pod, there: Snapshot) -> Iterator[tuple[Pod, Snapshot]]:
    """Yield clusters in which a node has other labels of places, or is missing, or a volume has other labels."""
    for _ in range(10):
        one = chance.choice(there.nodes)
        bare = {key: value for key, value in one.labels.items() if key not in KEYS}
        match chance.randrange(4):
            case 0 if len(there.nodes) > 1:
                yield asked, replace(there, nodes=tuple(each for each in there.nodes if each is not one))
            case 1:
                volume = chance.choice(there.storage.volumes)
                other = replace(volume, labels=_labels(chance, of_volume=True))
                listed = tuple(other if each is volume else each for each in there.storage.volumes)
                yield asked, replace(there, storage=replace(there.storage, volumes=listed))
            case _:
                other_node = _node(chance, replace(one, labels=frozendict(bare)))
                yield asked, replace(there, nodes=tuple(other_node if each is one else each for each in there.nodes))


def small_zone(start: str) -> None:
    """Judge a pod whose volumes are in zones: its decision, or whether a change wakes it."""
    chance = Chance(f"zones {start}")
    made = question(chance)
    if chance.often(0.5):
        singles.shown(made)
    else:
        flipped(made, changes(chance, made[0], made[1]))
