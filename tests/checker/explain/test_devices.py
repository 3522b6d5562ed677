"""The devices that nodes lack for a pod, in numbers and in words"""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import schedcheck
from schedcheck.checker.explain import devices as explained
from schedcheck.checker.explain.devices import Lack, lacks, together
from schedcheck.checker.explain.kubernetes import cycle_explanation
from schedcheck.spec.device_objects import Allocation, Devices, Result
from schedcheck.spec.devices.allocations import allocations, situation_of
from schedcheck.spec.devices.claims import unmodelled
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES
from schedcheck.spec.kubernetes.filters.dynamic_resources import gates
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Snapshot
from tests.support.building import node, pod
from tests.support.claiming import DRIVER, GPU, claim, gpus, random_devices, using

NODES = (node("n0", labels={"zone": "x"}), node("n1", labels={"zone": "y"}))
EXAMPLE = Path(__file__).parents[3] / "examples" / "devices"


def test_numbers_of_a_node_with_too_few_free_devices() -> None:
    held = replace(claim("held"), allocation=Allocation((Result("r", DRIVER, "n", "gpu-0"),)))
    known = Devices((gpus(3),), (GPU,), (claim("c", 3), held))
    asking = pod(resource_claims=using("c"))
    assert lacks(asking, node("n"), known, ALL_DEPARTURES) == (Lack("c", "r", "gpu", (), 3, 3, 3, 2),)
    assert lacks(asking, node("m"), known, ALL_DEPARTURES) == (Lack("c", "r", "gpu", (), 3, 0, 0, 0),)


@pytest.mark.parametrize("broken", ["", "_met"])
def test_a_request_is_lacking_exactly_if_it_cannot_be_met_alone(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if broken:
        monkeypatch.setattr(explained, broken, lambda *_: False)
    wrong = seen = 0
    for seed in range(300):
        known, claims = random_devices(Random(seed))
        known = replace(known, claims=claims)
        asking = pod(resource_claims=using(*(each.name for each in claims)))
        if unmodelled(asking, known, gates(ALL_DEPARTURES)):
            continue
        for there in NODES:
            found = {(each.claim, each.request.split("/")[0]) for each in lacks(asking, there, known, ALL_DEPARTURES)}
            alone = {
                (str(each), request.name)
                for each in claims
                for request in each.requests
                if not allocations(
                    situation_of(
                        there, known, (replace(each, requests=(request,), constraints=()),), gates(ALL_DEPARTURES)
                    )
                )
            }
            wrong += found != alone
            seen += bool(found)
    assert seen > 50 and bool(wrong) == bool(broken)


def test_what_every_node_lacks_has_the_greatest_numbers() -> None:
    one, two = Lack("c", "r", "gpu", (), 2, 1, 1, 0), Lack("c", "r", "gpu", (), 2, 4, 2, 1)
    other = Lack("c", "s", "gpu", (), 1, 0, 0, 0)
    assert together([(one, other), (two,)]) == (Lack("c", "r", "gpu", (), 2, 4, 2, 1),)
    assert together([]) == ()


def test_an_explanation_names_the_lacking_devices_of_refused_nodes() -> None:
    known = Devices((gpus(1),), (GPU,), (claim("c", 2),))
    waiting = pod(resource_claims=using("c"))
    there = replace(Snapshot.of((waiting,), (node("n", 4), node("m", 4))), devices=known)
    found = cycle_explanation(waiting, there, DEFAULT_PLUGINS)
    assert found is not None and found.unmodelled == ""
    assert {name: [each.free for each in lacking] for name, lacking in found.devices.items()} == {"m": [0], "n": [1]}


def test_the_example_says_what_no_node_has() -> None:
    found = schedcheck.explain(schedcheck.read(str(EXAMPLE)), "train")
    lacking = {each.name: [(short.asked, short.free) for short in each.short] for each in found.nodes.values()}
    assert lacking == {"large": [(2, 1)], "plain": [(2, 0)], "small": [(2, 0)]}
    assert {each.kind for each in (found,)} == {"unschedulable"}
