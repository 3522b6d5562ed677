"""Resource claims in every state of small scenarios: allocated on binding, released with the pod, never twice"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from schedcheck.model import reference
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.decisions import Bind, Unknown, Wait
from schedcheck.spec.device_objects import Allocation, Consumer, Devices, ResourceClaim, Result
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from tests.support.building import node, pod
from tests.support.claiming import DRIVER, GPU, claim, gpus, using


def waiting(name: str, *claims: str) -> Pod:
    return pod(name, 1, resource_claims=using(*claims, uid=name))


def machine(pods: tuple[Pod, ...], claims: tuple[ResourceClaim, ...], devices: int, *rules: Rule) -> Reference:
    scenario = Scenario(
        "claims", pods, (node("n", 9),), profile="kubernetes", rules=rules,
        devices=Devices((gpus(devices),), (GPU,), claims),
    )  # fmt: skip
    return Reference(scenario, profile_of(scenario))


def reached(of: Reference) -> set[State]:
    found = set(of.initial_states())
    queue = list(found)
    for state in queue:
        for _, after in of.steps(state):
            if after not in found:
                found.add(after)
                queue.append(after)
    return found


def held(state: State) -> Iterator[Result]:
    for each in state.claims:
        yield from each.allocation.results if each.allocation is not None else ()


def bound(state: State) -> set[str]:
    return {each.name for each in state.pods if each is not None and each.node_name}


ONE_EACH = (waiting("a", "c"), waiting("b", "d"))
DONE = Rule("complete", (("default", "a"), ("default", "b")))


def test_two_claims_for_one_device_are_met_one_after_the_other() -> None:
    made = machine(ONE_EACH, (claim("c"), claim("d")), 1, DONE)
    states = reached(made)
    assert all(len({each.id for each in held(state)}) == len(list(held(state))) for state in states)
    assert {frozenset(bound(state)) for state in states} == {frozenset(), frozenset("a"), frozenset("b")}
    assert all({one.uid for each in state.claims for one in each.reserved_for} == bound(state) for state in states)
    # Each pod waits, is bound or is gone, and not both are bound.
    assert len(states) == 8
    assert not any(isinstance(action, Unknown) for state in states for action, _ in made.steps(state))


def test_without_release_the_second_pod_is_never_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "released", lambda claims, *_: claims)
    states = reached(machine(ONE_EACH, (claim("c"), claim("d")), 1, DONE))
    assert not any(state.pods[0] is None and "b" in bound(state) for state in states)


@pytest.mark.parametrize(("devices", "count", "ways"), [(2, 1, 2), (3, 2, 3), (2, 2, 1), (1, 2, 0)])
def test_each_allowed_allocation_is_a_step(devices: int, count: int, ways: int) -> None:
    made = machine((waiting("a", "c"),), (claim("c", count),), devices)
    (start,) = made.initial_states()
    steps = [(action, after) for action, after in made.steps(start) if isinstance(action, Bind)]
    assert len(steps) == len({after for _, after in steps}) == len({str(action) for action, _ in steps}) == ways
    for _, after in steps:
        (one,) = after.claims
        assert one.allocation is not None and len(one.allocation.results) == count
        assert one.allocation.terms == (NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n",)),)),)
        assert one.reserved_for == (Consumer("a", "a"),)


def test_a_shared_claim_is_deallocated_when_its_last_pod_is_gone() -> None:
    shared = (waiting("a", "c"), waiting("b", "c"))
    made = machine(shared, (claim("c"),), 1, DONE)
    states = reached(made)
    assert any(bound(state) == {"a", "b"} for state in states)
    for state in states:
        (one,) = state.claims
        assert (one.allocation is not None) == bool(bound(state))
        assert {each.uid for each in one.reserved_for} == bound(state)


def test_an_unavailable_claim_of_a_pod_is_deallocated_and_allocated_anew() -> None:
    elsewhere = (NodeSelectorTerm((), (Requirement("metadata.name", "In", ("gone",)),)),)
    stale = replace(claim("c"), allocation=Allocation((Result("r", DRIVER, "gone", "gpu-0"),), elsewhere))
    made = machine((waiting("a", "c"),), (stale,), 1)
    (start,) = made.initial_states()
    ((first, freed),) = made.steps(start)
    assert isinstance(first, Wait) and freed.claims[0].allocation is None
    ((second, done),) = made.steps(freed)
    assert isinstance(second, Bind) and bound(done) == {"a"}


def test_a_claim_reserved_for_another_pod_is_not_deallocated() -> None:
    elsewhere = (NodeSelectorTerm((), (Requirement("metadata.name", "In", ("gone",)),)),)
    taken = replace(
        claim("c"), allocation=Allocation((), elsewhere), reserved_for=(Consumer("other", "other"),)
    )  # fmt: skip
    made = machine((waiting("a", "c"),), (taken,), 1)
    assert reached(made) == set(made.initial_states())


def test_a_pod_whose_claim_is_missing_is_never_tried() -> None:
    made = machine((waiting("a", "missing"),), (claim("c"),), 1)
    (start,) = made.initial_states()
    assert list(made.steps(start)) == []
