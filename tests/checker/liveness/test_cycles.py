"""`evictions_end` on small clusters: endless evictions, and stuttering steps"""

from dataclasses import replace

from schedcheck.checker.check import Checked, check
from schedcheck.checker.result import Verdict
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Taint
from tests.support.building import node, pod

HIGH, LOW = pod("high", cpu=4, priority=9), pod("low", cpu=1)


def livelock(*faults: Fault, victims: str = "pending", rules: tuple[Rule, ...] = ()) -> Scenario:
    """One pod that fits nowhere, and one of lower priority on the only node, whose owner recreates it."""
    return Scenario(
        "livelock",
        (HIGH, replace(LOW, node_name="n")),
        (node("n", 3),),
        profile="corrected",
        faults=frozenset(fault.value for fault in faults),
        victims=victims,
        rules=rules,
        properties=("evictions_end",),
    )


def loop_of(checked: Checked) -> list[str]:
    (violation,) = checked.result.violations
    assert violation.loop is not None
    first, last = violation.trace[violation.loop], violation.trace[-1]
    assert first.state == last.state, "the cycle closes"
    return [str(stage.action) for stage in violation.trace[violation.loop + 1 :]]


def test_a_scheduler_that_evicts_no_pod_satisfies_evictions_end_vacuously() -> None:
    assert check(livelock()).result.verdict == Verdict.VACUOUS


OVERLAP = (Fault.OVERLAPPING_CASE, Fault.VICTIMS_UNCHECKED)


def test_evictions_without_victims_stutter_and_violate_a_property_of_decisions() -> None:
    """With overlapping cases the scheduler may forever preempt without victims: it then stutters and binds no pod."""
    alone = replace(livelock(*OVERLAP), pods=(pod("high", cpu=2, priority=9),))
    ends = check(replace(alone, properties=("evictions_end", "preemption_ends"))).result
    assert ends.coverage["Preempt"] > 0
    assert ends.verdict is Verdict.VACUOUS
    assert [name for name, _ in ends.vacuous] == ["evictions_end", "preemption_ends"]
    (unbound,) = check(replace(alone, properties=("eventually_bound(high)",), fairness="none")).result.violations
    assert (len(unbound.trace), unbound.loop) == (1, 0)
    assert check(replace(alone, properties=("eventually_bound(high)",))).result.verdict is Verdict.HOLDS
    (decision,) = check(replace(alone, properties=("preemption_has_victims",))).result.violations
    assert str(decision.trace[-1].action) == "Preempt(high, n, {})"


def test_an_endless_eviction_is_found_with_its_cycle() -> None:
    """The owner recreates the pod on a node whose taint evicts it."""
    template = pod("web", 1, on="n", owner=("ReplicaSet", "web"), template_node_name="n")
    driven = replace(
        livelock(),
        pods=(template,),
        nodes=(node("n", 3, taints=(Taint("gone", "NoExecute"),)),),
        profile="kubernetes",
        controllers=frozenset({"owners", "lifecycle", "kubelet"}),
    )
    checked = check(driven)
    assert checked.result.verdict is Verdict.VIOLATED
    assert loop_of(checked) == ["TaintEvict(web)", "End(web)", "Create(web)"]


def test_evictions_caused_by_repeated_arrivals_are_no_livelock() -> None:
    """The victim arrives again by an event: evictions continue only as long as the environment creates pods."""
    room = replace(livelock(victims="absent"), nodes=(node("n", 4),))
    again = (Rule("arrive", pods=(LOW.key, HIGH.key)), Rule("delete", pods=(HIGH.key,)))
    checked = check(replace(room, rules=again))
    assert checked.result.coverage["Preempt"] > 0
    assert checked.result.verdict == Verdict.HOLDS


def test_with_states_cut_off_by_a_constraint_evictions_end_is_undecided() -> None:
    room = replace(livelock(victims="absent"), nodes=(node("n", 4),), constraints=("at_most_present(1)",))
    checked = check(replace(room, absent=frozenset({HIGH.key}), rules=(Rule("arrive", pods=(HIGH.key,)),)))
    assert checked.result.verdict == Verdict.GAVE_UP
    assert checked.result.undecided == ("evictions_end",)


def test_evictions_of_kube_scheduler_end_where_owners_recreate_victims() -> None:
    room = replace(livelock(), nodes=(node("n", 4),), profile="kubernetes")
    checked = check(room)
    assert checked.result.coverage["EvictVictim"] > 0
    assert checked.result.verdict == Verdict.HOLDS
