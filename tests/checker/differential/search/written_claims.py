"""Small claims whose pod is bound, and what the binding writes into them: `written_claim`

Devices also bind to their node, are in slices for nodes with a label, or each in a place of its own, and have taints. The allocation that is
written, with the nodes on which it can be used, has to be one that the specification allows; no other claim changes.
"""

from dataclasses import replace

from frozendict import frozendict

from schedcheck.checker.differential.standing import drained, informed
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.device_objects import Device, DeviceTaint, Place, ResourceSlice
from schedcheck.spec.devices.claims import NOT_GIVEN
from schedcheck.spec.devices.effects import bound
from schedcheck.spec.kubernetes.filters.dynamic_resources import gates, unmodelled, waits_for_claims
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from tests.checker.differential.search import singles, small_claims

ZONE = Requirement("zone", "In", ("a", "b"))
NAMED = Requirement("metadata.name", "In", ("n1", "n2"))
TERMS = (NodeSelectorTerm((ZONE,)),), (NodeSelectorTerm((), (NAMED,)),), (NodeSelectorTerm((ZONE,), (NAMED,)),)


def _device(chance: Chance, one: Device, *, alone: bool) -> Device:
    """Return the device, which may bind to its node, be tainted, and be in a place of its own."""
    place = (
        chance.one(Place("n1"), Place(all_nodes=True), *(Place(terms=each) for each in TERMS)) if alone else one.place
    )
    taints = (DeviceTaint("t", chance.one("None", "NoSchedule", "NoExecute"), "v"),) if chance.often(0.15) else ()
    return replace(one, place=place, taints=taints, binds_to_node=chance.often(0.3))


def _slice(chance: Chance, one: ResourceSlice, place: Place, *, alone: bool) -> ResourceSlice:
    devices = tuple(_device(chance, each, alone=alone) for each in one.devices)
    if alone and devices:
        return replace(one, devices=devices, place=Place(), per_device=True)
    return replace(one, devices=devices, place=place)


def question(chance: Chance) -> Question:
    """Return a question of `small_claims` whose devices differ in where they can be used."""
    asked, there, plugins = small_claims.question(chance)
    place = chance.one(Place("n1"), Place(all_nodes=True), *(Place(terms=each) for each in TERMS))
    alone = chance.often(0.3) and not any(each.counters for each in there.devices.slices)
    slices = tuple(_slice(chance, each, place, alone=alone) for each in there.devices.slices)
    labels = frozendict({"zone": chance.one("a", "b", "c")})
    nodes = tuple(replace(each, labels=each.labels | labels) for each in there.nodes)
    return asked, replace(there, nodes=nodes, devices=replace(there.devices, slices=slices)), plugins


def written_claim(start: str) -> None:
    """Judge a pod with claims, and the claims after its binding."""
    asked, there, plugins = question(Chance(f"written claims {start}"))
    if unmodelled(asked, there.devices, plugins.departures) not in ("", NOT_GIVEN):
        return
    if waits_for_claims(asked, there.devices, plugins.departures):
        return
    singles.shown((asked, there, plugins))
    scheduler = informed((*there.pods, asked), there, (plugins,))
    drained(scheduler, asked.key)
    binding = scheduler.schedule_one()
    if binding is None:
        return
    scheduler.finish(binding)
    node = next(each for each in there.nodes if each.name == binding.node)
    mine = {(asked.namespace, each.claim) for each in asked.resource_claims}
    now = {each.key: each for each in scheduler.handle.listers.devices.claims}
    others = [each.key for each in there.devices.claims if each.key not in mine and now[each.key] != each]
    assert not others, f"{others} change, and are no claims of {asked}"
    ways = bound(asked, node, there.devices, gates(plugins.departures))
    made = tuple(now[each.key] for each in next(iter(ways)))
    assert made in ways, f"{made} are written for {asked} on {node}, not one of {sorted(map(str, ways))}"
