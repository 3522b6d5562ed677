"""Named properties as a user writes them, and helpful errors for names without a meaning"""

from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.exploring.constraints import constraint
from schedcheck.checker.properties.by_name import DEFAULT, EXAMPLES, NAMES, OF_A_POD, SOUND, SOUNDNESS, asked
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.model.jobs import Job
from schedcheck.model.rollouts import Rollout
from schedcheck.model.scenario import Rule
from schedcheck.spec.decisions import Bind, Nominate, Preempt, Wait
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.profiles import CORRECTED
from schedcheck.spec.properties.kinds import Always, Can, Property, Sometimes, Step
from tests.support.building import node, pod, scenario, snapshot

PODS = (pod("web-1"), pod("web-2"), pod("web-1", namespace="shop"))


def names(text: str) -> list[str]:
    return [each.name for each in asked(text, PODS, CORRECTED)]


def the(text: str) -> Property:
    (only,) = asked(text, PODS, CORRECTED)
    return only


def why_not(text: str) -> str:
    with pytest.raises(UnknownProperty) as raised:
        asked(text, PODS, CORRECTED)
    return str(raised.value)


@pytest.mark.parametrize("text", ["type_correct", " type_correct ", "type_correct()", "type_correct ( )"])
def test_blanks_and_empty_brackets_are_ignored(text: str) -> None:
    assert names(text) == ["type_correct"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("no_overcommit", Always),
        ("all_pods_bound", Sometimes),
        ("bind_feasible", Step),
        ("never_evicted(web-2)", Step),
        ("pod_sometimes_bound(web-2)", Sometimes),
        ("pod_can_still_be_bound(web-2)", Can),
        ("stays_on(app=web, disk)", Always),
    ],
)
def test_each_property_has_its_kind(text: str, kind: type) -> None:
    assert type(the(text)) is kind


def test_the_claim_of_a_property_is_that_of_its_definition() -> None:
    assert the("bind_feasible").claim == "The node was there and feasible for the pod in the snapshot before."
    assert the("never_evicted(web-2)").claim == "web-2 is never evicted."


def test_every_name_can_be_checked_and_has_a_claim() -> None:
    before = Rollout("Deployment", "web", "default", 2, PODS[:2])
    changing = Rollout("Deployment", "web", "default", 2, PODS[:2], before=before)
    counted = Job("import", "default", 1, 1, 6, frozenset())
    for name in NAMES:
        for each in asked(EXAMPLES.get(name, name), PODS, CORRECTED, rollouts=(changing,), jobs=(counted,)):
            assert each.claim.endswith(".")


def test_the_default_properties_are_known_and_hold_of_a_sound_scheduler() -> None:
    assert {*DEFAULT, *SOUNDNESS} < set(NAMES)
    assert not {"no_eviction", "room_left_to_the_nominated", "evicted_for_nominated_pod"} & {*DEFAULT, *SOUNDNESS}


@pytest.mark.parametrize("name", OF_A_POD)
def test_a_property_of_a_pod_without_argument_applies_to_every_pod(name: str) -> None:
    assert names(name) == [f"{name}({which})" for which in ("web-1", "web-2", "shop/web-1")]
    assert names(f"{name}()") == names(name)


@pytest.mark.parametrize(
    ("text", "name", "mentions"),
    [
        ("never_evicted(web-1)", "never_evicted(web-1)", {"web-1"}),
        ("never_evicted( default/web-1 )", "never_evicted(web-1)", {"web-1"}),
        ("never_evicted(shop/web-1)", "never_evicted(shop/web-1)", {"web-1"}),
        ("stays_on(app=web-1,disk!=n1)", "stays_on(app=web-1, disk!=n1)", {"web-1", "n1"}),
        ("stays_on(app==web-1, gpu)", "stays_on(app==web-1, gpu)", {"web-1", "gpu"}),
        ("no_overcommit", "no_overcommit", set()),
    ],
)
def test_a_property_has_one_name_and_lists_the_objects_it_mentions(text: str, name: str, mentions: set[str]) -> None:
    assert (the(text).name, the(text).mentions) == (name, mentions)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("bind_feasible", (Bind,)),
        ("highest_priority_first", (Bind, Preempt, Nominate, Wait)),
        ("no_wait_while_feasible", (Wait,)),
        ("least_casualty", (Preempt,)),
    ],
)
def test_a_step_property_applies_to_its_kinds_of_decisions(text: str, kinds: tuple[type, ...]) -> None:
    question = the(text)
    assert isinstance(question, Step)
    assert question.kinds == kinds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no_overcomit", "no such property; did you mean no_overcommit?"),
        ("never_evict(web-1)", "no such property; did you mean never_evicted?"),
        ("nobody_evicted", "no such property; did you mean no_eviction?"),
        ("everyone_bound", "no such property; did you mean all_pods_bound?"),
        ("???", "no such property"),
        ("", "no such property"),
        ("_of_a_pod", "no such property"),
        ("Preempt", "no such property"),
        ("no_overcommit(web-1)", "takes no argument"),
        ("never_evicted(web-3)", "no pod 'web-3'; did you mean web-"),
        ("never_evicted(other/web-2)", "no pod 'other/web-2'"),
        ("never_evicted(web-1, web-2)", "takes one pod, not 2"),
        ("stays_on", "takes two labels, of pods and of nodes, as stays_on(app=web, disk!=ssd)"),
        ("stays_on(app=web)", "takes two labels"),
        ("stays_on(a, b, c)", "takes two labels"),
        ("stays_on(!a=b, c)", "'!a=b' is none of key, !key, key=value and key!=value"),
        ("stays_on(a=b=c, d)", "'a=b=c' is none of"),
        ("stays_on(=b, d)", "'=b' is none of"),
    ],
)
def test_an_invalid_property_is_refused_with_a_helpful_message(text: str, message: str) -> None:
    assert why_not(text).startswith(message)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("stays_on(app=web, disk=ssd)", True),
        ("stays_on(app=web, disk)", True),
        ("stays_on(app, disk!=hdd)", True),
        ("stays_on(app, !gpu)", True),
        ("stays_on(app==web, disk==ssd)", True),
        ("stays_on(app=db, disk=hdd)", True),
        ("stays_on(!app, disk=hdd)", True),
        ("stays_on(app=web, disk=hdd)", False),
        ("stays_on(app, !disk)", False),
        ("stays_on(app, disk!=ssd)", False),
        ("stays_on(app!=db, gpu)", False),
        ("stays_on(!x, gpu)", False),
    ],
)
def test_labels_of_stays_on_have_the_syntax_of_kubectl(text: str, holds: bool) -> None:
    question = the(text)
    assert isinstance(question, Always)
    seen = snapshot(pod("p", labels={"app": "web"}, on="n"), node("n", labels={"disk": "ssd"}), node("other"))
    assert question.holds(seen) == holds


def test_stays_on_ignores_pending_and_ended_pods() -> None:
    question = the("stays_on(app=web, disk=ssd)")
    assert isinstance(question, Always)
    ended = pod("q", labels={"app": "web"}, on="n", phase="Failed")
    assert question.holds(snapshot(pod("p", labels={"app": "web"}), ended, node("n")))


# Constraints.


@pytest.mark.parametrize(("text", "counted"), [("at_most_present", 4), ("at_most_unbound", 2), ("at_most_bound", 2)])
def test_a_constraint_accepts_states_up_to_its_number(text: str, counted: int) -> None:
    seen = snapshot(pod("a"), pod("b"), pod("c", on="n"), pod("d", on="gone"), node("n"))
    for most, passes in ((counted, True), (counted - 1, False)):
        within = constraint([f" {text}( {most} ) "])
        assert within is not None
        assert within(seen) == passes


def test_all_constraints_apply_and_an_empty_list_is_no_constraint() -> None:
    within = constraint(["at_most_present(5)", "at_most_unbound(0)"])
    assert within is not None
    assert not within(snapshot(pod("a")))
    assert constraint([]) is None


@pytest.mark.parametrize("text", ["at_most_present", "at_most_present(x)", "at_most_present(-1)", "at_most(1)", ""])
def test_an_unknown_constraint_is_an_error(text: str) -> None:
    with pytest.raises(UnknownProperty, match="no such constraint; there are at_most_present"):
        constraint([text])


def test_an_error_of_check_starts_with_the_given_name() -> None:
    with pytest.raises(UnknownProperty, match=r"^least_casualti: no such property; did you mean least_casualty\?"):
        check(scenario(pod("a"), node("n"), properties=("least_casualti",)))


def test_a_repeated_property_is_checked_once() -> None:
    each = scenario(pod("a"), pod("b"), node("n"), properties=("never_evicted(a)", "never_evicted", "never_evicted(a)"))
    assert [question.name for question in check(each).properties] == ["never_evicted(a)", "never_evicted(b)"]


def test_a_scenario_without_properties_gets_the_default_ones() -> None:
    budget = PodDisruptionBudget("keep")
    named = [each.name for each in check(scenario(pod("a"), node("n"), budgets=(budget,))).properties]
    assert named == [*DEFAULT[:-2], "budget_kept(keep)", "pod_can_still_be_bound(a)"]


def test_a_scenario_with_faults_is_also_checked_for_soundness_by_default() -> None:
    faulty = scenario(pod("a"), node("n"), faults=frozenset({"sum-over-set"}))
    assert {each.name for each in check(faulty).properties} == {*SOUNDNESS, "pod_can_still_be_bound(a)"}


def test_a_pod_that_can_never_be_pending_is_not_checked_by_default() -> None:
    def asked_about(*pods: Pod, **more: Any) -> list[str]:
        names = [each.name for each in check(scenario(*pods, node("n"), **more)).properties]
        return [name.partition("(")[2][:-1] for name in names if name.startswith("pod_can_still_be_bound")]

    bound, owned = pod("bound", on="n"), pod("owned", on="n", owner=("ReplicaSet", "web"))
    arrives = Rule("arrive", pods=(("default", "bound"),))
    assert asked_about(bound, owned, pod("free")) == ["free"]
    assert asked_about(bound, owned, controllers=frozenset({"owners"})) == ["owned"]
    assert asked_about(bound, rules=(arrives,)) == asked_about(bound, absent="bound") == ["bound"]
    assert asked_about(bound, victims="pending") == ["bound"]
    assert asked_about(pod("ended", phase="Succeeded"), victims="pending") == []


def test_soundness_contains_the_promised_properties_of_each_profile() -> None:
    by_profile = {
        name: {each.name for each in check(scenario(pod("a"), node("n"), profile=name, properties=(SOUND,))).properties}
        for name in ("corrected", "classic", "kubernetes")
    }
    assert by_profile["corrected"] == {*SOUNDNESS}
    nominating = {*SOUNDNESS, "room_kept"} - {"least_casualty", "highest_priority_first"}
    assert by_profile["classic"] == by_profile["kubernetes"] == nominating


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nodes_bounded", r"takes a number of nodes, as nodes_bounded\(5\)"),
        ("nodes_bounded(1, 2)", "takes a number of nodes"),
        ("nodes_bounded(-1)", "'-1' is no number"),
    ],
)
def test_a_bound_of_nodes_takes_one_number(text: str, said: str) -> None:
    with pytest.raises(UnknownProperty, match=said):
        asked(text, PODS, CORRECTED)


def test_a_bound_of_nodes_holds_up_to_its_number() -> None:
    two = snapshot(node("m"), node("n"))
    for number in range(4):
        (question,) = asked(f"nodes_bounded({number})", PODS, CORRECTED)
        assert isinstance(question, Always)
        assert question.holds(two) == (number >= 2)


@pytest.mark.parametrize(("number", "nodes"), [(0, "0 nodes"), (1, "1 node"), (2, "2 nodes"), (11, "11 nodes")])
def test_a_bound_of_nodes_counts_them_in_words(number: int, nodes: str) -> None:
    (question,) = asked(f"nodes_bounded({number})", PODS, CORRECTED)
    assert question.claim == f"There are at most {nodes} at any time."
