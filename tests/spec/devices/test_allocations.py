"""The allocations that the search comes to, against the predicate on single choices and all subsets of the devices."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations, product
from random import Random

import pytest
from frozendict import frozendict

from schedcheck.spec.cel.values import CelError
from schedcheck.spec.device_objects import Attribute, DeviceClass, Devices, Request, ResourceClaim
from schedcheck.spec.devices import choices as definitions
from schedcheck.spec.devices.allocations import (
    Failure,
    NotOnNode,
    _completed,
    _taken,
    allocations,
    outcome,
    situation_of,
)
from schedcheck.spec.devices.choices import Choice, Chosen, Situation, offers, possible
from schedcheck.spec.devices.gates import NEWEST
from schedcheck.spec.devices.pools import pools
from schedcheck.spec.kubernetes.filters.dynamic_resources import gates as gates_of
from schedcheck.spec.kubernetes.versions import VERSIONS
from tests.support.building import node
from tests.support.claiming import DRIVER, claim, gpus, random_devices

THERE = node("n0", labels={"zone": "x"})


def every_choice(situation: Situation) -> Iterator[Choice]:
    """Yield every way to give each request an alternative and a set of devices."""
    offered = offers(situation)
    subsets = list(chain.from_iterable(combinations(offered, size) for size in range(len(offered) + 1)))
    requests = [situation.claims[i].requests[j] for i, j in situation.slots()]
    ways = [
        [Chosen(alternative, subset) for alternative in range(len(request.alternatives) or 1) for subset in subsets]
        for request in requests
    ]
    yield from product(*ways)


def preferred(found: set[Choice]) -> set[Choice]:
    """Return the choices for which no other one has the same beginning and then an earlier alternative."""
    return {
        one
        for one in found
        if not any(
            one[:place] == other[:place] and other[place].alternative < one[place].alternative
            for other in found
            for place in range(len(one))
        )
    }


def drawn(seed: int) -> Situation:
    devices, claims = random_devices(Random(seed), newest=seed % 2 == 1)
    return situation_of(THERE, devices, claims, NEWEST)


def small(situation: Situation) -> bool:
    return len(situation.slots()) * len(offers(situation)) <= 12


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_allocations_are_the_preferred_ones_of_all_possible_choices(start: int) -> None:
    seen = {"some": 0, "none": 0, "failure": 0}
    for seed in range(start, start + 100):
        situation = drawn(seed)
        if not small(situation):
            continue
        try:
            first = outcome(situation)
        except (Failure, NotOnNode):
            seen["failure"] += 1
            assert allocations(situation) == frozenset()
            continue
        found = {each for each in every_choice(situation) if possible(situation, each)}
        assert (first is not None) == bool(found), seed
        assert first is None or first in preferred(found), seed
        seen["some" if found else "none"] += 1
        if not fails_somewhere(situation):
            assert allocations(situation) == preferred(found), seed
    assert min(seen.values()) > 3, seen


def fails_somewhere(situation: Situation) -> bool:
    """Whether an expression fails on some device."""
    for i, j in situation.slots():
        request = situation.claims[i].requests[j]
        for part in request.alternatives or (request,):
            for each in offers(situation):
                try:
                    definitions.selectable(part, each, situation)
                except CelError:
                    return True
    return False


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "broken",
    ["separate", "constraints_hold", "untainted", "selectable", "at", "counters_suffice", "capacities_suffice"],
)
def test_a_definition_without_one_condition_allocates_otherwise(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    situations = [drawn(seed) for seed in range(400)]
    right = [feasible(each) for each in situations]
    monkeypatch.setattr(definitions, broken, lambda *_: True)
    assert [feasible(each) for each in situations] != right


def feasible(situation: Situation) -> bool:
    try:
        return any(possible(situation, each) for each in every_choice(situation)) if small(situation) else False
    except CelError:
        return False


def of(devices: Devices, *claims: ResourceClaim) -> Situation:
    return situation_of(node("n"), devices, claims, NEWEST)


CLASSES = (DeviceClass("gpu", (f'device.driver == "{DRIVER}"',)),)


@pytest.mark.parametrize(("count", "fits"), [(1, True), (2, True), (3, False)])
def test_a_count_fits_up_to_the_number_of_devices(count: int, fits: bool) -> None:
    assert (outcome(of(Devices((gpus(2),), CLASSES), claim(count=count))) is not None) == fits


@pytest.mark.parametrize(("devices", "fits"), [(32, True), (33, None)])
def test_all_devices_are_at_most_32(devices: int, fits: bool | None) -> None:
    situation = of(Devices((gpus(devices),), CLASSES), claim(mode="All"))
    if fits:
        assert outcome(situation) is not None
    else:
        with pytest.raises(
            Failure, match="adding 33 devices exceeds the claim limit of 32, with 0 already accounted for"
        ):
            outcome(situation)


@pytest.mark.parametrize("seed", range(60))
def test_slices_near_a_node_make_the_same_pools_as_all_slices(seed: int) -> None:
    devices, _ = random_devices(Random(seed), newest=True)
    for gates in (gates_of(each.departures) for each in VERSIONS.values()):
        for name in ("n0", "n1", "elsewhere"):
            there = node(name, labels={"zone": "x"})
            assert pools(there, devices.near(name), gates) == pools(there, devices.slices, gates)


def of_kinds(*numbers: int) -> Devices:
    """A pool of so many devices of each kind, so that little is searched in vain."""
    slices = (
        replace(gpus(number, name=kind, attributes=frozendict(kind=Attribute("string", kind))), pool=kind)
        for kind, number in zip("abc", numbers, strict=False)
    )
    return Devices(tuple(slices), CLASSES)


def of_kind(kind: str) -> tuple[str, ...]:
    return (f'device.attributes["{DRIVER}"].kind == "{kind}"',)


@pytest.mark.parametrize(("counts", "fits"), [((16, 16), True), ((31, 1), True), ((31, 2), False)])
def test_the_requests_of_a_claim_get_at_most_32_devices_together(counts: tuple[int, int], fits: bool) -> None:
    """A request that asks for too many leaves its other alternative. allocateOne in allocator_incubating.go."""
    first, second = (Request(f"r{i}", "gpu", count=counts[i], selectors=of_kind("ab"[i])) for i in range(2))
    either = Request("either", alternatives=(second, Request("one", "gpu", selectors=of_kind("c"))))
    found = outcome(of(of_kinds(*counts, 1), ResourceClaim("c", requests=(first, either))))
    assert found is not None and found[1].alternative == (0 if fits else 1)


def test_each_claim_may_get_32_devices() -> None:
    """Asked about the second claim alone: a search that refuses it would try all subsets of the devices of the first."""
    situation = of(of_kinds(32, 32), *(claim(kind, 32, selectors=of_kind(kind)) for kind in "ab"))
    first, second = (Chosen(0, pool.offered) for pool in situation.pools)
    assert next(_taken(situation, (first,), 0)) == second.offered
    assert definitions.small_enough(situation, (first, second))


def test_a_choice_for_every_request_is_completed_by_itself() -> None:
    """Python has several objects for one number from 257 on."""
    asked = ResourceClaim("c", requests=tuple(Request(f"r{i}", "gpu") for i in range(257)))
    situation = of(Devices((), CLASSES), asked)
    whole = tuple(Chosen(0, ()) for _ in situation.slots())
    assert list(_completed(situation, whole)) == [whole]


@pytest.mark.parametrize(
    ("name", "of_device", "value"),
    [
        (f"{DRIVER}/model", {"model": "own"}, "own"),
        (f"{DRIVER}/model", {f"{DRIVER}/model": "qualified"}, "qualified"),
        (f"{DRIVER}/model", {f"{DRIVER}/model": "qualified", "model": "own"}, "qualified"),
        ("other.example.com/model", {"model": "own"}, None),
        ("other.example.com/model", {"other.example.com/model": "qualified"}, "qualified"),
        ("model", {"other": "own"}, None),
    ],
)
def test_the_domain_of_the_driver_may_be_left_out_of_an_attribute(
    name: str, of_device: dict[str, str], value: str | None
) -> None:
    """The function lookupAttribute in allocator_incubating.go."""
    having = frozendict({key: Attribute("string", text) for key, text in of_device.items()})
    (offered,) = offers(of(Devices((gpus(1, attributes=having),), CLASSES)))
    found = definitions.attribute(offered, name)
    assert (found.value if found is not None else None) == value
