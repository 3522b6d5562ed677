"""Checking a scheduler with unasked extenders: certain, unknown, or violated under an assumed answer"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.checker.check import Checked, check
from schedcheck.checker.extenders.unasked import Spared, assumption, relevant, uncounted
from schedcheck.checker.result import Verdict
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.report.text import statement
from schedcheck.report.text.changes import steps
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extender_configuration import ManagedResource
from schedcheck.spec.extenders import Extender, Failed, Filtered, MetaVictims, Nodes, Offered
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Node, Pod
from tests.support.building import container, node, pod

GPU = "example.com/gpu"
FILTER = Offer("http://a", filter_verb="filter")
SCORE = Offer("http://a", prioritize_verb="prioritize", weight=1)
EVICT = Offer("http://a", preempt_verb="preempt")
OF_GPUS = replace(FILTER, managed_resources=(ManagedResource(GPU, ignored=True),))


def scenario(things: Iterable[Pod | Node], plugins: Plugins, *properties: str) -> Scenario:
    pods = tuple(each for each in things if isinstance(each, Pod))
    waiting = tuple(each.key for each in pods if not each.node_name)
    return Scenario(
        "extended",
        pods,
        tuple(each for each in things if isinstance(each, Node)),
        absent=frozenset(waiting),
        rules=(Rule("arrive", pods=waiting),),
        profile="kubernetes",
        plugins=(plugins,),
        properties=properties,
    )


def unasked(*offers: Offer, ignoring: bool = False) -> Plugins:
    arguments = replace(DEFAULT_PLUGINS.arguments, ignored_resources=frozenset({GPU}) if ignoring else frozenset())
    return replace(DEFAULT_PLUGINS, unasked=offers, arguments=arguments)


def standings(checked: Checked) -> dict[str, str]:
    return {each.name: statement.standing(each, checked.result) for each in checked.properties}


P = pod("p", 1, priority=5)
GPU_POD = pod("p", containers=(container(1, **{GPU: 2}),))
ROOM = (node("n1", 4), node("n2", 4), P)
FULL = (node("n1", 1), pod("low", 1, "n1", priority=1), P)


def test_a_property_that_no_extender_answer_can_violate_holds() -> None:
    checked = check(scenario(ROOM, unasked(FILTER), "no_overcommit", "bind_feasible"))
    assert checked.result.verdict is Verdict.HOLDS
    assert checked.result.unknown == ()
    assert check(scenario(ROOM, unasked(FILTER), "never_evicted(p)")).result.verdict is Verdict.VACUOUS


@pytest.mark.parametrize("asked", ["pod_can_still_be_bound(p)", "all_pods_bound", "eventually_bound(p)"])
def test_a_possibility_or_eventuality_is_unknown(asked: str) -> None:
    checked = check(scenario(ROOM, unasked(FILTER), asked))
    assert checked.result.verdict is Verdict.UNKNOWN
    assert set(standings(checked).values()) == {"unknown"}
    assert checked.result.unknown[0][1] == "extender http://a was not asked"
    assert check(scenario(ROOM, DEFAULT_PLUGINS, asked)).result.verdict is Verdict.HOLDS


@pytest.mark.parametrize("asked", ["no_wait_while_feasible", "bind_most_viable"])
def test_a_decision_that_an_extender_may_cause_is_unknown(asked: str) -> None:
    things = (*ROOM, pod("other", 1, "n1"))
    checked = check(scenario(things, unasked(FILTER), asked))
    assert (checked.result.verdict, standings(checked)) == (Verdict.UNKNOWN, {asked: "unknown"})


def test_a_score_that_cannot_outweigh_the_plugins_leaves_the_choice_certain() -> None:
    things = (node("n1", 4), node("n2", 4), pod("other", 4, "n1"), P)
    assert check(scenario(things, unasked(SCORE), "bind_most_viable")).result.verdict is Verdict.HOLDS


def test_a_violation_shows_the_assumed_answer_of_the_extender() -> None:
    # By the plugins alone the pod is bound to n1, where there is room.
    things = (pod("low", 1, "n2", priority=1), node("n1", 4), node("n2", 1), P)
    checked = check(scenario(things, unasked(FILTER), "never_evicted(low)"))
    assert checked.result.verdict is Verdict.VIOLATED
    (violation,) = checked.result.violations
    noted = [text for step in steps(violation.trace, checked) for text in step.noted]
    assert noted == ["assumed: http://a refuses every node for good"]
    assert check(scenario(things, DEFAULT_PLUGINS, "never_evicted(low)")).result.verdict is Verdict.VACUOUS
    first = checked.machine.view(violation.trace[0].state)
    assert assumption(first, violation.trace[1].action, [unasked(FILTER)]) == ""


def test_a_violation_with_an_asked_extender_needs_no_assumption() -> None:
    refusing = Extender(FILTER, lambda pod, nodes: Filtered(frozenset(), frozendict({"n1": "no"})))
    things = (pod("low", 1, "n2", priority=1), node("n1", 4), node("n2", 1), P)
    checked = check(scenario(things, replace(DEFAULT_PLUGINS, extenders=(refusing,)), "never_evicted(low)"))
    assert checked.result.verdict is Verdict.VIOLATED
    assert [text for step in steps(checked.result.violations[0].trace, checked) for text in step.noted] == []


def test_overcommit_of_a_resource_counted_only_by_an_extender_is_unknown() -> None:
    things = (node("n1", 4, allocatable={GPU: 1}), GPU_POD)
    checked = check(scenario(things, unasked(OF_GPUS, ignoring=True), "no_overcommit"))
    assert (checked.result.verdict, standings(checked)) == (Verdict.UNKNOWN, {"no_overcommit": "unknown"})
    enough = (node("n1", 4, allocatable={GPU: 2}), GPU_POD)
    assert check(scenario(enough, unasked(OF_GPUS, ignoring=True), "no_overcommit")).result.verdict is Verdict.HOLDS


def test_overcommit_of_an_ignored_resource_without_extender_is_a_violation() -> None:
    things = (node("n1", 4, allocatable={GPU: 1}), GPU_POD)
    assert check(scenario(things, unasked(ignoring=True), "no_overcommit")).result.verdict is Verdict.VIOLATED


def test_overcommit_of_other_resources_is_a_violation_with_an_extender_too() -> None:
    things = (node("n1", 1, allocatable={GPU: 2}), pod("big", 2, "n1"), GPU_POD)
    made = scenario(things, unasked(OF_GPUS, ignoring=True), "no_overcommit")
    assert uncounted(made) == {GPU}
    assert check(made).result.verdict is Verdict.VIOLATED


def test_an_extender_that_concerns_no_pod_changes_nothing() -> None:
    made = scenario(ROOM, unasked(OF_GPUS), "pod_can_still_be_bound(p)")
    assert relevant(made).plugins == (unasked(),)
    checked = check(made, engine="tabulated")
    assert (checked.result.verdict, checked.engine) == (Verdict.HOLDS, "tabulated")


def test_a_preempting_extender_may_leave_the_pod_pending() -> None:
    checked = check(scenario(FULL, unasked(EVICT), "pod_can_still_be_bound(p)", "no_eviction"))
    found = standings(checked)
    assert found["no_eviction"] == "violated"
    assert found["pod_can_still_be_bound(p)"] in ("unknown", "undecided")


def test_an_asked_extender_is_judged_by_its_answers() -> None:
    def only_n2(pod: Pod, nodes: Nodes) -> Filtered | Failed:
        return Filtered(frozenset({"n2"}), frozendict({"n1": "no"}))

    def none(pod: Pod, offered: Offered) -> Mapping[str, MetaVictims] | Failed:
        return {}

    names = "pod_can_still_be_bound(p)", "bind_most_viable", "bind_feasible"
    plugins = replace(DEFAULT_PLUGINS, extenders=(Extender(FILTER, only_n2),))
    things = (*ROOM, pod("other", 1, "n2"))
    assert check(scenario(things, plugins, *names)).result.verdict is Verdict.HOLDS
    small = (node("n1", 4), node("n2", 0), P)
    refusing = check(scenario(small, plugins, "no_wait_while_feasible"))
    assert refusing.result.verdict is Verdict.HOLDS
    stubborn = replace(DEFAULT_PLUGINS, extenders=(Extender(EVICT, preempt=none),))
    checked = check(scenario(FULL, stubborn, "pod_can_still_be_bound(p)"))
    assert checked.result.verdict is Verdict.VIOLATED


def test_the_assumed_answers_are_described_by_what_the_extender_offers() -> None:
    made = scenario(ROOM, unasked(SCORE))
    assert statement.extenders(made) == (
        "extender http://a was not asked; in each cycle it may score each node from 0 to 10"
    )
    both = scenario(ROOM, unasked(FILTER, replace(EVICT, url_prefix="http://b")))
    assert statement.extenders(both) == (
        "extender http://a and extender http://b were not asked; in each cycle they may keep any of the nodes that the"
        " plugins admit, and refuse the others for now or for good; keep any candidates of preemption, with the victims as"
        " offered; or fail"
    )


def test_a_property_unknown_for_another_reason_keeps_that_reason() -> None:
    questions = check(scenario(ROOM, unasked(FILTER), "pod_can_still_be_bound(p)", "all_pods_bound"))
    before = replace(questions.result, unknown=(("all_pods_bound", "for another reason"),))
    after = Spared(questions.scenario).result(before, questions.properties)
    assert dict(after.unknown) == {
        "all_pods_bound": "for another reason",
        "pod_can_still_be_bound(p)": "extender http://a was not asked",
    }
