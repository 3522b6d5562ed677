"""Random small clusters in which the claims of one pod are in different states: `mixed_claim`

A pod mounts up to three claims, of which one is bound, another waits for its consumer, and a third has a volume that is reserved for it, or it has a
generic ephemeral volume. Volumes are in zones and on nodes, other volumes are free, and drivers have limits.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import Ephemeral, PersistentVolume, PersistentVolumeClaim, Volume
from tests.checker.differential.enumeration.storage_vocabulary import (
    LOCAL,
    MADE,
    OFFICIAL_ZONE,
    at,
    bound,
    capacity,
    driving,
    mounting,
    node,
    of,
    volume,
    waiting,
    whole,
)
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search import singles
from tests.checker.differential.search.small_flips import small_question

Stored = tuple[PersistentVolumeClaim | None, tuple[PersistentVolume, ...]]
"""A claim, if it is there, and the volumes that are bound to it or reserved for it."""


def _where(chance: Chance) -> dict[str, Any]:
    """Return where a volume is: on a node, in a zone by its affinity or its label, or everywhere."""
    places: tuple[dict[str, Any], ...] = (
        at(HOSTNAME, chance.choice(("n1", "n2"))),
        at(OFFICIAL_ZONE, chance.choice("ab")),
        {"labels": frozendict({OFFICIAL_ZONE: chance.choice(("a", "b", "a__b"))})},
        {},
    )
    return chance.choice(places)


def _claim(chance: Chance, name: str, **fields: Any) -> Stored:
    """Return a claim that is bound, has a volume reserved for it, waits for one or for its driver, or is missing."""
    match chance.one(
        "bound", "bound", "reserved", "waits", "waits", "made", "missing" if chance.often(0.2) else "bound"
    ):
        case "bound":
            return bound(name, f"v{name}", **fields), (whole(f"v{name}", name, **_where(chance)),)
        case "reserved":
            one = volume(f"v{name}", **of(name), capacity=chance.one(1, 2), **_where(chance))
            return waiting(name, **fields), (one,)
        case "waits":
            return waiting(name, request=chance.one(1, 1, 2), **fields), ()
        case "made":
            return waiting(name, storage_class="made", request=chance.one(1, 2), **fields), ()
    return None, ()


def _ephemeral(chance: Chance, pod: Pod) -> tuple[Pod, Stored]:
    """Return the pod with a generic ephemeral volume, and the claim of it, which is another pod's now and then."""
    owner = pod.uid if chance.often(0.9) else "another"
    made = replace(pod, volumes=(*pod.volumes, Volume("own", Ephemeral(pod.uid))))
    return made, _claim(chance, f"{pod.name}-own", owner_uid=owner)


def _mounted(chance: Chance, pod: Pod, names: tuple[str, ...]) -> tuple[Pod, Iterator[Stored]]:
    """Return the pod with some of the claims, in any order, and perhaps with an ephemeral volume."""
    pod = mounting(*chance.sample(names, chance.randint(0, len(names))))(replace(pod, uid=pod.name))
    if chance.often(0.4):
        pod, own = _ephemeral(chance, pod)
        return pod, iter((own,))
    return pod, iter(())


def question(chance: Chance) -> Question:
    """Return a question about a pod with claims."""
    chosen = (NAMED["resources"],) if chance.often(0.3) else ()
    asked, there, plugins = small_question(chance, chosen)
    names = ("c", "d", "e")[: chance.one(1, 2, 2, 3)]
    found = [_claim(chance, name) for name in names]
    pods: list[Pod] = []
    for one in (asked, *there.pods):
        made, more = _mounted(chance, one, names)
        pods.append(made)
        found += more
    free = (
        volume(f"w{place}", capacity=chance.one(1, 2, 3), **_where(chance)) for place in range(chance.one(0, 1, 1, 2))
    )
    limits = (node(each.name, chance.one(None, None, 1, 2)) for each in there.nodes if chance.often(0.9))
    zoned = tuple(_zoned(chance, each) for each in there.nodes)
    storage = replace(
        there.storage,
        claims=tuple(sorted((claim for claim, _ in found if claim is not None), key=lambda each: each.key)),
        volumes=tuple(sorted((*(each for _, volumes in found for each in volumes), *free), key=lambda each: each.name)),
        classes=(LOCAL, MADE),
        nodes=tuple(limits),
        drivers=(driving(storage_capacity=chance.often(0.5)),),
        capacities=(capacity(chance.one(1, 2)),) if chance.often(0.7) else (),
    )
    return pods[0], replace(Snapshot.of(pods[1:], zoned), storage=storage), plugins


def _zoned(chance: Chance, one: Node) -> Node:
    return replace(one, labels=one.labels.set(OFFICIAL_ZONE, chance.choice("ab"))) if chance.often(0.8) else one


def mixed_claim(start: str) -> None:
    """Judge a pod whose claims are in different states."""
    singles.shown(question(Chance(f"mixed claims {start}")))
