"""Symmetry changes no verdict: swaps commute with steps, each orbit has one canonical form, and traces remain real

`permuted` restates independently what renaming objects means, so that the checker does not judge itself.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise, permutations, product
from typing import Any

import pytest
from frozendict import frozendict
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from schedcheck.checker.check import Checked, check
from schedcheck.checker.drawing.scenarios import scenarios
from schedcheck.checker.exploring.memo import remembering
from schedcheck.checker.exploring.symmetry import Canonical, node_classes, pod_classes
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget
from schedcheck.spec.profiles import profile
from schedcheck.spec.storage import (
    ClaimSource,
    CSINode,
    CSIStorageCapacity,
    Ephemeral,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from schedcheck.spec.terms import Requirement
from tests.support.building import (
    HOSTNAME,
    Stored,
    apart,
    node,
    node_term,
    on_nodes,
    on_pods,
    pod,
    replays,
    scenario,
    selector,
    stored,
    term,
)
from tests.support.sizes import on_examples, part_and_whole

MOST_STATES = 300
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
Swap = dict[str, str]


def machine_of(each: Scenario) -> Reference:
    faults = frozenset(Fault(name) for name in each.faults)
    return Reference(each, remembering(profile("test", faults, each.rated_resource), each.pods))


def reachable(machine: Reference, most: int = MOST_STATES) -> list[State]:
    """Every reachable state without symmetry; the example is given up beyond this many."""
    states = list(machine.initial_states())
    seen = set(states)
    for state in states:
        for _, after in machine.steps(state):
            if after not in seen:
                seen.add(after)
                states.append(after)
        if len(states) > most:
            assume(False)
    return states


def renamed(thing: Any, name: str) -> Any:
    """The object under another name, including its own name in its labels."""
    own = frozendict({key: name if value == thing.name else value for key, value in thing.labels.items()})
    return replace(thing, name=name, labels=own)


def permuted(state: State, each: Scenario, swap: Swap) -> State:
    """`state` with every name replaced according to `swap`, and each object in the slot of its new name."""
    pods: dict[tuple[str, str], Pod | None] = {}
    for slot, there in enumerate(state.pods):
        origin = each.pods[slot]
        name = swap.get(origin.name, origin.name)
        moved = there and renamed(replace(there, node_name=swap.get(there.node_name, there.node_name)), name)
        pods[origin.namespace, name] = moved
    nodes: dict[str, Node | None] = {}
    for slot, here in enumerate(state.nodes):
        name = swap.get(each.nodes[slot].name, each.nodes[slot].name)
        nodes[name] = here and renamed(here, name)
    ordered = tuple(pods[origin.key] for origin in each.pods)
    return State(ordered, tuple(nodes[origin.name] for origin in each.nodes), state.left)


def classes(each: Scenario) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    return pod_classes(each, frozenset()), node_classes(each, frozenset())


def names_of_classes(each: Scenario) -> list[list[str]]:
    pods, nodes = classes(each)
    return [[each.pods[slot].name for slot in slots] for slots in pods] + [
        [each.nodes[slot].name for slot in slots] for slots in nodes
    ]


def group(each: Scenario) -> Iterator[Swap]:
    """Yield every symmetry: a permutation within each class."""
    for chosen in product(*(permutations(names) for names in names_of_classes(each))):
        swap: Swap = {}
        for names, images in zip(names_of_classes(each), chosen, strict=True):
            swap |= dict(zip(names, images, strict=True))
        yield swap


def swaps(each: Scenario) -> list[Swap]:
    """The symmetries that generate all others: neighbours in a class, exchanged."""
    return [{one: other, other: one} for names in names_of_classes(each) for one, other in pairwise(names)]


def commutes(machine: Reference, state: State, swap: Swap) -> bool:
    """Whether the steps from the image of `state` are the images of the steps from it."""
    each = machine.scenario
    steps = Counter((type(action), permuted(after, each, swap)) for action, after in machine.steps(state))
    images = Counter((type(action), after) for action, after in machine.steps(permuted(state, each, swap)))
    return steps == images


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=SLOW)
@given(scenarios())
def test_every_swap_of_interchangeable_objects_commutes_with_every_step(each: Scenario) -> None:
    assume(swaps(each))
    machine = machine_of(each)
    for state in islice(reachable(machine), 60):
        for swap in swaps(each):
            assert commutes(machine, state, swap), (swap, state)


@pytest.mark.medium
@settings(max_examples=150, suppress_health_check=SLOW)
@given(scenarios(), st.data())
def test_a_state_and_its_image_have_the_same_canonical_form(each: Scenario, data: st.DataObject) -> None:
    assume(swaps(each))
    machine = machine_of(each)
    canonical = Canonical(machine, *classes(each))
    every = list(islice(group(each), 200))
    for state in islice(reachable(machine), 40):
        swap = data.draw(st.sampled_from(every))
        form = canonical(state)
        assert canonical(permuted(state, each, swap)) == form == canonical(form)
    assert form in {permuted(state, each, swap) for swap in group(each)}


@pytest.mark.medium
@settings(max_examples=100, suppress_health_check=SLOW)
@given(scenarios())
def test_the_number_of_states_is_the_number_of_orbits(each: Scenario) -> None:
    assume(swaps(each))
    machine = machine_of(each)
    every = list(group(each))
    assume(len(every) <= 40)
    orbits = {min(repr(permuted(state, each, swap)) for swap in every) for state in reachable(machine, 120)}
    found = check(replace(each, properties=("type_correct",)))
    assert found.result.verdict is Verdict.HOLDS
    assert found.result.distinct == len(orbits)


def lengths(checked: Checked, asked: set[str]) -> dict[str, int]:
    """The length of the shortest trace of each of these properties that is violated."""
    return {
        each.property.name: len(each.trace) for each in checked.result.violations if each.property.name in asked
    }  # fmt: skip


def has_verdicts_and_lengths_of_the_whole(each: Scenario) -> None:
    plain = check(each, symmetry=False, bounds=Bounds(max_states=MOST_STATES))
    assume(plain.result.verdict is not Verdict.GAVE_UP and not plain.result.stopped)
    reduced = check(each)
    assume(reduced.symmetry)
    assert reduced.result.verdict == plain.result.verdict
    assert reduced.result.distinct <= plain.result.distinct
    # The depth may be smaller if an image of a distant state is near, as the initial states need not be symmetric.
    assert reduced.result.depth <= plain.result.depth
    asked = {question.name for question in reduced.properties}
    assert lengths(reduced, asked) == lengths(plain, asked)
    assert set(reduced.result.undecided) == set(plain.result.undecided) & asked
    for violation in reduced.result.violations:
        assert not violation.trace or replays(reduced.machine, violation.trace)


@pytest.mark.parametrize("number", part_and_whole(100, 300))
def test_verdicts_and_shortest_traces_are_those_without_symmetry(number: int) -> None:
    on_examples(number, scenarios(), has_verdicts_and_lengths_of_the_whole)


def test_two_pods_on_two_nodes_have_the_orbits_counted_by_hand() -> None:
    """Neither present; one pending; both pending; one bound; one bound and one pending; each on its own node: six."""
    each = scenario(
        pod("a", 1),
        pod("b", 1),
        node("n1", 2),
        node("n2", 2),
        absent="*",
        rules=[on_pods("arrive", "a b"), on_pods("complete", "a b")],
        properties=("scheduler_is_sound",),
    )
    found = check(each)
    assert found.symmetry == (("a", "b"), ("n1", "n2"))
    assert found.result.orbits
    assert (found.result.distinct, found.result.verdict) == (6, Verdict.HOLDS)
    # Absent, pending or on one of two nodes, twice; LeastAllocated never lets them share a node.
    assert check(each, symmetry=False).result.distinct == 4 * 4 - 2


PODS = [pod("a"), pod("b")]
NODES = [node("n1", labels={HOSTNAME: "n1"}), node("n2", labels={HOSTNAME: "n2"})]
OF_N1 = Requirement(HOSTNAME, "In", ("n1",))


def test_identical_objects_are_interchangeable() -> None:
    assert classes(scenario(*PODS, *NODES)) == ([(0, 1)], [(0, 1)])


def test_objects_with_different_initial_places_are_interchangeable() -> None:
    each = scenario(pod("a", on="n1"), pod("b"), pod("c"), *NODES, absent="c")
    assert classes(each) == ([(0, 1, 2)], [(0, 1)])
    assert pod_classes(each, frozenset(), at_first=True) == [(0,), (1,), (2,)]


@pytest.mark.parametrize(
    "other",
    [
        pod("c", node_selector={HOSTNAME: "n1"}),
        pod("c", affinity=replace(apart(), node_required=(node_term(OF_N1),))),
        pod("c", affinity=replace(apart(), node_required=(node_term(replace(OF_N1, operator="NotIn")),))),
        pod(
            "c",
            affinity=replace(apart(), node_required=(node_term(fields=[Requirement("metadata.name", "In", ("n1",))]),)),
        ),
        pod("c", affinity=apart(term(selected=selector(Requirement("x", "In", ("n1",)))))),
        pod("c", affinity=apart(term(selected=selector(x="n1")))),
        pod("c", affinity=apart(term(namespace_selector=selector(x="n1")))),
        pod("c", labels={"x": "n1"}),
        pod("c", template_node_name="n1"),
    ],
    ids=[
        "nodeSelector",
        "In",
        "NotIn",
        "matchFields",
        "matchExpressions",
        "matchLabels",
        "namespaceSelector",
        "label",
        "template",
    ],
)
def test_a_node_named_in_a_field_of_a_pod_is_fixed(other: Pod) -> None:
    three = [*NODES, node("n3", labels={HOSTNAME: "n3"})]
    assert node_classes(scenario(*PODS, other, *three), frozenset()) == [(0,), (1, 2)]


def test_a_node_named_in_a_label_of_another_node_is_fixed() -> None:
    four = [*NODES, node("n3", labels={HOSTNAME: "n3"}), node("n4", labels={HOSTNAME: "n4", "beside": "n1"})]
    assert node_classes(scenario(*four), frozenset()) == [(0,), (1, 2), (3,)]


def test_a_node_named_in_a_label_event_is_fixed() -> None:
    rule = on_nodes("label", "n1 n2", label_key="x", label_values=("n1",))
    assert node_classes(scenario(*NODES, rules=[rule]), frozenset()) == [(0,), (1,)]


def test_a_rule_for_one_of_two_objects_distinguishes_them() -> None:
    rules = [on_pods("delete", "a"), on_nodes("fail", "n2")]
    assert classes(scenario(*PODS, *NODES, rules=rules)) == ([(0,), (1,)], [(0,), (1,)])


def test_an_object_named_in_a_property_is_fixed() -> None:
    each = scenario(*PODS, pod("c"), node("n1", 1), rules=[on_pods("arrive", "a b c")])
    assert check(replace(each, properties=("never_evicted(b)",))).symmetry == (("a", "c"),)
    assert check(replace(each, properties=("stays_on(name=b, zone=1)",))).symmetry == (("a", "c"),)
    assert check(replace(each, properties=("type_correct",))).symmetry == (("a", "b", "c"),)


def test_a_property_of_every_pod_is_checked_for_one_pod_of_each_class() -> None:
    each = scenario(*PODS, pod("c", priority=1), node("n1", 1), properties=("never_evicted",))
    assert [question.name for question in check(each).properties] == ["never_evicted(a)", "never_evicted(c)"]
    assert len(check(each, symmetry=False).properties) == 3


def test_pods_with_different_initial_states_are_checked_separately() -> None:
    each = scenario(pod("a", on="n1"), pod("b"), node("n1", 1), properties=("never_evicted",))
    assert [question.name for question in check(each).properties] == ["never_evicted(a)", "never_evicted(b)"]


def test_numeric_names_that_are_compared_are_fixed() -> None:
    numbered = [node("10", labels={"id": "10"}), node("5", labels={"id": "5"})]
    wanted = replace(apart(), node_required=(node_term(Requirement("id", "Lt", ("7",))),))
    assert node_classes(scenario(pod("q", affinity=wanted), *numbered), frozenset()) == [(0,), (1,)]
    other = replace(apart(), node_required=(node_term(Requirement("rank", "Lt", ("7",))),))
    assert node_classes(scenario(pod("q", affinity=other), *numbered), frozenset()) == [(0, 1)]
    lower = apart(term(selected=selector(Requirement("id", "Lt", ("7",)))))
    pods = [pod("10", labels={"id": "10"}), pod("5", labels={"id": "5"}), pod("q", affinity=lower)]
    assert pod_classes(scenario(*pods), frozenset()) == [(0,), (1,), (2,)]


def test_numeric_node_names_in_required_fields_keep_their_nodes_apart() -> None:
    """Found by review: fields of two nodes with numeric names were compared although the nodes counted as
    interchangeable.
    """
    wanted = replace(apart(), node_required=(node_term(fields=[Requirement("metadata.name", "Lt", ("7",))]),))
    each = scenario(
        pod("q", affinity=wanted),
        node("10"),
        node("5"),
        rules=[on_nodes("fail", "10 5", 1)],
        properties=("pod_can_still_be_bound",),
    )
    for symmetry in (True, False):
        found = check(each, symmetry=symmetry)
        assert [[str(stage.action) for stage in one.trace] for one in found.result.violations] == [["None", "Fail(5)"]]


def test_a_false_symmetry_is_detected_by_these_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: classes that ignore the rules confuse a pod that may arrive with one that may not."""
    each = scenario(*PODS, node("n1"), absent="*", rules=[on_pods("arrive", "a")], properties=("type_correct",))
    machine = machine_of(each)
    assert not all(commutes(machine, state, {"a": "b", "b": "a"}) for state in reachable(machine))
    assert check(each).result.distinct == len(reachable(machine)) == 3
    monkeypatch.setattr("schedcheck.checker.check.pod_classes", lambda *_, **__: [(0, 1)])
    assert check(each).result.distinct == 6


def test_a_pod_selected_by_a_budget_through_its_name_label_is_fixed() -> None:
    def each_of(*budgets: PodDisruptionBudget) -> Scenario:
        pods = [pod(name, 1, on="n", labels={"id": name}, owner=("ReplicaSet", "web")) for name in ("a", "b")]
        return scenario(*pods, node("n", 2), budgets=budgets, rules=[on_pods("evict", "a b")])

    one = PodDisruptionBudget("one", selector=selector(id="a"), min_available=1, expected=1)
    assert names_of_classes(each_of()) == [["a", "b"], ["n"]]
    assert names_of_classes(each_of(one)) == [["a"], ["b"], ["n"]]
    controlled = replace(each_of(one), controllers=frozenset({"owners", "disruption"}))
    apart_, alike = (check(controlled, symmetry=symmetry).result.distinct for symmetry in (False, True))
    assert apart_ == alike


def test_a_terminating_pod_does_not_represent_a_running_one() -> None:
    first, second = (pod(name, 1, on="n", terminating=ending) for name, ending in (("a", False), ("b", True)))
    each = scenario(first, second, node("n", 2))
    assert pod_classes(each, frozenset()) == [(0, 1)]
    assert pod_classes(each, frozenset(), at_first=True) == [(0,), (1,)]


@pytest.mark.parametrize(
    ("thing", "apart"),
    [
        (CSINode("other"), False),
        (CSINode("n1"), True),
        (VolumeAttachment("a", "driver", "n1"), True),
        (PersistentVolumeClaim("c", selected_node="n1"), True),
        (PersistentVolumeClaim("n1"), False),
        (PersistentVolume("v", frozendict({HOSTNAME: "a__n1"})), True),
        (PersistentVolume("v", node_affinity=(node_term(Requirement(HOSTNAME, "In", ("n1",))),)), True),
        (StorageClass("s", "p", allowed_topologies=((Requirement(HOSTNAME, "In", ("n1",)),),)), True),
        (CSIStorageCapacity("k", node_topology=selector(**{HOSTNAME: "n1"})), True),
    ],
)
def test_a_node_named_by_a_storage_object_is_fixed(thing: Stored, apart: bool) -> None:
    nodes = [node(name, labels={HOSTNAME: name}) for name in ("n1", "n2")]
    classes = node_classes(scenario(*nodes, storage=stored(thing)), frozenset())
    assert classes == ([(0,), (1,)] if apart else [(0, 1)])


def test_a_pod_with_an_ephemeral_claim_is_fixed_by_its_name() -> None:
    for source, expected in ((Ephemeral(), [(0,), (1,)]), (ClaimSource("c"), [(0, 1)])):
        pods = [pod(name, volumes=(Volume("v", source),)) for name in ("a", "b")]
        assert pod_classes(scenario(*pods), frozenset()) == expected
