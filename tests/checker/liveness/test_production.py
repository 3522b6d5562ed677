"""The production scheduler under fairness: it eventually binds, if changes are delivered and timers expire"""

import pytest

from schedcheck.checker.differential.exploration import explored
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.result import Verdict
from schedcheck.model.production.machine.actions import KINDS, BackedOff, Deliver, TimedOut, Try
from schedcheck.model.production.machine.machine import Production
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.profiles import departing, kubernetes
from schedcheck.spec.properties.kinds import Eventually, Fairness, LeadsTo
from schedcheck.spec.properties.of_pods import pod_bound, pod_waits
from tests.support.building import node, on_nodes, on_pods, pod, replays, scenario

ARRIVING = scenario(
    pod("a", 1), node("n", 1), absent="a", rules=[on_pods("arrive", "a", 1)], profile="kubernetes"
)  # fmt: skip
CORDONED = scenario(
    pod("a", 1),
    node("n", 1, unschedulable=True),
    rules=[on_nodes("uncordon", "n", 1)],
    profile="kubernetes",
)
"""The pod is rejected, and the node becomes feasible once."""


def machine_of(each: Scenario) -> Production:
    own = kubernetes("kubernetes", departing("kubernetes", each.plugins))
    return Production(each, Reference(each, own))


def bound_in_the_end(each: Scenario, kinds: tuple[type, ...]) -> bool:
    """Whether the pod is eventually bound once its node is feasible, if these kinds of steps are fair."""
    machine = machine_of(each)
    question = LeadsTo(
        "bound",
        "It is bound in the end.",
        lambda snapshot: pod_waits(snapshot, ("default", "a")) and not snapshot.nodes[0].unschedulable,
        lambda snapshot: not pod_waits(snapshot, ("default", "a")),
        Fairness(weak=kinds),
    )
    result = breadth_first(Exploration(machine, (question,)))
    for violation in result.violations:
        assert violation.loop is not None
        assert replays(machine, violation.trace)
    return result.verdict is Verdict.HOLDS


@pytest.mark.parametrize("each", [ARRIVING, CORDONED], ids=["arriving", "cordoned"])
def test_with_fairness_of_all_its_steps_the_scheduler_eventually_binds(each: Scenario) -> None:
    assert bound_in_the_end(each, KINDS)


@pytest.mark.parametrize("idle", [Deliver, Try])
def test_without_deliveries_or_cycles_the_scheduler_may_never_bind(idle: type) -> None:
    assert not bound_in_the_end(ARRIVING, tuple(kind for kind in KINDS if kind is not idle))


def test_a_rejected_pod_needs_no_timer_as_the_uncordon_moves_it() -> None:
    assert bound_in_the_end(CORDONED, tuple(kind for kind in KINDS if kind is not TimedOut and kind is not BackedOff))


def test_a_temporal_rule_is_evaluated_on_the_cluster() -> None:
    waits, bound = (lambda snapshot, of=of: of(snapshot, ("default", "a")) for of in (pod_waits, pod_bound))
    there = scenario(pod("a", 1), node("n", 1), profile="kubernetes")
    for fairness, verdict in ((Fairness(weak=KINDS), Verdict.HOLDS), (Fairness(), Verdict.VIOLATED)):
        rules = [
            LeadsTo("leads", "It is bound once it waits.", waits, bound, fairness),
            Eventually("comes", "It is bound.", bound, fairness),
        ]
        for rule in rules:
            assert explored(there, rules=rules, names=[rule.name]).result.verdict is verdict
