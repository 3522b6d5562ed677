"""Nodes that a pool may add are interchangeable: reduced and whole explorations of random clusters agree

The orbits of all reachable states are counted by trying every permutation of names, apart from the checker's own form.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product
from random import Random

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.exploring import symmetry
from schedcheck.checker.exploring.symmetry import every_node, node_classes, pod_classes
from schedcheck.checker.result import Verdict
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Node, Pod
from tests.support.building import HOSTNAME, pod, replays
from tests.support.pooled import OWNED, of_pool, pool, with_pools

MOST_STATES = 160
ASKED = (
    "no_overcommit",
    "nodes_bounded(2)",
    "never_below(app=web, 1)",
    "pod_can_still_be_bound",
    "no_pod_evicted_twice_for_one_reason",
)


def drawn(seed: int) -> Scenario:
    """A cluster with one pool or two, whose nodes are there or not, and one to three pods."""
    chance = Random(seed)
    pools = tuple(
        pool(name, chance.choice((0, 0, 1)), chance.choice((2, 3, 3))) for name in "ab"[: chance.choice((1, 1, 2))]
    )
    there = [name for each in pools for name in each.names if chance.random() < 0.6]
    nodes = [of_pool(name, labels={"disk": "ssd"} if chance.random() < 0.1 else {}) for name in there]
    pods = []
    for number in range(chance.choice((1, 2, 2, 3))):
        on = chance.choice(there) if there and chance.random() < 0.6 else ""
        near = {"node_selector": {HOSTNAME: chance.choice(pools[0].names)}} if chance.random() < 0.15 else {}
        pods.append(pod(f"web-{number}", chance.choice((1, 2, 3)), on, **OWNED, **near))
    kept = frozenset(chance.sample(there, 1)) if there and chance.random() < 0.2 else frozenset[str]()
    rules = (Rule("delete", pods=tuple(each.key for each in pods), bound=1),) if chance.random() < 0.3 else ()
    return with_pools(*nodes, *pods, pools=pools, options={"kept": kept}, rules=rules, properties=("type_correct",))


def renamed(thing: Pod | Node, name: str) -> Pod | Node:
    """The object with another name. Its maps are sorted, so that equal ones have one text."""
    labels = {key: name if value == thing.name else value for key, value in thing.labels.items()}
    moved = replace(thing, name=name, labels=type(thing.labels)(sorted(labels.items())))
    if isinstance(moved, Pod):
        return moved
    return replace(moved, allocatable=type(moved.allocatable)(sorted(moved.allocatable.items())))


def names_of_classes(each: Scenario) -> list[list[str]]:
    nodes = every_node(each)
    found = [[each.pods[slot].name for slot in slots] for slots in pod_classes(each, frozenset())]
    return found + [[nodes[slot].name for slot in slots] for slots in node_classes(each, frozenset())]


def group(each: Scenario) -> Iterator[dict[str, str]]:
    """Yield every permutation within the classes."""
    classes = names_of_classes(each)
    for chosen in product(*(permutations(names) for names in classes)):
        yield {
            one: other
            for names, images in zip(classes, chosen, strict=True)
            for one, other in zip(names, images, strict=True)
        }


def permuted(state: State, each: Scenario, swap: dict[str, str]) -> str:
    """The text of a state with other names."""
    things = []
    for origin, there in zip((*each.pods, *every_node(each)), (*state.pods, *state.nodes), strict=True):
        at = {"node_name": swap.get(there.node_name, there.node_name)} if isinstance(there, Pod) else {}
        moved = there and renamed(replace(there, **at), swap[origin.name])  # type: ignore[arg-type]
        things.append((type(origin).__name__, swap[origin.name], repr(moved)))
    return str((sorted(things), state.left, state.allowed, state.to_evict))


def reachable(each: Scenario) -> list[State]:
    machine = Reference(each, profile_of(each))
    states = list(machine.initial_states())
    seen = set(states)
    for state in states:
        for _, after in machine.steps(state):
            if after not in seen and len(states) <= MOST_STATES:
                seen.add(after)
                states.append(after)
    return states


def orbits(each: Scenario) -> int | None:
    """The number of orbits of the reachable states; None if there are too many of them or of permutations."""
    every, states = list(group(each)), reachable(each)
    if len(states) > MOST_STATES or not 1 < len(every) <= 36:
        return None
    return len({min(permuted(state, each, swap) for swap in every) for state in states})


def differ(each: Scenario) -> bool | None:
    """Whether the two explorations of a cluster differ; None if it is not one of the small ones with a symmetry."""
    expected = orbits(each)
    if expected is None:
        return None
    reduced = check(each).result
    if reduced.verdict is not Verdict.HOLDS or reduced.distinct != expected:
        return True
    asked = replace(each, properties=ASKED)
    one, other = check(asked), check(asked, symmetry=False)
    lengths = [
        sorted({(found.property.name.partition("(")[0], len(found.trace)) for found in result.result.violations})
        for result in (one, other)
    ]
    assert all(replays(one.machine, violation.trace) for violation in one.result.violations)
    return one.result.verdict is not other.result.verdict or lengths[0] != lengths[1]


@pytest.mark.medium
def test_reduced_explorations_of_random_clusters_agree_with_whole_ones() -> None:
    found = [differ(drawn(seed)) for seed in range(40)]
    assert True not in found
    assert found.count(False) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("first", range(40, 1000, 160))
def test_reduced_explorations_of_many_random_clusters_agree_with_whole_ones(first: int) -> None:
    assert True not in [differ(drawn(seed)) for seed in range(first, first + 160)]


def test_a_class_with_some_names_of_a_pool_is_no_symmetry(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a-1 there the next node is a-2, which a pod names; with a-3 there it would be a-1."""
    pods = (
        pod("web-0", 3, "a-1", **OWNED),
        pod("web-1", 3, **OWNED),
        pod("web-2", 1, node_selector={HOSTNAME: "a-2"}, **OWNED),
    )
    each = with_pools(of_pool("a-1"), *pods, pools=(pool("a", 0, 3),), properties=("type_correct",))
    assert node_classes(each, frozenset()) == [(0,), (1,), (2,)] and not differ(each)
    monkeypatch.setattr(symmetry, "_uneven", lambda scenario, kind, fixed: frozenset())
    assert node_classes(each, frozenset()) == [(0, 2), (1,)]
    with pytest.raises(StopIteration):  # A trace over renamed states is no behaviour.
        differ(each)


def test_empty_nodes_of_a_pool_are_explored_by_their_number() -> None:
    nodes = [of_pool(f"a-{number}") for number in range(1, 10)]
    each = with_pools(*nodes, pod("web", 3, "a-1", **OWNED), pools=(pool("a", 1, 9),), properties=("no_overcommit",))
    found = check(each)
    assert found.symmetry == (tuple(f"a-{number}" for number in range(1, 10)),)
    # Each of eight nodes is there, marked or gone.
    assert (found.result.verdict, found.result.distinct) == (Verdict.HOLDS, 10 * 9 // 2)


def test_a_node_that_the_autoscaler_keeps_keeps_the_names_of_its_pool_apart() -> None:
    nodes = [of_pool(f"a-{number}") for number in (1, 2)]
    assert node_classes(with_pools(*nodes), frozenset()) == [(0, 1, 2)]
    assert node_classes(with_pools(*nodes, options={"kept": frozenset({"a-2"})}), frozenset()) == [(0,), (1,), (2,)]


def test_a_node_of_another_name_than_its_pool_gives_is_in_another_class() -> None:
    each = with_pools(of_pool("a-x"), of_pool("a-y"), of_pool("a-1"))
    names = [node.name for node in every_node(each)]
    classes = [[names[slot] for slot in slots] for slots in node_classes(each, frozenset())]
    assert classes == [["a-1", "a-2", "a-3"], ["a-x", "a-y"]]
