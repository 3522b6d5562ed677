"""Filter 1.1: cordons and their tolerations, and the node phase that the printed text requires"""

import pytest

from schedcheck.spec.faults import NO_FAULTS, Fault, Faults
from schedcheck.spec.objects import Node, Pod, Toleration
from schedcheck.spec.published.schedulability import schedulability, why_not_schedulable
from tests.support.building import node, pod, snapshot

KEY = "node.kubernetes.io/unschedulable"
PHASE = frozenset({Fault.PHASE_DEMANDED})
CORDONED = node("n", unschedulable=True)


def admits(one: Pod, at: Node, faults: Faults = NO_FAULTS) -> bool:
    return schedulability(one, at, snapshot(one, at), faults)


def test_a_node_is_admitted_unless_it_is_cordoned() -> None:
    assert admits(pod(), node())
    assert not admits(pod(), CORDONED)


@pytest.mark.parametrize(
    ("toleration", "tolerates"),
    [
        (Toleration(KEY, "Exists", "", "NoSchedule"), True),
        (Toleration(KEY, "Exists"), True),
        (Toleration(KEY), True),
        (Toleration("", "Exists"), True),
        (Toleration(KEY, "Equal", "true"), False),
        (Toleration(KEY, "Exists", "", "NoExecute"), False),
        (Toleration("unschedulable", "Exists"), False),
    ],
)
def test_a_cordon_is_tolerated_like_its_taint(toleration: Toleration, tolerates: bool) -> None:
    assert admits(pod(tolerations=(toleration,)), CORDONED) == tolerates
    assert not admits(pod(tolerations=(toleration,)), CORDONED, frozenset({Fault.CORDON_UNTOLERATED}))


def test_the_node_phase_is_checked_only_as_printed() -> None:
    for phase, printed in (("Running", True), ("", False), ("Pending", False)):
        assert admits(pod(), node(phase=phase))
        assert admits(pod(), node(phase=phase), PHASE) == printed


def test_the_reason_is_the_cordon_or_the_phase() -> None:
    def why(at: Node) -> str | None:
        return why_not_schedulable(pod(), at, snapshot(at), PHASE)

    assert why(node(phase="Running")) is None
    assert why(node(phase="Running", unschedulable=True)) == "cordoned"
    assert why(node()) == "phase is '', not 'Running'"
