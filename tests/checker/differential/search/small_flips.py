"""One event after which a rejected pod fits, in small clusters: `small_flip`, `stored_flip`, `returning`, ...

As in `flips`, but the clusters have the features of one definition, so that the event is one of interest. In `stored_flip`
it is one of a storage object. In `returning` any node or pod may be the one that was missing, in `stored_return` a storage
object, and in `helpful_return` one that a pod needs on another node. In `extended_flip` an extender refuses nodes.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import CSIStorageCapacity, Storage, StorageClass, VolumeAttachment
from tests.checker.differential.enumeration.storage_vocabulary import STORAGE
from tests.checker.differential.enumeration.vocabulary import FEATURES, NAMED
from tests.checker.differential.search import small
from tests.checker.differential.search.flips import ASKED_FIELDS, NODE_FIELDS, flipped
from tests.checker.differential.search.ports import without_ports
from tests.support.extending import Ruled

FLIPPED = tuple(each for each in FEATURES if each.name not in {"budgets", "waits for victims", "nominations"})
"""The features of pods that are rejected without regard to nominations."""
RULES = (
    Ruled(failing=lambda each: each.labels.get("zone") == "a"),
    Ruled(failing=lambda each: bool(each.taints)),
    Ruled(failing=lambda each: each.allocatable["cpu"] < 2000, hopeless=lambda each: each.unschedulable),
)
"""Extenders that refuse nodes by what may change."""
READ = ("node preferences", "taints", "resources")
"""The features of nodes that each of these extenders reads; the first is none that a plugin refuses for."""
HELPING = ("affinity", "spread", "spread policies", "namespaces")
"""Features by which a pod can make another one schedulable."""
BARRING = ("resources", "cordons", "taints", "node affinity", "room for pods")
"""Features by which some nodes are closed to a pod."""
TRIES = 10
FIXED = StorageClass, VolumeAttachment
"""Storage objects whose fields do not change in a cluster."""
LISTS = ("volumes", "claims", "classes", "nodes", "drivers", "capacities", "attachments")


def changes(chance: Chance, chosen: small.Features, asked: Pod, there: Snapshot) -> Iterator[tuple[Pod, Snapshot]]:
    """Yield clusters that differ in one object: it comes, goes, or changes."""
    for _ in range(TRIES):
        match chance.randrange(7):
            case 0 if len(there.nodes) > 1:
                gone = chance.choice(there.nodes)
                yield asked, replace(there, nodes=tuple(each for each in there.nodes if each is not gone))
            case 1:
                nodes = (*there.nodes, small.node(chance, chosen, "n9"))
                yield asked, replace(there, nodes=nodes)
            case 0 | 2:
                one = chance.choice(there.nodes)
                changed = _changed(chance, one, small.node(chance, chosen, one.name))
                yield asked, replace(there, nodes=tuple(changed if each is one else each for each in there.nodes))
            case 3 if there.pods:
                gone_pod = chance.choice(there.pods)
                yield asked, replace(there, pods=tuple(each for each in there.pods if each is not gone_pod))
            case 4 if there.pods:
                one_pod = chance.choice(there.pods)
                relabelled = replace(
                    one_pod, labels=chance.choice(there.pods).labels if chance.often(0.3) else _labels(chance, chosen)
                )
                yield asked, replace(there, pods=tuple(relabelled if each is one_pod else each for each in there.pods))
            case 5:
                field = chance.choice(ASKED_FIELDS)
                mine, other = getattr(asked, field), getattr(small.pod(chance, chosen, "x"), field)
                new: dict[str, Any] = {field: (*mine, *other) if field == "tolerations" else other}
                yield replace(asked, **new), there
            case _ if there.storage != Storage():
                yield (
                    asked,
                    replace(there, storage=_stored(chance, there.storage, small.beside(chance, chosen).storage)),
                )


def _labels(chance: Chance, chosen: small.Features) -> Any:
    return small.pod(chance, chosen, "x", "n1").labels


def _changed(chance: Chance, one: Node, other: Node) -> Node:
    """Return the node with one field as in another."""
    differing = [name for name in NODE_FIELDS if getattr(one, name) != getattr(other, name)]
    if not differing:
        return one
    name = chance.choice(differing)
    return replace(one, **{name: getattr(other, name)})


def fixed(before: Any, after: Any) -> bool:
    """Whether the API server refuses to change one object into the other."""
    anew = isinstance(before, CSIStorageCapacity) and before.node_topology != after.node_topology
    return anew or isinstance(before, FIXED)


def _stored(chance: Chance, storage: Storage, other: Storage) -> Storage:
    """Return the storage with one object as in the other storage, where it may be missing."""
    name = chance.choice([name for name in LISTS if getattr(storage, name) != getattr(other, name)] or LISTS)
    mine, theirs = ({_key(each): each for each in getattr(of, name)} for of in (storage, other))
    differing = [key for key in sorted({**mine, **theirs}) if mine.get(key) != theirs.get(key)]
    differing = [key for key in differing if not (key in mine and key in theirs and fixed(mine[key], theirs[key]))]
    if not differing:
        return storage
    key = chance.choice(differing)
    kept = {known: each for known, each in mine.items() if known != key} | ({key: theirs[key]} if key in theirs else {})
    return replace(storage, **{name: tuple(kept[each] for each in sorted(kept))})


def _key(stored: Any) -> Any:
    return getattr(stored, "key", (stored.name,))


def stored_changes(
    chance: Chance, chosen: small.Features, asked: Pod, there: Snapshot
) -> Iterator[tuple[Pod, Snapshot]]:
    """Yield clusters that differ in one storage object."""
    for _ in range(TRIES):
        yield asked, replace(there, storage=_stored(chance, there.storage, small.beside(chance, chosen).storage))


def without_one(chance: Chance, asked: Pod, there: Snapshot) -> Iterator[tuple[Pod, Snapshot]]:
    """Yield the clusters that lack a node or a pod, in random order."""
    places = [(name, place) for name in ("nodes", "pods") for place in range(len(getattr(there, name)))]
    for name, place in chance.sample(places, len(places)):
        listed = getattr(there, name)
        if name == "pods" or len(listed) > 1:
            fewer: dict[str, Any] = {name: (*listed[:place], *listed[place + 1 :])}
            yield asked, replace(there, **fewer)


def small_question(chance: Chance, chosen: small.Features) -> Question:
    """Return a small question whose pod waits, and does not preempt as a rule."""
    asked, there, plugins = small.question(chance, chosen, 2)
    if chance.often(0.7):
        asked = replace(asked, preemption_policy="Never")
    asked = replace(asked, nominated_node_name="")
    bound = (each for each in there.pods if each.node_name)
    settled = (replace(each, terminating=False, preempted=False) for each in bound)
    there = replace(there, pods=tuple(without_ports(each) if n else each for n, each in enumerate(settled)))
    return asked, there, plugins


def small_flip(start: str) -> None:
    """Draw two small clusters, let the pod be rejected in one, and judge whether the change to the other moves it."""
    chance = Chance(start)
    chosen = small.features(chance, FLIPPED)
    asked, there, plugins = small_question(chance, chosen)
    extenders = (chance.choice(RULES),) if chance.often(0.15) else ()
    flipped((asked, there, plugins), changes(chance, chosen, asked, there), extenders)


def stored_flip(start: str) -> None:
    """Draw two small clusters that differ in one storage object, and judge as in `small_flip`."""
    chance = Chance(start)
    chosen = small.features(chance, STORAGE)
    asked, there, plugins = small_question(chance, chosen)
    flipped((asked, there, plugins), stored_changes(chance, chosen, asked, there))


def returning(start: str) -> None:
    """Draw a small cluster and one that lacks a node or a pod, and judge as in `small_flip`."""
    chance = Chance(start)
    chosen = small.features(chance, FLIPPED)
    asked, there, plugins = small_question(chance, chosen)
    extenders = (chance.choice(RULES),) if chance.often(0.25) else ()
    flipped((asked, there, plugins), without_one(chance, asked, there), extenders)


def without_stored(chance: Chance, asked: Pod, there: Snapshot) -> Iterator[tuple[Pod, Snapshot]]:
    """Yield the clusters that lack a storage object, in random order."""
    places = [(name, place) for name in LISTS for place in range(len(getattr(there.storage, name)))]
    for name, place in chance.sample(places, len(places)):
        listed = getattr(there.storage, name)
        fewer: dict[str, Any] = {name: (*listed[:place], *listed[place + 1 :])}
        yield asked, replace(there, storage=replace(there.storage, **fewer))


def stored_return(start: str) -> None:
    """Draw a small cluster and one that lacks a storage object, and judge as in `small_flip`."""
    chance = Chance(start)
    chosen = small.features(chance, STORAGE)
    asked, there, plugins = small_question(chance, chosen)
    flipped((asked, there, plugins), without_stored(chance, asked, there))


def helpful_return(start: str) -> None:
    """Judge as in `returning`, with pods that may need each other, and nodes that are closed to some."""
    chance = Chance(f"helpful {start}")
    names = (*chance.some(HELPING, 1, 2), *chance.some(BARRING, 0, 1))
    asked, there, plugins = small_question(chance, tuple(NAMED[each] for each in names))
    flipped((asked, there, plugins), without_one(chance, asked, there))


def extended_flip(start: str) -> None:
    """Judge as in `small_flip`, with an extender, nodes without room, and a feature that the extender reads."""
    chance = Chance(f"extended {start}")
    place = chance.randrange(len(RULES))
    names = ("resources", READ[place], *chance.some(BARRING, 0, 1))
    chosen = tuple(NAMED[each] for each in dict.fromkeys(names))
    asked, there, plugins = small_question(chance, chosen)
    flipped((asked, there, plugins), changes(chance, chosen, asked, there), (RULES[place],))
