"""What the end of a group's cycle means for one pod of it, and that groups do not preempt in 1.36"""

from dataclasses import replace

import pytest

from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.group_decisions import LEFT, WAITS, decided_for
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import Ending
from schedcheck.spec.objects import Snapshot
from tests.support.building import node, pod
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
