"""Random small clusters over the wider vocabulary: `wide`, a decision; `wide_flip`, an event after which a pod fits

One or two features of the wider vocabulary, or with two terms of one key, meet one of the other. The scheduler often has seen
the cluster when some nodes and pods were others. An update of a pod or node changes one field as a rule, and of a resized
container one amount. Half of the events come while the pod is being tried.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from schedcheck.checker.drawing.objects import UNIT
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.enumeration.wide_vocabulary import WIDE
from tests.checker.differential.search import singles, small, small_flips
from tests.checker.differential.search.aftermath import agree
from tests.checker.differential.search.equal_keys import EQUAL
from tests.checker.differential.search.flips import flipped, slept, slept_in_flight

WIDELY = {each.name: each for each in (*WIDE, *EQUAL)}
THEMES = (
    ("wide anti-affinity", "wide affinity", "wide preferences", "wide namespaces", "wide namespaces"),
    ("wide spread", "wide soft spread", "wide taints", "wide node affinity", "wide spread"),
    ("wide taints", "wide node affinity"),
    ("wide requests",),
)
"""Features of the wider vocabulary that meet in one definition."""
OF_DECISIONS = (
    *THEMES,
    ("equal spread", "equal soft spread"),
    ("equal affinity", "equal preferences", "equal node terms"),
    ("image names",),
)
"""These, and features with two terms of one key, and with names of images."""
TWICE = (
    ("repeated preferences",),
    ("namesakes",),
    ("several services",),
    ("rated extended resources",),
)
"""Features with what comes twice: a term, a name, a Service; and with resources that are rated and not asked for."""
OTHERS = (
    "resources",
    "cordons",
    "taints",
    "node affinity",
    "nominations",
    "images",
    "node preferences",
    "room for pods",
)
RESIZES = ("requests", "allocated", "actual")


def features(
    chance: Chance, names: tuple[str, ...] = OTHERS, themes: Sequence[tuple[str, ...]] = THEMES
) -> small.Features:
    """Return one or two features of the wider vocabulary, and at most one other."""
    theme = chance.choice(themes)
    some = (WIDELY[each] for each in dict.fromkeys(chance.some(theme, 1, 2)))
    return (*some, *(NAMED[each] for each in chance.some(names, 0, 1)))


def earlier(chance: Chance, chosen: small.Features, there: Snapshot) -> Snapshot:
    """Return a cluster as it may have been before: with other nodes of the same names, without some nodes and pods, or with more."""
    nodes = [small.node(chance, chosen, each.name) if chance.often(0.4) else each for each in there.nodes]
    nodes = [each for each in nodes if chance.often(0.85)]
    nodes += [small.node(chance, chosen, "gone")] if chance.often(0.3) else []
    pods = [each for each in there.pods if chance.often(0.75)]
    if there.pods and chance.often(0.5):
        pods.append(replace(chance.choice(there.pods), name="gone"))
    return Snapshot.of(pods, nodes)


def wide(start: str) -> None:
    """Judge a small cluster of the wider vocabulary, and what the cycle begins; often one that was another one before."""
    _judged(Chance(f"wide {start}"), OF_DECISIONS)


def twice(start: str) -> None:
    """Judge one in which something comes twice."""
    _judged(Chance(f"twice {start}"), TWICE)


def _judged(chance: Chance, themes: Sequence[tuple[str, ...]]) -> None:
    chosen = features(chance, themes=themes)
    asked = small.question(chance, chosen)
    if chance.often(0.5):
        agree(asked, before=earlier(chance, chosen, asked[1]))
    else:
        singles.shown(asked)


def resized(chance: Chance, one: Pod) -> Pod:
    """Return a pod of which one amount of a container is less or more: of cpu or memory, the only ones that may change."""
    place = chance.randrange(len(one.containers))
    container, name, resource = one.containers[place], chance.choice(RESIZES), chance.one("cpu", "memory")
    known = getattr(container, name) or container.requests
    made: dict[str, Any] = {
        name: known.set(resource, max(0, known.get(resource, 0) + UNIT * chance.one(-1, -1, -2, 1)))
    }
    return replace(one, containers=(*one.containers[:place], replace(container, **made), *one.containers[place + 1 :]))


def _resizes(chance: Chance, asked: Pod, there: Snapshot) -> Iterator[tuple[Pod, Snapshot]]:
    bound = [each for each in there.pods if each.node_name and each.containers]
    for one in chance.sample(bound, len(bound)):
        for changed in (resized(chance, one), resized(chance, one), resized(chance, resized(chance, one))):
            yield asked, replace(there, pods=tuple(changed if each is one else each for each in there.pods))


def _nodes(chance: Chance, chosen: small.Features, asked: Pod, there: Snapshot) -> Iterator[tuple[Pod, Snapshot]]:
    """Yield clusters in which a node has other labels or other taints."""
    for one in chance.sample(there.nodes, len(there.nodes)):
        for name in chance.sample(("labels", "taints"), 2):
            other = small.node(chance, chosen, one.name)
            new: dict[str, Any] = {name: getattr(other, name)}
            yield (
                asked,
                replace(there, nodes=tuple(replace(one, **new) if each is one else each for each in there.nodes)),
            )


def wide_flip(start: str) -> None:
    """Draw two clusters that differ in one object, and judge whether the change moves the pod that is rejected in one."""
    chance = Chance(f"wide {start}")
    chosen = features(chance, small_flips.BARRING)
    asked, there, plugins = small_flips.small_question(chance, chosen)
    match chance.randrange(5):
        case 0 | 1:
            changes = small_flips.without_one(chance, asked, there)
        case 2:
            changes = _nodes(chance, chosen, asked, there)
        case 3 if WIDELY["wide requests"] in chosen:
            changes = _resizes(chance, asked, there)
        case _:
            changes = small_flips.changes(chance, chosen, asked, there)
    judge = slept_in_flight if chance.often(0.3) else slept
    flipped((asked, there, plugins), changes, judge=judge)
