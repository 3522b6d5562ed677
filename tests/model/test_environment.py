"""Environment events on pods and nodes: guard, effect and bound of each"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.model.environment import EVENTS, newly_arrived, relabelled, unplaced
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import CRASH, NODE_EVENTS, POD_EVENTS, RESTART, SHUTDOWN, Rule, Scenario
from schedcheck.spec.decisions import Preempt
from schedcheck.spec.objects import Node, Pod, Taint
from schedcheck.spec.profiles import CORRECTED
from tests.support.building import GPU, HOSTNAME, node, on_nodes, on_pods, pod, scenario


def initial(each: Scenario) -> State:
    (state,) = Reference(each, CORRECTED).initial_states()
    return state


def events(each: Scenario, state: State | None = None) -> dict[str, State]:
    """The states after each environment event, by its text; scheduling decisions are left out."""
    machine = Reference(each, CORRECTED)
    kinds = tuple(kind for kind in machine.kinds() if kind in EVENTS.values())
    steps = [step for step in machine.steps(initial(each) if state is None else state) if type(step[0]) in kinds]
    found = {str(action): after for action, after in steps}
    assert len(found) == len(steps)
    return found


def of_pod(event: str, *, at_first: bool = True, completed: str = "absent", **fields: object) -> dict[str, Pod | None]:
    """The effect of the rule on the single pod, which may be bound to the single node."""
    one = pod("p", **fields)  # type: ignore[arg-type]
    each = scenario(one, node("n"), rules=[on_pods(event, "p")], absent="" if at_first else "p", completed=completed)
    return {text: state.pods[0] for text, state in events(each).items()}


def of_node(rule: Rule, one: Node) -> dict[str, Node | None]:
    """The effect of the rule on the single node."""
    return {text: state.nodes[0] for text, state in events(scenario(one, rules=[rule])).items()}


def test_every_event_has_a_rule_of_its_name() -> None:
    assert set(EVENTS) == {*POD_EVENTS, RESTART, CRASH, *NODE_EVENTS, SHUTDOWN}


# Pods.


def test_an_absent_pod_arrives_unbound_and_pending() -> None:
    assert of_pod("arrive", at_first=False, on="n", phase="Running") == {"Arrive(p)": pod("p")}


def test_a_present_pod_does_not_arrive() -> None:
    assert of_pod("arrive") == {}
    assert of_pod("arrive", on="n") == {}


def test_a_bound_pod_completes_and_is_removed() -> None:
    assert of_pod("complete", on="n") == {"Complete(p)": None}


def test_a_completed_pod_may_be_kept_on_its_node() -> None:
    assert of_pod("complete", on="n", completed="kept") == {"Complete(p)": pod("p", on="n", phase="Succeeded")}


@pytest.mark.parametrize(
    "fields",
    [{}, {"on": "gone"}, {"on": "n", "phase": "Succeeded"}, {"on": "n", "phase": "Failed"}, {"at_first": False}],
)
def test_a_pending_lost_ended_or_absent_pod_does_not_complete(fields: dict[str, str]) -> None:
    assert of_pod("complete", completed="kept", **fields) == {}  # type: ignore[arg-type]


@pytest.mark.parametrize("fields", [{}, {"on": "n"}, {"on": "gone"}, {"on": "n", "phase": "Succeeded"}])
def test_any_present_pod_can_be_deleted(fields: dict[str, str]) -> None:
    assert of_pod("delete", **fields) == {"Delete(p)": None}  # type: ignore[arg-type]


def test_an_absent_pod_is_not_deleted() -> None:
    assert of_pod("delete", at_first=False) == {}


def test_a_rule_applies_only_to_the_pods_that_it_names() -> None:
    each = scenario(pod("a"), pod("b"), pod("a", namespace="other"), rules=[on_pods("delete", "a")])
    assert list(events(each)) == ["Delete(a)"]


def test_a_pod_of_another_namespace_is_distinguished() -> None:
    each = scenario(pod("a"), pod("a", namespace="other"), rules=[Rule("delete", pods=(("other", "a"),))])
    assert list(events(each)) == ["Delete(other/a)"]


def test_an_arriving_pod_loses_only_its_node_and_its_phase() -> None:
    one = pod("p", 2, on="n", phase="Failed", labels={"a": "b"}, priority=3)
    assert newly_arrived(one) == replace(one, node_name="", phase="Pending")


def test_a_pod_whose_template_names_a_node_arrives_on_that_node() -> None:
    arrived = of_pod("arrive", at_first=False, phase="Running", template_node_name="n")["Arrive(p)"]
    assert arrived == pod("p", on="n", template_node_name="n")


def test_an_unplaced_pod_is_pending_whatever_its_template_names() -> None:
    one = pod("p", on="n", phase="Running", template_node_name="n")
    assert unplaced(one) == replace(one, node_name="", phase="Pending")


# Nodes.


def test_a_failed_node_returns_as_the_scenario_describes_it() -> None:
    one = node("n", 2, labels={"a": "b"}, taints=(GPU,))
    each = scenario(one, rules=[on_nodes("fail", "n"), on_nodes("return", "n"), on_nodes("cordon", "n")])
    cordoned = events(each)["Cordon(n)"]
    failed = events(each, cordoned)["Fail(n)"]
    assert failed.nodes == (None,)
    assert events(each, failed) == {"Return(n)": initial(each)}
    assert "Return(n)" not in events(each)


def test_a_failed_node_leaves_its_pods_bound_to_its_name() -> None:
    """They are neither pending nor completing, and run on the node again once it is back."""
    each = scenario(
        pod("a", on="n"),
        pod("b", priority=1),
        node("n"),
        rules=[on_nodes("fail", "n"), on_nodes("return", "n"), on_pods("complete", "a")],
    )
    failed = events(each)["Fail(n)"]
    assert failed.pods == initial(each).pods
    assert list(events(each, failed)) == ["Return(n)"]
    assert [str(action) for action, _ in Reference(each, CORRECTED).steps(failed)] == ["Return(n)", "Wait(b)"]
    assert events(each, failed)["Return(n)"] == initial(each)


def test_a_node_is_cordoned_and_uncordoned() -> None:
    assert of_node(on_nodes("cordon", "n"), node("n")) == {"Cordon(n)": node("n", unschedulable=True)}
    assert of_node(on_nodes("uncordon", "n"), node("n", unschedulable=True)) == {"Uncordon(n)": node("n")}
    assert of_node(on_nodes("cordon", "n"), node("n", unschedulable=True)) == {}
    assert of_node(on_nodes("uncordon", "n"), node("n")) == {}


def test_a_taint_is_added_and_removed() -> None:
    assert of_node(on_nodes("taint", "n", taint=GPU), node("n")) == {
        "AddTaint(n, gpu:NoSchedule)": node("n", taints=(GPU,))
    }
    assert of_node(on_nodes("untaint", "n", taint=GPU), node("n", taints=(GPU,))) == {
        "RemoveTaint(n, gpu:NoSchedule)": node("n")
    }
    assert of_node(on_nodes("taint", "n", taint=GPU), node("n", taints=(GPU,))) == {}
    assert of_node(on_nodes("untaint", "n", taint=GPU), node("n")) == {}
    assert of_node(on_nodes("untaint", "n", taint=GPU), node("n", taints=(replace(GPU, value="x"),))) == {}
    assert of_node(on_nodes("untaint", "n"), node("n", taints=(GPU,))) == {}


@pytest.mark.parametrize("at_first", [(), ("z",), ("m",), ("a", "z"), ("z", "a"), ("z", "m", "a"), ("a", "m", "z")])
def test_adding_and_removing_a_taint_leads_back_to_the_same_state(at_first: tuple[str, ...]) -> None:
    moved = Taint("m", "NoSchedule", "v")
    taints = tuple(replace(moved, key=key) for key in at_first)
    rules = [on_nodes(event, "n", taint=moved) for event in ("taint", "untaint")]
    each = scenario(node("n", taints=taints), rules=rules)
    (there,) = events(each).values()
    (back,) = events(each, there).values()
    assert there != back == initial(each)
    assert set(initial(each).nodes[0].taints) == set(taints)  # type: ignore[union-attr]


def test_a_label_gets_each_of_its_values_except_the_current_one() -> None:
    rule = on_nodes("label", "n", label_key="zone", label_values=("a", "b", None))
    assert of_node(rule, node("n", labels={"zone": "a", "x": "y"})) == {
        "Label(n, zone=b)": node("n", labels={"zone": "b", "x": "y"}),
        "Label(n, zone-)": node("n", labels={"x": "y"}),
    }
    assert of_node(rule, node("n")) == {
        "Label(n, zone=a)": node("n", labels={"zone": "a"}),
        "Label(n, zone=b)": node("n", labels={"zone": "b"}),
    }


def test_labels_are_sorted_so_that_each_state_has_one_text() -> None:
    one = node("n", labels={"b": "1"})
    assert list(relabelled(one, "a", "2").labels) == ["a", "b"]
    assert relabelled(relabelled(one, "a", "2"), "a", None) == one
    assert relabelled(one, "a", "2").labels == frozendict(b="1", a="2")


def test_a_rule_applies_only_to_the_nodes_that_it_names() -> None:
    assert list(events(scenario(node("m"), node("n"), rules=[on_nodes("fail", "n")]))) == ["Fail(n)"]


@pytest.mark.parametrize("event", [each for each in NODE_EVENTS if each != "return"])
def test_only_a_return_can_happen_to_a_failed_node(event: str) -> None:
    rules = [on_nodes("fail", "n"), on_nodes(event, "n", taint=GPU, label_key="a", label_values=("b",))]
    each = scenario(node("n", unschedulable=event == "uncordon"), rules=rules)
    failed = State((), (None,), ())
    assert events(each, failed) == {}


# Bounds.


def test_the_bound_of_a_rule_is_shared_by_all_its_objects() -> None:
    each = scenario(pod("a"), pod("b"), pod("c"), rules=[on_pods("delete", "a b c", 2)])
    state = initial(each)
    assert state.left == (2,)
    state = events(each, state)["Delete(b)"]
    assert state.left == (1,)
    state = events(each, state)["Delete(a)"]
    assert (state.left, events(each, state)) == ((0,), {})


def test_each_bounded_rule_has_its_own_counter_and_an_unlimited_one_none() -> None:
    rules = [on_pods("arrive", "a"), on_nodes("cordon", "n", 2), on_pods("delete", "a", 1), on_nodes("uncordon", "n")]
    each = scenario(pod("a"), node("n"), rules=rules)
    assert initial(each).left == (2, 1)
    after = events(each)
    assert (after["Cordon(n)"].left, after["Delete(a)"].left) == ((1, 1), (2, 0))
    assert events(each, after["Cordon(n)"])["Uncordon(n)"].left == (1, 1)
    assert events(each, after["Delete(a)"])["Arrive(a)"].left == (2, 0)


def test_a_rule_with_bound_0_is_never_enabled() -> None:
    assert events(scenario(pod("a"), node("n"), rules=[on_pods("delete", "a", 0), on_nodes("fail", "n", 0)])) == {}


def test_two_rules_for_one_event_may_both_be_used() -> None:
    machine = Reference(scenario(pod("a"), rules=[on_pods("delete", "a", 1), on_pods("delete", "a", 3)]), CORRECTED)
    (state,) = machine.initial_states()
    assert [after.left for action, after in machine.steps(state) if str(action) == "Delete(a)"] == [(0, 3), (1, 2)]


# Victims.


@pytest.mark.parametrize(("victims", "left"), [("absent", None), ("pending", pod("low", 1))])
def test_a_victim_is_removed_or_pending_again(victims: str, left: Pod | None) -> None:
    each = scenario(pod("low", 1, on="n"), pod("top", 1, priority=1), node("n", 1), victims=victims)
    machine = Reference(each, CORRECTED)
    ((action, after),) = machine.steps(initial(each))
    assert isinstance(action, Preempt)
    assert after == State((left, pod("top", 1, priority=1)), (node("n", 1),))


def test_a_recreated_victim_is_on_the_node_of_its_template() -> None:
    low = pod("low", 1, on="n", template_node_name="n")
    each = scenario(low, pod("top", 1, priority=1), node("n", 1), victims="pending")
    ((_, after),) = Reference(each, CORRECTED).steps(initial(each))
    assert after.pods == (low, pod("top", 1, priority=1))


def test_a_hostname_label_may_change_too() -> None:
    rule = on_nodes("label", "n", label_key=HOSTNAME, label_values=(None,))
    assert of_node(rule, node("n", labels={HOSTNAME: "n"})) == {f"Label(n, {HOSTNAME}-)": node("n")}
