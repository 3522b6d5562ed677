"""Random questions to a scheduler: a pod, a snapshot and plugins: `question`, `smaller`

Objects come in copies, so that scores tie and pods meet the same limits; nodes are often nearly full.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from frozendict import frozendict

from schedcheck.checker.drawing.objects import UNIT
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.quick.pods import named, node, pod
from schedcheck.checker.drawing.quick.storage import storage
from schedcheck.checker.drawing.quick.terms import NODE_NAMES, constraint, node_term, pod_labels, selector
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, AddedAffinity, Arguments, Plugins, ScoringStrategy
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import (
    Controller,
    Namespace,
    Node,
    Pod,
    PodDisruptionBudget,
    Service,
    Snapshot,
)
from schedcheck.spec.requests import request, requested, used
from schedcheck.spec.terms import LabelSelector, PreferredNodeTerm
from schedcheck.spec.values import Labels

RESOURCES = ("cpu", "memory", "example.com/gpu", "ephemeral-storage", "unknown")
ASKED = "asked"


def nodes(chance: Chance, most: int = 4) -> tuple[Node, ...]:
    """Return one to `most` nodes; with the feature `alike` they are copies of one or two."""
    names = NODE_NAMES[: chance.randint(1, most)]
    if not chance.has("alike", 0.8):
        return tuple(node(chance, name) for name in names)
    first = [node(chance, "first") for _ in range(chance.randint(1, 2))]
    return tuple(named(chance.choice(first), name) for name in names)


def pods(chance: Chance, places: tuple[str, ...], most: int = 6) -> tuple[Pod, ...]:
    """Return pods on these nodes, and now and then pods that are nominated; some are copies of others."""
    made: list[Pod] = []
    for number in range(chance.randint(0, most)):
        waits = chance.has("nominations", 0.25)
        on = "" if waits else chance.choice(places)
        if made and chance.often(0.3):
            like = chance.choice(made)
            one = replace(like, name=f"p{number}", node_name=on, nominated_node_name="")
            if waits:
                one = replace(one, phase="Pending", terminating=False, preempted=False, start_time=None)
        else:
            one = pod(chance, f"p{number}", on)
        made.append(replace(one, nominated_node_name=chance.choice(places)) if waits else one)
    return tuple(made)


def snapshot(chance: Chance, most_pods: int = 6, most_nodes: int = 4) -> Snapshot:
    """Return a cluster with the features of `chance`."""
    there = nodes(chance, most_nodes)
    names = tuple(each.name for each in there)
    places = (*names, *names, *names, "gone") if chance.often(0.15) else names
    made = Snapshot.of(pods(chance, places, most_pods), there, namespaces(chance))
    made = replace(made, storage=storage(chance, names), budgets=budgets(chance))
    if "defaults" in chance.features:
        made = replace(made, services=services(chance), controllers=controllers(chance))
    return made


def namespaces(chance: Chance) -> tuple[Namespace, ...]:
    """Return the namespaces, with labels if namespaces are drawn; now and then one is missing."""
    if "namespaces" not in chance.features:
        return (Namespace("default"),)

    def drawn() -> Labels:
        return frozendict({"team": chance.one("x", "y")} if chance.often(0.8) else {})

    return tuple(Namespace(name, drawn()) for name in ("default", "other") if chance.often(0.9))


def budgets(chance: Chance) -> tuple[PodDisruptionBudget, ...]:
    """Return up to two disruption budgets."""
    if "budgets" not in chance.features:
        return ()

    def one(place: int) -> PodDisruptionBudget:
        disrupted = frozenset({chance.one("p0", "p1")}) if chance.often(0.25) else frozenset[str]()
        space = chance.one("default", "default", "default", "other")
        allowed = chance.one(-1, 0, 0, 1, 1, 2)
        return PodDisruptionBudget(
            f"b{place}", space, selector=selector(chance), disruptions_allowed=allowed, disrupted=disrupted
        )

    return tuple(one(place) for place in range(chance.randint(1, 2)))


def services(chance: Chance) -> tuple[Service, ...]:
    """Return up to two services, each over some labels of pods."""
    return tuple(
        Service(f"s{place}", chance.one("default", "default", "other"), pod_labels(chance))
        for place in range(chance.randint(0, 2))
    )


def controllers(chance: Chance) -> tuple[Controller, ...]:
    """Return controllers of the pods that have one."""
    listed = (("ReplicaSet", "r"), ("StatefulSet", "s"), ("ReplicationController", "c"))
    return tuple(
        Controller(kind, name, "default", chance.one(LabelSelector(frozendict(app="a")), selector(chance)))
        for kind, name in listed
        if chance.often(0.8)
    )


def tight(chance: Chance, one: Node, asked: Pod, there: Snapshot) -> Node:
    """Return the node with room for the pod beside the others, up to one unit more or less of some resources."""
    room = dict(one.allocatable)
    for resource in sorted({*requested(asked)} & {"cpu", "memory", "example.com/gpu"}):
        if chance.often(0.6):
            taken = used(one, there, resource, NO_FAULTS) + request(asked, resource, NO_FAULTS)
            room[resource] = max(0, taken + chance.one(-1, 0, 0, 1))
    return replace(one, allocatable=frozendict(room))


def crowded(chance: Chance, one: Node, asked: Pod, there: Snapshot) -> Node:
    """Return the node with room for its pods and less than the asked one needs, or for so many pods."""
    room = dict(one.allocatable)
    on = len(there.pods_by_node.get(one.name, ()))
    wanted = request(asked, "cpu", NO_FAULTS)
    if wanted and chance.often(0.8):
        taken = used(one, there, "cpu", NO_FAULTS)
        room["cpu"] = max(wanted, taken + chance.randrange(0, wanted, max(1, wanted // 2)))
    elif on:
        room["pods"] = on
    return replace(one, allocatable=frozendict(room))


def arguments(chance: Chance) -> Arguments:
    """Return arguments of the plugins that have some."""
    resources = chance.some(RESOURCES, 1, 3)
    weighted = tuple((name, chance.one(1, 1, 2, 5)) for name in resources)
    kind = chance.one("LeastAllocated", "MostAllocated", "MostAllocated", "RequestedToCapacityRatio")
    points = sorted(chance.some((0, 10, 25, 50, 75, 100), 1, 4))
    shape = tuple((point, chance.randint(0, 10)) for point in points)
    required = chance.one(None, None, (node_term(chance),), (node_term(chance), node_term(chance)))
    preferred = chance.list(lambda: PreferredNodeTerm(chance.one(1, 5, 100), node_term(chance)), 0, 2)
    defaults = chance.one(None, (), tuple(replace(constraint(chance, chance.often(0.3)), selector=None) for _ in "1"))
    return Arguments(
        added_affinity=AddedAffinity(required, preferred) if chance.often(0.3) else AddedAffinity(),
        ignored_resources=frozenset(chance.some(RESOURCES, 0, 1)) if chance.often(0.3) else frozenset(),
        ignored_groups=frozenset({"example.com"}) if chance.often(0.2) else frozenset(),
        scoring_strategy=ScoringStrategy(kind, weighted, shape if kind == "RequestedToCapacityRatio" else ()),
        balanced=resources if chance.often(0.5) else ("cpu", "memory"),
        default_constraints=defaults,
        hard_pod_affinity_weight=chance.one(0, 1, 1, 7, 100),
        ignore_preferred_terms_of_existing_pods=chance.often(0.4),
        storage_shape=chance.one(((0, 10), (100, 0)), ((0, 0), (100, 10)), ((0, 0), (50, 5), (100, 10))),
    )


def plugins(chance: Chance) -> Plugins:
    """Return the default profile, with arguments or of another version where that is drawn."""
    made = replace(DEFAULT_PLUGINS, arguments=arguments(chance)) if chance.has("arguments", 0.8) else DEFAULT_PLUGINS
    if chance.has("versions", 0.8):
        made = made.departing(chance.choice(tuple(VERSIONS.values())).departures)
    return made


def question(chance: Chance, most_pods: int = 6, most_nodes: int = 4) -> Question:
    """Return a pod that is not in the snapshot, the snapshot, and the plugins of its scheduler."""
    there = snapshot(chance, most_pods, most_nodes)
    asked = pod(chance, ASKED)
    if there.pods and chance.often(0.2):
        like = chance.choice(there.pods)
        asked = replace(
            like, name=ASKED, node_name="", phase="Pending", nominated_node_name="", priority=asked.priority
        )
        asked = replace(asked, terminating=False, preempted=False, start_time=None)
    full = "priorities" in chance.features and chance.often(0.7)
    if full:
        asked = replace(asked, priority=chance.one(1, 2, 5, 5), preemption_policy="PreemptLowerPriority")
    if chance.has("nominations", 0.35):
        asked = replace(asked, nominated_node_name=chance.one(*(each.name for each in there.nodes), "gone"))
    if full and chance.often(0.8):
        there = replace(there, nodes=tuple(crowded(chance, each, asked, there) for each in there.nodes))
    elif chance.often(0.4):
        there = replace(there, nodes=tuple(tight(chance, each, asked, there) for each in there.nodes))
    return asked, there, plugins(chance)


CONTESTED = ("budgets", "nominations", "terminating", "anti-affinity", "spread", "ports", "volumes", "disks", "gpu",
             "pod-resources", "taints", "namespaces", "alike", "resize", "versions", "attachments")  # fmt: skip
"""The features of which a contest has about a quarter."""


def contest(chance: Chance) -> Question:
    """Return a question in which the pod usually has to preempt, and in which several nodes are candidates."""
    chance.features = frozenset({"cpu", "priorities"} | {each for each in CONTESTED if chance.often(0.25)})
    there = nodes(chance)
    names = tuple(each.name for each in there)
    asked = replace(pod(chance, ASKED), priority=chance.one(2, 5, 5), preemption_policy="PreemptLowerPriority")
    if request(asked, "cpu", NO_FAULTS) == 0:
        one = replace(asked.containers[0], requests=asked.containers[0].requests.set("cpu", UNIT * chance.one(1, 2, 3)))
        asked = replace(asked, containers=(one, *asked.containers[1:]))
    listed = list(pods(chance, names, 2 + 3 * len(names)))
    made = replace(
        Snapshot.of(listed, there, namespaces(chance)), storage=storage(chance, names), budgets=budgets(chance)
    )
    made = replace(made, nodes=tuple(crowded(chance, each, asked, made) for each in made.nodes))
    if chance.has("nominations", 0.35):
        asked = replace(asked, nominated_node_name=chance.one(*names, "gone"))
    return asked, made, plugins(chance)


Smaller = Callable[[Question], bool]


def smaller(asked: Question, fails: Smaller, most: int = 400) -> Question:
    """Return a smaller question that still fails: objects are left out, then fields get their defaults."""
    tried, again = 0, True
    while again and tried < most:
        again = False
        for each in simpler(asked):
            tried += 1
            if tried > most:
                break
            if fails(each):
                asked, again = each, True
                break
    return asked


def simpler(asked: Question) -> Iterator[Question]:
    """Yield the questions that lack one object, or one field of a pod or a node."""
    one, there, how = asked
    for name in ("pods", "nodes", "budgets", "services", "controllers", "namespaces"):
        listed = getattr(there, name)
        for place in range(len(listed)):
            fewer: dict[str, Any] = {name: listed[:place] + listed[place + 1 :]}
            yield one, replace(there, **fewer), how
    if there.storage != Snapshot().storage:
        yield one, replace(there, storage=Snapshot().storage), how
    if how != DEFAULT_PLUGINS:
        yield one, there, DEFAULT_PLUGINS
    for plain in _plainer(one):
        yield plain, there, how
    for name in ("pods", "nodes"):
        listed = getattr(there, name)
        for place, each in enumerate(listed):
            for plain in _plainer(each):
                changed: dict[str, Any] = {name: (*listed[:place], plain, *listed[place + 1 :])}
                yield one, replace(there, **changed), how


KEPT = frozenset({"name", "namespace", "node_name", "nominated_node_name", "allocatable"})


def _plainer(thing: Any) -> Iterator[Any]:
    """Yield the pod or node with one field at its default."""
    plain = type(thing)(thing.name)
    for field in fields(thing):
        default = getattr(plain, field.name)
        if field.name not in KEPT and getattr(thing, field.name) != default:
            yield replace(thing, **{field.name: default})
