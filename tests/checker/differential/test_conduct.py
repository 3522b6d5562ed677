"""The execution of decisions: correct in every order of steps, even if changes are delivered in the middle of them

Each property is violated by a scheduler with one defect of the corpus.
"""

from typing import Any

import pytest

from schedcheck.checker.differential.admission import evictions_and_gates
from schedcheck.checker.differential.execution import balanced, conduct, no_endless_permit_wait
from schedcheck.checker.result import Verdict
from schedcheck.model.production.machine.machine import Production
from schedcheck.model.reference import Reference
from schedcheck.spec.properties.kinds import Sometimes
from tests.checker.differential.scenarios import KUBERNETES, SCENARIOS, machine
from tests.corpus.nominations import NOMINATIONS
from tests.corpus.permits import PERMITS
from tests.corpus.stories import Story, explored
from tests.model.production.machine.test_machine import COMES_AND_GOES, EVICTS, EVICTS_OR_WAITS, ROOM_FOR_ONE

INTERRUPTED: tuple[tuple[Any, int, int, int], ...] = (
    (ROOM_FOR_ONE, 1, 221, 13), (COMES_AND_GOES, 1, 111, 17), (EVICTS, 1, 321, 14), (EVICTS_OR_WAITS, 0, 764, 12),
    (SCENARIOS["node_comes"][0], 1, 176, 13), (SCENARIOS["ports"][0], 0, 177, 11),
)  # fmt: skip
"""Scenarios, the number of calls that may fail, the distinct states and the levels."""


def nothing(patch: pytest.MonkeyPatch) -> None:
    """Leave the scheduler as it is."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("of", "faults", "distinct", "depth"), INTERRUPTED)
def test_changes_in_the_middle_of_steps_violate_no_property(of: Any, faults: int, distinct: int, depth: int) -> None:
    result = explored(Story("", of, (), nothing, faults, interrupted=True))
    assert [violation.property.name for violation in result.violations] == []
    assert (result.verdict, result.distinct, result.depth) == (Verdict.HOLDS, distinct, depth)


def test_changes_can_be_delivered_between_a_decision_and_its_call() -> None:
    """Otherwise a pod that is being deleted would be put back into the queue."""
    of = next(each for each in NOMINATIONS if each.id.endswith("102339")).scenario

    def gone_and_done(interrupted: bool) -> bool:
        made = Production(of, Reference(of, KUBERNETES), interrupted=interrupted)
        (begin,) = made.initial_states()
        deleted = next(after for action, after in made.steps(begin) if str(action) == "Delete(p)")
        tried = [after for action, after in made.steps(deleted) if str(action).startswith("Try(p")]
        return any(all(waiter.pod.name != "p" for waiter in after.memory.waiters) for after in tried)

    assert gone_and_done(interrupted=True) and not gone_and_done(interrupted=False)


BROKEN = {
    "volcano-sh/volcano@98f47f5d3": "evicts_concluded_victims",
    "kubernetes/kubernetes#126643": "evicts_its_victims",
    "kubernetes/kubernetes#122494": "binds_unless_a_call_fails",
    "kubernetes/kubernetes#134249": "no_cycle_while_preempting",
    "apache/yunikorn-core YUNIKORN-2978": "counted_once",
    "koordinator-sh/koordinator#2673": "counted_as_delivered",
    "kubernetes-sigs/scheduler-plugins#293": "no_useless_nomination",
    "kubernetes/kubernetes#88179": "permit_waits_have_a_cause",
    "kubernetes/kubernetes#136269": "bound_pods_stay_assumed",
    "koordinator-sh/koordinator#872": "no_endless_permit_wait",
    "koordinator-sh/koordinator@b0e7fb28": "balanced",
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("number", BROKEN)
def test_each_property_is_violated_by_a_defect(number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    story = next(each for each in (*PERMITS, *NOMINATIONS) if each.id == number)
    story.defect(monkeypatch)
    assert BROKEN[number] in {violation.property.name for violation in explored(story).violations}


def test_every_property_has_such_a_defect() -> None:
    """Those of evictions and gates have theirs in test_admission.py."""
    made = machine(EVICTS)
    asked = {each.name for each in conduct(made)} | {balanced.__name__, no_endless_permit_wait.__name__}
    assert asked == set(BROKEN.values()) | {each.name for each in evictions_and_gates(made)}


@pytest.mark.slow
def test_the_situations_of_the_properties_occur() -> None:
    """Pods that wait for a permit, that are allowed, and that are rejected; reservations; victims in memory."""
    gang = next(each for each in PERMITS if each.id.endswith("88179"))
    preempted = next(each for each in PERMITS if each.id.endswith("140082"))
    witnesses = (
        Sometimes("waits", "", lambda state: any(signal is None for _, _, signal in state.memory.permits)),
        Sometimes("allowed", "", lambda state: any(signal and signal.success for _, _, signal in state.memory.permits)),
        Sometimes(
            "sent away", "", lambda state: any(signal and signal.rejected for _, _, signal in state.memory.permits)
        ),
        Sometimes("reserved", "", lambda state: any(len(kept[1]) == 2 for kept in state.memory.kept)),
    )
    assert explored(gang, *witnesses).verdict is Verdict.HOLDS
    told_to_go = Sometimes("told", "", lambda state: any(victims == () for _, _, victims, *_ in state.memory.evictions))
    assert explored(preempted, told_to_go).verdict is Verdict.HOLDS
