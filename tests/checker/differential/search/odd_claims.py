"""Random small clusters in which claims, pools and classes are in an unusual state: `odd_claim`

A claim is missing, being deleted, another pod's, made from a template, or allocated already; a class is missing; a pool is incomplete, has
an old generation, or a device twice; or a claim asks for several devices, up to as many as it may have. Where the pod waits for its claims, PreEnqueue has to keep it out of the queue.
"""

from dataclasses import replace

from schedcheck.checker.differential.standing import informed
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.device_objects import (
    ALL,
    EXACT_COUNT,
    Allocation,
    Consumer,
    Device,
    Devices,
    Place,
    PodClaim,
    Request,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from schedcheck.spec.devices.claims import NOT_GIVEN
from schedcheck.spec.kubernetes.filters.dynamic_resources import NAME, unmodelled, waits_for_claims
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from tests.checker.differential.enumeration.spaces import BASES, NODES
from tests.checker.differential.search import singles, small_claims
from tests.support.building import node
from tests.support.claiming import DRIVER, GPU, using

OF_CLAIMS = (
    "missing",
    "terminating",
    "template",
    "template",
    "allocated",
    "allocated",
    "without a class",
    "of another",
)
SMALL, MOST = (1, 2, 3, 3, 4, 4), (1, 14, 15, 15, 16, 17, 18, 32, 33)
"""Numbers of devices that a request asks for: of a few, and of so many that a claim of two requests is about as large as it may be."""
OF_POOLS = ("incomplete", "old generation", "old generation", "twice")


def _allocation(chance: Chance, there: Snapshot) -> Allocation:
    """Return an allocation that is good for all nodes, or for one of them."""
    name = chance.choice([each.name for each in there.nodes])
    terms = (NodeSelectorTerm(match_fields=(Requirement("metadata.name", "In", (name,)),)),)
    device = chance.choice(there.devices.slices[0].devices).name
    return Allocation((Result("r0", DRIVER, "p", device),), chance.one(None, terms, terms))


def _claim(chance: Chance, way: str, one: ResourceClaim, pod: Pod, there: Snapshot) -> ResourceClaim | None:
    """Return the claim in this state; None if it is missing."""
    match way:
        case "missing":
            return None
        case "terminating":
            return replace(one, terminating=True)
        case "allocated":
            users = chance.one((), (), (Consumer("other", "other"),), (Consumer(pod.name, pod.name),))
            return replace(one, allocation=_allocation(chance, there), reserved_for=users)
        case "without a class":
            return replace(one, requests=tuple(replace(each, device_class="gone") for each in one.requests))
        case "of another":
            return replace(one, owner_uid="other")
    return one


def _template(chance: Chance, one: PodClaim) -> PodClaim:
    """Return the claim of a pod as one from a template, for which a claim was made, was not needed, or is still to be made."""
    made = replace(one, template="t", generated=chance.often(0.8))
    return made if chance.often(0.75) else replace(made, claim="")


def _pools(chance: Chance, way: str, there: Snapshot) -> Snapshot:
    first, *more = there.devices.slices
    match way:
        case "incomplete":
            slices = (replace(first, slices=3), *more)
        case "old generation":
            slices = (first, *more, replace(first, name="old", generation=first.generation - 1, slices=1))
            slices = slices if chance.often(0.6) else tuple(reversed(slices))
        case _:
            slices = (replace(first, slices=2), replace(first, name="twin", slices=2), *more)
    return replace(there, devices=replace(there.devices, slices=slices))


def question(chance: Chance) -> Question:
    """Return a question of `small_claims` in which one or two things are unusual."""
    asked, there, plugins = small_claims.question(chance)
    for _ in range(chance.one(1, 1, 2)):
        if chance.often(0.3):
            there = _pools(chance, chance.choice(OF_POOLS), there)
            continue
        way, place = chance.choice(OF_CLAIMS), chance.randrange(len(asked.resource_claims))
        mine = asked.resource_claims[place]
        if way == "template":
            mine = _template(chance, mine)
            asked = replace(
                asked,
                resource_claims=tuple(mine if n == place else each for n, each in enumerate(asked.resource_claims)),
            )
        owner = chance.one("", mine.pod_uid, mine.pod_uid, "other") if mine.template else ""
        claims = []
        for each in there.devices.claims:
            if each.name == mine.claim:
                changed = _claim(chance, way, replace(each, owner_uid=owner), asked, there)
                claims += [] if changed is None else [changed]
            else:
                claims.append(each)
        there = replace(there, devices=replace(there.devices, claims=tuple(claims)))
    return asked, there, plugins


def _asking(chance: Chance, name: str, counts: tuple[int, ...], share: float, *, choosing: bool) -> Request:
    """Return a request for some of the devices, or for all of them in a share of the cases, or for the first of such that can be met."""

    def one(name: str) -> Request:
        every = chance.often(share)
        return Request(name, GPU.name, ALL if every else EXACT_COUNT, 1 if every else chance.choice(counts))

    if not choosing or chance.often(0.75):
        return one(name)
    return Request(name, alternatives=tuple(one(f"{name}{number}") for number in range(chance.one(1, 2, 2, 3))))


def many(chance: Chance) -> Question:
    """Return a question about a pod of which a claim asks for several devices, or for about as many as a claim may have.

    There are as many equal devices as are asked for, of a few also one less or two more: of a large claim that lacks one all sets of the others would be tried.
    """
    few, number_of = chance.often(0.5), chance.one((1,), (1,), (2,), (2,), (1, 1))
    counts, share = (SMALL, 0.15) if few else (MOST, 0.0)
    requests = [
        tuple(_asking(chance, f"r{place}", counts, share, choosing=few or place == size - 1) for place in range(size))
        for size in (number_of if few else number_of[:1])
    ]
    most = sum(max(part.count for _, part in each.parts) for some in requests for each in some)
    most += chance.one(-1, 0, 0, 0, 1, 2) if few else 0
    claims = tuple(
        ResourceClaim(f"c{place}", uid=f"uid-c{place}", requests=some) for place, some in enumerate(requests)
    )
    names = NODES[: chance.one(1, 2)]
    place = Place(names[0]) if chance.often(0.7) else Place(all_nodes=True)
    devices = tuple(Device(f"d{number:02}") for number in range(most))
    slices = (ResourceSlice("s", DRIVER, "p", place=place, devices=devices),) if devices else ()
    asked = replace(BASES["asked"], resource_claims=using(*(each.name for each in claims), uid=BASES["asked"].name))
    there = Snapshot.of((), [node(name, 8) for name in names], BASES["beside"].namespaces)
    return asked, replace(there, devices=Devices(slices, (GPU,), claims)), DEFAULT_PLUGINS


def odd_claim(start: str) -> None:
    """Judge a pod whose claims are in an unusual state, or are large: that it waits for them, or what is decided."""
    chance = Chance(f"odd claims {start}")
    asked, there, plugins = many(chance) if chance.often(0.3) else question(chance)
    if unmodelled(asked, there.devices, plugins.departures) not in ("", NOT_GIVEN):
        return
    scheduler = informed((*there.pods, asked), there, (plugins,))
    queued = scheduler.queue.unschedulable.get(asked.key)
    gate = "" if queued is None else queued.gate
    waits = waits_for_claims(asked, there.devices, plugins.departures)
    assert (gate == NAME) is waits, (
        f"{asked} {'waits' if waits else 'does not wait'} for claims, and is kept out by {gate or 'none'}"
    )
    if not waits:
        singles.shown((asked, there, plugins))
