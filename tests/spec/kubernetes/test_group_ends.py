"""What the end of a group's cycle means for one pod of it, and that groups do not preempt in 1.36"""

from dataclasses import replace

import pytest

from schedcheck.spec.decisions import Bind, Decision, Nominate, Unknown, Wait
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.group_decisions import LEFT, WAITS, decided_for
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_group_members import group_members
from schedcheck.spec.kubernetes.pod_groups import Ending, can_be_placed, group_endings
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.terms import Requirement
from tests.support.building import node, node_term, pod, preferring, snapshot
from tests.support.gangs import rooms
from tests.support.pod_groups import GROUPED, IN_1_36, group, one_of

P, Q, R = (one_of("g", number) for number in range(3))
ONE, TWO = node("n1", 1), node("n2", 1)
VICTIMS = frozenset({pod("v", 1, "n1")})


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (Ending(), Wait(P, WAITS)),
        (Ending(error=True), Wait(P, WAITS)),
        (Ending(placed=((P, ONE),)), Bind(P, ONE)),
        (Ending(placed=((P, ONE), (Q, TWO))), Bind(P, ONE, together=((Q, TWO),))),
        (Ending(placed=((Q, TWO),)), Wait(P, LEFT, left=True)),
        (Ending(nominated=((P, ONE),), victims=VICTIMS), Nominate(P, ONE, VICTIMS, together=())),
        (Ending(nominated=((Q, ONE),), victims=VICTIMS), Wait(P, LEFT, left=True)),
        (Ending(lost=frozenset({Q, R})), Wait(P, WAITS)),
        (Ending(lost=frozenset({P, Q, R})), Wait(P, WAITS, True, others=(Q, R))),
    ],
)
def test_a_pod_is_bound_nominated_left_over_or_waits_with_its_group(ending: Ending, expected: Decision) -> None:
    assert decided_for(P, ending) == expected


@pytest.mark.parametrize(("plugins", "own", "kind"), [(IN_1_36, 0, Wait), (GROUPED, 1, Nominate)])
def test_a_group_that_does_not_fit_preempts_by_its_own_priority_since_1_37(
    plugins: Plugins, own: int, kind: type[Decision]
) -> None:
    """In 1.36 a pod preempts by its own priority alone, which here is not above that of the pods on the nodes."""
    pods = tuple(one_of("g", number, priority=own) for number in range(2))
    low = tuple(pod(f"v{number}", 1, f"n{number}") for number in (1, 2))
    there = replace(Snapshot.of((*pods, *low), rooms(2)), pod_groups=(group("g", priority=1),))
    assert {type(each) for each in decision(pods[0], there, plugins)} == {kind}


@pytest.mark.parametrize(("plugins", "kind"), [(IN_1_36, Wait), (GROUPED, Unknown)])
def test_a_victim_on_a_missing_node_matters_only_since_groups_preempt(plugins: Plugins, kind: type[Decision]) -> None:
    """Preemption of groups is not modelled there. In 1.36 the group is known to wait."""
    pods = tuple(one_of("g", number, priority=1) for number in range(2))
    there = replace(Snapshot.of((*pods, pod("v", 1, "gone")), rooms(1)), pod_groups=(group("g", priority=1),))
    assert {type(each) for each in decision(pods[0], there, plugins)} == {kind}


@pytest.mark.parametrize(("pods", "least", "rooms_left", "placed"), [
    (2, 2, 1, False), (2, 2, 2, True), (3, 2, 2, True), (3, 3, 2, False), (1, 1, 0, False), (1, 1, 1, True),
])  # fmt: skip
def test_a_group_can_be_placed_if_as_many_nodes_have_room_as_it_needs(
    pods: int, least: int, rooms_left: int, placed: bool
) -> None:
    """A node has room for one pod, whatever the pods ask for."""
    members = tuple(one_of("g", number) for number in range(pods))
    there = replace(Snapshot.of(members, rooms(rooms_left)), pod_groups=(group("g", least),))

    def free(one: Pod, where: Node, seen: Snapshot) -> bool:
        return not seen.pods_by_node.get(where.name)

    assert can_be_placed(group("g", least), there, GROUPED, free) is placed


def test_a_group_ends_in_an_error_if_the_cycle_of_one_pod_does() -> None:
    """A preferred term that cannot be read is an error of PreScore, which runs where two nodes are feasible."""
    broken = preferring(1, node_term(Requirement("x", "Gt", ("abc",))))
    members = tuple(one_of("g", number, affinity=broken) for number in range(2))
    there = replace(Snapshot.of(members, rooms(2)), pod_groups=(group("g"),))
    assert group_endings(group("g"), there, GROUPED) == {Ending(error=True)}
    whole = tuple(one_of("g", number) for number in range(2))
    found = group_endings(group("g"), replace(there, pods=whole), GROUPED)
    assert found and not any(each.error for each in found)


@pytest.mark.parametrize(("namespace", "name", "phase", "member"), [
    ("shop", "g", "Pending", True), ("shops", "g", "Pending", False), ("sho", "g", "Pending", False),
    ("shop", "gg", "Pending", False), ("shop", "", "Pending", False), ("shop", "g", "Succeeded", False),
])  # fmt: skip
def test_a_member_names_the_group_in_its_namespace_and_has_not_ended(
    namespace: str, name: str, phase: str, member: bool
) -> None:
    one = pod("p", namespace=namespace, scheduling_group=name, phase=phase)
    assert group_members(group("g", namespace="shop"), snapshot(one)) == ({one} if member else set())
